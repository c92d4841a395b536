"""A table behind the HTTP interface agrees with a naive model, whatever happens to its server.

The server restarts, its store fails at every few writes, answers are lost, clocks jump, and a
second server uses the same database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from itertools import count
from math import inf
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings

from quaternity.web.app import app
from quaternity.web.documents import document
from quaternity.web.rate_limits import Limits
from quaternity.web.seats import Caller, hash_token
from quaternity.web.view import view_table
from quaternity.web.writer import Job
from tests.sizes import examples, thorough
from tests.web.cluster import Cluster
from tests.web.site import Page, Site
from tests.web.table_machine import Driver, TableMachine
from tests.web.table_oracle import PERSON, PROGRAM, Game, Refused

LIMITS = Limits.of(words=10**6, tables=10**6, moves=10**6, pages=10**6)

FAILURE_INTERVAL = 5
"""Every n-th write fails, in machines with a failing store."""


class HttpDriver(Driver):
    """A table of one or several servers of the same store, which act in turn.

    Attributes:
        place: where the tables are stored.
        fails: whether the store fails at every few writes. The people then repeat their requests.
    """

    def __init__(self, place: str, servers: int = 1, fails: bool = False) -> None:
        self.place, self.fails, self.now = place, fails, 1000.0
        self.tokens: dict[int, str] = {}
        self.turns, self.writes = count(), count(1)
        self.patch = pytest.MonkeyPatch()
        if servers == 1:
            self.patch.setattr("quaternity.web.store.monotonic", lambda: self.now)
        self.sites = [self.open() for _ in range(servers)]
        self.site = self.sites[0]

    def open(self) -> Site:
        """Start a server, whose programs never move."""
        site = Site(app(self.place, limits=LIMITS)).__enter__()
        tables = site.app.state.tables

        async def plan(*_: Any) -> None:
            return None

        tables.thinking.plan = plan
        commit = tables.store.commit

        def fail_sometimes(batch: Sequence[Job]) -> Collection[int]:
            matters = any(job.entries or job.guard for job in batch)
            if self.fails and matters and next(self.writes) % FAILURE_INTERVAL == 0:
                raise sqlite3.OperationalError("the test lets this write fail")
            stale: Collection[int] = commit(batch)
            return stale

        tables.store.commit = fail_sometimes
        return site

    def make(self, game: Game, kinds: list[str], seed: int) -> dict[int, Any]:
        self.program = "slow" if game.name == "set" else "random"
        clock = None if game.clock is None else dict(zip(("seconds", "increment"), game.clock,
                                                         strict=True))  # fmt: skip
        wanted = {
            "game": game.name, "settings": game.settings, "seed": seed, "clock": clock,
            "seats": [{PERSON: "me", PROGRAM: self.program}.get(kind, kind) for kind in kinds],
        }  # fmt: skip
        made = self.ask("/api/tables", wanted, None).json
        self.name, self.link = made["table"], made["invitation"]
        self.tokens = {seat["seat"]: seat["token"] for seat in made["seats"] if seat["token"]}
        links = {seat["seat"]: seat["invitation"] for seat in made["seats"]}
        return {seat: link for seat, link in links.items() if link}

    def ask(self, path: str, sent: Any, person: int | None) -> Page:
        """Send a request, and again if the store has failed. Raise `Refused` if it is refused."""
        token = None if person is None else self.tokens.get(person)
        page = self.site.ask("POST", path, sent, token)
        if self.fails and page.status == 503:
            page = self.site.ask("POST", path, sent, token)
        assert page.status < 500, page
        if page.status >= 400:
            raise Refused
        return page

    def act(self, person: int, action: str, **sent: Any) -> Any:
        self.site = self.sites[next(self.turns) % len(self.sites)]
        self.settle()
        if action in ("join", "sit"):
            link = sent.pop("link", self.link)
            if link is None:
                raise Refused
            seat = self.ask("/api/seats", {"invitation": link, **sent}, None).json
            self.tokens[person] = seat["token"]
            return seat["seat"]
        path = f"/api/tables/{self.name}"
        if action == "move":
            text = sent.pop("text")
            return self.ask(f"{path}/moves", {**sent, "move": text}, person).json["version"]
        if action == "device":
            self.change_device(path, person, sent["way"])
            return None
        named = {name: self.program if value == PROGRAM else value for name, value in sent.items()}
        answer = self.ask(f"{path}/{action}", named, person).json
        if action == "again":
            return {"seats": self.seats_of(answer["table"])}
        return answer["invitation" if action == "hand-over" else "version"]

    def change_device(self, path: str, person: int, way: str) -> None:
        """Move the seat of a person by a link or a code."""
        action, back, field = {
            "link": ("elsewhere", "move", "link"), "code": ("code", "back", "code"),
        }[way]  # fmt: skip
        secret = self.ask(f"{path}/{action}", {}, person).json[field]
        self.settle()
        seated = self.ask(f"/api/seats/{back}", {field: secret}, None).json
        old, self.tokens[person] = self.tokens[person], seated["token"]
        assert self.site.ask("POST", f"{path}/code", {}, old).status == 403

    def live(self, name: str) -> Any:
        """Return a table of the server that has acted last."""
        return self.site.run(self.site.app.state.tables.live.open(name))

    def seats_of(self, name: str) -> list[tuple[str, int | None, float]]:
        """Return the kind, the owner and the saved seconds of each seat of a table."""
        owners = {hash_token(token): person for person, token in self.tokens.items()}
        seats = self.live(name).state.seats
        return [(seat.kind, owners.get(seat.token or ""), seat.pace.saved) for seat in seats]

    def settle(self) -> None:
        """Wait until all servers know the same."""
        if len(self.sites) == 1:
            return

        async def revision(site: Site) -> int:
            return int((await site.app.state.tables.live.open(self.name)).state.revision)

        for _ in range(100_000):
            if len({site.run(revision(site)) for site in self.sites}) == 1:
                return
            for site in self.sites:
                site.rest()
        raise AssertionError("the servers disagree for ever")

    def look(self, person: int | None) -> dict[str, Any]:
        token = None if person is None else self.tokens.get(person)
        table = self.live(self.name)
        visitor = table.state.visitor(Caller(None if token is None else hash_token(token)))
        view = view_table(table, visitor)
        return document(view, "") | {"votes": view.takeover_votes, "left": view.times_left}

    def leave_alone(self, seat: int) -> bool:
        if len(self.sites) > 1:
            return False  # the other server has reported the player
        self.live(self.name).presence.last_seen[seat] = -inf
        return True

    def pass_time(self, seconds: float) -> None:
        for site in self.sites:
            site.app.state.tables.store._up += seconds

    def restart(self) -> bool:
        if len(self.sites) > 1:
            return False
        self.site.__exit__()
        self.sites = [self.open()]
        self.site = self.sites[0]
        return True

    def close(self) -> bool:
        for site in self.sites:
            site.__exit__()
        self.patch.undo()
        return True


class FileMachine(TableMachine):
    """Random actions at a server with a file."""

    tolerance = 1e-3
    fails = False

    def make_driver(self) -> Driver:
        self.folder = TemporaryDirectory()
        return HttpDriver(self.folder.name, fails=self.fails)

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "folder"):
            self.folder.cleanup()


class FailingMachine(FileMachine):
    """Random actions at a server whose store fails at every few writes."""

    fails = True


SETTINGS = settings(
    max_examples=thorough(40, 1000), stateful_step_count=thorough(25, 50), deadline=None
)

TestFile = FileMachine.TestCase
TestFile.settings = SETTINGS

TestFailingFile = FailingMachine.TestCase
TestFailingFile.settings = SETTINGS


def test_two_servers(cluster: Cluster) -> None:
    """Two servers of one database act in turn."""
    from hypothesis.stateful import run_state_machine_as_test

    numbers = count()

    class TwoServers(TableMachine):
        tolerance = inf  # the servers adopt the time of the database

        def make_driver(self) -> Driver:
            return HttpDriver(cluster.place(f"machine{next(numbers)}"), servers=2)

    run_state_machine_as_test(
        TwoServers,
        settings=settings(
            max_examples=examples(60), stateful_step_count=thorough(20, 40), deadline=None
        ),
    )
