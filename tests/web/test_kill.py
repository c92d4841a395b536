"""Nothing lost: a server that is killed at any moment has every move that anybody saw."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from tests.sizes import thorough
from tests.web.server import BUSY, Server
from tests.web.wire import Clients, Made

TABLES, STREAMS = 8, 2


class Game:
    """A table that is played on through any number of servers, and all that was ever seen of it.

    Attributes:
        seen: per version what was told, by streams and answers; it never changes.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.rules = QuaternityRules(Settings(4, 3, 3))
        self.position = self.rules.start(self.random)
        self.version = 0
        self.seen: dict[int, str] = {}
        self.last = [0] * STREAMS
        self.table: Made

    async def open(self, clients: Clients) -> None:
        """Sit down."""
        settings = {"set_size": 4, "sets": 3, "players": 3}
        self.table = await clients.table("quaternity", settings, ["me", "open", "open"])

    async def play(self, clients: Clients, made: Any) -> None:
        """Look on, and move until the server is gone or the game over; `made()` after each move.

        The same move with the same id is made again until it is answered.
        """
        for number in range(STREAMS):
            await clients.stream(self.table, number or None, self._told(number), self.last[number])
        line = await clients.line()
        while acting := self.rules.to_act(self.position):
            seat = acting[0]
            random = Random(f"{self.table.name}/{self.version}")
            move = random.choice(list(self.rules.moves(self.rules.view(self.position, seat))))
            document = {"version": self.version, "id": str(self.version),
                        "move": self.rules.write(move)}  # fmt: skip
            answer = await line.ask(
                "POST", self.table.path("/moves"), document, self.table.tokens[seat]
            )
            assert answer.status == 200, answer
            assert answer.json["version"] == self.version + 1
            self.position = self.rules.after(self.position, seat, move)
            self.version += 1
            made()

    def _told(self, number: int) -> Any:
        return told_in_order(self.last, number, self.seen)

    async def check(self, clients: Clients) -> None:
        """What was answered or told is there."""
        line = await clients.line()
        answer = await line.ask("GET", self.table.path(), token=self.table.tokens[0])
        assert answer.status == 200, answer
        version = answer.json["version"]
        assert version >= max(self.version, *self.seen, 0)
        assert version <= self.version + 1, "more was played than was sent"
        record = await line.ask("GET", self.table.path("/record"), token=self.table.tokens[0])
        replay = self.rules.replay(record.body)
        assert len(replay.moves) == version
        assert replay.positions[self.version] == self.position


def told_in_order(last: list[int], number: int, seen: dict[int, str]) -> Any:
    """What hears a stream: events come without a gap, and those that were seen never change.

    Args:
        last: per stream the last version that it told.
    """

    def told(kind: str, name: str, data: str) -> None:
        if kind == "move" and int(name):
            version = int(name)
            assert version <= last[number] + 1, "an event is missing"
            last[number] = max(version, last[number])
            assert seen.setdefault(version, data) == data, "a move has changed"

    return told


class Programs:
    """A table of programs, on which one looks through any number of servers."""

    def __init__(self) -> None:
        self.seen: dict[int, str] = {}
        self.last = [0]
        self.table: Made

    async def open(self, clients: Clients) -> None:
        """A game that lasts."""
        settings = {"players": 4, "sets": 20}
        self.table = await clients.table("kwartet", settings, ["random"] * 4)

    async def look(self, clients: Clients) -> None:
        """From where one was; the table has all that was told, and goes on."""
        line = await clients.line()
        answer = await line.ask("GET", self.table.path())
        assert answer.json["version"] >= self.last[0]
        if answer.json["outcome"]:
            self.seen, self.last = {}, [0]
            await self.open(clients)
        told = told_in_order(self.last, 0, self.seen)
        await clients.stream(self.table, None, told, self.last[0])


class Club:
    """All tables of a test, those whose game is over as well."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.games = [self.game() for _ in range(TABLES)]
        self.over: list[Game] = []
        self.programs = [Programs() for _ in range(thorough(0, 2))]

    def game(self) -> Game:
        """A new game."""
        return Game(self.random.randrange(1 << 30))

    async def open(self, server: Server) -> None:
        """Sit down at all tables."""
        async with Clients(server.host) as clients:
            for game in self.games:
                await game.open(clients)
            for one in self.programs:
                await one.open(clients)

    async def play_until_killed(self, server: Server) -> None:
        """Play on, until the server is killed in the middle of some moves."""
        left = self.random.randrange(1, 12 * TABLES)

        def made() -> None:
            nonlocal left
            left -= 1
            if not left:
                server.process.kill()

        async with Clients(server.host) as clients:
            await asyncio.gather(*(game.check(clients) for game in self.games))
            for number, game in enumerate(self.games):
                if not game.rules.to_act(game.position):
                    self.over.append(game)
                    self.games[number] = self.game()
                    await self.games[number].open(clients)
            await asyncio.gather(*(one.look(clients) for one in self.programs))
            playing = [game.play(clients, made) for game in self.games]
            ends = await asyncio.gather(*playing, return_exceptions=True)
        for end in ends:
            if end is not None and not isinstance(end, ConnectionError):
                raise end

    async def check(self, server: Server) -> None:
        """Everything is there in the end."""
        async with Clients(server.host) as clients:
            for game in (*self.over, *self.games):
                await game.check(clients)


def played_through(server: Server, kills: int) -> int:
    """Kill a server so many times; the number of moves that were seen."""
    club = Club(kills)
    with server:
        asyncio.run(club.open(server))
        for _ in range(kills):
            asyncio.run(club.play_until_killed(server))
            server.kill()
            server.start()
        asyncio.run(club.check(server))
        assert server.stop() == 0
    assert "Traceback" not in server.log.read_text()
    return sum(len(game.seen) for game in (*club.over, *club.games))


def test_a_killed_server_goes_on_where_it_was(tmp_path: Any) -> None:
    assert played_through(Server(tmp_path / "data", *BUSY), thorough(1, 20)) > 0


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing(tmp_path: Any) -> None:
    assert played_through(Server(tmp_path / "data", *BUSY), 200) > 1000
