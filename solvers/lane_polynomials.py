"""Polynomials in one integer: a lane per exponent vector.

The number of deals is the coefficient of x0^h0 x1^h1 … in the product over factors of the sum over
their count vectors k of (number of ways) x0^k0 x1^k1 …. Only exponents up to the hands matter, and
every factor is homogeneous, so one player's exponent is implied by the others. The polynomial is
kept as one Python integer: lane e holds the coefficient of exponent vector e, in mixed radix with
hand + 1 digits for every player but the one with the largest hand. Multiplying by x_p^j drops the
lanes whose digit would become too large and shifts the rest: one mask and one shift, whatever
the number of lanes.

Memory of one polynomial: (product of hand + 1 over all players but one) lanes of `width` bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from operator import sub

from solvers.deadline import NEVER, Deadline
from solvers.set_ways import SetWays

Program = tuple[tuple[tuple[int, int, int, int], ...], tuple[int, ...]]
"""How to multiply by a factor: steps (from, player's place, exponent, sum), weights of the sums."""


def program(factor: SetWays, places: tuple[int, ...]) -> Program:
    """The steps of a multiplication: a tree of products with powers, shared between vectors.

    Args:
        places: the players that have a digit, lowest first.

    Node 0 is the polynomial itself; step i makes node i + 1 from an earlier node, times x^exponent,
    and adds it to one of the sums (-1: to none), which are weighted and added up at the end.
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
        lanes: their number.
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
        """All bits of the lanes that survive multiplication with x^exponent."""
        hand, run = self._hands[place], self.strides[place] * self.width // 8
        keep = max(0, hand + 1 - exponent)
        pattern = b"\xff" * (run * keep) + bytes(run * (hand + 1 - keep))
        repeats = self.lanes // (self.strides[place] * (hand + 1))
        mask = self._masks[place, exponent] = int.from_bytes(pattern * repeats, "little")
        return mask

    def times(self, polynomial: int, factor: SetWays, power: int = 1) -> int:
        """The polynomial times a power of a factor. Raises `SolverTimeout` at the deadline."""
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
        """The lane of an exponent vector (which must be within the hands)."""
        return sum(
            [
                vector[player] * stride
                for player, stride in zip(self.places, self.strides, strict=True)
            ]
        )

    def lane(self, in_bytes: bytes, number: int) -> int:
        """One coefficient of a polynomial that was turned into bytes by `in_bytes`."""
        size = self.width // 8
        return int.from_bytes(in_bytes[number * size : number * size + size], "little")

    @staticmethod
    def in_bytes(polynomial: int) -> bytes:
        """The lanes one after another, little-endian, without zeros at the end."""
        return polynomial.to_bytes((polynomial.bit_length() + 7) // 8, "little")

    def before(self, polynomial: int, hands: Sequence[int], factor: SetWays) -> list[int]:
        """Per vector k of a factor, the polynomial's coefficient at hands - k."""
        in_bytes = self.in_bytes(polynomial)
        found = []
        for vector in factor.vectors:
            left = list(map(sub, hands, vector))
            found.append(0 if min(left) < 0 else self.lane(in_bytes, self.offset(left)))
        return found


__all__ = ["ExponentLanes", "Program", "program"]
