"""Rate limits of addresses, and that one address does not delay others."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity import guide
from quaternity.web import pages
from quaternity.web.app import app
from quaternity.web.languages import LANGUAGES, using_language
from quaternity.web.rate_limits import WORK, Limits, is_proxy, refusal_counts
from quaternity.web.rendering import table_html
from quaternity.web.seats import Caller, hash_token
from quaternity.web.table_view import DERIVED, TableView, page_key
from tests.limits import limited
from tests.own_process_calls import wait_for_letter
from tests.sizes import thorough
from tests.web.pipes import Pipe
from tests.web.server import Server
from tests.web.site import Site
from tests.web.tables import Table, open_site

pytestmark = pytest.mark.usefixtures("kept_processes")

BASE = f"http://{Site.HOST}"


def test_the_guide_lists_the_cost_of_each_kind_of_work() -> None:
    row = r"^\| `(\w+)` \|.*\| `(\w+)` \| (\d+) \| (\w*) *\|$"
    rows = re.findall(row, guide.page("serving").text, re.MULTILINE)
    assert {kind: (limit, int(cost), how == "expensive") for kind, limit, cost, how in rows} == WORK
    assert all((how != "") == (limit == "counts") for _, limit, _, how in rows)


@pytest.mark.usefixtures("frozen_clock")
def test_reading_is_limited_and_seats_go_on(tmp_path: Path) -> None:
    """Its seats can still read and move, whatever an address has spent; so can other addresses."""
    with open_site(tmp_path, limits=Limits.of(pages=40)) as site:
        table = Table(site, help=True)
        page = table.path.replace("/api/tables/", "/t/")
        missing = ["/join/x", "/move/x", "/api/tables/no-such-table", "/t/no-such-table"]
        paths = [*missing, "/", "/new?game=set", "/learn", "/puzzles", "/guide/serving",
                 "/api/games", page, f"{page}/part", f"{page}/at/0",
                 f"{page}/part?at=0", f"{page}/help/chances", f"{page}/review",
                 table.path, f"{table.path}/record", f"{table.path}/talk",
                 f"{table.path}/help/chances", f"{table.path}/events",
                 f"{table.path}/marks"]  # fmt: skip
        for _ in range(40):
            site.ask("GET", "/learn")
        before = refusal_counts["pages"]
        for path in paths:
            answer = site.ask("GET", path)
            assert answer.status == 429, path
            headers = dict(answer.headers)
            assert 1 <= int(headers[b"retry-after"]) <= 60, path
            german = site.ask("GET", path, headers={"accept-language": "de"}).body.decode()
            assert "solche Anfragen in der Minute" in german, path
        move = {"version": 0, "id": "a", "move": "0 asks 1 for 0/0"}
        assert site.ask("POST", f"{table.path}/moves", move).status == 429
        assert refusal_counts["pages"] == before + 2 * len(paths) + 1
        assert table.move(0, "0 asks 1 for 0/0", 0).status == 200
        assert site.ask("GET", page, token=table.tokens[1]).status == 200
        site.client = "192.0.2.1"
        assert site.ask("GET", page).status == 200


@pytest.mark.usefixtures("frozen_clock")
def test_each_seat_has_its_own_budget_for_reading(tmp_path: Path) -> None:
    with open_site(tmp_path, limits=Limits.of(pages=5)) as site:
        table = Table(site)
        statuses = [site.ask("GET", table.path, token=table.tokens[0]).status for _ in range(7)]
        assert statuses == [200] * 5 + [429] * 2
        assert site.ask("GET", table.path, token=table.tokens[1]).status == 200
        assert site.ask("GET", table.path).status == 200


def test_no_table_is_locked_during_a_count(tmp_path: Path, pipe: Pipe) -> None:
    """While every process is busy, requests wait without locking their table."""
    with Site(app(str(tmp_path), players={("quaternity", "late"): "slow:60"})) as site:
        table, tables = Table(site, help=True, chat=True), site.app.state.tables
        live = site.run(tables.live.open(table.made["table"]))
        token = table.tokens[0]
        posts: dict[str, dict[str, Any]] = {
            "hand-over": {"seat": 0, "player": "search:2"}, "again": {}, "start": {},
            "ready": {"ready": True}, "undo": {"version": 0, "agree": True},
            "talk": {"text": "x"}, "code": {}, "elsewhere": {}, "leave": {},
        }  # fmt: skip
        gets = ("help/chances", "help/know?formula=true", "help/hint", "help/questions")

        async def send_all() -> None:
            busy = [
                asyncio.create_task(
                    tables.thinking.count(wait_for_letter, pipe.name, kind=kind)
                ) for kind in ("help", "know") for _ in range(3)
            ]  # fmt: skip
            await asyncio.sleep(0)
            tasks = [
                asyncio.create_task(site.send("POST", f"{table.path}/{action}", sent, token))
                for action, sent in posts.items()
            ] + [asyncio.create_task(site.send("GET", f"{table.path}/{action}", None, token))
                 for action in gets]  # fmt: skip
            move = {"version": 0, "id": "a", "move": "0 asks 1 for 0/0"}
            answer = await site.send("POST", f"{table.path}/moves", move, token)
            assert answer.status == 200
            while sum(not task.done() for task in tasks) > 1 + len(gets):
                await asyncio.sleep(0)  # only the requests that need a count wait
            assert not live.queue.is_busy
            pipe.tell("x" * len(busy))
            await asyncio.gather(*busy, *tasks)

        site.run(asyncio.wait_for(send_all(), 60))


# ---------------------------------------------------------------------- pages


def test_a_cached_page_equals_a_newly_drawn_one(tmp_path: Path) -> None:
    """This holds for every viewer, after every action at a table."""
    random = Random(7)
    with open_site(tmp_path, limits=Limits.of(pages=10**6)) as site:
        tables = site.app.state.tables
        clock = {"seconds": 60, "increment": 5}
        open_seats = {"seats": ["me", "open", "open"]}
        places = [
            Table(site, help=True, chat=True, clock=clock), Table(site, **open_seats),
            Table(site, game="kwartet", settings={"players": 3, "sets": 3}),
            Table(site, game="set", settings={"seats": 3}),
        ]  # fmt: skip

        def compare(table: Table) -> None:
            name = table.made["table"]
            for token in (None, *filter(None, table.tokens)):
                caller = Caller(token=None if token is None else hash_token(token))
                for part in ("", "/part", "/at/2"):
                    language = random.choice(list(LANGUAGES))
                    headers = {"accept-language": language}
                    at, before = (2 if part == "/at/2" else None), None
                    while True:  # until no program has moved meanwhile
                        answer = site.ask("GET", f"/t/{name}{part}", token=token, headers=headers)
                        sight = site.run(tables.view(name, caller, None, at))
                        if page_key(sight._replace(times_left=())) == before:
                            break
                        before = page_key(sight._replace(times_left=()))
                    with using_language(language):
                        drawn = table_html(sight, BASE, "", part != "/part", at is not None)
                    assert without_clocks(answer.body.decode()) == without_clocks(drawn), (
                        name,
                        token,
                        part,
                    )

        def without_clocks(html: str) -> str:
            return re.sub(r'data-left="[\d.]+"', "", html)

        for step in range(thorough(8, 24)):
            table = places[step % len(places)]
            seat = random.randrange(3)
            token = table.tokens[seat]
            kind = random.choice(["move", "move", "move", "undo", "talk", "listen", "join", "out"])
            compare(table)
            if kind == "move":
                looks = [table.look(n) for n, owner in enumerate(table.tokens) if owner]
                may = [look for look in looks if look["moves"]]
                if may:
                    look = random.choice(may)
                    table.move(look["seat"], random.choice(look["moves"]), look["version"])
            elif kind == "undo" and token:
                table.post(seat, "undo", version=table.look()["version"], agree=True)
            elif kind == "talk" and token:
                table.post(seat, "talk", text=f"hello {step}")
            elif kind == "listen":
                site.listen(f"{table.path}/events", token)
            elif kind == "join" and table.made["seats"][seat]["invitation"]:
                sent = {"invitation": table.made["seats"][seat]["invitation"], "name": f"B{seat}"}
                joined = site.ask("POST", "/api/seats", sent)
                if joined.status == 201:
                    table.tokens[seat] = joined.json["token"]
            elif kind == "out" and token:
                site.ask(
                    "POST", f"{table.path}/hand-over", {"seat": seat, "player": "random"}, token
                )
            compare(table)


def test_views_share_a_page_only_if_they_differ_in_derived_fields_alone(tmp_path: Path) -> None:
    """A new field of a view must be part of the key, unless it is declared as derived."""
    with open_site(tmp_path) as site:
        table = Table(site)
        sight = site.run(site.app.state.tables.view(table.made["table"], Caller()))
    for name in vars(sight):
        other = {0: (1,)} if name == "takeover_votes" else "something else"
        changed = page_key(sight._replace(**{name: other})) != page_key(sight)
        assert changed == (name not in DERIVED or name == "revealed"), name


def test_a_page_is_drawn_once_for_all_bystanders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []

    def draw_and_count(*arguments: Any) -> str:
        drawn.append(arguments)
        return table_html(*arguments)

    monkeypatch.setattr(pages, "table_html", draw_and_count)
    with open_site(tmp_path) as site:
        table = Table(site)
        page = table.path.replace("/api/tables/", "/t/")
        for version in range(1, 3):
            answers = site.ask_at_once([("GET", page)] * 20, Random(version))
            assert {answer.status for answer in answers} == {200}
            assert len({answer.body for answer in answers}) == 1
            assert len(drawn) == version
            # Each player sees another page than the bystanders.
            for seat in range(3):
                site.ask("GET", page, token=table.tokens[seat])
            assert len(drawn) == version + 3
            drawn[version:] = []
            table.move(0, "0 asks 1 for 0/0")


def test_the_most_recently_requested_pages_stay_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def draw_and_note(sight: TableView, *more: Any) -> str:
        drawn.append(sight.table)
        return "x" * 100

    monkeypatch.setattr(pages, "table_html", draw_and_note)
    random, cached = Random(2), list[str]()
    with open_site(tmp_path) as site, limited("quaternity.web.pages", MAX_CACHED_PAGE_BYTES=350):
        names = [str(Table(site).made["table"]) for _ in range(5)]
        for _ in range(60):
            name = random.choice(names)
            drawn.clear()
            assert site.ask("GET", f"/t/{name}").body == b"x" * 100
            assert drawn == ([] if name in cached else [name])
            cached = [*(other for other in cached if other != name), name][-3:]


def test_others_are_answered_between_drawn_pages(tmp_path: Path) -> None:
    with open_site(tmp_path) as site:
        table, other, order = Table(site), Table(site), list[str]()
        page = table.path.replace("/api/tables/", "/t/")

        async def ask(path: str, token: str | None) -> None:
            await site.send("GET", path, None, token)
            order.append(path)

        async def ask_all() -> None:
            paths = [(f"{page}?seat={seat}&{n}", table.tokens[seat]) for seat in range(3)
                     for n in range(2)] + [(other.path, other.tokens[0])]  # fmt: skip
            await asyncio.gather(*(ask(*request) for request in paths))

        site.run(ask_all())
        assert order.index(other.path) < 3


# ---------------------------------------------------------------------- proxies


def test_a_proxy_is_known_by_its_address() -> None:
    assert is_proxy("10.1.2.3", ["10.0.0.0/8"])
    assert is_proxy("::ffff:10.1.2.3", ["10.0.0.0/8"])
    assert not is_proxy("11.1.2.3", ["10.0.0.0/8"])
    assert not is_proxy("7.0.0.1", ["127.0.0.1"])
    assert not is_proxy("anything", ["127.0.0.1"])


def test_forwarded_addresses_are_only_believed_from_proxies(tmp_path: Path) -> None:
    """The right-most forwarded address that is not a proxy's counts."""
    addresses = [f"192.0.2.{number}" for number in range(3)]
    proxy = ("--proxy", "127.0.0.2", "--proxy", "10.0.0.0/8")
    with Server(tmp_path / "data", "--limit", "pages=1", *proxy) as server:

        def statuses(source: str, forwarded: list[str]) -> list[int]:
            return [get_status(server.host, source, text) for text in forwarded]

        assert statuses("127.0.0.1", addresses) == [200, 429, 429]
        assert statuses("127.0.0.2", addresses) == [200] * 3
        forged = [f"{address}, 192.0.2.9, 10.0.0.1" for address in addresses]
        assert statuses("127.0.0.2", forged) == [200, 429, 429]
        assert statuses("127.0.0.3", ["192.0.2.77"] * 3) == [200, 429, 429]


def get_status(host: str, source: str, forwarded: str) -> int:
    """Return the status of a page for a client that forwards another address."""
    from http.client import HTTPConnection

    name, _, port = host.partition(":")
    line = HTTPConnection(name, int(port), timeout=60, source_address=(source, 0))
    line.request("GET", "/learn", headers={"X-Forwarded-For": forwarded})
    status = line.getresponse().status
    line.close()
    return status
