"""Random deal problems: constraints loosened around a real deal, and spoilt until they miss.

Every choice is a whole number that `choose(least, most)` gives, both ends included: from a seeded
generator (`Random.randint`), quick, or from Hypothesis (`solvers.strategies`), which shrinks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from solvers.problem import DealProblem, SetConstraint

Choose = Callable[[int, int], int]
"""A whole number from the first to the second argument, both included."""


class Sizes(NamedTuple):
    """How large a random problem may be.

    Attributes:
        players, sets, set_size: at most so many; at least one player.
        upper_bounds: False: no upper bound ever matters.
        same_size: at least one set, and all sets of one size of at least 1, as in a game.
    """

    players: int = 4
    sets: int = 3
    set_size: int = 4
    upper_bounds: bool = True
    same_size: bool = False


def loosened(choose: Choose, sizes: Sizes) -> DealProblem:
    """A problem that at least one deal satisfies: constraints loosened around a random deal."""
    players = choose(1, sizes.players)
    if sizes.same_size:
        chosen = [choose(1, sizes.set_size)] * choose(1, sizes.sets)
    else:
        chosen = [choose(0, sizes.set_size) for _ in range(choose(0, sizes.sets))]
    everybody = (1 << players) - 1
    hands = [0] * players
    sets = []
    for size in chosen:
        deal = [choose(0, players - 1) for _ in range(size)]
        owners = tuple(1 << who | choose(0, everybody) for who in deal)
        counts = [deal.count(player) for player in range(players)]
        for player, count in enumerate(counts):
            hands[player] += count
        low = tuple(choose(0, count) for count in counts)
        high = tuple(
            # A bound may also be beyond the set.
            choose(count, size + 1) if sizes.upper_bounds and choose(0, 1) else size
            for count in counts
        )
        sets.append(SetConstraint(owners, low, high))
    return DealProblem(hands, sets)


def spoilt(choose: Choose, sizes: Sizes) -> DealProblem:
    """A feasible problem with a few constraints tightened: most of them infeasible, narrowly."""
    problem = loosened(choose, sizes)
    hands, sets = list(problem.hands), list(problem.sets)
    for _ in range(choose(1, 6)):
        player = choose(0, problem.players - 1)
        index = choose(0, len(sets) - 1) if sets else None
        kinds = ["hands"]
        if index is not None:
            kinds += ["low", "high"] if sizes.upper_bounds else ["low"]
            kinds += ["owner", "owner"] if sets[index].size else []
        kind = kinds[choose(0, len(kinds) - 1)]
        if index is None or kind == "hands":
            giver = choose(0, problem.players - 1)
            if hands[giver]:
                hands[giver] -= 1
            if giver != player or choose(0, 1):
                hands[player] += 1
            continue
        owners, low, high = map(list, sets[index])
        if kind == "low":
            low[player] = choose(low[player], max(low[player], sets[index].size + 1))
        elif kind == "high":
            high[player] = choose(0, high[player])
        else:
            owners[choose(0, len(owners) - 1)] &= ~(1 << player)
        sets[index] = SetConstraint(owners, low, high)
    return DealProblem(hands, sets)


__all__ = ["Choose", "Sizes", "loosened", "spoilt"]
