"""`check_player` finds the faults of a player, and reports nothing else."""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.kwartet.rules import KwartetRules
from quaternity.table.games import GAMES, registration
from quaternity.table.player_check import check_player, settings_lines
from quaternity.table.programs import end_idle
from quaternity.table.setting_fields import setting_fields
from quaternity.workers.isolated_calls import own_process
from tests.limits import limited
from tests.sizes import thorough

HOSTILE = f"cmd:{sys.executable} -I -S {Path(__file__).parent / 'hostile.py'}"


class Forgets:
    """A player whose answers depend on how often it was asked, not only on its seed."""

    asked = 0

    def __init__(self, rules: Any) -> None:
        self.rules = rules

    def choose(self, view: Any, random: Random) -> Any:
        Forgets.asked += 1
        moves = list(self.rules.moves(view))
        return moves[Forgets.asked % len(moves)]


@pytest.mark.parametrize("game", GAMES)
def test_built_in_players_pass(game: str) -> None:
    name = next(iter(registration(game).players))
    checked = check_player(name, game, range(thorough(30, 1000)))
    assert (checked.positions, checked.asked) == (thorough(30, 1000), None)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (f"{HOSTILE} other_game", "gave move '0 bakes a cake'"),
        (f"{HOSTILE} leaves", "stopped unexpectedly"),
        ("tests.table.misbehaving:Fails", "no idea"),
        ("tests.table.test_player_check:Forgets", "gave different moves in the same position"),
    ],
)
def test_a_fault_is_found_in_a_small_position_and_reproduced(name: str, fault: str) -> None:
    checked = check_player(name, "quarto", range(500))
    assert checked.asked is not None
    assert fault in checked.fault
    number = checked.asked.number
    again = check_player(name, "quarto", [number])
    assert again.asked is not None
    assert (again.asked.view, again.fault.split()[:3]) == (
        checked.asked.view, checked.fault.split()[:3]
    )  # fmt: skip
    end_idle()
    own_process().end()


def program(folder: Path, expression: str) -> str:
    """Return a program that answers with an expression, and notes its process in each new game."""
    script = folder / "program.py"
    script.write_text(PROGRAM.replace("EXPRESSION", expression))
    return f"cmd:{sys.executable} -I -S {script} {folder}/processes"


PROGRAM = """
import json, os, sys
games, name = 0, os.urandom(8).hex()  # numbers of processes are those of their namespaces
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"ready": "x"}
    if asked["do"] == "new":
        games += 1
        with open(sys.argv[1], "a") as file:
            file.write(f"{name}\\n")
    elif asked["do"] == "choose":
        moves, version = asked["moves"], asked["version"]
        answer = {"move": EXPRESSION}
    else:
        continue
    print(json.dumps(answer), flush=True)
"""


def test_one_program_plays_on_and_another_one_is_restarted_regularly(tmp_path: Path) -> None:
    with limited("quaternity.table.player_check", KILL_INTERVAL=10):
        checked = check_player(program(tmp_path, "moves[0]"), "quarto", range(30))
    assert (checked.positions, checked.asked) == (30, None)
    processes = Counter((tmp_path / "processes").read_text().split())
    assert 3 <= len(processes) <= 6
    assert max(processes.values()) > 10
    end_idle()


def test_an_answer_that_depends_on_earlier_games_is_found(tmp_path: Path) -> None:
    with limited("quaternity.table.player_check", KILL_INTERVAL=3):
        checked = check_player(program(tmp_path, "moves[games % len(moves)]"), "quarto", range(60))
    assert "gave different moves in the same position" in checked.fault
    assert checked.asked is not None
    first, second = re.findall(r"'(0|1)? ?([^']+)'", checked.fault.split(": ", 1)[1])
    assert first != second
    assert "waiting" not in checked.fault
    end_idle()


@pytest.mark.parametrize("number", range(0, 1000, thorough(250, 100)))
def test_a_player_receives_all_events_before_it_is_asked(number: int, tmp_path: Path) -> None:
    checked = check_player(program(tmp_path, "f'version {version}'"), "quarto", [number])
    if checked.asked is not None:
        assert f"gave move 'version {len(checked.asked.steps)}'" in checked.fault
        assert checked.asked.view.turn == checked.asked.seat
    end_idle()


def test_settings_grow_from_the_minimum_to_twice_the_default() -> None:
    """They stay compatible with each other, and are written as a user types them."""
    largest, unlimited, is_reached = Counter[str](), 0, False
    for number, seed in [*product((0, 250, 500, 1200), range(4)), *((999, n) for n in range(20))]:
        checked = check_player("tests.table.misbehaving:NeverMoves", "kwartet", [number], seed)
        if checked.asked is None:
            continue  # this player was not asked
        settings = checked.asked.rules.settings
        size = min(1, (number + 1) / 1000)
        fields = [field for field in setting_fields(KwartetRules) if field.kind == "number"]
        for field in fields:
            high = min(field.most, 2 * (field.default or 1))
            value = getattr(settings, field.name)
            if field.default is None:
                unlimited += value is None
                continue
            is_reached |= number == 999 and value == high
            assert field.least <= value <= field.least + (high - field.least) * size
            largest[field.name] = max(largest[field.name], value)
        lines = dict(line.split(" ") for line in settings_lines(checked.asked.rules))
        assert lines == {
            field.name.replace("_", "-"): str(getattr(settings, field.name))
            for field in setting_fields(KwartetRules)
        }
    assert all(largest[field.name] > field.default for field in fields if field.default is not None)
    assert is_reached
    assert unlimited > 5
    own_process().end()


def test_positions_that_a_player_refuses_are_counted() -> None:
    picky = "tests.table.misbehaving:Picky"
    checked = check_player(picky, "kwartet", range(0, 1000, 50))
    assert checked.asked is None
    assert checked.positions == 20
    assert 0 < checked.refused < 20
    own_process().end()


def test_an_object_that_accepts_no_position_is_not_a_player() -> None:
    """It does not matter whether another player was asked in the first position."""
    for name, first in product(("HOSTILE", "absent", "program"), range(thorough(2, 5))):
        with pytest.raises(InputError, match=r"is not a player of kwartet|cannot be loaded"):
            check_player(f"{__name__}:{name}", "kwartet", range(first, first + 30))
    own_process().end()


def test_an_invalid_program_is_an_input_error() -> None:
    with pytest.raises(InputError, match="is not an executable program"):
        check_player("cmd:./nowhere", "quarto")
    with pytest.raises(InputError, match="'slow' plays set, not quarto"):
        check_player("slow", "quarto")
