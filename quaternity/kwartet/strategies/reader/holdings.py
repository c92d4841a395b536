"""What players may hold of a set, and weights on the ways to share out its cards.

A way to share out a set gives every player a *holding*, a bit mask of cards, so that each card is
held once: with P players and four cards there are P to the power of four. Cards that lie aside are
held by one more. What is known and what is read speaks of
one player's holding at a time, so the weight of a way is a product: of the weights of the players'
holdings. Weights are therefore arrays `[holding, player, ..., set]`; what cannot be has weight 0.
Their first length, two to the power of a set's cards, says which `Tables` belong to them.

Sums over all ways need no list of them. The weights of two players are *joined* to those of what
they hold between them, 81 products for four cards; in a tree over the players that makes, in a few
numpy calls, what everybody but one player holds, too. Cost: about 3 P joins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solvers.problem import SetConstraint

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


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


class Tables(NamedTuple):
    """What can be held of a set of one size, as bit masks of cards.

    Attributes:
        holds: `[mask, card]`.
        counts: cards in each holding.
        parts, rests, sums: as of `parts_of` for all masks.
    """

    holds: npt.NDArray[np.bool_]
    counts: Floats
    parts: Integers
    rests: Integers
    sums: Floats


@lru_cache
def tables(masks: int) -> Tables:
    """Return the tables of sets with so many holdings; made once."""
    cards = range(masks.bit_length() - 1)
    holds = np.array([[mask >> card & 1 for card in cards] for mask in range(masks)], bool)
    return Tables(holds, holds.sum(axis=1).astype(float), *parts_of(range(masks)))


def joined(first: Floats, other: Floats) -> Floats:
    """Weights of what two players hold together, of theirs; `[holding, ...]`, broadcast."""
    masks = len(first)
    _, _, parts, rests, sums = tables(masks)
    products = first.take(parts, axis=0) * other.take(rests, axis=0)
    return (sums @ products.reshape(len(parts), -1)).reshape(masks, *products.shape[1:])


def tree(weights: Floats) -> list[Floats]:
    """Return weights of each player, of neighbours together, of four, and so on up to two halves.

    Players who never hold anything fill their number up to a power of two.
    """
    players = weights.shape[1]
    level = np.zeros((len(weights), 1 << max(1, (players - 1).bit_length()), *weights.shape[2:]))
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
        neighbours = level.reshape(len(level), -1, 2, *level.shape[2:])[:, :, ::-1]
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
    _, _, parts, rests, _ = tables(len(weights))
    starts = np.flatnonzero(parts == 0)
    while weights.shape[1] > 1:
        products = weights[parts, 0::2] * weights[rests, 1::2]
        weights = np.maximum.reduceat(products, starts, axis=0)
    most: Floats = weights[-1, 0]
    return most


@lru_cache(maxsize=4096)
def possible(constraint: SetConstraint, with_cards: int, masks: int) -> Floats:
    """1.0 for the holdings `[holding, player]` that a constraint allows to who has cards at all."""
    owners, low, high = constraint
    if not owners:
        return np.zeros((masks, len(low)))
    holds, count, *_ = tables(masks)
    fits = (np.array(low) <= count[:, None]) & (np.array(high) >= count[:, None])
    may = np.array(owners)[:, None] & with_cards & 1 << np.arange(len(low))
    fits &= holds @ (may == 0) == 0
    return fits.astype(float)
