"""Pools for bulk work: an ordered map in this process, in several processes or on a Dask cluster.

    with open_executor(workers=8) as pool:
        for result in ordered_map(pool, play_one, range(10_000), chunk_size=50):
            ...

All work runs in a `concurrent.futures.Executor`. The results are yielded in the order of the items,
and each item has a separate random generator (`item_random`). Therefore, the same seed gives the
same results in one process, in eight processes or on a cluster.

If a worker process dies, its items are submitted again, so no results are lost. If an item raises
an error, the results of all earlier items are yielded first.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias, TypeVar

from quaternity.base.errors import InputError, SolverFault, WorkersLost
from quaternity.base.interrupts import is_interrupt, leave_interrupts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")
_Done: TypeAlias = "tuple[list[Result], Raised | None]"
"""Type of the results of a chunk (a group of calls): the results before the first error, and the
error. The error is None if all calls succeeded."""

MAX_LOSSES = 4
"""Maximum number of times that workers may die without finishing a group of calls in between."""

MAX_WORKERS = 1024
"""Maximum number of processes that `open_executor` starts."""

CHECK_SECONDS = 2
"""Seconds between two checks of whether the workers can still return results."""


def item_random(seed: int, index: int) -> Random:
    """Return a random generator for an item. It depends only on the seed and the item's index.

    >>> item_random(7, 3).random() == item_random(7, 3).random() != item_random(7, 4).random()
    True
    """
    return Random(f"{seed}/{index}")


class SerialExecutor(Executor):
    """Executor that runs each call immediately in this process. Interrupts are not caught."""

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Future[Result]:
        """Call the function and return a finished future."""
        future: Future[Result] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _nothing() -> None:
    pass


class Pool:
    """An executor that is started when it is needed, and restarted if its workers die.

    Attributes:
        in_flight: Maximum number of chunks (groups of calls) that are submitted at the same time.
        threads: Maximum number of threads of this process while the workers are idle.
        lost: Types of exceptions which show that a worker died.
    """

    def __init__(
        self,
        start: Callable[[], tuple[Executor, Callable[[], None]]],
        in_flight: int,
        lost: tuple[type[BaseException], ...] = (),
        check: Callable[[], None] = _nothing,
        threads: int = 1,
        prepare: Callable[[Iterable[str], Callable[[], object]], None] = lambda names, check: None,
    ) -> None:
        """Initialize a pool. No worker is started yet.

        Args:
            start: Function that returns an executor, and a function that ends it immediately,
                including running calls.
            in_flight: Maximum number of chunks (groups of calls) that are submitted at the same
                time.
            lost: Types of exceptions that are raised when a worker dies, besides `BrokenExecutor`.
            check: Function that is called every `CHECK_SECONDS` while the pool waits for a result.
                It must raise an error if no more results can arrive.
            threads: Maximum number of threads of this process while the workers are idle.
            prepare: Function that makes external players and solvers available to the workers. It
                takes their names, and a function that checks them on each worker. It raises
                `InputError` if the check fails.
        """
        self._start = start
        self._running: tuple[Executor, Callable[[], None]] | None = None
        self._check = check
        self.prepare = prepare
        self.in_flight = in_flight
        self.threads = threads
        self.lost: tuple[type[BaseException], ...] = (BrokenExecutor, *lost)

    @classmethod
    def around(cls, executor: Executor, in_flight: int = 4) -> Pool:
        """Return a pool that uses the caller's executor, but never ends or restarts it."""
        return cls(lambda: (executor, _nothing), in_flight)

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Submit a call to the workers."""
        if self._running is None:
            self._running = self._start()
        return self._running[0].submit(function, *arguments)

    def wait(self, future: Future[Result]) -> Result:
        """Wait for the result of a future that `submit` returned."""
        while True:
            try:
                return future.result(timeout=CHECK_SECONDS)
            except TimeoutError:
                if future.done():
                    raise  # The submitted function raised this error.
                self._check()

    def terminate(self) -> None:
        """End all workers and their calls immediately. The next `submit` starts new workers."""
        running, self._running = self._running, None
        if running is not None:
            _, end_now = running
            end_now()

    def close(self) -> None:
        """Wait for the running calls, then stop the workers."""
        running, self._running = self._running, None
        if running is not None:
            executor, end_now = running
            executor.shutdown(wait=True)
            end_now()


@contextmanager
def open_executor(workers: int = 1, dask: str | None = None) -> Iterator[Pool]:
    """Open a pool: this process (if `workers` is 1), several processes, or a Dask cluster.

    Processes are spawned, so functions, items and results must be picklable, and the functions must
    be in an importable module. The scheduler and the workers of a cluster must have the same
    version of this package. `Pool.prepare` sends the code of external players and solvers to the
    workers. An exception in the `with` block stops all workers immediately.

    Args:
        workers: Number of processes. This argument is ignored if `dask` is given.
        dask: Address of a running scheduler, such as `tcp://10.0.0.5:8786`.

    Raises:
        InputError: If the number of workers is out of range, or the cluster cannot be used (see
            `quaternity.workers.cluster.cluster_client`).
    """
    if dask is not None:
        from quaternity.workers.cluster import cluster_client, cluster_parts

        with cluster_client(dask) as client, _closing(Pool(*cluster_parts(client))) as pool:
            yield pool
    elif not 1 <= workers <= MAX_WORKERS:
        raise InputError(f"workers: {workers} is out of range 1..{MAX_WORKERS}")
    elif workers == 1:
        yield Pool(lambda: (SerialExecutor(), _nothing), in_flight=1)
    else:
        ready = 2 * workers + 1
        with _closing(Pool(lambda: _processes(workers), ready, threads=workers)) as pool:
            yield pool


@contextmanager
def _closing(pool: Pool) -> Iterator[Pool]:
    try:
        yield pool
    except BaseException:
        pool.terminate()
        raise
    pool.close()


def ordered_map(
    pool: Pool | Executor,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    chunk_size: int = 1,
    on_done: Callable[[int], None] | None = None,
) -> Iterator[Result]:
    """Yield the result of `function` for every item, in order.

    Args:
        pool: The pool or executor that calls the function.
        function: The function to call for each item.
        items: The items, which are read lazily.
        chunk_size: Number of items that a worker gets at a time. At most `pool.in_flight` chunks
            are submitted at the same time.
        on_done: Called after each finished chunk with the number of its results.

    Raises:
        WorkersLost: If workers died more than `MAX_LOSSES` times in a row before a chunk was
            finished.
        Exception: Any exception that `function` raised, after all earlier results are yielded.
            `SystemExit` becomes a `SolverFault`.
    """
    if chunk_size < 1:
        raise InputError(f"chunk_size: must be at least 1, not {chunk_size}")
    if isinstance(pool, Executor):
        pool = Pool.around(pool)
    remaining = iter(items)
    waiting: deque[_Chunk[Item, Result]] = deque()
    losses = 0
    try:
        while True:
            try:
                while len(waiting) < pool.in_flight and (
                    part := list(islice(remaining, chunk_size))
                ):
                    waiting.append(_Chunk(part))
                if not waiting:
                    return
                for chunk in waiting:
                    if chunk.future is None:
                        chunk.future = pool.submit(_run, function, chunk.items)
                results, raised = waiting[0].wait(pool)
            except pool.lost as reason:
                losses += 1
                if losses > MAX_LOSSES:
                    raise WorkersLost(
                        f"workers died {losses} times in a row, the last time with {reason!r}"
                    ) from reason
                pool.terminate()
                for chunk in waiting:
                    chunk.reset_unless_finished()
                continue
            except CancelledError as reason:
                raise WorkersLost(
                    "the work was cancelled: the connection to the cluster was lost"
                ) from reason
            losses = 0
            waiting.popleft()
            if on_done is not None:
                on_done(len(results))
            yield from results
            if raised is not None:
                raise raised.error
    except BaseException:
        # There was an error or an interrupt, or the caller has closed this generator.
        pool.terminate()
        raise


def threaded_map(
    threads: int, function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[Result]:
    """Yield the result of `function` for every item, in order, using several threads.

    Threads save time if NumPy does most of the work.
    """
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as executor:
        yield from ordered_map(Pool.around(executor, in_flight=2 * threads), function, items)


class _Chunk(Generic[Item, Result]):
    __slots__ = ("future", "items")

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.future: Future[_Done[Result]] | None = None

    def wait(self, pool: Pool) -> _Done[Result]:
        """Wait for the chunk and return its results, with the error that ended it early or None."""
        assert self.future is not None, "the chunk must be submitted first"
        return pool.wait(self.future)

    def reset_unless_finished(self) -> None:
        future = self.future
        if future is None or not future.done() or future.cancelled() or future.exception():
            self.future = None


def _run(function: Callable[[Item], Result], items: Sequence[Item]) -> _Done[Result]:
    results: list[Result] = []
    try:
        for item in items:
            results.append(function(item))  # noqa: PERF401  # keep the results before an error
    except BaseException as error:
        if is_interrupt(error):
            raise
        return results, Raised(error)
    return results, None


class Raised:
    """An error, returned as a result. If it cannot be pickled, a `SolverFault` replaces it."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        # An exception such as SystemExit would end the worker without a report, so it is converted.
        self.error = (
            error
            if isinstance(error, Exception)
            else SolverFault(f"the call tried to end the process with {error!r}")
        )

    def __reduce__(self) -> tuple[type[Raised], tuple[Exception]]:
        import pickle
        from traceback import format_exception

        try:
            pickle.loads(pickle.dumps(self.error))  # noqa: S301  # our own
        except Exception:
            return Raised, (SolverFault(f"the call failed with {self.error!r}"),)
        self.error.add_note("".join(format_exception(self.error)))
        return Raised, (self.error,)


# ---------------------------------------------------------------------------- processes


def _processes(workers: int) -> tuple[Executor, Callable[[], None]]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    context = get_context("spawn")
    others = set(active_children())
    reader, writer = context.Pipe(duplex=False)

    class Processes(ProcessPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
            # This call starts workers. Interrupts are blocked, so that workers inherit this and
            # only the parent process receives them.
            with _block_interrupts():
                return super().submit(*arguments, **named)

    executor = Processes(workers, mp_context=context, initializer=_begin_worker, initargs=(reader,))

    def end_now() -> None:
        writer.close()
        try:
            executor.shutdown(wait=True, cancel_futures=True)
        except RuntimeError:
            # If an interrupt occurred while the executor was starting, it cannot join its own
            # thread.
            for child in set(active_children()) - others:
                child.kill()
                child.join()

    return executor, end_now


@contextmanager
def _block_interrupts() -> Iterator[None]:
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker(parent: Connection) -> None:
    """Set up a new worker, which ignores interrupts and exits when the parent's pipe closes."""
    import threading

    leave_interrupts()
    threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: Connection) -> None:
    try:
        parent.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
