"""The product of the factors of a residue: its coefficient at the hands, with or without a factor.

The number of deals is the coefficient of x0^h0 x1^h1 … in the product over factors of the sum over
their count vectors k of (number of ways) x0^k0 x1^k1 …. Only exponents up to the hands matter, and
every factor is homogeneous, so one player's exponent is implied by the others. A polynomial is kept
as one Python integer (Kronecker substitution): lane e holds the coefficient of exponent vector e,
in mixed radix with hand + 1 digits for every player but the one with the largest hand. Multiplying
by x_p^j drops the lanes whose digit would become too large and shifts the rest: one mask and one
shift, whatever the number of lanes.

"With one factor left out", for every factor, is found by a tree: the factors are its leaves, and on
the way down to a leaf the polynomial is multiplied by everything that branches off. A Huffman tree
by cost makes the sum of this work smallest.

Memory of one polynomial: (product of hand + 1 over all players but one) lanes of `width` bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from math import factorial, prod
from operator import mul, sub
from typing import TypeAlias

from quaternity.base.deadline import NEVER, Deadline
from quaternity.base.errors import LimitError
from solvers.problem import DealProblem, players_in
from solvers.registry import SOLVERS
from solvers.residue import Residue, least_lanes, residue
from solvers.set_ways import SetWays

Program = tuple[tuple[tuple[int, int, int, int], ...], tuple[int, ...]]
"""How to multiply by a factor: steps (from, player's place, exponent, sum), weights of the sums."""


def program(factor: SetWays, places: tuple[int, ...]) -> Program:
    """Return the steps of a multiplication: a tree of products with powers, shared by vectors.

    `places` are the players that have a digit, lowest first. Node 0 is the polynomial itself. Step
    i makes node i + 1 from an earlier node, times x^exponent, and adds it to one of the sums (-1:
    to none); the sums are weighted and added up at the end.
    """
    known: Program | None = factor.programs.get(places)
    if known is None:
        known = factor.programs[places] = _program(factor, places)
    return known


def _program(factor: SetWays, places: tuple[int, ...]) -> Program:
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
    """The layout of the polynomials of one problem.

    Attributes:
        width: bits per lane, a multiple of 8.
        places: the players that have a digit, lowest first.
        strides: per place, the lanes between exponent e and e + 1.
    """

    __slots__ = ("_deadline", "_hands", "_masks", "lanes", "places", "strides", "width")

    def __init__(
        self,
        hands: Sequence[int],
        factors: Iterable[tuple[SetWays, int]],
        deadline: Deadline = NEVER,
    ) -> None:
        self._deadline = deadline
        # In the order of the players, so that a factor meets no more than P different orders.
        implied = max(range(len(hands)), key=hands.__getitem__, default=0)
        self.places = tuple(player for player in range(len(hands)) if player != implied)
        self._hands = [hands[player] for player in self.places]
        self.strides: list[int] = []
        lanes = 1
        for hand in self._hands:
            self.strides.append(lanes)
            lanes *= hand + 1
        self.lanes = lanes
        # Coefficients add up to at most the number of ways without hands.
        ways = prod(sum(factor.weights) ** times for factor, times in factors)
        self.width = -(-ways.bit_length() // 8) * 8
        self._masks: dict[tuple[int, int], int] = {}

    def _mask(self, place: int, exponent: int) -> int:
        """Return all bits of the lanes that survive multiplication with x^exponent."""
        hand, run = self._hands[place], self.strides[place] * self.width // 8
        keep = max(0, hand + 1 - exponent)
        pattern = b"\xff" * (run * keep) + bytes(run * (hand + 1 - keep))
        repeats = self.lanes // (self.strides[place] * (hand + 1))
        mask = self._masks[place, exponent] = int.from_bytes(pattern * repeats, "little")
        return mask

    def times(self, polynomial: int, factor: SetWays, power: int = 1) -> int:
        """Multiply by a power of a factor. Raise `SolverTimeout` at the deadline."""
        steps, weights = program(factor, self.places)
        shifts = [stride * self.width for stride in self.strides]
        masks = self._masks
        for _ in range(power):
            self._deadline.left()
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
        """Return the lane of an exponent vector (which must be within the hands)."""
        return sum(
            [
                vector[player] * stride
                for player, stride in zip(self.places, self.strides, strict=True)
            ]
        )

    def lane(self, in_bytes: bytes, number: int) -> int:
        """Return one coefficient of a polynomial that was turned into bytes by `in_bytes`."""
        size = self.width // 8
        return int.from_bytes(in_bytes[number * size : number * size + size], "little")

    @staticmethod
    def in_bytes(polynomial: int) -> bytes:
        """Return the lanes one after another, little-endian, without zeros at the end."""
        return polynomial.to_bytes((polynomial.bit_length() + 7) // 8, "little")

    def before(self, polynomial: int, hands: Sequence[int], factor: SetWays) -> list[int]:
        """Return per vector k of a factor, the polynomial's coefficient at hands - k."""
        in_bytes = self.in_bytes(polynomial)
        coefficients = []
        for vector in factor.vectors:
            remaining = list(map(sub, hands, vector))
            coefficients.append(
                0 if min(remaining) < 0 else self.lane(in_bytes, self.offset(remaining))
            )
        return coefficients


MAX_BYTES = 32 * 2**20
"""Maximum memory for one polynomial, in bytes."""
MAX_WORK = 2 * 10**10
"""Maximum number of bytes that the additions of one count may touch: about half a minute."""

ASSUMED_LANE_BYTES = 1_000
"""Width of a lane assumed for a quick test, in bytes; if such lanes fit, nothing is estimated."""

Tree: TypeAlias = "tuple[Tree, Tree] | SetWays"


class Product:
    """The factors and hands of a residue, laid out for multiplying.

    The methods raise `LimitError` when one polynomial would be larger than `MAX_BYTES` or the work
    more than `most_work` (bytes that additions touch). Cards that are all alike need no polynomial
    and so have no limit.
    """

    def __init__(
        self, remaining: Residue, most_work: int = MAX_WORK, deadline: Deadline = NEVER
    ) -> None:
        self.most_work = most_work
        self.deadline = deadline
        self.hands = remaining.hands
        self.factors = remaining.factors
        self.lanes = ExponentLanes(remaining.hands, remaining.factors.items(), deadline)
        # A factor with one count vector moves no exponent: it only multiplies.
        self.constant = 1
        self.moving: list[SetWays] = []
        for factor, times in remaining.factors.items():
            if len(factor.vectors) == 1:
                self.constant *= factor.weights[0] ** times
            else:
                self.moving.append(factor)
        self.size = self.lanes.lanes * self.lanes.width // 8

    def count(self) -> int:
        """Return the number of deals."""
        if not self.moving:
            return 0 if any(self.hands) else self.constant
        last = max(self.moving, key=self._cost)
        return sum(map(mul, self.before(last), last.weights))

    def before(self, left_out: SetWays) -> list[int]:
        """Return per vector k of a factor, the coefficient at hands - k without one such factor.

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
        """Return `before` of every factor, with the work shared."""
        befores: dict[SetWays, list[int]] = {}
        if len(self.moving) == 1:
            befores[self.moving[0]] = self.before(self.moving[0])
        elif self.moving:
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

    def in_order(self) -> list[SetWays]:
        """Return the moving factors, the cheap first, while the polynomial is short."""
        return sorted(self.moving, key=self._cost)

    def cards_alike(self) -> SetWays | None:
        """Return the only moving factor, if it is a card bound by its owners alone."""
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
        return len(program(factor, self.lanes.places)[0]) * self.factors[factor]

    def _costs(self, factors: Iterable[SetWays]) -> int:
        return sum(map(self._cost, factors))

    def check_work(self, additions: int | None = None) -> None:
        """Raise `LimitError` for too much work; by default, that of one full product."""
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
        """Return the tree, and the additions that going down all its branches takes."""
        heap: list[tuple[int, int, Tree]] = [
            (self._cost(factor), number, factor) for number, factor in enumerate(self.moving)
        ]
        heapify(heap)
        work = 0
        for number in range(len(heap), 2 * len(heap) - 1):
            first, _, first_tree = heappop(heap)
            second, _, right = heappop(heap)
            work += first + second
            heappush(heap, (first + second, number, (first_tree, right)))
        return heap[0][2], work

    def _descend(self, tree: Tree, polynomial: int, befores: dict[SetWays, list[int]]) -> None:
        if isinstance(tree, SetWays):
            polynomial = self.lanes.times(polynomial, tree, self.factors[tree] - 1)
            befores[tree] = self.lanes.before(polynomial, self.hands, tree)
            return
        first, second = tree
        self._descend(first, self._times_all(polynomial, second), befores)
        self._descend(second, self._times_all(polynomial, first), befores)

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
    """Lay out the product that counts the deals; give None when there is plainly none.

    Raise `LimitError` for what is surely too large before any count vector is listed. For `keep`
    see `solvers.residue.residue`. `seconds` limits the later work of the product too.
    """
    deadline = NEVER if seconds is None else Deadline(seconds)
    hands = problem.hands
    if prod(hand + 1 for hand in hands) // (max(hands) + 1) > MAX_BYTES // ASSUMED_LANE_BYTES:
        lanes, size = least_lanes(problem)
        if size > MAX_BYTES:
            if not SOLVERS["max-flow"](problem):
                return None
            raise LimitError(
                f"counting needs polynomials of at least {size / 2**20:,.0f} MB "
                f"({lanes:,} exponent vectors): the limit is {MAX_BYTES / 2**20:.0f} MB"
            )
    remaining = residue(problem, keep, deadline)
    return None if remaining is None else (remaining, Product(remaining, most_work, deadline))
