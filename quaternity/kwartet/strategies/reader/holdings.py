"""What players may hold of a set, and weights on the ways to share out its four cards.

A way to share out a set gives every player a *holding*, a bit mask of cards, so that each card is
held once: with P players there are P to the power of four. What is known and what is read speaks of
one player's holding at a time, so the weight of a way is a product: of the weights of the players'
holdings. Weights are therefore arrays `[holding, player, ..., set]`; what cannot be has weight 0.

Sums over all ways need no list of them. The weights of two players are *joined* to those of what
they hold between them, 81 products; in a tree over the players that makes, in a few numpy calls,
what everybody but one player holds, too. Cost: about 3 P joins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from quaternity.kwartet.settings import SET_SIZE
from solvers.problem import SetConstraint

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

FULL = (1 << SET_SIZE) - 1
MASKS = FULL + 1
"""What a player may hold of a set: bit masks of cards."""

HOLDS = np.array([[mask >> card & 1 for card in range(SET_SIZE)] for mask in range(MASKS)], bool)
"""`[mask, card]`."""

COUNT: Floats = HOLDS.sum(axis=1).astype(float)
"""Cards in each holding."""


def parts_of(wholes: Sequence[int]) -> tuple[Integers, Integers, Floats]:
    """Every part of some masks and the rest of its mask; and which belong to which mask, 0 or 1."""
    split = [
        (place, part, whole ^ part)
        for place, whole in enumerate(wholes)
        for part in range(whole + 1)
        if part & whole == part
    ]
    places, parts, rests = np.array(split).T
    return parts.copy(), rests.copy(), (places == np.arange(len(wholes))[:, None]).astype(float)


_PARTS, _RESTS, _SUM = parts_of(range(MASKS))


def joined(first: Floats, other: Floats) -> Floats:
    """Weights of what two players hold together, of theirs; `[holding, ...]`, broadcast."""
    products = first.take(_PARTS, axis=0) * other.take(_RESTS, axis=0)
    return (_SUM @ products.reshape(len(_PARTS), -1)).reshape(MASKS, *products.shape[1:])


def tree(weights: Floats) -> list[Floats]:
    """Return weights of each player, of neighbours together, of four, and so on up to two halves.

    Players who never hold anything fill their number up to a power of two.
    """
    players = weights.shape[1]
    level = np.zeros((MASKS, 1 << max(1, (players - 1).bit_length()), *weights.shape[2:]))
    level[:, :players] = weights
    level[0, players:] = 1
    levels = [level]
    while level.shape[1] > 2:
        level = joined(level[:, 0::2], level[:, 1::2])
        levels.append(level)
    return levels


def others(weights: Floats) -> Floats:
    """Return what all but one player hold together, as weights `[holding, player, ...]`."""
    levels = tree(weights)
    outside = levels[-1][:, ::-1]
    for level in levels[-2::-1]:
        neighbours = level.reshape(MASKS, -1, 2, *level.shape[2:])[:, :, ::-1]
        outside = joined(neighbours, outside[:, :, None]).reshape(level.shape)
    return outside[:, : weights.shape[1]]


def held_by_all(weights: Floats) -> Floats:
    """Return the chance of each player's holdings, `[holding, player, ...]` as the weights."""
    chances = weights * others(weights)[::-1]
    chances /= chances[:, 0].sum(axis=0)
    return chances


def held_by(weights: Floats, player: int) -> Floats:
    """Return the chance of one player's holdings, `[holding, ...]`."""
    first, other = tree(without(weights, player))[-1].swapaxes(0, 1)
    chances = weights[:, player] * joined(first, other)[::-1]
    chances /= chances.sum(axis=0)
    return chances


def without(weights: Floats, player: int) -> Floats:
    """Weights with which a player holds nothing."""
    remaining = weights.copy()
    remaining[:, player] = 0
    remaining[0, player] = 1
    return remaining


def totals(weights: Floats) -> Floats:
    """Return the sum `[..., set]` over all ways to share out a set."""
    first, other = tree(weights)[-1].swapaxes(0, 1)
    whole: Floats = (first * other[::-1]).sum(axis=0)
    return whole


def likeliest(weights: Floats) -> Floats:
    """Return the weight `[..., set]` of the likeliest way to share out a set."""
    weights = tree(weights)[0]
    starts = np.flatnonzero(_PARTS == 0)
    while weights.shape[1] > 1:
        products = weights[_PARTS, 0::2] * weights[_RESTS, 1::2]
        weights = np.maximum.reduceat(products, starts, axis=0)
    most: Floats = weights[FULL, 0]
    return most


@lru_cache(maxsize=4096)
def possible(constraint: SetConstraint, with_cards: int) -> Floats:
    """1.0 for the holdings `[holding, player]` that a constraint allows to who has cards at all."""
    owners, low, high = constraint
    if not owners:
        return np.zeros((MASKS, len(low)))
    fits = (np.array(low) <= COUNT[:, None]) & (np.array(high) >= COUNT[:, None])
    may = np.array(owners)[:, None] & with_cards & 1 << np.arange(len(low))
    fits &= HOLDS @ (may == 0) == 0
    return fits.astype(float)
