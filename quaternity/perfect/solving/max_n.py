"""Outcomes of games that must end, if each player maximizes only their own result (max^n).

An *outcome* lists what each player gets: the number of the player's sets. If only winning counts, a
sole winner gets 2, players who share the most sets get 1, and the others get 0. The player to move
chooses a question, and the asked player chooses a legal answer. Both choose what gives them the
most (max^n: Luckhardt and Irani 1986). If several choices are equally good for a player, the choice
between them still matters to the others. So a state has a set of outcomes, for all ways to break
ties without chance:

- If the game is over, the set contains only the final outcome.
- Otherwise, each choice of a player leads to a set of outcomes. The choice guarantees the player
  at least the worst of these outcomes. Let g be the highest guarantee of any choice. The set of
  the state contains the outcomes of all choices that give the player at least g.

These are the outcomes of the subgame-perfect equilibria in pure strategies. Ties in one state may
be broken differently after different histories. Breaking ties with a coin may add other outcomes,
because a player may prefer a lottery.

Ties can also be broken *against* or *for* one given player. A player who gets the same from two
outcomes then prefers the outcome in which the given player gets less (against) or more (for). If
the given player also gets the same, the tie remains, so there may again be several outcomes.

A state is computed after all its successors, so positions must not repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.base.errors import InputError, LimitError
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import canonical, coding
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.solving.graph import GameGraph, Segment
from quaternity.perfect.solving.retrograde import BLOCK_STATES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaternity.game.state import State
    from quaternity.perfect.solving.solver import Solution

Outcome = tuple[int, ...]
"""Outcome of a game: a number for each player, which says what the player gets."""

MAX_OUTCOME_BYTES = 2 * 2**30
"""Maximum memory for the sets of outcomes, in bytes."""

STUCK = (
    "no player can be asked in this state, so its sets stay open: --everybody needs a game that "
    "ends"
)
ENDLESS = (
    "positions can repeat in this game, so it need not end: --everybody needs a game that ends, "
    "such as a brisk game"
)


def _win_shares(points: Sequence[int]) -> Outcome:
    best = max(points)
    first = 2 if points.count(best) == 1 else 1
    return tuple([first * (point == best) for point in points])


WISHES: dict[str, Callable[[Sequence[int]], Outcome]] = {"points": tuple, "win": _win_shares}
"""Objectives of the players, by name. Each is a function that takes the points of all players and
returns the outcome."""

TIES = {"any": 0, "against": -1, "for": 1}
"""Ways to break ties between moves, by name: arbitrarily, to the disadvantage of a given player, or
to this player's advantage. The value is the factor by which the given player's gain is multiplied
when tied moves are compared."""


@dataclass(frozen=True, slots=True)
class MaxNOutcomes:
    """The outcomes of all states if every player tries to get as much as possible.

    Attributes:
        outcomes: all outcomes that a state may have. An outcome has a number for each role.
        sets: [state, role, word], the outcomes of each state as the bits of 64-bit words. Ties
            between equally good moves are broken against or for the role. If they are broken in any
            way, the axis for the role has length 1.
    """

    graph: GameGraph
    outcomes: tuple[Outcome, ...]
    sets: NDArray[np.uint64]

    def of(self, state: State, player: int = 0) -> list[Outcome]:
        """Return the possible outcomes of a state, the best for player 0 first.

        Each outcome lists what each player gets.

        Args:
            player: the player against or for whom ties are broken.

        Raises:
            InputError: If the state cannot follow from the state that was solved.
        """
        key, roles = canonical(state)
        [number] = self.graph.numbers([key])
        words = self.sets[number, roles.index(player) % self.sets.shape[1]].tolist()
        outcomes = [
            tuple([outcome[roles.index(player)] for player in range(len(roles))])
            for place, outcome in enumerate(self.outcomes)
            if words[place // 64] >> place % 64 & 1
        ]
        return sorted(outcomes, reverse=True)


def check_wish(name: str) -> str:
    """Return the name of an objective of the players. Raise an `InputError` if it is unknown."""
    return _check_name("wish", name, WISHES)


def _check_name(meaning: str, name: str, known: Mapping[str, object]) -> str:
    if name not in known:
        raise InputError(f"{meaning}: must be {' or '.join(known)}, not {name[:40]!r}")
    return name


def solve_max_n(
    solved: Solution | GameGraph, wish: str = "points", ties: str = "any"
) -> MaxNOutcomes:
    """Return the possible outcomes of every state if all players play for themselves.

    This takes about half a microsecond for each question, and more with `against` or `for`.

    Args:
        wish: the objective of all players, a name in `WISHES`.
        ties: the way to break ties, a name in `TIES`. `against` and `for` are computed separately
            for each player.

    Raises:
        InputError: If positions can repeat (the game need not end), chance matters (use the
            tie-break first-in-order), or a name is unknown.
        LimitError: If the outcomes take more than `MAX_OUTCOME_BYTES`.
    """
    graph = solved if isinstance(solved, GameGraph) else solved.graph
    wish, ties = check_wish(wish), _check_name("ties", ties, TIES)
    if graph.chances() is not None:
        raise InputError(
            "chance can choose the player to move in this game, so outcomes are not certain: "
            "--everybody needs the tie-break first-in-order"
        )
    ends, _ = graph.ends()
    code = coding(graph.rules)
    over = [code.parts(key) for key in key_bytes(graph.keys[ends])]
    if any(parts.kinds for parts in over):
        raise InputError(STUCK)
    gets = [WISHES[wish](parts.points) for parts in over]
    tables = _Tables(graph.rules.players, gets, TIES[ties], len(graph))
    sets = np.zeros((len(graph), tables.tie_roles, tables.words), np.uint64)
    for end, outcome in zip(ends, gets, strict=True):
        sets[end] = tables.bits([other == outcome for other in tables.outcomes])
    settled = np.zeros(len(graph), bool)
    settled[ends] = True
    numbers = np.argsort(graph.discovery).astype(np.uint32)
    for stratum in graph.strata(BLOCK_STATES):
        segments = [block.segment(graph.orders, numbers) for block in stratum()]
        while segments:
            before = np.count_nonzero(settled)
            segments = [s for s in segments if not _compute_ready(s, tables, sets, settled)]
            if segments and np.count_nonzero(settled) == before:
                raise InputError(ENDLESS)
    return MaxNOutcomes(graph, tables.outcomes, sets)


def _compute_ready(
    segment: Segment, tables: _Tables, sets: NDArray[np.uint64], settled: NDArray[Any]
) -> bool:
    """Compute the outcomes of those states of a `Segment` whose next states have known outcomes.

    `sets` receives the outcomes, and `settled` marks the states with known outcomes. Return whether
    the outcomes of all states of the `Segment` are known afterwards.
    """
    counts = np.diff(segment.first, append=len(segment.asked))
    ready = np.logical_and.reduceat(settled[segment.no] & settled[segment.yes], segment.first)
    rows = np.nonzero(ready & ~settled[segment.states])[0]
    count = counts[rows]
    first = np.cumsum(count) - count
    # Indices of all questions in these states.
    at = np.repeat(segment.first[rows] - first, count) + np.arange(count.sum())
    asked, asker = segment.asked[at], np.zeros(len(at), np.uint8)
    for about in range(tables.tie_roles if len(rows) else 0):
        no = tables.before(sets, segment.no[at], segment.no_order[at], about)
        yes = tables.before(sets, segment.yes[at], segment.yes_order[at], about)
        worst = np.maximum(tables.worst(no, asked, about), tables.worst(yes, asked, about))
        possible = (no | yes) & tables.no_worse[about, asked, worst]
        worst = np.maximum.reduceat(tables.worst(possible, asker, about), first)
        some = np.bitwise_or.reduceat(possible, first)
        sets[segment.states[rows], about] = some & tables.no_worse[about, 0, worst]
    settled[segment.states[rows]] = True
    return bool(settled[segment.states].all())


CHUNK = 8
"""Number of bits that one lookup in a table reads. A set of outcomes has a bit for each."""


class _Tables:
    """Tables for fast calculations with sets of outcomes, which are stored as bits.

    Attributes:
        outcomes: all outcomes, under any assignment of roles.
        words: number of 64-bit words in a set of outcomes.
        tie_roles: number of roles against or for which ties are broken: all roles, or 1 for ties
            that may be broken in any way.
        no_worse: [role, chooser, rank, word], the outcomes that are at least as good for the role
            `chooser` as the outcome with this rank, if ties are broken against or for `role`.
    """

    def __init__(self, players: int, ends: Sequence[Outcome], ties: int, states: int) -> None:
        self.outcomes = tuple(sorted({outcome for end in ends for outcome in permutations(end)}))
        self.words = -(-len(self.outcomes) // 64)
        self.tie_roles = players if ties else 1
        orders = role_orders(players)[0]
        chunks = -(-len(self.outcomes) // CHUNK)
        needed = 8 * self.words * (states * self.tie_roles + (chunks * len(orders) << CHUNK))
        if needed > MAX_OUTCOME_BYTES:
            raise LimitError(
                f"sets of outcomes need {needed >> 20} MB, but at most {MAX_OUTCOME_BYTES >> 20} "
                "MB are allowed"
            )
        maximum = max(map(max, self.outcomes))
        # Both arrays have the axes [role against or for which ties are broken, role, outcome].
        gets = np.array(self.outcomes).T
        likings = gets[None] * (maximum + 1) + ties * gets[: self.tie_roles, None]
        levels, ranks = np.unique(likings, return_inverse=True)
        ranks = ranks.reshape(likings.shape)
        self.no_worse = np.array(
            [
                [[self.bits(rank >= level) for level in range(len(levels))] for rank in about]
                for about in ranks
            ]
        )
        # [role, order]: the new role, after an answer, of the player who had this role before it.
        self.after = np.array([[roles.index(role) for roles in orders] for role in range(players)])
        number = {outcome: place for place, outcome in enumerate(self.outcomes)}
        # [chunk, order, bits]: the outcomes of a chunk, renamed to the roles before an answer.
        self._before = np.zeros((chunks, len(orders), 1 << CHUNK, self.words), np.uint64)
        # [chunk, role of the ties, role, bits]: the rank of the worst outcome in a chunk.
        self._worst = np.full((chunks, *ranks.shape[:2], 1 << CHUNK), len(levels) - 1, np.uint16)
        bits = np.arange(1 << CHUNK)
        for place, outcome in enumerate(self.outcomes):
            rows = np.nonzero(bits >> place % CHUNK & 1)[0]
            worst = self._worst[place // CHUNK]
            worst[..., rows] = np.minimum(worst[..., rows], ranks[..., place, None])
            for order, roles in enumerate(orders):
                target = number[tuple([outcome[roles.index(role)] for role in range(players)])]
                self._before[place // CHUNK, order, rows, target // 64] |= np.uint64(
                    1 << target % 64
                )

    def bits(self, marked: Sequence[bool] | NDArray[Any]) -> NDArray[np.uint64]:
        whole = sum(1 << place for place, mark in enumerate(marked) if mark)
        return np.array(
            [whole >> 64 * word & (1 << 64) - 1 for word in range(self.words)], np.uint64
        )

    def before(
        self, sets: NDArray[np.uint64], states: NDArray[Any], order: NDArray[Any], about: int
    ) -> NDArray[np.uint64]:
        # Rename the sets of the states after answers to the roles before the answers. If ties are
        # broken against or for a role, `about` is this role before the answers.
        after = sets[states, self.after[about, order] if self.tie_roles > 1 else 0]
        result = np.zeros(after.shape, np.uint64)
        for table, bits in zip(self._before, self._chunks(after), strict=True):
            result |= table[order, bits]
        return result

    def worst(self, sets: NDArray[np.uint64], roles: NDArray[Any], about: int) -> NDArray[Any]:
        # Return, for each set of outcomes, the rank of the outcome that is worst for its role.
        chunks = zip(self._worst, self._chunks(sets), strict=True)
        return np.asarray(np.minimum.reduce([table[about, roles, bits] for table, bits in chunks]))

    def _chunks(self, sets: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
        for chunk in range(len(self._before)):
            word, shift = divmod(chunk * CHUNK, 64)
            yield sets[:, word] >> np.uint64(shift) & np.uint64((1 << CHUNK) - 1)


@dataclass(frozen=True, slots=True)
class MaxNResult:
    """The outcomes of a state if all players play for themselves, and chance decides nothing.

    Attributes:
        wish: the objective of all players.
        outcomes: the outcomes for all ways to break ties.
        against, in_favour: for each player, the outcomes if ties are broken against or for them.
    """

    wish: str
    outcomes: list[Outcome]
    against: list[list[Outcome]]
    in_favour: list[list[Outcome]]

    @property
    def winners(self) -> list[int | None]:
        """The players who may be the sole winner. It contains None if the win can be shared."""
        alone = {gets.index(max(gets)) for gets in self.outcomes if gets.count(max(gets)) == 1}
        shared = any(gets.count(max(gets)) > 1 for gets in self.outcomes)
        return [*sorted(alone), *[None] * shared]

    def document(self) -> dict[str, Any]:
        """Return the result as a dictionary for JSON, with each player's minimum and maximum."""
        return {
            "wish": self.wish,
            "outcomes": self.outcomes,
            "least": [min(gets) for gets in zip(*self.outcomes, strict=True)],
            "most": [max(gets) for gets in zip(*self.outcomes, strict=True)],
            "winners": self.winners,
            "against": self.against,
            "for": self.in_favour,
        }


def max_n_result(solved: Solution | GameGraph, state: State, wish: str = "points") -> MaxNResult:
    """Return the outcomes of a state if all players play for themselves.

    Ties between equally good moves are broken in any way, and also against or for each player. The
    possible errors are the same as for `solve_max_n`. This takes as long as three calls of
    `solve_max_n`.
    """

    def by_player(ties: str) -> list[list[Outcome]]:
        everybody = solve_max_n(solved, wish, ties)
        return [everybody.of(state, player) for player in range(state.players)]

    outcomes = solve_max_n(solved, wish).of(state)
    return MaxNResult(wish, outcomes, by_player("against"), by_player("for"))
