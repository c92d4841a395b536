"""The graph of a game: all canonical states that can follow from one, and what leads where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.errors import InputError
from quaternity.perfect.keys.coding import Coding, Key, Rules, coding
from quaternity.perfect.keys.key_arrays import Keys, found_at, key_array, key_bytes
from quaternity.perfect.solving.graph_files import WorkDirectory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Segment:
    """Some states of a graph with their questions.

    Attributes:
        states: their numbers.
        first: per state, where its questions begin; each has at least one. In states in which
            chance is on turn, the questions are what it can choose.
        asked: per question the role that answers.
        no, yes: per question the state after the answer; the other one where an answer is illegal.
        no_order, yes_order: the orders of roles (see
            `quaternity.perfect.successors.many_states.Expansion`).
    """

    states: NDArray[np.uint32]
    first: NDArray[np.int64]
    asked: NDArray[np.uint8]
    no: NDArray[np.uint32]
    yes: NDArray[np.uint32]
    no_order: NDArray[Any]
    yes_order: NDArray[Any]


COLUMNS = ("states", "counts", "asked", "no", "yes", "no_order", "yes_order")


@dataclass(frozen=True, slots=True)
class GameGraph:
    """All states that can follow from one, numbered in the order of their keys.

    Attributes:
        rules: of the game.
        start: the number of the state from which all follow.
        keys: per state its key, ascending.
        questions, answers: how many there are; questions that come to the same are one (see
            `quaternity.perfect.successors.one_state.Choice`).
        levels: per number of moves how many states are first reached by so many.
        columns: the arrays of `Segment`, for all segments, mapped from disk.
        bounds: per segment (states, questions) before it; and all.
    """

    rules: Rules
    start: int
    keys: Keys
    questions: int
    answers: int
    levels: tuple[int, ...]
    columns: dict[str, NDArray[Any]]
    bounds: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.keys)

    def segments(self, share: slice = slice(None)) -> Iterator[Segment]:
        """The states in which somebody can ask, or chance is on turn: all, or a share of them."""
        columns = self.columns
        for (state, question), (states_end, questions_end) in [*pairwise(self.bounds)][share]:
            if state == states_end:
                continue
            counts = columns["counts"][state:states_end].astype(np.int64)
            questions = slice(question, questions_end)
            yield Segment(
                columns["states"][state:states_end],
                np.cumsum(counts) - counts,
                *(columns[name][questions] for name in COLUMNS[2:]),
            )

    def chances(self) -> Segment | None:
        """The states in which chance is on turn, or None when there are none."""
        players = self.rules.players
        parts = []
        for segment in self.segments():
            mine = segment.asked[segment.first] == players
            if mine.any():
                counts = np.diff(segment.first, append=len(segment.asked))
                parts.append((segment, mine, counts[mine], np.repeat(mine, counts)))
        if not parts:
            return None
        counts = np.concatenate([count for _, _, count, _ in parts])
        return Segment(
            np.concatenate([segment.states[mine] for segment, mine, _, _ in parts]),
            np.cumsum(counts) - counts,
            *(
                np.concatenate([getattr(segment, name)[rows] for segment, _, _, rows in parts])
                for name in COLUMNS[2:]
            ),
        )

    def ends(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The states after which nothing comes: their numbers, and the role that won.

        The role is the number of players where the most sets are shared, and where sets are still
        in play: nobody can be asked there, so the game never ends. No game leads there, but it can
        be solved from such a state.
        """
        over = np.ones(len(self), bool)
        for segment in self.segments():
            over[segment.states] = False
        states = np.nonzero(over)[0]
        code = coding(self.rules)
        winners = []
        for key in key_bytes(self.keys[states]):
            parts = code.parts(key)
            points, best = parts.points, max(parts.points)
            won = not parts.kinds and points.count(best) == 1
            winners.append(points.index(best) if won else self.rules.players)
        return states, np.array(winners)

    def numbers(self, keys: Sequence[Key]) -> list[int]:
        """The numbers of states given by key.

        Raises:
            InputError: one is not in the graph.
        """
        wanted = key_array(coding(self.rules), keys)
        found = found_at(self.keys, wanted)
        found[found == len(self.keys)] = 0
        if (self.keys[found] != wanted).any():
            raise InputError("a state is not among those that can follow")
        return [int(number) for number in found]


def loaded_graph(code: Coding, directory: WorkDirectory) -> GameGraph:
    """The graph in a directory."""
    about = directory.arrays("graph")
    levels = tuple(about["levels"].tolist())
    columns = {name: directory.array(f"graph-{name}") for name in COLUMNS}
    return GameGraph(
        code.rules,
        int(about["start"][0]),
        directory.array(f"known-{len(levels)}"),
        len(columns["asked"]),
        int(about["answers"]),
        levels,
        columns,
        tuple((int(states), int(questions)) for states, questions in about["bounds"]),
    )


__all__ = ["COLUMNS", "GameGraph", "Segment", "loaded_graph"]
