"""Matches: chance, undo, hand-overs, resuming, and programs that fail."""

from __future__ import annotations

import os
import sys
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from quaternity import guide
from quaternity.base.errors import InputError, LimitError, PlayerFault
from quaternity.base.text_format import quote_value
from quaternity.game.rules import QuaternityRules
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.quarto.rules import QuartoRules
from quaternity.quarto.solving import QuartoMove
from quaternity.table.games import GAMES as GAMES_OF_OURS
from quaternity.table.games import registration
from quaternity.table.match import Match, choose_move
from quaternity.table.players import make_player
from quaternity.ternary.rules import SetRules, SetSettings
from quaternity.workers.isolated_calls import EXTERNAL_MOVE_SECONDS
from quaternity.workers.isolated_players import SeatedPlayer
from tests.table.planted import plant

GAMES: list[tuple[Any, list[str]]] = [
    (QuaternityRules(), ["random", "informed", "random"]),
    (KwartetRules(KwartetSettings(3, 4)), ["random", "greedy", "exact"]),
    (QuartoRules(), ["random", "careful"]),
    (SetRules(SetSettings(seats=3)), ["quick", "slow:30", "slow"]),
]
every_game = pytest.mark.parametrize(
    ("rules", "names"), GAMES, ids=lambda value: getattr(value, "name", "")
)


def match_of(rules: Any, names: list[str], seed: str = "7", **more: Any) -> Match[Any, Any, Any]:
    return Match(rules, names, seed, **more)


def play_programs(match: Match[Any, Any, Any], moves: int = 10_000) -> Match[Any, Any, Any]:
    while len(match.moves) < moves and match.program_move() is not None:
        pass
    return match


@every_game
def test_a_seed_gives_the_same_match_even_if_resumed(rules: Any, names: list[str]) -> None:
    whole = play_programs(match_of(rules, names), 40)
    again = play_programs(match_of(rules, names), 40)
    assert whole.moves == again.moves
    assert whole.moves != play_programs(match_of(rules, names, "8"), 40).moves
    half = play_programs(match_of(rules, names), 9)
    rest = match_of(rules, names, history=half.history)
    assert play_programs(rest, 40).moves == whole.moves


def test_a_winning_move_of_quarto_may_only_name_a_real_piece() -> None:
    """A player may name a piece before they see that none is needed."""
    rules, random = QuartoRules(), Random(2)
    position = rules.start(random)
    while not any(move.hand_over is None for move in rules.moves(position)):
        move = random.choice(list(rules.moves(position)))
        position = rules.after(position, position.turn, move)
    won = next(move for move in rules.moves(position) if move.hand_over is None)
    text = rules.write(won)
    for name in "", *position.board.pieces.names:
        assert rules.read(f"{text} {name}", position) == won
    for name in "z", "é":
        try:
            assert rules.faults(position, rules.read(f"{text} {name}", position))
        except InputError:
            continue


def test_a_move_that_cannot_be_saved_is_not_played() -> None:
    rules = QuartoRules()
    match = match_of(rules, ["you", "careful"])

    def full(match: Match[Any, Any, Any]) -> None:
        raise InputError("the disk is full")

    match.keep = full
    with pytest.raises(InputError, match="disk is full"):
        match.play(0, rules.read("A", match.view(0)))
    assert match.moves == ()
    assert match.history.positions() == (match.position,)


class Misbehaves:
    """A foreign player; its subclasses misbehave."""

    def __init__(self, rules: Any, argument: str | None) -> None:
        self.rules = rules

    def choose(self, view: Any, random: Random) -> Any:
        return next(iter(self.rules.moves(view)))


class Raises(Misbehaves):
    def choose(self, view: Any, random: Random) -> Any:
        raise ZeroDivisionError


class Cheats(Misbehaves):
    def choose(self, view: Any, random: Random) -> Any:
        return "H1V1"


class Exits(Misbehaves):
    def __init__(self, rules: Any, argument: str | None) -> None:
        sys.exit(0)


class ObservesBadly(Misbehaves):
    def observe(self, step: Any) -> None:
        raise ZeroDivisionError


class OwnError(Misbehaves):
    def choose(self, view: Any, random: Random) -> Any:
        raise LimitError("no")


class Unpicklable(Misbehaves):
    def choose(self, view: Any, random: Random) -> Any:
        return lambda: None


class Interrupts(Misbehaves):
    def choose(self, view: Any, random: Random) -> Any:
        raise KeyboardInterrupt


class NotANumber(Misbehaves):
    def delay(self, view: Any, random: Random) -> Any:
        return "nan"


class Negative(Misbehaves):
    def delay(self, view: Any, random: Random) -> Any:
        return -1


class Text(Misbehaves):
    def delay(self, view: Any, random: Random) -> Any:
        return "soon"


class Marks(Misbehaves):
    """A player that records in which process it was made."""

    def __init__(self, rules: Any, argument: str | None) -> None:
        super().__init__(rules, argument)
        PROCESSES.append(os.getpid())


PROCESSES: list[int] = []


@pytest.mark.parametrize(
    "name",
    ["Raises", "Cheats", "ObservesBadly", "OwnError", "Unpicklable", "Interrupts", "NotANumber",
     "Negative", "Text"],
)  # fmt: skip
def test_a_program_that_fails_is_named(name: str) -> None:
    rules = QuartoRules()
    match = match_of(rules, ["you", f"{__name__}:{name}"])
    match.play(0, rules.read("A", match.view(0)))
    with pytest.raises(PlayerFault, match=f"player '{__name__}:{name}' in seat 1"):
        match.program_move()
    assert len(match.moves) == 1


def test_foreign_code_runs_in_another_process() -> None:
    match = match_of(QuartoRules(), [f"{__name__}:Marks"] * 2)
    match.program_move()
    match.hand_over(0, f"{__name__}:Marks")
    match.undo()
    assert PROCESSES == []


def test_invalid_players_are_not_seated() -> None:
    match = match_of(QuartoRules(), ["careful", "careful"])
    for seat, name, words in ((0, "nobody", "unknown"), (2, "you", "out of range 0..1"),
                              (1, f"{__name__}:Exits", "cannot be loaded")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            match.hand_over(seat, name)
    assert match.names == ["careful", "careful"]
    assert match.program_move() is not None
    with pytest.raises(InputError, match="cannot be loaded"):
        match_of(QuartoRules(), [f"{__name__}:Exits", "careful"])


class Remembers(Misbehaves):
    """A player that observes every move."""

    def __init__(self, rules: Any, argument: str | None) -> None:
        super().__init__(rules, argument)
        self.observed: list[Any] = []
        MEMORIES.append(self.observed)

    def observe(self, step: Any) -> None:
        self.observed.append(step)


MEMORIES: list[list[Any]] = []


def test_a_player_observes_every_move_and_forgets_undone_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = QuartoRules()
    plant(monkeypatch, "quarto", "remembers", Remembers)
    match = match_of(rules, ["remembers", "you"])
    match.program_move()
    match.play(1, rules.read("H1V1 P", match.view(1)))
    observed = MEMORIES[-1]
    assert [step.seat for step in observed] == [0, 1]
    assert tuple(observed) == match.steps
    match.undo()
    assert [step.seat for step in MEMORIES[-1]] == [0]


@pytest.mark.parametrize("name", ["careful", "package.module:player"])
@pytest.mark.parametrize("move", [None, "A", 5, Unpicklable, QuartoMove(3, None)])
def test_faults_of_a_move_are_reported_for_all_players(name: str, move: Any) -> None:
    """The move is not written and read again, which would fail with another message."""
    rules = QuartoRules()
    player = SimpleNamespace(choose=lambda view, random: move)
    with pytest.raises(PlayerFault) as raised:
        choose_move(
            rules, player, SeatedPlayer("player", name, 0), rules.start(Random(0)), Random(0)
        )
    faults = rules.faults(rules.start(Random(0)), move)
    assert faults
    assert str(raised.value).endswith(f" gave {quote_value(move)}: {'; '.join(faults)}")


def test_a_foreign_player_has_the_time_limit_of_the_guide() -> None:
    page = " ".join(guide.page("bots").text.split())
    assert f" {EXTERNAL_MOVE_SECONDS} seconds for a move" in page


@pytest.mark.parametrize("game", sorted(GAMES_OF_OURS))
def test_every_registered_player_except_perfect_can_be_made(game: str) -> None:
    rules = next(rules for rules, _ in GAMES if rules.name == game)
    assert registration(game).strongest in registration(game).players
    for name in registration(game).players:
        if name != "perfect":
            assert hasattr(make_player(rules, name), "choose")
    assert make_player(rules, "you") is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nobody", "unknown; choose from you, random, careful, search"),
        ("careful:3", "does not take an argument, such as '3'"),
        ("search:0", "1..10000000"),
        ("no.such.module:player", "cannot be loaded"),
        ("os:listdir2", "cannot be loaded"),
        ("", "unknown"),
    ],
)
def test_bad_names_are_refused(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make_player(QuartoRules(), name)
    with pytest.raises(InputError, match="expected 2 players, not 1"):
        match_of(QuartoRules(), ["you"])


def a_strategy(view: Any, random: Random) -> Any:
    """Choose like a strategy, which is not a factory of players."""
    return random.choice(list(view.public.hands))


def nothing(rules: Any, argument: str | None) -> None:
    """Return None instead of a player."""


@every_game
@pytest.mark.parametrize("place", ["a_strategy", "nothing", "GAMES", "test_bad_names_are_refused"])
def test_an_object_that_is_not_a_player_is_refused_with_the_requirements(
    rules: Any, names: list[str], place: str
) -> None:
    with pytest.raises(InputError) as refused:
        match_of(rules, [f"{__name__}:{place}", *names[1:]])
    text = str(refused.value)
    assert f"player '{__name__}:{place}'" in text
    assert (
        f"a player of {rules.name} is created by a class or function of (rules, argument)" in text
    )
    assert "has a method choose(view, random)" in text


class OtherGame(Misbehaves):
    """A player that expects the view of an unknown game."""

    def choose(self, view: Any, random: Random) -> Any:
        return view.of_another_game


@every_game
def test_a_player_of_another_game_gets_a_message_about_the_view(
    rules: Any, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails at once if it names its game, otherwise when an attribute of the view is missing."""
    place = f"{__name__}:OtherGame"
    match = match_of(rules, [place] * len(names))
    kind = type(match.view(0))
    with pytest.raises(PlayerFault, match="of_another_game") as failed:
        match.program_move()
    view = f"{kind.__module__}.{kind.__qualname__}"
    assert str(failed.value).endswith(f"; the view of {rules.name} is a {view}")
    for game in (*GAMES_OF_OURS, rules.name.upper()):
        monkeypatch.setattr(OtherGame, "game", game, raising=False)
        if game == rules.name:
            assert isinstance(make_player(rules, place), OtherGame)
        else:
            with pytest.raises(InputError, match=f"plays {game}, not {rules.name}"):
                make_player(rules, place)
