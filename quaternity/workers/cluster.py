"""A Dask cluster as a pool of workers: see `quaternity.workers.pool`."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

from quaternity.base.errors import InputError, QuaternityError, WorkersLost
from quaternity.base.wording import shown
from quaternity.workers.shipping import Code, install, own_code

Check: TypeAlias = Callable[[], None]

Start: TypeAlias = Callable[[], tuple[Executor, Check]]

CLUSTER_SECONDS = 10
"""How long to wait for a cluster to answer, and then for its first worker."""

SHOWN = 5
"""Maximum number of workers that a message names."""

WORKERLESS_SECONDS = 60
"""How long a cluster may be without any worker in the middle of the work."""


@contextmanager
def cluster_client(address: str) -> Iterator[Any]:
    """Yield a client of the scheduler at an address, with at least one worker behind it.

    Raises `InputError` if `distributed` is not installed, nothing answers, or there are no workers.
    """
    import logging

    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise InputError(
            f"dask {address!r}: the package 'distributed' is not installed "
            "(pip install '.[cluster]')"
        ) from error
    # A lost connection is told by an exception here; there it is also logged, with tracebacks.
    loggers = [
        logging.getLogger(name)
        for name in ("distributed", "distributed.client", "tornado.application")
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        try:
            # A client that fails on what is no address is never closed: it complains at the end,
            # with a traceback, after twice the time limit.
            get_address_host_port(address)
            client = Client(address, timeout=CLUSTER_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as error:
            raise InputError(f"dask {address!r}: no scheduler answers there ({error})") from error
        with client:
            try:
                client.wait_for_workers(1, timeout=CLUSTER_SECONDS)
            except (OSError, TimeoutError) as error:
                raise InputError(
                    f"dask {address!r}: the scheduler has no workers after {CLUSTER_SECONDS} s"
                ) from error
            _check_versions(client)
            yield client
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _check_versions(client: Any) -> None:
    """Raise `InputError` if the scheduler or a worker has another version of this package."""
    answers = client.get_versions(packages=["quaternity"])
    needed = answers["client"]["packages"]["quaternity"]
    parts = {"the scheduler": answers["scheduler"]}
    parts |= {f"worker {address}": worker for address, worker in answers["workers"].items()}
    faults = []
    for name, part in parts.items():
        version = part["packages"]["quaternity"]
        if version != needed:
            has = "quaternity is not installed" if version is None else f"quaternity {version}"
            faults.append(f"{name}: {has}")
    if faults:
        raise InputError(f"dask: quaternity {needed} is needed everywhere; {_some(faults)}")


def _some(faults: list[str]) -> str:
    more = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
    return "; ".join(faults[:SHOWN]) + more


def _fault(code: Code, check: bytes) -> str | None:
    """Install code on this worker, and return the fault that a check finds here, or None."""
    try:
        install(code)
        pickle.loads(check)()  # noqa: S301  # our own
    except Exception as error:
        return str(error) if isinstance(error, QuaternityError) else shown(error)
    return None


def _call(code: Code, work: bytes) -> Any:
    """Call a function on this worker. The scheduler, which lacks the code, never unpickles it."""
    install(code)
    function, arguments = pickle.loads(work)  # noqa: S301  # our own
    return function(*arguments)


def cluster_parts(client: Any) -> tuple[Any, ...]:
    """Return what a `Pool` of a client's cluster is made of, in the order of its arguments.

    Its check raises `WorkersLost` when the cluster goes away, or has no workers for
    `WORKERLESS_SECONDS`.
    """
    from distributed import KilledWorker

    code: Code = {}

    def prepare(names: Iterable[str], check: Callable[[], object]) -> None:
        nonlocal code
        code = own_code(names)
        answers = client.run(_fault, code, pickle.dumps(check), on_error="return")
        faults = [
            f"worker {worker}: {fault}" for worker, fault in answers.items() if fault is not None
        ]
        if faults:
            raise InputError(f"dask: {_some(faults)}")

    def start() -> tuple[Executor, Check]:
        executor: Any = client.get_executor(pure=False)
        submit = executor.submit
        executor.submit = lambda *work: submit(_call, code, pickle.dumps((work[0], work[1:])))
        # This executor knows no `cancel_futures`: without waiting it cancels.
        return executor, partial(executor.shutdown, wait=False)

    address = client.scheduler.address
    missed: float | None = None  # since when there has been no worker

    def check() -> None:
        nonlocal missed
        # Its executor leaves the futures of a lost scheduler, or of lost workers, waiting for ever.
        try:
            there = client.status == "running" and client.nthreads()
        except OSError:
            there = False
        if there is False:
            raise WorkersLost(f"the cluster at {address} went away")
        if there:
            missed = None
        elif missed is None:
            missed = time.monotonic()
        elif time.monotonic() - missed > WORKERLESS_SECONDS:
            raise WorkersLost(
                f"the cluster at {address} has had no workers for {WORKERLESS_SECONDS} s"
            )

    threads = sum(client.nthreads().values())
    # Where a worker dies while its result is fetched, the executor takes the result for an error
    # and cannot unpack it. A worker that comes later may lack this package. Errors of our own calls
    # are results, so no other errors of these kinds come.
    lost = KilledWorker, ValueError, ImportError, AttributeError, RuntimeError
    return start, 2 * threads + 1, lost, check, 1, prepare
