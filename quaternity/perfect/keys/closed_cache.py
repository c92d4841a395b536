"""A cache of closed kinds for work on many states at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.perfect.keys.kind_arrays import KindArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT_BITS = 20
"""The logarithm of how many closed kinds are kept, at 12 bytes each."""

_SPREAD = 0x9E3779B97F4A7C15
"""An odd number whose multiples spread over the words (Knuth's multiplicative hashing)."""


class Closings:
    """What closing makes of a kind and the needs of the other sets, as far as lately met.

    A cache with one place for each remainder of a product: what is not there is worked out, and
    takes the place of what was.
    """

    def __init__(self, kinds: KindArrays) -> None:
        self._kinds = kinds
        self._known = np.full(1 << KEPT_BITS, -1, np.int64)
        self._closed = np.zeros(1 << KEPT_BITS, np.int32)

    def get(self, alike: NDArray[Any], places: NDArray[Any], needs: NDArray[Any]) -> NDArray[Any]:
        """The closed kinds. `alike` is a number for each pair of a kind and needs."""
        slots = (alike.astype(np.uint64) * np.uint64(_SPREAD)) >> np.uint64(64 - KEPT_BITS)
        closed: NDArray[Any] = self._closed[slots]
        missing = np.nonzero(self._known[slots] != alike)[0]
        if len(missing):
            numbers, chosen, inverse = np.unique(
                alike[missing], return_index=True, return_inverse=True
            )
            rows = missing[chosen]
            found = self._kinds.closed(places[rows], needs[rows])
            closed[missing] = found[inverse]
            self._known[slots[rows]] = numbers
            self._closed[slots[rows]] = found
        return closed


__all__ = ["KEPT_BITS", "Closings"]
