"""Malformed requests of any kind are answered without a fault of the server, and change nothing.

Requests are written to a socket as they are, so that paths, headers and bodies can be such as no
client would send. `ROUTES` has the documented requests, and pages such as `/t/`.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quaternity.table.games import GAMES, rules_class
from tests.sizes import examples
from tests.web.server import Server
from tests.web.test_hammering import FIRST, SMALL, make_move, read_state
from tests.web.wire import Clients, Made

ROUTES: dict[tuple[str, str], dict[str, Any] | None] = {
    ("POST", "/api/tables"): {
        "game": "quaternity", "settings": SMALL, "seats": ["me", "open", "random"], "help": True,
        "seed": 7,
    },
    ("POST", "/api/seats"): {"invitation": "x", "name": "somebody"},
    ("GET", "/api/tables/{table}"): None,
    ("POST", "/api/tables/{table}/moves"): {"version": 0, "id": "a", "move": FIRST},
    ("GET", "/api/tables/{table}/events"): None,
    ("GET", "/api/tables/{table}/record"): None,
    ("POST", "/api/tables/{table}/undo"): {"version": 1, "agree": True},
    ("POST", "/api/tables/{table}/hand-over"): {"seat": 1, "player": "random"},
    ("POST", "/api/tables/{table}/again"): {},
    ("POST", "/api/records"): {"record": "quarto 1\n"},
    ("GET", "/api/games"): None,
    ("GET", "/api/tables/{table}/help/chances"): None,
    ("GET", "/api/tables/{table}/help/why"): None,
    ("GET", "/api/tables/{table}/help/hint"): None,
    ("GET", "/api/tables/{table}/help/analysis"): None,
    ("GET", "/api/tables/{table}/help/know"): None,
    ("POST", "/api/tables/{table}/start"): {"fill": "random"},
    ("POST", "/api/tables/{table}/ready"): {"ready": True},
    ("POST", "/api/tables/{table}/leave"): {"seat": 1},
    ("GET", "/api/tables/{table}/talk"): None,
    ("POST", "/api/tables/{table}/talk"): {"text": "x", "name": "somebody"},
    ("POST", "/api/tables/{table}/reactions"): {"reaction": "🎉", "name": "somebody"},
    ("POST", "/api/tables/{table}/elsewhere"): None,
    ("POST", "/api/tables/{table}/code"): None,
    ("GET", "/api/tables/{table}/marks"): None,
    ("POST", "/api/tables/{table}/marks"): {"player": 1, "card": "0/2", "mark": "maybe"},
    ("POST", "/api/seats/move"): {"link": "x"},
    ("POST", "/api/seats/back"): {"code": "x"},
    ("GET", "/move/{table}"): None,
    ("GET", "/t/{table}/help/know"): None,
    ("GET", "/"): None,
    ("GET", "/new"): None,
    ("POST", "/new"): {"game": "quarto"},
    ("GET", "/join/{table}"): None,
    ("GET", "/t/{table}"): None,
    ("GET", "/t/{table}/part"): None,
    ("GET", "/t/{table}/at/1"): None,
    ("GET", "/t/{table}/review"): None,
    ("GET", "/t/{table}/story"): None,
    ("GET", "/t/{table}/puzzle"): None,
    ("POST", "/api/tables/{table}/try"): {"number": 1},
    ("GET", "/learn"): None,
    ("GET", "/analyse"): None,
    ("GET", "/guide"): None,
    ("GET", "/report"): None,
    ("GET", "/static/x/table.js"): None,
}  # fmt: skip
"""The documented requests, each with a valid body."""

ODD_TEXT = [
    "", " ", "\0", "\ud800", "\U0001f600", "a" * 5000, "../../etc/passwd", "%2e%2e%2f", "%00",
    "<script>alert(1)</script>", "' OR 1=1 --", "\r\nSet-Cookie: a=b", "{{7*7}}", "-1", "1e999",
    "٣", "os:system", "builtins:exec", "tests.table.misbehaving:nothing", "search:9999999999",
]  # fmt: skip
ODD = st.one_of(
    st.none(), st.booleans(), st.floats(), st.sampled_from(ODD_TEXT), st.text(max_size=20),
    st.integers(), st.sampled_from([2**31, 2**63, 2**64, -1, 10**400]),
    st.sampled_from([[], {}, [[]], ["me"] * 100, {"sets": 10**9}, {"players": "3"}]),
)  # fmt: skip
RAW_BODIES = [
    b"", b"{", b"[" * 100_000, b'{"a":' * 50_000, b"\xff\xfe", b'"' + b"\\ud800" * 10 + b'"',
    b"NaN", b'{"version": Infinity}', b"9" * 5000, b'{"version": ' + b"9" * 5000 + b"}",
    b"null", b"true", b"\x1f\x8b\x08", b"a=b&c=d", b"\0" * 100, '{"id": "é"}'.encode("utf-16"),
    b'{"version": 0, "version": 1}', b"--x\r\nContent-Disposition: form-data\r\n\r\n",
]  # fmt: skip


class Request(NamedTuple):
    """A request as it is sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def raw(self, host: str) -> bytes:
        """Return its bytes; `{host}` in a header stands for the server's host."""
        size = {"Content-Length": str(len(self.body))} if self.body else {}
        headers = {"Host": host, "Connection": "close", **size, **self.headers}
        lines = [f"{name}: {value}" for name, value in headers.items()]
        head = "\r\n".join([f"{self.method} {self.path} HTTP/1.1", *lines, "", ""])
        return head.replace("{host}", host).encode("utf-8", "surrogatepass") + self.body


class Reply(NamedTuple):
    """An answer; status 0 if the connection was closed without one."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def send_raw(host: str, data: bytes, *, whole: bool = True) -> Reply:
    """Write bytes to a server's socket and read its answer, or only the head of a stream.

    Args:
        whole: whether the bytes are a whole request; otherwise close the sending side after them.
    """
    name, _, port = host.partition(":")
    with socket.create_connection((name, int(port)), 60) as connection:
        try:
            connection.sendall(data)
            if not whole:
                connection.shutdown(socket.SHUT_WR)
            with HTTPResponse(connection) as response:
                response.begin()
                kind = response.headers.get("content-type", "")
                body = b"" if kind.startswith("text/event-stream") else response.read()
                return Reply(response.status, dict(response.headers.items()), body)
        except (HTTPException, ConnectionError):
            return Reply(0, {}, b"")


@st.composite
def documents(draw: st.DrawFn, whole: Mapping[str, Any] | None) -> bytes:
    """Draw a body: a documented one with entries changed, left out or added, or any bytes."""
    if whole is None or draw(st.integers(0, 3)) == 0:
        return draw(st.one_of(st.sampled_from(RAW_BODIES), st.binary(max_size=50)))
    changed = dict(whole)
    for name in draw(st.lists(st.sampled_from([*whole, "seat", "token"]), max_size=3)):
        changed[name] = draw(ODD)
    for name in draw(st.lists(st.sampled_from([*whole, "more"]), max_size=1)):
        changed.pop(name, None)
    return json.dumps(changed).encode()


HOSTS = st.sampled_from(
    ["{host}"] * 6 + ["evil.example", "", "127.0.0.1:1", "{host}.", "[::1", "a,b", "x" * 3000, "é"]
)
ORIGINS = st.sampled_from(
    ["http://{host}"] * 6 + ["null", "http://evil.example", "", "http://{host}.evil.example", "é"]
)
KINDS = st.sampled_from(
    ["application/json"] * 4
    + ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
    + ["application/json; charset=utf-16", "application/json; charset=nothing", "é"]
)
OTHERS = st.dictionaries(
    st.sampled_from(
        ["Last-Event-ID", "Cookie", "Range", "If-None-Match", "Accept", "Accept-Encoding",
         "Content-Encoding", "Transfer-Encoding", "Content-Length", "Expect", "Upgrade",
         "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-HTTP-Method-Override"]
    ),
    st.sampled_from(
        ["", "-1", "1", "99999999999999999999", "chunked", "gzip", "evil.example", "bytes=0-1",
         "bytes=9-1,,", "a=b; c", "é", "x" * 9000, "100-continue", "websocket", "DELETE", "*/*"]
    ),
    max_size=2,
)  # fmt: skip


@st.composite
def requests(draw: st.DrawFn, table: Made) -> Request:
    """Draw a request that is similar to a documented one."""
    (method, path), whole = draw(st.sampled_from(list(ROUTES.items())))
    name = draw(
        st.sampled_from([table.name] * 4 + ["x", "%2e%2e", "%00", "%ff", "..", "é", "a" * 999])
    )
    path = path.replace("{table}", name)
    path += draw(
        st.sampled_from([""] * 6 + ["/", "/..", "//", "?at=-1", "?at=x", "?a=%ff&a", "#", "%"])
    )
    if draw(st.integers(0, 9)) == 0:
        method = draw(
            st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "X", "get"])
        )
    headers = {"Host": draw(HOSTS), "Origin": draw(ORIGINS), "Content-Type": draw(KINDS)}
    token = draw(st.sampled_from([*table.tokens, *table.tokens, "", "x", "é", "x" * 5000, None]))
    if token is not None:
        kind = draw(st.sampled_from(["Bearer "] * 4 + ["Basic ", "", "Bearer"]))
        headers["Authorization"] = kind + token
    headers |= draw(OTHERS)
    body = draw(documents(whole)) if method != "GET" else b""
    return Request(method, path, headers, body)


@pytest.fixture(scope="module")
def table(server: Server) -> Made:
    """Create a table at which a move was made."""

    async def make() -> Made:
        async with Clients(server.host) as clients:
            table = await clients.table("quaternity", SMALL, ["me", "open", "open"])
            assert (await make_move(clients, table, 0, 0, FIRST, "first")).status == 200
            return table

    return asyncio.run(make())


def check_harmless(got: Reply) -> None:
    """Check that an answer reveals no fault of the server and admits no foreign page."""
    assert got.status < 500, got
    assert b"Traceback" not in got.body
    assert b"site-packages" not in got.body
    assert b'File "' not in got.body
    assert not any(name.lower() == "access-control-allow-origin" for name in got.headers)
    assert "a=b" not in got.headers.get("set-cookie", "")


def test_requests_of_any_kind_are_answered(server: Server, table: Made) -> None:
    @given(st.data())
    @settings(max_examples=examples(2000))
    def check(data: st.DataObject) -> None:
        sent = data.draw(requests(table))
        check_harmless(send_raw(server.host, sent.raw(server.host)))

    check()
    assert send_raw(server.host, Request("GET", "/", {}, b"").raw(server.host)).status == 200


def test_bytes_of_any_kind_are_answered(server: Server) -> None:
    @given(st.binary(max_size=300))
    @example(b"GET / HTTP/1.1\r\n\r\n")
    @example(b"GET / HTTP/9.9\r\nHost: a\r\n\r\n")
    @example(b"POST /api/tables HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
    @example(b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    @example(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n")
    @example(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n")
    @settings(max_examples=examples(300))
    def check(data: bytes) -> None:
        check_harmless(send_raw(server.host, data + b"\r\n\r\n", whole=False))

    check()


def test_odd_values_in_documented_requests_do_no_harm(server: Server, table: Made) -> None:
    """Each request has one odd value; it is refused, or the value was fine."""

    def bodies() -> Iterator[tuple[str, bytes]]:
        for (method, path), whole in ROUTES.items():
            if method != "POST" or whole is None:
                continue
            for raw in RAW_BODIES:
                yield path, raw
            for name in whole:
                for odd in odds:
                    yield path, json.dumps({**whole, name: odd}).encode()

    odds: list[Any] = [None, True, -1, 10**400, 1.5, [], {}, ["\ud800"], *ODD_TEXT]

    headers = {"Origin": "http://{host}", "Content-Type": "application/json",
               "Authorization": f"Bearer {table.tokens[1]}"}  # fmt: skip
    for path, body in bodies():
        sent = Request("POST", path.replace("{table}", table.name), headers, body)
        answer = send_raw(server.host, sent.raw(server.host))
        check_harmless(answer)
        if body in RAW_BODIES:
            assert 400 <= answer.status < 500, (path, body[:40], answer)
    after = asyncio.run(read_table(server, table))
    assert after["version"] >= 1


async def read_table(server: Server, table: Made) -> Any:
    """Return the state that the first seat sees."""
    async with Clients(server.host) as clients:
        return await read_state(clients, table)


def record(game: str, seed: int) -> bytes:
    """Return a record of some random moves."""
    random = Random(seed)
    rules = rules_class(game)()
    start = position = rules.start(random)
    text: str = rules.record_start(start, [f"player {seat}" for seat in range(rules.seats)])
    for _ in range(6):
        seat = random.choice(list(rules.to_act(position)))
        move = random.choice(list(rules.moves(rules.view(position, seat))))
        after = rules.after(position, seat, move)
        text += rules.record_move(position, seat, move, after)
        position = after
    return text.encode()


RECORDS = [record(game, seed) for game in GAMES for seed in range(2)]
WORDS = [b"99999999999999999999", b"-1", b"0", b"1e9", b"\xff", b"\0", b"", b"<b>", b"a" * 3000]


@st.composite
def records(draw: st.DrawFn) -> bytes:
    """Draw a record in which some words are replaced."""
    words = re.split(rb"(\s+)", draw(st.sampled_from(RECORDS)))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(words) - 1))
        words[place] = draw(st.one_of(st.sampled_from(WORDS), st.sampled_from(words)))
    return b"".join(words)[: draw(st.sampled_from([None, None, 40, 150]))]


def test_records_of_any_kind_are_refused_or_shown(server: Server) -> None:
    @given(records())
    @settings(max_examples=examples(400))
    def check(data: bytes) -> None:
        headers = {"Origin": "http://{host}", "Content-Type": "text/plain"}
        reply = send_raw(
            server.host, Request("POST", "/api/records", headers, data).raw(server.host)
        )
        check_harmless(reply)
        assert reply.status in (201, 422), reply
        if reply.status == 201:
            name = json.loads(reply.body)["table"]
            for path in (f"/t/{name}", f"/t/{name}/at/3", f"/t/{name}?seat=1",
                         f"/api/tables/{name}", f"/api/tables/{name}/record"):  # fmt: skip
                page = send_raw(server.host, Request("GET", path, {}, b"").raw(server.host))
                assert page.status == 200, (path, page)
                check_harmless(page)

    check()
