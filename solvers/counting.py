"""Exact counts of deals: all of them, and those in which a given player owns a given card.

Sets depend on each other only through the hand sizes. A *count vector* k says how many cards of one
set each player gets. Each set is represented by a polynomial with a variable x_p for each player p:
the sum of (number of ways to deal the set) x_0^k_0 x_1^k_1 … over all its count vectors. The number
of deals is the coefficient of x_0^h_0 x_1^h_1 … in the product of these polynomials, where h_p is
the hand size of player p (see `solvers.factor_product`).

Counting is #P-hard in general. This method takes polynomial time for a fixed number of players. The
size of a polynomial is the product of (hand size + 1) over all players but one, multiplied by the
number of bits of the number of deals. All functions raise `LimitError` if a polynomial is larger
than `solvers.factor_product.MAX_BYTES`, if the work exceeds `MAX_WORK` in that module, or if a set
has more count vectors than `solvers.set_counts.MAX_VECTORS`.

The example counts the deals of 52 cards to four players:

>>> from solvers import DealProblem, SetConstraint
>>> cards = [SetConstraint.of([[0, 1, 2, 3]] * 4, players=4)] * 13
>>> count_deals(DealProblem([13] * 4, cards))
53644737765488792839237440000
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nextafter
from operator import add, gt, lt, mul
from typing import TYPE_CHECKING

from quaternity.base.deadline import Deadline
from quaternity.base.errors import InputError, NoDeal
from quaternity.base.picture import Cell, Display, Displayable, heading_cells
from quaternity.base.sentences import PLAIN, Wording
from quaternity.base.text_format import percent, quote_value
from quaternity.base.validation import as_iterator, check_index, validate_arguments
from solvers.factor_product import MAX_WORK, lay_out
from solvers.problem import DealProblem, SetConstraint
from solvers.reduced_problem import Part, part_of
from solvers.set_counts import SetCounts, Vector

if TYPE_CHECKING:
    from fractions import Fraction


_MIN_CHANCE, _MAX_CHANCE = nextafter(0.0, 1.0), nextafter(1.0, 0.0)
"""The floats next to 0.0 and 1.0. They replace probabilities that would be rounded to 0.0 or 1.0
although they are not exactly 0 or 1."""


@dataclass(frozen=True, slots=True)
class Chances(Displayable):
    """The number of deals in which each player owns each card.

    Attributes:
        deals: the number of all deals, which is 0 for an infeasible problem.
        owned: `owned[set][card][player]` is the number of deals in which the player owns the card.
            For each card, these numbers add up to `deals`.
        problem: the problem, which provides the names in `picture`, or None. Comparisons ignore it.

    >>> hearts = SetConstraint.of([[0, 1], [0, 1], [0]], players=2)
    >>> print(exact_chances(DealProblem([2, 1], [hearts])))
             player 0  player 1
    0/0 0/1  50.0%     50.0%
    0/2      100.0%    0.0%
    """

    deals: int
    owned: tuple[tuple[tuple[int, ...], ...], ...]
    problem: DealProblem | None = field(default=None, compare=False, repr=False)

    def picture(self) -> Display:
        """Return a table of the probability that each player owns each card.

        Cards of a set share a row if their probabilities are equal.
        """
        if not self.deals:
            return Display("Impossible: there is no deal")
        words = PLAIN if self.problem is None else self.problem.words
        return chances_picture(self.deals, self.floats(), words)

    def __str__(self) -> str:
        return self.picture().text() if self.deals else "there is no deal"

    def chance(self, set_index: int, card: int, player: int) -> Fraction:
        """Return the exact probability that a player owns a card if all deals are equally likely.

        Raises:
            NoDeal: If there is no deal.
            InputError: If the set, card or player does not exist.
        """
        if not self.deals:
            raise NoDeal("no deal satisfies the problem, so there are no probabilities")
        from fractions import Fraction

        cards = self.owned[check_index(set_index, len(self.owned), "set")]
        row = cards[check_index(card, len(cards), "card")]
        return Fraction(row[check_index(player, len(row), "player")], self.deals)

    def floats(self) -> list[list[list[float]]]:
        """Return all probabilities as `[set][card][player]`, rounded to the nearest float.

        The result is 0.0 or 1.0 only for the exact probabilities 0 and 1. Do not change the lists,
        because cards may share a list.

        Raises:
            NoDeal: If there is no deal.
        """
        deals = self.deals
        if not deals:
            raise NoDeal("no deal satisfies the problem, so there are no probabilities")
        rows: dict[int, list[float]] = {}
        result = []
        for cards in self.owned:
            chances = []
            for row in cards:
                # Equal cards share a tuple, so each division needs to be done only once.
                floats = rows.get(id(row))
                if floats is None:
                    floats = rows[id(row)] = [_float(number, deals) for number in row]
                chances.append(floats)
            result.append(chances)
        return result


def chances_picture(
    deals: int, chances: Sequence[Sequence[Sequence[float | None]]], words: Wording = PLAIN
) -> Display:
    """Return a table of the probability that each player owns each card.

    Cards of a set share a row if their probabilities are equal.

    Args:
        deals: the number of all deals, for the title.
        chances: `chances[set][card][player]` is a probability, or None if it is unknown.
        words: the formatter of the names of players and cards.
    """
    players = len(next((row for cards in chances for row in cards), ()))
    rows = [heading_cells("", *map(words.player, range(players)))]
    for index, cards in enumerate(chances):
        alike: dict[tuple[float | None, ...], list[tuple[int, int]]] = {}
        for card, row in enumerate(cards):
            alike.setdefault(tuple(row), []).append((index, card))
        for row, members in alike.items():
            cells = (
                Cell("?" if chance is None else percent(chance), "sure" if chance == 1 else "")
                for chance in row
            )
            rows.append([*heading_cells(words.hand(members)), *cells])
    return Display(f"The probability that a player owns a card ({deals:,} deals)", (), rows)


def _float(number: int, deals: int) -> float:
    """Return number / deals as a float, which is 0.0 or 1.0 only if the quotient is 0 or 1."""
    if 0 < number < deals:
        return min(max(number / deals, _MIN_CHANCE), _MAX_CHANCE)
    return float(number == deals)


@validate_arguments(problem=DealProblem, max_work=int)
def count_deals(
    problem: DealProblem, max_work: int = MAX_WORK, *, seconds: float | None = None
) -> int:
    """Return the exact number of deals, which is 0 if the problem is infeasible.

    Args:
        max_work: the maximum number of bytes that the additions may process in total. 10**9 bytes
            take one or two seconds.
        seconds: the time limit in seconds, or None for no limit.

    Raises:
        LimitError: If counting exceeds a limit (see the docstring of the module).
        SolverTimeout: If the time limit is reached.
    """
    layout = lay_out(problem, max_work=max_work, seconds=seconds)
    return 0 if layout is None else layout[1].count()


@validate_arguments(problem=DealProblem)
def exact_chances(problem: DealProblem, *, seconds: float | None = None) -> Chances:
    """Return the number of deals in which each player owns each card, for all cards at once.

    The limits and errors are those of `count_deals`. The time is about that of `count_deals` times
    the logarithm of the number of distinct sets.
    """
    zeros = (0,) * problem.players
    layout = lay_out(problem, seconds=seconds)
    deals = 0
    if layout is not None:
        residue, product = layout
        befores = product.all_coefficients_without()
        # Any factor gives the number of all deals. Without factors, there is exactly one deal.
        deals = next((sum(map(mul, befores[factor], factor.weights)) for factor in befores), 1)
    if layout is None or not deals:
        return Chances(0, tuple((zeros,) * constraint.size for constraint in problem.sets), problem)
    certain = [
        tuple([deals * (player == owner) for player in range(problem.players)])
        for owner in range(problem.players)
    ]
    rows = {
        factor: _factor_owner_counts(factor, before, product.deadline)
        for factor, before in befores.items()
    }
    owned = tuple(_set_owner_counts(part, certain, rows) for part in residue.parts)
    return Chances(deals, owned, problem)


def _factor_owner_counts(
    factor: SetCounts, before: list[int], deadline: Deadline
) -> dict[int, tuple[int, ...]]:
    """Return the number of deals in which each player owns a card, for the cards of a factor.

    A factor is a group of cards that are not certain (see `solvers.reduced_problem`). A key of the
    dictionary is the bit mask of the players who may own the card, and its value has a number for
    each player. `before` contains, for each split of the factor, the number of ways to deal the
    other factors.
    """
    players = range(len(factor.base))
    return {
        mask: tuple(
            [
                sum(map(mul, before, by_player[player])) if player in by_player else 0
                for player in players
            ]
        )
        for mask, by_player in factor.card_weights(deadline).items()
    }


def _set_owner_counts(
    part: Part,
    certain: list[tuple[int, ...]],
    rows: Mapping[SetCounts, Mapping[int, tuple[int, ...]]],
) -> tuple[tuple[int, ...], ...]:
    cards = part.cards
    return tuple(
        [
            certain[owner] if owner >= 0 else rows[part.set_factor or part.card_factors[mask]][mask]
            for owner, mask in zip(cards.owner, cards.masks, strict=True)
        ]
    )


@validate_arguments(problem=DealProblem)
def chances(problem: DealProblem, *, seconds: float | None = None) -> list[list[list[float]]]:
    """Return the probability that each player owns each card, as nested lists [set][card][player].

    All deals are taken to be equally likely. The probabilities are rounded as in `Chances.floats`.
    The time and the possible errors are the same as for `exact_chances`.

    >>> from solvers import SetConstraint
    >>> chances(DealProblem([2, 1], [SetConstraint.of([[0, 1], [0, 1], [0]], players=2)]))
    [[[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]]
    """
    return exact_chances(problem, seconds=seconds).floats()


@validate_arguments(problem=DealProblem)
def count_vector_distribution(
    problem: DealProblem, set_index: int, *, seconds: float | None = None
) -> dict[Vector, int]:
    """Count the deals by how many cards of one set each player gets.

    A key of the dictionary has the number of cards for each player, and its value is the number of
    deals. Keys without a deal are omitted. The time and the limits are the same as for
    `count_deals`.
    """
    by_vector = _by_vector(problem, set_index, seconds)
    return {vector: ways * others for vector, (ways, others) in by_vector.items() if others}


def _by_vector(
    problem: DealProblem, set_index: int, seconds: float | None
) -> dict[Vector, tuple[int, int]]:
    """Count the ways to deal one set, and all others, for each split of that set among players.

    The keys of the dictionary say how many cards of the set each player gets. A value is a pair:
    the number of ways to deal the set with this split, and the number of ways to deal the others.
    """
    set_index = check_index(set_index, len(problem.sets), "set")
    layout = lay_out(problem, keep=set_index, seconds=seconds)
    if layout is None:
        return {}
    residue, product = layout
    part = residue.parts[set_index]
    if part.set_factor is None:
        return {part.cards.certain: (1, product.count())}
    others = product.coefficients_without(part.set_factor)
    return {
        vector: (ways, number)
        for (vector, ways), number in zip(_ways(part).items(), others, strict=True)
    }


def _ways(part: Part) -> dict[Vector, int]:
    # The open cards of the set, if any, must be a single factor.
    certain, whole = part.cards.certain, part.set_factor
    if whole is None:
        return {certain: 1}
    minimums = [a + b for a, b in zip(certain, whole.base, strict=True)]
    return {
        tuple(map(add, minimums, vector)): weight
        for vector, weight in zip(whole.vectors, whole.weights, strict=True)
    }


@validate_arguments(problem=DealProblem)
def count_deals_given(
    problem: DealProblem,
    set_index: int,
    narrower: Iterable[SetConstraint],
    *,
    seconds: float | None = None,
) -> list[int]:
    """Return the number of deals after narrowing the constraint of one set, in several ways.

    Each constraint in `narrower` replaces the constraint of the set, and must not allow a deal of
    the set that the original constraint forbids.

    Raises:
        InputError: If the set does not exist, or if a constraint allows more than the original one.
        LimitError: If counting exceeds a limit (see the docstring of the module).
        SolverTimeout: If the time limit is reached.

    >>> from solvers import SetConstraint
    >>> pair = SetConstraint.of([[0, 1], [0, 1]], players=2)
    >>> known = SetConstraint.of([[0], [0, 1]], players=2)
    >>> count_deals_given(DealProblem([2, 2], [pair, pair]), 0, [pair, known])
    [6, 3]
    """
    by_vector = _by_vector(problem, set_index, seconds)
    own = problem.sets[set_index]
    numbers = []
    for constraint in as_iterator(narrower, "narrower"):
        if not isinstance(constraint, SetConstraint):
            raise InputError(f"narrower: {quote_value(constraint)} is not a SetConstraint")
        if (
            len(constraint.owners) != len(own.owners)
            or any(a & ~b for a, b in zip(constraint.owners, own.owners, strict=True))
            or any(map(lt, constraint.low, own.low))
            or any(map(gt, constraint.high, own.high))
        ):
            raise InputError(
                f"narrower: {constraint} allows more than {own}, the constraint of set {set_index}"
            )
        part = part_of(constraint, 0, keep=True)
        ways = {} if part is None else _ways(part)
        # A vector that is missing in `by_vector` does not occur in any deal.
        numbers.append(
            sum(number * by_vector[vector][1] for vector, number in ways.items()
                if vector in by_vector)
        )  # fmt: skip
    return numbers


@validate_arguments(problem=DealProblem)
def count_distribution(
    problem: DealProblem, player: int, set_index: int, *, seconds: float | None = None
) -> dict[int, int]:
    """Return in how many deals a player holds 0, 1, 2, ... cards of a set.

    The keys of the dictionary are the numbers of cards, in ascending order. A number of cards that
    is impossible is omitted. The time and the limits are the same as for `count_deals`.

    >>> from solvers import SetConstraint
    >>> pair = SetConstraint.of([[0, 1], [0, 1]], players=2)
    >>> count_distribution(DealProblem([2, 2], [pair, pair]), player=0, set_index=1)
    {0: 1, 1: 4, 2: 1}
    """
    player = check_index(player, problem.players, "player")
    numbers: dict[int, int] = {}
    for vector, deals in count_vector_distribution(problem, set_index, seconds=seconds).items():
        numbers[vector[player]] = numbers.get(vector[player], 0) + deals
    return dict(sorted(numbers.items()))
