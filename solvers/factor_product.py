"""The product of the factors of a residue: its coefficient at the hands, with or without a factor.

"With one factor left out", for every factor, is found by a tree: the factors are its leaves, and on
the way down to a leaf the polynomial is multiplied by everything that branches off. A Huffman tree
by cost makes the sum of this work smallest.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from math import factorial, prod
from operator import mul
from typing import TypeAlias

from solvers.deadline import NEVER, Deadline
from solvers.errors import LimitError
from solvers.lane_polynomials import ExponentLanes, program
from solvers.problem import DealProblem, players_in
from solvers.registry import SOLVERS
from solvers.residue import Residue, least_lanes, residue
from solvers.set_ways import SetWays

MAX_BYTES = 32 * 2**20
"""Most memory one polynomial may take."""
MAX_WORK = 2 * 10**10
"""Most bytes that the additions of one count may touch: about half a minute."""

MOST_LANE_BYTES = 1_000
"""Where hands allow so few lanes that even as wide as this they fit, nothing is estimated."""

Tree: TypeAlias = "tuple[Tree, Tree] | SetWays"


class Product:
    """The factors and hands of a residue, laid out for multiplying.

    The methods raise `LimitError` when one polynomial would be larger than `MAX_BYTES` or the work
    more than `most_work` (bytes that additions touch). Cards that are all alike need no polynomial
    and so have no limit.
    """

    def __init__(
        self, rest: Residue, most_work: int = MAX_WORK, deadline: Deadline = NEVER
    ) -> None:
        self.most_work = most_work
        self.deadline = deadline
        self.hands = rest.hands
        self.factors = rest.factors
        self.lanes = ExponentLanes(rest.hands, rest.factors.items(), deadline)
        # A factor with one count vector moves no exponent: it only multiplies.
        self.constant = 1
        self.moving: list[SetWays] = []
        for factor, times in rest.factors.items():
            if len(factor.vectors) == 1:
                self.constant *= factor.weights[0] ** times
            else:
                self.moving.append(factor)
        self.size = self.lanes.lanes * self.lanes.width // 8

    def count(self) -> int:
        """The number of deals."""
        if not self.moving:
            return 0 if any(self.hands) else self.constant
        last = max(self.moving, key=self._cost)
        return sum(map(mul, self.before(last), last.weights))

    def before(self, left_out: SetWays) -> list[int]:
        """Per vector k of a factor, the coefficient at hands - k without one such factor.

        That is the number of deals of everything else that leaves exactly k to this factor.
        """
        if len(left_out.vectors) == 1:
            return [self.count() // left_out.weights[0]]
        if self.cards_alike() is left_out:
            return self._before_alike(left_out)
        self.check_work()
        polynomial = self.constant
        for factor in self.in_order():
            power = self.factors[factor] - (factor is left_out)
            polynomial = self.lanes.times(polynomial, factor, power)
        return self.lanes.before(polynomial, self.hands, left_out)

    def befores(self) -> dict[SetWays, list[int]]:
        """`before` of every factor, with the work shared."""
        found: dict[SetWays, list[int]] = {}
        if len(self.moving) == 1:
            found[self.moving[0]] = self.before(self.moving[0])
        elif self.moving:
            tree, work = self._tree()
            self.check_work(work)
            self._descend(tree, self.constant, found)
        if found:
            factor, numbers = next(iter(found.items()))
            deals = sum(map(mul, numbers, factor.weights))
        else:
            deals = self.count()
        for factor in self.factors:
            if factor not in found:
                found[factor] = [deals // factor.weights[0]]
        return found

    def in_order(self) -> list[SetWays]:
        """The moving factors, the cheap first, while the polynomial is short."""
        return sorted(self.moving, key=self._cost)

    def cards_alike(self) -> SetWays | None:
        """The one moving factor, if it is a card bound by nothing but its owners."""
        if len(self.moving) == 1 and self.moving[0].is_single_card:
            return self.moving[0]
        return None

    def _before_alike(self, card: SetWays) -> list[int]:
        owners = players_in(card.classes[0][0])
        if any(hand and player not in owners for player, hand in enumerate(self.hands)):
            return [0] * len(card.vectors)
        cards = self.factors[card]
        ways = self.constant * factorial(cards) // prod(map(factorial, self.hands))
        # With one card less for the player p of each vector.
        return [ways * self.hands[vector.index(1)] // cards for vector in card.vectors]

    def _cost(self, factor: SetWays) -> int:
        """Additions of polynomials to multiply by all occurrences of a factor."""
        return len(program(factor, self.lanes.places)[0]) * self.factors[factor]

    def _costs(self, factors: Iterable[SetWays]) -> int:
        return sum(map(self._cost, factors))

    def check_work(self, additions: int | None = None) -> None:
        """Refuse what is too large.

        Args:
            additions: of polynomials; by default those of one product of all factors.

        Raises:
            LimitError: saying what it would take.
        """
        if additions is None:
            additions = self._costs(self.moving)
        if self.size > MAX_BYTES:
            raise LimitError(
                f"counting needs polynomials of {self.size / 2**20:,.0f} MB "
                f"({self.lanes.lanes:,} exponent vectors): the limit is {MAX_BYTES / 2**20:.0f} MB"
            )
        if additions * self.size > self.most_work:
            raise LimitError(
                f"counting needs about {additions:,} additions of {self.size / 2**20:,.1f} MB: "
                f"the limit is {self.most_work / 10**9:,.0f} GB in all"
            )

    def _tree(self) -> tuple[Tree, int]:
        """The tree, and the additions that going down all its branches takes."""
        heap: list[tuple[int, int, Tree]] = [
            (self._cost(factor), number, factor) for number, factor in enumerate(self.moving)
        ]
        heapify(heap)
        work = 0
        for number in range(len(heap), 2 * len(heap) - 1):
            first, _, left = heappop(heap)
            second, _, right = heappop(heap)
            work += first + second
            heappush(heap, (first + second, number, (left, right)))
        return heap[0][2], work

    def _descend(self, tree: Tree, polynomial: int, found: dict[SetWays, list[int]]) -> None:
        if isinstance(tree, SetWays):
            polynomial = self.lanes.times(polynomial, tree, self.factors[tree] - 1)
            found[tree] = self.lanes.before(polynomial, self.hands, tree)
            return
        left, right = tree
        self._descend(left, self._times_all(polynomial, right), found)
        self._descend(right, self._times_all(polynomial, left), found)

    def _times_all(self, polynomial: int, tree: Tree) -> int:
        if isinstance(tree, SetWays):
            return self.lanes.times(polynomial, tree, self.factors[tree])
        return self._times_all(self._times_all(polynomial, tree[0]), tree[1])


def laid_out(
    problem: DealProblem,
    *,
    keep: int | None = None,
    most_work: int = MAX_WORK,
    seconds: float | None = None,
) -> tuple[Residue, Product] | None:
    """What is to be multiplied to count the deals of a problem; None when it plainly has none.

    What is surely too large is refused before any count vector is listed.

    Args:
        keep: see `solvers.residue.residue`.
        most_work: see `Product`.
        seconds: a time limit, also of the later work of the product; None for none.

    Raises:
        LimitError: too large.
        SolverTimeout: the time limit was reached.
    """
    deadline = NEVER if seconds is None else Deadline(seconds)
    hands = problem.hands
    if prod(hand + 1 for hand in hands) // (max(hands) + 1) > MAX_BYTES // MOST_LANE_BYTES:
        lanes, size = least_lanes(problem)
        if size > MAX_BYTES:
            if not SOLVERS["max-flow"](problem):
                return None
            raise LimitError(
                f"counting needs polynomials of at least {size / 2**20:,.0f} MB "
                f"({lanes:,} exponent vectors): the limit is {MAX_BYTES / 2**20:.0f} MB"
            )
    rest = residue(problem, keep, deadline)
    return None if rest is None else (rest, Product(rest, most_work, deadline))


__all__ = ["MAX_BYTES", "MAX_WORK", "Product", "laid_out"]
