"""The two meanings of a good three of cards, and the two numbers that tell them apart."""

from __future__ import annotations

from enum import StrEnum

from quaternity.errors import InputError


class Rule(StrEnum):
    """When three different cards belong together.

    `TRIPLE`: any two of the three differ in **all four** attributes (a *correct triple*). There
    are 216, and 8 through each card.

    `SET`: in each attribute the three are all alike or all different (the game's SET). There are
    1080, and 40 through each card. Every correct triple is a SET.

    >>> Rule("set") is Rule.SET
    True
    >>> Rule("pair")
    Traceback (most recent call last):
        ...
    solvers.errors.InputError: no rule 'pair'; there are triple, set
    """

    TRIPLE = "triple"
    SET = "set"

    @classmethod
    def _missing_(cls, value: object) -> Rule:
        raise InputError(f"no rule {value!r}; there are {', '.join(cls)}")

    @property
    def three(self) -> str:
        """What one three of cards is called under this rule."""
        return "triple" if self is Rule.TRIPLE else "SET"


__all__ = ["Rule"]
