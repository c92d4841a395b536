"""Uniformly random deals: all deals of a problem are numbered, and a random number is drawn.

A deal is computed from its number, factor by factor (see `solvers.reduced_problem`), from the last
to the first. The number determines how many cards of the last factor each player gets, which cards
these are, and a number for the preceding factors. No deal is rejected and no probability is
rounded, so the distribution is exact.
"""

from __future__ import annotations

from operator import sub
from typing import TYPE_CHECKING

from quaternity.base.errors import InputError, LimitError, NoDeal
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_int, check_int, check_random, validate_arguments
from solvers.factor_product import lay_out
from solvers.problem import DealProblem
from solvers.reduced_problem import ReducedProblem
from solvers.set_counts import SetCounts, nth_arrangement
from solvers.verdict import Deal

if TYPE_CHECKING:
    from random import Random

MAX_TABLE_BYTES = 512 * 2**20
"""Maximum memory for the tables that assign a number to each deal of a problem, in bytes."""


class NumberedDeals:
    """All deals of a problem, numbered from 0. Instances are immutable.

    The attribute `number` is the number of deals, which is 0 if the problem is infeasible. Creating
    an instance takes about as long as counting the deals (see `solvers.counting`), and `seconds`
    limits this time. Looking up a deal is then fast.

    Raises:
        LimitError: If counting exceeds a limit of `solvers.counting`, or if the tables are larger
            than `MAX_TABLE_BYTES`.
        SolverTimeout: If the time limit is reached.

    >>> from solvers import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])
    >>> deals = NumberedDeals(problem)
    >>> [deals.deal(number) for number in range(deals.number)]
    [Deal(owner=((1, 0),)), Deal(owner=((0, 1),))]
    """

    @validate_arguments(problem=DealProblem)
    def __init__(self, problem: DealProblem, *, seconds: float | None = None) -> None:
        self.problem = problem
        self.number = 0
        self._residue: ReducedProblem | None = None
        layout = lay_out(problem, seconds=seconds)
        if layout is None:
            return
        self._residue, self._product = layout
        # The constant factors, in the order of the numbering. Each factor is repeated as often as
        # it occurs.
        self._fixed = [
            factor
            for factor, times in self._residue.factors.items()
            if len(factor.vectors) == 1
            for _ in range(times)
        ]
        self._interchangeable = self._product.interchangeable_card()
        self._tables: list[tuple[SetCounts, bytes]] = []
        if self._interchangeable is None and self._product.nonconstant:
            self._make_tables()
        else:
            self.number = self._product.count()

    def _make_tables(self) -> None:
        product = self._product
        product.check_work()
        lanes = product.lanes
        needed = sum(product.factors[factor] for factor in product.nonconstant) * product.size
        if needed > MAX_TABLE_BYTES:
            raise LimitError(
                f"numbering the deals needs tables of up to {needed / 2**20:,.0f} MB: "
                f"the limit is {MAX_TABLE_BYTES / 2**20:.0f} MB"
            )
        self._offsets = {
            factor: [lanes.offset(vector) for vector in factor.vectors]
            for factor in product.nonconstant
        }
        polynomial = 1
        for factor in product.in_order():
            for _ in range(product.factors[factor]):
                self._tables.append((factor, lanes.in_bytes(polynomial)))
                polynomial = lanes.times(polynomial, factor)
        last = lanes.lane(lanes.in_bytes(polynomial), lanes.offset(product.hands))
        self.number = product.constant * last

    def deal(self, number: int) -> Deal:
        """Return the deal with the given number. Different numbers give different deals.

        Raises:
            InputError: If the number is not from 0 to `self.number` - 1.
        """
        number = check_int(number, None, None, "a whole number", "deal")
        if self._residue is None or not 0 <= number < self.number:
            count = quote_value(self.number)
            raise InputError(f"deal {quote_value(number)} is out of range: there are {count} deals")
        owners_by_factor = self._deal_factors(number)
        rows = []
        for part in self._residue.parts:
            row = list(part.cards.owner)
            opens = part.cards.open_cards
            if part.set_factor is not None:
                owners = owners_by_factor[part.set_factor].pop()
            else:
                owners = tuple(
                    owners_by_factor[part.card_factors[part.cards.masks[card]]].pop()[0]
                    for card in opens
                )
            for card, owner in zip(opens, owners, strict=True):
                row[card] = owner
            rows.append(tuple(row))
        return Deal(tuple(rows))

    def _deal_factors(self, number: int) -> dict[SetCounts, list[tuple[int, ...]]]:
        owners_by_factor: dict[SetCounts, list[tuple[int, ...]]] = {}
        for factor in self._fixed:
            number, way = divmod(number, factor.weights[0])
            owners_by_factor.setdefault(factor, []).append(factor.deal(0, way))
        if self._interchangeable is not None:
            owners_by_factor[self._interchangeable] = [
                (owner,) for owner in nth_arrangement(self._product.hands, number)
            ]
            return owners_by_factor
        lanes = self._product.lanes
        remaining = self._product.hands
        for factor, table in reversed(self._tables):
            lane = lanes.offset(remaining)
            for index, (vector, weight, offset) in enumerate(
                zip(factor.vectors, factor.weights, self._offsets[factor], strict=True)
            ):
                after = tuple(map(sub, remaining, vector))
                if min(after) < 0:
                    continue
                before = lanes.lane(table, lane - offset)
                if number < before * weight:
                    way, number = divmod(number, before)
                    owners_by_factor.setdefault(factor, []).append(factor.deal(index, way))
                    remaining = after
                    break
                number -= before * weight
        return owners_by_factor

    def draw(self, random: Random) -> Deal:
        """Return a deal, drawn uniformly at random.

        Raises:
            NoDeal: If there is no deal.
        """
        if not self.number:
            raise NoDeal("no deal satisfies the problem, so none can be drawn")
        return self.deal(check_random(random).randrange(self.number))


def sample_deals(
    problem: DealProblem, random: Random, number: int, *, seconds: float | None = None
) -> list[Deal]:
    """Return `number` deals, drawn independently and exactly uniformly at random.

    The same deal may be drawn more than once. `seconds` limits the time for numbering the deals.

    Raises:
        NoDeal: If the problem has no deal and `number` is above 0.
        LimitError: If numbering the deals exceeds a limit (see `NumberedDeals`).
        SolverTimeout: If the time limit is reached.
    """
    number, random = as_int(number, "number", 0), check_random(random)
    deals = NumberedDeals(problem, seconds=seconds)
    return [deals.draw(random) for _ in range(number)]
