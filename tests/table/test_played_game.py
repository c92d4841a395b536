"""Games as values: the same interface for all games of the table, and the results of a match."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any, cast

import pytest

from quaternity.errors import FileWarning, IllegalMove, InputError
from quaternity.kwartet import KwartetGame, KwartetSettings
from quaternity.quarto import QuartoGame, QuartoSettings
from quaternity.table.history import History, whole_events
from quaternity.table.match import Match
from quaternity.table.played_game import PlayedGame
from quaternity.table.protocol import Step
from quaternity.ternary import MORE, SetGame, SetSettings
from tests.sizes import thorough

Played = PlayedGame[Any, Any, Any, Any]
STARTS: dict[str, tuple[type[Played], Any]] = {
    "kwartet": (KwartetGame, KwartetSettings(players=3, sets=3)),
    "quarto": (QuartoGame, QuartoSettings(squares=True)),
    "set": (SetGame, SetSettings(seats=2, table=9)),
}


def play_three(kind: type[Played], settings: Any, seed: int) -> Played:
    """Return a game after three moves."""
    game = kind.start(settings, seed)
    for number in range(3):
        game = game.play(next(iter(game.legal_moves)), game.to_act[number % len(game.to_act)])
    return game


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("seed", range(thorough(3, 20)))
def test_a_game_as_a_value_is_the_match_of_its_seed(name: str, seed: int) -> None:
    kind, settings = STARTS[name]
    start = kind.start(settings, seed)
    assert start.settings == settings
    assert start == kind.start(settings, str(seed))
    with pytest.raises(InputError, match="undo: there is no move to undo"):
        start.undo()
    match: Match[Any, Any, Any] = Match(start.rules, ["you"] * start.rules.seats, str(seed))
    assert match.position == start.position
    for seat in (None, *range(start.rules.seats)):
        assert start.board(seat) == match.rules.show(match.view(seat))
        assert start.svg(seat).startswith("<svg")
    assert str(start) == start.board()


@pytest.mark.parametrize("name", STARTS)
def test_a_file_is_read_and_irregularities_are_warnings(name: str, tmp_path: Any) -> None:
    game = play_three(*STARTS[name], 5)
    path = tmp_path / "record"
    path.write_text(game.record(tuple("abc"[: game.rules.seats])), encoding="utf-8")
    assert game.read(str(path)) == game
    with pytest.warns(FileWarning, match="incomplete") as warned:
        assert game.parse(game.record() + "0 as") == game
    assert warned[0].filename == __file__


@pytest.mark.parametrize("name", STARTS)
def test_wrong_arguments_are_named(name: str) -> None:
    kind, settings = cast(Any, STARTS[name])
    game: Any = kind.start(settings)
    assert game != kind.start(settings) or name == "quarto"  # the deal is random
    for call, words in (
        (lambda: kind.start(5), f"settings: 5 is not a {type(settings).__name__}"),
        (lambda: kind.start(settings, 1.5), "seed: must be a whole number, not 1.5"),
        (lambda: game.play(5, 0), "move: must be a"),
        (lambda: game.play(game.legal_moves, 0), "move: "),
        (lambda: game.play("?!", 0), "'?!' is not understood"),
        (lambda: game.play("?", 9), "seat 9 is out of range"),
        (lambda: game.view("you"), "seat: must be a whole number, not 'you'"),
        (lambda: game.record(5), "names: 5 is not a list"),
        (lambda: game.record([5]), "names[0]: 5 is not a name"),
        (lambda: kind.parse(5), "data: 5 is not the text of a record"),
        (lambda: kind(settings), "is not a History"),
        (lambda: kind(History(cast(Any, None), 0)), "history: its rules are"),
    ):
        with pytest.raises(InputError) as refused:
            call()  # type: ignore[no-untyped-call]
        assert words in str(refused.value)


@pytest.mark.parametrize("name", STARTS)
def test_a_game_is_a_value(name: str) -> None:
    kind, settings = STARTS[name]
    game = play_three(kind, settings, 3)
    assert pickle.loads(pickle.dumps(game)) == deepcopy(game) == game  # noqa: S301  # our own
    assert len({game, deepcopy(game), game.undo()}) == 2
    for attribute in ("history", "positions", "moves", "rules", "points", "anything"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(game, attribute, ())
        with pytest.raises((AttributeError, TypeError)):
            setattr(game.settings, attribute, ())


def test_events_have_the_numbers_of_their_moves() -> None:
    steps = [Step(0, ("a", "b")), Step(1, ()), Step(0, ("c",))]
    assert whole_events(steps) == [(1, "a"), (1, "b"), (3, "c")]


def test_a_seat_must_be_given_if_several_may_move() -> None:
    game = SetGame.start(SetSettings(seats=3), seed=1)
    assert (game.turn, game.to_act) == (None, (0, 1, 2))
    with pytest.raises(InputError, match="several players may move; choose from 0, 1 and 2"):
        game.play("more")
    game = game.play("more", 0)
    assert MORE in game.legal_moves  # the others may still agree
    with pytest.raises(IllegalMove, match="agreed already"):
        game.play(MORE, 0)
