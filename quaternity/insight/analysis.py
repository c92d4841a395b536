"""Everything a state implies at once: who may own what, counts, the number of deals, chances."""

from __future__ import annotations

from dataclasses import dataclass

from quaternity.game.faults import why_impossible
from quaternity.game.state import State
from solvers.counting import exact_chances
from solvers.errors import LimitError, NoDeal
from solvers.problem import DealProblem, SetConstraint, players_in


@dataclass(frozen=True, slots=True)
class Deductions:
    """What a possible state implies, short of counting its deals.

    Attributes:
        counts: `[player][set]`, the fewest and the most cards of the set the player can hold.
        may_own: `[set][card]`, the players who own the card in some deal.

    A completed set's cards belong to its owner; in hands it has no cards.
    """

    counts: list[list[tuple[int, int]]]
    may_own: list[list[tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class Analysis(Deductions):
    """What a possible state implies.

    Attributes:
        deals: number of deals that fit.
        chances: `[set][card][player]`, all deals being equally likely. 0.0 and 1.0 are exact.
    """

    deals: int
    chances: list[list[list[float]]]


class TooManyDeals(LimitError):
    """The deals of a state are above the limits of `solvers.counting`.

    Attributes:
        deductions: what the state implies all the same.
    """

    def __init__(self, reason: LimitError, deductions: Deductions) -> None:
        super().__init__(str(reason))
        self.deductions = deductions


def analyse(state: State, seconds: float | None = None) -> Analysis:
    """Find out everything a state implies.

    Args:
        seconds: a time limit, of the deductions and then of the count; None for none.

    Raises:
        SolverTimeout: the time limit was reached by the deductions.
        NoDeal: the state is impossible.
        TooManyDeals: counting is above the limits of `solvers.counting`, or of time.
        LimitError: so are the deductions above those of `solvers.filtering`.
    """
    reason = why_impossible(state.problem)
    if reason is not None:
        raise NoDeal(reason[1])
    closed = state.closed(seconds)
    deductions = _deductions(state, closed)
    # Tight bounds that say nothing new would only slow the counting down.
    problem = DealProblem.trusted(
        state.hands,
        tuple(
            SetConstraint.trusted(tight.owners, given.low, given.high)
            for tight, given in zip(closed.sets, state.problem.sets, strict=True)
        ),
    )
    try:
        counted = exact_chances(problem, seconds=seconds)
    except LimitError as error:
        raise TooManyDeals(error, deductions) from error
    chances = counted.floats()
    for index, owner in enumerate(state.completed):
        if owner is not None:
            certain = [float(player == owner) for player in range(state.players)]
            chances[index] = [certain] * state.set_size
    return Analysis(deductions.counts, deductions.may_own, counted.deals, chances)


def _deductions(state: State, closed: DealProblem) -> Deductions:
    return Deductions(
        [[(one.low[player], one.high[player]) for one in closed.sets]
         for player in range(state.players)],
        [
            [players_in(mask) for mask in one.owners]
            if owner is None
            else [(owner,)] * state.set_size
            for one, owner in zip(closed.sets, state.completed, strict=True)
        ],
    )  # fmt: skip


__all__ = ["Analysis", "Deductions", "TooManyDeals", "analyse"]
