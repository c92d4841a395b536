"""What people say to each other at a table, and clocks."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.web.app import app
from quaternity.web.clock import Clock
from quaternity.web.guards import Limits
from quaternity.web.rendering import table_html
from quaternity.web.store import FILE
from quaternity.web.talk import LINES_KEPT, LONGEST_LINE, REACTIONS, Line
from tests.sizes import examples, thorough
from tests.web.site import Site
from tests.web.test_api import SMALL, Table
from tests.web.test_pages import BASE, QUATERNITY, played, sight

LIMITS = Limits(words=100_000, tables=100_000, moves=100_000)


def opened(folder: Path, limits: Limits = LIMITS) -> Site:
    return Site(app(str(folder), limits=limits))


def read(table: Table, seat: int | None, after: int = 0) -> list[dict[str, Any]]:
    token = None if seat is None else table.tokens[seat]
    page = table.site.ask("GET", f"{table.path}/talk?after={after}", token=token)
    lines: list[dict[str, Any]] = page.json["lines"]
    return lines


def told(table: Table, seat: int | None) -> Any:
    return table.site.listen(f"{table.path}/events", None if seat is None else table.tokens[seat])


def test_who_sits_at_a_table_talks_and_bystanders_among_themselves(tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table = Table(site, chat=True)
        streams = {seat: told(table, seat) for seat in (0, 1, None)}
        assert table.post(0, "talk", text="  good  luck ").status == 200
        watching = {"text": "who wins?", "name": "Zoë"}
        assert site.ask("POST", f"{table.path}/talk", watching).status == 200
        line = {"number": 1, "seat": 0, "name": "Anna (0)", "text": "good luck"}
        assert read(table, 1) == read(table, 0) == [line]
        assert read(table, 1, after=1) == []
        other = {"number": 1, "seat": None, "name": "Zoë", "text": "who wins?"}
        assert read(table, None) == [other]
        site.rest()
        heard = {seat: b"".join(stream.parts[1:]) for seat, stream in streams.items()}
        assert all(text.count(b"event: talk") == 1 for text in heard.values())
        assert all(b"luck" not in text and b"wins" not in text for text in heard.values())
        for seat, text, strange in ((0, b"good luck", b"wins"), (None, b"who wins", b"luck")):
            token = None if seat is None else table.tokens[seat]
            page = site.ask("GET", f"/t/{table.made['table']}/part", token=token).body
            assert text in page
            assert strange not in page
        assert b"luck" not in site.ask("GET", f"{table.path}/record").body
    with opened(tmp_path) as site:
        table.site = site
        assert read(table, 2) == [line]


def test_where_the_host_did_not_want_it_nobody_talks(tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table = Table(site)
        assert table.post(0, "talk", text="hello").status == 403
        assert read(table, 0) == []
        assert b'name="text"' not in site.ask("GET", f"/t/{table.made['table']}").body


@pytest.mark.parametrize(
    "text", ["", " \n ", "x" * (LONGEST_LINE + 1), "a\0b", "a\u202eb", 3, None]
)
def test_what_cannot_be_said(text: Any, tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table = Table(site, chat=True)
        assert table.post(0, "talk", text=text).status == 422
        assert table.post(0, "reactions", reaction=text).status == 422
        assert read(table, 0) == []


@given(st.text(min_size=1, max_size=LONGEST_LINE).filter(str.isprintable).filter(str.strip))
@settings(max_examples=examples(200), deadline=None)
def test_what_is_said_is_text_and_nothing_else(text: str) -> None:
    lines = (Line(1, 0, f"<b>{text}", text),)
    html = table_html(sight(played(QUATERNITY, 0), 0, lines=lines, chat=True), BASE, whole=False)
    (name, said) = re.findall(r"<b dir=.auto.>(.*?)</b> <span dir=.auto.>(.*?)</span>", html)[0]
    assert (unescape(name), unescape(said)) == (f"<b>{text}", text)
    assert not {*"<>\"'"} & {*name, *said}


def test_of_many_lines_the_last_are_kept_and_floods_are_refused(tmp_path: Path) -> None:
    count = thorough(LINES_KEPT + 30, 10_000)
    with opened(tmp_path / "many") as site:
        table = Table(site, chat=True)
        for number in range(count):
            assert table.post(0, "talk", text=f"line {number}").status == 200
        lines = read(table, 1)
        assert [line["number"] for line in lines] == [*range(count - LINES_KEPT + 1, count + 1)]
        assert lines[-1]["text"] == f"line {count - 1}"
    with opened(tmp_path / "flood", Limits(words=5)) as site:
        table = Table(site, chat=True)
        statuses = [table.post(0, "talk", text="x").status for _ in range(8)]
        statuses += [table.post(0, "reactions", reaction="👍").status for _ in range(2)]
        assert statuses == [200] * 5 + [429] * 5
        assert table.post(1, "talk", text="x").status == 200  # nobody else is kept from it


def test_a_reaction_is_seen_by_all_and_kept_by_nobody(tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table = Table(site)
        streams = [told(table, seat) for seat in (0, 2, None)]
        for reaction in REACTIONS:
            assert table.post(1, "reactions", reaction=reaction).status == 200
        site.rest()
        for stream in streams:
            text = b"".join(stream.parts[1:]).decode()
            assert text.count("event: reaction") == len(REACTIONS) == 8
            assert '"seat":1' in text
        assert table.look(0)["version"] == 0


# ---------------------------------------------------------------------- clocks


@given(
    st.integers(5, 1000), st.integers(0, 100), st.floats(0, 9000), st.floats(0, 1, width=32)
)  # fmt: skip
@settings(max_examples=examples(500), deadline=None)
def test_who_is_quick_saves_no_more_than_the_increment(
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


def passes(folder: Path, seconds: float) -> None:
    """Let a server have run so much longer, though none does."""
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        file.execute("UPDATE uptime SET seconds = seconds + ?", (seconds,))


def waits_for(table: Table, version: int) -> Any:
    """What a table says when it has moved on."""
    for _ in range(3_000):
        seen = table.look(0)
        if seen["version"] >= version:
            return seen
        table.site.rest()
    raise AssertionError(seen)


def test_a_clock_stands_still_while_no_server_runs(tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table = Table(site, clock={"seconds": 60, "increment": 5})
        before = table.look(0)["clock"]
        assert before["seconds"] == 60
        assert before["left"][1:] == [60, 60]
        assert 50 < before["left"][0] <= 60
    for _ in range(3):
        with opened(tmp_path) as site:
            table.site = site
            left = table.look(0)["clock"]["left"]
            assert left[0] > 30, "what passed while servers ran, and not more"
            site.run(site.app.state.tables.look_at_clocks())
            assert table.look(0)["version"] == 0


@pytest.mark.parametrize("looked_at", [True, False])
def test_a_program_moves_for_who_runs_out_of_time(looked_at: bool, tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table = Table(site, game="quarto", settings={}, seats=["me", "me"], clock={"seconds": 60})
        assert table.post(1, "undo", version=0, agree=True).status == 409
    for move in range(1, 5):
        passes(tmp_path, 61)
        with opened(tmp_path) as site:
            table.site = site
            if not looked_at:
                site.run(site.app.state.tables.look_at_clocks())
            seen = waits_for(table, move)
            assert seen["version"] == move
            assert [seat["kind"] for seat in seen["seats"]] == ["person", "person"]
            if move == 1:
                assert table.post(0, "undo", version=1, agree=True).json["agreed"] == [0]
            assert seen["undo"] == []
    # After the third time in a row the program stays, until they are back.
    passes(tmp_path, 61)
    with opened(tmp_path) as site:
        table.site = site
        seen = waits_for(table, 5)
        kinds = [seat["kind"] for seat in seen["seats"]]
        assert sorted(kinds) == ["person", "program"]
        gone = kinds.index("program")
        assert table.post(gone, "hand-over", seat=gone, player="me").status == 200
        assert table.look(0)["seats"][gone]["kind"] == "person"


def test_who_moves_in_time_is_not_late_any_more(tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table = Table(
            site,
            game="quarto",
            settings={},
            seats=["me", "random"],
            clock={"seconds": 60},
        )
    for _ in range(thorough(2, 4)):
        for _ in range(2):
            passes(tmp_path, 61)
            with opened(tmp_path) as site:
                table.site = site
                seen = waits_for(table, table.look(0)["version"] + 1)
                while seen["to_act"] == [1]:
                    seen = waits_for(table, seen["version"] + 1)
                if seen["outcome"] is not None:
                    return
                assert seen["seats"][0]["kind"] == "person"
        with opened(tmp_path) as site:
            table.site = site
            seen = table.look(0)
            assert table.move(0, seen["moves"][0]).status == 200


@pytest.mark.parametrize(
    ("game", "clock", "says"),
    [
        ("set", {"seconds": 30}, "clock: set has none"),
        ("quarto", {"seconds": 4}, "from 5 to"),
        ("quarto", {"seconds": 30.5}, "whole number"),
        ("quarto", {"seconds": True}, "whole number"),
        ("quarto", {"days": 15}, "from 1 to 14"),
        ("quarto", {"days": 1, "seconds": 30}, "seconds or days"),
        ("quarto", {}, "seconds or days"),
        ("quarto", {"hours": 1}, "'hours' is unknown; known are days, seconds, increment"),
        ("quarto", 30, "object"),
    ],
)
def test_clocks_that_cannot_be(game: str, clock: Any, says: str, tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        wanted = {"game": game, "seats": ["me", "me"], "clock": clock}
        page = site.ask("POST", "/api/tables", wanted)
        assert page.status == 422
        assert says in page.json["error"]


def test_a_clock_begins_with_the_game(tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table = Table(site, settings=SMALL, seats=["me", "open", "easy"], clock={"seconds": 60})
    passes(tmp_path, 3600)
    with opened(tmp_path) as site:
        table.site = site
        assert table.post(0, "start").status == 200
        assert 50 < table.look(0)["clock"]["left"][0] <= 60
