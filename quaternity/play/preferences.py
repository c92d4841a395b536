"""Backward induction for players who rank the outcomes of a game.

An outcome is the player who wins alone, or nobody: the most sets are shared, or the game never
ends. Every player ranks all outcomes, best first and without ties, and everybody knows how.

The *value after k moves* is what backward induction gives for the game that is stopped without a
winner after k moves: nobody where no move is left; else the best, for the player on turn, of the
questions' values; and a question's value is the best, for the asked player, of its legal answers'.
That is exact and unique for every k. Where it is the same for all large k, it is the *value* of the
state. It need not be: two players can each prefer that the other one ends a waiting game, and then
it depends for ever on who would be the last. Such states are *unsettled*, and this says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from quaternity.errors import InputError, LimitError
from quaternity.play.canonical import canonical
from quaternity.play.kinds import role_orders

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaternity.play.graph import GameGraph
    from quaternity.play.solver import Solution
    from quaternity.state import State

MOST_ROUNDS = 10_000
"""More moves than this are not looked ahead."""

MOST_BYTES = 2 * 2**30
"""Most memory for the values."""

Ranking = tuple[int | None, ...]
"""The outcomes from best to worst: a player who wins, or None for nobody."""


def parse_rankings(text: str, players: int) -> tuple[Ranking, ...]:
    """Read one ranking per player, such as `0-12 1-02 2-01` for three players.

    Players are digits and `-` is nobody; the best outcome comes first.

    Raises:
        InputError: not one ranking per player, or a ranking that is not one.

    >>> parse_rankings("0-1 1-0", 2)
    ((0, None, 1), (1, None, 0))
    """
    words = text.split()
    if len(words) != players:
        raise InputError(f"rankings {text!r}: {len(words)} for {players} players")
    return tuple(_parsed(word, players) for word in words)


def _parsed(word: str, players: int) -> Ranking:
    known = [*(str(player) for player in range(players)), "-"]
    if sorted(word) != sorted(known):
        raise InputError(f"ranking {word!r}: each of {' '.join(known)} is needed once, best first")
    return tuple(None if sign == "-" else int(sign) for sign in word)


@dataclass(frozen=True, slots=True)
class Induction:
    """The values of all states under some rankings.

    Attributes:
        solution: the solved game.
        rankings: per real player.
        values: [state, naming], the outcome when the role r is the real player `naming[r]` (see
            `quaternity.play.kinds.role_orders`): a player's number, the number of players for
            nobody, or `UNSETTLED`.
        rounds: moves looked ahead until nothing changed, or repeated itself.
    """

    solution: Solution
    rankings: tuple[Ranking, ...]
    values: NDArray[Any]
    rounds: int

    def value(self, state: State) -> int | None:
        """The outcome of a state: the winner, or None for nobody.

        Raises:
            Unsettled: the state has no value.
            InputError: the state does not follow from where the game was solved.
        """
        key, roles = canonical(state)
        [number] = self.solution.graph.numbers([key])
        outcome = int(self.values[number, role_orders(state.players)[1][roles]])
        if outcome == UNSETTLED:
            raise Unsettled("the value depends for ever on who would be the last to move")
        return None if outcome == state.players else outcome


UNSETTLED = 255


class Unsettled(LimitError):
    """Backward induction gives a state no value under the players' rankings."""


def induce(solution: Solution, rankings: Sequence[Ranking]) -> Induction:
    """Backward induction over a solved game's graph.

    Cost: per round and order of the players what a round of `quaternity.play.retrograde` costs.

    Raises:
        InputError: a ranking does not rank every outcome once; or chance has a say in the game,
            which ranks nothing: use the tie-break first-in-order.
        LimitError: it takes more than `MOST_BYTES` or `MOST_ROUNDS`.
    """
    graph = solution.graph
    players = graph.rules.players
    outcomes = {*range(players), None}
    if len(rankings) != players or any(
        len(ranking) != players + 1 or set(ranking) != outcomes for ranking in rankings
    ):
        raise InputError(f"rankings: each of {players} players ranks every player and nobody once")
    if graph.chances() is not None:
        raise InputError(
            "chance can choose who is on turn in this game, and it ranks no outcomes: "
            "backward induction needs the tie-break first-in-order"
        )
    orders = role_orders(players)[0]
    needed = 3 * len(graph) * len(orders)
    if needed > MOST_BYTES:
        raise LimitError(f"backward induction takes {needed >> 20} MB: limit {MOST_BYTES >> 20}")
    values, rounds = _settled(graph, _Preferences(players, rankings))
    return Induction(solution, tuple(rankings), values, rounds)


class _Preferences:
    """The rankings as tables over namings: orders that give each role its real player."""

    def __init__(self, players: int, rankings: Sequence[Ranking]) -> None:
        self.namings, numbers = role_orders(players)
        # How much a player likes an outcome, and the outcome that is liked so much.
        self.liking = np.zeros((players, players + 1), np.uint8)
        self.liked = np.zeros((players, players + 1), np.uint8)
        for player, ranking in enumerate(rankings):
            for place, outcome in enumerate(reversed(ranking)):
                number = players if outcome is None else outcome
                self.liking[player, number] = place
                self.liked[player, place] = number
        # after[naming, order]: the naming of the roles after an answer with that order.
        self.after = np.array(
            [
                [numbers[tuple([naming[role] for role in roles])] for roles in self.namings]
                for naming in self.namings
            ]
        )


def _settled(graph: GameGraph, tables: _Preferences) -> tuple[NDArray[Any], int]:
    """The values when more moves change nothing, or what never settles marked."""
    players = graph.rules.players
    values = np.full((len(graph), len(tables.namings)), players, np.uint8)
    ends, winners = graph.ends()
    for naming, names in enumerate(tables.namings):
        values[ends, naming] = np.array([*names, players])[winners]
    seen: dict[bytes, int] = {}
    for rounds in range(MOST_ROUNDS):
        digest = sha256(values.data).digest()
        if digest in seen:
            period = rounds - seen[digest]
            unsettled = np.zeros(values.shape, bool)
            for _ in range(period - 1):
                new = _looked_ahead(graph, tables, values)
                unsettled |= new != values
                values = new
            values[unsettled] = UNSETTLED
            return values, seen[digest]
        seen[digest] = rounds
        values = _looked_ahead(graph, tables, values)
    raise LimitError(f"backward induction did not settle within {MOST_ROUNDS} moves")


def _looked_ahead(graph: GameGraph, tables: _Preferences, values: NDArray[Any]) -> NDArray[Any]:
    """The values for one move more."""
    new = values.copy()
    for segment in graph.segments():
        for naming, names in enumerate(tables.namings):
            real = np.array(names)
            answerer = real[segment.asked]
            after = tables.after[naming]
            no = values[segment.no, after[segment.no_order]]
            yes = values[segment.yes, after[segment.yes_order]]
            better = tables.liking[answerer, yes] > tables.liking[answerer, no]
            outcome = np.where(better, yes, no)
            liking = tables.liking[names[0], outcome]
            best = np.maximum.reduceat(liking, segment.first)
            new[segment.states, naming] = tables.liked[names[0], best]
    return new


__all__ = [
    "MOST_BYTES",
    "MOST_ROUNDS",
    "UNSETTLED",
    "Induction",
    "Ranking",
    "Unsettled",
    "induce",
    "parse_rankings",
]
