"""What players may hold of a set, and weights on the ways to distribute its cards.

A way to distribute a set gives every player a *holding*, a bit mask of cards, so that each card is
held once: with P players and four cards there are P to the power of four ways. Cards that lie aside
are the holding of an additional player. Every piece of information concerns the holding of one
player at a time, so the weight of a way is the product of the weights of the players' holdings.
Weights are therefore arrays `[holding, player, ..., set]`, with weight 0 for impossible holdings.
The length of the first axis, two to the power of a set's cards, determines the `Tables` to use.

Sums over all ways do not need a list of the ways. The weights of two players are *joined* into the
weights of what they hold together, with 81 products for four cards. A tree of joins over the
players also gives what all players but one hold, in a few NumPy calls. Cost: about 3 P joins.
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
    """Return all parts of some masks, the rests, and a 0-1 matrix `[mask, part]` of belonging."""
    split = [
        (place, part, whole ^ part)
        for place, whole in enumerate(wholes)
        for part in range(whole + 1)
        if part & whole == part
    ]
    places, parts, rests = np.array(split).T
    return parts.copy(), rests.copy(), (places == np.arange(len(wholes))[:, None]).astype(float)


class Tables(NamedTuple):
    """The possible holdings of a set of one size, as bit masks of cards.

    Attributes:
        holds: `[mask, card]`, whether the card is held.
        counts: the number of cards in each holding.
        parts, rests, sums: the result of `parts_of` for all masks.
    """

    holds: npt.NDArray[np.bool_]
    counts: Floats
    parts: Integers
    rests: Integers
    sums: Floats


@lru_cache
def tables(masks: int) -> Tables:
    """Return the tables of sets with this number of holdings, from a cache."""
    cards = range(masks.bit_length() - 1)
    holds = np.array([[mask >> card & 1 for card in cards] for mask in range(masks)], bool)
    return Tables(holds, holds.sum(axis=1).astype(float), *parts_of(range(masks)))


def join_players(first: Floats, other: Floats) -> Floats:
    """Return the weights of what two players hold together; arrays `[holding, ...]`, broadcast."""
    masks = len(first)
    _, _, parts, rests, sums = tables(masks)
    products = first.take(parts, axis=0) * other.take(rests, axis=0)
    return (sums @ products.reshape(len(parts), -1)).reshape(masks, *products.shape[1:])


def tree(weights: Floats) -> list[Floats]:
    """Return the weights of single players, of pairs, of fours, and so on, up to two halves.

    Players who never hold anything fill up the number of players to a power of two.
    """
    players = weights.shape[1]
    level = np.zeros((len(weights), 1 << max(1, (players - 1).bit_length()), *weights.shape[2:]))
    level[:, :players] = weights
    level[0, players:] = 1
    levels = [level]
    while level.shape[1] > 2:
        level = join_players(level[:, 0::2], level[:, 1::2])
        levels.append(level)
    return levels


def others(weights: Floats) -> Floats:
    """Return the weights of what all other players hold together, `[holding, player, ...]`."""
    levels = tree(weights)
    outside = levels[-1][:, ::-1]
    for level in levels[-2::-1]:
        siblings = level.reshape(len(level), -1, 2, *level.shape[2:])[:, :, ::-1]
        outside = join_players(siblings, outside[:, :, None]).reshape(level.shape)
    return outside[:, : weights.shape[1]]


def holding_chances(weights: Floats) -> Floats:
    """Return the chances of each player's holdings, `[holding, player, ...]` like the weights."""
    chances = weights * others(weights)[::-1]
    chances /= chances[:, 0].sum(axis=0)
    return chances


def holding_chances_of(weights: Floats, player: int) -> Floats:
    """Return the chances of one player's holdings, `[holding, ...]`."""
    first, other = tree(without(weights, player))[-1].swapaxes(0, 1)
    chances = weights[:, player] * join_players(first, other)[::-1]
    chances /= chances.sum(axis=0)
    return chances


def without(weights: Floats, player: int) -> Floats:
    """Return weights with which a player holds nothing."""
    remaining = weights.copy()
    remaining[:, player] = 0
    remaining[0, player] = 1
    return remaining


def totals(weights: Floats) -> Floats:
    """Return the total weight `[..., set]` of all ways to distribute a set."""
    first, other = tree(weights)[-1].swapaxes(0, 1)
    total: Floats = (first * other[::-1]).sum(axis=0)
    return total


def likeliest(weights: Floats) -> Floats:
    """Return the weight `[..., set]` of the likeliest way to distribute a set."""
    weights = tree(weights)[0]
    _, _, parts, rests, _ = tables(len(weights))
    starts = np.flatnonzero(parts == 0)
    while weights.shape[1] > 1:
        products = weights[parts, 0::2] * weights[rests, 1::2]
        weights = np.maximum.reduceat(products, starts, axis=0)
    highest: Floats = weights[-1, 0]
    return highest


@lru_cache(maxsize=4096)
def possible_holdings(constraint: SetConstraint, with_cards: int, masks: int) -> Floats:
    """Return 1.0 for each allowed holding `[holding, player]`, else 0.0.

    A player who is not in the mask `with_cards` can hold nothing.
    """
    owners, low, high = constraint
    if not owners:
        return np.zeros((masks, len(low)))
    holds, count, *_ = tables(masks)
    fits = (np.array(low) <= count[:, None]) & (np.array(high) >= count[:, None])
    may = np.array(owners)[:, None] & with_cards & 1 << np.arange(len(low))
    fits &= holds @ (may == 0) == 0
    return fits.astype(float)
