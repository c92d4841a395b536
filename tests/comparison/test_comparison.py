"""Measurements of a comparison: the states, the runs, and the figures computed from the runs."""

import csv
import io
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from threading import local
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity import InputError, Settings, State
from quaternity.base.cp_sat_search import solve_interruptibly
from quaternity.base.text_format import with_noun
from quaternity.game.state_file import problem_of
from quaternity.trials.comparison import (
    Budget,
    Comparison,
    InstanceRuns,
    MeasuringTask,
    Run,
    Series,
    Sweep,
    iter_measurements,
    measure,
    measure_state,
    remaining_tasks,
    report,
    rows_of,
    sweep_sizes,
)
from quaternity.trials.comparison.run import Answer
from quaternity.trials.comparison.scores import (
    Times,
    cactus,
    median_interval,
    performance_profile,
    quantile,
)
from quaternity.trials.comparison.summary import rounds_for
from quaternity.workers.pool import Pool, SerialExecutor
from solvers import SOLVERS, DealProblem, Solver, SolverTimeout, Verdict, solve
from solvers.solver import solver_from_function
from tests.limits import limited
from tests.solvers.broken import divides_by_zero

GUIDE = Path(__file__).parents[2] / "quaternity" / "guide" / "comparing.md"
QUICK = ("max-flow", "coalitions")
FAST = [SOLVERS[name] for name in QUICK]
WORK = MeasuringTask(Settings(4, 3, 3), states=20, damage=0.5, rounds=1, seed="0")


def instances(work: MeasuringTask) -> list[tuple[str, State | DealProblem]]:
    """Return the names and instances of a task."""
    return [(name, work.instance(at)) for at, name in enumerate(work.names)]


def runs_of(
    *instances: Mapping[str, Any], feasible: Sequence[bool] = (), family: str = ""
) -> list[Run]:
    """Return the runs of instances; for each solver seconds, those of several rounds, or an ending.

    All instances are feasible unless `feasible` has a value for each of them.
    """
    runs: list[Run] = []
    for number, instance in enumerate(instances):
        possible = feasible[number] if feasible else True
        about = partial(Run, f"{family or 'state'} {number}", family, 12, 3, possible)
        for solver, result in instance.items():
            if isinstance(result, str):
                ending = cast(Answer, result)
                runs.append(about(solver, 0, ending, None, None, None, 0.0, None, "why"))
                continue
            for turn, seconds in enumerate(result if isinstance(result, tuple) else (result,)):
                answer: Answer = "feasible" if possible else "infeasible"
                steps = 0.25 * seconds, 0.75 * seconds
                runs.append(
                    about(solver, turn, answer, "deal" if possible else "shortage", *steps, seconds)
                )
    return runs


def comparison_of(runs: Sequence[Run], *solvers: str, limit: float = 10.0) -> Comparison:
    return Comparison("states", 0, limit, "", "", dict.fromkeys(solvers, ""), runs)


def answers(measured: InstanceRuns) -> dict[str, Answer]:
    """Return how the last run of every solver ended."""
    return {run.solver: run.answer for run in measured.runs}


# ---------------------------------------------------------------------- sizes


@given(st.integers(1, 3000), st.integers(0, 3000))
def test_values_of_a_sweep_are_increasing_and_at_most_eight(first: int, more: int) -> None:
    values = Sweep("sets", first, first + more).values
    assert values[0] == first
    assert values[-1] == first + more
    assert len(values) <= 8
    assert values == sorted(set(values))
    if more < 8:
        assert len(values) == more + 1


@given(st.integers(2, 6), st.integers(1, 20), st.integers(2, 12))
def test_swept_games_can_be_played_and_grow(set_size: int, sets: int, players: int) -> None:
    for sweep in (Sweep("players", 2, 12), Sweep("set-size", 2, 9), Sweep("sets", 1, 200)):
        sizes = sweep_sizes((set_size, sets, players), sweep)
        swept = [getattr(size, sweep.parameter.replace("-", "_")) for size in sizes]
        assert swept == sorted(set(swept))
        assert sweep.first <= swept[0]
        assert swept[-1] <= sweep.last


@pytest.mark.parametrize(
    ("parameter", "text", "words"),
    [
        ("colours", "2..8", "must be one of set-size, sets, players"),
        ("players", "2-8", "not a range"),
        ("players", "..8", "not a range"),
        ("players", "2..", "not a range"),
        ("players", "-2..8", "not a range"),
        ("players", "2.0..8", "not a range"),
        ("players", "8..2", "empty"),
        ("players", "0..90", "cannot be 0; begin"),
        ("players", "0..3", "players: 0 is less than 2"),
        ("players", "1..1", "players: 1 is less than 2"),
        ("set-size", "0..3", "set_size: 0 is less than 2"),
        ("players", "1..3", "players: 1 is less than 2"),
        ("players", "2..101", "limit is 100"),
        ("set-size", "1..4", "set_size: 1 is less than 2"),
        ("sets", "2..99999", "limit is 10000"),
        ("sets", "2..3", "evenly for any number of sets in 2..3"),
    ],
)
def test_invalid_sweeps_are_refused(parameter: str, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        sweep_sizes((3, 8, 4), Sweep.parse(parameter, text))


# ---------------------------------------------------------------------- measuring


@pytest.mark.parametrize("feasible", [True, False])
def test_a_series_is_measured_size_by_size_under_its_names(feasible: bool) -> None:
    series = Series("chain", feasible, (12, 16), per_size=3)
    measured = measure(MeasuringTask(series, states=6, damage=0.0, rounds=2, seed="9"), FAST)
    instances = [(name, series.instance(at, "9")) for at, name in enumerate(series.names)]
    runs = [run for measurement in measured for run in measurement.runs]
    assert list(dict.fromkeys((run.instance, run.cards, run.players) for run in runs)) == [
        (name, problem.cards, problem.players) for name, problem in instances
    ]
    assert {(run.family, run.feasible) for run in runs} == {("chain", feasible)}
    assert [len(measurement.runs) for measurement in measured] == [2 * len(FAST)] * len(instances)


def test_states_are_the_same_for_a_seed_and_mixed() -> None:
    states = instances(WORK)
    assert states == instances(replace(WORK)) != instances(replace(WORK, seed="1"))
    assert [name for name, _ in states] == [f"4-3-3 {number}" for number in range(20)]
    kinds = [bool(solve(problem_of(state))) for _, state in states]
    assert (kinds.count(True), kinds.count(False)) == (15, 5)


@given(st.floats(0, 1), st.integers(1, 12))
def test_the_share_of_damage_is_kept(damage: float, number: int) -> None:
    work = MeasuringTask((State.start(),) * number, number, damage, 1, "0")
    touched = sum(state != State.start() for _, state in instances(work))
    assert abs(touched - damage * number) < 1


@given(st.data())
def test_an_interrupted_comparison_continues_every_task(data: st.DataObject) -> None:
    """Several workers measure tasks at the same time, so the runs of tasks are interleaved."""
    works = [replace(WORK, states=n, first=5 * n, seed=str(n), budget=9.0) for n in range(1, 5)]
    numbers = [data.draw(st.integers(0, work.states)) for work in works]
    names = data.draw(st.permutations([at for at, n in enumerate(numbers) for _ in range(n)]))
    waiting = [iter(work.names) for work in works]
    run = runs_of({"max-flow": 1.0})[0]
    runs = [replace(run, instance=next(waiting[at]), seconds=float(at)) for at in names]
    assert list(remaining_tasks(works, runs)) == [
        replace(work, done=n, spent=(("max-flow", float(at * n)),) if n else ())
        for at, (work, n) in enumerate(zip(works, numbers, strict=True))
        if n < work.states
    ]


def test_every_measurement_is_yielded_when_it_is_finished() -> None:
    """The workers get no more instances than the pool has in flight."""
    done: list[DealProblem] = []

    def answer(problem: DealProblem) -> Verdict:
        done.append(problem)
        return SOLVERS["max-flow"](problem)

    works = [replace(WORK, states=6, first=6 * n, seed=str(n)) for n in range(5)]
    solvers = [solver_from_function("counting", answer)]
    with limited("quaternity.trials.comparison.measuring", STEP_SECONDS=0.0):
        pool = Pool(lambda: (SerialExecutor(), lambda: None), in_flight=3)
        measurements = iter_measurements(works, solvers, pool)
        next(measurements)
        # Each solver solves two tiny problems before every measurement, and once more at the start.
        assert len(done) <= 3 * 3 + 2, len(done)
        names = [WORK.names[0], *(runs[0].instance for runs, _ in measurements)]
    assert sorted(names) == sorted(name for work in works for name in work.names)


def test_every_solver_is_measured_on_every_state() -> None:
    measured = measure(replace(WORK, rounds=3), list(SOLVERS.values()))
    assert len(measured) == 20
    for (runs, text), (name, state) in zip(measured, instances(WORK), strict=True):
        assert text is None
        assert {run.solver for run in runs} == SOLVERS.keys()
        counts = Counter(run.solver for run in runs if run.answer != "refused")
        assert set(counts.values()) == {3}
        for run in runs:
            assert (run.instance, run.family) == (name, "4-3-3")
            assert run.feasible is bool(solve(problem_of(state)))
            if run.answer != "refused":
                assert run.decided
                assert run.build is not None
                assert run.solve is not None
                assert run.seconds == run.build + run.solve >= run.build >= 0
    assert {measurement.runs[0].feasible for measurement in measured} == {True, False}


def test_a_crash_does_not_affect_other_solvers() -> None:
    result = measure_state(State.start(), [solver_from_function("bad", divides_by_zero), *FAST], 2)
    assert answers(result) == {"bad": "crashed"} | dict.fromkeys(QUICK, "feasible")
    (why,) = (run.text for run in result.runs if run.solver == "bad")
    assert why is not None
    assert why.startswith("raised ZeroDivisionError(")


def test_a_budget_is_respected_and_a_limit_is_not_a_fault() -> None:
    def slow(problem: DealProblem) -> Verdict:
        raise SolverTimeout("too slow")

    budget = Budget(1e-9)
    rows = [*FAST, solver_from_function("slow", slow)]
    first = measure_state(State.start(), rows, 5, budget)
    assert answers(first) == {"slow": "timeout"} | dict.fromkeys(QUICK, "feasible")
    assert len(first.runs) == 3
    assert [run.text for run in first.runs if run.solver == "slow"] == ["too slow"]
    second = measure_state(State.start(), rows, 5, budget)
    assert answers(second) == dict.fromkeys([*QUICK, "slow"], "left out")
    assert {run.feasible for run in second.runs} == {None}


@pytest.fixture
def burn(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that spends processor time of this thread; nothing else spends any."""
    clock = local()

    def burn(seconds: float) -> None:
        clock.seconds = time_used() + seconds

    def time_used() -> float:
        return getattr(clock, "seconds", 0.0)

    monkeypatch.setattr("quaternity.base.cp_sat_search.thread_time", time_used)
    return burn


def test_time_of_other_threads_is_not_counted(burn: Callable[[float], None]) -> None:
    """While the solver waits, another thread works."""

    def waits(problem: DealProblem) -> Verdict:
        burn(2)
        with ThreadPoolExecutor(1) as executor:
            executor.submit(burn, 5).result()
        return SOLVERS["coalitions"](problem)

    (run,) = measure_state(State.start(), [solver_from_function("waits", waits)]).runs
    assert (run.build, run.solve, run.seconds) == pytest.approx((0, 2, 2))


def test_time_of_a_search_in_a_second_thread_is_counted(burn: Callable[[float], None]) -> None:
    """CP-SAT solves larger models in a second thread, so that an interrupt can stop it."""

    def searches(problem: DealProblem) -> Verdict:
        search = SimpleNamespace(parameters=SimpleNamespace(), solve=lambda *_: burn(3))
        solve_interruptibly(search, None)
        return SOLVERS["coalitions"](problem)

    (run,) = measure_state(State.start(), [solver_from_function("mine", searches)]).runs
    assert run.solve == pytest.approx(3)


def test_an_exception_while_refusing_is_a_fault() -> None:
    def no_answer(problem: DealProblem) -> str:
        raise KeyError(problem.cards)

    row = Solver("rude", "", FAST[0].prepare, no_answer)
    assert answers(measure_state(State.start(), [row])) == {"rude": "crashed"}


# ---------------------------------------------------------------------- figures


def test_a_row_has_the_figures_of_its_runs() -> None:
    runs = runs_of(
        {"a": 1.0, "b": 2.0},
        {"a": 3.0, "b": 9.0},
        {"a": 5.0, "b": "refused"},
        {"a": "left out", "b": "gave up"},
        feasible=(True, False, True, True),
    )
    first, second = rows_of(runs, ["a", "b"], 10.0)
    assert (first.feasible, first.infeasible, first.left_out) == (2, 1, 1)
    assert (second.feasible, second.infeasible, second.skipped, second.gave_up) == (1, 1, 1, 1)
    assert (first.median, first.total, first.p95) == (3.0, 9.0, 5.0)
    assert (first.build, first.solve) == (0.75, 2.25)
    # On the two states that both decided: 5.5 against 2.
    assert (first.ratio, second.ratio) == (1.0, 2.75)
    assert (first.common_median, second.common_median) == (2.0, 5.5)
    assert first.common == second.common == 2
    assert (first.decided, first.fastest, first.alone, first.rank) == (3, 3, 1, 1)
    assert (first.par2, second.par2) == (29 / 4, 51 / 4)


def test_a_wrong_verdict_decides_nothing_and_is_not_fast() -> None:
    wrong = comparison_of(runs_of(*[{"a": "wrong", "b": 5.0}] * 3), "a", "b")
    row, other = wrong.rows
    assert (row.feasible, row.faults, row.median, row.ratio) == (0, 3, None, None)
    assert (other.feasible, other.ratio) == (3, 1.0)
    assert performance_profile(wrong.times) == {"a": [], "b": [(1.0, 1.0)]}


def test_without_measurements_there_are_no_figures() -> None:
    (row,) = rows_of(runs_of({"a": "refused"}), ["a"], 10.0)
    assert (row.median, row.interval, row.p95, row.total, row.ratio) == (None,) * 5
    assert rows_of([], ["a"], 10.0) == []


def test_figures_use_all_runs_of_few_states_and_one_value_per_state_of_many() -> None:
    (few,) = rows_of(runs_of(*[{"a": (1.0, 2.0, 30.0)}] * 2), ["a"], 100.0)
    (many,) = rows_of(runs_of(*[{"a": (1.0, 2.0, 30.0)}] * 40), ["a"], 100.0)
    assert (few.p95, many.p95) == (30.0, 2.0)
    assert (few.total, many.total) == (4.0, 80.0)


@given(st.lists(st.floats(1e-6, 10), min_size=2, max_size=60))
def test_the_interval_lies_around_the_median(values: list[float]) -> None:
    interval = median_interval(values, seed=1)
    assert interval is not None
    low, high = interval
    assert min(values) <= low <= high <= max(values)
    assert low <= statistics.median(values) * (1 + 1e-9)
    assert high >= statistics.median(values) * (1 - 1e-9)
    assert interval == median_interval(values, seed=1)


def test_the_interval_covers_the_median_as_often_as_it_should() -> None:
    random = Random(0)
    covered = 0
    for trial in range(200):
        interval = median_interval([random.expovariate(1) for _ in range(40)], seed=trial)
        assert interval is not None
        covered += interval[0] <= 0.6931 <= interval[1]
    assert 0.9 <= covered / 200 <= 0.99


@given(st.lists(st.integers(0, 99), min_size=1), st.floats(0.01, 1))
def test_quantiles_agree_with_their_definition(values: list[int], share: float) -> None:
    ascending = sorted(values)
    result = quantile(ascending, share)
    wanted = [v for v in ascending if sum(x <= v for x in values) >= share * len(values) - 1e-6]
    assert result == wanted[0]


@pytest.mark.parametrize("states", [1, 2, 29, 30, 31, 1000])
def test_every_median_rests_on_enough_runs(states: int) -> None:
    assert states * rounds_for(states) >= 30
    assert states * (rounds_for(states) - 1) < 30


# ---------------------------------------------------------------------- profiles


def test_profiles_agree_with_a_computation_by_hand() -> None:
    times: Times = {"a": [1.0, 4.0, 1.0, None], "b": [2.0, 2.0, None, None]}
    assert cactus(times["a"]) == [(1.0, 1.0), (2.0, 1.0), (3.0, 4.0)]
    assert cactus(times["b"]) == [(1.0, 2.0), (2.0, 2.0)]
    assert performance_profile(times) == {
        "a": [(1.0, 0.5), (2.0, 0.75)],
        "b": [(1.0, 0.25), (2.0, 0.5)],
    }


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(1e-6, 10)), min_size=1))
def test_every_decided_instance_has_a_fastest_solver(times: list[dict[str, float]]) -> None:
    profiles = performance_profile(
        {name: [seconds.get(name) for seconds in times] for name in "abc"}
    )
    at_once = [curve[0][1] for curve in profiles.values() if curve and curve[0][0] == 1.0]
    decided = sum(map(bool, times)) / len(times)
    assert sum(at_once) >= decided - 1e-9
    for name, curve in profiles.items():
        assert curve == sorted(curve)
        assert [share for _, share in curve] == sorted({share for _, share in curve})
        whole = sum(name in seconds for seconds in times) / len(times)
        assert (curve[-1][1] if curve else 0) == pytest.approx(whole)


# ---------------------------------------------------------------------- reports


def test_tables_are_aligned_and_csv_has_a_line_per_size_and_solver() -> None:
    rows = [*FAST, SOLVERS["brute-force"]]
    sizes = [Settings(2, 3, 3), Settings(4, 13, 4)]
    measured = [result for size in sizes for result in measure(replace(WORK, source=size), rows)]
    names = [row.name for row in rows]
    comparison = comparison_of([run for result in measured for run in result.runs], *names)
    for part in (*comparison.families.values(), comparison):
        head, *body = report.row_table(part, wide=True)
        assert {len(line) for line in body} == {len(head)}
        assert [line[0] for line in body] == [*names, "virtual best"]
        assert {"95 % interval", "p95", "rank", "PAR-2"} <= set(head)
        assert "gave up" not in head
    assert report.headline(comparison).startswith("40 states: 30 feasible, 10 infeasible (25 %)")
    lines = list(csv.DictReader(io.StringIO(report.csv_text(comparison))))
    assert [(line["sets"], line["family"], line["solver"]) for line in lines] == [
        (sets, family, name) for sets, family in (("3", "2-3-3"), ("13", "4-13-4"), ("", "all"))
        for name in names
    ]  # fmt: skip
    for line in lines:
        assert int(line["rank_interval_low"]) <= int(line["rank"])
        assert not line["median"] or float(line["interval_low"]) <= float(line["median"])
    table = re.findall(r"^\| (`[^|]*) \|", GUIDE.read_text(), re.MULTILINE)
    documented = [name for cell in table for name in re.findall("`(.*?)`", cell)]
    assert documented[: len(lines[0])] == [*lines[0]]
    document = report.document(comparison)
    parts = [*document["sizes"], document]
    assert [
        {key: "" if value is None else str(value) for key, value in figures.items()}
        for part in parts
        for figures in part["solvers"]
    ] == [{key: line[key] for key in document["solvers"][0]} for line in lines]
    assert [size["states"] for size in document["sizes"]] == [20, 20]
    assert [row["solver"] for row in document["solvers"]] == names


def test_a_family_has_the_columns_of_a_state_and_the_best_first() -> None:
    slow, quick = {"a": 3.0, "b": 1.0}, {"a": 4.0, "b": 2.0}
    states = comparison_of(runs_of(slow, quick), "a", "b")
    families = comparison_of(runs_of(slow, quick, family="php"), "a", "b")
    for wide in (False, True):
        assert report.row_table(states, wide=wide)[0] == report.row_table(families, wide=wide)[0]
    assert [row.solver for row in states.rows] == ["a", "b"]
    assert [row.solver for row in families.rows] == ["b", "a"]
    assert {row.solver: row for row in states.rows} == {row.solver: row for row in families.rows}


@pytest.mark.parametrize("wrong", [0, 1, 2])
@pytest.mark.parametrize("crashed", [0, 1, 2])
def test_wrong_verdicts_and_crashes_are_counted_separately(wrong: int, crashed: int) -> None:
    endings = [*["wrong"] * wrong, *["crashed"] * crashed]
    comparison = comparison_of(runs_of({"a": 1.0}, *({"a": ending} for ending in endings)), "a")
    head, row, *_ = report.row_table(comparison)
    cells = dict(zip(head, row, strict=True))
    assert cells.get("wrong", "0") == str(wrong)
    assert cells.get("crash", "0") == str(crashed)
    faults = wrong + crashed
    verb = "has" if faults == 1 else "have"
    fault = "a wrong verdict" if wrong else "a crash"
    line = f"{faults} of {with_noun(faults + 1, 'state')} {verb} {fault}."
    assert (line in report.remarks(comparison)) == (faults > 0)


@pytest.mark.parametrize("ending", ["refused", "gave up", "timeout", "memory"])
def test_a_refusal_is_skipping_and_a_limit_is_giving_up(ending: str) -> None:
    lines = [*report.remarks(comparison_of(runs_of({"a": 1.0}, {"a": ending}), "a"))]
    word = "skipped" if ending == "refused" else "gave up"
    assert [line for line in lines if line.startswith("a ")] == [f"a {word}: why"]


@pytest.mark.parametrize("seconds", [(0.0,), (0.0, 2.0), (0.5, 0.0, 0.0)])
def test_a_total_is_the_sum_even_if_times_are_zero(seconds: tuple[float, ...]) -> None:
    (row,) = rows_of(runs_of(*({"a": value} for value in seconds), {"a": "gave up"}), ["a"], 10.0)
    assert (row.total, row.decided) == (sum(seconds), len(seconds))


def test_only_a_few_faults_are_listed_individually() -> None:
    runs = runs_of(*[{"a": "wrong", "b": 1.0}] * 30, {"a": "crashed", "b": 1.0})
    comparison = comparison_of(runs, "a", "b")
    assert any(
        "31 of 31 states have a wrong verdict." in line for line in report.remarks(comparison)
    )
    assert len(report.fault_lines(comparison)) == 11
    assert (comparison.rows[0].faults, comparison.rows[0].crashes) == (31, 1)
