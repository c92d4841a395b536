"""Random games, and views and pages of them, without a server."""

import re
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings

pytest.importorskip("jinja2", reason="the table in a browser needs the extra web")
pytest.importorskip("starlette", reason="the table in a browser needs the extra web")

from quaternity.web.table_view import (
    GameView,
    PlayerStatus,
    SeatView,
    TableInfo,
    TableStatus,
    TableView,
    Viewpoint,
)

BASE = "http://192.168.1.20:8000"


QUATERNITY = QuaternityRules(Settings(4, 3, 3))


KWARTET = KwartetRules(KwartetSettings(players=3, sets=4))


def simulate(rules: Any, moves: int, seed: int = 1) -> Any:
    """Return a game after some random moves: its positions, and the steps that everybody saw."""
    random, steps = Random(seed), []
    positions = [rules.start(random)]
    for _ in range(moves):
        acting = rules.to_act(positions[-1])
        if not acting:
            break
        move = random.choice(list(rules.moves(rules.view(positions[-1], acting[0]))))
        after = rules.after(positions[-1], acting[0], move)
        events = tuple(rules.events(positions[-1], acting[0], move, after))
        steps.append(SimpleNamespace(seat=acting[0], move=move, events=events))
        positions.append(after)
    return SimpleNamespace(rules=rules, positions=positions, steps=tuple(steps))


def sight(game: Any, seat: int | None, **more: Any) -> TableView:
    """Return the view that a seat has of a game now."""
    rules, position, count = game.rules, game.positions[-1], len(game.steps)
    seats = tuple(SeatView(f"Person {number}", "person", True) for number in range(rules.seats))
    over = not rules.to_act(position)
    shown = TableView(
        TableInfo("T" * 22, rules.name, rules, {"players": rules.seats}, help=True),
        GameView(
            count, count, tuple(rules.to_act(position)), rules.view(position, seat), game.steps,
            tuple(rules.points(position)), rules.places(position),
            game.positions[0] if over else None,
        ),
        Viewpoint(seat, () if seat is None else (seat,)),
        TableStatus(count, seats),
        PlayerStatus(),
    )  # fmt: skip
    return shown._replace(**more)


def mover(game: Any) -> int:
    """Return the player to move."""
    return int(game.rules.to_act(game.positions[-1])[0])


def moves_in(html: str, legal: bool = True) -> set[str]:
    """Return the moves that can be clicked in a page, or those that only say why they cannot."""
    buttons = re.findall(r"<button[^>]*data-move=\"([^\"]*)\"([^>]*)>", html)
    return {text for text, rest in buttons if ("aria-disabled" in rest) != legal}


HOSTILE = "<script>alert(1)</script>\"' & {{ 7 * 7 }}"
