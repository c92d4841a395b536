"""Products of polynomials for counting deals, with or without one of the factors.

Each factor of a reduced problem (`solvers.reduced_problem`) is a polynomial with a variable for
each player (see `solvers.counting`). The exponents are numbers of cards, and a coefficient is a
number of ways to deal them. Only exponents up to the hand sizes matter. The exponents of a term
always add up to the same number, so the exponent of one player is not stored.

A polynomial is stored as one Python integer, which is divided into lanes of equal width in bits.
Each lane contains the coefficient of one exponent vector. The exponents are the digits of the
number of the lane (a mixed radix): there is a digit from 0 to the hand size for each player except
the player with the largest hand. So there are as many lanes as the product of (hand size + 1) over
these players. To multiply by a power of a player's variable, remove the lanes in which the player's
digit would become too large, and shift the other lanes. This takes one mask and one shift for any
number of lanes.

A binary tree with the factors as leaves gives, for each factor, the product of all other factors.
On the way from the root to a leaf, the polynomial is multiplied by the factors of all subtrees that
branch off. A Huffman tree, weighted with the cost of the factors, minimizes the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from math import factorial, prod
from operator import mul, sub
from typing import TypeAlias

from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.base.errors import LimitError
from solvers.problem import DealProblem, players_in
from solvers.reduced_problem import ReducedProblem, min_lanes, reduce_problem
from solvers.registry import SOLVERS
from solvers.set_counts import SetCounts

Program = tuple[tuple[tuple[int, int, int, int], ...], tuple[int, ...]]
"""Instructions for multiplying a polynomial by a factor: a tuple of steps and a tuple of weights,
which the function `program` explains. A step is a tuple (index of an earlier result, index of a
player in `places`, exponent, index of the sum to which the result is added, or -1)."""


def program(factor: SetCounts, places: tuple[int, ...]) -> Program:
    """Return instructions for multiplying a polynomial by a factor: a pair (steps, weights).

    Result 0 is the polynomial itself. Each step multiplies an earlier result by a power of a
    player's variable, which gives the next result. If the step names a sum, the result is also
    added to this sum. At the end, the sums are multiplied by their weights and added up.

    Args:
        places: the players whose exponents are stored, starting with the lowest digit (see the
            module).
    """
    cached: Program | None = factor.programs.get(places)
    if cached is None:
        cached = factor.programs[places] = _program(factor, places)
    return cached


def _program(factor: SetCounts, places: tuple[int, ...]) -> Program:
    weights = sorted(set(factor.weights))
    nodes: dict[tuple[tuple[int, int], ...], int] = {(): 0}
    steps: list[list[int]] = [[0, 0, 0, -1]]
    for vector, weight in sorted(zip(factor.vectors, factor.weights, strict=True)):
        path = tuple(
            (place, vector[player]) for place, player in enumerate(places) if vector[player]
        )
        for length in range(1, len(path) + 1):
            if path[:length] not in nodes:
                nodes[path[:length]] = len(steps)
                steps.append([nodes[path[: length - 1]], *path[length - 1], -1])
        steps[nodes[path]][3] = weights.index(weight)
    return tuple((a, b, c, d) for a, b, c, d in steps), tuple(weights)


class ExponentLanes:
    """Layout of an integer that stores a polynomial with a variable for each player.

    The bits of the integer are divided into lanes. Each lane contains the coefficient for one
    vector of exponents, which are the digits of the number of the lane (see the module).

    Attributes:
        width: the number of bits of a lane, a multiple of 8.
        places: the players who have a digit in the number of a lane, starting with the lowest
            digit.
        strides: the place value of each of these digits: a coefficient moves by this number of
            lanes if the exponent grows by 1.
    """

    __slots__ = ("_deadline", "_hands", "_masks", "lanes", "places", "strides", "width")

    def __init__(
        self,
        hands: Sequence[int],
        factors: Iterable[tuple[SetCounts, int]],
        deadline: Deadline = NO_DEADLINE,
    ) -> None:
        self._deadline = deadline
        # Keep the order of the players, so that a factor needs at most one program for each choice
        # of the player without a digit.
        implied = max(range(len(hands)), key=hands.__getitem__, default=0)
        self.places = tuple(player for player in range(len(hands)) if player != implied)
        self._hands = [hands[player] for player in self.places]
        self.strides: list[int] = []
        lanes = 1
        for hand in self._hands:
            self.strides.append(lanes)
            lanes *= hand + 1
        self.lanes = lanes
        # All coefficients together are at most the number of ways to deal regardless of hands.
        ways = prod(sum(factor.weights) ** times for factor, times in factors)
        self.width = -(-ways.bit_length() // 8) * 8
        self._masks: dict[tuple[int, int], int] = {}

    def _mask(self, place: int, exponent: int) -> int:
        hand, run = self._hands[place], self.strides[place] * self.width // 8
        keep = max(0, hand + 1 - exponent)
        pattern = b"\xff" * (run * keep) + bytes(run * (hand + 1 - keep))
        repeats = self.lanes // (self.strides[place] * (hand + 1))
        mask = self._masks[place, exponent] = int.from_bytes(pattern * repeats, "little")
        return mask

    def times(self, polynomial: int, factor: SetCounts, power: int = 1) -> int:
        """Multiply a polynomial by a factor, `power` times, and return the product.

        Raises:
            SolverTimeout: If the deadline has passed.
        """
        steps, weights = program(factor, self.places)
        shifts = [stride * self.width for stride in self.strides]
        masks = self._masks
        for _ in range(power):
            self._deadline.remaining()
            nodes: list[int] = []
            sums = [0] * len(weights)
            for origin, place, exponent, target in steps:
                if exponent:
                    mask = masks.get((place, exponent))
                    if mask is None:
                        mask = self._mask(place, exponent)
                    node = (nodes[origin] & mask) << shifts[place] * exponent
                else:
                    node = polynomial
                nodes.append(node)
                if target >= 0:
                    sums[target] += node
            polynomial = 0
            for weight, part in zip(weights, sums, strict=True):
                polynomial += part if weight == 1 else part * weight
        return polynomial

    def offset(self, vector: Sequence[int]) -> int:
        """Return the index, in a stored polynomial, of the coefficient for the exponents `vector`.

        No exponent in the vector may be larger than the player's hand.
        """
        return sum(
            [
                vector[player] * stride
                for player, stride in zip(self.places, self.strides, strict=True)
            ]
        )

    def lane(self, in_bytes: bytes, number: int) -> int:
        """Return one coefficient of a polynomial, by its index in the bytes from `in_bytes`."""
        size = self.width // 8
        return int.from_bytes(in_bytes[number * size : number * size + size], "little")

    @staticmethod
    def in_bytes(polynomial: int) -> bytes:
        """Convert the integer of a polynomial to little-endian bytes, without trailing zeros."""
        return polynomial.to_bytes((polynomial.bit_length() + 7) // 8, "little")

    def coefficients_at(
        self, polynomial: int, hands: Sequence[int], factor: SetCounts
    ) -> list[int]:
        """Return one coefficient of a polynomial for each count vector of `factor`.

        A count vector says how many cards of the factor's set each player gets (see `SetCounts`).
        The exponents of its coefficient are the numbers of cards that the players still need:
        `hands` minus the count vector. If an exponent is negative, the coefficient is 0.
        """
        in_bytes = self.in_bytes(polynomial)
        coefficients = []
        for vector in factor.vectors:
            remaining = list(map(sub, hands, vector))
            coefficients.append(
                0 if min(remaining) < 0 else self.lane(in_bytes, self.offset(remaining))
            )
        return coefficients


MAX_BYTES = 32 * 2**20
"""Maximum memory for a polynomial, in bytes."""
MAX_WORK = 2 * 10**10
"""Default maximum work for counting deals: the number of bytes that all additions process. They
take about half a minute."""

ASSUMED_LANE_BYTES = 1_000
"""Size of a coefficient, in bytes, for a first guess at the memory for a polynomial. The memory is
computed more exactly only if this guess exceeds `MAX_BYTES`."""

Tree: TypeAlias = "tuple[Tree, Tree] | SetCounts"


class Product:
    """Product of the polynomials (factors) of a reduced problem, for counting its deals.

    Methods raise `LimitError` if a polynomial would be larger than `MAX_BYTES`, or if additions
    would process more than `max_work` bytes. If all cards are interchangeable, the deals are
    counted without polynomials, so these errors cannot occur.
    """

    def __init__(
        self, remaining: ReducedProblem, max_work: int = MAX_WORK, deadline: Deadline = NO_DEADLINE
    ) -> None:
        self.max_work = max_work
        self.deadline = deadline
        self.hands = remaining.hands
        self.factors = remaining.factors
        self.lanes = ExponentLanes(remaining.hands, remaining.factors.items(), deadline)
        # A factor with a single count vector is a constant, because vectors are relative to `base`.
        self.constant = 1
        self.nonconstant: list[SetCounts] = []
        for factor, times in remaining.factors.items():
            if len(factor.vectors) == 1:
                self.constant *= factor.weights[0] ** times
            else:
                self.nonconstant.append(factor)
        self.size = self.lanes.lanes * self.lanes.width // 8

    def count(self) -> int:
        """Return the number of deals."""
        if not self.nonconstant:
            return 0 if any(self.hands) else self.constant
        last = max(self.nonconstant, key=self._cost)
        return sum(map(mul, self.coefficients_without(last), last.weights))

    def coefficients_without(self, left_out: SetCounts) -> list[int]:
        """Count the ways to deal all factors except `left_out`, for each split of `left_out`.

        A split (count vector) says how many cards of `left_out` each player gets. The other factors
        fill the rest of the hands. If `left_out` occurs several times, only one occurrence is left
        out.
        """
        # The number of ways for count vector k is the coefficient of hands - k in the product of
        # the other factors.
        if len(left_out.vectors) == 1:
            return [self.count() // left_out.weights[0]]
        if self.interchangeable_card() is left_out:
            return self._coefficients_interchangeable(left_out)
        self.check_work()
        polynomial = self.constant
        for factor in self.in_order():
            power = self.factors[factor] - (factor is left_out)
            polynomial = self.lanes.times(polynomial, factor, power)
        return self.lanes.coefficients_at(polynomial, self.hands, left_out)

    def all_coefficients_without(self) -> dict[SetCounts, list[int]]:
        """Return the result of `coefficients_without` for every factor."""
        befores: dict[SetCounts, list[int]] = {}
        if len(self.nonconstant) == 1:
            befores[self.nonconstant[0]] = self.coefficients_without(self.nonconstant[0])
        elif self.nonconstant:
            tree, work = self._tree()
            self.check_work(work)
            self._descend(tree, self.constant, befores)
        if befores:
            factor, numbers = next(iter(befores.items()))
            deals = sum(map(mul, numbers, factor.weights))
        else:
            deals = self.count()
        for factor in self.factors:
            if factor not in befores:
                befores[factor] = [deals // factor.weights[0]]
        return befores

    def in_order(self) -> list[SetCounts]:
        """Return the factors that can be dealt in several ways, the cheapest to multiply first."""
        return sorted(self.nonconstant, key=self._cost)

    def interchangeable_card(self) -> SetCounts | None:
        """Return the factor of a single card, if no other factor can be dealt in several ways.

        All cards that are not certain are then interchangeable. In other cases, return None.
        """
        if len(self.nonconstant) == 1 and self.nonconstant[0].is_single_card:
            return self.nonconstant[0]
        return None

    def _coefficients_interchangeable(self, card: SetCounts) -> list[int]:
        owners = players_in(card.classes[0][0])
        if any(hand and player not in owners for player, hand in enumerate(self.hands)):
            return [0] * len(card.vectors)
        cards = self.factors[card]
        ways = self.constant * factorial(cards) // prod(map(factorial, self.hands))
        # Each vector gives one card to a player, who then gets one card less from the other
        # factors.
        return [ways * self.hands[vector.index(1)] // cards for vector in card.vectors]

    def _cost(self, factor: SetCounts) -> int:
        return len(program(factor, self.lanes.places)[0]) * self.factors[factor]

    def _costs(self, factors: Iterable[SetCounts]) -> int:
        return sum(map(self._cost, factors))

    def check_work(self, additions: int | None = None) -> None:
        """Raise `LimitError` if a polynomial or the work is too large.

        `additions` is the number of additions. By default, all factors are multiplied once.
        """
        if additions is None:
            additions = self._costs(self.nonconstant)
        if self.size > MAX_BYTES:
            raise LimitError(
                f"counting the deals needs polynomials of {self.size / 2**20:,.0f} MB: "
                f"the limit is {MAX_BYTES / 2**20:.0f} MB"
            )
        if additions * self.size > self.max_work:
            raise LimitError(
                f"counting the deals needs about {additions:,} additions of "
                f"{self.size / 2**20:,.1f} MB: the limit is {self.max_work / 10**9:,.0f} GB in all"
            )

    def _tree(self) -> tuple[Tree, int]:
        heap: list[tuple[int, int, Tree]] = [
            (self._cost(factor), number, factor) for number, factor in enumerate(self.nonconstant)
        ]
        heapify(heap)
        work = 0
        for number in range(len(heap), 2 * len(heap) - 1):
            first, _, first_tree = heappop(heap)
            second, _, right = heappop(heap)
            work += first + second
            heappush(heap, (first + second, number, (first_tree, right)))
        return heap[0][2], work

    def _descend(self, tree: Tree, polynomial: int, befores: dict[SetCounts, list[int]]) -> None:
        if isinstance(tree, SetCounts):
            polynomial = self.lanes.times(polynomial, tree, self.factors[tree] - 1)
            befores[tree] = self.lanes.coefficients_at(polynomial, self.hands, tree)
            return
        first, second = tree
        self._descend(first, self._times_all(polynomial, second), befores)
        self._descend(second, self._times_all(polynomial, first), befores)

    def _times_all(self, polynomial: int, tree: Tree) -> int:
        if isinstance(tree, SetCounts):
            return self.lanes.times(polynomial, tree, self.factors[tree])
        return self._times_all(self._times_all(polynomial, tree[0]), tree[1])


def lay_out(
    problem: DealProblem,
    *,
    keep: int | None = None,
    max_work: int = MAX_WORK,
    seconds: float | None = None,
) -> tuple[ReducedProblem, Product] | None:
    """Simplify a problem for counting its deals. Return it with the product that counts them.

    The result is None if it is obvious that there is no deal.

    Args:
        keep: the number of a set that becomes a single factor, or None.
        max_work: the maximum number of bytes that the additions process.
        seconds: the time limit in seconds, for this call and for later calls of the product's
            methods.

    Raises:
        LimitError: If the polynomials are certain to be too large.
    """
    deadline = NO_DEADLINE if seconds is None else Deadline(seconds)
    hands = problem.hands
    if prod(hand + 1 for hand in hands) // (max(hands) + 1) > MAX_BYTES // ASSUMED_LANE_BYTES:
        _, size = min_lanes(problem)
        if size > MAX_BYTES:
            if not SOLVERS["max-flow"](problem):
                return None
            raise LimitError(
                f"counting the deals needs polynomials of at least {size / 2**20:,.0f} MB: "
                f"the limit is {MAX_BYTES / 2**20:.0f} MB"
            )
    remaining = reduce_problem(problem, keep, deadline)
    return None if remaining is None else (remaining, Product(remaining, max_work, deadline))
