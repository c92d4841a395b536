"""A small game as arrays, for exact algorithms: every moment, every information set.

Moments stand level by level, children of a moment side by side, so that algorithms walk up and down
in one step of NumPy a level. An information set is what `Episode.remembered` says to its player,
as in OpenSpiel; recall is perfect.
"""

from __future__ import annotations

from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quaternity.base.errors import LimitError
from quaternity.environments.episode import Dealing, Episode, TableGame

MAX_TREE_MOMENTS = 3_000_000
"""Default maximum number of moments in a tree; each takes about 200 bytes and 30 microseconds."""

CHANCE, OVER = -1, -2
"""Players that are none."""

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class InformationSet(NamedTuple):
    """Moments that are the same to the player who is to act.

    Attributes:
        remembered: all that the player has ever seen.
        actions: the legal ones.
        first: the number of its first choice; a choice is an action in an information set.
        moment: one of them.
    """

    player: int
    remembered: str
    actions: tuple[int, ...]
    first: int
    moment: Episode


class GameTree:
    """All moments of a game.

    Attributes:
        game: what it is a tree of.
        information_sets: of all players.
        player: per moment who is to act, `CHANCE` or `OVER`.
        parent: per moment the one before; of the first one itself.
        action: per moment the number of what led to it, -1 for the first.
        choice: per moment the choice that led to it, -1 after chance.
        chance: per moment the probability that chance leads there from its parent, else 1.
        at: per moment its information set, -1 if nobody is to act.
        returns: [moment, player], 0 before the end.
        levels: per level its moments.
        choices: how many there are.
        set_of, owner: per choice its information set and player.
    """

    def __init__(self, game: TableGame, most: int = MAX_TREE_MOMENTS) -> None:
        """Build all moments of a game.

        Raises:
            LimitError: there are more than `most`; said as soon as so many are met.
        """
        self.game = game
        self.information_sets: list[InformationSet] = []
        self.levels: list[slice] = []
        self._known: dict[str, int] = {}
        rows: list[tuple[int, int, int, float]] = []
        players, places, ends = [], [], []
        level: list[Dealing | Episode] = [game.root()]
        edges: list[tuple[int, int, int, float]] = [(0, -1, -1, 1.0)]
        while level:
            first = len(rows)
            rows += edges
            self.levels.append(slice(first, len(rows)))
            following, edges = [], []
            for number, moment in enumerate(level, first):
                player, place, choices = self._looked_at(moment)
                players.append(player)
                places.append(place)
                if player == OVER:
                    assert isinstance(moment, Episode), "only an episode ends"
                    ends.append((number, moment.returns()))
                for action, choice, chance in choices:
                    following.append(moment.after(action))
                    edges.append((number, action, choice, chance))
                if len(rows) + len(edges) > most:
                    raise LimitError(f"the game has more than {most} moments: choose a smaller one")
            level = following
        columns = tuple(np.array(column) for column in zip(*rows, strict=True))
        self.parent, self.action, self.choice, self.chance = columns
        self.player, self.at = np.array(players), np.array(places)
        self.returns = np.zeros((len(rows), game.seats))
        for number, returns in ends:
            self.returns[number] = returns
        sizes = [len(known.actions) for known in self.information_sets]
        self.choices = sum(sizes)
        self.set_of = np.repeat(np.arange(len(sizes)), sizes)
        self.owner = np.array([known.player for known in self.information_sets], int)[self.set_of]

    def __len__(self) -> int:
        return len(self.parent)

    def _looked_at(
        self, moment: Dealing | Episode
    ) -> tuple[int, int, list[tuple[int, int, float]]]:
        """Return who is to act, the information set, and actions with choice and chance."""
        if isinstance(moment, Dealing):
            return CHANCE, -1, [(action, -1, chance) for action, chance in moment.outcomes]
        if moment.seat is None:
            return OVER, -1, []
        remembered = moment.remembered(moment.seat)
        place = self._known.setdefault(remembered, len(self.information_sets))
        if place == len(self.information_sets):
            actions = tuple(compress(range(len(moment.mask)), moment.mask))
            before = self.information_sets[-1:]
            first = before[0].first + len(before[0].actions) if before else 0
            self.information_sets.append(
                InformationSet(moment.seat, remembered, actions, first, moment)
            )
        known = self.information_sets[place]
        choices = [(action, known.first + nth, 1.0) for nth, action in enumerate(known.actions)]
        return moment.seat, place, choices

    def uniform(self) -> Floats:
        """Return per choice the probability when any legal action is as likely as another."""
        return self.normalized(np.zeros(self.choices))

    def normalized(self, weights: Floats) -> Floats:
        """Return per choice its share of the weights in its information set; even if all are 0."""
        sums = np.bincount(self.set_of, weights, len(self.information_sets))
        sizes = np.bincount(self.set_of, minlength=len(self.information_sets))
        even = 1 / sizes[self.set_of]
        sums = sums[self.set_of]
        return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), even)
