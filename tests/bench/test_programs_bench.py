"""The cost of the protocol for programs, compared with a Python player in its own process."""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.table.match import choose_move_isolated
from quaternity.table.players import make_player
from quaternity.table.programs import ProgramPlayer, end_idle
from quaternity.workers.isolated_calls import own_process

pytestmark = pytest.mark.bench

CHOOSES = """
import random
from quaternity.arena import run

class Chooses:
    def __init__(self, new):
        self.random = random.Random(new["seed"])

    def choose(self, asked):
        return self.random.choice(asked["moves"])

run(Chooses)
"""


class Chooses:
    """The same player in Python."""

    def __init__(self, rules: Any) -> None:
        self.rules = rules

    def choose(self, view: Any, random: Random) -> Any:
        return random.choice(list(self.rules.moves(view)))


def test_a_move_by_the_protocol(
    tmp_path: Path, race: Callable[..., float], note: Callable[[str, str, str], None]
) -> None:
    rules, random = QuaternityRules(), Random(1)
    script = tmp_path / "chooses.py"
    script.write_text(CHOOSES)
    views: list[tuple[int, Any]] = []
    position = rules.start(random)
    while len(views) < 60:
        (seat,) = rules.to_act(position) or (None,)
        if seat is None:
            position = rules.start(random)
            continue
        view = rules.view(position, seat)
        views.append((seat, view))
        position = rules.after(position, seat, random.choice(list(rules.moves(view))))
    player = make_player(rules, f"cmd:{sys.executable} {script}")
    assert isinstance(player, ProgramPlayer)
    player.sit(0, "1", None)
    name = "tests.bench.test_programs_bench:Chooses"

    def by_the_protocol() -> None:
        for _, view in views:
            player.choose(view, random)

    def in_its_own_process() -> None:
        for seat, view in views:
            own_process().call(choose_move_isolated, rules, name, seat, (), view, random)

    race(
        "a move at 4-3-3: a program by the protocol against Python in its own process",
        by_the_protocol, in_its_own_process, per=len(views), goal=1,
    )  # fmt: skip
    local_player = Chooses(rules)
    more = []
    for _ in range(7):
        began = time.perf_counter()
        by_the_protocol()
        middle = time.perf_counter()
        for _, view in views:
            local_player.choose(view, random)
        more.append((2 * middle - began - time.perf_counter()) / len(views))
    note(
        "what the protocol adds to a move at 4-3-3",
        f"{statistics.median(more) * 1e6:.0f} µs",
        "200 µs",
    )
    player.leave()
    end_idle()
    own_process().end()
