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


class Thinking:
    """Some processes that think, one thing at a time each; what they cannot do yet waits."""

    def __init__(
        self,
        processes: int = 2,
        seconds: float = 20.0,
        players: Mapping[tuple[str, str], str] | None = None,
    ) -> None:
        """Nothing is started before it is needed.

        Args:
            players: per game and name what further programs there are.
            seconds: the longest that a program may think about a move, and a count may take.
        """
        self.seconds, self.players = seconds, players or {}
        self._threads = ThreadPoolExecutor(processes, "thinking")
        self._idle: LifoQueue[OwnProcess] = LifoQueue()
        self._all = [OwnProcess() for _ in range(processes)]
        for process in self._all:
            self._idle.put(process)

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
            text, delay = await self._run(
                self.seconds, chosen_apart, rules, name, seat, steps, view, random
            )
        except ProcessEnded as error:
            fault = PlayerTimeout if error.overdue else PlayerFault
            raise fault(f"{who} {error.how}") from None
        return None if text is None else Planned(delay, seat, rules.read(text, view))

    async def count(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a function (picklable, as its arguments are).

        Raises:
            Refusal: it takes too long, or too much memory.
            What the function raises.
        """
        try:
            return await self._run(self.seconds, _counted, function, *arguments)
        except ProcessEnded as error:
            what = "took too much memory" if error.too_large else error.how
            if error.overdue:
                what = f"takes longer than {self.seconds:g} s"
            raise Refusal(422, f"this {what}") from None

    async def try_player(self, rules: Any, name: str) -> None:
        """Make sure that a program can be made.

        Raises:
            InputError: it cannot.
            Refusal: that takes too long.
        """
        await self.count(_tried, rules, name)

    async def _run(self, seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
        def call() -> Any:
            process = self._idle.get()
            try:
                return process.call(function, *arguments, seconds=seconds, memory=MEMORY)
            finally:
                self._idle.put(process)

        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    def end(self) -> None:
        """End all that thinks, at once."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.end()


def _tried(rules: Any, name: str) -> None:
    make_player(rules, name)


def _counted(function: Callable[..., Any], *arguments: Any) -> Any:
    """In a process of its own: what takes time there is the function."""
    told = notes()
    assert told is not None, "in a process of its own"
    told.thinks(0)
    return function(*arguments)


__all__ = ["Thinking"]
