"""Chances that each player owns each card, as a seat sees them, and numbers of possible deals.

The chances are exact if counting is quick, and estimates otherwise.
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
"""Maximum number of players for which counting always takes only milliseconds."""

MAX_LANES = 16_000
"""Maximum number of exponent vectors in a count with more players. A count takes about 0.1 s."""

ROUNDS = 40
"""Number of rounds of proportional fitting. After them, the chances are exact to about 0.001."""


class OwnerWeights(NamedTuple):
    """Weights `owned[set][card][player]`. A weight divided by `total` is a chance.

    The weights are numbers of deals if `exact`, else estimates (see `estimate_weights`).
    """

    total: float
    owned: Sequence[Sequence[Sequence[float]]]
    exact: bool


def owner_weights(problem: DealProblem) -> OwnerWeights:
    """Return the weights of a feasible problem: exact within the limits above, else estimates."""
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
    """Return the exact chance of a yes, or raise LimitError above the limits of counting."""
    return exact_chances(view.problem).chance(*question.card, question.asked)


def estimate_weights(problem: DealProblem) -> OwnerWeights:
    """Estimate chances by iterative proportional fitting (Deming and Stephan, 1940).

    The chances of each card add up to 1, those of each player to the size of the hand, and a player
    who is not in the `owners` of a card has chance 0. Starting from equal chances, the fitting
    finds the table of maximum entropy with these properties. The bounds of sets count only as far
    as they restrict `owners` (`solvers.filtering.filter_problem`).
    Cost: `ROUNDS` x (distinct owner masks) x players.
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
    """Return each owner's share of a card, in proportion to the players' scales."""
    owners = players_in(mask)
    total = sum([scale[player] for player in owners])
    if not total:
        return dict.fromkeys(owners, 1 / len(owners))
    return {player: scale[player] / total for player in owners}


def count_or_none(problem: DealProblem) -> int | None:
    """Return the number of possible deals, or None above the limits of counting.

    Counting takes milliseconds for four players and seconds for six.
    """
    try:
        return count_deals(problem)
    except LimitError:
        return None


def log10_deals(problem: DealProblem) -> float:
    """Return the decimal logarithm of the number of deals; raise LimitError as `count_deals`."""
    return log10(count_deals(problem))
