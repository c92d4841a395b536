"""`check_player` finds what a player does wrong, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.table.games import GAMES, registration
from quaternity.table.player_check import check_player
from quaternity.table.programs import end_idle
from quaternity.workers.own_process import own_process
from tests.sizes import thorough

HOSTILE = f"cmd:{sys.executable} -I -S {Path(__file__).parent / 'hostile.py'}"


class Forgets:
    """What it answers depends on how often it was asked: not on its seed alone."""

    asked = 0

    def __init__(self, rules: Any) -> None:
        self.rules = rules

    def choose(self, view: Any, random: Random) -> Any:
        Forgets.asked += 1
        moves = list(self.rules.moves(view))
        return moves[Forgets.asked % len(moves)]


@pytest.mark.parametrize("game", GAMES)
def test_players_of_ours_pass(game: str) -> None:
    name = next(iter(registration(game).players))
    checked = check_player(name, game, range(thorough(30, 1000)))
    assert (checked.positions, checked.asked) == (thorough(30, 1000), None)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (f"{HOSTILE} other_game", "gave move '0 bakes a cake'"),
        (f"{HOSTILE} leaves", "ended its process, which ended with status 0"),
        ("tests.table.misbehaving:Fails", "no idea"),
        ("tests.table.test_player_check:Forgets", "asked the same twice, answers"),
    ],
)
def test_what_is_wrong_is_found_in_a_small_position_and_there_again(name: str, fault: str) -> None:
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


def test_a_program_that_is_none_is_no_fault() -> None:
    with pytest.raises(InputError, match="no program that can be run"):
        check_player("cmd:./nowhere", "quarto")
    with pytest.raises(InputError, match="'slow' plays set, and this is quarto"):
        check_player("slow", "quarto")
