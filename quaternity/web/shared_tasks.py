"""A cache of background tasks, so that all requests for the same result share one computation."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from functools import partial
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class SharedTasks(Generic[Key]):
    """A cache of `asyncio` tasks by key. All requests with the same key share one task.

    A task that fails is removed from the cache, so the next request starts another task.
    """

    def __init__(self, max_tasks: int) -> None:
        """Set up a cache of at most `max_tasks` tasks, which drops the least recently used task."""
        self._max_tasks = max_tasks
        self._tasks: OrderedDict[Key, asyncio.Task[Any]] = OrderedDict()

    def begin(self, key: Key, compute: Callable[[], Coroutine[Any, Any, Any]]) -> asyncio.Task[Any]:
        """Return the task of a key. If there is no such task, start one that runs `compute`."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(compute())
            task.add_done_callback(partial(self._forget_failure, key))
            while len(self._tasks) > self._max_tasks:
                self._tasks.popitem(last=False)
        self._tasks.move_to_end(key)
        return task

    async def result(self, key: Key, compute: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return the result of the task with a key, or raise the exception of the task.

        If the key has no task, start a task that runs `compute`.
        """
        # If this request is cancelled, the task continues, because others may wait for it.
        return await asyncio.shield(self.begin(key, compute))

    def _forget_failure(self, key: Key, task: asyncio.Task[Any]) -> None:
        if (task.cancelled() or task.exception()) and self._tasks.get(key) is task:
            del self._tasks[key]
