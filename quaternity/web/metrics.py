"""The health check, the Prometheus metrics and the request log of a server.

None of these contains the id of a table, a seat number or an address. A request is logged with its
route, such as `/t/{table}`, because its path may be an invitation link.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from itertools import accumulate, count
from secrets import token_hex
from time import monotonic, perf_counter, thread_time
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaternity.web.http_errors import HttpError
from quaternity.web.middleware import answer
from quaternity.web.rate_limits import RateLimits, connections, refusal_counts
from quaternity.web.tables import Tables

HEALTH_SECONDS = 1.0
"""Minimum interval between two test writes to the store, in seconds."""

COUNT_SECONDS = 0.5
"""Maximum time to wait for the size of the store and the number of its tables, in seconds."""

BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper bounds of the histogram buckets for the durations of requests, in seconds."""

UNKNOWN = "(none)"
"""Name under which requests are counted if no route matches them."""

MAX_LOOP_SECONDS = 0.02
"""Processor time above which a request is logged in debug mode, in seconds."""

METHODS = ("GET", "HEAD", "POST")

_log = logging.getLogger("uvicorn.error")
_requests = logging.getLogger("quaternity.requests")
# Log no requests until `log_json` is called.
_requests.setLevel(logging.WARNING)


class RequestMetrics:
    """Middleware that counts each request and logs it if `log_json` was called."""

    def __init__(self, app: ASGIApp, seen: ServerMetrics) -> None:
        self.app, self.seen = app, seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, and record its route, status and duration."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        number, began, status, length = self.seen.number(), perf_counter(), 500, 0
        error = None

        async def send_and_count(message: Message) -> None:
            nonlocal status, length
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", number)]
            else:
                length += len(message.get("body", b""))
            await send(message)

        answering = self.app(scope, receive, send_and_count)
        # Measure only in debug mode, because it takes a twentieth of the time of a move.
        measured = MeasuredAwaitable(answering) if self.seen.debug else None
        try:
            await (measured or answering)
        except Exception as raised:
            error = type(raised).__name__
            raise
        finally:
            seconds, method = perf_counter() - began, scope["method"]
            route = self.seen.route(scope)
            method = method if method in METHODS else "(other)"
            self.seen.count(route, method, status, seconds)
            streams = route.endswith("/events")
            if measured is not None and not streams and measured.seconds > MAX_LOOP_SECONDS:
                took = 1000 * measured.seconds
                _log.warning("%s %s took %.0f ms of processor time", method, route, took)
            if _requests.isEnabledFor(logging.INFO):
                facts = {
                    "route": route, "method": method, "status": status,
                    "milliseconds": round(1000 * seconds, 1), "bytes": length,
                    "id": number.decode(), **({} if error is None else {"error": error}),
                }  # fmt: skip
                _requests.info("request", extra={"facts": facts})


class MeasuredAwaitable:
    """An awaitable that runs a coroutine and measures the processor time that it uses."""

    def __init__(self, coroutine: Awaitable[None]) -> None:
        self._coroutine, self.seconds = coroutine, 0.0

    def __await__(self) -> Generator[Any, Any, None]:
        """Run the coroutine, and add up the processor time of its steps in `seconds`."""
        steps = self._coroutine.__await__()
        step, argument = steps.send, None
        while True:
            began = thread_time()
            try:
                waits = step(argument)
            except StopIteration:
                return
            finally:
                self.seconds += thread_time() - began
            try:
                step, argument = steps.send, (yield waits)
            except BaseException as error:
                step, argument = steps.throw, error


class ServerMetrics:
    """The metrics and the health of a server."""

    def __init__(self, tables: Tables, admission: RateLimits, token: str | None = None) -> None:
        """Set up the metrics. A client needs the token to read `/metrics`."""
        self.tables, self.admission, self.token = tables, admission, token
        self.debug = bool(os.environ.get("QUATERNITY_DEBUG"))
        """Whether to log requests that take more processor time than `MAX_LOOP_SECONDS`. The
        environment variable `QUATERNITY_DEBUG` switches this on."""
        self._templates: dict[Any, str] = {}
        self._tried = -HEALTH_SECONDS
        self._trying = asyncio.Lock()
        self._drawn, self._numbers = token_hex(5), count()
        # Use plain counters, because one update of a counter of the Prometheus library takes half
        # as long as a move.
        self._requests: Counter[tuple[str, str, str]] = Counter()
        self._seconds: dict[str, list[float]] = {}
        """For each route, the number of requests in each bucket (see `BUCKETS`), and the total
        duration in seconds."""
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def number(self) -> bytes:
        """Return a unique id for the next request."""
        return b"%b%06x" % (self._drawn.encode(), next(self._numbers))

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the health check and, if a token is configured, of the metrics."""
        routes: list[BaseRoute] = [Route("/healthz", self.healthz, methods=["GET"])]
        if self.token is not None:
            routes.append(Route("/metrics", self.metrics, methods=["GET"]))
        return routes

    def register_routes(self, routes: Sequence[BaseRoute]) -> None:
        """Store the paths of routes, such as `/t/{table}`, so that each route can be counted."""
        for route in routes:
            if isinstance(route, Route):
                self._templates.setdefault(route.endpoint, route.path)

    def route(self, scope: Scope) -> str:
        """Return the route that handled a request, such as `/t/{table}`, or `UNKNOWN`."""
        return self._templates.get(scope.get("endpoint"), UNKNOWN)

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request and the seconds until its response was complete.

        The duration of an event stream is not counted.
        """
        self._requests[route, method, str(status)] += 1
        if not route.endswith("/events"):
            row = self._seconds.get(route)
            if row is None:
                row = self._seconds[route] = [0.0] * (len(BUCKETS) + 2)
            row[bisect_left(BUCKETS, seconds)] += 1
            row[-1] += seconds

    async def healthz(self, request: Request) -> Response:
        """`GET /healthz`: return whether the server is alive and can write to the store."""
        del request
        async with self._trying:
            if monotonic() - self._tried >= HEALTH_SECONDS:
                with suppress(HttpError):
                    await self.tables.store.keep_uptime()
                self._tried = monotonic()
        writes = self.tables.store.trouble is None  # false after any failed write
        return answer({"alive": True, "writes": writes}, 200 if writes else 503)

    async def metrics(self, request: Request) -> Response:
        """`GET /metrics`: return the metrics, or status 404 to a client without the token."""
        credentials = request.headers.get("authorization", "")
        if not hmac.compare_digest(credentials.encode(), f"Bearer {self.token}".encode()):
            raise HttpError(404, "not found")
        text = await asyncio.to_thread(generate_latest, self.registry)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    def collect(self) -> Iterator[Any]:
        """Yield the current metrics, as objects of Prometheus. May be called from any thread."""
        store, streams = self.tables.store, [*self.tables.streams.open]
        seated = sum(stream.seat is not None for stream in streams)
        on_disk: dict[str, float] = {}
        sizes: dict[str, float] = {}
        # Leave these two metrics out if the store cannot be read. The others are most useful then.
        with suppress(HttpError, TimeoutError):
            counted = store.submit_read(store.read, "SELECT COUNT(*) FROM tables")
            sizes[""] = store.submit_read(store.size).result(COUNT_SECONDS)
            on_disk["disk"] = counted.result(0)[0][0]
        gauges: dict[str, tuple[str, str, Mapping[str, float]]] = {
            "streams": ("Open streams.", "of",
                        {"seats": seated, "bystanders": len(streams) - seated}),
            "connections": ("Open connections.", "", {"": connections.open.total()}),
            "waiting": ("Programs and computations that are running or waiting.", "kind",
                        self.tables.thinking.waiting()),
            "tables": ("Tables.", "where",
                       {"memory": self.tables.live.count, **on_disk}),
            "disk_bytes": ("Size of the database in bytes.", "", sizes),
            "trouble": ("1 if the last write to the database failed, otherwise 0.", "",
                        {"": float(store.trouble is not None)}),
        }  # fmt: skip
        for name, (text, label, values) in gauges.items():
            gauge = GaugeMetricFamily(f"quaternity_{name}", text, labels=[label] if label else [])
            for value, number in values.items():
                gauge.add_metric([value] if label else [], number)
            yield gauge
        yield from self._collect_requests()
        moves = CounterMetricFamily("quaternity_moves", "Stored moves.")
        moves.add_metric([], store.writing.appended)
        yield moves

    def _collect_requests(self) -> Iterator[Any]:
        requests = CounterMetricFamily(
            "quaternity_requests", "Answered requests.",
            labels=["route", "method", "status"],
        )  # fmt: skip
        for labels, number in dict(self._requests).items():
            requests.add_metric(labels, number)
        yield requests
        seconds = HistogramMetricFamily(
            "quaternity_request_seconds", "Seconds until a response was complete, without streams.",
            labels=["route"],
        )  # fmt: skip
        for route, (*counts, total) in dict(self._seconds).items():
            bounds = [*map(str, BUCKETS), "+Inf"]
            rows = [*zip(bounds, accumulate(counts), strict=True)]
            seconds.add_metric([route], rows, total)
        yield seconds
        refusals = CounterMetricFamily(
            "quaternity_refusals", "Requests refused by a limit.", labels=["reason"]
        )
        for reason, number in dict(refusal_counts).items():
            refusals.add_metric([reason], number)
        yield refusals


class JsonLines(logging.Formatter):
    """Log formatter that writes each log record as a line of JSON.

    An exception is logged only by its type, because its text may reveal a player's hand.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return a log record as a line of JSON."""
        line: dict[str, Any] = {"time": datetime.fromtimestamp(record.created, UTC).isoformat()}
        facts = getattr(record, "facts", None)
        if facts is not None:
            return json.dumps(line | facts)
        line |= {"level": record.levelname.lower(), "text": record.getMessage()}
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line)


def log_json(loggers: Iterable[str] = ("quaternity.requests", "uvicorn.error")) -> None:
    """Log all requests, and the warnings of the given loggers, as JSON lines on standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in loggers:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == "quaternity.requests" else logging.WARNING)
