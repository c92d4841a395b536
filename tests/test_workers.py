"""Bulk work gives the same results in one process, in several, and on a cluster."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from threading import Barrier, Thread, get_ident
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from quaternity.base.errors import InputError, SolverFault, WorkersLost
from quaternity.workers.cluster import cluster_client, cluster_parts
from quaternity.workers.pool import Pool, SerialExecutor, open_executor, ordered_map, threaded_map
from quaternity.workers.program import command_words
from quaternity.workers.shipping import collect_code, install
from solvers import DealProblem, SetConstraint, find_solver
from tests.bulk_work import (
    Drawn,
    Private,
    die,
    double,
    draw,
    end_at_three,
    fail_at_seven,
    only_the_first_ends,
    puts_off_interrupts,
)
from tests.cluster import cluster
from tests.limits import limited
from tests.sizes import only_thorough, thorough

ITEMS = 400
CHUNK = 5


def expected_numbers() -> list[int]:
    return [draw(index).number for index in range(ITEMS)]


def all_with_one_worker_killed(results: Iterator[Drawn]) -> list[int]:
    """Return the results of a run; kill the worker that computed the first one."""
    first = next(results)
    assert first.process != os.getpid()
    os.kill(first.process, signal.SIGKILL)
    rest = list(results)
    assert {drawn.process for drawn in rest} - {first.process}, "another worker took over"
    return [first.number, *(drawn.number for drawn in rest)]


def test_results_and_progress_come_in_order_in_process() -> None:
    done: list[int] = []
    with open_executor() as pool:
        results = list(ordered_map(pool, draw, range(ITEMS), 7, done.append))
    assert [result.number for result in results] == expected_numbers()
    assert {result.process for result in results} == {os.getpid()}
    assert sum(done) == ITEMS
    assert max(done) == 7


def test_items_are_taken_as_needed_and_only_some_at_once() -> None:
    taken = []

    def items() -> Iterator[int]:
        for index in range(1000):
            taken.append(index)
            yield index

    with ThreadPoolExecutor(1) as threads:
        results = ordered_map(threads, double, items(), chunk_size=3)
        assert [next(results) for _ in range(3)] == [0, 2, 4]
        assert len(taken) <= 15
        results.close()  # type: ignore[attr-defined]  # the iterator is a generator


def test_a_killed_process_costs_no_result() -> None:
    with open_executor(workers=2) as pool:
        numbers = all_with_one_worker_killed(ordered_map(pool, draw, range(ITEMS), CHUNK))
    assert numbers == expected_numbers()


def test_processes_that_die_repeatedly_are_given_up() -> None:
    with (
        limited("quaternity.workers.pool", MAX_LOSSES=thorough(1, 4)),
        open_executor(workers=2) as pool,
        pytest.raises(WorkersLost, match="in a row"),
    ):
        list(ordered_map(pool, die, range(3)))


class Dies(SerialExecutor):
    """An executor whose workers die at some of the submitted chunks."""

    def __init__(self, deaths: set[int]) -> None:
        self.deaths, self.handed, self.ran = deaths, 0, list[int]()

    def submit(self, fn: Any, /, *arguments: Any, **named: Any) -> Any:
        self.handed += 1
        if self.handed in self.deaths:
            raise BrokenExecutor
        self.ran += arguments[1]
        return super().submit(fn, *arguments, **named)


@pytest.mark.parametrize("first", range(1, 5))
@pytest.mark.parametrize("times", range(7))
def test_workers_may_die_four_times_in_a_row(times: int, first: int) -> None:
    """Finished work is not repeated, and nothing is lost, at any position."""
    executor = Dies(set(range(first, first + times)))
    pool = Pool(lambda: (executor, lambda: None), in_flight=3)
    results = ordered_map(pool, double, range(8))
    if times > 4:
        with pytest.raises(WorkersLost, match="workers died 5 times in a row"):
            list(results)
    else:
        assert list(results) == [2 * item for item in range(8)]
        assert executor.ran == [*range(8)]
        often = Dies({1, 2, 3, 4, 6, 7, 8, 9})  # a chunk is finished in between
        pool = Pool(lambda: (often, lambda: None), in_flight=1)
        assert list(ordered_map(pool, double, range(3))) == [0, 2, 4]
        too_often = Dies({1, 2, 3, 4, *range(6, 11)})
        pool = Pool(lambda: (too_often, lambda: None), in_flight=1)
        with pytest.raises(WorkersLost, match="workers died 5 times in a row"):
            list(ordered_map(pool, double, range(3)))


@pytest.mark.parametrize("threads", range(1, 4))
def test_the_requested_number_of_threads_work_at_once(threads: int) -> None:
    """A single thread is the calling one."""
    together = Barrier(threads, timeout=60)

    def work(item: int) -> tuple[int, int]:
        together.wait()
        return 2 * item, get_ident()

    doubled, by = zip(*threaded_map(threads, work, range(6 * threads)), strict=True)
    assert doubled == tuple(range(0, 12 * threads, 2))
    assert len(set(by)) == threads
    assert (get_ident() in by) == (threads == 1)


@pytest.mark.parametrize("size", [0, -1])
def test_a_chunk_has_at_least_one_item(size: int) -> None:
    with open_executor() as pool, pytest.raises(InputError, match=f"chunk_size: .* not {size}"):
        next(ordered_map(pool, double, range(3), size))


@limited("quaternity.workers.pool", CHECK_SECONDS=0.001)
def test_a_long_wait_calls_the_check_and_a_timeout_of_the_work_is_raised() -> None:
    late: Future[int] = Future()
    looks = []

    def look() -> None:
        looks.append(late.done())
        if len(looks) == 2:
            late.set_result(7)

    pool = Pool(lambda: (SerialExecutor(), lambda: None), 1, check=look)
    assert pool.wait(late) == 7
    assert looks == [False, False]
    work: Future[int] = Future()
    work.set_exception(TimeoutError("its own"))
    with pytest.raises(TimeoutError, match="its own"):
        pool.wait(work)


@pytest.mark.parametrize("chunk", [7, 5, 20])
def test_an_error_arrives_at_its_turn_and_leaves_the_pool_usable(chunk: int) -> None:
    with open_executor() as pool:
        results = ordered_map(pool, fail_at_seven, range(20), chunk)
        assert [next(results) for _ in range(7)] == list(range(7))
        with pytest.raises(InputError, match="item 7"):
            next(results)
        assert list(ordered_map(pool, double, range(3))) == [0, 2, 4]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exit_or_interrupt_in_a_worker_is_an_error_at_its_turn(workers: int) -> None:
    with open_executor(workers) as pool:
        results = ordered_map(pool, end_at_three, range(8), 4)
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(SolverFault, match=r"end the process with SystemExit\(0\)"):
            next(results)
        results = ordered_map(pool, end_at_three, range(8, 12), 4)
        assert next(results) == 8
        with pytest.raises(Private if workers == 1 else SolverFault, match="ab"):
            next(results)
        with pytest.raises(KeyboardInterrupt if workers == 1 else SolverFault):
            next(ordered_map(pool, end_at_three, [12]))


INTERRUPTED = """
import os, signal
from quaternity.workers.pool import Pool, SerialExecutor, open_executor, ordered_map
from tests.bulk_work import draw
if __name__ == "__main__":
    seen = 0
    try:
        with open_executor(workers=2) as pool:
            for result in ordered_map(pool, draw, range(10**9), 5):
                seen += 1
                if seen == 20:
                    print(result.process, flush=True)
                    os.killpg(0, signal.SIGINT)
    except KeyboardInterrupt:
        print("left with", seen, flush=True)
"""


def test_an_interrupt_ends_a_run_promptly_with_its_finished_results() -> None:
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
        check=False,
    )
    worker, left = run.stdout.splitlines()
    assert left.startswith("left with ")
    assert int(left.split()[-1]) >= 20
    assert "Traceback" not in run.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(int(worker), 0)


def test_workers_ignore_interrupts_from_the_start() -> None:
    with open_executor(workers=2) as pool:
        assert all(ordered_map(pool, puts_off_interrupts, range(2)))
    assert not puts_off_interrupts(0)


@pytest.mark.parametrize("workers", [0, -1, 10**6])
def test_an_impossible_number_of_workers_is_refused(workers: int) -> None:
    with pytest.raises(InputError, match="out of range"), open_executor(workers):
        pass


@only_thorough
@limited("quaternity.workers.pool", CHECK_SECONDS=0.1)
@limited("quaternity.workers.cluster", WORKERLESS_SECONDS=0.5)
def test_a_cluster_loses_one_worker_then_all_then_its_scheduler(tmp_path: Path) -> None:
    """Losing a worker costs no result; waiting for a cluster without workers has a limit."""
    with (
        cluster(tmp_path, workers=2) as (address, scheduler, workers),
        open_executor(dask=address) as pool,
    ):
        numbers = all_with_one_worker_killed(ordered_map(pool, draw, range(ITEMS), CHUNK))
        assert numbers == expected_numbers()
        for killed, words in ((workers, "no workers for"), ([scheduler], "was lost")):
            results = ordered_map(pool, only_the_first_ends, range(10**9))
            if killed is workers:
                assert next(results) == 0
            for process in killed:
                process.kill()
            with pytest.raises(WorkersLost, match=words):
                list(results)


class FakeClient:
    """A client of a fake cluster whose number of workers can be set."""

    scheduler = SimpleNamespace(address="here")
    status = "running"
    others: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        self.workers, self.answers = 1, True

    def get_versions(self, packages: list[str]) -> Any:
        has = {"packages": dict.fromkeys(packages, "1")}
        return {"client": has, "scheduler": has, "workers": {"worker 0": has, **self.others}}

    def run(self, function: Any, *arguments: Any, on_error: str) -> dict[str, Any]:
        return {"worker 0": function(*arguments)}

    def get_executor(self, pure: bool) -> SerialExecutor:
        return SerialExecutor()

    def nthreads(self) -> dict[str, int]:
        if not self.answers:
            raise OSError("nobody there")
        return {f"worker {number}": 2 for number in range(self.workers)}


class ConnectedClient(FakeClient):
    """A fake client that is opened by an address."""

    def __init__(self, address: str, **options: Any) -> None:
        super().__init__()

    def wait_for_workers(self, number: int, timeout: float) -> None:
        assert number == 1

    def __enter__(self) -> ConnectedClient:
        return self

    def __exit__(self, *error: object) -> None:
        pass


def test_the_wait_for_workers_of_a_cluster_starts_again_each_time() -> None:
    pytest.importorskip("distributed")
    client = FakeClient()
    _, in_flight, _, check, *_ = cluster_parts(client)
    assert in_flight == 2 * 2 + 1
    for _ in range(2):
        with limited("quaternity.workers.cluster", WORKERLESS_SECONDS=1e9):
            client.workers = 0
            check()
            check()
            client.workers = 1
            check()
        with limited("quaternity.workers.cluster", WORKERLESS_SECONDS=-1):
            client.workers = 0
            check()  # from now on there are no workers
            with pytest.raises(WorkersLost, match="has had no workers for"):
                check()
        client.workers = 1
        check()
    client.answers = False
    with pytest.raises(WorkersLost, match="the connection to the cluster at here was lost"):
        check()
    client.answers, client.status = True, "closed"
    with pytest.raises(WorkersLost, match="the connection to the cluster at here was lost"):
        check()


def test_a_cluster_does_not_log_while_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost connection raises an exception, without an additional traceback in the log."""
    distributed = pytest.importorskip("distributed")

    monkeypatch.setattr(distributed, "Client", ConnectedClient)
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    before = [logger.level for logger in loggers]
    with cluster_client("tcp://127.0.0.1:9"):
        assert [logger.level for logger in loggers] == [logging.CRITICAL] * 2
    assert [logger.level for logger in loggers] == before


def test_a_missing_cluster_is_named() -> None:
    pytest.importorskip("distributed")
    with limited("quaternity.workers.cluster", CLUSTER_SECONDS=1):
        for address in ("tcp://127.0.0.1:9", "nowhere", "tcp://127.0.0.1:notaport"):
            with pytest.raises(InputError, match=address), open_executor(dask=address):
                pass


def test_an_invalid_address_is_refused_at_once_and_nothing_follows() -> None:
    """An unclosed client used to print an error at the end of the process."""
    pytest.importorskip("distributed")
    addresses = ["nowhere", "tcp://127.0.0.1:notaport", "no://127.0.0.1:1"]
    code = (
        "from quaternity.base.errors import InputError\n"
        "from quaternity.workers.pool import open_executor\n"
        f"for address in {addresses}:\n"
        "    try:\n"
        "        with open_executor(dask=address): pass\n"
        "    except InputError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    for address, line in zip(addresses, done.stdout.splitlines(), strict=True):
        assert address in line
    assert done.stderr == ""


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(InputError, match="a cluster needs distributed, which is not installed; to"),
        open_executor(dask="tcp://127.0.0.1:8786"),
    ):
        pass


def test_an_executor_interrupted_while_it_starts_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(thread: Thread) -> None:
        raise KeyboardInterrupt

    others = set(active_children())
    monkeypatch.setattr(Thread, "start", start)
    with pytest.raises(KeyboardInterrupt), open_executor(2) as pool:
        list(ordered_map(pool, double, range(9)))
    assert set(active_children()) <= others  # others may end meanwhile


SMALL = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])


def work_with(names: Sequence[str]) -> list[Any]:
    """Return the answer of each named solver for `SMALL`, or the words of each named command."""
    return [
        command_words(name) if name.startswith("cmd:") else bool(find_solver(name)(SMALL))
        for name in names
    ]


def test_external_code_reaches_the_workers_of_a_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changed code is sent again; without the code, each worker reports the missing part."""
    pytest.importorskip("distributed")
    local, remote = tmp_path / "local", tmp_path / "remote"
    (local / "far" / "off").mkdir(parents=True)
    remote.mkdir()
    solver = "import numpy\nfrom shipped_helper import answer\ndef run(p): return answer(p)\n"
    (local / "shipped_solver.py").write_text(solver)
    (local / "shipped_helper.py").write_text("from solvers import solve as answer\n")
    (local / "far" / "off" / "solver.py").write_text("from solvers import solve as run\n")
    (local / "bot.sh").write_text("#!/bin/sh\n")
    (local / "bot.sh").chmod(0o755)
    names = ["shipped_solver:run", "far.off.solver:run", "cmd:./bot.sh x", "cmd:sh bot.sh"]
    (local / "far" / "__init__.py").touch()
    (local / "far" / "off" / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(local)
    code = collect_code([*names, "max-flow", "numpy:array", "tests.bulk_work:draw", "cmd:sh ../x"])
    assert {name for name in code if not name.startswith("tests/")} == {
        "shipped_solver.py", "shipped_helper.py", "bot.sh", "far/__init__.py",
        "far/off/__init__.py", "far/off/solver.py",
    }  # fmt: skip
    pool = Pool(*cluster_parts(FakeClient()))

    def run_there(prepared: Sequence[str]) -> list[Any]:
        install({})
        monkeypatch.chdir(local)
        code = collect_code(prepared)
        monkeypatch.setattr("quaternity.workers.cluster.collect_code", lambda names: code)
        monkeypatch.chdir(remote)
        pool.terminate()
        pool.prepare(prepared, partial(work_with, names))
        return next(ordered_map(pool, work_with, [names]))

    try:
        first, second, (bot, argument), (_, script) = run_there(names)
        assert (first, second, argument) == (True, True, "x")
        assert bot == script
        assert os.access(bot, os.X_OK)
        no = "from solvers import Infeasible\ndef answer(p): return Infeasible()\n"
        (local / "shipped_helper.py").write_text(no)
        assert run_there(names)[:2] == [False, True]
        assert not Path(bot).exists()
        for kept, words in (
            (2, "No module named 'shipped_solver'"),
            (0, "bot.sh is not an executable program"),
        ):
            lacking = names[kept : kept + 2]
            with pytest.raises(InputError, match=f"^dask: worker worker 0: .*{words}"):
                run_there(lacking)
    finally:
        install({})


def test_each_worker_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")

    class Client(ConnectedClient):
        others: ClassVar[dict[str, Any]] = {
            f"tcp://{name}": {"packages": {"quaternity": version}}
            for name, version in (("a", None), ("b", "2"), ("c", "1"))
        }

    monkeypatch.setattr(distributed, "Client", Client)
    words = (
        "all machines need quaternity 1, but worker tcp://a: quaternity is not installed; "
        "worker tcp://b: quaternity 2$"
    )
    with pytest.raises(InputError, match=words), open_executor(dask="tcp://127.0.0.1:9"):
        pass


def test_a_worker_with_other_source_files_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two checkouts can have the same version, and a worker may be too old to have the function."""
    distributed = pytest.importorskip("distributed")

    class Client(ConnectedClient):
        def run(self, function: Any, *arguments: Any, on_error: str) -> dict[str, Any]:
            assert on_error == "return"
            digest = function(*arguments)
            return {"tcp://a": digest, "tcp://b": digest[::-1], "tcp://c": AttributeError("no")}

    monkeypatch.setattr(distributed, "Client", Client)
    words = (
        "all machines need quaternity 1, but worker tcp://b: quaternity 1 with other source files; "
        "worker tcp://c: quaternity 1 with other source files$"
    )
    with pytest.raises(InputError, match=words), open_executor(dask="tcp://127.0.0.1:9"):
        pass


@only_thorough
def test_external_code_reaches_a_real_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shipped_alone.py").write_text("from solvers import solve as run\n")
    monkeypatch.chdir(tmp_path)
    names = ["shipped_alone:run"]
    with cluster(tmp_path, workers=2) as (address, *_), open_executor(dask=address) as pool:
        pool.prepare(names, partial(work_with, names))
        assert list(ordered_map(pool, work_with, [names] * 4)) == [[True]] * 4
        with pytest.raises(
            InputError, match=r"^dask: worker tcp://.*: .*'shipped_alone'.*; worker"
        ):
            pool.prepare([], partial(work_with, names))
