"""Weights of the cards of a set that players may hold, and sums over all ways to distribute it.

A *holding* is a bit mask of the cards of one set that a player may hold. A way to distribute the
set gives every player a holding, so that each card is held by one player. The cards set aside are
the holding of an additional player.

All known facts concern the holding of a single player. So the weight of a way is the product of the
weights of the players' holdings. These weights are arrays with the axes `[holding, player, ...,
set]`. An impossible holding has the weight 0. The length of the first axis is 2 to the power of the
set size, and selects the right `Tables`.

Sums over all ways do not need a list of the ways. Instead, the weights of two players are *joined*:
the result contains the weights of the cards that the two players hold together. A binary tree of
joins gives, for each player, the weights of what all other players hold together. This takes about
3 P joins for P players. With sets of four cards, a join takes 81 products.
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
    """Return all ways to split each of the given bit masks into two parts.

    The first result contains one part for each way, and the second result the other part. The third
    result is a matrix `[mask, way]` that is 1 if the way splits the mask, and 0 otherwise.
    """
    split = [
        (place, part, whole ^ part)
        for place, whole in enumerate(wholes)
        for part in range(whole + 1)
        if part & whole == part
    ]
    places, parts, rests = np.array(split).T
    return parts.copy(), rests.copy(), (places == np.arange(len(wholes))[:, None]).astype(float)


class Tables(NamedTuple):
    """Properties of all bit masks of cards of a set, for one set size.

    Attributes:
        holds: `[mask, card]`, whether the mask contains the card.
        counts: the number of cards in each mask.
        parts, rests, sums: the result of `parts_of` for all masks.
    """

    holds: npt.NDArray[np.bool_]
    counts: Floats
    parts: Integers
    rests: Integers
    sums: Floats


@lru_cache
def tables(masks: int) -> Tables:
    """Return the `Tables` for a set size. `masks` is 2 to the power of the set size."""
    cards = range(masks.bit_length() - 1)
    holds = np.array([[mask >> card & 1 for card in cards] for mask in range(masks)], bool)
    return Tables(holds, holds.sum(axis=1).astype(float), *parts_of(range(masks)))


def join_players(first: Floats, other: Floats) -> Floats:
    """Return how likely two players are to hold each combination of cards together.

    The arguments say how likely each player is to hold each combination. All arrays have the axes
    `[holding, ...]`, where a holding is the bit mask of a combination. They contain weights
    (relative probabilities). The other axes are broadcast as in NumPy.
    """
    masks = len(first)
    _, _, parts, rests, sums = tables(masks)
    products = first.take(parts, axis=0) * other.take(rests, axis=0)
    return (sums @ products.reshape(len(parts), -1)).reshape(masks, *products.shape[1:])


def tree(weights: Floats) -> list[Floats]:
    """Return how likely groups of 1, 2, 4, ... players are to hold each combination of cards.

    The list contains arrays of weights `[holding, group, ...]`: first for single players, then for
    pairs, then for groups of four, until there are two groups. A holding is a bit mask of cards.
    Additional players without cards make the number of players a power of two.
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
    """Return how likely all players but one are to hold each combination of cards together.

    The result is an array of weights `[holding, player, ...]`, where `player` is the player who is
    left out, and a holding is a bit mask of cards. The argument has the same axes, and says how
    likely each player is to hold each combination.
    """
    levels = tree(weights)
    outside = levels[-1][:, ::-1]
    for level in levels[-2::-1]:
        siblings = level.reshape(len(level), -1, 2, *level.shape[2:])[:, :, ::-1]
        outside = join_players(siblings, outside[:, :, None]).reshape(level.shape)
    return outside[:, : weights.shape[1]]


def holding_chances(weights: Floats) -> Floats:
    """Return the probability that each player has each holding, given that each card has one owner.

    A holding is a bit mask of the cards of a set that a player has. `weights` says how likely each
    holding is without regard to the other players. The result has the same axes.
    """
    chances = weights * others(weights)[::-1]
    chances /= chances[:, 0].sum(axis=0)
    return chances


def holding_chances_of(weights: Floats, player: int) -> Floats:
    """Return the probability that one player has each holding, as an array `[holding, ...]`.

    See `holding_chances`, which computes the probabilities for all players.
    """
    first, other = tree(without(weights, player))[-1].swapaxes(0, 1)
    chances = weights[:, player] * join_players(first, other)[::-1]
    chances /= chances.sum(axis=0)
    return chances


def without(weights: Floats, player: int) -> Floats:
    """Return a copy of weights `[holding, player, ...]` in which a player cannot hold a card."""
    remaining = weights.copy()
    remaining[:, player] = 0
    remaining[0, player] = 1
    return remaining


def totals(weights: Floats) -> Floats:
    """Return the total weight of all ways to distribute each set, with the axes `[..., set]`.

    The weight of a way is the product of the given weights of the players' holdings.
    """
    first, other = tree(weights)[-1].swapaxes(0, 1)
    total: Floats = (first * other[::-1]).sum(axis=0)
    return total


def likeliest(weights: Floats) -> Floats:
    """Return the weight of the likeliest way to distribute each set, as an array `[..., set]`."""
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
    """Return which cards of a set each player may hold, as an array `[holding, player]`.

    A holding is a bit mask of cards. The value is 1.0 if the player may hold exactly these cards,
    and otherwise 0.0. `constraint` is what is known about the set. Players who are not in the bit
    mask `with_cards` hold no cards. `masks` is 2 to the power of the set size.
    """
    owners, low, high = constraint
    if not owners:
        return np.zeros((masks, len(low)))
    holds, count, *_ = tables(masks)
    fits = (np.array(low) <= count[:, None]) & (np.array(high) >= count[:, None])
    may = np.array(owners)[:, None] & with_cards & 1 << np.arange(len(low))
    fits &= holds @ (may == 0) == 0
    return fits.astype(float)
