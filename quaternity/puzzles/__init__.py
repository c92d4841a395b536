"""Puzzles whose answers are certain, made from seeds: `make`, `daily`, `Puzzle`.

`puzzle` is what a puzzle is, `making` makes them; `dealing`, `forcing`, `hidden`, `threes` and
`pieces` have the kinds, and `boards` shows them.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.puzzles.making import KINDS, daily, make
from quaternity.puzzles.puzzle import Checked, Puzzle, Step

__all__ = ["KINDS", "Checked", "Puzzle", "Step", "daily", "make"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
