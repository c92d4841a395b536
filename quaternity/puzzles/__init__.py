"""Puzzles with provable answers, which `make` and `daily` generate from seeds.

`puzzle` defines the type of a puzzle, and `making` generates puzzles. The kinds of puzzles are in
`dealing`, `forcing`, `kwartet_puzzles`, `set_puzzles` and `quarto_puzzles`. `boards` renders the
positions of puzzles.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.puzzles.making import KINDS, daily, make
from quaternity.puzzles.puzzle import CheckResult, Puzzle, Step

__all__ = ["KINDS", "CheckResult", "Puzzle", "Step", "daily", "make"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
