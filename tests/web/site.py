"""The application in this process, without a network: the exact bytes of its answers.

For tests that send thousands of requests, or compare the answers of two applications.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from html import unescape
from random import Random
from time import monotonic
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from quaternity.web.middleware import sign

T = TypeVar("T")


def headers_of(message: Any) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers of an answer, except the number of the request, which is random."""
    return tuple((name, value) for name, value in message["headers"] if name != b"x-request-id")


class Page(NamedTuple):
    """A complete answer to a request."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a document."""
        return json.loads(self.body)


STATUSES = {
    *(200, 201, 204, 302, 303, 304, 307),
    *(400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503, 507),
}
"""All statuses that the application uses."""

REFUSED = (
    (r"unknown host name|request is incomplete|valid JSON in UTF-8|must be a JSON object", 400),
    (r"given more than once", 400),
    (r"expected 'Bearer', then the token", 401),
    (
        r"page of another site|must have an Origin|only (the host|players) |help is not allowed|"
        r"is not yours|nobody else is here to let|they would see the program|"
        r"in the last two minutes|chat is switched off",
        403,
    ),
    (
        r"there is no such (seat|file|table|invitation|link)|there is no (seat|move with) |"
        r"this link has already |help: choose from|unknown puzzle |level .*: must be from |"
        r"(seed|steps) .*: must be a whole number from 0 to ",
        404,
    ),
    (
        r"before the game is over|this seat is already taken|the game has begun|"
        r"every seat is taken|"
        r"no longer has an owner|is not this seat's turn|the game has not begun|"
        r"the game has changed in the meantime|there is nothing to take back|"
        r"all cards are revealed|a program plays in this seat|and cannot agree|"
        r"another player was faster",
        409,
    ),
    (r"the body of the request has more than", 413),
    (r"content-type: must be application/json", 415),
    (
        r"\bexpected\b(?! Bearer)|\b\w+: must (be|have) |more than \d+ characters|"
        r"seats: this game has |the answer is too long|clock: .* has none|clock: unknown entry",
        422,
    ),
    (r"such requests per minute", 429),
    (r"cannot be read now|the server is shutting down", 503),
)
"""Patterns of refusals with their status, for every kind of request."""


def check_answer(page: Page) -> None:
    """Check that an answer has a documented status, which fits its words."""
    assert page.status in STATUSES, page
    if page.status >= 400:
        text = unescape(page.body.decode())
        statuses = {status for pattern, status in REFUSED if re.search(pattern, text)}
        assert not statuses or page.status in statuses, (page.status, text)
    # A 429 has Retry-After, a 503 may have it, and no other answer has it.
    retry_after = int(dict(page.headers).get(b"retry-after", 0))
    assert retry_after > 0 if page.status == 429 else page.status == 503 or not retry_after, page


class Listening:
    """An open event stream.

    Attributes:
        parts: what was received so far: the head, then pieces of the body.
    """

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self._leaves = asyncio.Event()
        self._asked = False

    async def receive(self) -> dict[str, Any]:
        """Return the next message to the application."""
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        """Take a message of the application."""
        if message["type"] == "http.response.start":
            self.parts.append((message["status"], *headers_of(message)))
        elif message["body"]:
            self.parts.append(message["body"])

    def leave(self) -> None:
        """Close the connection."""
        self._leaves.set()


class Site:
    """An application that `ask` and `listen` send requests to; `with` starts and ends it.

    Attributes:
        client: the address that sends the requests.
    """

    HOST = "127.0.0.1:8000"

    def __init__(self, app: Any) -> None:
        self.app, self.client = app, "127.0.0.1"
        self._runner = asyncio.Runner()
        self._tasks: list[asyncio.Task[None]] = []
        self._listening: list[Listening] = []

    def __enter__(self) -> Site:
        self.run(self._begin())
        return self

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the application until a coroutine has finished, and return its result."""
        return self._runner.run(work)

    async def _begin(self) -> None:
        self._lifespan: asyncio.Queue[Any] = asyncio.Queue()
        self._events: asyncio.Queue[Any] = asyncio.Queue()
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
        self._life = asyncio.create_task(self.app(scope, self._lifespan.get, self._events.put))
        self._lifespan.put_nowait({"type": "lifespan.startup"})
        event = await self._events.get()
        assert event["type"] == "lifespan.startup.complete", event

    def __exit__(self, *error: object) -> None:
        self.run(self._end())
        self._runner.close()

    async def _end(self) -> None:
        for listening in self._listening:
            listening.leave()
        await asyncio.gather(*self._tasks)
        self._lifespan.put_nowait({"type": "lifespan.shutdown"})
        event = await self._events.get()
        assert event["type"] == "lifespan.shutdown.complete", event
        await self._life

    def scope(
        self, method: str, path: str, headers: Mapping[str, str], *, bare: bool = False
    ) -> dict[str, Any]:
        path, _, query = path.partition("?")
        sent = {"host": self.HOST, **headers}
        if match := re.fullmatch("quaternity=([a-z])\\1{21}", sent.get("cookie", "")):
            # A cookie that repeats one letter stands for a cookie that the server has issued.
            request: Any = SimpleNamespace(app=self.app)
            sent["cookie"] = f"quaternity={sign(request, match[1] * 22)}"
        if method != "GET" and bare:
            sent = {"content-type": "application/json", **sent}
        elif method != "GET":
            sent = {"origin": f"http://{self.HOST}", "content-type": "application/json", **sent}
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": unquote(path), "raw_path": path.encode(), "root_path": "",
            "query_string": query.encode(), "server": ("127.0.0.1", 8000),
            "client": (self.client, 9), "state": {},
            "headers": [
                (name.lower().encode(), value.encode("latin-1", "replace"))
                for name, value in sent.items()
            ],
        }  # fmt: skip

    def ask(
        self, method: str, path: str, document: Any = None, token: str | None = None,
        headers: Mapping[str, str] = {}, *, bare: bool = False,
    ) -> Page:  # fmt: skip
        """Send a request and wait for all of its answer.

        Args:
            document: the body: bytes, or a value that is sent as JSON.
            bare: whether no header says where the request comes from.
        """
        return self.run(self.send(method, path, document, token, headers, bare=bare))

    def ask_at_once(self, requests: Iterable[Sequence[Any]], random: Random) -> list[Page]:
        """Send requests, each the arguments of `ask`, nearly together, and return all answers."""

        async def later(turns: int, request: Sequence[Any]) -> Page:
            for _ in range(turns):
                await asyncio.sleep(0)
            return await self.send(*request)

        async def send_all() -> list[Page]:
            return await asyncio.gather(*(later(random.randrange(60), args) for args in requests))

        return self.run(send_all())

    async def send(
        self, method: str, path: str, document: Any = None, token: str | None = None,
        headers: Mapping[str, str] = {}, *, bare: bool = False,
    ) -> Page:  # fmt: skip
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        if document is None:
            body = b""
        if token is not None:
            headers = {"authorization": f"Bearer {token}", **headers}
        scope = self.scope(method, path, headers, bare=bare)
        received = iter([{"type": "http.request", "body": body, "more_body": False}])
        sent: list[Any] = []

        async def receive() -> Any:
            return next(received, {"type": "http.disconnect"})

        async def answer(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, answer)
        rest = b"".join(message.get("body", b"") for message in sent[1:])
        page = Page(sent[0]["status"], headers_of(sent[0]), rest)
        check_answer(page)
        return page

    def listen(self, path: str, token: str | None, client: str = "127.0.0.1") -> Listening:
        """Open an event stream from an address."""
        listening = Listening()
        headers = {} if token is None else {"authorization": f"Bearer {token}"}

        async def begin() -> None:
            scope = self.scope("GET", path, headers) | {"client": (client, 9)}
            task = asyncio.create_task(self.app(scope, listening.receive, listening.send))
            self._tasks.append(task)

        self._listening.append(listening)
        self.run(begin())
        self.rest()
        return listening

    def wait(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run the application until a coroutine has finished, for at most a minute."""
        self.run(asyncio.wait_for(work, 60))

    def rest_until(self, condition: Callable[[], bool]) -> None:
        """Let the application work until a condition holds; fail after a minute.

        Polling without rests would keep the processor from the threads of the store.
        """
        end = monotonic() + 60
        while not condition():
            assert monotonic() < end, "never"
            self.rest()

    def rest(self) -> None:
        """Let the application finish the work that it has begun."""

        async def turns() -> None:
            store = self.app.state.tables.store
            for _ in range(20):
                await asyncio.sleep(0)
            await store.sharing.claim("rest")  # earlier claims are answered first
            store.sharing.release("rest")
            await store.run_read(int)  # and earlier reads as well
            for _ in range(20):
                await asyncio.sleep(0)

        self.run(turns())


__all__ = ["Listening", "Page", "Site"]
