"""Programs that play SET: they see every three, and take their time."""

from __future__ import annotations

import math
from random import Random

from quaternity.base.errors import InputError
from quaternity.ternary.rules import MORE, SetMove, SetRules, SetView

QUICK, SLOW = 4.0, 12.0
"""Seconds that `quick` and `slow` take for a move in the mean."""


class Finder:
    """Claims a three when there is one, else agrees to more cards, after a time drawn by chance."""

    def __init__(self, mean: float) -> None:
        self.mean = mean

    def choose(self, view: SetView, random: Random) -> SetMove | None:
        """Return a right claim, or agreement; None when it has agreed already."""
        threes = view.threes
        if threes:
            return SetMove(random.choice(threes))
        return None if view.seat in view.agreed or not view.undealt else MORE

    def delay(self, view: SetView, random: Random) -> float:
        """Seconds: exponential, and the longer the fewer threes there are.

        Where all others have given up looking and wait for it, a tenth of that.
        """
        hurry = 10 if 0 < len(view.agreed - {view.seat}) == len(view.taken) - 1 else 1
        seconds = random.expovariate(1 / self.mean) / math.sqrt(max(1, len(view.threes)))
        return seconds / hurry


def quick(rules: SetRules) -> Finder:
    """Return the player `quick`."""
    del rules
    return Finder(QUICK)


def slow(rules: SetRules, argument: str | None) -> Finder:
    """Return the player `slow`, or `slow:20` for twenty seconds in the mean."""
    del rules
    try:
        seconds = SLOW if argument is None else float(argument)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 3600:
        raise InputError(f"player 'slow:{argument}': the seconds are above 0 and at most 3600")
    return Finder(seconds)
