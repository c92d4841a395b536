"""The graph of a game: all canonical states that can follow from a start, and their successors.

The states are found by breadth-first search. A pool of workers computes the successors of each
level in portions. The successors are merged with the known states, and new states are numbered in
the order in which they are found. A working directory keeps every portion and every level, so that
an interrupted run can resume. The result does not depend on how the work was divided.

The uncertainty of a state (`quaternity.perfect.keys.kinds.NumberedKind.uncertainty`) never
increases during a game. The states of equal uncertainty form a *stratum*. An idle question, which
gives no information, leads to a state of the same stratum. Any other question leads to a stratum of
less uncertainty. Within a level, states are sorted by stratum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quaternity.base.errors import InputError, LimitError
from quaternity.base.progress import Report, quiet
from quaternity.perfect.keys.arrays import (
    Keys,
    Uncertainty,
    contains,
    key_array,
    key_bytes,
    search_keys,
    sort_unique,
)
from quaternity.perfect.keys.canonical import Key, KeyCodec, Rules, coding
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.solving.graph_files import WorkDirectory
from quaternity.perfect.successors.many_states import expand
from quaternity.workers.pool import Pool, ordered_map, threaded_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Segment:
    """Some of the states of a graph, with the questions of each state and their results.

    Attributes:
        states: the numbers of the states.
        first: for each state, the index of its first question. Each state has at least one
            question. If chance draws the player to move, the questions are the possible draws.
        asked: for each question, the role that answers.
        no, yes: for each question, the number of the state after the answer. If an answer is
            illegal, it is the state after the other answer.
        no_order, yes_order: for each question, the order of roles after the answer (see
            `quaternity.perfect.successors.many_states.Expansion`).
    """

    states: NDArray[np.uint32]
    first: NDArray[np.int64]
    asked: NDArray[np.uint8]
    no: NDArray[np.uint32]
    yes: NDArray[np.uint32]
    no_order: NDArray[Any]
    yes_order: NDArray[Any]


IDLE, FORCED, OPEN = range(3)
"""Indices of the three groups of questions: questions that give no information, other questions
with a single legal answer, and questions with two legal answers."""


class Portion(NamedTuple):
    """Consecutive states of a graph with their questions, as stored on disk.

    Attributes:
        begin: an array that contains the number of the first state. The other states follow it.
        strata: the uncertainty of each run. A run is a sequence of states with equal uncertainty.
        first: the index at which each run begins.
        counts, asked, outcomes: see `quaternity.perfect.successors.many_states.Expansion`, with
            numbers of states instead of indices of keys.
    """

    begin: NDArray[Any]
    strata: NDArray[Any]
    first: NDArray[Any]
    counts: NDArray[Any]
    asked: NDArray[Any]
    outcomes: NDArray[Any]


class Block(NamedTuple):
    """Some states, with their questions in three groups.

    The groups are *idle* questions, which give no information, *forced* questions, which have a
    single legal answer, and *open* questions. Each group is in the order of the states.

    Attributes:
        states: the numbers of the states. Every state has questions.
        counts: [group, state], see `quaternity.perfect.successors.many_states.Expansion`.
        asked: for each group, the role that answers each question.
        outcomes: four arrays that contain the states after idle questions, after forced questions,
            after open questions with the answer no, and with the answer yes.
    """

    states: NDArray[Any]
    counts: NDArray[Any]
    asked: tuple[NDArray[Any], ...]
    outcomes: tuple[NDArray[Any], ...]

    @classmethod
    def of(cls, portion: Portion, first: int, end: int, ends: NDArray[Any]) -> Block:
        """Return the states `first` to `end` - 1 of a stored portion, except final states.

        `ends` contains, for each group of questions, the number of questions that belong to the
        states before `first`, and the number that belong to the states before `end`.
        """
        counts = portion.counts[:, first:end]
        asking = counts.any(0)
        states = int(portion.begin[0]) + first + np.nonzero(asking)[0]
        sizes = portion.counts.sum(1, np.int64).tolist()
        starts = [0, sizes[IDLE], sizes[IDLE] + sizes[FORCED], len(portion.asked)]
        parts = [
            slice(start + ends[group, 0], start + ends[group, 1])
            for start, group in zip(starts, (IDLE, FORCED, OPEN, OPEN), strict=True)
        ]
        return cls(
            states,
            counts[:, asking],
            tuple([portion.asked[part] for part in parts[:3]]),
            tuple([portion.outcomes[part] for part in parts]),
        )

    @classmethod
    def concatenate(cls, blocks: Sequence[Block]) -> Block:
        """Return one block with the states and questions of several blocks."""
        if len(blocks) == 1:
            return blocks[0]
        return cls(
            np.concatenate([block.states for block in blocks]),
            np.concatenate([block.counts for block in blocks], 1),
            tuple(map(np.concatenate, zip(*(block.asked for block in blocks), strict=True))),
            tuple(map(np.concatenate, zip(*(block.outcomes for block in blocks), strict=True))),
        )

    def take(self, rows: NDArray[Any]) -> Block:
        """Return a block with the states at these indices only, and with their questions."""
        counts = self.counts[:, rows].astype(np.int64)
        before = np.cumsum(self.counts, 1, np.int64)[:, rows] - np.cumsum(counts, 1)
        at = [
            np.repeat(skipped, count) + np.arange(count.sum())
            for skipped, count in zip(before, counts, strict=True)
        ]
        return Block(
            self.states[rows],
            self.counts[:, rows],
            tuple([column[rows] for column, rows in zip(self.asked, at, strict=True)]),
            tuple(
                [column[rows] for column, rows in zip(self.outcomes, [*at, at[OPEN]], strict=True)]
            ),
        )

    def chances(self, players: int) -> NDArray[Any]:
        """Return a Boolean array: for each state, whether chance draws the player to move."""
        idle = self.counts[IDLE].astype(np.int64)
        rows = np.nonzero(idle)[0]
        mask = np.zeros(len(idle), bool)
        mask[rows] = self.asked[IDLE][(np.cumsum(idle) - idle)[rows]] == players
        return mask

    def segment(self, orders: int, numbers: NDArray[Any]) -> Segment:
        """Convert the block to a `Segment`, in which state n has the number `numbers[n]`.

        `orders` is the number of possible orders of the players.
        """
        counts = self.counts.astype(np.int64)
        total = counts.sum(0)
        first = np.cumsum(total) - total
        begin = first + np.cumsum(counts, 0) - counts
        flat = counts.ravel()
        place = np.repeat(begin.ravel() - np.cumsum(flat) + flat, flat) + np.arange(flat.sum())
        no, yes, asked = (
            np.empty(len(place), column.dtype) for column in (*self.outcomes[:2], self.asked[0])
        )
        idle, forced, *free = self.outcomes
        no[place] = np.concatenate([idle, forced, free[0]])
        yes[place] = np.concatenate([idle, forced, free[1]])
        asked[place] = np.concatenate(self.asked)
        (no, no_order), (yes, yes_order) = (
            np.divmod(column, column.dtype.type(orders)) for column in (no, yes)
        )
        small = np.min_scalar_type(orders - 1)
        return Segment(
            numbers[self.states], first, asked, numbers[no], numbers[yes],
            no_order.astype(small), yes_order.astype(small),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GameGraph:
    """Graph of all states that can follow from a start, numbered in the order of their keys.

    Attributes:
        start: the number of the state from which all other states follow.
        keys: the key of each state, ascending.
        discovery: for each state, its number in the order of discovery. The attribute `portions`,
            the method `strata` and the class `Block` use these numbers.
        questions, answers: the numbers of questions and answers. Equivalent questions count once
            (see `quaternity.perfect.successors.one_state.Choice`).
        levels: the numbers of states that are first reached after 0, 1, 2, ... moves.
        portions: all states with their questions, in pieces that are mapped from disk.
    """

    rules: Rules
    start: int
    keys: Keys
    discovery: NDArray[Any]
    questions: int
    answers: int
    levels: tuple[int, ...]
    portions: tuple[Portion, ...]

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def orders(self) -> int:
        """Return the number of possible orders of the players."""
        return len(role_orders(self.rules.players)[0])

    def segments(self) -> Iterator[Segment]:
        """Yield all states in which a move is possible, in parts of the graph (segments)."""
        numbers = np.empty(len(self), np.uint32)
        numbers[self.discovery] = np.arange(len(self), dtype=np.uint32)
        for portion in self.portions:
            ends = np.stack([np.zeros(3, np.int64), portion.counts.sum(1, np.int64)], 1)
            block = Block.of(portion, 0, portion.counts.shape[1], ends)
            if len(block.states):
                yield block.segment(self.orders, numbers)

    def strata(self, max_states: int) -> list[Callable[[], list[Block]]]:
        """Return a list of functions, one for each group of states with the same uncertainty.

        Each function returns the states of its group (stratum) in blocks of about `max_states`
        states at most. The group with the least uncertainty comes first.
        """
        runs: dict[int, list[tuple[Portion, int, int, NDArray[Any]]]] = {}
        for portion in self.portions:
            first, counts = portion.first.tolist(), portion.counts
            ends = np.zeros((len(first) + 1, 3), np.int64)
            ends[1:] = np.cumsum(np.add.reduceat(counts, first, 1, np.int64), 1).T
            for run, (stratum, begin, end) in enumerate(
                zip(portion.strata.tolist(), first, [*first[1:], counts.shape[1]], strict=True)
            ):
                runs.setdefault(stratum, []).append((portion, begin, end, ends[run : run + 2].T))
        return [partial(_blocks, runs[stratum], max_states) for stratum in sorted(runs)]

    def chances(self) -> NDArray[Any] | None:
        """Return the numbers of the states in which chance draws the player to move.

        The result is None if there are none.
        """
        if self.rules.players < 4:
            return None
        states = [s.states[s.asked[s.first] == self.rules.players] for s in self.segments()]
        return np.concatenate(states) if any(map(len, states)) else None

    def ends(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return two arrays: the numbers of the states without a next state, and who won in each.

        The winner is given by role. It is the number of players if nobody won alone, or if sets are
        still in play. In the latter case, no player can be asked, so the game never ends. No game
        leads to such a state, but the solver accepts it.
        """
        over = [
            int(portion.begin[0]) + np.nonzero(~portion.counts.any(0))[0]
            for portion in self.portions
        ]
        is_end = np.zeros(len(self), bool)
        is_end[np.concatenate(over)] = True
        states = np.nonzero(is_end[self.discovery])[0]
        code = coding(self.rules)
        winners = []
        for key in key_bytes(self.keys[states]):
            parts = code.parts(key)
            points, best = parts.points, max(parts.points)
            won = not parts.kinds and points.count(best) == 1
            winners.append(points.index(best) if won else self.rules.players)
        return states, np.array(winners)

    def numbers(self, keys: Sequence[Key]) -> list[int]:
        """Return the numbers of the states that have these keys, in the same order.

        Raises:
            InputError: If a state is not in the graph.
        """
        wanted = key_array(coding(self.rules), keys)
        numbers = search_keys(self.keys, wanted)
        numbers[numbers == len(self.keys)] = 0
        if (self.keys[numbers] != wanted).any():
            raise InputError("some of the states cannot be reached from the state that was solved")
        return [int(number) for number in numbers]


def _blocks(runs: Sequence[tuple[Portion, int, int, NDArray[Any]]], max_states: int) -> list[Block]:
    blocks: list[Block] = []
    pending: list[Block] = []
    size = 0
    for number, run in enumerate(runs, 1):
        block = Block.of(*run)
        if len(block.states):
            pending.append(block)
            size += len(block.states)
        if pending and (size >= max_states or number == len(runs)):
            blocks.append(Block.concatenate(pending))
            pending, size = [], 0
    return blocks


def load_graph(code: KeyCodec, directory: WorkDirectory) -> GameGraph:
    """Return the graph in the working directory in which it was completely generated."""
    about = directory.arrays("graph")
    levels = tuple(about["levels"].tolist())
    portions = []
    for level in range(len(levels)):
        arrays = [*directory.arrays(f"graph-{level}").values()]
        size = len(Portion._fields)
        portions += [Portion(*arrays[at : at + size]) for at in range(0, len(arrays), size)]
    return GameGraph(
        code.rules,
        int(about["start"][0]),
        directory.array(f"known-{len(levels)}"),
        directory.array(f"found-{len(levels)}"),
        sum(len(portion.asked) for portion in portions),
        sum(len(portion.outcomes) for portion in portions),
        levels,
        tuple(portions),
    )


MAX_EXPANDED_STATES = 8192
"""Maximum number of states whose successors are computed together. In large games,
`EXPANSION_CELLS` reduces this number."""

EXPANSION_CELLS = 1 << 22
"""Approximate maximum size of a batch of states whose successors are computed together. The size is
the total number of sets in all successors."""

MERGE_BYTES = 256 * 2**20
"""Approximate maximum memory for merging the lists of states of a level, in bytes."""


def portion_size(rules: Rules) -> int:
    """Return how many states of a game are processed together. They take about 100 MB.

    >>> portion_size(Rules(4, 3, 3)), portion_size(Rules(4, 13, 4))
    (8192, 387)
    """
    answers = rules.sets * rules.set_size * rules.players
    return max(16, min(MAX_EXPANDED_STATES, EXPANSION_CELLS // (answers * rules.sets * 4)))


def generate(
    rules: Rules,
    start: Key,
    directory: WorkDirectory,
    pool: Pool,
    max_states: int | None = None,
    report: Report = quiet,
) -> GameGraph:
    """Generate all canonical states that can follow from a start, and their moves.

    This takes half a microsecond for each answer if `Expander` can be used, otherwise about 30.

    Args:
        start: the key of the canonical state at the start.
        directory: directory for the working files. Existing results in it are reused.
        pool: processes that compute the moves.
        max_states: number of states above which the run stops.
        report: called with the number of states expanded so far.

    Raises:
        LimitError: If there are more than `max_states` states.
    """
    code = coding(rules)
    if not directory.has("graph"):
        levels = _Levels(code, directory)
        levels.begin(start)
        while levels.sizes[-1]:
            known = sum(levels.sizes)
            if max_states is not None and known > max_states:
                raise LimitError(
                    f"the game has more than {max_states:,} states; to allow more, use "
                    "--most-states"
                )
            levels.number(pool.threads)
            levels.expand(pool, report)
        levels.number(pool.threads)
        levels.end(start)
    return load_graph(code, directory)


class _Levels:
    """Files with the levels that have been found so far.

    Level L contains the states that are first reached after L moves. Its successors are computed in
    portions. C is the number of a portion.

    - `level-L`: the states of the level.
    - `expanded-L-C`: the successors of the states in the portion.
    - `fresh-L-C`: the keys of those successors that were not known before.
    - `known-L`: all states up to the level, in ascending order of keys.
    - `found-L`: the numbers of the states in `known-L`.
    - `graph-L`: the successors of all states in the level, as numbers.
    """

    def __init__(self, code: KeyCodec, directory: WorkDirectory) -> None:
        self.code, self.directory = code, directory
        self._portion = portion_size(code.rules)
        self._uncertainty = Uncertainty(code)
        self.sizes: list[int] = []
        while directory.has(name := f"level-{len(self.sizes)}"):
            self.sizes.append(len(directory.array(name)))

    def begin(self, start: Key) -> None:
        if not self.sizes:
            keys = key_array(self.code, [start])
            for name, array in ("found", np.zeros(1, np.uint32)), ("known", keys), ("level", keys):
                self.directory.save(f"{name}-0", {"": array})
            self.sizes.append(1)

    def end(self, start: Key) -> None:
        last = len(self.sizes) - 1
        known = self.directory.array(f"known-{last}")
        place = search_keys(known, key_array(self.code, [start]))
        self.directory.save("graph", {"start": place, "levels": np.array(self.sizes[:-1])})
        self.directory.delete([f"level-{level}" for level in range(last + 1)])

    def portions(self, level: int) -> int:
        return -(-self.sizes[level] // self._portion)

    def expand(self, pool: Pool, report: Report) -> None:
        """Compute the moves of all states in the last level, and write the next level."""
        level = len(self.sizes) - 1
        keys, known = (self.directory.array(f"{name}-{level}") for name in ("level", "known"))
        missing = [
            number
            for number in range(self.portions(level))
            if not self.directory.has(f"expanded-{level}-{number}")
        ]
        before = sum(self.sizes[:-1])
        done = len(keys) - sum(len(self.portion_of(keys, number)) for number in missing)
        report(f"level {level}", before + done, None)
        work = ((self.code.rules, self.portion_of(keys, number)) for number in missing)
        for number, result in zip(missing, ordered_map(pool, expand, work), strict=True):
            fresh = result.keys[~contains(known, result.keys)]
            self.directory.save(f"fresh-{level}-{number}", {"keys": fresh})
            arrays = {name: getattr(result, name) for name in ("keys", *Portion._fields[3:])}
            self.directory.save(f"expanded-{level}-{number}", arrays)
            done += len(self.portion_of(keys, number))
            report(f"level {level}", before + done, None)
        self._merge(level)

    def portion_of(self, keys: Keys, number: int) -> Keys:
        return np.array(keys[number * self._portion : (number + 1) * self._portion])

    def _merge(self, level: int) -> None:
        names = [f"fresh-{level}-{number}" for number in range(self.portions(level))]
        columns = [self.directory.array(name) for name in (f"known-{level}", *names)]
        numbers = self.directory.array(f"found-{level}")
        old, end = 0, sum(self.sizes)
        with (
            # Files are closed and get their names in reverse order, so the file of the level is the
            # last one to be complete.
            self.directory.pieces(f"level-{level + 1}") as fresh,
            self.directory.pieces(f"known-{level + 1}") as merged,
            self.directory.pieces(f"found-{level + 1}") as order,
        ):
            for parts in _ranges(columns, MERGE_BYTES // 4):
                new = sort_unique(np.concatenate(parts[1:]))
                turn = np.argsort(self._uncertainty.of(new), kind="stable")
                number = np.empty(len(new), np.uint32)
                number[turn] = np.arange(end, end + len(new))
                end += len(new)
                fresh.add(new[turn])
                # Both arrays are sorted and there are few new keys, so look up each new key.
                place = search_keys(parts[0], new) + np.arange(len(new))
                known = np.ones(len(parts[0]) + len(new), bool)
                known[place] = False
                for file, old_part, new_part in (
                    (merged, parts[0], new),
                    (order, numbers[old : old + len(parts[0])], number),
                ):
                    both = np.empty(len(known), old_part.dtype)
                    both[known], both[place] = old_part, new_part
                    file.add(both)
                old += len(parts[0])
        self.sizes.append(fresh.length)
        self.directory.delete([f"known-{level}", f"found-{level}", *names])

    def number(self, threads: int) -> None:
        # Write the moves of the second-last level by number, unless this has been done.
        level = len(self.sizes) - 2
        if level < 0:
            return
        count = self.portions(level)
        if not self.directory.has(f"graph-{level}"):
            numbered = threaded_map(threads, partial(self._number_portion, level), range(count))
            with self.directory.pieces(f"graph-{level}") as file:
                for number, part in enumerate(numbered):
                    for name, column in part._asdict().items():
                        file.add(column, f"{number} {name}")
        self.directory.delete([f"expanded-{level}-{number}" for number in range(count)])

    def _number_portion(self, level: int, number: int) -> Portion:
        arrays = self.directory.arrays(f"expanded-{level}-{number}")
        keys = self.portion_of(self.directory.array(f"level-{level}"), number)
        known, number_of = (
            self.directory.array(f"{name}-{level + 1}") for name in ("known", "found")
        )
        orders = len(role_orders(self.code.rules.players)[0])
        # The integer type of `outcomes` may be too narrow for the number of orders, so use the
        # wider of two types.
        key, order = np.divmod(arrays["outcomes"], np.min_scalar_type(orders).type(orders))
        numbers = number_of[search_keys(known, arrays["keys"])]
        outcome = np.min_scalar_type(sum(self.sizes) * orders).type
        uncertainty = self._uncertainty.of(keys)
        first = np.nonzero(np.diff(uncertainty, prepend=-1))[0]
        return Portion(
            np.array([sum(self.sizes[:level]) + number * self._portion]),
            uncertainty[first],
            first,
            arrays["counts"],
            arrays["asked"],
            numbers.astype(outcome)[key] * outcome(orders) + order.astype(outcome),
        )


def _ranges(columns: Sequence[Keys], max_bytes: int) -> Iterator[list[Keys]]:
    """Cut sorted arrays of keys into pieces, so that they can be merged piece by piece.

    The keys are divided into consecutive ranges. For each range, yield a list that contains the
    keys of each array in this range. A list takes about `max_bytes` at most.
    """
    size = sum(column.nbytes for column in columns)
    pieces = size // max_bytes + 1
    cuts: Keys = []
    if pieces > 1:
        # Each sampled key represents `step` keys of its column.
        step = max(1, sum(map(len, columns)) // (64 * pieces))
        sample = np.sort(np.concatenate([column[step // 2 :: step] for column in columns]))
        cuts = np.unique(sample[np.arange(1, pieces) * len(sample) // pieces])
    starts = [0] * len(columns)
    for cut in [*cuts, None]:
        ends = [len(column) if cut is None else int(search_keys(column, cut)) for column in columns]
        yield [
            np.array(column[start:end])
            for column, start, end in zip(columns, starts, ends, strict=True)
        ]
        starts = ends
