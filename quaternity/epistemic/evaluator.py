"""What evaluators share: their protocol, time limits, and what players can tell.

The public information is a deal problem; a *world* is a deal that satisfies it. Two worlds are
indistinguishable for a player iff the player's hand is the same in both, so a player's *information
set* is the public problem with that hand fixed: again a deal problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn, Protocol, TypeAlias

import quaternity.base.deadline
from quaternity.base.errors import InputError, LimitError
from quaternity.base.plain_values import entries, iterated, takes
from quaternity.epistemic.formula import Formula
from solvers.problem import DealProblem
from solvers.verdict import Deal, deal_faults

Said: TypeAlias = tuple[Formula, ...]
"""What was announced so far, in order; each is understood after those before it."""


class Evaluator(Protocol):
    """Answers questions about the deals of one public problem.

    Every method takes what was announced before, and deals in which all of it was true.
    """

    @property
    def problem(self) -> DealProblem:
        """The public information."""

    def truth(self, formula: Formula, deal: Deal, earlier: Said = ()) -> bool:
        """Return whether a formula is true at a deal."""

    def counterexample(
        self, players: Sequence[int], formula: Formula, deal: Deal, earlier: Said = ()
    ) -> Deal | None:
        """Return a deal with the same hands of some players where a formula is false."""

    def public_counterexample(self, formula: Formula, earlier: Said = ()) -> Deal | None:
        """Return a public deal where a formula is false."""

    def way_to_failure(
        self, formula: Formula, deal: Deal, earlier: Said = (), players: tuple[int, ...] = ()
    ) -> list[Deal]:
        """Give a shortest chain of deals, from a deal to one where a formula is false, or nothing.

        Some named player, or anybody if none is named, cannot tell a deal from the one before.
        """


Check: TypeAlias = Callable[[], object]
"""What long work calls now and then, such as `Deadline.left`; it may end the work by raising."""


def no_check() -> None:
    """Let everything go on: a `Check` without a limit."""


class Undecided(LimitError):
    """A formula was neither shown true nor shown false within the limits. Never a guess."""


class Deadline(quaternity.base.deadline.Deadline):
    """A moment by which an answer is wanted, else it is undecided."""

    __slots__ = ()

    def reached(self) -> NoReturn:
        """Raise `Undecided`."""
        raise Undecided(out_of_time(self.seconds))


def out_of_time(seconds: float) -> str:
    """Return why something is undecided, and what would decide it."""
    return (
        f"undecided: the time limit of {seconds:g} s was reached; more time, or a later moment "
        "with fewer possible deals, may decide it"
    )


@takes(problem=DealProblem, deal=Deal)
def information_set(problem: DealProblem, deal: Deal, players: Iterable[int]) -> DealProblem:
    """Return the deals that some players, laying their hands together, cannot tell from this one.

    With one player that is the player's information set; with none, the problem itself.
    Cost: cards.
    """
    for player in iterated(players, "players"):
        hand = [
            sum(1 << number for number, who in enumerate(owner) if who == player)
            for owner in deal.owner
        ]
        problem = problem.seen_by(player, hand)
    return problem


def same_hands(first: Deal, second: Deal, players: Iterable[int]) -> bool:
    """Return whether all these players hold the same cards in both deals."""
    return all(first.hand(player) == second.hand(player) for player in players)


def checked_deal(problem: DealProblem, owner: Deal | Sequence[Sequence[int]]) -> Deal:
    """Return a deal, held against the public problem.

    Raises:
        InputError: it is not one of the problem's deals; the message says everything that is wrong.
    """
    if isinstance(owner, Deal):
        deal = owner
    else:
        sets = enumerate(entries(owner, "deal"))
        deal = Deal(tuple([entries(cards, f"deal[{index}]") for index, cards in sets]))
    faults = deal_faults(problem, deal.owner)
    if faults:
        raise InputError(f"the deal does not fit the public record: {'; '.join(faults)}")
    return deal
