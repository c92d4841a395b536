"""A queue of commands (requests to change a table), which executes them one at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from typing import Any, NamedTuple, TypeAlias

from quaternity.web.core import Command
from quaternity.web.http_errors import HttpError


class Reload:
    """A command that reloads the table from the database if another server has changed it."""


class ForgetRematch(NamedTuple):
    """A command that removes the link to a rematch whose table was deleted.

    `deleted` contains the ids of the deleted tables.
    """

    deleted: frozenset[str]


QueuedCommand: TypeAlias = Command | Reload | ForgetRematch
"""Type of the commands that a queue accepts."""


class CommandQueue:
    """A queue of commands (requests to change a table), which executes them one at a time.

    Attributes:
        gone: HTTP status and message of the error that refuses every further command, after the
            table was deleted or dropped from memory. None while the queue accepts commands.
    """

    def __init__(self, execute: Callable[[QueuedCommand, Context], Awaitable[Any]]) -> None:
        """Set up a queue.

        `execute` is called with each command and the context (`contextvars`) of its sender.
        """
        self.gone: tuple[int, str] | None = None
        self._execute = execute
        self._waiting: deque[tuple[QueuedCommand, Context, asyncio.Future[Any]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Return whether a command is being executed or is waiting."""
        return self._worker is not None

    async def submit(self, command: QueuedCommand) -> Any:
        """Execute a command once all earlier commands are finished, and return its result.

        Raises `HttpError` if the queue is closed, and any error that the command raises.
        """
        self.check_open()
        done = asyncio.get_running_loop().create_future()
        # The context of the sender contains the language for messages.
        self._waiting.append((command, copy_context(), done))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        return await done

    async def close(self, status: int, message: str) -> None:
        """Refuse all further commands with an error, and wait until the running command ends."""
        self.gone = status, message
        if self._worker is not None:
            await asyncio.shield(self._worker)

    def check_open(self) -> None:
        """Raise `HttpError` if the queue no longer accepts commands."""
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
                # Pass every error to the sender, so that the queue executes the next command.
                if not done.done():
                    done.set_exception(error)
            else:
                if not done.done():
                    done.set_result(answer)
        self._worker = None
