"""Computations in separate processes, with limits on time and memory.

Some processes choose the moves of computer players, which are called programs. One process draws
large pages. The others run counts: computations for a page, such as a hint, a puzzle or the review
of a game. A count that may take long is *expensive* (`dear` in the code); others are *cheap*.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import LifoQueue
from random import Random
from typing import Any, TypeVar

from quaternity.base.errors import PlayerFault, PlayerTimeout
from quaternity.table.match import ChosenMove, choose_move_isolated
from quaternity.table.players import make_player
from quaternity.table.protocol import Step
from quaternity.web.fair_queue import FairQueue
from quaternity.web.http_errors import HttpError
from quaternity.web.languages import language, using_language
from quaternity.web.rate_limits import WORK, RateLimits, client_address, refusal
from quaternity.workers.isolated_calls import IsolatedProcess, ProcessEnded
from quaternity.workers.isolated_players import SeatedPlayer
from quaternity.workers.notes import notes

T = TypeVar("T")

MEMORY = 2 << 30
"""Memory limit of each worker process, in bytes."""

COSTLY_NICENESS = 15
"""Niceness (Unix priority) of a process during a long computation. Computer players run at normal
niceness."""


class ProcessPool:
    """A pool of processes, each of which runs one call at a time. Further calls wait in a queue.

    Calls from different client addresses take turns. In a pool of several processes, the calls of
    one address cannot use all of them at the same time, so one process is left for other addresses.
    """

    def __init__(self, number: int, seconds: float) -> None:
        """Set up a pool of `number` processes, which start on first use.

        `seconds` is the time limit of each call, not counting the time that it waits for a process.
        """
        self.seconds = seconds
        self.waiting: Counter[str] = Counter()
        self._turns = FairQueue(number, max(1, number - 1))
        self._threads = ThreadPoolExecutor(number, "thinking")
        self._all = [IsolatedProcess() for _ in range(number)]
        self._idle: LifoQueue[IsolatedProcess] = LifoQueue()
        for process in self._all:
            self._idle.put(process)

    async def run(
        self, function: Callable[..., Any], *arguments: Any, patience: float | None = None
    ) -> Any:
        """Call a function in one of the processes, and return its result or raise its exception.

        The function and its arguments must be picklable. The call waits for a free process for
        `patience` seconds, or without limit if `patience` is None.

        Raises:
            HttpError: If no process is free within `patience` seconds.
            ProcessEnded: If the call exceeds the limit of time or memory, or its process ends.
        """

        def call() -> Any:
            process = self._idle.get()
            try:
                return process.call(function, *arguments, seconds=self.seconds, memory=MEMORY)
            finally:
                self._idle.put(process)

        network, loop = client_address.get(), asyncio.get_running_loop()

        def done(work: Future[Any]) -> None:
            del work
            # Scheduling the function fails if the event loop has already ended.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._turns.give_back, network)

        self.waiting[network] += 1
        try:
            try:
                async with asyncio.timeout(patience):
                    await self._turns.take()
            except TimeoutError:
                busy = f"no worker process was free within {patience:g} s: try again later"
                raise refusal("processes", 503, busy) from None
            work = self._threads.submit(call)
            # The call continues if its caller is cancelled, so count it until it ends.
            work.add_done_callback(done)
            return await asyncio.wrap_future(work)
        finally:
            self.waiting[network] -= 1
            self.waiting += Counter()  # removes the addresses with a count of 0

    def end(self) -> None:
        """Stop all processes immediately."""
        self._turns.end()
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.end()


class BackgroundWork:
    """The worker processes of a server, in four pools.

    The pools are for moves of computer players, short computations, long computations, and large
    pages. A move therefore never waits for other work.
    """

    def __init__(
        self,
        seconds: float = 20.0,
        players: Mapping[tuple[str, str], str] | None = None,
        admission: RateLimits | None = None,
    ) -> None:
        """Set up the pools of worker processes. Each process starts on first use.

        Args:
            seconds: Time limit for a move of a computer player, and for any other computation.
            players: Additional computer players, as in `quaternity.web.app.app`.
            admission: Rate limits for computations. Its `limits` contain the number of processes.
        """
        self.players = players or {}
        # Wait for a process for longer than a count may take, so that the next call in the queue
        # is not refused.
        self.patience = seconds + 10
        self.admission = admission or RateLimits()
        number = max(1, self.admission.limits.workers)
        self._programs, self._cheap = ProcessPool(number, seconds), ProcessPool(number, seconds)
        self._dear = ProcessPool(max(1, number - 1), seconds)
        self._pages = ProcessPool(1, seconds)

    async def plan(
        self, rules: Any, name: str, seat: int, steps: Sequence[Step], view: Any, random: Random
    ) -> ChosenMove[Any] | None:
        """Let a computer player choose a move in another process, and return the move.

        `steps` are the moves so far, and `view` is what the player sees of the position. Return
        None if the player prefers not to move yet. Raises `PlayerFault` if the player fails, or its
        subclass `PlayerTimeout` if the player takes too long.
        """
        sitting = SeatedPlayer("player", name, seat)
        short, name = name, self.players.get((rules.name, name), name)
        try:
            text, delay = await self._programs.run(
                choose_move_isolated, rules, name, seat, steps, view, random
            )
        except ProcessEnded as error:
            fault = PlayerTimeout if error.overdue else PlayerFault
            raise fault(f"{sitting} {error.how}") from None
        # The error is shown to players, so replace the program's specification by its short name.
        except PlayerFault as error:
            raise type(error)(error.message.replace(repr(name), repr(short))) from None
        return None if text is None else ChosenMove(delay, seat, rules.read(text, view))

    async def count(self, function: Callable[..., Any], *arguments: Any, kind: str = "help") -> Any:
        """Call a function in a worker process, and return its result or raise its exception.

        The function and its arguments must be picklable. `kind` is a key of `rate_limits.WORK`,
        which says whether the computation may take long, and how it counts for the rate limits.

        Raises `HttpError` if the call takes too much time or memory, no process becomes free in
        time, or the client's address has requested too many computations.
        """
        self.admission.count(kind)
        dear = WORK[kind].dear
        processes = self._dear if dear else self._cheap
        self.admission.check_waiting(processes.waiting[client_address.get()])
        try:
            return await processes.run(
                _call_in_worker, dear, function, *arguments, patience=self.patience
            )
        except ProcessEnded as error:
            too_long = f"takes longer than {processes.seconds:g} s"
            raise HttpError(
                422, f"the computation {too_long if error.overdue else error.how}"
            ) from None

    async def draw(self, apart: bool, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function that draws a page in the language of the request, and return its result.

        If `apart` is true, the process for large pages runs the call. Raises `HttpError` if the
        call takes too much time or memory, or if that process is not free in time.
        """
        if not apart:
            return function(*arguments)
        try:
            drawn: T = await self._pages.run(
                _draw, language(), function, *arguments, patience=self.patience
            )
        except ProcessEnded as error:
            raise HttpError(503, f"the page cannot be drawn now ({error.how})") from None
        return drawn

    def waiting(self) -> dict[str, int]:
        """Return the number of computations that are running or waiting, by kind.

        The kinds are `programs` (choosing moves of computer players), `cheap` (short computations)
        and `dear` (long computations).
        """
        kinds = {"programs": self._programs, "cheap": self._cheap, "dear": self._dear}
        return {kind: processes.waiting.total() for kind, processes in kinds.items()}

    async def try_player(self, rules: Any, name: str) -> None:
        """Check that a computer player can be created for a game with these rules.

        Raises `InputError` if it cannot be created, or `HttpError` if this takes too long.
        """
        await self.count(_try_player, rules, name, kind="player")

    def end(self) -> None:
        """Stop all processes immediately."""
        for processes in (self._programs, self._cheap, self._dear, self._pages):
            processes.end()


def _try_player(rules: Any, name: str) -> None:
    make_player(rules, name)


def _draw(spoken: str, function: Callable[..., T], *arguments: Any) -> T:
    with using_language(spoken):
        return function(*arguments)


def _call_in_worker(dear: bool, function: Callable[..., Any], *arguments: Any) -> Any:
    if dear:
        os.setpriority(os.PRIO_PROCESS, 0, COSTLY_NICENESS)
    announced = notes()
    assert announced is not None, "this function must run in a worker process"
    announced.note_thinking(0)
    return function(*arguments)
