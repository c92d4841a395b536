"""What one address may ask for, and that others do not wait for it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity import guide
from quaternity.web import pages
from quaternity.web.admission import WORK, Limits, is_proxy, refused
from quaternity.web.app import app
from quaternity.web.languages import SPOKEN, speaking
from quaternity.web.rendering import table_html
from quaternity.web.seats import Caller, hashed
from quaternity.web.sight import DERIVED, Sight, page_key
from tests.limits import limited
from tests.own_process_calls import wait_for_letter
from tests.sizes import thorough
from tests.web.pipes import Pipe
from tests.web.server import Server
from tests.web.site import Site
from tests.web.test_api import Table, opened

BASE = f"http://{Site.HOST}"


def test_the_guide_says_what_costs_what() -> None:
    row = r"^\| `(\w+)` \|.*\| `(\w+)` \| (\d+) \| (\w*) *\|$"
    rows = re.findall(row, guide.page("serving").text, re.MULTILINE)
    assert {kind: (limit, int(cost), how == "dear") for kind, limit, cost, how in rows} == WORK
    assert all((how != "") == (limit == "counts") for _, limit, _, how in rows)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time pass for what is counted by the minute."""
    monkeypatch.setattr("quaternity.web.admission.monotonic", lambda: 0.0)


@pytest.mark.usefixtures("still")
def test_reading_is_limited_and_seats_go_on(tmp_path: Path) -> None:
    """Whatever an address has spent: its seats read and move, other addresses too."""
    with opened(tmp_path, limits=Limits(pages=40)) as site:
        table = Table(site, help=True)
        page = table.path.replace("/api/tables/", "/t/")
        missing = ["/join/x", "/move/x", "/api/tables/no-such-table", "/t/no-such-table"]
        doors = [*missing, "/", "/new?game=set", "/learn", "/puzzles", "/guide/serving",
                 "/api/games", page, f"{page}/part", f"{page}/at/0",
                 f"{page}/events?after=0&before=1", f"{page}/help/chances", f"{page}/review",
                 table.path, f"{table.path}/record", f"{table.path}/talk",
                 f"{table.path}/help/chances", f"{table.path}/events",
                 f"{table.path}/marks"]  # fmt: skip
        for _ in range(40):
            site.ask("GET", "/learn")
        before = refused["pages"]
        for path in doors:
            answer = site.ask("GET", path)
            assert answer.status == 429, path
            headers = dict(answer.headers)
            assert 1 <= int(headers[b"retry-after"]) <= 60, path
            german = site.ask("GET", path, headers={"accept-language": "de"}).body.decode()
            assert "solche Anfragen in der Minute" in german, path
        move = {"version": 0, "id": "a", "move": "0 asks 1 for 0/0"}
        assert site.ask("POST", f"{table.path}/moves", move).status == 429
        assert refused["pages"] == before + 2 * len(doors) + 1
        assert table.move(0, "0 asks 1 for 0/0", 0).status == 200
        assert site.ask("GET", page, token=table.tokens[1]).status == 200
        site.client = "192.0.2.1"
        assert site.ask("GET", page).status == 200


@pytest.mark.usefixtures("still")
def test_a_seat_has_a_budget_of_its_own_for_reading_too(tmp_path: Path) -> None:
    with opened(tmp_path, limits=Limits(pages=5)) as site:
        table = Table(site)
        statuses = [site.ask("GET", table.path, token=table.tokens[0]).status for _ in range(7)]
        assert statuses == [200] * 5 + [429] * 2
        assert site.ask("GET", table.path, token=table.tokens[1]).status == 200
        assert site.ask("GET", table.path).status == 200


def test_no_lock_of_a_table_is_held_while_something_is_counted(tmp_path: Path, pipe: Pipe) -> None:
    """With every process busy, whatever is asked for waits with the table free to go on."""
    with Site(app(str(tmp_path), players={("quaternity", "late"): "slow:60"})) as site:
        table, tables = Table(site, help=True, chat=True), site.app.state.tables
        held = site.run(tables.open(table.made["table"]))
        token = table.tokens[0]
        posts: dict[str, dict[str, Any]] = {
            "hand-over": {"seat": 0, "player": "search:2"}, "again": {}, "start": {},
            "ready": {"ready": True}, "undo": {"version": 0, "agree": True},
            "talk": {"text": "x"}, "code": {}, "elsewhere": {}, "leave": {},
        }  # fmt: skip
        gets = ("help/chances", "help/know?formula=true", "help/hint", "help/questions")

        async def at_once() -> None:
            busy = [
                asyncio.create_task(
                    tables.thinking.count(wait_for_letter, pipe.name, kind=kind)
                ) for kind in ("help", "know") for _ in range(3)
            ]  # fmt: skip
            await asyncio.sleep(0)
            asked = [
                asyncio.create_task(site.send("POST", f"{table.path}/{what}", sent, token))
                for what, sent in posts.items()
            ] + [asyncio.create_task(site.send("GET", f"{table.path}/{what}", None, token))
                 for what in gets]  # fmt: skip
            move = {"version": 0, "id": "a", "move": "0 asks 1 for 0/0"}
            answer = await site.send("POST", f"{table.path}/moves", move, token)
            assert answer.status == 200
            while sum(not task.done() for task in asked) > 1 + len(gets):
                await asyncio.sleep(0)  # only what has to be counted waits
            assert not held.lock.locked()
            pipe.tell("x" * len(busy))
            await asyncio.gather(*busy, *asked)

        site.run(asyncio.wait_for(at_once(), 60))


# ---------------------------------------------------------------------- pages


def test_a_page_that_was_kept_is_the_one_that_would_be_drawn(tmp_path: Path) -> None:
    """For everybody who looks, after whatever is done at a table."""
    random = Random(7)
    with opened(tmp_path, limits=Limits(pages=10**6)) as site:
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
                caller = Caller(token=None if token is None else hashed(token))
                for what in ("", "/part", "/at/2"):
                    language = random.choice(list(SPOKEN))
                    headers = {"accept-language": language}
                    at, before = (2 if what == "/at/2" else None), None
                    while True:  # until no program has moved meanwhile
                        answer = site.ask("GET", f"/t/{name}{what}", token=token, headers=headers)
                        sight = site.run(tables.sight(name, caller, None, at))
                        if page_key(sight._replace(times_left=())) == before:
                            break
                        before = page_key(sight._replace(times_left=()))
                    with speaking(language):
                        drawn = table_html(sight, BASE, "", what != "/part", at is not None)
                    assert without_clocks(answer.body.decode()) == without_clocks(drawn), (
                        name,
                        token,
                        what,
                    )

        def without_clocks(html: str) -> str:
            return re.sub(r'data-left="[\d.]+"', "", html)

        for step in range(thorough(12, 24)):
            table = places[step % len(places)]
            seat = random.randrange(3)
            token = table.tokens[seat]
            doing = random.choice(["move", "move", "move", "undo", "talk", "listen", "join", "out"])
            compare(table)
            if doing == "move":
                looks = [table.look(n) for n, owner in enumerate(table.tokens) if owner]
                may = [look for look in looks if look["moves"]]
                if may:
                    look = random.choice(may)
                    table.move(look["seat"], random.choice(look["moves"]), look["version"])
            elif doing == "undo" and token:
                table.post(seat, "undo", version=table.look()["version"], agree=True)
            elif doing == "talk" and token:
                table.post(seat, "talk", text=f"hello {step}")
            elif doing == "listen":
                site.listen(f"{table.path}/events", token)
            elif doing == "join" and table.made["seats"][seat]["invitation"]:
                sent = {"invitation": table.made["seats"][seat]["invitation"], "name": f"B{seat}"}
                joined = site.ask("POST", "/api/seats", sent)
                if joined.status == 201:
                    table.tokens[seat] = joined.json["token"]
            elif doing == "out" and token:
                site.ask(
                    "POST", f"{table.path}/hand-over", {"seat": seat, "player": "random"}, token
                )
            compare(table)


def test_two_sights_have_one_page_only_if_nothing_but_the_table_decides_what_differs(
    tmp_path: Path,
) -> None:
    """A further entry of a sight is told apart unless somebody says that it need not be."""
    with opened(tmp_path) as site:
        table = Table(site)
        sight = site.run(site.app.state.tables.sight(table.made["table"], Caller()))
    for name in Sight._fields:
        other = {0: (1,)} if name == "given" else "something else"
        changed = page_key(sight._replace(**{name: other})) != page_key(sight)
        assert changed == (name not in DERIVED or name == "revealed"), name


def test_a_page_is_drawn_once_for_all_bystanders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []

    def counted(*arguments: Any) -> str:
        drawn.append(arguments)
        return table_html(*arguments)

    monkeypatch.setattr(pages, "table_html", counted)
    with opened(tmp_path) as site:
        table = Table(site)
        page = table.path.replace("/api/tables/", "/t/")
        for version in range(1, 3):
            answers = site.ask_at_once([("GET", page)] * 20, Random(version))
            assert {answer.status for answer in answers} == {200}
            assert len({answer.body for answer in answers}) == 1
            assert len(drawn) == version
            # Whoever sits there sees another page than who looks on.
            for seat in range(3):
                site.ask("GET", page, token=table.tokens[seat])
            assert len(drawn) == version + 3
            drawn[version:] = []
            table.move(0, "0 asks 1 for 0/0")


def test_of_pages_that_were_drawn_those_are_kept_that_were_asked_for_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def counted(sight: Sight, *more: Any) -> str:
        drawn.append(sight.table)
        return "x" * 100

    monkeypatch.setattr(pages, "table_html", counted)
    random, kept = Random(2), list[str]()
    with opened(tmp_path) as site, limited("quaternity.web.pages", MAX_CACHED_PAGE_BYTES=350):
        names = [str(Table(site).made["table"]) for _ in range(5)]
        for _ in range(60):
            name = random.choice(names)
            drawn.clear()
            assert site.ask("GET", f"/t/{name}").body == b"x" * 100
            assert drawn == ([] if name in kept else [name])
            kept = [*(other for other in kept if other != name), name][-3:]


def test_others_are_answered_between_pages_that_are_drawn(tmp_path: Path) -> None:
    with opened(tmp_path) as site:
        table, other, order = Table(site), Table(site), list[str]()
        page = table.path.replace("/api/tables/", "/t/")

        async def ask(path: str, token: str | None) -> None:
            await site.send("GET", path, None, token)
            order.append(path)

        async def all_of_them() -> None:
            paths = [(f"{page}?seat={seat}&{n}", table.tokens[seat]) for seat in range(3)
                     for n in range(2)] + [(other.path, other.tokens[0])]  # fmt: skip
            await asyncio.gather(*(ask(*each) for each in paths))

        site.run(all_of_them())
        assert order.index(other.path) < 3


# ---------------------------------------------------------------------- proxies


def test_a_proxy_is_known_by_its_address() -> None:
    assert is_proxy("10.1.2.3", ["10.0.0.0/8"])
    assert is_proxy("::ffff:10.1.2.3", ["10.0.0.0/8"])
    assert not is_proxy("11.1.2.3", ["10.0.0.0/8"])
    assert not is_proxy("7.0.0.1", ["127.0.0.1"])
    assert not is_proxy("anything", ["127.0.0.1"])


def test_what_a_stranger_says_of_others_is_not_believed(tmp_path: Path) -> None:
    """Of what a proxy says, the right-most address counts that is not a proxy's."""
    told = [f"192.0.2.{number}" for number in range(3)]
    proxy = ("--proxy", "127.0.0.2", "--proxy", "10.0.0.0/8")
    with Server(tmp_path / "data", "--limit", "pages=1", *proxy) as server:

        def statuses(source: str, forwarded: list[str]) -> list[int]:
            return [asked(server.host, source, text) for text in forwarded]

        assert statuses("127.0.0.1", told) == [200, 429, 429]
        assert statuses("127.0.0.2", told) == [200] * 3
        forged = [f"{address}, 192.0.2.9, 10.0.0.1" for address in told]
        assert statuses("127.0.0.2", forged) == [200, 429, 429]
        assert statuses("127.0.0.3", ["192.0.2.77"] * 3) == [200, 429, 429]


def asked(host: str, source: str, forwarded: str) -> int:
    """The status of a page for who asks from an address and names another."""
    from http.client import HTTPConnection

    name, _, port = host.partition(":")
    line = HTTPConnection(name, int(port), timeout=60, source_address=(source, 0))
    line.request("GET", "/learn", headers={"X-Forwarded-For": forwarded})
    status = line.getresponse().status
    line.close()
    return status
