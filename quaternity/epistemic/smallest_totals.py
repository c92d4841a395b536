"""Dynamic programming for the smallest total cost of dealing the cards of all sets.

There are several options to deal each set. An option gives a number of cards to every player, and
has a cost. One option must be chosen for each set, so that every player gets a hand of the right
size. If options have several kinds of costs, the total of each kind is minimized separately. The
state of the dynamic program is the number of cards that each player has so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.int32]

INFINITE = 1 << 28
"""Value that stands for an infinite total cost. A total of at least this value means that no choice
of options gives every player the right number of cards."""


class Options(NamedTuple):
    """The ways to deal the cards of one set, with their costs.

    Option number n gives `counts[n, player]` cards to each player. An option has several costs, one
    of each kind: `costs[n, kind]`.
    """

    counts: Numbers
    costs: Numbers

    def with_kinds(self, kinds: Sequence[int]) -> Options:
        """Return the same options, with only the given kinds of costs."""
        return Options(self.counts, self.costs[:, list(kinds)])


def lower_bounds(steps: Sequence[Options]) -> Numbers:
    """Return a lower bound of the smallest total cost, for each kind of cost.

    The bound is the sum of each set's smallest cost. `steps` contains the options of each set.
    """
    smallest: Numbers = np.stack([step.costs.min(axis=0) for step in steps])
    return np.asarray(smallest.sum(axis=0), dtype=np.int32)


def smallest_totals(
    hands: Sequence[int], steps: Sequence[Options], max_work: float = float("inf")
) -> Numbers | None:
    """Return the smallest total cost of dealing all sets, for each kind of cost.

    `steps` contains the options of each set. One option of each set is chosen, so that every player
    gets the number of cards in `hands`. If no choice does this, the totals are at least `INFINITE`.
    The total size of the hands must be the number of cards in all sets. Return None if the product
    of the numbers of states, options and kinds of costs exceeds `max_work`.

    >>> counts = np.array([[1, 0], [0, 1]], dtype=np.int32)
    >>> steps = [Options(counts, np.array([[5], [1]], dtype=np.int32))] * 2
    >>> [int(smallest_totals(hands, steps)[0]) for hands in ((2, 0), (1, 1), (0, 2))]
    [10, 6, 2]
    """
    # The cards that every option gives are subtracted, so that the table of states stays small.
    bases = [step.counts.min(axis=0) for step in steps]
    room = np.array(hands) - np.sum(bases, axis=0, dtype=np.int32)
    kinds = steps[0].costs.shape[1] if steps else 1
    if room.min() < 0:
        return np.full(kinds, INFINITE, dtype=np.int32)
    # The numbers of cards of the other players determine that of the last player.
    axes = [player for player in range(len(room)) if player != int(room.argmax())]
    shape = tuple(int(room[player]) + 1 for player in axes)
    if prod(shape) * kinds * sum(len(x.counts) for x in steps) > max_work:
        return None
    totals = np.full((kinds, *shape), INFINITE, dtype=np.int32)
    totals.reshape(kinds, -1)[:, 0] = 0
    whole = slice(None)
    for options, base in zip(steps, bases, strict=True):
        after = np.full_like(totals, INFINITE)
        added = (options.counts - base)[:, axes].tolist()
        for more, costs in zip(added, options.costs, strict=True):
            if any(count >= size for count, size in zip(more, shape, strict=True)):
                continue
            comes: list[slice] = [slice(0, s - a) for a, s in zip(more, shape, strict=True)]
            goes: list[slice] = [slice(a, None) for a in more]
            reached = after[(whole, *goes)]
            column = costs.reshape(kinds, *[1 for _ in shape])
            np.minimum(reached, totals[(whole, *comes)] + column, out=reached)
        totals = after
    return totals.reshape(kinds, -1)[:, -1]
