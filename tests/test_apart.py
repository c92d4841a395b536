"""Solvers in processes of their own: what they do harms nobody, and is told as what it was."""

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
from quaternity.workers import apart as module
from quaternity.workers.apart import Apart, Limits, apart, timed, warm_up
from quaternity.workers.process_tree import descendants
from solvers import SOLVERS, DealProblem, SetConstraint, Verdict, find_solver, solve
from solvers.judgement import judge
from tests.cli.conftest import Cli, cli
from tests.sizes import only_thorough
from tests.solvers import wild
from tests.solvers.wild import SMALL, WILD, register_solvers

__all__ = ["cli"]

LIMITS = Limits(seconds=60, memory=300)


@pytest.fixture(scope="module")
def row(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    """`wild`, in one process as long as it lives."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("theirs")
        with register_solvers(folder, patch, wild="tests.solvers.wild:wild"):
            yield apart(find_solver("wild"), LIMITS)


def asking_for(function: Callable[..., Any]) -> DealProblem:
    """The problem on which `wild` is as one of its kind."""
    cards = SMALL + 1 + WILD.index(function)
    return DealProblem([cards, 1], [SetConstraint.of([[0, 1]] * (cards + 1), players=2)])


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (wild.hangs, SolverTimeout, r"no answer within the limit of 0\.2 s"),
        (wild.forks, SolverTimeout, r"no answer within the limit of 0\.2 s"),
        (wild.eats, OutOfMemory, "no answer within the limit of 300 MB of memory"),
        (wild.asks_for_much, OutOfMemory, "no answer within the limit of 300 MB of memory"),
        (wild.exits, SolverCrash, "ended its process, which ended with status 0"),
        (wild.is_killed, SolverCrash, "ended its process, which was killed by signal 11"),
        (wild.fails, SolverCrash, r"raised SystemExit\('14 cards'\)"),
        (wild.gives_up, LimitError, "too hard"),
    ],
)
def test_what_it_does_is_told(
    row: Apart, function: Callable[..., Any], error: type[Exception], words: str
) -> None:
    if error is SolverTimeout:
        row = apart(row, LIMITS._replace(seconds=0.2))
    with pytest.raises(error, match=f"^{words}$") as raised:
        row.run(asking_for(function))
    assert type(raised.value) is error


def test_it_is_warmed_up_by_two_problems_where_that_is_asked_for(row: Apart) -> None:
    given = []
    for warm in (False, False, True, True, False):
        with pytest.raises(LimitError, match=r"^\d+ problems$") as told:
            row.run(asking_for(wild.counts), warm=warm)
        given.append(int(str(told.value).split()[0]))
    assert [after - before for before, after in pairwise(given)] == [1, 3, 3, 1]


def test_what_works_on_in_a_session_of_its_own_is_counted(row: Apart) -> None:
    assert row.run(asking_for(wild.leaves_a_worker)).solve > 0.05


def test_the_system_keeps_a_limit_above_its_own_whatever_it_was_before(row: Apart) -> None:
    for memory in (300, 200, 400):
        with pytest.raises(LimitError, match=f"^{(2 * memory << 20) + (1 << 30)} bytes$"):
            apart(row, Limits(seconds=60, memory=memory)).run(asking_for(wild.tells_its_limit))


@only_thorough
def test_what_a_solver_needs_to_begin_is_not_of_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with register_solvers(tmp_path, monkeypatch, slow="tests.solvers.wild:slow_at_first"):
        slow = apart(find_solver("slow"), Limits(seconds=5, memory=300))
        assert slow.run(asking_for(wild.prints)).given


def test_a_daemon_ends_with_the_process_that_ended_itself(row: Apart) -> None:
    with pytest.raises(SolverCrash, match="ended with status 0"):
        row.run(asking_for(wild.leaves_a_daemon))
    left = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # ended meanwhile
            left += [one] * (one.read_bytes() == f"sleep\0{wild.DAEMON}\0".encode())
    assert not left


def test_what_it_says_is_a_line(row: Apart) -> None:
    with pytest.raises(
        LimitError, match=r"^.\[31mtoo hard quaternity: all is well !+\.{3}$"
    ) as told:
        row.run(asking_for(wild.says_too_much))
    assert str(told.value).isprintable()
    assert len(str(told.value)) < 500


def test_right_answers_come_whatever_else_it_does(
    row: Apart, capfd: pytest.CaptureFixture[str]
) -> None:
    """And all that worked for them is counted, and then at its end."""
    module._home(row.name).process.end()  # its standard error was that of another test
    runs = [row.run(asking_for(one)) for one in (wild.prints, wild.lets_work, wild.leaves_a_copy)]
    told = capfd.readouterr()
    assert told.out == ""
    assert "a line of a solver\nanother line of a solver\nand of its shell\n" in told.err
    assert [bool(run.given) for run in runs] == [True] * 3
    assert runs[1].solve > 10 * min(run.solve for run in runs)
    if Path("/proc/self/status").exists():
        assert all(run.peak is not None and 10**6 < run.peak < 300 << 20 for run in runs)
        assert not any(run.peak % 1024 for run in runs if run.peak), "kilobytes, in bytes"
    child = module._home(row.name).process.child
    assert child is not None
    assert len(descendants(child.process.pid)) == 2, "its supervisor, and itself"


@pytest.mark.parametrize("takes", [{True, False}, {True}, {False}, set()])
def test_before_it_is_measured_a_solver_runs_on_what_it_takes(takes: set[bool]) -> None:
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
    assert timed(solver, problem).given
    assert ran[warming:] == [*ran[:warming], problem]
    assert timed(solver, problem, warm=False).given
    assert ran[2 * warming + 1 :] == [problem]


def test_what_is_no_verdict_is_shown_and_never_read(row: Apart) -> None:
    found = judge(asking_for(wild.answers_code), [row])
    assert [str(fault) for fault in found.faults] == [
        "wild answered a trap, which is not a verdict"
    ]


def test_it_is_asked_no_more_when_patience_ends(
    row: Apart, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = module._home(row.name)
    monkeypatch.setattr(home, "losses", 2)
    impatient = apart(row, LIMITS._replace(patience=3))
    assert judge(asking_for(wild.prints), [impatient]).feasible
    assert home.losses == 0
    home.losses = 3
    found = judge(asking_for(wild.prints), [impatient])
    assert found.gave_up == {"wild": "not run again: no answer 3 times in a row"}
    assert judge(asking_for(wild.prints), [row]).feasible


def test_a_row_goes_to_other_processes_with_its_limits(row: Apart) -> None:
    again = pickle.loads(pickle.dumps(row.limited(7)))  # noqa: S301  # our own
    assert type(again) is Apart
    assert (again.name, again.limits) == ("wild", LIMITS._replace(seconds=7))


def test_a_budget_cuts_a_run_short_and_that_is_no_timeout(row: Apart) -> None:
    """Nor does a solver that hangs keep others from being measured."""
    cards = 4 + WILD.index(wild.hangs)
    state = State(
        DealProblem([cards, 1], [SetConstraint.of([[0, 1]] * (cards + 1), players=2)]),
        None, (None,), cards + 1,
    )  # fmt: skip
    rows = [row, SOLVERS["coalitions"]]
    cut = measure_state(state, rows, 2, Budget(0.1))
    assert [run.answer for run in cut.runs if run.solver == "wild"] == ["left out"]
    limited = measure_state(state, [row.limited(0.2), SOLVERS["coalitions"]], 2, name="another")
    assert [run.answer for run in limited.runs if run.solver == "wild"] == ["timeout"]
    assert [run.round for run in limited.runs if run.solver == "coalitions"] == [0, 1]
    first, second = rows_of([*cut.runs, *limited.runs], ["wild", "coalitions"], 60)
    assert (first.gave_up, first.timeouts, first.left_out, first.faults) == (1, 1, 1, 0)
    assert second.feasible == 2


@pytest.mark.parametrize("command", ["compare", "check", "fuzz"])
def test_commands_guard_against_solvers_from_elsewhere(
    cli: Cli, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--json` stays JSON, and what went wrong is shown as what it was."""
    names = ["late_prints", "late_hangs", "late_exits"] if command == "compare" else ["late_prints"]
    names = ["late_hangs", "late_prints"] if command == "fuzz" else names
    rows = {name: f"tests.solvers.wild:{name}" for name in names}
    path = tmp_path / "state.json"
    path.write_text(state_text(State.start()))
    with register_solvers(tmp_path, monkeypatch, **rows):
        options = {
            "compare": (path, "--solvers", ",".join(names), "--repeats", 1, "--save-to", tmp_path),
            "check": (path, "--solver", *names),
            "fuzz": ("--solvers", ",".join(names), "--examples", 4),
        }[command]
        outcome = cli(command, *options, "--limit", 0.3, "--json")
    found = outcome.json
    assert "a line of a solver" in outcome.err
    if command == "check":
        assert (outcome.status, found["verdicts"]) == (0, {"late_prints": True})
    elif command == "fuzz":
        assert (outcome.status, found["examples"]) == (0, 4)
        assert found["gave_up"]["late_hangs"] > 1
    else:
        assert outcome.status == 3
        shown = ("feasible", "timeouts", "memory_outs", "crashes", "faults")
        assert [tuple(row[name] for name in shown) for row in found["solvers"]] == [
            (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 0, 1, 1)
        ]  # fmt: skip
        assert found["faults"] == [
            {"state": 0, "instance": "state 0", "solver": "late_exits",
             "text": "ended its process, which ended with status 0"}
        ]  # fmt: skip


def test_a_tree_is_seen_while_its_processes_end() -> None:
    forking = "for i in $(seq 900); do (true; true) & done; wait"
    with subprocess.Popen(["sh", "-c", forking]) as shell:
        while shell.poll() is None:
            assert descendants(shell.pid)[0] == shell.pid
    assert descendants(shell.pid) == [shell.pid], "which is gone"
