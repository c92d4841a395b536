"""Clocks of tables, which stand still while no server runs."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.web.clock import Clock, read_clock, stored_clock
from quaternity.web.http_errors import HttpError
from quaternity.web.programs import TablePrograms
from quaternity.web.table_admin import Retention
from tests.sizes import examples, thorough
from tests.web.cluster import alter, file_store_only
from tests.web.site import Site
from tests.web.tables import Table, open_site, pass_time

pytestmark = pytest.mark.usefixtures("kept_processes")


@given(
    st.integers(5, 1000), st.integers(0, 100), st.floats(0, 9000), st.floats(0, 1, width=32)
)  # fmt: skip
@settings(max_examples=examples(500), deadline=None)
def test_a_quick_player_saves_no_more_than_the_increment(
    seconds: int, increment: int, saved: float, part: float
) -> None:
    clock = Clock(seconds, increment)
    saved = min(saved, 9.0 * seconds)
    left = (seconds + saved) * part
    after = clock.saved_after(saved, left)
    spent = seconds + saved - left
    assert 0 <= after <= 9 * seconds
    assert after <= max(0.0, saved + increment - spent) + 1e-6
    assert spent > increment or after >= min(saved, after)


def test_a_clock_stands_still_while_no_server_runs(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, clock={"seconds": 600, "increment": 5})
        before = table.look(0)["clock"]
        assert before["seconds"] == 600
        assert before["left"][1:] == [600, 600]
        assert 500 < before["left"][0] <= 600
    for _ in range(3):
        with open_site(tmp_path) as site:
            table.site = site
            left = table.look(0)["clock"]["left"]
            assert left[0] > 300, "what passed while servers ran, and not more"
            site.run(site.app.state.tables.maintenance.look_at_clocks())
            assert table.look(0)["version"] == 0


def left_of(table: Table) -> float:
    """Return the exact time for the move at a table."""

    async def look() -> float:
        tables = table.site.app.state.tables
        return float(
            (await tables.live.open(table.made["table"])).state.due - tables.store.uptime()
        )

    return table.site.run(look())


@file_store_only
def test_after_a_crash_nobody_has_more_time_than_the_clock_gives(tmp_path: Path) -> None:
    with open_site(tmp_path / "data") as site:
        table = Table(site, game="quarto", settings={}, seats=["me", "me"], clock={"seconds": 60})
        for seat in (0, 1):
            crashed = Path(copytree(tmp_path / "data", tmp_path / f"crashed {seat}"))
            with open_site(crashed) as table.site:
                assert left_of(table) <= 60
            table.site = site
            assert table.move(seat, table.look(seat)["moves"][0]).status == 200


def wait_for_unseen_move(site: Site, table: Table, move: int) -> None:
    """Handle expired clocks until a move was made at a table that nobody requests."""
    tables, name = site.app.state.tables, table.made["table"]
    for _ in range(3_000):
        site.run(tables.maintenance.look_at_clocks())
        site.rest()
        if tables.store.read("SELECT MAX(version) FROM log WHERE table_id = ?", name) == [(move,)]:
            return
    raise AssertionError(move)


def test_unreadable_tables_do_not_delay_the_clocks_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quaternity.web.maintenance.CLOCK_BATCH", 3)
    wanted = {"game": "quarto", "settings": {}, "seats": ["me", "me"], "clock": {"seconds": 60}}
    with open_site(tmp_path) as site:
        *broken, healthy = (Table(site, **wanted) for _ in range(8))
    for number, table in enumerate(broken):
        bad = "head = 'broken'" if number % 2 else "clock = '[]'"
        alter(str(tmp_path), f"UPDATE tables SET due = 0, {bad} WHERE id = '{table.made['table']}'")
    alter(str(tmp_path), f"UPDATE tables SET due = 1 WHERE id = '{healthy.made['table']}'")
    with open_site(tmp_path) as site:
        wait_for_unseen_move(site, healthy, 1)


def test_a_failure_at_one_clock_or_in_maintenance_ends_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    original, failing = TablePrograms.look_at_clock, set[str]()

    def fail_at_some(programs: TablePrograms) -> None:
        if programs.table.state.id in failing:
            raise ValueError("secret")
        original(programs)

    def fail(*_: Any) -> Any:
        raise ValueError("secret")

    monkeypatch.setattr(TablePrograms, "look_at_clock", fail_at_some)
    wanted = {"game": "quarto", "settings": {}, "seats": ["me", "me"], "clock": {"seconds": 60}}
    with open_site(tmp_path) as site:
        first, second = (Table(site, **wanted) for _ in range(2))
        failing.add(first.made["table"])
    pass_time(tmp_path, 61)
    with open_site(tmp_path, keep=Retention(1, 1)) as site:
        wait_for_unseen_move(site, second, 1)
        monkeypatch.setattr("quaternity.web.maintenance.list_tables", fail)
        site.run(site.app.state.tables.maintenance.run_maintenance())
    messages = [text for name, _, text in caplog.record_tuples if name == "uvicorn.error"]
    assert [text for text in messages if "ValueError" in text]
    assert not [text for text in messages if "secret" in text]


def wait_for_version(table: Table, version: int) -> Any:
    """Wait until a table has reached a version, and return its state."""
    for _ in range(3_000):
        state = table.look(0)
        if state["version"] >= version:
            return state
        table.site.rest()
    raise AssertionError(state)


@pytest.mark.parametrize("looked_at", [True, False])
def test_a_program_moves_for_a_player_who_runs_out_of_time(looked_at: bool, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, game="quarto", settings={}, seats=["me", "me"], clock={"seconds": 60})
        assert table.post(1, "undo", version=0, agree=True).status == 409
    for move in range(1, 5):
        pass_time(tmp_path, 61)
        with open_site(tmp_path) as site:
            table.site = site
            if not looked_at:
                wait_for_unseen_move(site, table, move)
            state = wait_for_version(table, move)
            assert state["version"] == move
            assert [seat["kind"] for seat in state["seats"]] == ["person", "person"]
            if move == 1:
                assert table.post(0, "undo", version=1, agree=True).json["agreed"] == [0]
            assert state["undo"] == []
    # After the third time in a row the program stays, until the player is back.
    pass_time(tmp_path, 61)
    with open_site(tmp_path) as site:
        table.site = site
        state = wait_for_version(table, 5)
        kinds = [seat["kind"] for seat in state["seats"]]
        assert sorted(kinds) == ["person", "program"]
        replaced = kinds.index("program")
        assert table.post(replaced, "hand-over", seat=replaced, player="me").status == 200
        assert table.look(0)["seats"][replaced]["kind"] == "person"


def test_a_move_in_time_resets_the_count_of_expired_clocks(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(
            site, game="quarto", settings={}, seats=["me", "random"], clock={"seconds": 60}
        )
    for _ in range(thorough(2, 4)):
        for _ in range(2):
            pass_time(tmp_path, 61)
            with open_site(tmp_path) as site:
                table.site = site
                state = table.look(0)
                if state["outcome"] is not None:
                    return
                state = wait_for_version(table, state["version"] + 1)
                while state["to_act"] == [1]:
                    state = wait_for_version(table, state["version"] + 1)
                if state["outcome"] is not None:
                    return
                assert state["seats"][0]["kind"] == "person"
        with open_site(tmp_path) as site:
            table.site = site
            state = table.look(0)
            if state["outcome"] is not None:
                return
            assert table.move(0, state["moves"][0]).status == 200


@pytest.mark.parametrize(
    ("game", "clock", "says"),
    [
        ("set", {"seconds": 30}, "clock: not allowed in set"),
        ("quarto", {"seconds": 4}, "from 5 to"),
        ("quarto", {"seconds": 30.5}, "whole number"),
        ("quarto", {"seconds": True}, "whole number"),
        ("quarto", {"days": 15}, "from 1 to 14"),
        ("quarto", {"days": 1, "seconds": 30}, "seconds or days"),
        ("quarto", {}, "seconds or days"),
        ("quarto", {"hours": 1}, "unknown entry 'hours'; choose from days, seconds, increment"),
        ("quarto", 30, "object"),
    ],
)
def test_invalid_clocks_are_refused(game: str, clock: Any, says: str, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        wanted = {"game": game, "seats": ["me", "me"], "clock": clock}
        page = site.ask("POST", "/api/tables", wanted)
        assert page.status == 422
        assert says in page.json["error"]


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("seconds", 5, 14 * 86_400), ("days", 1, 14), ("increment", 0, 3_600)],
)
def test_the_ends_of_the_ranges_of_a_clock_are_accepted(name: str, least: int, most: int) -> None:
    more = {"seconds": 60} if name == "increment" else {}
    for value in (least, most):
        clock = read_clock(more | {name: value})
        assert clock is not None
        assert clock == stored_clock(json.dumps(clock))
        assert getattr(clock, "seconds" if name == "days" else name) == (
            value * 86_400 if name == "days" else value
        )
    for wrong in (least - 1, most + 1, True, str(least), None, float(least)):
        with pytest.raises(
            HttpError, match=f"{name}: must be a whole number from {least} to {most}"
        ):
            read_clock({**more, name: wrong})
    assert read_clock(None) is stored_clock(None) is None


@pytest.mark.parametrize("seed", range(thorough(3, 20)))
def test_either_a_move_or_the_expired_clock_counts(seed: int, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, game="quarto", settings={}, seats=["me", "me"], clock={"seconds": 60})
    pass_time(tmp_path, 61)
    with open_site(tmp_path) as site:
        table.site = site
        move = {"version": 0, "id": "late", "move": "hand over A"}
        requests: list[tuple[Any, ...]] = [("POST", f"{table.path}/moves", move, table.tokens[0])]
        requests += [("GET", table.path, None, table.tokens[seat]) for seat in (0, 1, 1)]
        answer = site.ask_at_once(requests, Random(seed))[0]
        state = wait_for_version(table, 1)
        assert answer.status in (200, 409)
        if answer.status == 200:
            assert state["view"]["in_hand"] == "A"
        # Repeating the move gives the same answer and does not make it twice.
        repeated = site.ask("POST", f"{table.path}/moves", move, table.tokens[0])
        assert (repeated.status, repeated.json) == (answer.status, answer.json)
