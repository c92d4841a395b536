"""Durability: a server that is killed at any moment keeps every move that a client saw."""

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
    """A table that is played on over any number of restarts, and everything that was seen of it.

    Attributes:
        seen: the event that streams reported for each version; it never changes.
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
        """Create the table and take its seats."""
        settings = {"set_size": 4, "sets": 3, "players": 3}
        self.table = await clients.table("quaternity", settings, ["me", "open", "open"])

    async def play(self, clients: Clients, after_move: Any) -> None:
        """Watch and move until the server or the game has ended; call `after_move` after each move.

        A move is repeated with the same id until it is answered.
        """
        for number in range(STREAMS):
            await clients.stream(self.table, number or None, self._check(number), self.last[number])
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
            after_move()

    def _check(self, number: int) -> Any:
        return stream_checker(self.last, number, self.seen)

    async def check(self, clients: Clients) -> None:
        """Check that the server has everything that was answered or reported."""
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


def stream_checker(last: list[int], number: int, seen: dict[int, str]) -> Any:
    """Return a listener that checks that events have no gap and never change.

    Args:
        last: the last version that each stream reported.
    """

    def check(kind: str, name: str, data: str) -> None:
        if kind == "move" and int(name):
            version = int(name)
            assert version <= last[number] + 1, "an event is missing"
            last[number] = max(version, last[number])
            assert seen.setdefault(version, data) == data, "a move has changed"

    return check


class Programs:
    """A table of programs, watched over any number of restarts."""

    def __init__(self) -> None:
        self.seen: dict[int, str] = {}
        self.last = [0]
        self.table: Made

    async def open(self, clients: Clients) -> None:
        """Create a game that lasts."""
        settings = {"players": 4, "sets": 20}
        self.table = await clients.table("kwartet", settings, ["random"] * 4)

    async def look(self, clients: Clients) -> None:
        """Watch from the last version on; check that the table has everything that was reported."""
        line = await clients.line()
        answer = await line.ask("GET", self.table.path())
        assert answer.json["version"] >= self.last[0]
        if answer.json["outcome"]:
            self.seen, self.last = {}, [0]
            await self.open(clients)
        listener = stream_checker(self.last, 0, self.seen)
        await clients.stream(self.table, None, listener, self.last[0])


class Club:
    """All tables of a test, including those whose game is over."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.games = [self.game() for _ in range(TABLES)]
        self.over: list[Game] = []
        self.programs = [Programs() for _ in range(thorough(0, 2))]

    def game(self) -> Game:
        """Return a new game."""
        return Game(self.random.randrange(1 << 30))

    async def open(self, server: Server) -> None:
        """Create all tables and take their seats."""
        async with Clients(server.host) as clients:
            for game in self.games:
                await game.open(clients)
            for watched in self.programs:
                await watched.open(clients)

    async def play_until_killed(self, server: Server) -> None:
        """Continue to play until the server is killed in the middle of some moves."""
        moves_left = self.random.randrange(1, 12 * TABLES)

        def count_move() -> None:
            nonlocal moves_left
            moves_left -= 1
            if not moves_left:
                server.process.kill()

        async with Clients(server.host) as clients:
            await asyncio.gather(*(game.check(clients) for game in self.games))
            for number, game in enumerate(self.games):
                if not game.rules.to_act(game.position):
                    self.over.append(game)
                    self.games[number] = self.game()
                    await self.games[number].open(clients)
            await asyncio.gather(*(watched.look(clients) for watched in self.programs))
            playing = [game.play(clients, count_move) for game in self.games]
            ends = await asyncio.gather(*playing, return_exceptions=True)
        for end in ends:
            if end is not None and not isinstance(end, ConnectionError):
                raise end

    async def check(self, server: Server) -> None:
        """Check that everything is there in the end."""
        async with Clients(server.host) as clients:
            for game in (*self.over, *self.games):
                await game.check(clients)


def play_through_kills(server: Server, kills: int) -> int:
    """Kill a server this many times, and return the number of moves that were seen."""
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
    assert play_through_kills(Server(tmp_path / "data", *BUSY), thorough(1, 20)) > 0


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing(tmp_path: Any) -> None:
    assert play_through_kills(Server(tmp_path / "data", *BUSY), 200) > 1000
