"""Puzzles made from the positions of a finished game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

from quaternity.base.deadline import Deadline
from quaternity.game.game import Game
from quaternity.kwartet.log import parse_any_log
from quaternity.kwartet.played import GameLog, seat_log_of
from quaternity.puzzles.dealing import Owner, Possible
from quaternity.puzzles.kwartet_puzzles import MIN_REQUESTS, Trace
from quaternity.puzzles.making import PuzzleKind, check_answers
from quaternity.puzzles.puzzle import VERSION, Puzzle
from quaternity.puzzles.quarto_puzzles import Quarto
from quaternity.puzzles.set_puzzles import LETTERS, Sets

MAX_GAME_ATTEMPTS = 150
"""Maximum number of positions of a game that are tried to make one puzzle."""

Attempts = Iterator[tuple[PuzzleKind, Puzzle | None]]


def make_from_game(rules: Any, record: str, seed: str, seconds: float | None) -> Puzzle | None:
    """Return a puzzle about a position of a finished game, or None if no position is suitable.

    The same record and seed always give the same puzzle.

    Raises:
        LimitError: If the search takes longer than the time limit, in seconds.
        SolverFault: If a second method finds other answers than those in the puzzle.
    """
    attempts = ATTEMPTS.get(rules.name)
    if attempts is None:
        return None
    deadline, random = Deadline(seconds), Random(f"{VERSION}/{seed}")
    tried = attempts(rules, record, random)
    for _, (kind, puzzle) in zip(range(MAX_GAME_ATTEMPTS), tried, strict=False):
        deadline.remaining()
        if puzzle is not None:
            check_answers(kind, puzzle)
            return replace(puzzle, seed=random.getrandbits(32))
    return None


def _quaternity_attempts(rules: Any, record: str, random: Random) -> Attempts:
    del rules
    game, owner, possible = Game.parse(record), Owner(), Possible()
    lengths = _shuffle(range(1, len(game.moves)), random)

    def first_moves(number: int) -> Game:
        return Game(game.settings, game.moves[:number], game.states[: number + 1])

    for number in lengths[: MAX_GAME_ATTEMPTS // 2]:
        yield owner, owner.of_game(first_moves(number))
    for number in lengths:
        yield possible, possible.of_game(first_moves(number), random, random.random())


def _kwartet_attempts(rules: Any, record: str, random: Random) -> Attempts:
    log, trace = parse_any_log(record), Trace()
    if not isinstance(log, GameLog) or rules.settings.aside:
        return
    lengths = range(MIN_REQUESTS, len(log.events))
    moments = [(length, seat) for length in lengths for seat in range(rules.seats)]
    for length, seat in _shuffle(moments, random):
        events, positions = log.events[:length], log.positions[: length + 1]
        seen = seat_log_of(GameLog(log.settings, log.hands, events, positions), seat)
        yield trace, trace.of_log(seen)


def _quarto_attempts(rules: Any, record: str, random: Random) -> Attempts:
    replay, quarto = rules.replay(record.encode()), Quarto()
    if rules.settings.squares:
        return
    boards = []
    for position, (_seat, move) in zip(replay.positions, replay.moves, strict=False):
        if position.in_hand is not None:
            boards.append((position.board, position.in_hand))
            if move.cell is not None and move.hand_over is not None:
                boards.append((position.place(move.cell).board, ""))
    for board, piece in _shuffle(boards, random):
        yield quarto, quarto.of_board(board, piece)


def _set_attempts(rules: Any, record: str, random: Random) -> Attempts:
    sets = Sets()
    tables = dict.fromkeys(place.seen.places for place in rules.replay(record.encode()).positions)
    for cards in _shuffle(tables, random):
        if len(cards) <= len(LETTERS):
            yield sets, sets.of_cards(cards)


def _shuffle(values: Any, random: Random) -> list[Any]:
    listed = list(values)
    return random.sample(listed, len(listed))


ATTEMPTS: dict[str, Callable[[Any, str, Random], Attempts]] = {
    "quaternity": _quaternity_attempts,
    "kwartet": _kwartet_attempts,
    "quarto": _quarto_attempts,
    "set": _set_attempts,
}
"""Functions that look for puzzles in the record of a game, by the name of the game. They try the
positions in random order. For each position, they yield a `PuzzleKind` and a puzzle, or None if the
position does not contain a puzzle."""
