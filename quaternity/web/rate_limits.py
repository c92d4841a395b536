"""Rate limits, connection limits, and fair queues between client addresses.

`Limits` holds all limits, and `WORK` what each kind of request costs. An *address* here is a
network: an IPv4 address, or the first 64 bits of an IPv6 address. `refusal` makes every refusal,
and counts it by its reason.
"""

from __future__ import annotations

import asyncio
import json
import math
import resource
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Collection, Hashable, Iterable, Mapping
from contextlib import asynccontextmanager
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
"""Seconds within which a client must read half of the pending data."""

RESERVED_FILES = 80
"""File descriptors reserved for purposes other than connections: the database and the pipes of
programs."""

FILES_PER_WORKER = 6
"""Further file descriptors reserved for each of `workers` above the default number."""

MAX_PENDING_COUNTS = 20
"""Maximum number of counts of one address, cheap or expensive, that run or wait at a time."""

SEATS_PER_ADDRESS = 20
"""Factor by which the limit for all seats of one address exceeds the limit for one seat."""


class Limits(NamedTuple):
    """Rate limits and other limits of the server.

    Attributes:
        body: Maximum size of the body of a request, in bytes.
        record: Maximum size of an uploaded record, in bytes.
        moves: Requests per minute and seat that change a table.
        pages: Pages and documents read per minute, by an address or a seat.
        tables: Tables made and seats taken or given away per minute and address.
        counts: Counts (help, puzzles, analyses and the like) per minute, by an address.
        kept: Number of stored tables.
        streams: Number of open streams, if the server may have enough connections. At most a
            quarter of them are from one address, and at most three quarters are of bystanders.
        readers: Number of streams of a seat at a table, or of the bystanders of a table. At most
            three quarters of those of the bystanders are from one address.
        words: Chat lines and reactions per minute, by a seat or an address.
        workers: Number of processes for programs. There are as many for cheap counts, and one
            fewer for expensive counts.
    """

    body: int = 16 << 10
    record: int = 1 << 20
    moves: int = 1200
    pages: int = 6000
    tables: int = 300
    counts: int = 300
    kept: int = 100_000
    streams: int = 4000
    readers: int = 100
    words: int = 30
    workers: int = 3


class Work(NamedTuple):
    """A kind of work: the limit it counts for, its cost, and whether it is an expensive count."""

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
"""The cost of each kind of work."""

client_address: ContextVar[str] = ContextVar("asker", default="")
"""The client address of the current request, which the tasks that it starts inherit."""

refusal_counts: Counter[str] = Counter()
"""The number of refusals, by reason."""


def refusal(reason: str, status: int, text: str, seconds: float = 5.0) -> HttpError:
    """Count and return a refusal; with status 429 or 503, the client may retry after `seconds`."""
    refusal_counts[reason] += 1
    error = HttpError(status, text)
    error.retry_after = max(1, math.ceil(seconds)) if status in (429, 503) else None
    return error


class LeakyBuckets:
    """Leaky-bucket counters of recent use, by key."""

    def __init__(self, max_keys: int = 10_000) -> None:
        self._most = max_keys
        self._used: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()
        self._new: dict[Hashable, tuple[float, int]] = {}
        """For each key, what was used since the last `collect_use`, and how much is freed per
        minute."""
        self.shared = False

    def wait(self, key: Hashable, per_minute: int, cost: int = 1) -> float:
        """Count a use and return 0, or return the seconds until it will be allowed."""
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
        """Return what was used since the last call, by keys as JSON."""
        self.shared = True
        self._texts = {json.dumps(key): key for key in self._new}
        taken = {text: self._new[key] for text, key in self._texts.items()}
        self._new.clear()
        return taken

    def apply_total_use(self, used: Mapping[str, float]) -> None:
        """Replace the counters by the total use at all servers."""
        for text, amount in used.items():
            key = self._texts[text]
            self._used[key] = amount + self._unsent_use(key), monotonic()

    def _unsent_use(self, key: Hashable) -> float:
        return self._new[key][0] if key in self._new else 0.0


class FairQueue:
    """A fair queue for a number of places: addresses take turns, and each has a limited number."""

    def __init__(self, places: int, max_each: int) -> None:
        self._free, self._most_each = places, max_each
        self._running: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def take(self) -> str:
        """Wait for a place; return the address with which to give it back."""
        network, turn = client_address.get(), asyncio.get_running_loop().create_future()
        self._queues.setdefault(network, deque()).append(turn)
        self._assign_places()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.give_back(network)
            raise
        return network

    @asynccontextmanager
    async def hold_place(self) -> AsyncIterator[None]:
        """Hold a place during a `with` block."""
        network = await self.take()
        try:
            await asyncio.sleep(0)  # let requests that arrived meanwhile run first
            yield
        finally:
            self.give_back(network)

    def give_back(self, network: str) -> None:
        """Free a place of an address."""
        self._free += 1
        self._running -= Counter((network,))
        if network in self._queues:
            self._queues.move_to_end(network)  # behind the addresses that queued meanwhile
        self._assign_places()

    def _assign_places(self) -> None:
        """Give the free places to the addresses with the fewest, in the order of the queue."""
        for network in sorted(self._queues, key=self._running.__getitem__):
            if not self._free:
                break
            if self._running[network] >= self._most_each:
                continue
            queue = self._queues.pop(network)
            while queue and queue[0].done():
                queue.popleft()  # its waiter was cancelled
            if queue:
                self._free -= 1
                self._running[network] += 1
                queue.popleft().set_result(None)
            if queue:
                self._queues[network] = queue

    def end(self) -> None:
        """Cancel all waiting requests for a place."""
        for queue in self._queues.values():
            for turn in queue:
                turn.cancel()


class RateLimits:
    """The rate limits of the server, with the recent use of each client."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._rates = LeakyBuckets()
        connections.workers = self.limits.workers

    def count(self, kind: str, seat: Hashable = None) -> None:
        """Count some work for the client or its seat, or raise `HttpError` above the limit.

        A seat has a separate budget, whatever else its address requests.
        """
        work = WORK[kind]
        limit = getattr(self.limits, work.limit)
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
        """Return the use of the budgets since the last call; see `Store.exchange`."""
        return self._rates.collect_use()

    def apply_total_use(self, used: Mapping[str, float]) -> None:
        """Update the budgets with the total use at all servers."""
        self._rates.apply_total_use(used)

    def check_waiting(self, waiting: int) -> None:
        """Raise `HttpError` if too many counts for an address are already running or waiting."""
        if waiting >= MAX_PENDING_COUNTS:
            raise refusal("waiting", 429, "too many pending requests for counts: try again later")

    def check_stored_tables(self, kept: int) -> None:
        """Raise `HttpError` if the maximum number of tables is already stored."""
        if kept >= self.limits.kept:
            raise refusal("kept", 507, TOO_MANY_TABLES(kept=kept))

    def check_stream(self, seat: int | None, table: Collection[Any], every: Collection[Any]) -> str:
        """Return the client address for a new stream; raise `HttpError` if too many are open."""
        network, limit = client_address.get(), min(self.limits.streams, connections.max_open())
        room = limit - (limit // 4 if seat is None else 0)  # a quarter is reserved for players
        same_seat = [stream for stream in table if stream.seat == seat]
        readers = self.limits.readers
        own = readers - (readers // 4 if seat is None else 0)  # and one for other addresses
        if (
            len(every) >= room
            or sum(stream.network == network for stream in every) >= max_per_network(limit)
            or len(same_seat) >= readers
            or sum(stream.network == network for stream in same_seat) >= own
        ):
            raise refusal("streams", 429, "too many open streams: try again later", 15)
        return network


class Connections:
    """The connections of this process, by network."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()
        self.workers = Limits().workers

    def max_open(self) -> int:
        """Return the maximum number of connections that leaves files for tables and programs."""
        more = FILES_PER_WORKER * max(0, self.workers - Limits().workers)
        return max(resource.getrlimit(resource.RLIMIT_NOFILE)[0] - RESERVED_FILES - more, 4)

    def enter(self, network: str, is_shared: bool) -> HTTPStatus | None:
        """Count a connection; return the HTTP status of the refusal if there are too many.

        `is_shared` says that many people share the address, as behind a proxy.
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
        """Stop counting a closed connection."""
        self.open[network] -= 1
        if not self.open[network]:
            del self.open[network]


connections = Connections()


@lru_cache(maxsize=64)
def proxy_networks(named: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return the networks of proxies, for IPv4 also as IPv6 sockets see them."""
    networks = [ip_network(text.strip()) for text in named]
    mapped = [
        ip_network(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
        for network in networks if network.version == 4
    ]  # fmt: skip
    return *networks, *mapped


def is_proxy(address: str, named: Iterable[str]) -> bool:
    """Return whether an address belongs to one of the named proxies."""
    try:
        return any(ip_address(address) in network for network in proxy_networks(tuple(named)))
    except ValueError:
        return False


def max_per_network(room: int) -> int:
    """Return how many of some places one network may have: a quarter, rounded up."""
    return -(-room // 4)


def network_of(address: str) -> str:
    """Return the network of an address, which for IPv6 is the first 64 bits: those of one line."""
    try:
        number = IPv6Address(address)
    except ValueError:  # IPv4, or whatever a proxy sent
        return address
    return str(number.ipv4_mapped or IPv6Address(int(number) >> 64 << 64))
