"""Backward induction for players who rank the outcomes of a game.

An outcome is the player who wins alone, or nobody: the most sets are shared, or the game never
ends. Every player ranks all outcomes, best first and without ties, and everybody knows how.

The *value after k moves* is what backward induction gives for the game that is stopped without a
winner after k moves: nobody where no move is left; else the best, for the player on turn, of the
questions' values; and a question's value is the best, for the asked player, of its legal answers'.
That is exact and unique for every k. Where it is the same for all large k, it is what the state
*promises*; a question or an answer *keeps* that promise if it has the same value for all large k.

A promise need not come true: each player may count on a later move, and all wait for ever, or two
may each prefer that the other one ends a waiting game, and then what the state promises depends for
ever on who would be the last. So a promised winner is the *value* of a state only

- at the end of a game that he won;
- where a player chooses who likes him better than nobody, if some choice that keeps the promise
  leads to a state whose value he is;
- where a player chooses who likes nobody better, if all choices that keep the promise do: that
  player would wait;

and nothing else (the least set of states). Nobody as a promise is the value where choices that keep
it never run out: that needs no end. States without a value are *unsettled*, and this says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quaternity.errors import InputError, LimitError
from quaternity.game.question import Move
from quaternity.perfect.keys.canonical import canonical
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.solving.graph import GameGraph, Segment
from solvers.problem import players_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quaternity.game.question import Answer, Question
    from quaternity.game.state import State
    from quaternity.perfect.solving.solver import Solution

MOST_ROUNDS = 10_000
"""More moves than this are not looked ahead."""

MOST_BYTES = 2 * 2**30
"""Most memory for the values; the questions are kept, too, where they fit in as well."""

SEGMENT_BYTES = 16
"""About how much memory a question takes."""

Segments = Callable[[], Iterable[Segment]]
"""Gives all questions of a graph, as often as it is called."""

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


class Line(NamedTuple):
    """A way to play that keeps a value.

    Attributes:
        moves: to the end of the game, or until a position comes again up to names.
        again: how many moves lead to the position that comes again (without a move after it, nobody
            can ask there any more); None when the game ends.
    """

    moves: tuple[Move, ...]
    again: int | None


@dataclass(frozen=True, slots=True)
class Induction:
    """The values of all states under some rankings.

    Attributes:
        graph: of the game.
        rankings: per real player.
        values: [state, naming], the outcome when the role r is the real player `naming[r]` (see
            `quaternity.perfect.keys.kinds.role_orders`): a player's number, the number of players
            for nobody, or `UNSETTLED`.
        promised: [state, naming], the outcomes that any large number of moves promises, as bits.
        moves: [state, naming], the moves to the end of a value that is a winner, when who would
            rather see nobody win takes as many as can be; otherwise 0.
        rounds: moves looked ahead until nothing changed, or repeated itself.
    """

    graph: GameGraph
    rankings: tuple[Ranking, ...]
    values: NDArray[Any]
    promised: NDArray[Any]
    moves: NDArray[Any]
    rounds: int

    def value(self, state: State) -> int | None:
        """The outcome of a state: the winner, or None for nobody.

        Raises:
            Unsettled: the state has no value.
            InputError: the state does not follow from where the game was solved.
        """
        outcome = int(self.values[self._at(state)])
        if outcome == UNSETTLED:
            raise Unsettled(
                "no outcome is settled: it depends for ever on who would be the last to move, "
                "or each player counts on a later move"
            )
        return None if outcome == state.players else outcome

    def keeping(self, state: State) -> dict[Question, list[Answer]]:
        """The questions that keep the value of a state, with the answers that do.

        With a winner as the value, only what leads on towards his win; answers that lead there
        sooner come first.

        Raises:
            As `value`.
        """
        self.value(state)
        at = self._at(state)
        value, left = int(self.values[at]), self.moves[at]
        found = {}
        for question in state.legal_questions:
            answers = state.answers(question)
            places = [self._at(state.after(question, answer)) for answer in answers]
            likes = self._likes(question.asked)
            promised = {one for place in places for one in players_in(int(self.promised[place]))}
            keeps = [self.promised[place] == 1 << value for place in places]
            leads = [
                self.values[place] == value and (value == state.players or self.moves[place] < left)
                for place in places
            ]
            waits = likes[value] < likes[state.players]
            led = all(leads[at] for at, keep in enumerate(keeps) if keep) if waits else any(leads)
            if led and any(keeps) and max(likes[one] for one in promised) == likes[value]:
                moves = zip(leads, places, answers, strict=True)
                good = [(self.moves[place], answer) for lead, place, answer in moves if lead]
                found[question] = [answer for _, answer in sorted(good)]
        return found

    def line(self, state: State) -> Line:
        """A way to play that keeps the value of a state.

        Who likes a winner better than nobody hastens his win, who does not delays it.

        Raises:
            As `value`.
        """
        value = self.value(state)
        moves: list[Move] = []
        seen: dict[tuple[int, int], int] = {}
        while not state.is_over and (at := self._at(state)) not in seen:
            seen[at] = len(moves)
            if not state.legal_questions:
                return Line(tuple(moves), len(moves))
            # What a question leads to is the choice of who answers it.
            chosen = [
                Move(question, answers[-1 if self._waits(question.asked, value) else 0])
                for question, answers in self.keeping(state).items()
            ]
            afters = [state.after(move.question, move.answer) for move in chosen]
            left = [int(self.moves[self._at(after)]) for after in afters]
            best = left.index(max(left) if self._waits(state.turn, value) else min(left))
            moves.append(chosen[best])
            state = afters[best]
        return Line(tuple(moves), None if state.is_over else seen[self._at(state)])

    def _waits(self, player: int | None, winner: int | None) -> bool:
        """Whether a player would rather see nobody win than a winner."""
        assert player is not None, "somebody asks"
        ranking = self.rankings[player]
        return ranking.index(None) < ranking.index(winner)

    def _likes(self, player: int) -> list[int]:
        """How much a player likes each outcome, nobody the last of them."""
        ranking = self.rankings[player]
        players = len(self.rankings)
        return [-ranking.index(outcome) for outcome in (*range(players), None)]

    def _at(self, state: State) -> tuple[int, int]:
        """Where a state is in the arrays."""
        key, roles = canonical(state)
        [number] = self.graph.numbers([key])
        return number, role_orders(state.players)[1][roles]


UNSETTLED = 255


class Unsettled(LimitError):
    """Backward induction gives a state no value under the players' rankings."""


def induce(solved: Solution | GameGraph, rankings: Sequence[Ranking]) -> Induction:
    """Backward induction over a game's graph.

    Cost: per round and order of the players what a round of
    `quaternity.perfect.solving.retrograde` costs, and up to as much again for which promises are
    kept: some 6 s for 4-3-3; memory: eight bytes per state and order of the players.

    Raises:
        InputError: a ranking does not rank every outcome once; or chance has a say in the game,
            which ranks nothing: use the tie-break first-in-order.
        LimitError: it takes more than `MOST_BYTES` or `MOST_ROUNDS`.
    """
    graph = solved if isinstance(solved, GameGraph) else solved.graph
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
    needed = 8 * len(graph) * len(orders)
    if needed > MOST_BYTES:
        raise LimitError(f"backward induction takes {needed >> 20} MB: limit {MOST_BYTES >> 20}")
    tables = _Preferences(players, rankings)
    segments: Segments = graph.segments
    if needed + SEGMENT_BYTES * graph.questions <= MOST_BYTES:
        segments = [*segments()].__iter__
    promised, rounds = _promised(graph, segments, tables)
    values, moves = _Keeping(graph, segments, tables, promised).settled()
    return Induction(graph, tuple(rankings), values, promised, moves, rounds)


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


def _promised(
    graph: GameGraph, segments: Segments, tables: _Preferences
) -> tuple[NDArray[Any], int]:
    """The outcomes that large numbers of moves promise, as bits, and how many moves are large."""
    players = graph.rules.players
    values = np.full((len(graph), len(tables.namings)), players, np.uint8)
    ends, winners = graph.ends()
    for naming, names in enumerate(tables.namings):
        values[ends, naming] = np.array([*names, players])[winners]
    seen: dict[bytes, int] = {}
    for rounds in range(MOST_ROUNDS):
        digest = sha256(values.data).digest()
        if digest in seen:
            promised = np.uint8(1) << values
            for _ in range(rounds - seen[digest] - 1):
                values = _looked_ahead(segments, tables, values)
                promised |= np.uint8(1) << values
            return promised, seen[digest]
        seen[digest] = rounds
        values = _looked_ahead(segments, tables, values)
    raise LimitError(f"backward induction did not settle within {MOST_ROUNDS} moves")


BELOW, KEEPS, ABOVE = range(3)
"""What an answer promises its player: less than a question's value, just that, or more at times."""


class _Keeping:
    """Which promises are kept."""

    def __init__(
        self, graph: GameGraph, segments: Segments, tables: _Preferences, promised: NDArray[Any]
    ) -> None:
        self.graph, self.segments, self.tables, self.promised = graph, segments, tables, promised
        players = graph.rules.players
        outcome = np.full(1 << players + 1, UNSETTLED, np.uint8)
        outcome[1 << np.arange(players + 1)] = np.arange(players + 1)
        self.promise = outcome[promised]
        # [player, outcome]: whether nobody is liked better, so that waiting is no harm to him.
        self.waits = tables.liking < tables.liking[:, players:]
        # [player, outcome, outcomes as bits]: what an answer that promises these is to the player.
        self.offers = np.zeros((players, players + 1, len(outcome)), np.uint8)
        for player, liking in enumerate(tables.liking.tolist()):
            for bits in range(1, len(outcome)):
                best = max(liking[one] for one in players_in(bits))
                self.offers[player, :, bits] = [ABOVE * (best > one) for one in liking]
        for one in range(players + 1):
            self.offers[:, one, 1 << one] = KEEPS
        # [whether he waits, what no is, what yes is] of the asked player: whether his question
        # keeps the promise (2), and leads on as well (3). Answers that lead on are 3 higher.
        self.question = np.array(
            [
                [[_kept_by(waits, no, yes) for yes in range(6)] for no in range(6)]
                for waits in (False, True)
            ],
            np.uint8,
        )

    def settled(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The values, and the moves to the end of those that are a winner."""
        players = self.graph.rules.players
        ends = self.graph.ends()[0]
        kept = np.zeros(self.promise.shape, bool)
        kept[ends] = True
        moves = np.zeros(self.promise.shape, np.uint16)
        for number in range(1, MOST_ROUNDS):
            new = self._led(kept, ~kept & (self.promise < players))
            if not new.any():
                break
            moves[new] = number
            kept |= new
        # Nobody is the outcome as long as it is kept. Where no promise changes it always is.
        nobody = self.promise == players
        while (self.promise == UNSETTLED).any():
            lost = nobody.copy()
            lost[ends] = False
            lost &= ~self._led(nobody, lost)
            if not lost.any():
                break
            nobody &= ~lost
        return np.where(kept | nobody, self.promise, np.uint8(UNSETTLED)), moves

    def _led(self, good: NDArray[Any], wanted: NDArray[Any]) -> NDArray[Any]:
        """In which of the wanted states play that keeps the promise leads to good states."""
        result = np.zeros(good.shape, bool)
        for segment in self.segments():
            counts = np.diff(segment.first, append=len(segment.asked))
            for naming, names in enumerate(self.tables.namings):
                rows = np.nonzero(wanted[segment.states, naming])[0]
                if not len(rows):
                    continue
                count = counts[rows]
                first = np.cumsum(count) - count
                # The questions of these states.
                at = np.repeat(segment.first[rows] - first, count) + np.arange(count.sum())
                promise = self.promise[segment.states[rows], naming]
                value = np.repeat(promise, count)
                asked = np.array(names)[segment.asked[at]]
                no, yes = (
                    self.offers[asked, value, self.promised[to, order]]
                    + np.uint8(3) * good[to, order]
                    for to, order in (
                        (segment.no[at], self.tables.after[naming][segment.no_order[at]]),
                        (segment.yes[at], self.tables.after[naming][segment.yes_order[at]]),
                    )
                )
                kept = self.question[self.waits[asked, value].astype(np.uint8), no, yes]
                some = np.maximum.reduceat(kept, first) == 3
                every = np.logical_and.reduceat(kept != 2, first)
                waiting = self.waits[names[0], promise]
                result[segment.states[rows], naming] = some & (every | ~waiting)
        return result


def _kept_by(waits: bool, no: int, yes: int) -> int:
    """Whether a question keeps a promise (2), and leads on as well (3); see `_Keeping.question`."""
    if ABOVE in (no % 3, yes % 3) or KEEPS not in (no % 3, yes % 3):
        return 0
    leads = [answer >= 3 for answer in (no, yes) if answer % 3 == KEEPS]
    return 3 if (all(leads) if waits else any(leads)) else 2


def _looked_ahead(segments: Segments, tables: _Preferences, values: NDArray[Any]) -> NDArray[Any]:
    """The values for one move more."""
    new = values.copy()
    for segment in segments():
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
    "Line",
    "Ranking",
    "Unsettled",
    "induce",
    "parse_rankings",
]
