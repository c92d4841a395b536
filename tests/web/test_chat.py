"""Chat and reactions."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.web.chat import LINES_KEPT, MAX_LINE_LENGTH, REACTIONS, Line
from quaternity.web.rate_limits import Limits
from quaternity.web.rendering import table_html
from tests.sizes import examples, thorough
from tests.web.tables import Table, open_site
from tests.web.views import BASE, QUATERNITY, sight, simulate

pytestmark = pytest.mark.usefixtures("kept_processes")


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


@pytest.mark.usefixtures("frozen_clock")
def test_the_last_chat_lines_are_kept_and_floods_are_refused(tmp_path: Path) -> None:
    count = thorough(LINES_KEPT + 30, 2_000)
    with open_site(tmp_path / "many") as site:
        table = Table(site, chat=True)
        for number in range(count):
            assert table.post(0, "talk", text=f"line {number}").status == 200
        lines = read_chat(table, 1)
        assert [line["number"] for line in lines] == [*range(count - LINES_KEPT + 1, count + 1)]
        assert lines[-1]["text"] == f"line {count - 1}"
    with open_site(tmp_path / "flood", limits=Limits.of(words=5)) as site:
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
