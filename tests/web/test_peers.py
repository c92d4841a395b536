"""Several servers of one database: they have one history, and each of them may fail."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from itertools import product
from math import inf
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any, TypeVar, cast

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.web.app import app
from quaternity.web.changes import Presence
from quaternity.web.peers import PRESENCE_REFRESH_SECONDS, Peers
from quaternity.web.presence import ABSENCE_LIMIT_SECONDS, PRESENCE_TIMEOUT_SECONDS
from quaternity.web.rate_limits import RateLimits
from quaternity.web.store import Store
from tests.limits import limited
from tests.sizes import thorough
from tests.web.cluster import Cluster
from tests.web.server import BUSY, Server
from tests.web.site import Listening, Site
from tests.web.tables import Table
from tests.web.test_hammering import SMALL, StreamChecker
from tests.web.test_open_store import LIMITS, wait_until
from tests.web.test_waiting import make_lobby
from tests.web.wire import Answer, Clients, Line, Made

Result = TypeVar("Result")


@pytest.fixture(scope="module")
def servers(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Run two servers of one database, one process each, for tests that leave them running."""
    folder = tmp_path_factory.mktemp("neighbours")
    with ExitStack() as opened:
        with pytest.MonkeyPatch.context() as patch:
            both = [opened.enter_context(server) for server in make_servers(cluster, folder, patch)]
        yield both
        for server in both:
            assert server.stop() == 0
            assert "Traceback" not in server.log.read_text()


def make_servers(cluster: Cluster, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Server]:
    place = cluster.place(folder.name)
    monkeypatch.setattr("quaternity.web.open_store.place_of", lambda data: place)
    return [Server(folder / f"server{number}", "--processes", "1", *BUSY) for number in range(2)]


async def until(act: Callable[[], Any]) -> None:
    """Repeat an action until it returns true."""
    async with asyncio.timeout(60):
        while not await act():
            await asyncio.sleep(0)


async def post(line: Line, table: Made, action: str, seat: int, **sent: Any) -> Answer:
    return await line.ask("POST", table.path(f"/{action}"), sent, table.tokens[seat])


async def look(line: Line, table: Made, seat: int | None = 0) -> Any:
    token = None if seat is None else table.tokens[seat]
    answer = await line.ask("GET", table.path(), token=token)
    assert answer.status == 200, answer
    return answer.json


def run(servers: list[Server], act: Any) -> None:
    async def run_all() -> None:
        async with Clients(servers[0].host) as first, Clients(servers[1].host) as second:
            await act(first, second)

    asyncio.run(run_all())


class SharedState:
    """What servers know of each other, in place of a database, and the time that they use."""

    def __init__(self) -> None:
        self.now, self.reports = 1000.0, dict[tuple[str, int, str], tuple[float, Presence]]()


class StubStore:
    """A store that only exchanges presence."""

    def __init__(self, shared: SharedState, name: str) -> None:
        self.shared, self.name, self._heard = shared, name, 0.0

    @property
    def sharing(self) -> StubStore:
        return self

    def uptime(self) -> float:
        return self.shared.now + 77

    def exchange(self, own: Sequence[Presence], used: Any) -> tuple[list[Presence], Any]:
        for presence in own:
            report = self.shared.now, presence._replace(server=self.name)
            self.shared.reports[presence.table, presence.seat, self.name] = report
        since, self._heard = self._heard, self.shared.now - 2
        recent = (presence for at, presence in self.shared.reports.values() if at > since)
        return [presence for presence in recent if presence.server != self.name], {}


class LinkedServers:
    """Servers with one table, which exchange presence every second."""

    def __init__(self, folder: Path, opened: ExitStack) -> None:
        self.shared, self.sites, self.last = SharedState(), list[Site](), dict[int, float]()
        for number in range(3):
            if number:
                copytree(folder / "0", folder / str(number))
            self.sites.append(opened.enter_context(Site(app(str(folder / str(number))))))
            if not number:
                self.table = Table(self.sites[0])
        self.neighbours = [
            Peers(cast("Store", StubStore(self.shared, name)), RateLimits()) for name in "abc"
        ]
        self.live = [
            site.run(site.app.state.tables.live.open(self.table.made["table"]))
            for site in self.sites
        ]
        self.streams: dict[tuple[int, int], Listening] = {}
        self.shared.now += 1

    def pass_second(self, *numbers: int) -> None:
        self.shared.now += 1
        for number in 2 * numbers:  # once to report, and once to receive the reports of others
            self.sites[number].run(self.neighbours[number].meet([self.live[number]]))

    def visit(self, number: int, seat: int, stays: bool) -> None:
        """Send a request for a seat, or open or close a stream of it."""
        path, token = self.table.path, self.table.tokens[seat]
        if not stays:
            assert self.sites[number].ask("GET", path, token=token).status == 200
        elif (number, seat) in self.streams:
            self.streams.pop((number, seat)).leave()
        else:
            self.streams[number, seat] = self.sites[number].listen(f"{path}/events", token)
        self.sites[number].rest()

    def check(self) -> None:
        """Check that servers agree on who is present, up to the ten seconds between two reports."""
        for seat in range(3):
            listens = any(stream_seat == seat for _, stream_seat in self.streams)
            self.last[seat] = self.shared.now if listens else self.last.get(seat, 1000.0)
            unseen = self.shared.now - self.last[seat]
            for live in self.live:
                present, absent = live.attendance()
                assert (seat in live.presence.streaming()) == listens
                if unseen < PRESENCE_TIMEOUT_SECONDS - PRESENCE_REFRESH_SECONDS:
                    assert seat in present
                    assert seat not in absent
                elif unseen > PRESENCE_TIMEOUT_SECONDS + 1:
                    assert seat not in present
                    assert (seat in absent) == (unseen >= ABSENCE_LIMIT_SECONDS) or (
                        ABSENCE_LIMIT_SECONDS - PRESENCE_REFRESH_SECONDS
                        < unseen
                        < ABSENCE_LIMIT_SECONDS + 1
                    )


@pytest.fixture
def trio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LinkedServers]:
    with ExitStack() as opened:
        created: list[LinkedServers] = []
        for module in ("presence", "live_tables", "peers"):
            now = lambda: created[0].shared.now if created else 1000.0  # noqa: E731
            monkeypatch.setattr(f"quaternity.web.{module}.monotonic", now)
        created.append(LinkedServers(tmp_path, opened))
        yield created[0]


def test_a_player_at_one_server_is_present_at_all_of_them(trio: LinkedServers) -> None:
    random = Random(4)
    for seat in range(3):
        trio.visit(seat, seat, False)
        trio.last[seat] = trio.shared.now
    for _ in range(thorough(400, 4000)):
        if random.random() < 0.04:
            number, seat, stays = random.randrange(3), random.randrange(3), random.random() < 0.7
            trio.visit(number, seat, stays)
            trio.last[seat] = trio.shared.now
        trio.pass_second(0, 1, 2)
        trio.check()


def test_a_server_that_is_silent_for_thirty_seconds_has_ended(trio: LinkedServers) -> None:
    trio.visit(1, 1, True)
    trio.pass_second(0, 1, 2)
    for _ in range(50):  # a stream is reported every ten seconds
        trio.pass_second(0, 1, 2)
        trio.check()
    trio.pass_second(0, 2)  # the last report of the server is still received
    name, last = trio.table.made["table"], trio.neighbours[0].of(trio.table.made["table"])[1].seen
    while trio.shared.now < last + 200:
        trio.pass_second(0, 2)
        for number in (0, 2):
            passed = trio.shared.now - last
            assert (1 in trio.live[number].presence.streaming()) == (passed < 30)
            assert bool(trio.neighbours[number].of(name)) == (passed <= ABSENCE_LIMIT_SECONDS)


def test_clients_that_hammer_two_servers_find_one_history(servers: list[Server]) -> None:
    """All move in the same position by both servers; streams of both report each move once."""

    async def hammer(first: Clients, second: Clients) -> None:
        both = [first, second]
        random = Random(5)
        statuses: Counter[int] = Counter()
        for _ in range(thorough(1, 6)):
            table = await first.table("quaternity", SMALL, ["me", "open", "open"])
            checkers = [StreamChecker() for _ in both]
            for clients, checker in zip(both, checkers, strict=True):
                await clients.stream(table, None, checker)
            lines = [await both[number % 2].line() for number in range(thorough(8, 50))]
            rules = QuaternityRules(Settings(4, 3, 3))
            position, version = rules.start(random), 0
            while acting := rules.to_act(position):
                moves = list(rules.moves(rules.view(position, acting[0])))
                tried = [random.choice(moves) for _ in lines]

                answers = await asyncio.gather(
                    *(
                        post(line, table, "moves", acting[0], version=version,
                             id=f"{number}-{version}", move=rules.write(move))
                        for number, (line, move) in enumerate(zip(lines, tried, strict=True))
                    )
                )  # fmt: skip
                statuses.update(answer.status for answer in answers)
                made = [number for number, answer in enumerate(answers) if answer.status == 200]
                assert len(made) == 1, "one of them is made"
                position = rules.after(position, acting[0], tried[made[0]])
                version += 1
            for checker in checkers:
                await asyncio.wait_for(checker.reach(version), 60)
            views = [(await look(await clients.line(), table))["view"] for clients in both]
            assert views[0] == views[1]
        assert statuses.keys() == {200, 409}

    run(servers, hammer)


def test_a_move_answered_by_one_server_is_followed_by_one_at_another(
    servers: list[Server], cluster: Cluster
) -> None:
    """This holds even before the other server has learned of it."""
    place = cluster.place("postgres")
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
    random, rules = Random(3), QuaternityRules(Settings(4, 3, 3))

    async def play(first: Clients, second: Clients) -> None:
        lines = [await first.line(), await second.line()]
        for _ in range(thorough(1, 20)):
            table = await first.table("quaternity", SMALL, ["me", "open", "open"])
            position, version = rules.start(random), 0
            while acting := rules.to_act(position):
                move = random.choice(list(rules.moves(rules.view(position, acting[0]))))
                sent = {"version": version, "id": str(version), "move": rules.write(move)}
                if not version % 5:
                    await asyncio.to_thread(cluster.execute, place, cut)
                answer = await post(lines[version % 2], table, "moves", acting[0], **sent)
                version += 1
                assert (answer.status, answer.json["version"]) == (200, version)
                position = rules.after(position, acting[0], move)

    run(servers, play)


@limited("quaternity.web.live_tables", SYNC_INTERVAL_SECONDS=0.01)
def test_a_player_who_changes_seats_at_another_server_is_present_there(cluster: Cluster) -> None:
    place, cookie = cluster.place("seats"), {"cookie": "quaternity=" + "y" * 22}
    with Site(app(place, limits=LIMITS)) as first, Site(app(place, limits=LIMITS)) as second:
        table = make_lobby(first)
        link = {"invitation": table.made["invitation"]}
        token = first.ask("POST", "/api/seats", link | {"seat": 1}, headers=cookie).json["token"]
        second.listen(f"{table.path}/events", token)

        def present(site: Site) -> list[bool]:
            return [seat["present"] for seat in site.ask("GET", table.path).json["seats"]]

        def until_present(*seats: bool) -> None:
            wait_until(lambda: present(first) == present(second) == [False, *seats])

        until_present(True, False)
        assert first.ask("POST", "/api/seats", link | {"seat": 2}, headers=cookie).status == 201
        until_present(False, True)


class SharedTable:
    """A table that two servers have, with a listener at each of them."""

    def __init__(self, first: Site, second: Site, table: Table) -> None:
        self.first, self.second, self.table = first, second, table
        self.live = first.run(first.app.state.tables.live.open(table.made["table"]))
        self.streams = [site.listen(f"{table.path}/events", None) for site in (first, second)]
        run_until(first, second, lambda: all(map(kinds, self.streams)))

    def do(self, action: str) -> Any:
        """Have an action done at the first server, and return the answer."""
        table, mover = self.table, next(iter(self.live.state.to_act), 0)
        if action == "move":
            return table.move(mover, table.look(mover)["moves"][0])
        if action == "seat":
            self.live.presence.last_seen[1 - mover] = -inf
            player = "open" if self.live.state.seats[1 - mover].kind == "person" else "random"
            return table.post(mover, "hand-over", seat=1 - mover, player=player)
        if action == "undo":
            return table.post(0, "undo", version=self.live.state.version, agree=True)
        if action == "come":
            sent = {"invitation": table.made["invitation"], "name": "Ben"}
            return self.first.ask("POST", "/api/seats", sent)
        return table.post(0, action, **({"text": "x"} if action == "talk" else {}))

    def look(self, site: Site) -> Any:
        """Return the state that a bystander sees, without presence, which servers learn later."""
        state = site.ask("GET", self.table.path).json
        for seat in state["seats"]:
            del seat["present"]
        del state["thinking"]  # a program thinks at one of the servers only
        return state

    def agree(self) -> bool:
        """Return whether both reported and show the same; `seats` may stand for an agreement."""
        sets = [kinds(stream) for stream in self.streams]
        if b"undo" in sets[0]:
            sets[0] = sets[0] - {b"undo"} | {b"seats"}
        return sets[0] - {b"seats"} == sets[1] - {b"seats"} and (
            sets[0] | sets[1] == sets[1] and self.look(self.first) == self.look(self.second)
        )

    def leave(self) -> None:
        for stream in self.streams:
            stream.leave()


def test_streams_report_the_same_at_every_server(cluster: Cluster) -> None:
    """This holds even if more has happened before a server learns of the first action."""
    quarto = {"game": "quarto", "settings": {}, "chat": True}
    with Site(app(cluster.place("heard"))) as first, Site(app(cluster.place("heard"))) as second:
        for pair in product(("move", "seat", "talk", "undo"), repeat=2):
            if pair[0] == "undo":
                continue  # there is nothing to take back
            both = SharedTable(first, second, Table(first, seats=["me", "me"], **quarto))
            for action in pair:
                assert both.do(action).status in (200, 409)
            run_until(first, second, both.agree)
            both.leave()
        for actions in (["again"], ["move", "again"]):
            both = SharedTable(first, second, Table(first, seats=["me", "easy"], **quarto))
            both.live.programs.wake = lambda: None  # the program does not move
            for action in actions:
                assert both.do(action).status in (200, 201)
            run_until(first, second, lambda at=both: kinds(at.streams[1]) >= {b"again"})  # type: ignore[misc]
            both.leave()
        for actions in (["come"], ["start"], ["come", "start"]):
            seats = ["me", "open", "open"] if "come" in actions else ["me", "open"]
            game = {"game": "set", "settings": {"seats": 3}, "chat": True}
            wanted = game if "come" in actions else quarto
            both = SharedTable(first, second, Table(first, seats=seats, **wanted))
            for action in actions:
                assert both.do(action).status in (200, 201)
            begun = {b"start"} if "start" in actions else {b"seats"}
            run_until(first, second, lambda at=both, b=begun: kinds(at.streams[1]) >= b)  # type: ignore[misc]
            run_until(first, second, lambda at=both: at.look(first) == at.look(second))  # type: ignore[misc]
            both.leave()


def kinds(stream: Listening) -> set[bytes]:
    return set(re.findall(rb"event: (\w+)", b"".join(stream.parts[1:])))


def run_until(first: Site, second: Site, act: Callable[[], bool]) -> None:
    """Run two servers until a condition holds."""

    def is_done() -> bool:
        first.rest()
        second.rest()
        return act()

    wait_until(is_done)


def test_a_seat_and_a_link_are_given_once(servers: list[Server]) -> None:
    """One of many simultaneous requests by both servers succeeds; the old token loses the seat."""

    async def come(first: Clients, second: Clients) -> None:
        for _ in range(thorough(1, 20)):
            lines = [await (first, second)[number % 2].line() for number in range(8)]
            wanted = {"game": "quaternity", "settings": SMALL, "seats": ["me", "open", "random"]}
            made = (await lines[0].ask("POST", "/api/tables", wanted)).json
            guest = {"invitation": made["seats"][1]["invitation"], "name": "somebody"}
            came = await asyncio.gather(*(line.ask("POST", "/api/seats", guest) for line in lines))
            assert sorted(answer.status for answer in came) == [201, *[409] * 7]
            table, old = made["table"], made["seats"][0]["token"]
            path = f"/api/tables/{table}"
            for line in lines[:2]:
                assert (await line.ask("GET", path, token=old)).json["seat"] == 0
            moved = await lines[0].ask("POST", f"{path}/elsewhere", {}, old)
            link = {"link": moved.json["link"]}
            spent = await asyncio.gather(
                *(line.ask("POST", "/api/seats/move", link) for line in lines)
            )
            assert Counter(answer.status for answer in spent) == {201: 1, 404: 7}
            for line in lines[:2]:
                # This also holds at a server that did not move the seat, once it has learned of it;
                # before that there is nothing to take back.
                undo, status = {"version": 0, "agree": True}, 409
                async with asyncio.timeout(60):
                    while status == 409:
                        status = (await line.ask("POST", f"{path}/undo", undo, old)).status
                assert status == 403

    run(servers, come)


def test_programs_move_once_and_go_on_when_their_server_dies(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make_servers(cluster, tmp_path, monkeypatch)
    for server in (first, second):
        slow = "kwartet.slow=tests.table.misbehaving:Slow"
        server.options = (*server.options, "--players", slow)

    async def watch() -> None:
        async with Clients(first.host) as first_clients, Clients(second.host) as second_clients:
            table = await first_clients.table("kwartet", {"players": 4, "sets": 20}, ["slow"] * 4)
            versions, more = list[int](), asyncio.Event()

            def on_event(kind: str, name: str, data: str) -> None:
                if kind == "move" and int(name):
                    assert not versions or int(name) == versions[-1] + 1  # once, and in order
                    versions.append(int(name))
                    more.set()

            async def wait_for_moves(count: int) -> None:
                async with asyncio.timeout(60):
                    while len(versions) < count:
                        more.clear()
                        await more.wait()

            await first_clients.stream(table, None, lambda *_: None)
            await second_clients.stream(table, None, on_event)
            await wait_for_moves(3)
            first.kill()
            line = await second_clients.line()
            await look(line, table, None)  # as a page does that reconnects
            await wait_for_moves(len(versions) + 5)
            line = await second_clients.line()  # the server may have closed the idle one
            assert (await look(line, table, None))["version"] >= versions[-1]

    with first, second:
        asyncio.run(watch())
        assert second.stop() == 0
        assert "Traceback" not in second.log.read_text()


def test_budgets_hold_for_all_servers_together(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = make_servers(cluster, tmp_path, monkeypatch)
    for server in servers:
        server.options = (*server.options, "--limit", "tables=30")

    async def make(first: Clients, second: Clients) -> None:
        lines = [await first.line(), await second.line()]
        wanted = {"game": "quarto", "settings": {}, "seats": ["me", "open"]}
        assert [(await lines[0].ask("POST", "/api/tables", wanted)).status for _ in range(29)] == (
            [201] * 29
        )

        async def is_refused() -> bool:
            return (await lines[1].ask("POST", "/api/tables", wanted)).status == 429

        tries = 0

        async def try_again() -> bool:
            nonlocal tries
            tries += 1
            return await is_refused()

        await until(try_again)
        assert tries < 100

    with servers[0], servers[1]:
        run(servers, make)


def test_processes_of_one_port_die_one_by_one_and_nothing_is_lost(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answered moves survive, whichever process is killed."""
    place = cluster.place(tmp_path.name)
    monkeypatch.setattr("quaternity.web.open_store.place_of", lambda data: place)
    random, rules = Random(2), QuaternityRules(Settings(4, 3, 3))
    server = Server(tmp_path / "server", *BUSY)

    async def play() -> None:
        async with Clients(server.host) as clients:
            for _ in range(thorough(1, 30)):
                seats = ["me", "open", "open"]
                table = await retry(clients.table, "quaternity", SMALL, seats)
                position, version = rules.start(random), 0
                while acting := rules.to_act(position):
                    if random.random() < 0.1:
                        with suppress(ProcessLookupError):  # it was killed before
                            os.kill(random.choice(children(server.process.pid)), signal.SIGKILL)
                    move = random.choice(list(rules.moves(rules.view(position, acting[0]))))
                    sent = {"version": version, "id": str(version), "move": rules.write(move)}
                    token = table.tokens[acting[0]]
                    answer = await retry(
                        send_once, clients, "POST", table.path("/moves"), sent, token
                    )
                    assert answer.status == 200, answer
                    version += 1
                    assert answer.json["version"] == version
                    position = rules.after(position, acting[0], move)
                recorded = None
                async with asyncio.timeout(60):
                    while recorded != position:  # another process learns of the move a moment later
                        record = await retry(
                            send_once, clients, "GET", table.path("/record"), None, table.tokens[0]
                        )
                        recorded = rules.replay(record.body).positions[-1]

    with server:
        asyncio.run(play())
        assert server.stop() == 0
    assert "Traceback" not in server.log.read_text()


async def send_once(clients: Clients, *request: Any) -> Answer:
    """Ask on a new connection, which any process may take."""
    line = await clients.line()
    answer = await line.ask(*request)
    line.transport.close()
    return answer


async def retry(act: Callable[..., Awaitable[Result]], *arguments: Any) -> Result:
    """Call a function again whenever the process that got its request has died."""
    async with asyncio.timeout(60):
        while True:
            with suppress(OSError):
                return await act(*arguments)
            await asyncio.sleep(0)


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def test_processes_end_with_the_one_that_started_them(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = cluster.place(tmp_path.name)
    monkeypatch.setattr("quaternity.web.open_store.place_of", lambda data: place)
    with Server(tmp_path / "server") as server:
        started = children(server.process.pid)
        assert len(started) == 2
        other = Server(tmp_path / "other")
        with pytest.raises(AssertionError, match=r"status 2, no link: .* in use"):
            other.start(int(server.host.partition(":")[2]))
        server.kill()

        async def gone() -> bool:
            return not any(Path(f"/proc/{pid}").exists() for pid in started)

        asyncio.run(until(gone))
