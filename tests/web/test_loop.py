"""The event loop: heavy work runs in other processes, and slow requests are reported."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.web.app import app
from quaternity.web.rendering import table_html
from quaternity.web.seats import Caller
from tests.limits import limited
from tests.web.site import Site
from tests.web.tables import Table

LARGE = {"set_size": 4, "sets": 9, "players": 4}
QUARTO: dict[str, Any] = {"game": "quarto", "settings": {}, "seats": ["me", "me"]}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Run a server that reports slow requests."""
    monkeypatch.setenv("QUATERNITY_DEBUG", "1")
    with Site(app(str(tmp_path))) as site:
        yield site


def test_large_tables_are_drawn_in_another_process(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is drawn in this process: pages, their parts, help, moments and documents."""
    table = Table(site, settings=LARGE, seats=["me"] * 4, help=True)
    table.move(0, "1 0 0")
    name = table.made["table"]
    paths = ["", "/part", "/at/0", "/help/chances", "/part?at=0"]
    for place in ("rendering.table_context", "documents.document"):
        monkeypatch.setattr(f"quaternity.web.{place}", None)
    for path in (f"/api/tables/{name}", *(f"/t/{name}{path}" for path in paths)):
        page = site.ask("GET", path, token=table.tokens[1])
        assert page.status == 200, path
    assert site.ask("GET", f"/api/tables/{name}", token=table.tokens[1]).json["to_act"] == [1]
    dutch = {"accept-language": "nl"}
    assert b'<html lang="nl"' in site.ask("GET", f"/t/{name}", headers=dutch).body


def test_long_games_are_replayed_in_another_process(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, random = QuaternityRules(Settings(4, 50, 4)), Random(1)
    position = rules.start(random)
    record = rules.record_start(position, ["a", "b", "c", "d"])
    turns = []
    for _ in range(160):
        (seat,) = rules.to_act(position)
        move = random.choice(list(rules.moves(position)))
        before, position = position, rules.after(position, seat, move)
        record += rules.record_move(before, seat, move, position)
        turns.append(position.state.turn)
    name = site.ask("POST", "/api/records", record.encode()).json["table"]
    assert site.ask("GET", f"/t/{name}").status == 200
    tables = site.app.state.tables
    monkeypatch.setattr(QuaternityRules, "after", None)
    for number in (155, 158, 155):
        sight = site.run(tables.view(name, Caller(), None, number))
        assert (sight.number, sight.view.state.turn) == (number, turns[number - 1])
        assert site.ask("GET", f"/t/{name}/at/{number}").status == 200
    stored = site.ask("GET", f"/api/tables/{name}/record").body.decode()
    assert stored.splitlines()[-1] == record.splitlines()[-1]
    assert len(stored.splitlines()) == len(record.splitlines())


def test_other_hosts_do_not_redraw_a_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(site, **QUARTO)
    path, drawn = f"/t/{table.made['table']}", list[Any]()

    def draw_and_count(*arguments: Any) -> str:
        drawn.append(arguments)
        return table_html(*arguments)

    monkeypatch.setattr("quaternity.web.pages.table_html", draw_and_count)
    hosts = [*(f"6.6.6.{n}" for n in range(9)), *(f"localhost:{n}" for n in range(8000, 8009))]
    for host in hosts:
        for accepted in ("gzip", "identity"):
            headers = {"host": host, "accept-encoding": accepted}
            page = site.ask("GET", path, headers=headers)
            html = gzip.decompress(page.body) if accepted == "gzip" else page.body
            assert f'value="http://{host}{path}"'.encode() in html
            assert b"\x02" not in html
    assert len(drawn) == 1


@pytest.mark.parametrize("debug", [True, False])
def test_a_request_that_takes_too_long_is_reported_by_its_route(
    debug: bool, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    site.app.state.seen.debug = debug
    table = Table(site, **QUARTO)
    with limited("quaternity.web.metrics", MAX_LOOP_SECONDS=-1.0):
        table.move(0, "hand over A", 0)
        site.ask("GET", f"/t/{table.made['table']}")
        site.ask("GET", "/nothing")
    routes = ["POST /api/tables/{table}/moves took", "GET /t/{table} took", "GET (none) took"]
    assert [route in caplog.text for route in routes] == [debug] * 3
    assert table.made["table"] not in caplog.text
