"""Tournaments of bots: who sits where, what came of it, and how sure that is.

Games are numbered, and everything random in a game follows from the seed and its number: the same
tournament has the same results in one process, in eight or on a cluster. Seats rotate: every
line-up of bots plays from every seat in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from quaternity.errors import InputError
from quaternity.play.bots.bot import Bot, make_bot
from quaternity.settings import Settings
from quaternity.state import State
from quaternity.workers import ordered_map

if TYPE_CHECKING:
    from quaternity.workers import Pool

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

    Raises:
        InputError: a number is out of range, or there are fewer than two bots or too many.
    """

    settings: Settings
    bots: tuple[str, ...]
    games: int
    seed: int = 0
    cap: int = 500

    def __post_init__(self) -> None:
        if not 2 <= len(self.bots) <= MOST_BOTS:
            raise InputError(f"bots: {len(self.bots)} of them; 2 to {MOST_BOTS} can play")
        if not 1 <= self.games <= MOST_GAMES:
            raise InputError(f"games: {self.games} is out of range 1..{MOST_GAMES}")
        if self.cap < 1:
            raise InputError(f"cap: {self.cap} is not at least 1")

    def line_up(self, game: int) -> tuple[int, ...]:
        """Per seat the bot of a game, as its number.

        With as many bots as seats all of them play, and move on by a seat from game to game. If
        there are fewer, they take turns in the seats; if more, all choices of bots take turns.

        >>> duel = Tournament(Settings(2, 3, 3), ("random", "informed"), games=9)
        >>> [duel.line_up(game) for game in range(4)]
        [(0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)]
        """
        choices = _choices(len(self.bots), self.settings.players)
        seats = self.settings.players
        choice = choices[game // seats % len(choices)]
        shift = game % seats
        return choice[shift:] + choice[:shift]


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
    """The results of all games, in order.

    Raises:
        InputError: a bot cannot be made.
        What a bot raises where a game is too large for it.
    """
    for text in tournament.bots:
        make_bot(text, Random(0))
    return ordered_map(
        pool, partial(play_game, tournament), range(tournament.games), chunk_size=CHUNK
    )


def play_game(tournament: Tournament, game: int) -> GameResult:
    """One game by its number."""
    line_up = tournament.line_up(game)
    seats: list[Bot] = []
    for number in line_up:
        random, bot = _kept_bot(tournament.bots[number], number)
        # What a bot has worked out it may keep; its dice are the game's.
        random.seed(f"{tournament.seed}/{game}/{number}")
        seats.append(bot)
    state = State.start(tournament.settings)
    moves = 0
    while not state.is_over and moves < tournament.cap:
        assert state.turn is not None, "somebody asks"
        question = seats[state.turn].ask(state)
        answers = state.answers(question)
        answer = answers[0]
        if len(answers) > 1:
            answer = seats[question.asked].answer(state, question)
        state = state.after(question, answer)
        moves += 1
    return GameResult(line_up, state.points, state.winner, state.is_over, moves)


@lru_cache(maxsize=2 * MOST_BOTS)
def _kept_bot(text: str, number: int) -> tuple[Random, Bot]:
    """A bot that stays for the games of this process, and its generator."""
    random = Random(0)
    return random, make_bot(text, random)


__all__ = ["MOST_BOTS", "MOST_GAMES", "GameResult", "Tournament", "play", "play_game"]
