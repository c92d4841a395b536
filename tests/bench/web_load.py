"""Many tables under load: this server and boardgame.io's, with the same clients.

A table has four streams, three seats and a bystander. A move has arrived when all four streams have
reported it, and at this server also its answer, which is sent when the move is on disk. Clients
make the next move of a table when the last has arrived (saturated), or at a given rate (the delay
of a late move counts from the time when it was due).

boardgame.io plays the smallest possible game, a counter, in memory: no rules, no views, no disk.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any, NamedTuple, Protocol

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from tests.web.wire import Answer, Clients

STREAMS, SEATS = 4, 3

Script = Sequence[tuple[int, str]]


class Measured(NamedTuple):
    """The results of a load.

    Attributes:
        rate: moves that arrived per second.
        p50, p95: seconds from the time when a move is due until all streams have reported it.
        answer_p95: seconds until its answer; 0 if there are no answers.
        lost: events that a stream missed, or reported twice or out of order.
        busy: the clients' share of a core.
    """

    rate: float
    p50: float
    p95: float
    answer_p95: float
    lost: int
    busy: float


class Table:
    """A table: its moves, and the versions that its streams have reported."""

    def __init__(self, load: Load, send: Callable[[int], None], moves: int) -> None:
        self.load, self.send, self.moves = load, send, moves
        self.made = self.lost = self.waiting = 0
        self.due = 0.0
        self.reported = [0] * STREAMS

    def go(self, due: float | None = None) -> None:
        """Make the next move."""
        self.waiting = STREAMS + self.load.answers
        self.due = perf_counter() if due is None else due
        self.send(self.made)
        self.made += 1

    def record_answer(self) -> None:
        """Record the answer to the last move."""
        self.load.answered.append(perf_counter() - self.due)
        self._count_arrival()

    def report(self, stream: int, version: int) -> None:
        """Record a move that a stream has reported."""
        self.lost += version != self.reported[stream] + 1
        self.reported[stream] = version
        self._count_arrival()

    def _count_arrival(self) -> None:
        self.waiting -= 1
        if not self.waiting:
            self.load.arrived.append(perf_counter() - self.due)
            self.load.next(self)


class Load:
    """Some tables, and the times of their moves.

    Attributes:
        answers: number of answers to a move.
    """

    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.tables: list[Table] = []
        self.arrived: list[float] = []
        self.answered: list[float] = []
        self.next: Callable[[Table], None] = lambda table: None
        self.playing = 0
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def fail(self, why: str) -> None:
        """Stop with an error."""
        if not self.over.done():
            self.over.set_exception(RuntimeError(why))

    async def saturate(self) -> Measured:
        """Play every table to its end, as fast as it can."""
        self.playing = len(self.tables)

        def play_next(table: Table) -> None:
            if table.made < table.moves:
                table.go()
                return
            self.playing -= 1
            if not self.playing:
                self.over.set_result(None)

        self.next = play_next
        started, busy = perf_counter(), process_time()
        for table in self.tables:
            table.go()
        await asyncio.wait_for(self.over, 120)
        return self._results(perf_counter() - started, process_time() - busy)

    async def steady(self, rate: float, seconds: float) -> Measured:
        """Make this many moves per second, table after table."""
        count = self.playing = int(rate * seconds)
        behind: dict[Table, list[float]] = {table: [] for table in self.tables}

        def play_next(table: Table) -> None:
            if behind[table]:
                table.go(behind[table].pop(0))
            self.playing -= 1
            if not self.playing:
                self.over.set_result(None)

        self.next = play_next
        started, busy = perf_counter(), process_time()
        for number in range(count):
            due = started + number / rate
            await asyncio.sleep(due - perf_counter())
            table = self.tables[number % len(self.tables)]
            if table.waiting:
                behind[table].append(due)
            else:
                table.go(due)
        await asyncio.wait_for(self.over, 120)
        return self._results(perf_counter() - started, process_time() - busy)

    def _results(self, seconds: float, busy: float) -> Measured:
        lost = sum(
            table.lost + sum(table.made != seen for seen in table.reported) for table in self.tables
        )
        return Measured(
            len(self.arrived) / seconds,
            _quantile(self.arrived, 0.5),
            _quantile(self.arrived, 0.95),
            _quantile(self.answered, 0.95),
            lost,
            busy / seconds,
        )


def _quantile(numbers: Iterable[float], part: float) -> float:
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


class Side(Protocol):
    """A server that can be put under load."""

    process: subprocess.Popen[str]

    async def open(self, count: int, moves: int) -> Load:
        """Open new tables, with all four streams of each."""

    async def close(self) -> None:
        """Hang up all connections."""


class Quaternity:
    """This server, with games of 4-3-3; every move is legal and on disk."""

    def __init__(self, host: str, process: subprocess.Popen[str]) -> None:
        self.process, self._random = process, Random(host)
        self._clients = Clients(host)

    async def open(self, count: int, moves: int) -> Load:
        """Open new tables with three seats and a bystander."""
        load = Load(answers=1)
        scripts = [script(self._random, moves) for _ in range(count)]
        for table_script in scripts:
            load.tables.append(await self._table(load, table_script))
        return load

    async def _table(self, load: Load, moves: Script) -> Table:
        settings = {"set_size": 4, "sets": 3, "players": SEATS}
        made = await self._clients.table("quaternity", settings, ["me", "open", "open"])
        posts = await self._clients.line()

        def send(number: int) -> None:
            seat, text = moves[number]
            document = {"version": number, "id": f"{made.name}-{number}", "move": text}
            waiting = posts.ask("POST", made.path("/moves"), document, made.tokens[seat])
            waiting.add_done_callback(handle_answer)

        def handle_answer(waiting: asyncio.Future[Answer]) -> None:
            if waiting.result().status != 200:
                load.fail(f"a move was refused: {waiting.result()}")
            table.record_answer()

        table = Table(load, send, len(moves))
        for number in range(STREAMS):
            seat = number if number < SEATS else None
            await self._clients.stream(made, seat, _report_moves(table, number))
        return table

    async def close(self) -> None:
        """Hang up all connections."""
        await self._clients.hang_up()


def _report_moves(table: Table, number: int) -> Callable[[str, str, str], None]:
    def report(kind: str, name: str, data: str) -> None:
        del data
        if kind == "move" and int(name):
            table.report(number, int(name))

    return report


class BoardgameIo:
    """boardgame.io's server, whose clients speak socket.io over a websocket."""

    def __init__(self, host: str, process: subprocess.Popen[str]) -> None:
        self.host, self.process = host, process
        self._clients = Clients(host)
        self._transports: list[Any] = []

    async def open(self, count: int, moves: int) -> Load:
        """Open new matches with three seats and a bystander."""
        load = Load(answers=0)
        lobby = await self._clients.line()
        for _ in range(count):
            made = await lobby.ask("POST", "/games/count/create", {"numPlayers": SEATS})
            name = made.json["matchID"]
            secrets = []
            for seat in range(SEATS):
                joined = await lobby.ask(
                    "POST", f"/games/count/{name}/join",
                    {"playerID": str(seat), "playerName": "somebody"},
                )  # fmt: skip
                secrets.append(joined.json["playerCredentials"])
            load.tables.append(await self._table(load, name, secrets, moves))
        return load

    async def _table(self, load: Load, name: str, secrets: list[str], moves: int) -> Table:
        sockets: list[Socket] = []

        def send(number: int) -> None:
            seat = str(number % SEATS)
            payload = {"type": "step", "args": [], "playerID": seat,
                       "credentials": secrets[number % SEATS]}  # fmt: skip
            move = {"type": "MAKE_MOVE", "payload": payload}
            sockets[number % SEATS].emit(["update", move, number, name, seat])

        table = Table(load, send, moves)
        for number in range(STREAMS):
            seat = str(number) if number < SEATS else None
            secret = secrets[number] if number < SEATS else None
            sync = ["sync", name, seat, secret, SEATS]
            host, _, port = self.host.partition(":")
            _, socket = await asyncio.get_running_loop().create_connection(
                _socket(self.host, sync, table, number), host, int(port)
            )
            await asyncio.wait_for(socket.synced, 30)
            sockets.append(socket)
            self._transports.append(socket.transport)
        return table

    async def close(self) -> None:
        """Hang up all connections."""
        await self._clients.hang_up()
        for transport in self._transports:
            transport.close()
        self._transports = []


def _socket(host: str, sync: list[Any], table: Table, number: int) -> Callable[[], Socket]:
    return lambda: Socket(host, sync, lambda version: table.report(number, version))


class Socket(asyncio.Protocol):
    """A websocket that speaks socket.io's fourth protocol, as far as boardgame.io needs it."""

    STATE = re.compile(rb'"_stateID":(\d+)')

    def __init__(self, host: str, sync: list[Any], report: Callable[[int], None]) -> None:
        self._host, self._sync, self._report = host, sync, report
        self._left, self._upgraded = b"", False
        self.synced: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        """Ask for a websocket."""
        self.transport = transport
        key = b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {self._host}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def emit(self, event: list[Any]) -> None:
        """Send an event."""
        self._write(b"42/count," + json.dumps(event, separators=(",", ":")).encode())

    def _write(self, text: bytes) -> None:
        size = len(text)
        head = bytes([0x81, 0x80 | size]) if size < 126 else b"\x81\xfe" + size.to_bytes(2, "big")
        self.transport.write(head + b"\0\0\0\0" + text)

    def data_received(self, data: bytes) -> None:
        """Process all whole frames, and keep the rest."""
        data = self._left + data
        if not self._upgraded:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._left = head
                return
            self._upgraded = True
        at = 0
        while len(data) - at >= 2:
            size, begin = data[at + 1], at + 2
            if size > 125:
                begin += 2 if size == 126 else 8
                size = int.from_bytes(data[at + 2 : begin], "big")
            if len(data) < begin + size:
                break
            self._frame(data[begin : begin + size])
            at = begin + size
        self._left = data[at:]

    def _frame(self, text: bytes) -> None:
        if text.startswith(b'42/count,["update"'):
            match = self.STATE.search(text)
            assert match is not None, text
            self._report(int(match[1]))
        elif text.startswith(b"0"):
            self._write(b"40/count,")
        elif text.startswith(b"40/count,"):
            self.emit(self._sync)
        elif text.startswith(b'42/count,["sync"'):
            self.synced.set_result(None)
        elif text == b"2":
            self._write(b"3")


def script(random: Random, moves: int) -> Script:
    """Return the first moves of a random game of 4-3-3 that has at least this number of moves."""
    rules = QuaternityRules(Settings(4, 3, SEATS))
    while True:
        position = rules.start(random)
        result: list[tuple[int, str]] = []
        while len(result) < moves and (acting := rules.to_act(position)):
            move = random.choice(list(rules.moves(rules.view(position, acting[0]))))
            result.append((acting[0], rules.write(move)))
            position = rules.after(position, acting[0], move)
        if len(result) == moves:
            return result


def processor_seconds(process: subprocess.Popen[str]) -> float:
    """Return the processor time of a process and its children so far, in seconds."""
    ticks = os.sysconf("SC_CLK_TCK")
    texts = (Path(f"/proc/{number}/stat").read_text() for number in _family(process.pid))
    return sum(sum(map(int, text.rpartition(")")[2].split()[11:13])) for text in texts) / ticks


def memory(process: subprocess.Popen[str]) -> float:
    """Return the memory of a process and its children, in MB; shared memory counts once."""
    texts = (Path(f"/proc/{number}/smaps_rollup").read_text() for number in _family(process.pid))
    return sum(int(text.partition("\nPss:")[2].split()[0]) for text in texts) / 1024


def _family(number: int) -> list[int]:
    children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    return [number, *(descendant for child in children for descendant in _family(int(child)))]


__all__ = [
    "BoardgameIo",
    "Load",
    "Measured",
    "Quaternity",
    "Side",
    "memory",
    "processor_seconds",
    "script",
]
