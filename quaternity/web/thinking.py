"""What takes long runs elsewhere: programs and counts, in processes of their own under limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import LifoQueue
from random import Random
from typing import Any

from quaternity.errors import PlayerFault, PlayerTimeout
from quaternity.table.match import Planned, chosen_apart
from quaternity.table.players import make_player
from quaternity.table.protocol import Step
from quaternity.web.refusal import Refusal
from quaternity.workers.foreign import Sitting
from quaternity.workers.own_process import OwnProcess, ProcessEnded, notes

MEMORY = 2 << 30
"""Bytes that one process may have."""

MOST_WAITING = 20
"""So many counts wait for their turn."""


class Processes:
    """Some processes that do one thing at a time each; what they cannot do yet waits."""

    def __init__(self, number: int, seconds: float) -> None:
        """Nothing is started before it is needed.

        Args:
            seconds: the longest that one thing may take.
        """
        self.seconds, self.waiting = seconds, 0
        self._threads = ThreadPoolExecutor(number, "thinking")
        self._all = [OwnProcess() for _ in range(number)]
        self._idle: LifoQueue[OwnProcess] = LifoQueue()
        for process in self._all:
            self._idle.put(process)

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function (picklable, as its arguments are).

        Raises:
            ProcessEnded: a limit was reached.
            What the function raises.
        """

        def call() -> Any:
            process = self._idle.get()
            try:
                return process.call(function, *arguments, seconds=self.seconds, memory=MEMORY)
            finally:
                self._idle.put(process)

        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        finally:
            self.waiting -= 1

    def end(self) -> None:
        """End all, at once."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.end()


class Thinking:
    """Programs that think about their moves, and counts; neither waits for the other."""

    def __init__(
        self, seconds: float = 20.0, players: Mapping[tuple[str, str], str] | None = None
    ) -> None:
        """Nothing is started before it is needed.

        Args:
            seconds: the longest that a program may think about a move, and a count may take.
            players: per game and name what further programs there are.
        """
        self.players = players or {}
        self._programs, self._counts = Processes(2, seconds), Processes(1, seconds)

    async def plan(
        self, rules: Any, name: str, seat: int, steps: Sequence[Step], view: Any, random: Random
    ) -> Planned[Any] | None:
        """What a program in a seat will do; None: it waits.

        Raises:
            PlayerFault: it fails, or gives no legal move.
            PlayerTimeout: it thinks for too long.
            QuaternityError: what it says of a position that is beyond it.
        """
        who = Sitting("player", name, seat)
        name = self.players.get((rules.name, name), name)
        try:
            text, delay = await self._programs.run(
                chosen_apart, rules, name, seat, steps, view, random
            )
        except ProcessEnded as error:
            fault = PlayerTimeout if error.overdue else PlayerFault
            raise fault(f"{who} {error.how}") from None
        return None if text is None else Planned(delay, seat, rules.read(text, view))

    async def count(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function (picklable, as its arguments are).

        Raises:
            Refusal: it takes too long, or too much memory, or others wait for theirs.
            What the function raises.
        """
        if self._counts.waiting >= MOST_WAITING:
            raise Refusal(429, "too many ask for counts: try again later")
        try:
            return await self._counts.run(_counted, function, *arguments)
        except ProcessEnded as error:
            what = "took too much memory" if error.too_large else error.how
            if error.overdue:
                what = f"takes longer than {self._counts.seconds:g} s"
            raise Refusal(422, f"this {what}") from None

    async def try_player(self, rules: Any, name: str) -> None:
        """Make sure that a program can be made.

        Raises:
            InputError: it cannot.
            Refusal: that takes too long.
        """
        await self.count(_tried, rules, name)

    def end(self) -> None:
        """End all that thinks, at once."""
        self._programs.end()
        self._counts.end()


def _tried(rules: Any, name: str) -> None:
    make_player(rules, name)


def _counted(function: Callable[..., Any], *arguments: Any) -> Any:
    """In a process of its own: what takes time there is the function."""
    told = notes()
    assert told is not None, "in a process of its own"
    told.thinks(0)
    return function(*arguments)


__all__ = ["Thinking"]
