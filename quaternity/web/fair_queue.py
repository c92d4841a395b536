"""A queue for a limited number of places, in which the network addresses of clients take turns."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from quaternity.web.rate_limits import client_address


class FairQueue:
    """A queue for a limited number of places, such as worker processes.

    The network addresses of clients take turns.
    """

    def __init__(self, places: int, max_each: int) -> None:
        """Set up the queue. Each client address may have at most `max_each` places at a time."""
        self._free, self._most_each = places, max_each
        self._running: Counter[str] = Counter()
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def take(self) -> str:
        """Wait for a place for the client address of the current request, and return this address.

        The caller must pass the address to `give_back` to free the place.
        """
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
        """Wait for a place, and free it at the end of an `async with` block."""
        network = await self.take()
        try:
            await asyncio.sleep(0)  # lets requests that have arrived run first
            yield
        finally:
            self.give_back(network)

    def give_back(self, network: str) -> None:
        """Free a place of the client address `network`, so that the next waiting client gets it."""
        self._free += 1
        self._running -= Counter((network,))
        if network in self._queues:
            # Move the address behind all other addresses that are waiting.
            self._queues.move_to_end(network)
        self._assign_places()

    def _assign_places(self) -> None:
        """Give free places to waiting clients. Addresses that have the fewest places come first."""
        for network in sorted(self._queues, key=self._running.__getitem__):
            if not self._free:
                break
            if self._running[network] >= self._most_each:
                continue
            queue = self._queues.pop(network)
            while queue and queue[0].done():
                queue.popleft()  # cancelled while waiting
            if queue:
                self._free -= 1
                self._running[network] += 1
                queue.popleft().set_result(None)
            if queue:
                self._queues[network] = queue

    def end(self) -> None:
        """Cancel all calls of `take` that are waiting."""
        for queue in self._queues.values():
            for turn in queue:
                turn.cancel()
