"""Puzzles from finished games: they are about a position of the game, and can be made again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from quaternity.base.errors import LimitError, SolverFault
from quaternity.game.game import Game
from quaternity.game.settings import Settings
from quaternity.kwartet.seat_log import SeatLog
from quaternity.puzzles import Puzzle
from quaternity.puzzles.boards import position_of
from quaternity.puzzles.dealing import Owner
from quaternity.puzzles.from_games import make_from_game
from quaternity.table.games import rules_of_record
from tests.review.test_other_games import match, record
from tests.review.test_quaternity import play_random_game
from tests.sizes import thorough

SEEDS = range(thorough(2, 20))


def texts(game: str, seed: int) -> str:
    """Return the record of a finished game."""
    if game == "quaternity":
        return play_random_game(Settings(3, 5, 3), seed, 300).record()
    return record(match(game, seed))


def make(text: str, seed: str = "") -> Puzzle | None:
    """Return the puzzle from the game of a record."""
    return make_from_game(rules_of_record(text.encode()), text, seed, None)


def quaternity_positions(text: str, puzzle: Puzzle) -> bool:
    """Return whether a puzzle begins with the moves of a game and ends before its end."""
    game, asked = Game.parse(text), Game.parse(puzzle.position)
    return asked.moves == game.moves[: len(asked.moves)] and len(asked.moves) < len(game.moves)


def kwartet_positions(text: str, puzzle: Puzzle) -> bool:
    """Return whether a puzzle shows requests of a game, with a hand that was dealt in it."""
    log = position_of(puzzle)
    assert isinstance(log, SeatLog)
    lines = [line for line in text.splitlines() if " asks " in line]
    asked = [line for line in puzzle.position.splitlines() if " asks " in line]
    hand = next(x for x in puzzle.position.splitlines() if x.startswith(f"hand {log.seat}:"))
    return asked == lines[: len(asked)] and len(asked) < len(lines) and hand in text


def quarto_positions(text: str, puzzle: Puzzle) -> bool:
    """Return whether a puzzle shows a board of a game."""
    replay = rules_of_record(text.encode()).replay(text.encode())
    boards = {str(position.board) for position in replay.positions}
    return puzzle.position.partition(" ")[0] in boards


def set_positions(text: str, puzzle: Puzzle) -> bool:
    """Return whether a puzzle shows the cards on the table at some time of a game."""
    replay = rules_of_record(text.encode()).replay(text.encode())
    return position_of(puzzle) in {position.seen.places for position in replay.positions}


POSITIONS: dict[str, Callable[[str, Puzzle], bool]] = {
    "quaternity": quaternity_positions, "kwartet": kwartet_positions,
    "quarto": quarto_positions, "set": set_positions,
}  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("game", POSITIONS)
def test_a_puzzle_is_about_a_position_of_the_game(game: str, seed: int) -> None:
    text = texts(game, seed)
    puzzle = make(text)
    assert puzzle is not None
    assert POSITIONS[game](text, puzzle)
    assert str(make(text)) == str(puzzle)
    assert puzzle.why
    assert all(puzzle.check(answer).right for answer in puzzle.answers)
    for answer, because in puzzle.wrong.items():
        assert puzzle.check(answer) == (False, because)


def test_games_that_puzzles_cannot_show_have_none() -> None:
    assert make(record(match("kwartet, cards aside", 0))) is None


def test_two_methods_must_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Owner, "answers_again", lambda self, puzzle: set())
    with pytest.raises(SolverFault, match="the other method finds"):
        make(texts("quaternity", 0))


def test_the_time_is_limited() -> None:
    text = texts("quaternity", 0)
    with pytest.raises(LimitError):
        make_from_game(rules_of_record(text.encode()), text, "", 0.0)
