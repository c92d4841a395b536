"""Solvers in separate processes: they do no harm, and their failures are reported exactly."""

from __future__ import annotations

import pickle
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from quaternity import State, state_text
from quaternity.base.errors import LimitError, OutOfMemory, SolverCrash, SolverTimeout
from quaternity.trials.comparison import Budget, measure_state, rows_of
from quaternity.workers import isolated_solvers as module
from quaternity.workers.isolated_solvers import IsolatedSolver, Limits, isolate, time_run, warm_up
from quaternity.workers.process_tree import descendants
from solvers import SOLVERS, DealProblem, SetConstraint, Verdict, find_solver, solve
from solvers.cross_check import judge
from tests.cli.conftest import Cli, cli
from tests.sizes import only_thorough
from tests.solvers import wild
from tests.solvers.wild import SMALL, WILD, register_solvers

__all__ = ["cli"]

LIMITS = Limits(seconds=60, memory=300)


@pytest.fixture(scope="module")
def row(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IsolatedSolver]:
    """Yield the solver `wild`, in one process as long as it lives."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("theirs")
        with register_solvers(folder, patch, wild="tests.solvers.wild:wild"):
            yield isolate(find_solver("wild"), LIMITS)


def asking_for(function: Callable[..., Any]) -> DealProblem:
    """Return the problem on which `wild` behaves like this function."""
    cards = SMALL + 1 + WILD.index(function)
    return DealProblem([cards, 1], [SetConstraint.of([[0, 1]] * (cards + 1), players=2)])


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (wild.hangs, SolverTimeout, r"no answer within the limit of 0\.2 s"),
        (wild.forks, SolverTimeout, r"no answer within the limit of 0\.2 s"),
        (wild.eats, OutOfMemory, "no answer within the limit of 300 MB of memory"),
        (wild.asks_for_much, OutOfMemory, "no answer within the limit of 300 MB of memory"),
        (wild.exits, SolverCrash, "stopped unexpectedly: its process ended with status 0"),
        (wild.is_killed, SolverCrash, "stopped unexpectedly: its process was killed by signal 11"),
        (wild.fails, SolverCrash, r"raised SystemExit\('14 cards'\)"),
        (wild.gives_up, LimitError, "too hard"),
    ],
)
def test_each_failure_is_reported_exactly(
    row: IsolatedSolver, function: Callable[..., Any], error: type[Exception], words: str
) -> None:
    if error is SolverTimeout:
        row = isolate(row, LIMITS._replace(seconds=0.2))
    with pytest.raises(error, match=f"^{words}$") as raised:
        row.run(asking_for(function))
    assert type(raised.value) is error


def test_two_problems_warm_it_up_on_request(row: IsolatedSolver) -> None:
    counts = []
    for warm in (False, False, True, True, False):
        with pytest.raises(LimitError, match=r"^\d+ problems$") as raised:
            row.run(asking_for(wild.counts), warm=warm)
        counts.append(int(str(raised.value).split()[0]))
    assert [after - before for before, after in pairwise(counts)] == [1, 3, 3, 1]


def test_work_in_a_separate_session_is_counted(row: IsolatedSolver) -> None:
    assert row.run(asking_for(wild.leaves_a_worker)).solve > 0.9 * wild.WORK_SECONDS


def test_the_system_limit_follows_each_change_of_the_memory_limit(row: IsolatedSolver) -> None:
    for memory in (300, 200, 400):
        with pytest.raises(LimitError, match=f"^{(2 * memory << 20) + (1 << 30)} bytes$"):
            isolate(row, Limits(seconds=60, memory=memory)).run(asking_for(wild.tells_its_limit))


@only_thorough
def test_the_start_of_a_solver_does_not_count_as_solving_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with register_solvers(tmp_path, monkeypatch, slow="tests.solvers.wild:slow_at_first"):
        slow = isolate(find_solver("slow"), Limits(seconds=5, memory=300))
        assert slow.run(asking_for(wild.prints)).answer


def test_a_daemon_ends_with_a_process_that_exits(row: IsolatedSolver) -> None:
    with pytest.raises(SolverCrash, match="ended with status 0"):
        row.run(asking_for(wild.leaves_a_daemon))
    left = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # ended meanwhile
            left += [file] * (file.read_bytes() == f"sleep\0{wild.DAEMON}\0".encode())
    assert not left


def test_its_message_is_one_line(row: IsolatedSolver) -> None:
    with pytest.raises(
        LimitError, match=r"^.\[31mtoo hard quaternity: all is well !+\.{3}$"
    ) as raised:
        row.run(asking_for(wild.says_too_much))
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 500


def test_right_answers_are_accepted_despite_side_effects(
    row: IsolatedSolver, capfd: pytest.CaptureFixture[str]
) -> None:
    """The work of all its processes is counted, and they end with it."""
    module._process_of(row.name).process.end()  # its standard error belonged to another test
    runs = [row.run(asking_for(f)) for f in (wild.prints, wild.lets_work, wild.leaves_a_copy)]
    output = capfd.readouterr()
    assert output.out == ""
    assert "a line of a solver\nanother line of a solver\nand of its shell\n" in output.err
    assert [bool(run.answer) for run in runs] == [True] * 3
    assert runs[1].solve > 0.9 * wild.WORK_SECONDS
    if Path("/proc/self/status").exists():
        assert all(run.peak is not None and 10**6 < run.peak < 300 << 20 for run in runs)
        assert not any(run.peak % 1024 for run in runs if run.peak), "kilobytes, in bytes"
    child = module._process_of(row.name).process.child
    assert child is not None
    assert len(descendants(child.process.pid)) == 2, "its supervisor, and itself"


@pytest.mark.parametrize("takes", [{True, False}, {True}, {False}, set()])
def test_a_solver_is_warmed_up_on_problems_that_it_accepts(takes: set[bool]) -> None:
    ran: list[DealProblem] = []

    def takes_it(problem: DealProblem) -> str | None:
        return None if bool(solve(problem)) in takes else "not mine"

    def works(problem: DealProblem) -> Callable[[], Verdict]:
        def run() -> Verdict:
            ran.append(problem)
            return solve(problem)

        return run

    solver = replace(SOLVERS["max-flow"], refuses=takes_it, prepare=works)
    warm_up(solver)
    assert {bool(solve(problem)) for problem in ran} == takes
    warming, problem = len(ran), asking_for(wild.prints)
    assert time_run(solver, problem).answer
    assert ran[warming:] == [*ran[:warming], problem]
    assert time_run(solver, problem, warm=False).answer
    assert ran[2 * warming + 1 :] == [problem]


def test_an_answer_that_is_not_a_verdict_is_reported_but_never_unpickled(
    row: IsolatedSolver,
) -> None:
    result = judge(asking_for(wild.answers_code), [row])
    assert [str(fault) for fault in result.faults] == [
        "wild (theirs 1) answered a trap, which is not a verdict"
    ]


def test_it_is_not_run_again_after_repeated_losses(
    row: IsolatedSolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = module._process_of(row.name)
    monkeypatch.setattr(home, "losses", 2)
    impatient = isolate(row, LIMITS._replace(patience=3))
    assert judge(asking_for(wild.prints), [impatient]).feasible
    assert home.losses == 0
    home.losses = 3
    result = judge(asking_for(wild.prints), [impatient])
    assert result.gave_up == {"wild": "not run again, because it gave no answer 3 times in a row"}
    assert judge(asking_for(wild.prints), [row]).feasible


def test_a_solver_is_pickled_with_its_limits(row: IsolatedSolver) -> None:
    again = pickle.loads(pickle.dumps(row.with_time_limit(7)))  # noqa: S301
    assert type(again) is IsolatedSolver
    assert (again.name, again.limits) == ("wild", LIMITS._replace(seconds=7))


def test_a_run_ended_by_the_budget_is_not_a_timeout(row: IsolatedSolver) -> None:
    """Other solvers are measured even if one hangs."""
    cards = 4 + WILD.index(wild.hangs)
    state = State(
        DealProblem([cards, 1], [SetConstraint.of([[0, 1]] * (cards + 1), players=2)]),
        None, (None,), cards + 1,
    )  # fmt: skip
    rows = [row, SOLVERS["coalitions"]]
    cut = measure_state(state, rows, 2, Budget(0.1))
    assert [run.answer for run in cut.runs if run.solver == "wild"] == ["left out"]
    limited = measure_state(
        state, [row.with_time_limit(0.2), SOLVERS["coalitions"]], 2, name="another"
    )
    assert [run.answer for run in limited.runs if run.solver == "wild"] == ["timeout"]
    assert [run.round for run in limited.runs if run.solver == "coalitions"] == [0, 1]
    first, second = rows_of([*cut.runs, *limited.runs], ["wild", "coalitions"], 60)
    assert (first.gave_up, first.timeouts, first.left_out, first.faults) == (1, 1, 1, 0)
    assert second.feasible == 2


@pytest.mark.parametrize("command", ["compare", "check", "fuzz"])
def test_commands_guard_against_external_solvers(
    cli: Cli, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output of `--json` is JSON, and failures are reported exactly."""
    names = ["late_prints", "late_hangs", "late_exits"] if command == "compare" else ["late_prints"]
    names = ["late_hangs", "late_prints"] if command == "fuzz" else names
    rows = {name: f"tests.solvers.wild:{name}" for name in names}
    path = tmp_path / "state.json"
    path.write_text(state_text(State.start()))
    with register_solvers(tmp_path, monkeypatch, **rows):
        options = {
            "compare": (path, "--solvers", ",".join(names), "--repeats", 1, "--save-to", tmp_path),
            "check": (path, "--solver", *names),
            "fuzz": ("--solvers", ",".join(names), "--examples", 2),
        }[command]
        limit = 60 if command == "check" else 2  # two commands wait for a solver that hangs
        outcome = cli(command, *options, "--limit", limit, "--json")
    document = outcome.json
    assert "a line of a solver" in outcome.err
    if command == "check":
        assert (outcome.status, document["verdicts"]) == (0, {"late_prints": True})
    elif command == "fuzz":
        assert (outcome.status, document["examples"]) == (0, 2)
        assert document["gave_up"]["late_hangs"] == 2
    else:
        assert outcome.status == 3
        shown = ("feasible", "timeouts", "memory_outs", "crashes", "faults")
        assert [tuple(row[name] for name in shown) for row in document["solvers"]] == [
            (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 0, 1, 1)
        ]  # fmt: skip
        assert document["faults"] == [
            {"state": 0, "instance": "state 0", "solver": "late_exits",
             "version": "theirs 1", "text": "stopped unexpectedly: its process ended with status 0"}
        ]  # fmt: skip


def test_a_process_tree_can_be_listed_while_its_processes_end() -> None:
    forking = "for i in $(seq 900); do (true; true) & done; wait"
    with subprocess.Popen(["sh", "-c", forking]) as shell:
        while shell.poll() is None:
            assert descendants(shell.pid)[0] == shell.pid
    assert descendants(shell.pid) == [shell.pid], "which is gone"
