"""Several servers with the same tables: one history, wherever somebody asks; one may die."""

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
from quaternity.web.admission import Admission
from quaternity.web.app import app
from quaternity.web.neighbours import AGAIN_SECONDS, Neighbours
from quaternity.web.store import Presence, Store
from quaternity.web.table import ABSENT_SECONDS, GONE_SECONDS
from tests.sizes import thorough
from tests.web.cluster import Cluster
from tests.web.server import BUSY, Server
from tests.web.site import Listening, Site
from tests.web.test_api import Table
from tests.web.test_hammering import SMALL, Told
from tests.web.test_stores import LIMITS
from tests.web.test_stores import until as asked_until
from tests.web.test_waiting import room
from tests.web.wire import Answer, Clients, Line, Made

QUARTO: dict[str, Any] = {}

Result = TypeVar("Result")


@pytest.fixture(scope="module")
def servers(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two servers with one database, each one process, for tests that leave them running."""
    folder = tmp_path_factory.mktemp("neighbours")
    with ExitStack() as opened:
        with pytest.MonkeyPatch.context() as patch:
            both = [opened.enter_context(server) for server in two(cluster, folder, patch)]
        yield both
        for server in both:
            assert server.stop() == 0
            assert "Traceback" not in server.log.read_text()


def two(cluster: Cluster, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Server]:
    place = cluster.place(folder.name)
    monkeypatch.setattr("quaternity.web.stores.place_of", lambda data: place)
    return [Server(folder / f"server{number}", "--processes", "1", *BUSY) for number in range(2)]


async def until(act: Callable[[], Any]) -> None:
    """Ask until something is so."""
    async with asyncio.timeout(60):
        while not await act():
            await asyncio.sleep(0)


async def post(line: Line, table: Made, what: str, seat: int, **sent: Any) -> Answer:
    return await line.ask("POST", table.path(f"/{what}"), sent, table.tokens[seat])


async def look(line: Line, table: Made, seat: int | None = 0) -> Any:
    token = None if seat is None else table.tokens[seat]
    answer = await line.ask("GET", table.path(), token=token)
    assert answer.status == 200, answer
    return answer.json


def run(servers: list[Server], what: Any) -> None:
    async def all_of_it() -> None:
        async with Clients(servers[0].host) as first, Clients(servers[1].host) as second:
            await what(first, second)

    asyncio.run(all_of_it())


class Hall:
    """What servers know of each other, as if by a database, and the time that they go by."""

    def __init__(self) -> None:
        self.now, self.told = 1000.0, dict[tuple[str, int, str], tuple[float, Presence]]()


class Member:
    """A store of which nothing is wanted but who is there."""

    def __init__(self, hall: Hall, name: str) -> None:
        self.hall, self.name, self._heard = hall, name, 0.0

    def uptime(self) -> float:
        return self.hall.now + 77

    def exchange(self, here: Sequence[Presence], used: Any) -> tuple[list[Presence], Any]:
        for come in here:
            told = self.hall.now, come._replace(server=self.name)
            self.hall.told[come.table, come.seat, self.name] = told
        heard, self._heard = self._heard, self.hall.now - 2
        told_since = (come for at, come in self.hall.told.values() if at > heard)
        return [come for come in told_since if come.server != self.name], {}


class Met:
    """Some servers with one table, which meet each second."""

    def __init__(self, folder: Path, opened: ExitStack) -> None:
        self.hall, self.sites, self.last = Hall(), list[Site](), dict[int, float]()
        for number in range(3):
            if number:
                copytree(folder / "0", folder / str(number))
            self.sites.append(opened.enter_context(Site(app(str(folder / str(number))))))
            if not number:
                self.table = Table(self.sites[0])
        self.neighbours = [
            Neighbours(cast("Store", Member(self.hall, name)), Admission()) for name in "abc"
        ]
        self.live = [
            site.run(site.app.state.tables.open(self.table.made["table"])) for site in self.sites
        ]
        self.streams: dict[tuple[int, int], Listening] = {}
        self.hall.now += 1

    def second(self, *numbers: int) -> None:
        self.hall.now += 1
        for number in 2 * numbers:  # once to tell, and once to hear those who came later
            self.sites[number].run(self.neighbours[number].meet([self.live[number]]))

    def come(self, number: int, seat: int, stays: bool) -> None:
        """Have somebody ask a server, or listen there until they leave again."""
        path, token = self.table.path, self.table.tokens[seat]
        if not stays:
            assert self.sites[number].ask("GET", path, token=token).status == 200
        elif (number, seat) in self.streams:
            self.streams.pop((number, seat)).leave()
        else:
            self.streams[number, seat] = self.sites[number].listen(f"{path}/events", token)
        self.sites[number].rest()

    def check(self) -> None:
        """Who is there is there for all; who is seen somewhere else is told of each ten seconds."""
        for seat in range(3):
            listens = any(there == seat for _, there in self.streams)
            self.last[seat] = self.hall.now if listens else self.last.get(seat, 1000.0)
            unseen = self.hall.now - self.last[seat]
            for live in self.live:
                assert (seat in live.streaming()) == listens
                if unseen < GONE_SECONDS - AGAIN_SECONDS:
                    assert live.is_present(seat)
                    assert not live.is_absent(seat)
                elif unseen > GONE_SECONDS + 1:
                    assert not live.is_present(seat)
                    assert live.is_absent(seat) == (unseen >= ABSENT_SECONDS) or (
                        ABSENT_SECONDS - AGAIN_SECONDS < unseen < ABSENT_SECONDS + 1
                    )


@pytest.fixture
def met(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Met]:
    with ExitStack() as opened:
        held: list[Met] = []
        for room in ("table", "tables", "neighbours"):
            now = lambda: held[0].hall.now if held else 1000.0  # noqa: E731
            monkeypatch.setattr(f"quaternity.web.{room}.monotonic", now)
        held.append(Met(tmp_path, opened))
        yield held[0]


def test_who_is_at_one_server_is_there_for_all(met: Met) -> None:
    random = Random(4)
    for seat in range(3):
        met.come(seat, seat, False)
        met.last[seat] = met.hall.now
    for _ in range(thorough(400, 4000)):
        if random.random() < 0.04:
            number, seat, stays = random.randrange(3), random.randrange(3), random.random() < 0.7
            met.come(number, seat, stays)
            met.last[seat] = met.hall.now
        met.second(0, 1, 2)
        met.check()


def test_a_server_that_tells_nothing_for_thirty_seconds_has_ended(met: Met) -> None:
    met.come(1, 1, True)
    met.second(0, 1, 2)
    for _ in range(50):  # who stays is told of every ten seconds
        met.second(0, 1, 2)
        met.check()
    met.second(0, 2)  # who has met before it still hears what it told last
    name, told = met.table.made["table"], met.neighbours[0].of(met.table.made["table"])[1].seen
    while met.hall.now < told + 200:
        met.second(0, 2)
        for number in (0, 2):
            passed = met.hall.now - told
            assert (1 in met.live[number].streaming()) == (passed < 30)
            assert bool(met.neighbours[number].of(name)) == (passed <= ABSENT_SECONDS)


def test_whoever_hammers_two_servers_finds_one_history(servers: list[Server]) -> None:
    """All move in the same position through both; streams of both tell each move once."""

    async def hammer(first: Clients, second: Clients) -> None:
        both = [first, second]
        random = Random(5)
        statuses: Counter[int] = Counter()
        for _ in range(thorough(1, 6)):
            table = await first.table("quaternity", SMALL, ["me", "open", "open"])
            told = [Told() for _ in both]
            for clients, each in zip(both, told, strict=True):
                await clients.stream(table, None, each)
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
            for each in told:
                await asyncio.wait_for(each.reach(version), 60)
            views = [(await look(await clients.line(), table))["view"] for clients in both]
            assert views[0] == views[1]
        assert statuses.keys() == {200, 409}

    run(servers, hammer)


def test_who_sits_and_what_is_agreed_is_the_same_everywhere(servers: list[Server]) -> None:
    async def sit(first: Clients, second: Clients) -> None:
        here, there = await first.line(), await second.line()
        table = await first.table("quarto", QUARTO, ["me", "open"])
        told: list[tuple[str, str]] = []
        await second.stream(table, 1, lambda kind, name, data: told.append((kind, data)))

        async def present() -> bool:
            return bool((await look(here, table))["seats"][1]["present"])

        await until(present)  # a stream at one server is seen at the other
        for version in range(3):
            line = (here, there)[version % 2]

            async def arrived(line: Line = line, version: int = version) -> bool:
                return bool((await look(line, table))["version"] == version)

            await until(arrived)
            shown = await look(line, table, None)
            seat = shown["to_act"][0]
            moves = (await look(line, table, seat))["moves"]
            answer = await post(line, table, "moves", seat, version=version, id=str(version),
                                move=moves[0])  # fmt: skip
            assert answer.status == 200, answer
            # The same again at the other is the same move.
            other = (there, here)[version % 2]
            again = await post(other, table, "moves", seat, version=version, id=str(version),
                               move=moves[0])  # fmt: skip
            assert (again.status, again.json) == (200, answer.json)
        assert (await post(here, table, "undo", 0, version=3, agree=True)).status == 200
        taken = await post(there, table, "undo", 1, version=3, agree=True)
        assert (taken.status, taken.json["version"]) == (200, 4)

        async def undone() -> bool:
            return (await look(here, table))["version"] == 4 and "move" in dict(told)

        await until(undone)
        assert (await post(here, table, "reactions", 0, reaction="👏")).status == 200

        async def shown_there() -> bool:
            return any(kind == "reaction" for kind, _ in told)

        await until(shown_there)

    run(servers, sit)


def test_a_move_after_what_one_server_answered_is_played_at_another(
    servers: list[Server], cluster: Cluster
) -> None:
    """Even before the other has heard of it."""
    place = cluster.place("postgres")
    deaf = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
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
                    await asyncio.to_thread(cluster.execute, place, deaf)
                answer = await post(lines[version % 2], table, "moves", acting[0], **sent)
                version += 1
                assert (answer.status, answer.json["version"]) == (200, version)
                position = rules.after(position, acting[0], move)

    run(servers, play)


def test_who_changes_the_seat_at_another_server_is_seen_where_they_are(cluster: Cluster) -> None:
    place, cookie = cluster.place("seats"), {"cookie": "quaternity=" + "y" * 22}
    with Site(app(place, limits=LIMITS)) as here, Site(app(place, limits=LIMITS)) as there:
        table = room(here)
        link = {"invitation": table.made["invitation"]}
        token = here.ask("POST", "/api/seats", link | {"seat": 1}, headers=cookie).json["token"]
        there.listen(f"{table.path}/events", token)

        def present(site: Site) -> list[bool]:
            return [seat["present"] for seat in site.ask("GET", table.path).json["seats"]]

        def until_present(*seats: bool) -> None:
            asked_until(lambda: present(here) == present(there) == [False, *seats])

        until_present(True, False)
        assert here.ask("POST", "/api/seats", link | {"seat": 2}, headers=cookie).status == 201
        until_present(False, True)


class Both:
    """A table that two servers have, and who listens at each of them."""

    def __init__(self, here: Site, there: Site, table: Table) -> None:
        self.here, self.there, self.table = here, there, table
        self.live = here.run(here.app.state.tables.open(table.made["table"]))
        self.streams = [site.listen(f"{table.path}/events", None) for site in (here, there)]
        heard_until(here, there, lambda: all(map(kinds, self.streams)))

    def do(self, what: str) -> Any:
        """Have something done at the first server; the answer."""
        table, first = self.table, next(iter(self.live.to_act), 0)
        if what == "move":
            return table.move(first, table.look(first)["moves"][0])
        if what == "seat":
            self.live.seen[1 - first] = -inf
            player = "open" if self.live.seats[1 - first].kind == "person" else "random"
            return table.post(first, "hand-over", seat=1 - first, player=player)
        if what == "undo":
            return table.post(0, "undo", version=self.live.version, agree=True)
        if what == "come":
            sent = {"invitation": table.made["invitation"], "name": "Ben"}
            return self.here.ask("POST", "/api/seats", sent)
        return table.post(0, what, **({"text": "x"} if what == "talk" else {}))

    def look(self, site: Site) -> Any:
        """What a bystander is shown there; who is at another server is not known at once."""
        seen = site.ask("GET", self.table.path).json
        for seat in seen["seats"]:
            del seat["present"]
        del seen["thinking"]  # a program thinks at one of them
        return seen

    def agree(self) -> bool:
        """Whether both heard the same, and show the same; that somebody agrees is all of a seat."""
        heard = [kinds(stream) for stream in self.streams]
        if b"undo" in heard[0]:
            heard[0] = heard[0] - {b"undo"} | {b"seats"}
        return heard[0] - {b"seats"} == heard[1] - {b"seats"} and (
            heard[0] | heard[1] == heard[1] and self.look(self.here) == self.look(self.there)
        )

    def leave(self) -> None:
        for stream in self.streams:
            stream.leave()


def test_whoever_listens_hears_the_same_at_every_server(cluster: Cluster) -> None:
    """Also where more has happened before a server has heard of the first of it."""
    quarto = {"game": "quarto", "settings": {}, "chat": True}
    with Site(app(cluster.place("heard"))) as here, Site(app(cluster.place("heard"))) as there:
        for what in product(("move", "seat", "talk", "undo"), repeat=2):
            if what[0] == "undo":
                continue  # there is nothing to take back
            both = Both(here, there, Table(here, seats=["me", "me"], **quarto))
            for each in what:
                assert both.do(each).status in (200, 409)
            heard_until(here, there, both.agree)
            both.leave()
        for doing in (["again"], ["move", "again"]):
            both = Both(here, there, Table(here, seats=["me", "easy"], **quarto))
            both.live.wake = lambda: None  # no program is so quick
            for each in doing:
                assert both.do(each).status in (200, 201)
            heard_until(here, there, lambda at=both: kinds(at.streams[1]) >= {b"again"})  # type: ignore[misc]
            both.leave()
        for doing in (["come"], ["start"], ["come", "start"]):
            seats = ["me", "open", "open"] if "come" in doing else ["me", "open"]
            game = {"game": "set", "settings": {"seats": 3}, "chat": True}
            wanted = game if "come" in doing else quarto
            both = Both(here, there, Table(here, seats=seats, **wanted))
            for each in doing:
                assert both.do(each).status in (200, 201)
            begun = {b"start"} if "start" in doing else {b"seats"}
            heard_until(here, there, lambda at=both, b=begun: kinds(at.streams[1]) >= b)  # type: ignore[misc]
            heard_until(here, there, lambda at=both: at.look(here) == at.look(there))  # type: ignore[misc]
            both.leave()


def kinds(stream: Listening) -> set[bytes]:
    return set(re.findall(rb"event: (\w+)", b"".join(stream.parts[1:])))


def heard_until(here: Site, there: Site, act: Callable[[], bool]) -> None:
    """Let two servers work until something is so."""

    def heard() -> bool:
        here.rest()
        there.rest()
        return act()

    asked_until(heard)


def test_a_seat_and_a_link_are_given_once(servers: list[Server]) -> None:
    """Of all who come at once through both servers one sits down; who lost the seat is nobody."""

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
                # Also where another server has moved the seat, as soon as it is heard; before that
                # there is nothing to take back.
                undo, status = {"version": 0, "agree": True}, 409
                async with asyncio.timeout(60):
                    while status == 409:
                        status = (await line.ask("POST", f"{path}/undo", undo, old)).status
                assert status == 403

    run(servers, come)


def test_programs_move_once_and_go_on_when_their_server_dies(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = two(cluster, tmp_path, monkeypatch)
    for server in (first, second):
        slow = "kwartet.slow=tests.table.misbehaving:Slow"
        server.options = (*server.options, "--players", slow)

    async def watch() -> None:
        async with Clients(first.host) as here, Clients(second.host) as there:
            table = await here.table("kwartet", {"players": 4, "sets": 20}, ["slow"] * 4)
            versions, more = list[int](), asyncio.Event()

            def hear(kind: str, name: str, data: str) -> None:
                if kind == "move" and int(name):
                    assert not versions or int(name) == versions[-1] + 1  # once, and in order
                    versions.append(int(name))
                    more.set()

            async def heard(count: int) -> None:
                async with asyncio.timeout(60):
                    while len(versions) < count:
                        more.clear()
                        await more.wait()

            await here.stream(table, None, lambda *_: None)
            await there.stream(table, None, hear)
            await heard(3)
            first.kill()
            line = await there.line()
            await look(line, table, None)  # as a page does that comes back
            await heard(len(versions) + 5)
            assert (await look(line, table, None))["version"] >= versions[-1]

    with first, second:
        asyncio.run(watch())
        assert second.stop() == 0
        assert "Traceback" not in second.log.read_text()


def test_budgets_hold_for_all_servers_together(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = two(cluster, tmp_path, monkeypatch)
    for server in servers:
        server.options = (*server.options, "--limit", "tables=30")

    async def make(first: Clients, second: Clients) -> None:
        lines = [await first.line(), await second.line()]
        wanted = {"game": "quarto", "settings": {}, "seats": ["me", "open"]}
        assert [(await lines[0].ask("POST", "/api/tables", wanted)).status for _ in range(29)] == (
            [201] * 29
        )

        async def refused() -> bool:
            return (await lines[1].ask("POST", "/api/tables", wanted)).status == 429

        tries = 0

        async def counted() -> bool:
            nonlocal tries
            tries += 1
            return await refused()

        await until(counted)
        assert tries < 100

    with servers[0], servers[1]:
        run(servers, make)


def test_processes_of_one_port_die_one_by_one_and_nothing_is_lost(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moves that were answered are there, whichever process is killed; streams go on."""
    place = cluster.place(tmp_path.name)
    monkeypatch.setattr("quaternity.web.stores.place_of", lambda data: place)
    random, rules = Random(2), QuaternityRules(Settings(4, 3, 3))
    server = Server(tmp_path / "server", *BUSY)

    async def play() -> None:
        async with Clients(server.host) as clients:
            for _ in range(thorough(1, 30)):
                seats = ["me", "open", "open"]
                table = await persisted(clients.table, "quaternity", SMALL, seats)
                position, version = rules.start(random), 0
                while acting := rules.to_act(position):
                    if random.random() < 0.1:
                        with suppress(ProcessLookupError):  # it was killed before
                            os.kill(random.choice(children(server.process.pid)), signal.SIGKILL)
                    move = random.choice(list(rules.moves(rules.view(position, acting[0]))))
                    sent = {"version": version, "id": str(version), "move": rules.write(move)}
                    token = table.tokens[acting[0]]
                    answer = await persisted(
                        asked_anew, clients, "POST", table.path("/moves"), sent, token
                    )
                    assert answer.status == 200, answer
                    version += 1
                    assert answer.json["version"] == version
                    position = rules.after(position, acting[0], move)
                told = None
                async with asyncio.timeout(60):
                    while told != position:  # another process hears the last move a moment later
                        record = await persisted(
                            asked_anew, clients, "GET", table.path("/record"), None, table.tokens[0]
                        )
                        told = rules.replay(record.body).positions[-1]

    with server:
        asyncio.run(play())
        assert server.stop() == 0
    assert "Traceback" not in server.log.read_text()


async def asked_anew(clients: Clients, *request: Any) -> Answer:
    """Ask on a new connection, which any process may take."""
    line = await clients.line()
    answer = await line.ask(*request)
    line.transport.close()
    return answer


async def persisted(act: Callable[..., Awaitable[Result]], *given: Any) -> Result:
    """Try again when the process that was asked has died."""
    async with asyncio.timeout(60):
        while True:
            with suppress(OSError):
                return await act(*given)
            await asyncio.sleep(0)


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def test_processes_end_with_the_one_that_started_them(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = cluster.place(tmp_path.name)
    monkeypatch.setattr("quaternity.web.stores.place_of", lambda data: place)
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
