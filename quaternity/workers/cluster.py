"""A Dask cluster as a pool of workers (see `quaternity.workers.pool`)."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from quaternity.base.errors import InputError, QuaternityError, WorkersLost
from quaternity.base.extras import needs_extra
from quaternity.base.text_format import quote_value
from quaternity.workers.shipping import Code, collect_code, install

Check: TypeAlias = Callable[[], None]
"""Function that raises an error if the workers of a pool are lost, or that stops an executor."""

Start: TypeAlias = Callable[[], tuple[Executor, Check]]
"""Function that starts an executor. It returns the executor and the function that stops it."""

CLUSTER_SECONDS = 10
"""Maximum time to wait for an answer of the cluster, in seconds. The wait for its first worker has
the same limit."""

MAX_LISTED_FAULTS = 5
"""Maximum number of faults that an error message lists."""

WORKERLESS_SECONDS = 60
"""Maximum time in seconds for which a cluster may have no workers during the work."""


@contextmanager
def cluster_client(address: str) -> Iterator[Any]:
    """Yield a Dask client of a scheduler that has at least one worker.

    Raise `InputError` if `distributed` is not installed, if no scheduler answers at the address, if
    it has no workers, or if another version of this package is installed on the cluster.
    """
    import logging

    with needs_extra(f"dask {address!r}: a cluster needs", "cluster"):
        from distributed import Client
        from distributed.comm import get_address_host_port
    # A lost connection raises an exception here, so Dask need not log it as well.
    loggers = [
        logging.getLogger(name)
        for name in ("distributed", "distributed.client", "tornado.application")
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        try:
            # The address is checked first, because a client with an invalid address is never
            # closed. It would print a traceback at exit, after twice the time limit.
            get_address_host_port(address)
            client = Client(address, timeout=CLUSTER_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as error:
            raise InputError(f"dask {address!r}: no scheduler answers there ({error})") from error
        with client:
            try:
                client.wait_for_workers(1, timeout=CLUSTER_SECONDS)
            except (OSError, TimeoutError) as error:
                raise InputError(
                    f"dask {address!r}: the scheduler has no workers after {CLUSTER_SECONDS} s; "
                    "start a worker"
                ) from error
            _check_versions(client)
            yield client
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _check_versions(client: Any) -> None:
    """Raise `InputError` if the scheduler or a worker has other code of this package."""
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
    if not faults:
        source = _source_digest()
        faults = [
            f"worker {address}: quaternity {needed} with other source files"
            for address, digest in client.run(_source_digest, on_error="return").items()
            if digest != source
        ]
    if faults:
        raise InputError(f"dask: all machines need quaternity {needed}, but {_join_faults(faults)}")


def _source_digest() -> str:
    digest = sha256()
    for package in ("quaternity", "solvers"):
        folder = Path(str(files(package)))
        for path in sorted(folder.rglob("*.py")):
            text = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{path.relative_to(folder).as_posix()} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def _join_faults(faults: list[str]) -> str:
    more = (
        f"; and {len(faults) - MAX_LISTED_FAULTS} more" if len(faults) > MAX_LISTED_FAULTS else ""
    )
    return "; ".join(faults[:MAX_LISTED_FAULTS]) + more


def _fault(code: Code, check: bytes) -> str | None:
    """Install code on this worker and run a check. Return its error message, or None on success."""
    try:
        install(code)
        pickle.loads(check)()  # noqa: S301  # our own
    except Exception as error:
        return str(error) if isinstance(error, QuaternityError) else quote_value(error)
    return None


def _call(code: Code, work: bytes) -> Any:
    """Install code on this worker, and call the function in `work`, which is pickled."""
    install(code)
    function, arguments = pickle.loads(work)  # noqa: S301  # our own
    return function(*arguments)


def cluster_parts(client: Any) -> tuple[Any, ...]:
    """Return the arguments for a `Pool` that uses the workers of a Dask cluster.

    The pool raises `WorkersLost` if it loses the connection to the cluster, or if the cluster has
    had no workers for `WORKERLESS_SECONDS`.
    """
    from distributed import KilledWorker

    code: Code = {}

    def prepare(names: Iterable[str], check: Callable[[], object]) -> None:
        nonlocal code
        code = collect_code(names)
        answers = client.run(_fault, code, pickle.dumps(check), on_error="return")
        faults = [
            f"worker {worker}: {fault}" for worker, fault in answers.items() if fault is not None
        ]
        if faults:
            raise InputError(f"dask: {_join_faults(faults)}")

    def start() -> tuple[Executor, Check]:
        executor: Any = client.get_executor(pure=False)
        submit = executor.submit
        executor.submit = lambda *work: submit(_call, code, pickle.dumps((work[0], work[1:])))
        # This executor does not support `cancel_futures`, but `wait=False` cancels the futures.
        return executor, partial(executor.shutdown, wait=False)

    address = client.scheduler.address
    missed: float | None = None  # This is the time at which the cluster lost its last worker.

    def check() -> None:
        nonlocal missed
        # If the scheduler or all workers are lost, the futures of the executor never end, so they
        # are checked here.
        try:
            workers = client.status == "running" and client.nthreads()
        except OSError:
            workers = False
        if workers is False:
            raise WorkersLost(f"the connection to the cluster at {address} was lost")
        if workers:
            missed = None
        elif missed is None:
            missed = time.monotonic()
        elif time.monotonic() - missed > WORKERLESS_SECONDS:
            raise WorkersLost(
                f"the cluster at {address} has had no workers for {WORKERLESS_SECONDS} s"
            )

    threads = sum(client.nthreads().values())
    # If a worker dies while its result is fetched, the executor mistakes the result for an error
    # and fails to unpack it. A worker that joins later may lack this package. Both cases raise
    # these exceptions. Errors of submitted functions are returned as results, so they cannot be
    # confused with them.
    lost = KilledWorker, ValueError, ImportError, AttributeError, RuntimeError
    return start, 2 * threads + 1, lost, check, 1, prepare
