"""Computer players for SET, which find a right claim at once but wait before they make it."""

from __future__ import annotations

import math
from random import Random

from quaternity.base.errors import InputError
from quaternity.ternary.rules import MORE, SetMove, SetRules, SetView

QUICK, SLOW = 4.0, 12.0
"""Average time for a move of the players `quick` and `slow`, in seconds."""


class Finder:
    """A player of SET who claims three cards that belong together, after a delay.

    If no such cards are on the table, the player agrees to more cards.
    """

    def __init__(self, mean: float) -> None:
        self.mean = mean

    def choose(self, view: SetView, random: Random) -> SetMove | None:
        """Return a right claim, an agreement to more cards, or None to wait."""
        threes = view.threes
        if threes:
            return SetMove(random.choice(threes))
        return None if view.seat in view.agreed or not view.undealt else MORE

    def delay(self, view: SetView, random: Random) -> float:
        """Return a random time until the move, in seconds.

        The fewer right claims there are, the longer it is on average. If all other seats have
        agreed to more cards, it is ten times shorter.
        """
        hurry = 10 if 0 < len(view.agreed - {view.seat}) == len(view.taken) - 1 else 1
        seconds = random.expovariate(1 / self.mean) / math.sqrt(max(1, len(view.threes)))
        return seconds / hurry


def quick(rules: SetRules) -> Finder:
    """Return the player `quick`, which takes a few seconds per move."""
    del rules
    return Finder(QUICK)


def slow(rules: SetRules, argument: str | None) -> Finder:
    """Return the player `slow`. For example, `slow:20` takes 20 seconds per move on average."""
    del rules
    try:
        seconds = SLOW if argument is None else float(argument)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 3600:
        raise InputError(f"player 'slow:{argument}': the number of seconds must be > 0 and <= 3600")
    return Finder(seconds)
