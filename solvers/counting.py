"""Exact numbers: of all deals, and of the deals in which a player owns a card.

Sets meet only in the hand sizes. For one set, list its count vectors (k_0 … k_{P-1}) with the
number of ways to reach each; the number of deals is the coefficient of x0^h0 x1^h1 … in the product
over sets (see `solvers.factor_product`). General counting is #P-hard (a permanent); this is
polynomial for a fixed number of players.

Memory grows with the product of the hand sizes of all players but one: a few polynomials of (that
product) x (bits of the number of deals), after `solvers.residue` took away what is certain.
Everything here raises `LimitError` when one polynomial is above `solvers.factor_product.MAX_BYTES`,
the work above its `MAX_WORK`, or the count vectors of one set above
`solvers.set_ways.MAX_VECTORS`; the message says what it would take.

>>> from solvers import DealProblem, SetConstraint
>>> cards = [SetConstraint.of([[0, 1, 2, 3]] * 4, players=4)] * 13
>>> count_deals(DealProblem([13] * 4, cards))
53644737765488792839237440000
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nextafter
from operator import add, gt, lt, mul
from typing import TYPE_CHECKING

from quaternity.base.deadline import Deadline
from quaternity.base.errors import InputError, NoDeal
from quaternity.base.plain_values import iterated, numbered, takes
from quaternity.base.wording import shown
from solvers.factor_product import MAX_WORK, laid_out
from solvers.problem import DealProblem, SetConstraint
from solvers.residue import Part, part_of
from solvers.set_ways import SetWays, Vector

if TYPE_CHECKING:
    from fractions import Fraction


_MIN_CHANCE, _MAX_CHANCE = nextafter(0.0, 1.0), nextafter(1.0, 0.0)
"""Minimum and maximum of a chance that is neither 0 nor 1: the floats next to 0.0 and 1.0."""


@dataclass(frozen=True, slots=True)
class Chances:
    """The number of deals in which each player owns each card.

    `deals` is 0 for an infeasible problem. `owned[set][card][player]` adds up to `deals` in each
    row.
    """

    deals: int
    owned: tuple[tuple[tuple[int, ...], ...], ...]

    def chance(self, set_index: int, card: int, player: int) -> Fraction:
        """Return the exact chance that a player owns a card, all deals being equally likely.

        Raises:
            NoDeal: there is no deal, as `floats` does.
            InputError: no such set, card or player.
        """
        if not self.deals:
            raise NoDeal("no deal satisfies the problem, so nothing has a chance")
        from fractions import Fraction

        cards = self.owned[numbered(set_index, len(self.owned), "set")]
        row = cards[numbered(card, len(cards), "card")]
        return Fraction(row[numbered(player, len(row), "player")], self.deals)

    def floats(self) -> list[list[list[float]]]:
        """Return all chances `[set][card][player]`, each the float nearest to the exact value.

        0.0 and 1.0 are exact: a chance that would only round to one of them becomes the float next
        to it. Equal rows may be one list: treat them as read-only.
        """
        deals = self.deals
        if not deals:
            raise NoDeal("no deal satisfies the problem, so nothing has a chance")
        rows: dict[int, list[float]] = {}
        result = []
        for cards in self.owned:
            chances = []
            for row in cards:
                # Cards alike share one tuple, and so one division per player.
                floats = rows.get(id(row))
                if floats is None:
                    floats = rows[id(row)] = [_float(number, deals) for number in row]
                chances.append(floats)
            result.append(chances)
        return result


def _float(number: int, deals: int) -> float:
    """Divide to the nearest float; give 0.0 and 1.0 only where they are exact."""
    if 0 < number < deals:
        return min(max(number / deals, _MIN_CHANCE), _MAX_CHANCE)
    return float(number == deals)


@takes(problem=DealProblem, most_work=int)
def count_deals(
    problem: DealProblem, most_work: int = MAX_WORK, *, seconds: float | None = None
) -> int:
    """Return the exact number of deals; 0 iff the problem is infeasible.

    Cost: one shift and one addition of a polynomial per count vector of a set whose bounds
    matter, and per possible owner of every other open card. `most_work` limits the bytes that
    additions touch; 10**9 take a second or two.

    Raises:
        LimitError: see the module.
        SolverTimeout: the time limit was reached.
    """
    layout = laid_out(problem, most_work=most_work, seconds=seconds)
    return 0 if layout is None else layout[1].count()


@takes(problem=DealProblem)
def exact_chances(problem: DealProblem, *, seconds: float | None = None) -> Chances:
    """Count the deals in which each player owns each card, for all cards at once.

    Cost: about log2(number of distinct factors) times that of `count_deals`. Raises as that.
    """
    nothing = (0,) * problem.players
    layout = laid_out(problem, seconds=seconds)
    deals = 0
    if layout is not None:
        residue, product = layout
        befores = product.befores()
        # Every factor's numbers add up to all deals; without a factor there is just one deal.
        deals = next((sum(map(mul, befores[factor], factor.weights)) for factor in befores), 1)
    if layout is None or not deals:
        return Chances(0, tuple((nothing,) * constraint.size for constraint in problem.sets))
    certain = [
        tuple([deals * (player == owner) for player in range(problem.players)])
        for owner in range(problem.players)
    ]
    rows = {factor: _rows(factor, before, product.deadline) for factor, before in befores.items()}
    return Chances(deals, tuple(_owned(part, certain, rows) for part in residue.parts))


def _rows(factor: SetWays, before: list[int], deadline: Deadline) -> dict[int, tuple[int, ...]]:
    """Return per owner mask of a factor, in how many deals each player owns such a card."""
    players = range(len(factor.base))
    return {
        mask: tuple(
            [sum(map(mul, before, by[player])) if player in by else 0 for player in players]
        )
        for mask, by in factor.card_weights(deadline).items()
    }


def _owned(
    part: Part,
    certain: list[tuple[int, ...]],
    rows: Mapping[SetWays, Mapping[int, tuple[int, ...]]],
) -> tuple[tuple[int, ...], ...]:
    cards = part.cards
    return tuple(
        [
            certain[owner] if owner >= 0 else rows[part.whole or part.singles[mask]][mask]
            for owner, mask in zip(cards.owner, cards.masks, strict=True)
        ]
    )


@takes(problem=DealProblem)
def chances(problem: DealProblem, *, seconds: float | None = None) -> list[list[list[float]]]:
    """Return the chance `[set][card][player]` that the player owns the card.

    All deals are equally likely. Values, cost and errors are those of `exact_chances` and
    `Chances.floats`.

    >>> from solvers import SetConstraint
    >>> chances(DealProblem([2, 1], [SetConstraint.of([[0, 1], [0, 1], [0]], players=2)]))
    [[[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]]
    """
    return exact_chances(problem, seconds=seconds).floats()


@takes(problem=DealProblem)
def count_vector_distribution(
    problem: DealProblem, set_index: int, *, seconds: float | None = None
) -> dict[Vector, int]:
    """Count the deals per count vector of one set (cards of it per player).

    Vectors without a deal are left out, so an infeasible problem gives an empty dictionary.
    Cost and limits: as `count_deals`.
    """
    by_vector = _by_vector(problem, set_index, seconds)
    return {vector: ways * others for vector, (ways, others) in by_vector.items() if others}


def _by_vector(
    problem: DealProblem, set_index: int, seconds: float | None
) -> dict[Vector, tuple[int, int]]:
    """Return per count vector of one set its own deals, and those of the other sets."""
    set_index = numbered(set_index, len(problem.sets), "set")
    layout = laid_out(problem, keep=set_index, seconds=seconds)
    if layout is None:
        return {}
    residue, product = layout
    part = residue.parts[set_index]
    if part.whole is None:
        return {part.cards.certain: (1, product.count())}
    others = product.before(part.whole)
    return {
        vector: (ways, number)
        for (vector, ways), number in zip(_ways(part).items(), others, strict=True)
    }


def _ways(part: Part) -> dict[Vector, int]:
    """Return per count vector of a part that is kept whole, the deals of the set that have it."""
    certain, whole = part.cards.certain, part.whole
    if whole is None:
        return {certain: 1}
    surely = [a + b for a, b in zip(certain, whole.base, strict=True)]
    return {
        tuple(map(add, surely, vector)): weight
        for vector, weight in zip(whole.vectors, whole.weights, strict=True)
    }


@takes(problem=DealProblem)
def count_deals_given(
    problem: DealProblem,
    set_index: int,
    narrower: Iterable[SetConstraint],
    *,
    seconds: float | None = None,
) -> list[int]:
    """Count the deals with each of some narrower constraints in the place of one set's own.

    Cost: one count of the problem, and the count vectors of every constraint.

    Raises:
        InputError: there is no such set, or a constraint allows what its own does not.
        LimitError: see the module.

    >>> from solvers import SetConstraint
    >>> pair = SetConstraint.of([[0, 1], [0, 1]], players=2)
    >>> known = SetConstraint.of([[0], [0, 1]], players=2)
    >>> count_deals_given(DealProblem([2, 2], [pair, pair]), 0, [pair, known])
    [6, 3]
    """
    by_vector = _by_vector(problem, set_index, seconds)
    own = problem.sets[set_index]
    numbers = []
    for constraint in iterated(narrower, "narrower"):
        if not isinstance(constraint, SetConstraint):
            raise InputError(f"narrower: {shown(constraint)} is not a SetConstraint")
        if (
            len(constraint.owners) != len(own.owners)
            or any(mask & ~most for mask, most in zip(constraint.owners, own.owners, strict=True))
            or any(map(lt, constraint.low, own.low))
            or any(map(gt, constraint.high, own.high))
        ):
            raise InputError(f"{constraint} allows more than set {set_index}: {own}")
        part = part_of(constraint, 0, keep=True)
        ways = {} if part is None else _ways(part)
        # A vector that is missing cannot be had by all the sets together.
        numbers.append(
            sum(number * by_vector[vector][1] for vector, number in ways.items()
                if vector in by_vector)
        )  # fmt: skip
    return numbers


@takes(problem=DealProblem)
def count_distribution(
    problem: DealProblem, player: int, set_index: int, *, seconds: float | None = None
) -> dict[int, int]:
    """Count the deals per number of cards of one set that a player may hold.

    Numbers ascend; those without a deal are left out. Cost and limits: as `count_deals`.

    >>> from solvers import SetConstraint
    >>> pair = SetConstraint.of([[0, 1], [0, 1]], players=2)
    >>> count_distribution(DealProblem([2, 2], [pair, pair]), player=0, set_index=1)
    {0: 1, 1: 4, 2: 1}
    """
    player = numbered(player, problem.players, "player")
    numbers: dict[int, int] = {}
    for vector, deals in count_vector_distribution(problem, set_index, seconds=seconds).items():
        numbers[vector[player]] = numbers.get(vector[player], 0) + deals
    return dict(sorted(numbers.items()))
