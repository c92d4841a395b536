"""How a state looks for each player, at exact chances.

All surviving deals count as equally likely. A player's prospects are a point for each completed
set, for a set in play the square of the share of it that he can expect to hold, and a little for
being on turn. So cards of one set are worth more together, and what a player might still hold is
worth something until it is ruled out.
"""

from __future__ import annotations

from quaternity.play.coding import Coding, Key
from solvers.counting import chances
from solvers.problem import DealProblem

TURN = 0.25
"""What being on turn is worth, in completed sets."""


def prospects(code: Coding, key: Key) -> tuple[float, ...]:
    """The prospects of every role in a canonical state.

    Cost: one count of the deals, a tenth of a millisecond in small games.
    """
    parts = code.parts(key)
    values = [float(points) for points in parts.points]
    if not parts.kinds:
        return tuple(values)
    sets = [code.book.numbered(number).constraint for number in parts.kinds]
    size = code.rules.set_size
    for one in chances(DealProblem(parts.hands, sets)):
        for role in range(len(values)):
            share = sum([card[role] for card in one]) / size
            values[role] += share * share
    if parts.place < len(values):
        values[0] += TURN
    return tuple(values)


__all__ = ["TURN", "prospects"]
