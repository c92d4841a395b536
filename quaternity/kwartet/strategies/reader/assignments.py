"""Every way to share out the four cards of a set, numbered, and arrays that go with the numbers.

An assignment of a set gives each of its cards to a player; with P players there are P to the power
of four. Its number has the owner of card 0 as its first digit to the base P. Weights of sets are
arrays `[set, assignment]`; what cannot be has weight 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

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


_ORDERS = ((0, 3, 4, 2, 1), (0, 3, 4, 1, 2), (0, 4, 2, 1, 3), (0, 3, 2, 1, 4))
"""Per card of `by_holding`: who holds the other cards, the highest first, then its own owner."""


class Assignments:
    """The assignments among some players.

    Attributes:
        players: how many.
        owner: `[card, assignment]`.
        count: `[assignment, player]`, cards held.
        mask: `[player, assignment]`, cards held as a bit mask.
        holding: `[player, assignment, mask]`, 1.0 where the player holds just that.
        pairs: `[assignment, player * players + other]`, products of counts.
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
        self.pairs: Floats = (self.count[:, :, None] * self.count[:, None, :]).reshape(
            -1, players**2
        )

    def by_holding(self, weights: Floats, player: int) -> Floats:
        """Weights `[..., assignment]` summed up: `[..., mask, card, owner]`.

        Card by card all owners but one are summed up, so the cost is a pass or two.
        """
        owners, rows = self.players, weights.size // self.owner.shape[1]
        split = np.zeros((owners, 2))
        split[:, 0] = np.arange(owners) != player
        split[player, 1] = 1
        # Of cards a, b, c, d these are [row, a, owner b, c, d] and so on; then two more at a time.
        late = (weights.reshape(-1, owners) @ split).reshape(-1, owners, 2).swapaxes(1, 2)
        late = (late.reshape(-1, owners) @ split).reshape(rows, owners, owners * 4)
        early = split.T @ weights.reshape(rows, owners, owners**3)
        early = split.T @ early.reshape(rows * 2, owners, owners**2)
        sums = np.zeros((rows, 2, 2, 2, 2, SET_SIZE, owners))
        by_card = (
            (split.T @ late.reshape(-1, owners, 4)).reshape(rows, owners, 2, 2, 2),
            (split.T @ late).reshape(rows, 2, owners, 2, 2),
            (early.reshape(-1, owners) @ split).reshape(rows, 2, 2, owners, 2),
            (split.T @ early.reshape(-1, owners, owners)).reshape(rows, 2, 2, 2, owners),
        )
        for card, (part, order) in enumerate(zip(by_card, _ORDERS, strict=True)):
            known = part.transpose(order)
            place: list[Any] = [slice(None)] * (1 + SET_SIZE)
            place[SET_SIZE - card] = 0
            sums[(*place, card)] = known
            sums[(*place, card, player)] = 0
            place[SET_SIZE - card] = 1
            sums[(*place, card, player)] = known[..., player]
        return sums.reshape((*weights.shape[:-1], MASKS, SET_SIZE, owners))

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
