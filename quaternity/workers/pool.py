"""Bulk work in one place: one map for this process, several processes or a Dask cluster.

    with open_executor(workers=8) as pool:
        for result in ordered_map(pool, play_one, range(10_000), chunk_size=50):
            ...

Everything runs through `concurrent.futures.Executor`. Results arrive in the order of the items
whatever ran them, and randomness belongs to the item (`item_random`), never to a worker; so the
same seed gives the same results in one process, in eight, or on a cluster.

A worker that dies (killed, out of memory) costs time, not results: its chunks are given out again.
An error, whatever it is, costs no result before it.
An interrupt leaves promptly: what was yielded before it is finished and whole.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
)
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
"""What came of a chunk: the results before the first error, and the error."""

MAX_LOSSES = 4
"""Maximum number of consecutive losses of workers without a finished chunk in between."""

MAX_WORKERS = 1024
"""Maximum number of processes that `open_executor` starts."""

CHECK_SECONDS = 2
"""Seconds between two checks whether a waiting pool can still receive results."""


def item_random(seed: int, index: int) -> Random:
    """Return the generator of one item of a seeded run: a function of the two numbers alone.

    >>> item_random(7, 3).random() == item_random(7, 3).random() != item_random(7, 4).random()
    True
    """
    return Random(f"{seed}/{index}")


class SerialExecutor(Executor):
    """Runs everything at once, here. An interrupt passes straight through."""

    def submit(
        self,
        fn: Callable[Arguments, Result],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Result]:
        """Return a future that is already done."""
        future: Future[Result] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _nothing() -> None:
    pass


class Pool:
    """An executor, started when first needed and started anew after its workers died.

    Attributes:
        in_flight: how many chunks to keep submitted.
        threads: how many threads of this process may work while the workers have nothing to do.
        lost: the exceptions of a future by which a dead worker shows.
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
        """Make a pool.

        Args:
            start: gives an executor, and what ends it at once with all that it runs.
            check: called every `CHECK_SECONDS` of waiting; raises when no result can come any more.
            prepare: called with names of players and solvers, and with a check. On a cluster it
                sends their code to the workers, and raises `InputError` if the check fails there.
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
        """Make a pool around an executor that stays its owner's: never ended or started anew."""
        return cls(lambda: (executor, _nothing), in_flight)

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Hand one call to a worker."""
        if self._running is None:
            self._running = self._start()
        return self._running[0].submit(function, *arguments)

    def wait(self, future: Future[Result]) -> Result:
        """Return the result of a future that `submit` gave."""
        while True:
            try:
                return future.result(timeout=CHECK_SECONDS)
            except TimeoutError:
                if future.done():
                    raise  # the call itself raised it
                self._check()

    def drop(self) -> None:
        """End all workers now, running calls included. The next `submit` starts new ones."""
        running, self._running = self._running, None
        if running is not None:
            _, end_now = running
            end_now()

    def close(self) -> None:
        """Wait for what runs, then let the workers go."""
        running, self._running = self._running, None
        if running is not None:
            executor, end_now = running
            executor.shutdown(wait=True)
            end_now()


@contextmanager
def open_executor(workers: int = 1, dask: str | None = None) -> Iterator[Pool]:
    """Open what bulk work runs on: this process (1 worker), processes, or a Dask cluster.

    Processes are spawned, so functions, items and results must be picklable, and functions found by
    name in an importable module. A cluster's scheduler and workers must have the same version of
    this package; `Pool.prepare` sends them the code of players and solvers from outside.
    Leaving by an exception stops all workers at once. With `dask`, the address of a running
    scheduler such as `tcp://10.0.0.5:8786`, the number of workers is ignored.

    Raises:
        InputError: an impossible number of workers; `distributed` is not installed; nothing
            answers at the address, it has no workers, or one has another version.
    """
    if dask is not None:
        from quaternity.workers.cluster import cluster_client, cluster_parts

        with cluster_client(dask) as client, _ended(Pool(*cluster_parts(client))) as pool:
            yield pool
    elif not 1 <= workers <= MAX_WORKERS:
        raise InputError(f"workers: {workers} is out of range 1..{MAX_WORKERS}")
    elif workers == 1:
        yield Pool(lambda: (SerialExecutor(), _nothing), in_flight=1)
    else:
        ready = 2 * workers + 1
        with _ended(Pool(lambda: _processes(workers), ready, threads=workers)) as pool:
            yield pool


@contextmanager
def _ended(pool: Pool) -> Iterator[Pool]:
    try:
        yield pool
    except BaseException:
        pool.drop()
        raise
    pool.close()


def ordered_map(
    pool: Pool | Executor,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    chunk_size: int = 1,
    on_done: Callable[[int], None] | None = None,
) -> Iterator[Result]:
    """Yield `function` of every item, in order. Items are taken as they are needed.

    Args:
        chunk_size: items a worker gets at a time; at most `pool.in_flight` chunks are out.
        on_done: called with the number of items each time a chunk has come back.

    Raises:
        WorkersLost: workers died `MAX_LOSSES` times in a row without a chunk coming back.
        What `function` raises, after earlier results; `SystemExit` becomes a `SolverFault`.
    """
    if chunk_size < 1:
        raise InputError(f"chunk_size: {chunk_size} is not at least 1")
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
                        f"workers died {losses} times in a row, the last time by {reason!r}"
                    ) from reason
                pool.drop()
                for chunk in waiting:
                    chunk.forget_unless_finished()
                continue
            except CancelledError as reason:
                raise WorkersLost("the work was cancelled: the cluster went away") from reason
            losses = 0
            waiting.popleft()
            if on_done is not None:
                on_done(len(results))
            yield from results
            if raised is not None:
                raise raised.error
    except BaseException:
        pool.drop()  # an error, an interrupt, or nobody wants what remains
        raise


def threaded_map(
    threads: int, function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[Result]:
    """Yield `function` of every item, in order, by threads; helps where NumPy does the work."""
    if threads == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(threads) as executor:
        yield from ordered_map(Pool.around(executor, in_flight=2 * threads), function, items)


class _Chunk(Generic[Item, Result]):
    """Some items, and their results to come once they are handed to a worker."""

    __slots__ = ("future", "items")

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.future: Future[_Done[Result]] | None = None

    def wait(self, pool: Pool) -> _Done[Result]:
        """Return the results up to the first error, and the error."""
        assert self.future is not None, "the chunk was handed over"
        return pool.wait(self.future)

    def forget_unless_finished(self) -> None:
        """To be handed over again, unless its results are there."""
        future = self.future
        if future is None or not future.done() or future.cancelled() or future.exception():
            self.future = None


def _run(function: Callable[[Item], Result], items: Sequence[Item]) -> _Done[Result]:
    results: list[Result] = []
    try:
        for item in items:
            results.append(function(item))  # noqa: PERF401  # those before an error are kept
    except BaseException as error:
        if is_interrupt(error):
            raise
        return results, Raised(error)
    return results, None


class Raised:
    """An error as the result of a chunk. Where it is pickled it becomes one that can be."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        # What would end a worker unnoticed is an error like any other here.
        self.error = (
            error
            if isinstance(error, Exception)
            else SolverFault(f"the work was to be ended by {error!r}")
        )

    def __reduce__(self) -> tuple[type[Raised], tuple[Exception]]:
        import pickle
        from traceback import format_exception

        try:
            pickle.loads(pickle.dumps(self.error))  # noqa: S301  # our own
        except Exception:
            return Raised, (SolverFault(f"the work failed by {self.error!r}"),)
        self.error.add_note("".join(format_exception(self.error)))
        return Raised, (self.error,)


# ---------------------------------------------------------------------------- processes


def _processes(workers: int) -> tuple[Executor, Callable[[], None]]:
    """Give a process pool whose workers leave when they are told to, or when this process dies."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children, get_context

    context = get_context("spawn")
    others = set(active_children())
    reader, writer = context.Pipe(duplex=False)

    class Processes(ProcessPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
            # That starts workers, who leave interrupts to this process from their first moment.
            with _interrupts_later():
                return super().submit(*arguments, **named)

    executor = Processes(workers, mp_context=context, initializer=_begin_worker, initargs=(reader,))

    def end_now() -> None:
        writer.close()
        try:
            executor.shutdown(wait=True, cancel_futures=True)
        except RuntimeError:
            # Interrupted while it started, the executor cannot wait for its own thread.
            for child in set(active_children()) - others:
                child.kill()
                child.join()

    return executor, end_now


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Put off interrupts of this thread until the end of the block."""
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
    """In a new worker: leave interrupts to the parent, and end when its side of the pipe closes."""
    import threading

    leave_interrupts()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    try:
        parent.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
