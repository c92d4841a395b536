"""Tournaments of bots: who sits where, what came of it, and how sure that is.

Games are numbered, and everything random in a game follows from the seed and its number: the same
tournament has the same results in one process, in eight or on a cluster. Every line-up of bots
plays in all orders of seats, from five players on in a balanced choice of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from random import Random
from threading import get_ident
from typing import TYPE_CHECKING

from quaternity.errors import FaultPlace, InputError, PlayerFault
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.record import record_of
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.bots.bot import Bot, SeatedBot, make_bot
from quaternity.workers.foreign import played_apart
from quaternity.workers.own_process import NotedMove, check_move_seconds, notes
from quaternity.workers.pool import ordered_map
from quaternity.workers.seatings import seatings

if TYPE_CHECKING:
    from quaternity.workers.pool import Pool

MOST_GAMES = 1_000_000
MOST_BOTS = 12

CHUNK = 5
"""Games that a worker gets at a time."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is played.

    Attributes:
        settings: of every game.
        bots: as texts for `make_bot`; the same text may come twice.
        games: how many.
        seed: of everything random.
        cap: a game with so many moves has no result.
        move_seconds: the longest that a bot may think about a question or an answer; None: for
            ever.

    Raises:
        InputError: a number is out of range, or there are fewer than two bots or too many.
    """

    settings: Settings
    bots: tuple[str, ...]
    games: int
    seed: int = 0
    cap: int = 500
    move_seconds: float | None = None

    def __post_init__(self) -> None:
        if not 2 <= len(self.bots) <= MOST_BOTS:
            raise InputError(f"bots: {len(self.bots)} of them; 2 to {MOST_BOTS} can play")
        if not 1 <= self.games <= MOST_GAMES:
            raise InputError(f"games: {self.games} is out of range 1..{MOST_GAMES}")
        if self.cap < 1:
            raise InputError(f"cap: {self.cap} is not at least 1")
        check_move_seconds(self.move_seconds)

    def line_up(self, game: int) -> tuple[int, ...]:
        """Per seat the bot of a game, as its number.

        With as many bots as seats all of them play, in all `seatings`. If there are fewer, they
        take turns in the seats; if more, all choices of bots take turns.

        >>> duel = Tournament(Settings(2, 3, 3), ("random", "informed"), games=9)
        >>> [duel.line_up(game) for game in range(4)]
        [(0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0)]
        """
        choices = _choices(len(self.bots), self.settings.players)
        orders = seatings(self.settings.players)
        choice = choices[game % len(choices)]
        order = orders[(game // len(choices) + game % len(choices)) % len(orders)]
        return tuple([choice[entry] for entry in order])


@lru_cache(maxsize=8)
def _choices(bots: int, seats: int) -> tuple[tuple[int, ...], ...]:
    if bots >= seats:
        return tuple(combinations(range(bots), seats))
    return tuple(tuple([(first + seat) % bots for seat in range(seats)]) for first in range(bots))


@dataclass(frozen=True, slots=True)
class GameResult:
    """What came of one game.

    Attributes:
        line_up: per seat the bot.
        points: per seat the completed sets.
        winner: the seat that won alone, or None.
        over: False when the game was given up at the cap.
        moves: how many were played.
    """

    line_up: tuple[int, ...]
    points: tuple[int, ...]
    winner: int | None
    over: bool
    moves: int


def play(tournament: Tournament, pool: Pool) -> Iterator[GameResult]:
    """The results of all games, in order. Raises as `played_game`.

    Raises:
        InputError: a bot cannot be made.
    """
    for text in tournament.bots:
        make_bot(text, Random(0))
    # Here, in this process, every game that is finished counts when the user interrupts.
    chunk = CHUNK if pool.in_flight > 1 else 1
    return ordered_map(pool, partial(_result, tournament), range(tournament.games), chunk)


def _result(tournament: Tournament, game: int) -> GameResult:
    return played_game(tournament, game)[0]


def play_game(tournament: Tournament, game: int) -> GameResult:
    """One game by its number, in this process. Raises as `played_game`."""
    return _played(tournament, game)[0]


def played_game(
    tournament: Tournament, game: int
) -> tuple[GameResult, list[tuple[Question, Answer]]]:
    """What came of one game, by its number, and its moves.

    With a limit of time the bots play in a process of their own.

    Raises:
        PlayerFault: a bot failed or broke the rules; with the record up to there.
        PlayerTimeout: a bot thought for too long.
        GameLimit: the process of a game died.
        What a bot raises where a game is too large for it.
    """
    seconds = tournament.move_seconds
    if seconds is None:
        return _played(tournament, game)
    names = [tournament.bots[number] for number in tournament.line_up(game)]
    place = partial(_place_noted, tournament, game)
    return played_apart("bot", names, seconds, place, _played, tournament, game)


def _played(tournament: Tournament, game: int) -> tuple[GameResult, list[tuple[Question, Answer]]]:
    line_up = tournament.line_up(game)
    seats: list[SeatedBot] = []
    for seat, number in enumerate(line_up):
        random, bot = _kept_bot(tournament.bots[number], number, get_ident())
        # What a bot has worked out it may keep; its dice are the game's.
        random.seed(f"{tournament.seed}/{game}/{number}")
        seats.append(SeatedBot(tournament.bots[number], seat, bot))
    state = State.start(tournament.settings)
    moves: list[tuple[Question, Answer]] = []
    told = notes()
    thinking = 0
    try:
        while not state.is_over and len(moves) < tournament.cap:
            assert state.turn is not None, "somebody asks"
            thinking = state.turn
            if told is not None:
                told.thinks(thinking)
            question, answers = seats[thinking].ask(state)
            answer = answers[0]
            if len(answers) > 1:
                thinking = question.asked
                if told is not None:
                    told.thinks(thinking)
                answer = seats[thinking].answer(state, question, answers)
            state = state.after(question, answer)
            moves.append((question, answer))
            if told is not None:
                told.moved(question.asked, *question.card, answer)
    except PlayerFault as fault:
        raise fault.at(_place(tournament, game, moves, thinking)) from fault
    result = GameResult(line_up, state.points, state.winner, state.is_over, len(moves))
    return result, moves


def _place(
    tournament: Tournament,
    game: int,
    moves: Sequence[tuple[Question, Answer]],
    thinking: int | None,
) -> FaultPlace:
    """Where a game is after some moves, when a seat, or none, was thinking."""
    name = "" if thinking is None else tournament.bots[tournament.line_up(game)[thinking]]
    record = record_of(tournament.settings, moves)
    return FaultPlace(name, thinking, game, len(moves), None, record)


def _place_noted(
    tournament: Tournament, game: int, noted: Sequence[NotedMove], thinking: int | None
) -> FaultPlace:
    """As `_place`, of what another process noted."""
    state = State.start(tournament.settings)
    moves = []
    for asked, set_index, number, answer in noted:
        assert state.turn is not None, "the game went on"
        question = Question(state.turn, asked, Card(set_index, number))
        moves.append((question, Answer(answer)))
        state = state.after(*moves[-1])
    return _place(tournament, game, moves, thinking)


@lru_cache(maxsize=2 * MOST_BOTS)
def _kept_bot(text: str, number: int, thread: int) -> tuple[Random, Bot]:
    """A bot that stays for the games of a thread, and its generator."""
    del thread  # two games at once do not share a generator
    random = Random(0)
    return random, make_bot(text, random)


__all__ = [
    "CHUNK",
    "MOST_BOTS",
    "MOST_GAMES",
    "GameResult",
    "Tournament",
    "play",
    "play_game",
    "played_game",
]
