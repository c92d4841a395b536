"""Streams: one message for many readers, and readers that are too slow."""

import asyncio
from typing import Any

from quaternity.web.streams import MOST_WAITING, Stream, Streams, message, send


async def read(stream: Stream) -> list[Any]:
    """What a reader gets until the stream ends."""
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def sends(one: Any) -> None:
        sent.append(one)

    await stream({}, receive, sends)
    return sent


def test_a_message_names_its_number() -> None:
    assert message("move", {"a": "b\nc"}, 7) == b'event: move\nid: 7\ndata: {"a":"b\\nc"}\n\n'
    assert message("seats", {}) == b"event: seats\ndata: {}\n\n"


def test_a_reader_gets_all_in_order_and_an_end() -> None:
    async def reading() -> list[Any]:
        streams, table = Streams(), set[Stream]()
        stream = Stream(0, table, streams)
        task = asyncio.create_task(read(stream))
        for number in range(3):
            send(table, b"%d" % number)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        streams.beat()
        streams.end()
        send(table, b"late")
        sent = await task
        assert not streams.open
        assert not table
        return sent

    start, *bodies = asyncio.run(reading())
    assert start["status"] == 200
    assert b"".join(one["body"] for one in bodies) == b"012:\n\nlate"
    assert [one["more_body"] for one in bodies] == [True] * (len(bodies) - 1) + [False]


def test_a_slow_reader_is_left_with_nothing_missing_in_between() -> None:
    async def reading() -> list[Any]:
        streams, table = Streams(), set[Stream]()
        stream = Stream(None, table, streams)
        for number in range(MOST_WAITING + 5):
            send(table, b"%d," % number)
        return await read(stream)

    _, body = asyncio.run(reading())
    assert body == {
        "type": "http.response.body",
        "body": b"".join(b"%d," % number for number in range(MOST_WAITING)),
        "more_body": False,
    }
