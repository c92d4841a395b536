"""Count tables without a correct triple, of all sizes at once, at a value modulo a prime.

Let free(n) be the number of tables of n cards without a correct triple, and Z(t) the sum of
free(n) t^n. Cut the deck by its first two digits into a 3 x 3 array of *blocks* of nine cards. A
correct triple has one card in each of three blocks that share no row and no column. Let a table
have the cards X_0, X_1, X_2 in the blocks of the first row, Y_0, Y_1, Y_2 in those of the second,
and Z_0, Z_1, Z_2 in those of the third. With T_X[Y, Z] = 0 if X, Y and Z (parts of a block) hold a
triple and 1 if they do not, the six ways to choose three blocks form a ring,

    Y_0 - X_2 - Z_1 - X_0 - Y_2 - X_1 - Z_0 - X_2 - Y_1 - X_0 - Z_2 - X_1 - Y_0,

so the sum over all Y and Z is a trace: with the weights D = diag(t^cards),

    Z(t) = sum over (X_0, X_1, X_2) of t^cards * trace (T_{X_2} D T_{X_0} D T_{X_1} D)^2.

The 512 x 512 matrices T_X have small ranks: T_X[Y, Z] asks whether Z avoids the cards F(X, Y) that
X and Y forbid, and there are mostly about 60 different F(X, Y). Up to renaming there are
111,618 first rows (X_0, X_1, X_2).
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from quaternity.ternary.counting_by_layers import LAYER_CARDS, kinds

BLOCK = 9
PARTS = 1 << BLOCK

Matrix = NDArray[np.float64]


def evaluate(t: int, prime: int) -> int:
    """Return Z(t) mod a prime below 2^22 (so that sums of products are exact in floating point)."""
    assert prime < 1 << 22
    weights = np.array([pow(t, part.bit_count(), prime) for part in range(PARTS)], dtype=float)
    links = _Links(weights, prime)
    total = 0
    for cards, alike in first_rows():
        first, second, last = (cards >> BLOCK * block & PARTS - 1 for block in range(3))
        ring = links.step(last, first) @ links.step(first, second) % prime
        ring = ring @ links.step(second, last) % prime
        trace = int((ring * ring.T % prime).sum())
        total += alike * pow(t, cards.bit_count(), prime) * trace
    return total % prime


def first_rows() -> Iterator[tuple[int, int]]:
    """Yield one part of a layer of each kind, as a set of bits, and the number of parts like it."""
    everything = (1 << LAYER_CARDS) - 1
    for size in range(LAYER_CARDS // 2 + 1):
        for cards, alike in kinds(size):
            bits = sum(1 << card for card in cards)
            yield bits, alike
            yield everything ^ bits, alike


class _Links:
    """The matrices V_X D U_X' of the ring, where T_X = U_X V_X over the different F(X, Y)."""

    def __init__(self, weights: Matrix, prime: int) -> None:
        self._prime = prime
        parts = np.arange(PARTS)
        forbidden = _forbidden()
        self._avoiding: list[Matrix] = []
        self._order: list[NDArray[np.int64]] = []
        self._starts: list[NDArray[np.int64]] = []
        for row in forbidden:
            values, kind = np.unique(row, return_inverse=True)
            order = np.argsort(kind, kind="stable")
            self._order.append(order)
            self._starts.append(np.searchsorted(kind[order], np.arange(len(values))))
            self._avoiding.append(((values[:, None] & parts) == 0) * weights)

    def step(self, before: int, after: int) -> Matrix:
        """Return the weight of all parts Z by F(before, ·), the row, and F(after, ·), the column.

        Z has to avoid the first and to give the second.
        """
        columns = self._avoiding[before][:, self._order[after]]
        sums: Matrix = np.add.reduceat(columns, self._starts[after], axis=1)
        return sums % self._prime


@cache
def _forbidden() -> NDArray[np.int64]:
    """Return F(X, Y), the cards of a block that complete a triple with a card of X and one of Y."""
    forbidden = np.zeros((PARTS, PARTS), dtype=np.int64)
    for x in range(BLOCK):
        for y in range(BLOCK):
            if x // 3 != y // 3 and x % 3 != y % 3:
                last = 3 * (3 - x // 3 - y // 3) + 3 - x % 3 - y % 3
                with_x = np.arange(PARTS) >> x & 1
                with_y = np.arange(PARTS) >> y & 1
                forbidden |= (with_x[:, None] & with_y) << last
    return forbidden


__all__ = ["evaluate", "first_rows"]
