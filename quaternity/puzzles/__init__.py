"""Puzzles with provable answers, generated from seeds: `make`, `daily`, `Puzzle`.

`puzzle` defines a puzzle and `making` generates puzzles. `dealing`, `forcing`, `kwartet_puzzles`,
`set_puzzles` and `quarto_puzzles` contain the kinds, and `boards` renders their positions.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.puzzles.making import KINDS, daily, make
from quaternity.puzzles.puzzle import CheckResult, Puzzle, Step

__all__ = ["KINDS", "CheckResult", "Puzzle", "Step", "daily", "make"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
