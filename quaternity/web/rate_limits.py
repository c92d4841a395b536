"""Rate limits, connection limits, and the cost of each kind of request.

`Limits` contains all limits, and `WORK` contains the cost of each kind of request. A client address
is an IPv4 address, or the first 64 bits of an IPv6 address. In the names of the limits, a *count*
is any long computation that a visitor requests, such as a hint, a puzzle or an analysis.
"""

from __future__ import annotations

import json
import math
import resource
from collections import Counter, OrderedDict
from collections.abc import Collection, Hashable, Iterable, Mapping
from contextvars import ContextVar
from functools import lru_cache
from http import HTTPStatus
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from time import monotonic
from typing import Any, NamedTuple

from quaternity.web.http_errors import TOO_MANY_TABLES, TOO_OFTEN, HttpError

REQUEST_SECONDS = 30.0
"""Seconds within which a request must arrive completely."""

READ_SECONDS = 15.0
"""Seconds within which a client must read at least half of the data that waits to be sent to it."""

RESERVED_FILES = 80
"""Number of file descriptors reserved for purposes other than connections, such as the database and
the pipes of computer players."""

FILES_PER_WORKER = 6
"""File descriptors reserved for each worker process beyond the default number of workers."""

MAX_PENDING_COUNTS = 20
"""Maximum number of computations that run or wait for one client address at the same time. Short
and long computations are limited separately."""

SEATS_PER_ADDRESS = 20
"""Ratio of the rate limit for all seats of a client address to the limit for one seat."""


class Rates(NamedTuple):
    """The rate limits of a server, which its operator can change.

    Attributes:
        moves: Maximum number of requests that change a table, per minute and seat.
        pages: Maximum number of pages and documents read per minute. It applies to each address and
            to each seat.
        tables: Maximum number of tables made and seats taken or given away, per minute and address.
        counts: Maximum total cost of computations, per minute and address. See `WORK`.
        words: Maximum number of chat lines and reactions per minute, for each seat and each
            bystander's address.
    """

    moves: int = 1200
    pages: int = 6000
    tables: int = 300
    counts: int = 300
    words: int = 30


class Limits(NamedTuple):
    """The limits of a server, which its operator can change.

    Attributes:
        rates: The rate limits.
        body: Maximum size of the body of a request, in bytes.
        record: Maximum size of an uploaded record, in bytes.
        kept: Maximum number of stored tables.
        streams: Maximum number of open event streams. The limit is lower if the system allows fewer
            connections. One address may have at most a quarter of the streams, and bystanders
            together at most three quarters.
        readers: Maximum number of event streams of a seat, or of all bystanders at a table. One
            address may have at most three quarters of a table's streams for bystanders.
        workers: Number of processes for computer players. There are as many processes for short
            computations, and one fewer for long computations.
    """

    rates: Rates = Rates()
    body: int = 16 << 10
    record: int = 1 << 20
    kept: int = 100_000
    streams: int = 4000
    readers: int = 100
    workers: int = 3

    @classmethod
    def of(cls, **numbers: int) -> Limits:
        """Return limits with the given values. All other limits have their default values."""
        rates = {name: numbers.pop(name) for name in Rates._fields if name in numbers}
        return cls(Rates(**rates), **numbers)


LIMIT_NAMES = (*(name for name in Limits._fields if name != "rates"), *Rates._fields)
"""Names of all limits in `Limits` and all rate limits in `Rates`."""


class Work(NamedTuple):
    """The cost of a kind of request, which counts for a rate limit.

    Attributes:
        limit: Name of the field of `Rates` that limits these requests.
        cost: Number of units of this limit that a request uses up.
        dear: Whether the request needs a computation that may take long.
    """

    limit: str
    cost: int = 1
    dear: bool = False


WORK = {
    "page": Work("pages"),
    "move": Work("moves"),
    "table": Work("tables"),
    "words": Work("words"),
    "help": Work("counts"),
    "puzzle": Work("counts"),
    "player": Work("counts"),
    "know": Work("counts", 2, True),
    "analysis": Work("counts", 2, True),
    "review": Work("counts", 5, True),
    "learn": Work("counts", 5, True),
    "record": Work("counts", 5, True),
}
"""For each kind of request, the rate limit that applies and the cost of the request."""

client_address: ContextVar[str] = ContextVar("asker", default="")
"""The client address of the current request. Tasks that the request starts have the same value."""

refusal_counts: Counter[str] = Counter()
"""Number of requests that this process has refused, by the reason for the refusal."""


def refusal(reason: str, status: int, text: str, seconds: float = 5.0) -> HttpError:
    """Count a refused request, and return the `HttpError` for its sender.

    `reason` is the name under which the request is counted, and `text` is the message. If the
    status is 429 or 503, the response says that the client may retry after `seconds`.
    """
    refusal_counts[reason] += 1
    error = HttpError(status, text)
    error.retry_after = max(1, math.ceil(seconds)) if status in (429, 503) else None
    return error


class LeakyBuckets:
    """Counters that limit how much each client may use per minute, by the leaky-bucket algorithm.

    Each client is identified by a key.
    """

    def __init__(self, max_keys: int = 10_000) -> None:
        """Set up counters for at most `max_keys` keys. The least recently used key is dropped."""
        self._most = max_keys
        self._used: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        self._new: dict[Hashable, tuple[float, int]] = {}
        """For each key, the units used since the last `collect_use`, and those freed per minute."""
        self.shared = False

    def wait(self, key: Hashable, per_minute: int, cost: int = 1) -> float:
        """Use `cost` units and return 0, or return the seconds to wait if the limit is exceeded.

        The counter of the key rises by `cost`, to at most `per_minute`. It falls by `per_minute`
        units per minute.
        """
        now = monotonic()
        used, since = self._used.pop(key, (0.0, now))
        used = max(0.0, used - (now - since) * per_minute / 60)
        over = used + cost - per_minute
        self._used[key] = (used if over > 0 else used + cost), now
        if self.shared and over <= 0:
            self._new[key] = self._unsent_use(key) + cost, per_minute
        if len(self._used) > self._most:
            self._used.popitem(last=False)
        return max(0.0, over * 60 / max(per_minute, 1))

    def collect_use(self) -> dict[str, tuple[float, int]]:
        """Return the units used since the last call, by key.

        Each key is JSON text. Its value is a pair: the units used, and those freed per minute.
        """
        self.shared = True
        self._texts = {json.dumps(key): key for key in self._new}
        taken = {text: self._new[key] for text, key in self._texts.items()}
        self._new.clear()
        return taken

    def apply_total_use(self, used: Mapping[str, float]) -> None:
        """Set counters to the units used at all servers together.

        `used` has the keys that the last call of `collect_use` returned.
        """
        for text, amount in used.items():
            key = self._texts[text]
            self._used[key] = amount + self._unsent_use(key), monotonic()

    def _unsent_use(self, key: Hashable) -> float:
        return self._new[key][0] if key in self._new else 0.0


class RateLimits:
    """Checks requests against the rate limits, and counts the recent use of each client."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._rates = LeakyBuckets()
        connections.workers = self.limits.workers

    def count(self, kind: str, seat: Hashable = None) -> None:
        """Count a request, or raise `HttpError` if it exceeds a rate limit.

        `kind` is a key of `WORK`. By default, the limit for the client address applies. If `seat`
        is not None, it identifies a seat. Two other limits then apply: one for the seat, and a
        higher one for all seats that use the client address.
        """
        work = WORK[kind]
        limit = getattr(self.limits.rates, work.limit)
        if seat is None:
            wait = self._rates.wait((work.limit, client_address.get()), limit, work.cost)
        else:
            shared = (work.limit, "seats", client_address.get())
            wait = self._rates.wait((work.limit, seat), limit, work.cost) or self._rates.wait(
                shared, limit * SEATS_PER_ADDRESS, work.cost
            )
        if wait:
            raise refusal(work.limit, 429, TOO_OFTEN(most=limit // work.cost), wait)

    def collect_use(self) -> dict[str, tuple[float, int]]:
        """Return how much of each rate limit was used since the last call. See `LeakyBuckets`."""
        return self._rates.collect_use()

    def apply_total_use(self, used: Mapping[str, float]) -> None:
        """Set the use of each rate limit to the total of all servers (see `Sharing.exchange`)."""
        self._rates.apply_total_use(used)

    def check_waiting(self, waiting: int) -> None:
        """Raise `HttpError` if too many computations of one client address are running or waiting.

        `waiting` is the number of these computations.
        """
        if waiting >= MAX_PENDING_COUNTS:
            raise refusal("waiting", 429, "too many computations are waiting: try again later")

    def check_stored_tables(self, kept: int) -> None:
        """Raise `HttpError` if the number of stored tables, `kept`, has reached its limit."""
        if kept >= self.limits.kept:
            raise refusal("kept", 507, TOO_MANY_TABLES(kept=kept))

    def check_stream(self, seat: int | None, table: Collection[Any], every: Collection[Any]) -> str:
        """Check that a request may open another event stream. Return its client address.

        Args:
            seat: Seat of the stream's reader, or None for a bystander.
            table: The open streams of the same table.
            every: All open streams of the server.

        Raises:
            HttpError: If too many streams are open.
        """
        network, limit = client_address.get(), min(self.limits.streams, connections.max_open())
        # Bystanders cannot use the last quarter of all streams, which is reserved for players.
        room = limit - (limit // 4 if seat is None else 0)
        same_seat = [stream for stream in table if stream.seat == seat]
        readers = self.limits.readers
        # One address cannot use the last quarter of the streams for bystanders of a table.
        own = readers - (readers // 4 if seat is None else 0)
        if (
            len(every) >= room
            or sum(stream.network == network for stream in every) >= max_per_network(limit)
            or len(same_seat) >= readers
            or sum(stream.network == network for stream in same_seat) >= own
        ):
            raise refusal("streams", 429, "too many open streams: try again later", 15)
        return network


class Connections:
    """Counts the open connections of this process by client address."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()
        self.workers = Limits().workers

    def max_open(self) -> int:
        """Return the maximum number of open connections. It leaves some file descriptors free."""
        more = FILES_PER_WORKER * max(0, self.workers - Limits().workers)
        return max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_FILES - more, 4)

    def enter(self, network: str, is_shared: bool) -> HTTPStatus | None:
        """Count a new connection. Return an HTTP status if the connection must be refused.

        The result is None if the connection is allowed. `network` is the client address.
        `is_shared` says whether many people may share this address, as behind a proxy.
        """
        self.open[network] += 1
        room = self.max_open()
        if not is_shared and self.open[network] > max_per_network(room):
            refusal("connections", 429, "")
            return HTTPStatus.TOO_MANY_REQUESTS
        if self.open.total() > room:
            refusal("connections", 503, "")
            return HTTPStatus.SERVICE_UNAVAILABLE
        return None

    def leave(self, network: str) -> None:
        """Record that a connection of a client address was closed."""
        self.open[network] -= 1
        if not self.open[network]:
            del self.open[network]


connections = Connections()


@lru_cache(maxsize=64)
def proxy_networks(named: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    """Parse the networks of proxies, such as "10.0.0.0/8", or raise `ValueError`.

    For each IPv4 network, the result also contains the IPv6 network of its IPv4-mapped addresses.
    """
    networks = [ip_network(text.strip()) for text in named]
    mapped = [
        ip_network(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
        for network in networks if network.version == 4
    ]  # fmt: skip
    return *networks, *mapped


def is_proxy(address: str, named: Iterable[str]) -> bool:
    """Return whether an IP address belongs to one of the named networks of proxies."""
    try:
        return any(ip_address(address) in network for network in proxy_networks(tuple(named)))
    except ValueError:
        return False


def max_per_network(room: int) -> int:
    """Return how many of `room` places one client address may have: a quarter, rounded up."""
    return -(-room // 4)


def network_of(address: str) -> str:
    """Return the client address under which the limits count requests from an IP address.

    For IPv6, it is the first 64 bits, which the devices of a household usually share. An IPv4
    address is returned unchanged.
    """
    try:
        number = IPv6Address(address)
    except ValueError:  # an IPv4 address, or an invalid one from a proxy
        return address
    return str(number.ipv4_mapped or IPv6Address(int(number) >> 64 << 64))
