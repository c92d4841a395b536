"""Retrograde analysis of the graph of a game: which players can force, reach or prevent a win.

The player to move chooses the question, and the asked player chooses a legal answer. Nobody wins a
game that never ends. The analysis finds the following for each state:

- A player *can force* a win if they win alone however chance and the others play.
- A player *can win* if some play leads to an end that they win alone.
- A player *can prevent* the win of another player if they can ensure, against all others together,
  that the other player does not win alone.
- The *length* of a forced win is the number of moves (questions with their answers) to the end. The
  winner minimizes it, and the others maximize it.

The first three facts are computed as bits. Each bit says whether a side wins if the players form
two sides, which play against each other (see `Games`). The bit of a question is the "and" or the
"or" of the bits after its answers, depending on the side that answers. The bit of a state is
computed likewise from the bits of its questions. All bits are 0 at first, and are evaluated until
nothing changes, which gives the least fixpoint.

States of equal uncertainty form a *stratum* (`quaternity.perfect.solving.graph`). The strata are
computed one after another, beginning with the least uncertain. A question that leads to another
stratum is evaluated once. Only *idle* questions, which give no information and stay in their
stratum, are evaluated repeatedly. The order of these evaluations does not affect the result
(chaotic iteration, Cousot 1977). The lengths of the forced wins of a stratum are then computed in
the same way, starting from upper bounds.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.solving.graph import FORCED, IDLE, OPEN, Block, GameGraph
from quaternity.perfect.solving.graph_files import WorkDirectory
from quaternity.perfect.solving.state_value import NEVER
from quaternity.workers.pool import threaded_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from quaternity.base.progress import Report

SAVE_SECONDS = 30.0
"""Seconds between two saves of the values of an unfinished analysis."""

BLOCK_STATES = 1 << 13
"""Approximate number of states whose values are computed at a time, so that their data stays in the
processor cache."""

TABLE_BITS = 17
"""Base-2 logarithm of the maximum size of a lookup table for renaming players in bit masks."""


@dataclass(frozen=True, slots=True)
class Values:
    """The wins that players can force, reach or prevent from every state of a graph.

    Players are numbered by their roles, which are their numbers in the canonical state.

    Attributes:
        can_force: for each state, the roles that can force a win, as bits (uint8).
        can_win: for each state, the roles that can win at all, as bits (uint8).
        can_prevent: [state, role], the other roles whose win the role can prevent, as bits (uint8).
        length: [state, role], the number of moves of the role's forced win, or `NEVER` (uint16).
    """

    can_force: NDArray[Any]
    can_win: NDArray[Any]
    can_prevent: NDArray[Any]
    length: NDArray[Any]


def solve_graph(
    graph: GameGraph, directory: WorkDirectory, report: Report, threads: int = 1
) -> Values:
    """Return which wins players can force, reach or prevent, for all states of a graph.

    From time to time, the values so far are saved in the directory, so that a run can resume.
    """
    games = Games(graph.rules.players)
    settled = _SettledStrata(graph, games, directory)
    strata = graph.strata(BLOCK_STATES)
    saved = time.monotonic()
    for number in range(settled.strata, len(strata)):
        blocks = strata[number]()
        settled.settle(blocks, threads)
        settled.strata += 1
        settled.states += sum(len(block.states) for block in blocks)
        if settled.strata == len(strata) or time.monotonic() - saved > SAVE_SECONDS:
            settled.save()
            saved = time.monotonic()
        report("values", settled.states, len(graph))
    return settled.values()


class Games:
    """Games of two sides, whose results show which wins a role can force, reach or prevent.

    The results of all these games in one state are the bits of one number, called a word.

    Let P be the number of players. In the game number a * P + b, role b tries to win, role a plays
    against it, and all others help role b. If a = b, role b tries to win against all others and
    chance. In the game number P ** 2 + b, all others help role b to win.

    Attributes:
        word: the NumPy type of a word.
        won: for each role, the word of an end that the role won. The last entry is for an end that
            nobody won.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        bits = players * (players + 1)
        self.word: Any = np.min_scalar_type(2**bits - 1).type
        pairs = [*product(range(players), repeat=2)]
        self.won = np.array(
            [
                sum(1 << role + players * row for row in range(players + 1))
                for role in range(players)
            ]
            + [0],
            self.word,
        )
        # For each role, and for chance: the bit mask of the games in which it plays against the
        # winner.
        self._against = np.array(
            [
                sum(
                    1 << opponent * players + winner
                    for opponent, winner in pairs
                    if (opponent != mover if opponent == winner else opponent == mover)
                )
                for mover in range(players + 1)
            ],
            self.word,
        )
        self._orders = role_orders(players)[0]
        self._tables = list(self._renaming_tables(bits))
        # [role, order]: the bit that says, in the state after an answer, that the role can force a
        # win.
        self._winning = np.array(
            [
                [roles.index(role) * (players + 1) for roles in self._orders]
                for role in range(players)
            ],
            self.word,
        )

    def _renaming_tables(self, bits: int) -> Iterator[tuple[int, NDArray[Any]]]:
        players, orders = self.players, self._orders
        parts = -(-bits // (TABLE_BITS - len(orders).bit_length()))
        for first, end in pairwise([bits * part // parts for part in range(parts + 1)]):
            table = np.zeros((len(orders), 1 << end - first), self.word)
            for bit in range(first, end):
                opponent, winner = divmod(bit, players)
                before = [
                    1
                    << (opponent if opponent == players else roles[opponent]) * players
                    + roles[winner]
                    for roles in orders
                ]
                half = 1 << bit - first
                added = np.array(before, self.word)[:, None]
                table[:, half : 2 * half] = table[:, :half] | added
            yield first, table

    def can_force(self, words: NDArray[Any], role: int) -> NDArray[Any]:
        """Return, for each state, whether the player with this role can force a win."""
        return np.asarray(words >> self.word(role * (self.players + 1)) & self.word(1) != 0)

    def can_win(self, words: NDArray[Any]) -> NDArray[Any]:
        """Return, for each state, the roles of the players who can win, as bits."""
        return self._bits(words, range(self.players**2, self.players * (self.players + 1)))

    def can_prevent(self, words: NDArray[Any]) -> NDArray[Any]:
        """Return an array [state, role] of the players whose win a player can prevent, as bits."""
        players = self.players
        result = np.empty((len(words), players), np.uint8)
        for role in range(players):
            others = np.uint8((1 << players) - 1 - (1 << role))
            wins = self._bits(words, range(role * players, (role + 1) * players))
            result[:, role] = ~wins & others
        return result

    def _bits(self, words: NDArray[Any], places: Sequence[int]) -> NDArray[Any]:
        result = np.zeros(len(words), np.uint8)
        for number, place in enumerate(places):
            result |= (words >> self.word(place) & self.word(1)).astype(np.uint8) << number
        return result

    def before(self, order: NDArray[Any], words: NDArray[Any]) -> NDArray[Any]:
        """Convert results of all games (words) from the roles after an answer to those before it.

        `order` is the index of the order of the roles after the answer.
        """
        result = np.zeros(len(words), self.word)
        for first, table in self._tables:
            result |= table[order, words >> self.word(first) & self.word(table.shape[1] - 1)]
        return result

    def after(self, outcomes: NDArray[Any], words: NDArray[Any]) -> NDArray[Any]:
        """Return the words (results of all games) after answers, converted to the roles before."""
        states, order = np.divmod(outcomes, outcomes.dtype.type(len(self._orders)))
        return self.before(order, words[states])

    def lengths_after(
        self, role: int, words: NDArray[Any], lengths: NDArray[Any], outcomes: NDArray[Any]
    ) -> NDArray[Any]:
        """Return the length of a player's forced win after each answer, or `NEVER` for no win.

        `words` and `lengths` contain the results and the lengths for all states. `outcomes` are the
        states after the answers, as in `quaternity.perfect.successors.many_states.Expansion`.
        """
        states, order = np.divmod(outcomes, outcomes.dtype.type(len(self._orders)))
        wins = words[states] >> self._winning[role][order] & self.word(1)
        return np.where(wins != 0, lengths[states], np.uint16(NEVER))

    def against(self, movers: NDArray[Any]) -> NDArray[Any]:
        """Return, for each mover, the games in which it plays against the role that wants to win.

        A mover is a role, or chance. Bit N of a mover's number stands for game N.
        """
        return np.asarray(self._against[movers])


class _SettledStrata:
    """The results of the states solved so far, in the order in which the states were found."""

    def __init__(self, graph: GameGraph, games: Games, directory: WorkDirectory) -> None:
        self.graph, self.games, self.directory = graph, games, directory
        if directory.has("values"):
            saved = directory.arrays("values")
            self.words, self.lengths = np.array(saved["words"]), np.array(saved["lengths"])
            self.strata, self.states = saved["settled"].tolist()
            return
        self.strata = self.states = 0
        ends, winners = graph.ends()
        self.words = np.zeros(len(graph), games.word)
        self.words[graph.discovery[ends]] = games.won[winners]
        self.lengths = np.full(len(graph), NEVER, np.uint16)
        self.lengths[graph.discovery[ends[winners < games.players]]] = 0

    def save(self) -> None:
        settled = np.array([self.strata, self.states])
        arrays = {"words": self.words, "lengths": self.lengths, "settled": settled}
        self.directory.save("values", arrays)

    def values(self) -> Values:
        # The arrays of the result are in the order of keys.
        games, order = self.games, self.graph.discovery
        words, lengths = self.words[order], self.lengths[order]
        can_force = np.zeros(len(words), np.uint8)
        length = np.full((len(words), games.players), NEVER, np.uint16)
        for role in range(games.players):
            wins = games.can_force(words, role)
            can_force |= wins.astype(np.uint8) << role
            length[wins, role] = lengths[wins]
        return Values(can_force, games.can_win(words), games.can_prevent(words), length)

    def settle(self, blocks: Sequence[Block], threads: int) -> None:
        # A thread may read the values of another thread before or after a step, because both are
        # correct bounds.
        values = self.games, self.words
        _iterate_to_fixpoint([*threaded_map(threads, partial(Words, *values), blocks)], threads)
        lengths = threaded_map(
            threads, lambda block: [*all_lengths(*values, self.lengths, block)], blocks
        )
        _iterate_to_fixpoint([*chain.from_iterable(lengths)], threads)


class Words:
    """Computes the results of all games of two sides (see `Games`) for a block of states.

    All results are 0 at first. Steps are repeated until nothing changes, which gives the least
    fixpoint.
    """

    def __init__(self, games: Games, words: NDArray[Any], block: Block) -> None:
        self._games, self._words, self._states = games, words, block.states
        idle, forced, no, yes = block.outcomes
        no, yes = games.after(no, words), games.after(yes, words)
        against = games.against(block.asked[OPEN])
        values = {FORCED: games.after(forced, words), OPEN: (no & yes) | ((no | yes) & ~against)}
        self._over = _OverStates(block.counts)
        none, every = games.word(0), ~games.word(0)
        self._some = self._over(np.bitwise_or, values, np.full(len(block.states), none))
        self._every = self._over(np.bitwise_and, values, np.full(len(block.states), every))
        chooser = block.chances(games.players).astype(np.uint8) * games.players
        self._against = games.against(chooser)
        self.idle = idle

    def step(self) -> bool:
        """Recompute the words (results of all games). Return whether any of them changed."""
        idle = {IDLE: self._games.after(self.idle, self._words)}
        some = self._over(np.bitwise_or, idle, self._some)
        every = self._over(np.bitwise_and, idle, self._every)
        new = (some & ~self._against) | (every & self._against)
        return _update(self._words, self._states, new)


class Lengths:
    """Computes the lengths of a player's forced wins step by step, from upper bounds.

    Args:
        words, lengths: the words (see `Games`) and lengths of all states.
        block: the states from which the player can force a win.
        choose: `np.minimum` if the player chooses the question, otherwise `np.maximum`.
    """

    def __init__(
        self,
        games: Games,
        words: NDArray[Any],
        lengths: NDArray[Any],
        block: Block,
        role: int,
        choose: np.ufunc,
    ) -> None:
        self._lengths, self._states, self._choose = lengths, block.states, choose
        self._after = partial(games.lengths_after, role, words, lengths)
        self.idle, *outcomes = block.outcomes
        forced, no, yes = map(self._after, outcomes)
        answer = np.where(block.asked[OPEN] == role, np.minimum(no, yes), np.maximum(no, yes))
        nothing = np.full(len(block.states), NEVER if choose is np.minimum else 0, np.uint16)
        self._over = _OverStates(block.counts)
        self._best = self._over(choose, {FORCED: forced, OPEN: answer}, nothing)
        # Choices of chance do not add to the length of the game.
        self._move = (~block.chances(games.players)).astype(np.uint16)

    def step(self) -> bool:
        """Recompute the lengths of the forced wins. Return whether any of them changed."""
        best = self._over(self._choose, {IDLE: self._after(self.idle)}, self._best)
        best += np.where(best == NEVER, np.uint16(0), self._move)
        return _update(self._lengths, self._states, best)


def all_lengths(
    games: Games, words: NDArray[Any], lengths: NDArray[Any], block: Block
) -> Iterator[Lengths]:
    """Yield two `Lengths` for each player: for states in which the player asks, and for others."""
    # Chance and all other roles delay the win. From a state, at most one role can force a win.
    chance = block.chances(games.players)
    for role in range(games.players):
        wins = games.can_force(words[block.states], role)
        hastened = wins & ~chance & (role == 0)
        for rows, choose in ((hastened, np.minimum), (wins & ~hastened, np.maximum)):
            if rows.any():
                part = block.take(np.nonzero(rows)[0])
                yield Lengths(games, words, lengths, part, role, choose)


class _OverStates:
    """Reduces an array of values of questions to one value for each state, with a NumPy ufunc."""

    def __init__(self, counts: NDArray[Any]) -> None:
        rows = [np.nonzero(count)[0] for count in counts]
        self._groups = [
            (states, np.cumsum(count[states], dtype=np.int64) - count[states])
            for states, count in zip(rows, counts, strict=True)
        ]

    def __call__(
        self, ufunc: np.ufunc, values: dict[int, NDArray[Any]], start: NDArray[Any]
    ) -> NDArray[Any]:
        result = start.copy()
        for group, worth in values.items():
            states, first = self._groups[group]
            if len(states):
                result[states] = ufunc(result[states], ufunc.reduceat(worth, first))
        return result


def _update(values: NDArray[Any], states: NDArray[Any], new: NDArray[Any]) -> bool:
    rows = np.nonzero(new != values[states])[0]
    values[states[rows]] = new[rows]
    return len(rows) > 0


def _iterate_to_fixpoint(parts: Sequence[Words | Lengths], threads: int) -> None:
    def step(part: Words | Lengths) -> bool:
        return part.step()

    while any([*threaded_map(threads if len(parts) > 1 else 1, step, parts)]):
        parts = [part for part in parts if len(part.idle)]
