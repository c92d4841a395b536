"""Game trees of small games, stored as NumPy arrays for exact algorithms.

The nodes of a tree are called moments. They are ordered by depth, so that NumPy can process all
moments of the same depth together. Two moments are in the same information set if the player to act
has seen the same events in both. Players therefore have perfect recall.
"""

from __future__ import annotations

from itertools import compress
from typing import NamedTuple

import numpy as np

from quaternity.base.errors import LimitError
from quaternity.environments.episode import ChanceNode, Episode, TableGame

MAX_TREE_MOMENTS = 3_000_000
"""Default maximum number of moments (nodes) in a tree. A moment takes about 200 bytes of memory and
30 microseconds."""

CHANCE, OVER = -1, -2
"""Values of `GameTree.player` if chance decides at a node, and if the game is over there."""


class InformationSet(NamedTuple):
    """A set of moments (nodes) that the player to act cannot distinguish.

    Attributes:
        player: The player to act.
        memory_text: Everything that the player has seen.
        first: Number of the first choice in the set. A choice is an action in a given set.
        moment: A representative moment of the set.
    """

    player: int
    memory_text: str
    actions: tuple[int, ...]
    first: int
    moment: Episode


class GameTree:
    """All moments (nodes) of a game, stored in arrays.

    Attributes:
        information_sets: The information sets of all players.
        player: The player to act at each moment, `CHANCE` or `OVER`.
        parent: The parent of each moment. The root is its own parent.
        action: The action or draw that led to each moment, or -1 for the root.
        choice: The choice that led to each moment, or -1 for the root and after chance. A choice is
            an action in a given information set.
        chance: The probability of the draw that led to each moment, or 1 for the root and after a
            player's choice.
        information_set: The information set of each moment, or -1 if no player is to act.
        returns: The return of each player at each moment, which is 0 before the end.
        levels: For each depth in the tree, the slice of its moments.
        set_of: The information set of each choice.
        owner: The player of each choice.
    """

    def __init__(self, game: TableGame, limit: int = MAX_TREE_MOMENTS) -> None:
        """Build the tree of a game.

        Raise `LimitError` if the tree has more than `limit` nodes. The error is raised as soon as
        this is known.
        """
        self.game = game
        self.information_sets: list[InformationSet] = []
        self.levels: list[slice] = []
        self._numbers: dict[str, int] = {}
        rows: list[tuple[int, int, int, float]] = []
        players, places, ends = [], [], []
        level: list[ChanceNode | Episode] = [game.root()]
        edges: list[tuple[int, int, int, float]] = [(0, -1, -1, 1.0)]
        while level:
            first = len(rows)
            rows += edges
            self.levels.append(slice(first, len(rows)))
            following, edges = [], []
            for number, moment in enumerate(level, first):
                player, place, choices = self._expand(moment)
                players.append(player)
                places.append(place)
                if player == OVER:
                    assert isinstance(moment, Episode), (
                        "only an episode can end; a chance node cannot"
                    )
                    ends.append((number, moment.returns()))
                for action, choice, chance in choices:
                    following.append(moment.after(action))
                    edges.append((number, action, choice, chance))
                if len(rows) + len(edges) > limit:
                    raise LimitError(
                        f"the game tree has more than {limit} nodes; choose a smaller game"
                    )
            level = following
        columns = tuple(np.array(column) for column in zip(*rows, strict=True))
        self.parent, self.action, self.choice, self.chance = columns
        self.player, self.information_set = np.array(players), np.array(places)
        self.returns = np.zeros((len(rows), game.seats))
        for number, returns in ends:
            self.returns[number] = returns
        sizes = [len(known.actions) for known in self.information_sets]
        self.choices = sum(sizes)
        self.set_of = np.repeat(np.arange(len(sizes)), sizes)
        self.owner = np.array([known.player for known in self.information_sets], int)[self.set_of]

    def __len__(self) -> int:
        return len(self.parent)

    def _expand(
        self, moment: ChanceNode | Episode
    ) -> tuple[int, int, list[tuple[int, int, float]]]:
        if isinstance(moment, ChanceNode):
            return CHANCE, -1, [(action, -1, chance) for action, chance in moment.outcomes]
        if moment.seat is None:
            return OVER, -1, []
        remembered = moment.memory_text(moment.seat)
        place = self._numbers.setdefault(remembered, len(self.information_sets))
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
