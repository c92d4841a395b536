"""Long work that runs elsewhere: programs and counts, in processes of their own under limits."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from queue import LifoQueue
from random import Random
from typing import Any

from quaternity.base.errors import PlayerFault, PlayerTimeout
from quaternity.table.match import Planned, chosen_apart
from quaternity.table.players import make_player
from quaternity.table.protocol import Step
from quaternity.web.rates import Rates
from quaternity.web.refusal import Refusal
from quaternity.workers.foreign import Sitting
from quaternity.workers.notes import notes
from quaternity.workers.own_process import OwnProcess, ProcessEnded

MEMORY = 2 << 30
"""Bytes that one process may have."""

MOST_WAITING = 20
"""So many counts of one address wait for their turn."""

asker: ContextVar[str] = ContextVar("asker", default="")
"""The address for which something is done; what a request begins is done for the same."""


class Processes:
    """Some processes that do one thing at a time each; what they cannot do yet waits.

    Addresses take turns, and none has all processes at once where there are several: however much
    one of them asks for, another finds a process.
    """

    def __init__(self, number: int, seconds: float) -> None:
        """Start nothing before it is needed; nothing may take longer than some seconds."""
        self.seconds, self._free = seconds, number
        self._most_each = max(1, number - 1)
        self.waiting: Counter[str] = Counter()
        self._running: Counter[str] = Counter()
        self._turns: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._threads = ThreadPoolExecutor(number, "thinking")
        self._all = [OwnProcess() for _ in range(number)]
        self._idle: LifoQueue[OwnProcess] = LifoQueue()
        for process in self._all:
            self._idle.put(process)

    async def run(
        self, function: Callable[..., Any], *arguments: Any, patience: float | None = None
    ) -> Any:
        """Return the result of a function, picklable as its arguments are, or raise what it raises.

        A Refusal if no process is free for `patience` seconds; ProcessEnded where a limit was
        reached.
        """

        def call() -> Any:
            process = self._idle.get()
            try:
                return process.call(function, *arguments, seconds=self.seconds, memory=MEMORY)
            finally:
                self._idle.put(process)

        who, loop = asker.get(), asyncio.get_running_loop()

        def done(work: Future[Any]) -> None:
            del work
            with suppress(RuntimeError):  # the loop has ended before
                loop.call_soon_threadsafe(self._give_back, who)

        self.waiting[who] += 1
        try:
            try:
                async with asyncio.timeout(patience):
                    await self._turn(who)
            except TimeoutError:
                busy = f"no process was free for this within {patience:g} s: try again later"
                raise Refusal(503, busy) from None
            work = self._threads.submit(call)
            work.add_done_callback(done)  # a call that nobody waits for any more ends all the same
            return await asyncio.wrap_future(work)
        finally:
            self.waiting[who] -= 1
            self.waiting += Counter()  # without those who have nothing here

    async def _turn(self, who: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._turns.setdefault(who, deque()).append(turn)
        self._give_out()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._give_back(who)
            raise

    def _give_back(self, who: str) -> None:
        self._free += 1
        self._running -= Counter((who,))
        self._give_out()

    def _give_out(self) -> None:
        """Let those begin whose turn it is; who has had theirs goes to the end."""
        for who in list(self._turns):
            if not self._free:
                break
            if self._running[who] >= self._most_each:
                continue
            turns = self._turns.pop(who)
            while turns and turns[0].done():
                turns.popleft()  # nobody waits for it any more
            if turns:
                self._free -= 1
                self._running[who] += 1
                turns.popleft().set_result(None)
            if turns:
                self._turns[who] = turns

    def end(self) -> None:
        """End all, at once."""
        for turns in self._turns.values():
            for turn in turns:
                turn.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.end()


class Thinking:
    """Programs that think about their moves, and counts; neither waits for the other."""

    def __init__(
        self,
        seconds: float = 20.0,
        players: Mapping[tuple[str, str], str] | None = None,
        counts: int = 300,
    ) -> None:
        """Start nothing before it is needed.

        Args:
            seconds: the longest that a program may think about a move, and a count may take.
            players: per game and name what further programs there are.
            counts: how many an address may ask for in a minute.
        """
        self.players = players or {}
        # Longer than a count may take, so that who is next in turn is not refused.
        self.patience = seconds + 10
        self._programs, self._counts = Processes(3, seconds), Processes(3, seconds)
        self._rates, self._most_counts = Rates(), counts

    async def plan(
        self, rules: Any, name: str, seat: int, steps: Sequence[Step], view: Any, random: Random
    ) -> Planned[Any] | None:
        """Return what a program in a seat will do; None: it waits. As `Match.next_program`."""
        who = Sitting("player", name, seat)
        short, name = name, self.players.get((rules.name, name), name)
        try:
            text, delay = await self._programs.run(
                chosen_apart, rules, name, seat, steps, view, random
            )
        except ProcessEnded as error:
            fault = PlayerTimeout if error.overdue else PlayerFault
            raise fault(f"{who} {error.how}") from None
        except PlayerFault as error:  # what stands behind a name is nobody's business at a table
            raise type(error)(error.what.replace(repr(name), repr(short))) from None
        return None if text is None else Planned(delay, seat, rules.read(text, view))

    async def count(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the result of a function, picklable as its arguments are, or raise what it raises.

        A Refusal if it takes too long or too much memory, or if too many are asked for.
        """
        self._rates.count(asker.get(), self._most_counts)
        if self._counts.waiting[asker.get()] >= MOST_WAITING:
            raise Refusal(429, "too many counts are asked for: try again later")
        try:
            return await self._counts.run(_counted, function, *arguments, patience=self.patience)
        except ProcessEnded as error:
            what = "took too much memory" if error.too_large else error.how
            if error.overdue:
                what = f"takes longer than {self._counts.seconds:g} s"
            raise Refusal(422, f"this {what}") from None

    async def try_player(self, rules: Any, name: str) -> None:
        """Make sure that a program can be made; a Refusal if that takes too long."""
        await self.count(_tried, rules, name)

    def end(self) -> None:
        """End all that thinks, at once."""
        self._programs.end()
        self._counts.end()


def _tried(rules: Any, name: str) -> None:
    make_player(rules, name)


def _counted(function: Callable[..., Any], *arguments: Any) -> Any:
    """In a process of its own: what takes time there is the function."""
    announced = notes()
    assert announced is not None, "in a process of its own"
    announced.thinks(0)
    return function(*arguments)
