"""Deals drawn exactly uniformly: all deals are numbered, and a number is drawn.

The deals of a problem are put in a fixed order by walking backwards through the factors of its
residue: the number picks a count vector of the last factor in proportion to the deals that have it,
then one way of dealing that factor with this vector, and what remains is a number for the factors
before. No deal is ever rejected and no probability is rounded.
"""

from __future__ import annotations

from operator import sub
from typing import TYPE_CHECKING

from quaternity.base.errors import InputError, LimitError, NoDeal
from quaternity.base.plain_values import generator, takes, whole, whole_number
from quaternity.base.wording import shown
from solvers.factor_product import laid_out
from solvers.problem import DealProblem
from solvers.residue import Residue
from solvers.set_ways import SetWays, arranged
from solvers.verdict import Deal

if TYPE_CHECKING:
    from random import Random

MAX_TABLE_BYTES = 512 * 2**20
"""Maximum memory for the tables that number the deals of one problem, in bytes."""


class NumberedDeals:
    """All deals of a problem, numbered from 0. Immutable.

    `number` is how many deals there are; 0 iff the problem is infeasible. Making the numbering
    costs about one count (see `solvers.counting`) and keeps a polynomial per factor; `seconds`
    limits it. A deal then costs about a look-up per count vector of every factor.

    Raises:
        LimitError: as in `solvers.counting`, and above `MAX_TABLE_BYTES`.
        SolverTimeout: the time limit was reached.

    >>> from solvers import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])
    >>> deals = NumberedDeals(problem)
    >>> [deals.deal(number) for number in range(deals.number)]
    [Deal(owner=((1, 0),)), Deal(owner=((0, 1),))]
    """

    @takes(problem=DealProblem)
    def __init__(self, problem: DealProblem, *, seconds: float | None = None) -> None:
        self.problem = problem
        self.number = 0
        self._residue: Residue | None = None
        layout = laid_out(problem, seconds=seconds)
        if layout is None:
            return
        self._residue, self._product = layout
        # In the order of the numbering, each factor once for each time it occurs.
        self._fixed = [
            factor
            for factor, times in self._residue.factors.items()
            if len(factor.vectors) == 1
            for _ in range(times)
        ]
        self._alike = self._product.cards_alike()
        self._tables: list[tuple[SetWays, bytes]] = []
        if self._alike is None and self._product.moving:
            self._make_tables()
        else:
            self.number = self._product.count()

    def _make_tables(self) -> None:
        product = self._product
        product.check_work()
        lanes = product.lanes
        needed = sum(product.factors[factor] for factor in product.moving) * product.size
        if needed > MAX_TABLE_BYTES:
            raise LimitError(
                f"numbering the deals needs tables of up to {needed / 2**20:,.0f} MB: "
                f"the limit is {MAX_TABLE_BYTES / 2**20:.0f} MB"
            )
        self._offsets = {
            factor: [lanes.offset(vector) for vector in factor.vectors] for factor in product.moving
        }
        polynomial = 1
        for factor in product.in_order():
            for _ in range(product.factors[factor]):
                self._tables.append((factor, lanes.in_bytes(polynomial)))
                polynomial = lanes.times(polynomial, factor)
        last = lanes.lane(lanes.in_bytes(polynomial), lanes.offset(product.hands))
        self.number = product.constant * last

    def deal(self, number: int) -> Deal:
        """Return the deal of a number; different numbers are different deals."""
        number = whole_number(number, None, None, "a whole number", "deal")
        if self._residue is None or not 0 <= number < self.number:
            there = shown(self.number)
            raise InputError(f"deal {shown(number)} is out of range: there are {there} deals")
        dealt = self._factors_dealt(number)
        rows = []
        for part in self._residue.parts:
            row = list(part.cards.owner)
            opens = part.cards.opens
            if part.whole is not None:
                owners = dealt[part.whole].pop()
            else:
                owners = tuple(
                    dealt[part.singles[part.cards.masks[card]]].pop()[0] for card in opens
                )
            for card, owner in zip(opens, owners, strict=True):
                row[card] = owner
            rows.append(tuple(row))
        return Deal(tuple(rows))

    def _factors_dealt(self, number: int) -> dict[SetWays, list[tuple[int, ...]]]:
        dealt: dict[SetWays, list[tuple[int, ...]]] = {}
        for factor in self._fixed:
            number, way = divmod(number, factor.weights[0])
            dealt.setdefault(factor, []).append(factor.dealt(0, way))
        if self._alike is not None:
            dealt[self._alike] = [(owner,) for owner in arranged(self._product.hands, number)]
            return dealt
        lanes = self._product.lanes
        remaining = self._product.hands
        for factor, table in reversed(self._tables):
            at = lanes.offset(remaining)
            for index, (vector, weight, offset) in enumerate(
                zip(factor.vectors, factor.weights, self._offsets[factor], strict=True)
            ):
                after = tuple(map(sub, remaining, vector))
                if min(after) < 0:
                    continue
                before = lanes.lane(table, at - offset)
                if number < before * weight:
                    way, number = divmod(number, before)
                    dealt.setdefault(factor, []).append(factor.dealt(index, way))
                    remaining = after
                    break
                number -= before * weight
        return dealt

    def draw(self, random: Random) -> Deal:
        """Draw a deal, all of them equally likely; raise `NoDeal` if there is none."""
        if not self.number:
            raise NoDeal("no deal satisfies the problem, so none can be drawn")
        return self.deal(generator(random).randrange(self.number))


def sample_deals(
    problem: DealProblem, random: Random, number: int, *, seconds: float | None = None
) -> list[Deal]:
    """Draw `number` deals, each independently and exactly uniformly from all deals.

    The same deal may come more than once. `seconds` limits the count. Cost: one count, then
    `number` walks through the factors (see `NumberedDeals`).

    Raises:
        NoDeal: no deal satisfies the problem.
        LimitError: as `NumberedDeals`.
    """
    number, random = whole(number, "number", 0), generator(random)
    deals = NumberedDeals(problem, seconds=seconds)
    return [deals.draw(random) for _ in range(number)]
