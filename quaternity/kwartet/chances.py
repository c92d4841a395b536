"""How likely each player is to own each card, as a seat sees it, and how many deals are possible.

Exact where that is quick.
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
from solvers.filtering import closed
from solvers.problem import DealProblem, players_in
from solvers.residue import residue

if TYPE_CHECKING:
    from fractions import Fraction

FEW_PLAYERS = 5
"""Maximum number of players for which counting always takes only milliseconds."""

MAX_LANES = 16_000
"""Maximum number of exponent vectors in a count with more players; a count takes about 0.1 s."""

ROUNDS = 40
"""Rounds of proportional fitting; they settle to about a thousandth."""


class OwnerWeights(NamedTuple):
    """Weights `owned[set][card][player]`; a weight divided by the total of a card's is the chance.

    They are numbers of deals if `exact`, else estimates (see `estimated`).
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
    return estimated(closed(problem))


def _is_quick(problem: DealProblem) -> bool:
    residual = residue(problem)
    return residual is None or Product(residual).lanes.lanes <= MAX_LANES


def chance_of(view: View, question: Question) -> Fraction:
    """Return the exact chance that a request succeeds; LimitError above the limits of counting."""
    return exact_chances(view.problem).chance(*question.card, question.asked)


def estimated(problem: DealProblem) -> OwnerWeights:
    """Estimate chances by iterative proportional fitting (Deming and Stephan, 1940).

    Every card's chances add up to 1, every player's to the hand, and nobody outside `owners` has
    any; among such tables it is the one of greatest entropy that starts from equal chances. The
    bounds of sets count only in so far as `owners` shows them (`solvers.filtering.closed`).
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
    """Return how a card of some owners is shared out in proportion to the players' scales."""
    owners = players_in(mask)
    whole = sum([scale[player] for player in owners])
    if not whole:
        return dict.fromkeys(owners, 1 / len(owners))
    return {player: scale[player] / whole for player in owners}


def worlds_of(problem: DealProblem) -> int | None:
    """Return the number of deals that are possible; None above the limits of counting.

    Milliseconds for four players, seconds for six.
    """
    try:
        return count_deals(problem)
    except LimitError:
        return None


def log10_worlds(problem: DealProblem) -> float:
    """Return the decimal logarithm of the number of deals; LimitError as counting."""
    return log10(count_deals(problem))
