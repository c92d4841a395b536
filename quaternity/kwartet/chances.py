"""Probabilities that a player owns a card, given what a seat knows, and counts of possible deals.

The probabilities are exact if the deals can be counted quickly. Otherwise they are estimates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING, NamedTuple

from quaternity.base.errors import LimitError
from quaternity.game.question import Question
from quaternity.kwartet.view import View
from solvers.counting import count_deals, exact_chances
from solvers.factor_product import Product
from solvers.filtering import filter_problem
from solvers.problem import DealProblem, players_in
from solvers.reduced_problem import reduce_problem

if TYPE_CHECKING:
    from fractions import Fraction

FEW_PLAYERS = 5
"""Maximum number of players for which deals can always be counted in milliseconds."""

MAX_LANES = 16_000
"""Maximum number of terms of the polynomials with which deals are counted, if there are more than
`FEW_PLAYERS` players. Larger problems are estimated. At the limit, counting takes about 0.1 s."""

ROUNDS = 40
"""Number of rounds of iterative proportional fitting. After them, the sums of the estimated
probabilities are exact to about 0.001."""


class OwnerWeights(NamedTuple):
    """Numbers that say how likely it is that each player owns each card.

    `owned[set][card][player]`, divided by `total`, is the probability that the player owns the
    card. If `exact` is true, these are numbers of deals. Otherwise they are estimates.
    """

    total: float
    owned: Sequence[Sequence[Sequence[float]]]
    exact: bool


def owner_weights(problem: DealProblem) -> OwnerWeights:
    """Return how likely it is that each player owns each card, if all deals are equally likely.

    At least one deal must satisfy `problem`. The result is exact if the deals can be counted
    quickly. Otherwise it is an estimate.
    """
    try:
        if problem.players <= FEW_PLAYERS or _is_quick(problem):
            counted = exact_chances(problem)
            return OwnerWeights(counted.deals, counted.owned, exact=True)
    except LimitError:
        pass
    return estimate_weights(filter_problem(problem))


def _is_quick(problem: DealProblem) -> bool:
    residual = reduce_problem(problem)
    return residual is None or Product(residual).lanes.lanes <= MAX_LANES


def chance_of(view: View, question: Question) -> Fraction:
    """Return the exact probability that a request succeeds, given what its asker sees.

    Raise `LimitError` if there are too many deals to count.
    """
    return exact_chances(view.problem).chance(*question.card, question.asked)


def estimate_weights(problem: DealProblem) -> OwnerWeights:
    """Return estimates of the probability that each player owns each card.

    For each card, the probabilities add up to 1. For each player, they add up to the number of
    cards in the hand. A player who is not in the `owners` of a card has probability 0. Among all
    such probabilities, the estimate has the maximum entropy. It is found by iterative proportional
    fitting (Deming and Stephan, 1940). The limits on a player's cards of a set are ignored, so
    `filter_problem` should first apply them to `owners`.
    """
    cards: dict[int, int] = {}
    for constraint in problem.sets:
        for mask in constraint.owners:
            cards[mask] = cards.get(mask, 0) + 1
    scale = [float(hand) for hand in problem.hands]
    for _ in range(ROUNDS):
        filled = [0.0] * problem.players
        for mask, number in cards.items():
            for player, chance in _shares(mask, scale).items():
                filled[player] += number * chance
        scale = [
            factor * hand / got if got else 0.0
            for factor, hand, got in zip(scale, problem.hands, filled, strict=True)
        ]
    rows: dict[int, list[float]] = {}
    for mask in cards:
        shares = _shares(mask, scale)
        rows[mask] = [shares.get(player, 0.0) for player in range(problem.players)]
    return OwnerWeights(1.0, [[rows[mask] for mask in c.owners] for c in problem.sets], exact=False)


def _shares(mask: int, scale: Sequence[float]) -> Mapping[int, float]:
    owners = players_in(mask)
    total = sum([scale[player] for player in owners])
    if not total:
        return dict.fromkeys(owners, 1 / len(owners))
    return {player: scale[player] / total for player in owners}


def count_or_none(problem: DealProblem) -> int | None:
    """Return the number of possible deals, or None if there are too many to count.

    Counting takes milliseconds for four players and seconds for six.
    """
    try:
        return count_deals(problem)
    except LimitError:
        return None


def log10_deals(problem: DealProblem) -> float:
    """Return the decimal logarithm of the number of deals. Raise the errors of `count_deals`."""
    return log10(count_deals(problem))
