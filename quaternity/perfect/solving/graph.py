"""The graph of a game: all canonical states that can follow from one, and what leads where.

They are found breadth first. The states of one level are expanded in portions, wherever the
executor runs them; what they lead to is merged with what was met before, in ranges of keys that fit
in memory. Everything is kept in a working directory: portions as they come back, levels as they are
found. A run that was interrupted goes on from there. The states, their numbering and the graph are
the same however they were found.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.errors import InputError, LimitError
from quaternity.perfect.keys.arrays import Keys, among, distinct, found_at, key_array, key_bytes
from quaternity.perfect.keys.canonical import Coding, Key, Rules, coding
from quaternity.perfect.solving.graph_files import Report, WorkDirectory, quiet
from quaternity.perfect.successors.many_states import expanded
from quaternity.workers.pool import Pool, ordered_map, threaded_map

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


MOST_AT_ONCE = 8192
"""States expanded at a time, unless a state has many answers."""

EXPANSION_CELLS = 1 << 22
"""About how many sets of positions after answers an expansion may look at."""

MERGE_BYTES = 256 * 2**20
"""About how much memory the merging of a level may take."""


def portion(rules: Rules) -> int:
    """States of a game that are expanded at a time: about 100 MB worth of them.

    >>> portion(Rules(4, 3, 3)), portion(Rules(4, 13, 4))
    (8192, 387)
    """
    answers = rules.sets * rules.set_size * rules.players
    return max(16, min(MOST_AT_ONCE, EXPANSION_CELLS // (answers * rules.sets * 4)))


def generate(
    rules: Rules,
    start: Key,
    directory: WorkDirectory,
    pool: Pool,
    most_states: int | None = None,
    report: Report = quiet,
) -> GameGraph:
    """All canonical states that can follow from one, and what leads where.

    Args:
        directory: for the working files; what is there already is not done again.
        pool: runs the expansions.
        most_states: give up above so many.
        report: told the states expanded so far.

    Cost: one or two microseconds an answer where `Expander` serves, some thirty elsewhere.
    Memory: `MERGE_BYTES`, and per executor about 100 MB; disk: about 11 bytes a question and
    `Coding.words` * 24 bytes a state.

    Raises:
        LimitError: more than `most_states`.
    """
    code = coding(rules)
    if not directory.has("graph"):
        levels = _Levels(code, directory)
        levels.begin(start)
        while levels.sizes[-1]:
            known = sum(levels.sizes)
            if most_states is not None and known > most_states:
                raise LimitError(f"more than {most_states:,} states, the most that were allowed")
            levels.expand(pool, report)
        _assemble(code, start, directory, levels, pool.threads, report)
    return loaded_graph(code, directory)


class _Levels:
    """The levels found so far, in files.

    Files: `level-L` the states first reached by L moves; `expanded-L-C` what portion C of level L
    leads to, and `fresh-L-C` the keys among it that were not known before; `known-L` all states of
    levels up to L. Keys ascend in each.
    """

    def __init__(self, code: Coding, directory: WorkDirectory) -> None:
        self.code, self.directory = code, directory
        self._portion = portion(code.rules)
        self.sizes: list[int] = []
        while directory.has(name := f"level-{len(self.sizes)}"):
            self.sizes.append(len(directory.array(name)))

    def begin(self, start: Key) -> None:
        """Make level 0, unless it is there."""
        if not self.sizes:
            keys = key_array(self.code, [start])
            self.directory.save("known-0", {"keys": keys})
            self.directory.save("level-0", {"keys": keys})
            self.sizes.append(1)

    def portions(self, level: int) -> int:
        """How many portions a level is expanded in."""
        return -(-self.sizes[level] // self._portion)

    def expand(self, pool: Pool, report: Report) -> None:
        """Expand the last level and find the next."""
        level = len(self.sizes) - 1
        keys, known = (self.directory.array(f"{what}-{level}") for what in ("level", "known"))
        missing = [
            number
            for number in range(self.portions(level))
            if not self.directory.has(f"expanded-{level}-{number}")
        ]
        before = sum(self.sizes[:-1])
        done = len(keys) - sum(len(self.portion_of(keys, number)) for number in missing)
        report(f"level {level}", before + done, None)
        work = ((self.code.rules, self.portion_of(keys, number)) for number in missing)
        for number, result in zip(missing, ordered_map(pool, expanded, work), strict=True):
            fresh = result.keys[~among(known, result.keys)]
            self.directory.save(f"fresh-{level}-{number}", {"keys": fresh})
            arrays = {name: getattr(result, name) for name in ("keys", "counts", *COLUMNS[2:])}
            self.directory.save(f"expanded-{level}-{number}", arrays)
            done += len(self.portion_of(keys, number))
            report(f"level {level}", before + done, None)
        self._merge(level)

    def portion_of(self, keys: Keys, number: int) -> Keys:
        """The keys of a level that belong to one portion."""
        return np.array(keys[number * self._portion : (number + 1) * self._portion])

    def _merge(self, level: int) -> None:
        """Sort what a level leads to into known states and the next level."""
        names = [f"fresh-{level}-{number}" for number in range(self.portions(level))]
        columns = [self.directory.array(name) for name in (f"known-{level}", *names)]
        with (
            # Closed, and named, in turn from the last: a level is there when all of it is known.
            self.directory.pieces(f"level-{level + 1}") as fresh,
            self.directory.pieces(f"known-{level + 1}") as merged,
        ):
            for parts in _ranges(columns, MERGE_BYTES // 4):
                new = distinct(np.concatenate(parts[1:]))
                fresh.add(new)
                merged.add(np.sort(np.concatenate([parts[0], new]), kind="stable"))
        self.sizes.append(fresh.length)
        self.directory.drop([f"known-{level}", *names])


def _ranges(columns: Sequence[Keys], most_bytes: int) -> Iterator[list[Keys]]:
    """Ascending arrays cut at the same keys, such that the pieces together stay small."""
    size = sum(column.nbytes for column in columns)
    pieces = size // most_bytes + 1
    cuts: Keys = []
    if pieces > 1:
        # Every so many-th key of every column stands for as many.
        step = max(1, sum(map(len, columns)) // (64 * pieces))
        sample = np.sort(np.concatenate([column[step // 2 :: step] for column in columns]))
        cuts = np.unique(sample[np.arange(1, pieces) * len(sample) // pieces])
    starts = [0] * len(columns)
    for cut in [*cuts, None]:
        ends = [len(column) if cut is None else int(found_at(column, cut)) for column in columns]
        yield [
            np.array(column[start:end])
            for column, start, end in zip(columns, starts, ends, strict=True)
        ]
        starts = ends


def _assemble(
    code: Coding,
    start: Key,
    directory: WorkDirectory,
    levels: _Levels,
    threads: int,
    report: Report,
) -> None:
    """Number the states, and write the graph in these numbers."""
    last = len(levels.sizes) - 1
    known = directory.array(f"known-{last}")
    bounds = [(0, 0)]
    answers = 0
    with ExitStack() as stack:
        files = {name: stack.enter_context(directory.pieces(f"graph-{name}")) for name in COLUMNS}
        portions = [
            (level, number) for level in range(last) for number in range(levels.portions(level))
        ]
        results = threaded_map(threads, partial(_numbered, levels, known), portions)
        for done, (columns, led) in enumerate(results, 1):
            answers += led
            for name, column in columns.items():
                files[name].add(column)
            bounds.append((files["states"].length, files["asked"].length))
            report("numbering", sum(levels.sizes) * done // len(portions), sum(levels.sizes))
    directory.save(
        "graph",
        {
            "start": found_at(known, key_array(code, [start])),
            "answers": np.array(answers),
            "levels": np.array(levels.sizes[:-1]),
            "bounds": np.array(bounds),
        },
    )
    directory.drop(
        [f"expanded-{level}-{number}" for level, number in portions]
        + [f"level-{level}" for level in range(last + 1)]
    )


def _numbered(
    levels: _Levels, known: Keys, portion_at: tuple[int, int]
) -> tuple[dict[str, NDArray[Any]], int]:
    """The columns of one portion of a level in numbers of states, and how many answers it has."""
    level, number = portion_at
    arrays = levels.directory.arrays(f"expanded-{level}-{number}")
    states = found_at(known, levels.portion_of(levels.directory.array(f"level-{level}"), number))
    to = found_at(known, arrays["keys"])
    asking = arrays["counts"] > 0
    no, yes = arrays["no"], arrays["yes"]
    columns = {
        "states": states[asking].astype(np.uint32),
        "counts": arrays["counts"][asking],
        "asked": arrays["asked"],
        "no": to[np.where(no < 0, yes, no)].astype(np.uint32),
        "yes": to[np.where(yes < 0, no, yes)].astype(np.uint32),
        "no_order": np.where(no < 0, arrays["yes_order"], arrays["no_order"]),
        "yes_order": np.where(yes < 0, arrays["no_order"], arrays["yes_order"]),
    }
    return columns, int((no >= 0).sum() + (yes >= 0).sum())


__all__ = [
    "COLUMNS",
    "MERGE_BYTES",
    "MOST_AT_ONCE",
    "GameGraph",
    "Segment",
    "generate",
    "loaded_graph",
    "portion",
]
