"""Chat, clocks, seats on other devices, and first games."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from html import unescape
from itertools import product
from math import inf
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any
from unicodedata import normalize
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.sentences import message_data
from quaternity.table.games import game_names, registration, rules_class
from quaternity.web.app import app
from quaternity.web.chat import LINES_KEPT, MAX_LINE_LENGTH, REACTIONS, Line
from quaternity.web.clock import Clock, read_clock, stored_clock
from quaternity.web.command_queue import ForgetRematch
from quaternity.web.drawing.frame import draw_part
from quaternity.web.drawing.tips import tips
from quaternity.web.forms import read_settings
from quaternity.web.http_errors import HttpError
from quaternity.web.programs import TablePrograms
from quaternity.web.rate_limits import Limits
from quaternity.web.rendering import table_html
from quaternity.web.seats import Pace
from quaternity.web.table_admin import Retention
from tests.sizes import examples, thorough
from tests.web.cluster import alter, file_store_only
from tests.web.site import Page, Site
from tests.web.test_api import SMALL, Table
from tests.web.test_pages import BASE, QUATERNITY, sight, simulate
from tests.web.test_waiting import play_set

pytestmark = pytest.mark.usefixtures("kept_processes")

LIMITS = Limits.of(words=100_000, tables=100_000, moves=100_000, pages=100_000)


def open_site(folder: Path, limits: Limits = LIMITS) -> Site:
    return Site(app(str(folder), limits=limits))


def read_chat(table: Table, seat: int | None, after: int = 0) -> list[dict[str, Any]]:
    token = None if seat is None else table.tokens[seat]
    page = table.site.ask("GET", f"{table.path}/talk?after={after}", token=token)
    lines: list[dict[str, Any]] = page.json["lines"]
    return lines


def open_stream(table: Table, seat: int | None) -> Any:
    return table.site.listen(f"{table.path}/events", None if seat is None else table.tokens[seat])


def test_players_chat_and_bystanders_chat_among_themselves(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, chat=True)
        streams = {seat: open_stream(table, seat) for seat in (0, 1, None)}
        assert table.post(0, "talk", text="  good  luck ").status == 200
        watching = {"text": "who wins?", "name": "Zoë"}
        assert site.ask("POST", f"{table.path}/talk", watching).status == 200
        line = {"number": 1, "seat": 0, "name": "Anna (1)", "text": "good luck"}
        assert read_chat(table, 1) == read_chat(table, 0) == [line]
        assert read_chat(table, 1, after=1) == []
        other = {"number": 1, "seat": None, "name": "Zoë", "text": "who wins?"}
        assert read_chat(table, None) == [other]
        site.rest()
        received = {seat: b"".join(stream.parts[1:]) for seat, stream in streams.items()}
        assert all(text.count(b"event: talk") == 1 for text in received.values())
        assert all(b"luck" not in text and b"wins" not in text for text in received.values())
        for seat, text, strange in ((0, b"good luck", b"who wins"), (None, b"who wins", b"luck")):
            token = None if seat is None else table.tokens[seat]
            page = site.ask("GET", f"/t/{table.made['table']}/part", token=token).body
            assert text in page
            assert strange not in page
        assert b"luck" not in site.ask("GET", f"{table.path}/record").body
    with open_site(tmp_path) as site:
        table.site = site
        assert read_chat(table, 2) == [line]


def test_a_player_replaced_by_a_program_chats_by_their_own_name(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, chat=True)
        assert table.post(1, "hand-over", seat=1, player="easy").status == 200
        assert table.post(1, "talk", text="I am on the train").status == 200
        assert read_chat(table, 0)[0]["name"] == "Anna (2)"


def test_nobody_chats_if_the_host_did_not_allow_it(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site)
        assert table.post(0, "talk", text="hello").status == 403
        assert read_chat(table, 0) == []
        assert b'name="text"' not in site.ask("GET", f"/t/{table.made['table']}").body


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "x" * (MAX_LINE_LENGTH + 1),
        "a\0b",
        "a\u202eb",
        "\u200d",
        "\u3164",
        "\u2800 \ufe0f",
        3,
        None,
    ],
)
def test_invalid_chat_texts_are_refused(text: Any, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, chat=True)
        assert table.post(0, "talk", text=text).status == 422
        assert table.post(0, "reactions", reaction=text).status == 422
        assert read_chat(table, 0) == []


@pytest.mark.parametrize(
    "text", ["🤷\u200d♀️", "می\u200cخواهم", "e\u0301", "שלום", "<b>&", "\u3164a"]
)
def test_names_and_chat_lines_are_stored_unchanged(text: str, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, chat=True, name=text)
        assert {seat["name"] for seat in table.look(0)["seats"]} == {normalize("NFC", text)}
        assert table.post(0, "talk", text=text).status == 200
        assert read_chat(table, 1)[-1]["text"] == text


@given(st.text(min_size=1, max_size=MAX_LINE_LENGTH).filter(str.isprintable).filter(str.strip))
@settings(max_examples=examples(200), deadline=None)
def test_a_chat_line_is_shown_as_text(text: str) -> None:
    lines = (Line(1, 0, f"<b>{text}", text),)
    html = table_html(sight(simulate(QUATERNITY, 0), 0, lines=lines, chat=True), BASE, whole=False)
    (name, body) = re.findall(r"<b dir=.auto.>(.*?)</b> <span dir=.auto.>(.*?)</span>", html)[0]
    assert (unescape(name), unescape(body)) == (f"<b>{text}", text)
    assert not {*"<>\"'"} & {*name, *body}


def test_the_last_chat_lines_are_kept_and_floods_are_refused(tmp_path: Path) -> None:
    count = thorough(LINES_KEPT + 30, 2_000)
    with open_site(tmp_path / "many") as site:
        table = Table(site, chat=True)
        for number in range(count):
            assert table.post(0, "talk", text=f"line {number}").status == 200
        lines = read_chat(table, 1)
        assert [line["number"] for line in lines] == [*range(count - LINES_KEPT + 1, count + 1)]
        assert lines[-1]["text"] == f"line {count - 1}"
    with open_site(tmp_path / "flood", Limits.of(words=5)) as site:
        table = Table(site, chat=True)
        statuses = [table.post(0, "talk", text="x").status for _ in range(8)]
        statuses += [table.post(0, "reactions", reaction="👍").status for _ in range(2)]
        assert statuses == [200] * 5 + [429] * 5
        assert table.post(1, "talk", text="x").status == 200  # other players are not limited by it


def test_a_reaction_is_shown_to_all_and_not_stored(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site)
        streams = [open_stream(table, seat) for seat in (0, 2, None)]
        for reaction in REACTIONS:
            assert table.post(1, "reactions", reaction=reaction).status == 200
        site.rest()
        for stream in streams:
            text = b"".join(stream.parts[1:]).decode()
            assert text.count("event: reaction") == len(REACTIONS) == 8
            assert '"seat":1' in text
        assert table.look(0)["version"] == 0
        # A bystander may choose any name, so players do not see it.
        shown = {"reaction": "👍", "name": "Ben holds a fox"}
        assert site.ask("POST", f"{table.path}/reactions", shown).status == 200
        site.rest()
        assert b'"seat":null,"name":null' in b"".join(streams[0].parts[1:])


# ---------------------------------------------------------------------- clocks


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


def pass_time(folder: Path, seconds: float) -> None:
    """Add to the running time of a server, though none runs."""
    alter(str(folder), f"UPDATE uptime SET seconds = seconds + {seconds}")


def wait_for_version(table: Table, version: int) -> Any:
    """Wait until a table has reached a version, and return its state."""
    for _ in range(3_000):
        state = table.look(0)
        if state["version"] >= version:
            return state
        table.site.rest()
    raise AssertionError(state)


def test_a_clock_stands_still_while_no_server_runs(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, clock={"seconds": 60, "increment": 5})
        before = table.look(0)["clock"]
        assert before["seconds"] == 60
        assert before["left"][1:] == [60, 60]
        assert 50 < before["left"][0] <= 60
    for _ in range(3):
        with open_site(tmp_path) as site:
            table.site = site
            left = table.look(0)["clock"]["left"]
            assert left[0] > 30, "what passed while servers ran, and not more"
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


def test_the_next_game_begins_with_a_new_clock(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        wanted = {"game": "quarto", "settings": {}, "clock": {"seconds": 60, "increment": 60}}
        table = Table(site, seats=["me", "random"], **wanted)
        table.move(0, table.look(0)["moves"][0])
        live = site.run(site.app.state.tables.live.open(table.made["table"]))
        assert live.state.seats[0].pace.saved > 0
        table.made["table"] = table.post(0, "again").json["table"]
        after = site.run(site.app.state.tables.live.open(table.made["table"]))
        assert {seat.pace for seat in after.state.seats} == {Pace()}


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
    with Site(app(str(tmp_path), limits=LIMITS, keep=Retention(1, 1))) as site:
        wait_for_unseen_move(site, second, 1)
        monkeypatch.setattr("quaternity.web.maintenance.list_tables", fail)
        site.run(site.app.state.tables.maintenance.run_maintenance())
    messages = [text for name, _, text in caplog.record_tuples if name == "uvicorn.error"]
    assert [text for text in messages if "ValueError" in text]
    assert not [text for text in messages if "secret" in text]


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
            site,
            game="quarto",
            settings={},
            seats=["me", "random"],
            clock={"seconds": 60},
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


def test_a_clock_begins_with_the_game(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, settings=SMALL, seats=["me", "open", "easy"], clock={"seconds": 60})
    pass_time(tmp_path, 3600)
    with open_site(tmp_path) as site:
        table.site = site
        assert table.post(0, "start").status == 200
        assert 50 < table.look(0)["clock"]["left"][0] <= 60


# ---------------------------------------------------------------------- a seat elsewhere


BROWSERS = [{"cookie": f"quaternity={letter * 22}"} for letter in "abc"]


def seat_of(table: Table, headers: dict[str, str]) -> Any:
    return table.site.ask("GET", table.path, headers=headers).json["seat"]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """Yield a table of Kwartet with three people, the first of them in a browser."""
    with open_site(tmp_path) as site:
        table = Table(
            site, game="kwartet", settings={"sets": 5}, seats=["easy", "me", "open", "me"]
        )
        link = table.made["seats"][2]["invitation"]
        page = site.ask("POST", "/api/seats", {"invitation": link}, headers=BROWSERS[0])
        assert page.status == 201
        yield table


def test_a_seat_moves_to_another_device_once(table: Table) -> None:
    site = table.site
    assert seat_of(table, BROWSERS[0]) == 2
    made = site.ask("POST", f"{table.path}/elsewhere", {}, headers=BROWSERS[0])
    assert made.status == 201
    link = made.json["link"]
    assert "<svg" in made.json["qr"]
    page = f"/move/{link.rpartition('/')[2]}"
    for _ in range(3):  # a mere look, such as a preview of a link, does not spend it
        assert site.ask("GET", page).status == 200
        assert site.ask("HEAD", page).status == 200
    assert seat_of(table, BROWSERS[0]) == 2
    moved = site.ask("POST", "/api/seats/move", {"link": link}, headers=BROWSERS[1])
    assert (moved.status, moved.json["seat"]) == (201, 2)
    assert (seat_of(table, BROWSERS[0]), seat_of(table, BROWSERS[1])) == (None, 2)
    assert site.ask("GET", table.path, token=moved.json["token"]).json["seat"] == 2
    for browser in BROWSERS:
        assert site.ask("POST", "/api/seats/move", {"link": link}, headers=browser).status == 404
    assert site.ask("GET", page).status == 404
    # A stream of the seat ends when the seat has moved on.
    site.listen(f"{table.path}/events", moved.json["token"])
    link = site.ask("POST", f"{table.path}/elsewhere", {}, headers=BROWSERS[1]).json["link"]
    assert len(site.app.state.tables.streams.open) == 1
    assert site.ask("POST", "/api/seats/move", {"link": link}, headers=BROWSERS[2]).status == 201
    site.rest()
    assert not site.app.state.tables.streams.open


def test_one_of_two_devices_that_use_a_link_at_once_gets_the_seat(table: Table) -> None:
    link = table.site.ask("POST", f"{table.path}/elsewhere", {}, headers=BROWSERS[0]).json["link"]
    requests = [("POST", "/api/seats/move", {"link": link}, None, user) for user in BROWSERS[1:]]
    statuses = [page.status for page in table.site.ask_at_once(requests, Random(1))]
    assert sorted(statuses) == [201, 404]
    winner = statuses.index(201) + 1
    assert [seat_of(table, user) for user in BROWSERS] == [
        2 if number == winner else None for number in range(3)
    ]


def test_a_link_is_valid_for_ten_minutes_and_until_the_next_one(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site)
        links = [table.post(0, "elsewhere").json["link"] for _ in range(2)]
        assert site.ask("POST", "/api/seats/move", {"link": links[0]}).status == 404
    pass_time(tmp_path, 601)
    with open_site(tmp_path) as site:
        assert site.ask("POST", "/api/seats/move", {"link": links[1]}).status == 404


def test_a_link_does_not_move_a_seat_that_another_player_has_taken(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        seats = ["open", "me", "open"]
        table = Table(site, settings=SMALL, seats=seats)
        link = table.post(1, "elsewhere").json["link"]
        code = table.post(1, "code").json["code"]
        # The seat gets another number when an empty seat is left out, and the link follows it.
        page = site.ask("GET", f"/move/{link.rpartition('/')[2]}")
        assert page.status == 200
        assert table.post(1, "leave").status == 200
        guest = {"invitation": table.made["invitation"], "seat": 1}
        assert site.ask("POST", "/api/seats", guest).status == 201
        assert site.ask("POST", "/api/seats/move", {"link": link}).status == 404
        assert site.ask("POST", "/api/seats/back", {"code": code}).status == 404
        other = Table(site, settings=SMALL, seats=["open", "me", "me"])
        link = other.post(1, "elsewhere").json["link"]
        assert other.post(1, "start", fill="nobody").status == 200
        moved = site.ask("POST", "/api/seats/move", {"link": link})
        assert (moved.status, moved.json["seat"]) == (201, 0)


def test_a_code_restores_a_lost_seat_in_every_game_of_a_series(table: Table) -> None:
    site = table.site
    first = site.ask("POST", f"{table.path}/code", {}, headers=BROWSERS[0]).json["code"]
    code = site.ask("POST", f"{table.path}/code", {}, headers=BROWSERS[0]).json["code"]
    assert site.ask("POST", "/api/seats/back", {"code": first}).status == 404
    assert code.encode() not in site.ask("GET", table.path, headers=BROWSERS[0]).body
    written = code.lower().replace("-", " ")
    for browser in BROWSERS[1:]:
        page = site.ask("POST", "/api/seats/back", {"code": written}, headers=browser)
        assert (page.status, page.json["seat"]) == (201, 2)
        assert [seat_of(table, user) for user in BROWSERS].count(2) == 1
        assert seat_of(table, browser) == 2
    for wrong in ("", "x", "A" * 32, "0" * 5000):
        assert site.ask("POST", "/api/seats/back", {"code": wrong}).status == 404


def test_a_seat_moves_in_all_games_of_a_series_and_is_one_person(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, game="set", settings={"seats": 2}, seats=["me", "me"])
        link = table.post(1, "elsewhere").json["link"]
        for game in (1, 2):
            play_set(site, table, 2, Random(game))
            table.path = f"/api/tables/{table.post(0, 'again').json['table']}"
            if game == 1:  # the link of the first game is used in the second
                moved = site.ask("POST", "/api/seats/move", {"link": link}, headers=BROWSERS[1])
                assert moved.status == 201
                assert table.look(1)["seat"] is None
                table.tokens[1] = moved.json["token"]
                assert table.look(1)["seat"] == 0
        score = table.look(1)["evening"]
        assert [line["games"] for line in score] == [2, 2]


def test_a_rematch_is_forgotten_only_if_its_table_was_deleted(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, game="set", settings={"seats": 2}, seats=["me", "me"])
        play_set(site, table, 2, Random(2))
        rematch = table.post(0, "again").json["table"]
        live = site.run(site.app.state.tables.live.open(table.made["table"]))
        for deleted, again in (({"other"}, rematch), ({"other", rematch}, None)):
            site.run(live.queue.submit(ForgetRematch(frozenset(deleted))))
            assert live.state.stored.again == again


@pytest.mark.parametrize(
    ("action", "endpoint", "field"), [("elsewhere", "move", "link"), ("code", "back", "code")]
)
def test_a_seat_moves_in_all_games_of_a_series_if_a_write_fails(
    action: str, endpoint: str, field: str, tmp_path: Path
) -> None:
    with open_site(tmp_path) as site, pytest.MonkeyPatch.context() as patch:
        table = Table(site, game="set", settings={"seats": 2}, seats=["me", "me"])
        play_set(site, table, 2, Random(1))
        paths = [table.path, f"/api/tables/{table.post(0, 'again').json['table']}"]
        store = site.app.state.tables.store
        commit = store.commit
        for (path, failing), cached in product(product(paths, range(3)), (True, False)):
            table.path = path
            secret = table.post(0, action).json[field]
            site.app.state.tables.live.drop_cached()
            for place in paths if cached else ():
                assert site.ask("GET", place).status == 200
            writes = iter(range(99))

            def fail_once(batch: Any, failing: int = failing, writes: Any = writes) -> Any:
                if any(job.guard for job in batch) and next(writes) == failing:
                    raise sqlite3.OperationalError("the test lets this write fail")
                return commit(batch)

            patch.setattr(store, "commit", fail_once)
            pages = [site.ask("POST", f"/api/seats/{endpoint}", {field: secret})]
            if pages[0].status == 503:
                pages.append(site.ask("POST", f"/api/seats/{endpoint}", {field: secret}))
            patch.setattr(store, "commit", commit)
            assert pages[-1].status == 201
            old, table.tokens[0] = table.tokens[0], pages[-1].json["token"]
            for _ in range(2):
                for number, place in enumerate(paths):
                    assert site.ask("GET", place, token=old).json["seat"] is None
                    assert site.ask("GET", place, token=table.tokens[0]).json["seat"] == number
                site.app.state.tables.live.drop_cached()  # and the store knows it as well


def test_a_newer_code_or_link_of_the_series_invalidates_older_ones(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site, game="set", settings={"seats": 2}, seats=["me", "me"])
        codes = [table.post(0, "code").json["code"]]
        links = [table.post(0, "elsewhere").json["link"]]
        play_set(site, table, 2, Random(1))
        first, table.path = table.path, f"/api/tables/{table.post(0, 'again').json['table']}"
        codes.append(table.post(0, "code").json["code"])
        links.append(table.post(0, "elsewhere").json["link"])
        for endpoint, field, secrets in (("move", "link", links), ("back", "code", codes)):
            for secret, status in zip(secrets, (404, 201), strict=True):
                page = site.ask("POST", f"/api/seats/{endpoint}", {field: secret})
                assert page.status == status
            assert page.json["table"] == table.path.rpartition("/")[2]
        seats = [
            site.ask("GET", path, token=page.json["token"]).json["seat"]
            for path in (first, table.path)
        ]
        assert seats == [0, 1]


def test_a_new_code_does_not_affect_the_other_players(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table = Table(site)
        table.move(0, table.look(0)["moves"][0])
        assert table.post(0, "undo", version=1, agree=True).json["agreed"] == [0]
        assert table.post(1, "code").status == 201
        assert table.look(2)["undo"] == [0]


def test_a_bystander_gets_no_link_and_no_code(table: Table) -> None:
    for action in ("elsewhere", "code"):
        assert table.site.ask("POST", f"{table.path}/{action}", {}).status == 403


@pytest.mark.parametrize("game", ["kwartet", "quaternity"])
def test_the_seat_of_an_absent_player_is_given_away(game: str, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        settings = {"sets": 5} if game == "kwartet" else SMALL
        seats = ["me", "me", "me", "easy"][: 4 if game == "kwartet" else 3]
        table = Table(site, game=game, settings=settings, seats=seats)
        live = site.run(site.app.state.tables.live.open(table.made["table"]))

        def give_away(seat: int, player: str) -> Any:
            live.presence.last_seen[2] = -inf
            table.look(0)
            return table.post(seat, "hand-over", seat=2, player=player)

        table.look(2)
        for player in ("open", "easy"):
            assert table.post(0, "hand-over", seat=2, player=player).status == 403
        assert give_away(1, "easy").status == 403  # only the host
        page = give_away(0, "open")
        if game == "kwartet":  # a hand would be revealed: all present players must agree
            assert (page.status, page.json["invitation"]) == (200, None)
            assert table.look(0)["seats"][2]["kind"] == "person"
            page = give_away(1, "open")
        assert page.json["invitation"]
        state = table.look(0)
        assert state["seats"][2]["kind"] == "open"
        assert "was away" in state["notice"]
        assert site.ask("POST", "/api/seats", {"invitation": page.json["invitation"]}).status == 201
        assert site.ask("GET", table.path, token=table.tokens[2]).json["seat"] is None


def test_your_tables_show_opponents_turn_and_last_event(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        wanted = {
            "game": "quaternity", "settings": SMALL, "seats": ["me", "open", "open"],
            "deck": "plain",
        }  # fmt: skip
        made = site.ask("POST", "/api/tables", wanted | {"name": "Ann"}, headers=BROWSERS[0]).json
        home = site.ask("GET", "/", headers=BROWSERS[0]).body.decode()
        assert "Waiting for friends" in home
        for name, browser in (("Ben", BROWSERS[1]), ("Cleo", BROWSERS[2])):
            guest = {"invitation": made["invitation"], "name": name}
            assert site.ask("POST", "/api/seats", guest, headers=browser).status == 201
        move = {"version": 0, "id": "a", "move": "0 asks 1 for 0/2"}
        path = f"/api/tables/{made['table']}/moves"
        assert site.ask("POST", path, move, headers=BROWSERS[0]).status == 200
        lines = ["Ben and Cleo", "Ann and Cleo", "Ann and Ben"]
        turns = ["Ben is to move", "Your turn", "Ben is to move"]
        for browser, others, turn in zip(BROWSERS, lines, turns, strict=True):
            home = site.ask("GET", "/", headers=browser).body.decode()
            for text in (f"with {others}", turn, "just now", "0/2?"):
                assert text in home, text
        assert "with Ann" not in site.ask("GET", "/").body.decode()


# ---------------------------------------------------------------------- a first game


FIRST = {name: first for name in game_names() if (first := registration(name).first)}


@pytest.mark.parametrize("game", sorted(FIRST))
def test_every_tip_has_its_moment_and_every_moment_a_tip(game: str) -> None:
    rules = rules_class(game)(read_settings(game, FIRST[game].settings))
    seen: set[str] = set()
    for seed in range(thorough(3, 40)):
        for count in range(0, 60, 2):
            course = simulate(rules, count, seed)
            for seat in range(rules.seats):
                shown = sight(course, seat)
                names = [tip.name for tip in tips(shown, draw_part(shown))]
                assert names
                seen.update(names)
                last = message_data(course.steps[-1].events[-1]) if course.steps else {}
                for word in ("yes", "no"):
                    expected = str(last.get("answer")) == word and last.get("asker") == seat
                    assert (word in names) == expected
                # Only a player who may act sees the tips about that action.
                view, acts = shown.view, seat in shown.to_act
                assert acts or not {"place", "give", "turn", "answer"} & {*names}
                assert ("place" in names) == (acts and getattr(view, "in_hand", None) is not None)
                assert not acts or {"give", "turn", "answer", "start"} & {*names}
            assert not tips(shown._replace(seat=None), {})
            over = shown._replace(places=(1,) * rules.seats)
            seen.add(tips(over, draw_part(shown))[0].name)
            if not rules.to_act(course.positions[-1]):
                break
    assert seen == {tip.name for tip, _ in registration(game).part("tips")}


@pytest.mark.parametrize("game", sorted(FIRST))
def test_a_first_game_is_made_by_one_button(game: str, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        home = site.ask("GET", "/").body.decode()
        (form,) = re.findall(f'<form[^>]*>(<input[^>]*value="{game}">.*?)</form>', home)
        fields = urlencode(re.findall('name="([^"]*)" value="([^"]*)"', form))
        page = submit(site, fields)
        assert page.status == 303
        table = dict(page.headers)[b"location"].decode().rpartition("/")[2]
        cookie = dict(page.headers)[b"set-cookie"].decode().partition(";")[0]
        state = site.ask("GET", f"/api/tables/{table}", headers={"cookie": cookie}).json
        assert (state["begun"], state["seat"], state["help"]) == (True, 0, game != "kwartet")
        assert [seat["kind"] for seat in state["seats"]] == [
            "person", *["program"] * FIRST[game].programs
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("form", "status"), [("game=quarto&name=A\0&length=normal", 422), ("game=%ff", 422),
    ("x=" + "&x=" * 200, 400), ("game=quarto&length=normal&with=programs&level=perfect", 422)],
)  # fmt: skip
def test_a_wrong_form_is_refused_on_a_page(form: str, status: int, tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        page = submit(site, form)
        assert page.status == status
        assert b"<h1>" in page.body


def submit(site: Site, form: str) -> Page:
    """Submit the form for a new table as a browser without scripts does."""
    head = {"content-type": "application/x-www-form-urlencoded", "origin": f"http://{Site.HOST}"}
    return site.ask("POST", "/new", form.encode(), headers=head)


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
