"""The protocol of evaluators, their time limits, and the information sets of players.

The public information is a deal problem; each deal that satisfies it is a *world*. Two worlds are
indistinguishable for a player iff the player's hand is the same in both. So a player's *information
set*, the public problem with that hand fixed, is again a deal problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn, Protocol, TypeAlias

import quaternity.base.deadline
from quaternity.base.errors import InputError, LimitError
from quaternity.base.validation import as_iterator, as_tuple, validate_arguments
from quaternity.epistemic.formula import Formula
from solvers.problem import DealProblem
from solvers.verdict import Deal, deal_faults

Announcements: TypeAlias = tuple[Formula, ...]
"""The announcements so far, in order; each one is interpreted after the previous ones."""


class Evaluator(Protocol):
    """Interface of model checkers for the deals of one public problem.

    Every method takes the earlier announcements, and deals in which all of them were true.
    """

    @property
    def problem(self) -> DealProblem:
        """The public information."""

    def truth(self, formula: Formula, deal: Deal, earlier: Announcements = ()) -> bool:
        """Return whether a formula is true at a deal."""

    def counterexample(
        self, players: Sequence[int], formula: Formula, deal: Deal, earlier: Announcements = ()
    ) -> Deal | None:
        """Return a deal with the same hands of some players where a formula is false, or None."""

    def public_counterexample(self, formula: Formula, earlier: Announcements = ()) -> Deal | None:
        """Return a public deal where a formula is false, or None."""

    def counterexample_path(
        self,
        formula: Formula,
        deal: Deal,
        earlier: Announcements = (),
        players: tuple[int, ...] = (),
    ) -> list[Deal]:
        """Return a shortest chain from a deal to one where a formula is false, or an empty list.

        Each deal of the chain is indistinguishable from the previous one for one of the given
        players, or for any player if none are given.
        """


Check: TypeAlias = Callable[[], object]
"""A function that long computations call regularly, such as `Deadline.remaining`; it may raise to
stop them."""


def no_check() -> None:
    """Do nothing: a `Check` without a limit."""


class Undecided(LimitError):
    """Raised if a formula is neither proved nor refuted within the limits; never a guess."""


class Deadline(quaternity.base.deadline.Deadline):
    """The time limit of an evaluation, which is `Undecided` after it."""

    __slots__ = ()

    def raise_timeout(self) -> NoReturn:
        """Raise `Undecided`."""
        raise Undecided(out_of_time(self.seconds))


def out_of_time(seconds: float) -> str:
    """Return the message that the time limit was reached, and what may decide the question."""
    return (
        f"undecided: the time limit of {seconds:g} s was reached; more time, or a later moment "
        "with fewer possible deals, may decide it"
    )


@validate_arguments(problem=DealProblem, deal=Deal)
def information_set(problem: DealProblem, deal: Deal, players: Iterable[int]) -> DealProblem:
    """Return the deals that agree with this one in the hands of some players.

    For one player, this is the player's information set; for none, it is the problem itself. Cost:
    cards.
    """
    for player in as_iterator(players, "players"):
        hand = [
            sum(1 << number for number, holder in enumerate(owner) if holder == player)
            for owner in deal.owner
        ]
        problem = problem.with_hand(player, hand)
    return problem


def same_hands(first: Deal, second: Deal, players: Iterable[int]) -> bool:
    """Return whether all these players hold the same cards in both deals."""
    return all(first.hand(player) == second.hand(player) for player in players)


def validate_deal(problem: DealProblem, owner: Deal | Sequence[Sequence[int]]) -> Deal:
    """Return a deal after checking that it satisfies the public problem.

    Raises:
        InputError: If it is not one of the problem's deals; the message lists everything that is
            wrong.
    """
    if isinstance(owner, Deal):
        deal = owner
    else:
        sets = enumerate(as_tuple(owner, "deal"))
        deal = Deal(tuple([as_tuple(cards, f"deal[{index}]") for index, cards in sets]))
    faults = deal_faults(problem, deal.owner)
    if faults:
        raise InputError(f"the deal does not fit the public record: {'; '.join(faults)}")
    return deal
