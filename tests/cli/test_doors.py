"""Every game works in every interface, even a game of another distribution: a file and a row."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from quaternity import guide
from quaternity.base.errors import InputError
from quaternity.table.conformance import LawViolation
from quaternity.table.game_check import check_game
from quaternity.table.games import GAMES, game_names, registration
from quaternity.table.registration import Level, Registration
from tests.cli.conftest import Cli
from tests.installed import installed
from tests.sizes import THOROUGH, thorough

NIM = re.findall(r"^```python nim.py\n(.*?)^```$", guide.page("games").text, re.M | re.S)[0]


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install Nim, the game of the guide, and yield the folder of its module."""
    sys.modules.pop("nim", None)  # imported by a test without this fixture
    (tmp_path / "nim.py").write_text(NIM)
    with installed(tmp_path, "nim", "[quaternity.games]\nnim = nim:NIM\n", monkeypatch):
        yield tmp_path
    sys.modules.pop("nim", None)


@pytest.mark.parametrize("game", thorough([], [*GAMES]))
def test_every_built_in_game_works_in_every_interface(game: str) -> None:
    assert {"players", "tournament", "terminal"} <= {*check_game(game, matches=1)}


def test_a_game_of_another_distribution_works_in_every_interface(nim: Path, cli: Cli) -> None:
    assert [*game_names()] == [*GAMES, "nim"]
    if THOROUGH:  # the guide does this, too
        assert {"players", "tournament", "terminal"} <= {*check_game("nim", matches=1)}
    assert "Take one to three" in cli("--help").out
    assert "eleven" in cli("nim", "play", "--seats", "eleven,you").err


WRONG = [
    ('players={"random": "nim:missing"}', "players"),
    ('encoded="nim:missing"', "laws"),
    ('words="nim:missing"', "terminal"),
    ('command="nim:missing"', "terminal"),
    ('drawing="nim:missing"', "browser"),
    ('helpers={"analysis": "nim:missing"}', "browser"),
]


@pytest.mark.parametrize(("wrong", "interface"), thorough(WRONG[:3], WRONG))
def test_a_broken_interface_is_named(nim: Path, wrong: str, interface: str) -> None:
    text = NIM.replace('    rules="nim:NimRules",\n', f'    rules="nim:NimRules",\n    {wrong},\n')
    (nim / "nim.py").write_text(text)
    with pytest.raises(LawViolation, match=f"nim: {interface}: "):
        check_game("nim", matches=1)


LATE = """
def late(number):
    class Late:
        def __init__(self, rules):
            self.thoughts = 0

        def choose(self, view, random):
            self.thoughts += 1
            if self.thoughts == abs(number) and view.turn == (number > 0):
                raise ValueError("too late")
            return 1

    return Late
"""


@pytest.mark.parametrize("number", [1, 2, 3, -1, -2, -3])
def test_every_player_makes_two_moves_in_every_seat(
    nim: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The other interfaces are checked later; a negative number fails in seat 0."""
    players = f'players={{"random": RandomPlayer, "late": late({number})}}'
    text = NIM.replace("\nNIM =", f"{LATE}\nNIM =").replace(
        '"nim:NimRules",', f'"nim:NimRules", {players},'
    )
    (nim / "nim.py").write_text(f"from quaternity.table.players import RandomPlayer\n{text}")
    monkeypatch.setattr("quaternity.table.game_check.subprocess.run", fail_terminal)
    interface = "players: .*late" if abs(number) < 3 else "(?!players)"
    with pytest.raises(LawViolation, match=f"nim: {interface}"):
        check_game("nim", matches=1)


def fail_terminal(*_: object, **__: object) -> None:
    raise LawViolation("the terminal is another interface")


def test_the_default_limit_of_moves_is_that_of_the_guide() -> None:
    limit = Registration(name="nim", rules="nim:NimRules").max_moves
    assert f"(default {limit}; 0: never)" in guide.page("learning").text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "Nim"}, "game 'Nim': a name must"),
        ({"rules": "nim"}, "rules must be package.module:name, not 'nim'"),
        ({"rules": ""}, "rules must be package.module:name, not ''"),
        ({"drawing": "a b"}, "drawing must be package.module:name, not 'a b'"),
        ({"players": {}}, "players: must not be empty"),
        ({"players": {"best": 1}}, "player best must be package.module:name, not 1"),
        ({"strongest": "best"}, "strongest must be one of random, not 'best'"),
        (
            {"levels": (Level("easy", "best:2", "", 1),)},
            "level easy must be one of random, not 'best:2'",
        ),
    ],
)
def test_an_invalid_registration_is_refused(changes: dict[str, object], message: str) -> None:
    values = {"name": "nim", "rules": "nim:NimRules"} | changes
    with pytest.raises(InputError, match=re.escape(message)):
        Registration(**values)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ("nim = nim:NimRules", "not a quaternity.table.registration.Registration"),
        ("other = nim:NIM", "registers a game with another name, 'nim'"),
        ("nim = nothing:NIM", "cannot be loaded"),
    ],
)
def test_a_game_that_cannot_be_used_is_left_out_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, points: str, message: str
) -> None:
    (tmp_path / "nim.py").write_text(NIM)
    sys.modules.pop("nim", None)
    with installed(tmp_path, "nim", f"[quaternity.games]\n{points}\n", monkeypatch):
        with pytest.warns(match=message):
            assert [*game_names()] == [*GAMES]
        name = points.partition(" ")[0]
        with pytest.raises(InputError, match=message):
            registration(name)
