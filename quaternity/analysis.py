"""Everything a state implies at once: who may own what, counts, the number of deals, chances."""

from __future__ import annotations

from dataclasses import dataclass

from quaternity.faults import why_impossible
from quaternity.state import State
from solvers.counting import exact_chances
from solvers.errors import NoDeal
from solvers.problem import DealProblem, SetConstraint, players_in


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a possible state implies.

    Attributes:
        deals: number of deals that fit.
        chances: `[set][card][player]`, all deals being equally likely. 0.0 and 1.0 are exact.
        counts: `[player][set]`, the fewest and the most cards of the set the player can hold.
        may_own: `[set][card]`, the players who own the card in some deal.

    A completed set's cards belong to its owner; in hands it has no cards.
    """

    deals: int
    chances: list[list[list[float]]]
    counts: list[list[tuple[int, int]]]
    may_own: list[list[tuple[int, ...]]]


def analyse(state: State) -> Analysis:
    """Find out everything a state implies.

    Raises:
        NoDeal: the state is impossible.
        LimitError: counting is above the limits of `solvers.counting`.
    """
    reason = why_impossible(state.problem)
    if reason is not None:
        raise NoDeal(reason[1])
    closed = state.closed()
    # Tight bounds that say nothing new would only slow the counting down.
    counted = exact_chances(
        DealProblem.trusted(
            state.hands,
            tuple(
                SetConstraint.trusted(tight.owners, given.low, given.high)
                for tight, given in zip(closed.sets, state.problem.sets, strict=True)
            ),
        )
    )
    in_play = counted.floats()
    chances, may_own = [], []
    for index, owner in enumerate(state.completed):
        if owner is None:
            chances.append(in_play[index])
            may_own.append([players_in(mask) for mask in closed.sets[index].owners])
        else:
            certain = [float(player == owner) for player in range(state.players)]
            chances.append([certain] * state.set_size)
            may_own.append([(owner,)] * state.set_size)
    counts = [
        [(one.low[player], one.high[player]) for one in closed.sets]
        for player in range(state.players)
    ]
    return Analysis(counted.deals, chances, counts, may_own)


__all__ = ["Analysis", "analyse"]
