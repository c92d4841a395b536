"""Interface of formula evaluators, their time limits, and the deals that players consider possible.

The public information is a deal problem. Each deal that satisfies it is a *world*. A player cannot
distinguish two worlds in which the player has the same hand. The worlds that a player considers
possible are the player's *information set*: the worlds in which the player has the actual hand.
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
"""The public announcements so far, in order. Each is a formula that is evaluated after the
announcements before it."""


class Evaluator(Protocol):
    """Protocol for evaluators, which decide whether formulas are true in possible deals.

    The argument `earlier` of the methods contains the announcements made before the formula is
    evaluated. If a method gets a deal, these announcements must be true in it.
    """

    @property
    def problem(self) -> DealProblem:
        """The deal problem that contains the public information."""

    def truth(self, formula: Formula, deal: Deal, earlier: Announcements = ()) -> bool:
        """Return whether a formula is true in a deal."""

    def counterexample(
        self, players: Sequence[int], formula: Formula, deal: Deal, earlier: Announcements = ()
    ) -> Deal | None:
        """Return a deal in which a formula is false and the players' hands are as in `deal`.

        It shows that these players do not know the formula, even together. Return None if there is
        no such deal.
        """

    def public_counterexample(self, formula: Formula, earlier: Announcements = ()) -> Deal | None:
        """Return a deal that fits the public information and in which a formula is false.

        Return None if there is no such deal.
        """

    def counterexample_path(
        self,
        formula: Formula,
        deal: Deal,
        earlier: Announcements = (),
        players: tuple[int, ...] = (),
    ) -> list[Deal]:
        """Return a shortest chain from `deal` to a deal where a formula is false.

        The chain shows that the formula is not common knowledge. Each deal of a chain looks the
        same as the next one to at least one of the `players`. By default, these are all players.
        The list is empty if there is no such chain.
        """


Check: TypeAlias = Callable[[], object]
"""Function that long computations call regularly. It may raise an exception to stop them,
as `Deadline.remaining` does."""


def no_check() -> None:
    """Do nothing. This function serves as a `Check` if there is no limit."""


class Undecided(LimitError):
    """Error for a formula that is neither proved nor refuted within the limits."""


class Deadline(quaternity.base.deadline.Deadline):
    """Time limit of an evaluation, which raises `Undecided` when the time is up."""

    __slots__ = ()

    def raise_timeout(self) -> NoReturn:
        """Raise `Undecided`."""
        raise Undecided(out_of_time(self.seconds))


def out_of_time(seconds: float) -> str:
    """Return the message for a reached time limit, with advice on what to try instead."""
    return (
        f"undecided: the time limit of {seconds:g} s was reached; allow more time, or ask later in "
        "the game, when fewer deals are possible"
    )


@validate_arguments(problem=DealProblem, deal=Deal)
def information_set(problem: DealProblem, deal: Deal, players: Iterable[int]) -> DealProblem:
    """Return a problem with all deals in which these players have the same hands as in `deal`.

    If `players` is a single player, these are the deals that the player considers possible. If it
    is empty, the result is the problem itself.
    """
    for player in as_iterator(players, "players"):
        hand = [
            sum(1 << number for number, holder in enumerate(owner) if holder == player)
            for owner in deal.owner
        ]
        problem = problem.with_hand(player, hand)
    return problem


def same_hands(first: Deal, second: Deal, players: Iterable[int]) -> bool:
    """Return whether each of the given players holds the same cards in both deals."""
    return all(first.hand(player) == second.hand(player) for player in players)


def validate_deal(problem: DealProblem, owner: Deal | Sequence[Sequence[int]]) -> Deal:
    """Return the given card owners as a `Deal`, after checking that they satisfy the deal problem.

    Raise `InputError` if the deal does not satisfy the problem. The message lists all violations.
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
