"""Every way to share out the four cards of a set, numbered, and arrays that go with the numbers.

An assignment of a set gives each of its cards to a player; with P players there are P to the power
of four. Its number has the owner of card 0 as its first digit to the base P. Weights of sets are
arrays `[set, assignment]`; what cannot be has weight 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from quaternity.kwartet.hands import FULL
from quaternity.kwartet.settings import SET_SIZE
from solvers.problem import SetConstraint

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MASKS = FULL + 1
"""What a player may hold of a set: bit masks of cards."""

HOLDS = np.array([[mask >> card & 1 for card in range(SET_SIZE)] for mask in range(MASKS)], bool)
"""`[mask, card]`."""


class Grouping(NamedTuple):
    """How assignments are summed up by (what one player holds, card, owner of the card)."""

    order: Integers
    starts: Integers
    groups: Integers


class Assignments:
    """The assignments among some players.

    Attributes:
        players: how many.
        owner: `[card, assignment]`.
        count: `[assignment, player]`, cards held.
        mask: `[player, assignment]`, cards held as a bit mask.
        holding: `[player, assignment, mask]`, 1.0 where the player holds just that.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        number = np.arange(players**SET_SIZE)
        digits = [number // players ** (SET_SIZE - 1 - card) % players for card in range(SET_SIZE)]
        self.owner: Integers = np.array(digits)
        held = self.owner[:, None, :] == np.arange(players)[None, :, None]
        self.count: Floats = held.sum(axis=0).T.astype(float)
        self.mask: Integers = (held * (1 << np.arange(SET_SIZE))[:, None, None]).sum(axis=0)
        self.holding: Floats = (self.mask[:, :, None] == np.arange(MASKS)).astype(float)
        self._groupings = [self._grouping(player) for player in range(players)]

    def _grouping(self, player: int) -> Grouping:
        """Groups are numbered (mask * SET_SIZE + card) * players + owner."""
        card = np.arange(SET_SIZE)[:, None]
        groups = (self.mask[player] * SET_SIZE + card) * self.players + self.owner
        order = np.argsort(groups.ravel(), kind="stable")
        found, starts = np.unique(groups.ravel()[order], return_index=True)
        return Grouping(order % self.owner.shape[1], starts, found)

    def by_holding(self, weights: Floats, player: int) -> Floats:
        """Weights `[..., assignment]` summed up: `[..., mask, card, owner]`."""
        order, starts, groups = self._groupings[player]
        shape = (MASKS, SET_SIZE, self.players)
        sums = np.zeros((*weights.shape[:-1], MASKS * SET_SIZE * self.players))
        sums[..., groups] = np.add.reduceat(weights[..., order], starts, axis=-1)
        return sums.reshape((*weights.shape[:-1], *shape))

    def moved(self, weights: Floats, card: int, giver: int, taker: int) -> Floats:
        """The weights of a set after a card went from one player to another."""
        before = weights.reshape((self.players,) * SET_SIZE)
        after = np.zeros_like(before)
        place: tuple[Any, ...] = (slice(None),) * card
        after[(*place, taker)] = before[(*place, giver)]
        return after.ravel()

    @lru_cache(maxsize=4096)  # noqa: B019  # there is one of these a number of players, for ever
    def possible(self, constraint: SetConstraint, with_cards: int) -> npt.NDArray[np.bool_]:
        """Which assignments a set's constraint allows among players who hold cards at all."""
        if not constraint.owners:
            return np.zeros(self.players**SET_SIZE, bool)
        fits: npt.NDArray[np.bool_] = np.ones(self.players**SET_SIZE, bool)
        fits &= (self.count >= constraint.low).all(axis=1)
        fits &= (self.count <= constraint.high).all(axis=1)
        for card, owners in enumerate(constraint.owners):
            fits &= (owners & with_cards) >> self.owner[card] & 1 == 1
        return fits


@lru_cache(maxsize=8)
def assignments_among(players: int) -> Assignments:
    """The assignments among so many players; made once. Cost: players^4 rows."""
    return Assignments(players)


__all__ = ["HOLDS", "MASKS", "Assignments", "Floats", "assignments_among"]
