"""Streams: one message for many readers, and readers that are too slow."""

import asyncio
import re
from random import Random
from typing import Any

from quaternity.quarto.rules import QuartoRules
from quaternity.web.changes import Entry
from quaternity.web.feed import TableFeed
from quaternity.web.streams import (
    CHUNK_EXTENSION,
    MAX_BUFFERED_BYTES,
    MAX_PENDING_MESSAGES,
    Stream,
    Streams,
    message,
    send,
)
from quaternity.web.versioned_history import VersionedHistory


class Pipe:
    """A connection that takes chunks itself, until it is full."""

    def __init__(self, sent: list[Any]) -> None:
        self.sent, self.size, self.closed = sent, 0, False

    def write(self, chunk: bytes) -> None:
        """Take a chunk."""
        self.sent.append({"chunk": chunk})

    def get_write_buffer_size(self) -> int:
        """Return the number of bytes that wait."""
        return self.size

    def is_closing(self) -> bool:
        """Return whether the connection is closed."""
        return self.closed


async def read_stream(stream: Stream, pipe: Pipe | None = None) -> list[Any]:
    """Return everything that a reader gets until the stream ends."""
    sent: list[Any] = [] if pipe is None else pipe.sent

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def collect(event: Any) -> None:
        sent.append(event)

    extensions = {} if pipe is None else {CHUNK_EXTENSION: {"transport": pipe}}
    await stream({"extensions": extensions}, receive, collect)
    return sent


def test_a_message_names_its_number() -> None:
    assert message("move", {"a": "b\nc"}, 7) == b'event: move\nid: 7\ndata: {"a":"b\\nc"}\n\n'
    assert message("seats", {}) == b"event: seats\ndata: {}\n\n"


def test_a_reader_gets_all_in_order_and_an_end() -> None:
    async def reading() -> list[Any]:
        streams, table = Streams(), set[Stream]()
        stream = Stream(0, table, streams)
        task = asyncio.create_task(read_stream(stream))
        for number in range(3):
            send(table, b"%d" % number)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        streams.send_keepalive()
        streams.end()
        send(table, b"late")
        sent = await task
        assert not streams.open
        assert not table
        return sent

    start, *bodies = asyncio.run(reading())
    assert start["status"] == 200
    assert b"".join(body["body"] for body in bodies) == b"012:\n\nlate"
    assert [body["more_body"] for body in bodies] == [True] * (len(bodies) - 1) + [False]


def test_a_new_stream_repeats_the_moves_that_its_reader_has_missed() -> None:
    rules: Any = QuartoRules()
    history = VersionedHistory.begin(rules, rules.start(Random(1)))
    for version in range(1, 5):
        position = history.game.position
        (seat,), move = rules.to_act(position), next(iter(rules.moves(position)))
        history = history.with_entry(Entry("t", version, seat, str(version), rules.write(move)))
    nothing: Any = None
    feed = TableFeed("t", 0, nothing, nothing)

    async def read_missed(last: int | None) -> list[Any]:
        stream = Stream(None, set(), Streams())
        feed.begin_stream(stream, last, history, lambda _: None)
        stream.end()
        return await read_stream(stream)

    for last in (None, *range(7)):
        _, *bodies = asyncio.run(read_missed(last))
        sent = re.findall(rb"event: (\w+)\nid: (\d+)", b"".join(body["body"] for body in bodies))
        missed = [] if last is None else [(b"move", b"%d" % at) for at in range(last + 1, 5)]
        assert sent == [*missed, (b"version", b"4")]


def test_a_slow_reader_is_dropped_without_a_gap() -> None:
    async def reading() -> list[Any]:
        streams, table = Streams(), set[Stream]()
        stream = Stream(None, table, streams)
        for number in range(MAX_PENDING_MESSAGES + 5):
            send(table, b"%d," % number)
        return await read_stream(stream)

    _, body = asyncio.run(reading())
    assert body == {
        "type": "http.response.body",
        "body": b"".join(b"%d," % number for number in range(MAX_PENDING_MESSAGES)),
        "more_body": False,
    }


async def begin_stream() -> tuple[set[Stream], Stream, Pipe, asyncio.Task[Any]]:
    """Return the streams of a table, and the only one of them, after its first message."""
    table = set[Stream]()
    stream, pipe = Stream(0, table, Streams()), Pipe([])
    send(table, b"first,")
    task = asyncio.create_task(read_stream(stream, pipe))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return table, stream, pipe, task


def test_a_connection_that_takes_chunks_gets_them_in_order_without_a_gap() -> None:
    async def reading() -> list[Any]:
        table, stream, pipe, task = await begin_stream()
        for part in (b"second,", b"third,"):
            send(table, part)
        stream.put(b"to one reader alone, not all")
        pipe.size = MAX_BUFFERED_BYTES
        send(table, b"left out,")
        pipe.size = 0
        send(table, b"would hide it,")
        await task
        assert not table
        return pipe.sent

    start, first, *chunks, last = asyncio.run(reading())
    assert start["type"] == "http.response.start"
    assert first["body"] == b"first,"
    assert [chunk["chunk"] for chunk in chunks] == [
        b"7\r\nsecond,\r\n",
        b"6\r\nthird,\r\n",
        b"1c\r\nto one reader alone, not all\r\n",
    ]
    assert (last["body"], last["more_body"]) == (b"", False)


def test_a_connection_that_closes_is_not_written_to() -> None:
    async def reading() -> list[Any]:
        table, stream, pipe, task = await begin_stream()
        pipe.closed = True
        send(table, b"second,")
        stream.end()
        await task
        return pipe.sent

    assert len(asyncio.run(reading())) == 3
