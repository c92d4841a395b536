"""Who can force what: retrograde analysis of the graph of a game.

The player on turn chooses the question, the asked player the answer among the legal ones. Against
one player all others stand together, and with them chance. A play that never ends is won by nobody.
Then

- a player *can force* a win if he wins alone at the end however the others play: the attractor of
  his won ends, in the game in which he controls his questions and answers and the others all else;
- a player *can win* if there is any way to an end that he wins alone;
- a player *can prevent* the win of another if, against all others together, he can see to it that
  the other does not win alone: the complement of the attractor in the game in which the one
  controls what is his and everybody else helps the other to win;
- the *length* of a forced win is the number of moves (a question with its answer) to the end when
  the winner hastens it and the others delay it.

Every set is a least fixed point, reached by repeating one round over all questions: after round k
it holds what k moves can force. So positions may repeat, and no order of states matters.

Cost: a round takes a few nanoseconds for every question, and there are as many rounds as the
longest forced way has moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.solving.graph import GameGraph, Segment
from quaternity.perfect.solving.graph_files import WorkDirectory
from quaternity.perfect.solving.standing import NEVER
from quaternity.workers.pool import threaded_map

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaternity.perfect.solving.graph_files import Report

SAVE_SECONDS = 30.0
"""How often the rounds of an unfinished analysis are saved."""


SHARES = 4
"""In how many shares, of segments, the work of a round comes for each thread."""


@dataclass(frozen=True, slots=True)
class Values:
    """What the players can do in every state of a graph. Players are named by their roles.

    Attributes:
        can_force: per state the roles that can force a win, as bits (uint8).
        can_win: per state the roles that can win at all, as bits (uint8).
        can_prevent: [state, role], the other roles whose win the role can prevent, as bits (uint8).
        length: [state, role], the moves of the role's forced win, or `NEVER` (uint16).
    """

    can_force: NDArray[Any]
    can_win: NDArray[Any]
    can_prevent: NDArray[Any]
    length: NDArray[Any]


def solve_graph(
    graph: GameGraph, directory: WorkDirectory, report: Report, threads: int = 1
) -> Values:
    """All values of all states.

    Rounds are worked out by as many threads as are given. Finished analyses, and the rounds of an
    unfinished one, are kept in the directory.
    Memory: about 10 + 6 P bytes a state.
    """
    players = graph.rules.players
    rounds = _Rounds(graph, directory, report, threads)
    steps = Steps(players)
    ends, winners = graph.ends()
    won = np.array([*(1 << role for role in range(players)), 0], np.uint8)[winners]

    start = np.zeros(len(graph), np.uint8)
    start[ends] = won
    length = np.full((len(graph), players), NEVER, np.uint16)
    for role in range(players):
        length[ends[winners == role], role] = 0
    can_force, length = rounds.repeat("can force", steps.forcing, start, length)
    can_win, _ = rounds.repeat("can win", steps.reaching, start)
    start = np.zeros(len(graph), steps.rows)
    start[ends] = sum(
        won.astype(steps.rows) << steps.rows(role * players) for role in range(players)
    )
    forced, _ = rounds.repeat("can prevent", steps.helping, start)
    can_prevent = np.empty((len(graph), players), np.uint8)
    for role in range(players):
        others = (1 << players) - 1 - (1 << role)
        can_prevent[:, role] = ~(forced >> steps.rows(role * players)).astype(np.uint8) & others
    return Values(can_force, can_win, can_prevent, length)


class Steps:
    """What one round makes of the roles, as bits, after the answers of each question."""

    def __init__(self, players: int) -> None:
        orders = role_orders(players)[0]
        self.players, self.masks = players, 1 << players
        # [order, mask]: the roles before an answer of the roles of a mask after it.
        self.before = np.array(
            [
                [
                    sum(1 << roles[role] for role in range(players) if mask >> role & 1)
                    for mask in range(self.masks)
                ]
                for roles in orders
            ],
            np.uint8,
        )
        # [role, order]: the role afterwards of a role before.
        self.after = np.array([[roles.index(role) for roles in orders] for role in range(players)])
        self.mine = np.array([*(1 << role for role in range(players)), 0], np.uint8)
        self.rows: Any = np.uint16 if players <= 4 else np.uint64
        self.row: NDArray[Any] = np.array(
            [*((self.masks - 1) << role * players for role in range(players)), 0], self.rows
        )
        self._rows_before: NDArray[Any] | None = None
        if players <= 4:
            every = np.arange(1 << players * players, dtype=self.rows)
            self._rows_before = np.array(
                [self.rows_one_by_one(order, every) for order in range(len(orders))]
            )

    def _answers(self, segment: Segment, values: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """The roles of `values` after no and yes, by what they were before."""
        no = self.before[segment.no_order, values[segment.no]]
        yes = self.before[segment.yes_order, values[segment.yes]]
        return no, yes

    def rows_before(self, order: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
        """Rows of bits per role after an answer, by the roles before it."""
        if self._rows_before is not None:
            return np.asarray(self._rows_before[order, rows])
        return self.rows_one_by_one(order, rows)

    def rows_one_by_one(self, order: NDArray[Any] | int, rows: NDArray[Any]) -> NDArray[Any]:
        """The same, worked out row by row."""
        result = np.zeros(len(rows), self.rows)
        for role in range(self.players):
            place = (self.after[role][order] * self.players).astype(self.rows)
            row = (rows >> place) & self.rows(self.masks - 1)
            before = self.before[order, row].astype(self.rows)
            result = result | before << self.rows(role * self.players)
        return result

    def forcing(self, segment: Segment, values: NDArray[Any]) -> NDArray[Any]:
        """Each role against all others together."""
        no, yes = self._answers(segment, values)
        question = (no & yes) | ((no | yes) & self.mine[segment.asked])
        some = np.bitwise_or.reduceat(question, segment.first)
        every = np.bitwise_and.reduceat(question, segment.first)
        # Role 0 chooses the question, unless chance does, which is nobody's friend.
        chooser = np.where(segment.asked[segment.first] == self.players, 0, 1).astype(np.uint8)
        return np.asarray(every | (some & chooser))

    def reaching(self, segment: Segment, values: NDArray[Any]) -> NDArray[Any]:
        """All roles together."""
        no, yes = self._answers(segment, values)
        return np.asarray(np.bitwise_or.reduceat(no | yes, segment.first))

    def helping(self, segment: Segment, values: NDArray[Any]) -> NDArray[Any]:
        """Per role, a row of bits, the wins that all others together can force against it.

        The row of a role is at bits role * players and up.
        """
        no = self.rows_before(segment.no_order, values[segment.no])
        yes = self.rows_before(segment.yes_order, values[segment.yes])
        against: NDArray[Any] = self.row[segment.asked]
        question = ((no | yes) & ~against) | (no & yes & against)
        some = np.bitwise_or.reduceat(question, segment.first)
        every = np.bitwise_and.reduceat(question, segment.first)
        # Role 0 chooses the question, and would not help; chance would.
        by_chance = segment.asked[segment.first] == self.players
        against = np.where(by_chance, 0, self.row[0]).astype(values.dtype)
        return np.asarray((some & ~against) | (every & against))


Step = Callable[[Segment, "NDArray[Any]"], "NDArray[Any]"]


class _Rounds:
    """Repeats a step over all states until nothing changes."""

    def __init__(
        self, graph: GameGraph, directory: WorkDirectory, report: Report, threads: int
    ) -> None:
        self.graph, self.directory, self.report = graph, directory, report
        self.threads = threads
        count = SHARES * threads if threads > 1 else 1
        self.shares = [slice(number, None, count) for number in range(count)]
        self.chances = graph.chances()

    def repeat(
        self, name: str, step: Step, values: NDArray[Any], length: NDArray[Any] | None = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The least fixed point above `values`, and per state and role the round of its bit."""
        if length is None:
            length = np.zeros((0, self.graph.rules.players), np.uint16)
        file = f"values-{name.replace(' ', '-')}"
        done, done_at = False, 0
        if self.directory.has(file):
            kept = self.directory.arrays(file)
            values, length = np.array(kept["values"]), np.array(kept["length"])
            done, done_at = bool(kept["done"]), int(kept["round"])
        saved = time.monotonic()
        while not done:
            done_at += 1
            new = values.copy()
            settle = partial(self._settle, step, values, new)
            for _ in threaded_map(self.threads, settle, self.shares):
                pass
            if self.chances is not None:
                # Chance takes no move: its choices count in the same round.
                new[self.chances.states] = step(self.chances, new)
            # An end stays what it is, and what could be forced can be.
            changed = np.nonzero(new != values)[0]
            done = not len(changed)
            if len(length) and not done:
                added = new[changed] & ~values[changed]
                for role in range(length.shape[1]):
                    length[changed[added >> role & 1 == 1], role] = done_at
            values = new
            self.report(f"{name}: round {done_at}", len(changed), None)
            if done or time.monotonic() - saved > SAVE_SECONDS:
                arrays = {"values": values, "length": length}
                state = {"done": np.array(done), "round": np.array(done_at)}
                self.directory.save(file, arrays | state)
                saved = time.monotonic()
        return values, length

    def _settle(self, step: Step, values: NDArray[Any], new: NDArray[Any], share: slice) -> None:
        for segment in self.graph.segments(share):
            new[segment.states] = step(segment, values)


__all__ = ["SAVE_SECONDS", "Steps", "Values", "solve_graph"]
