"""A queue of commands for one table, which are executed one at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from typing import Any, TypeAlias

from quaternity.web.core import Command
from quaternity.web.http_errors import HttpError


class Reload:
    """A command to reload the table from the store, because another server has changed it."""


class ForgetRematch:
    """A command to forget the table of the rematch, because it was deleted."""


QueuedCommand: TypeAlias = Command | Reload | ForgetRematch
"""Type of the commands that a queue executes."""


class CommandQueue:
    """A queue of commands for a table. A task executes them one at a time.

    Attributes:
        gone: Status and message of the error for all further commands, because the table was
            deleted or dropped from memory. Otherwise None.
    """

    def __init__(self, execute: Callable[[QueuedCommand, Context], Awaitable[Any]]) -> None:
        """Set up a queue whose commands are executed by a function, in the sender's context."""
        self.gone: tuple[int, str] | None = None
        self._execute = execute
        self._waiting: deque[tuple[QueuedCommand, Context, asyncio.Future[Any]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Return whether a command is being executed or waits."""
        return self._worker is not None

    async def submit(self, command: QueuedCommand) -> Any:
        """Execute a command after those that wait, and return its answer."""
        self.check_open()
        done = asyncio.get_running_loop().create_future()
        # The context of the sender has the language of messages.
        self._waiting.append((command, copy_context(), done))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        return await done

    async def close(self, status: int, message: str) -> None:
        """Refuse all further commands with an error, and wait for the command under way."""
        self.gone = status, message
        if self._worker is not None:
            await asyncio.shield(self._worker)

    def check_open(self) -> None:
        """Raise `HttpError` if the queue accepts no commands."""
        if self.gone is not None:
            raise HttpError(*self.gone)

    async def _work(self) -> None:
        while self._waiting:
            command, context, done = self._waiting.popleft()
            if done.cancelled():
                continue
            try:
                self.check_open()
                answer = await self._execute(command, context)
            except Exception as error:
                # Pass every error to the sender, so that the next command is executed.
                if not done.done():
                    done.set_exception(error)
            else:
                if not done.done():
                    done.set_result(answer)
        self._worker = None
