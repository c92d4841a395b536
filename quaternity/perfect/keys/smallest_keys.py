"""The smallest names for many positions at once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.perfect.keys.coding import Coding
from quaternity.perfect.keys.kind_arrays import KindArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(slots=True)
class Positions:
    """Positions with any names, on the way to canonical ones. Rows of arrays.

    Attributes:
        kinds: [position, set], places of closed kinds.
        hands, points: [position, player].
        first: [position, player], who may be named role 0.
        place: per position, see `quaternity.perfect.keys.coding.Parts`.
        rank: [position, player]: the other roles are given out by ascending rank.
    """

    kinds: NDArray[Any]
    hands: NDArray[Any]
    points: NDArray[Any]
    first: NDArray[Any]
    place: NDArray[Any]
    rank: NDArray[Any]

    def joined(self, other: Positions) -> Positions:
        """These positions and the others."""
        if not len(other.kinds):
            return self
        names = [one.name for one in fields(self)]
        return Positions(
            *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names)
        )


def smallest_keys(
    code: Coding, kinds: KindArrays, positions: Positions
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The words of the smallest keys, and the numbers of the orders of roles that give them.

    As `quaternity.perfect.keys.canonical` for single states; the tests hold the two equal.
    """
    best = np.full((len(positions.kinds), code.words), np.iinfo(np.uint64).max)
    best_order = np.zeros(len(best), np.uint8)
    for order, roles in enumerate(kinds.orders):
        fits = positions.first[:, roles[0]].copy()
        for one, two in pairwise(roles[1:]):
            fits &= positions.rank[:, one] <= positions.rank[:, two]
        rows = np.nonzero(fits)[0]
        if not len(rows):
            continue
        renamed = kinds.renamed(positions.kinds[rows], order)
        numbers = np.sort(kinds.number[renamed], axis=1)
        words = np.zeros((len(rows), code.words), np.uint64)
        values = [positions.place[rows]]
        values += [positions.hands[rows, role] for role in roles[1:]]
        values += [positions.points[rows, role] for role in roles[1:]]
        values += [numbers[:, index] for index in range(code.rules.sets)]
        for (word, shift), value in zip(code.fields, values, strict=True):
            words[:, word] |= value.astype(np.uint64) << np.uint64(shift)
        smaller = _smaller(words, best[rows])
        best[rows[smaller]] = words[smaller]
        best_order[rows[smaller]] = order
    return best, best_order


def _smaller(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    """Where the words of one are smaller, the first word counting most."""
    smaller = np.zeros(len(one), bool)
    equal = np.ones(len(one), bool)
    for word in range(one.shape[1]):
        smaller |= equal & (one[:, word] < two[:, word])
        equal &= one[:, word] == two[:, word]
    return smaller


__all__ = ["Positions", "smallest_keys"]
