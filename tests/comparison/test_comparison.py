"""Which states are measured, what is measured on them, and what the figures say."""

import csv
import io
import statistics
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from time import thread_time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity import InputError, Settings, State
from quaternity.base.interruptible import solved
from quaternity.game.state_file import parse_state, problem_of, state_text
from quaternity.trials.comparison import (
    Budget,
    Measured,
    Series,
    Sweep,
    Timing,
    Work,
    measure,
    measure_state,
    summarise,
    swept_sizes,
)
from quaternity.trials.comparison.report import Group, Report, duration
from quaternity.trials.comparison.scores import cactus, performance_profile
from quaternity.trials.comparison.summary import (
    median_interval,
    median_times,
    quantile,
    rounds_for,
)
from solvers import SOLVERS, DealProblem, Solver, SolverTimeout, Verdict, solve
from solvers.judgement import Fault
from solvers.solver import solver_from_function
from tests.solvers.broken import BROKEN, divides_by_zero, drops_a_minimum

FAST = [SOLVERS["max-flow"], SOLVERS["coalitions"]]
WORK = Work(Settings(4, 3, 3), states=20, damage=0.5, rounds=1, seed="0")


def one(seconds: dict[str, float], feasible: bool = True, **others: object) -> Measured:
    """A state on which each solver took so long."""
    times = {name: (Timing(0.25 * total, 0.75 * total),) for name, total in seconds.items()}
    fields: dict[str, object] = {"refused": {}, "gave_up": {}, "left_out": (), "faults": ()}
    return Measured(12, 3, feasible, times, **(fields | others))  # type: ignore[arg-type]  # by name


# ---------------------------------------------------------------------- sizes


@given(st.integers(1, 3000), st.integers(0, 3000))
def test_values_of_a_sweep(first: int, more: int) -> None:
    values = Sweep("sets", first, first + more).values
    assert values[0] == first
    assert values[-1] == first + more
    assert len(values) <= 8
    assert values == sorted(set(values))
    if more < 8:
        assert len(values) == more + 1


@pytest.mark.parametrize("more", range(6, 11))
def test_a_sweep_has_eight_values_at_most_and_all_where_there_are_no_more(more: int) -> None:
    for first in range(1, 30):
        values = Sweep("sets", first, first + more).values
        assert len(values) <= min(8, more + 1)
        assert len(values) == more + 1 or more >= 8


@given(st.integers(2, 6), st.integers(1, 20), st.integers(2, 12))
def test_swept_games_can_be_played_and_grow(set_size: int, sets: int, players: int) -> None:
    for sweep in (Sweep("players", 2, 12), Sweep("set-size", 2, 9), Sweep("sets", 1, 200)):
        sizes = swept_sizes((set_size, sets, players), sweep)
        swept = [getattr(one, sweep.parameter.replace("-", "_")) for one in sizes]
        assert swept == sorted(set(swept))
        assert sweep.first <= swept[0]
        assert swept[-1] <= sweep.last


@pytest.mark.parametrize(
    ("parameter", "text", "words"),
    [
        ("colours", "2..8", "none of set-size, sets, players"),
        ("players", "2-8", "not a range"),
        ("players", "..8", "not a range"),
        ("players", "2..", "not a range"),
        ("players", "-2..8", "not a range"),
        ("players", "2.0..8", "not a range"),
        ("players", "8..2", "empty"),
        ("players", "0..90", "cannot be 0"),
        ("players", "1..3", "players: 1 is less than 2"),
        ("players", "2..101", "limit is 100"),
        ("set-size", "1..4", "set_size: 1 is less than 2"),
        ("sets", "2..99999", "limit is 10000"),
        ("sets", "2..3", "evenly for no number of sets in 2..3"),
    ],
)
def test_nonsense_sweeps(parameter: str, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        swept_sizes((3, 8, 4), Sweep.parse(parameter, text))


# ---------------------------------------------------------------------- measuring


@pytest.mark.parametrize("feasible", [True, False])
def test_a_series_is_measured_size_by_size_under_its_names(feasible: bool) -> None:
    series = Series("chain", feasible, (12, 16), each=3)
    measured = measure(Work(series, states=6, damage=0.0, rounds=2, seed="9"), FAST)
    made = [*series.made("9")]
    assert [(one.name, one.cards, one.players) for one in measured] == [
        (name, problem.cards, problem.players) for name, problem in made
    ]
    assert {(one.family, one.feasible) for one in measured} == {("chain", feasible)}
    assert all(len(runs) == 2 for one in measured for runs in one.timings.values())


def test_states_are_the_same_for_a_seed_and_mixed() -> None:
    made = WORK.made()
    assert made == WORK.made() != replace(WORK, seed="1").made()
    kinds = [bool(solve(problem_of(state))) for state in made]
    assert (kinds.count(True), kinds.count(False)) == (15, 5)


@given(st.floats(0, 1), st.integers(1, 12))
def test_the_share_of_damage_is_kept(damage: float, number: int) -> None:
    text = state_text(State.start())
    work = Work((text,) * number, number, damage, 1, "0")
    touched = sum(state != State.start() for state in work.made())
    assert abs(touched - damage * number) < 1


def test_every_solver_meets_every_state() -> None:
    measured = measure(replace(WORK, rounds=3), list(SOLVERS.values()))
    assert len(measured) == 20
    for found, state in zip(measured, WORK.made(), strict=True):
        assert found.feasible is bool(solve(problem_of(state)))
        assert found.timings.keys() | found.refused.keys() == SOLVERS.keys()
        assert all(len(runs) == 3 for runs in found.timings.values())
        assert all(t.build >= 0 and t.solve >= 0 for runs in found.timings.values() for t in runs)
        assert (found.faults, found.text, found.left_out, found.gave_up) == ((), None, (), {})
    assert {found.feasible for found in measured} == {True, False}


@pytest.mark.parametrize(
    "function",
    [one for one in BROKEN if one.__name__ not in ("ignores_maximums", "divides_by_zero")],
    ids=lambda function: function.__name__,
)
def test_a_broken_solver_is_blamed_and_its_state_kept(
    function: Callable[[DealProblem], Verdict],
) -> None:
    rows = [*FAST, solver_from_function("broken", function)]
    measured = measure(replace(WORK, states=30, damage=0.8), rows)
    faulty = [found for found in measured if found.faults]
    assert faulty
    assert {fault.solver for found in faulty for fault in found.faults} == {"broken"}
    for found in faulty:
        assert found.text is not None
        state = parse_state(found.text).state
        assert [fault.solver for fault in measure_state(state, rows).faults] == ["broken"]
        assert found.feasible is bool(state.verdict())


def test_a_crash_takes_nobody_along() -> None:
    found = measure_state(State.start(), [solver_from_function("bad", divides_by_zero), *FAST], 2)
    [fault] = found.faults
    assert (fault.solver, fault.kind) == ("bad", "crash")
    assert fault.text.startswith("raised ZeroDivisionError(")
    assert found.timings.keys() == {"max-flow", "coalitions"}


def test_a_budget_is_kept_and_a_limit_is_no_fault() -> None:
    def slow(problem: DealProblem) -> Verdict:
        raise SolverTimeout("too slow")

    budget = Budget(1e-9)
    rows = [*FAST, solver_from_function("slow", slow)]
    first = measure_state(State.start(), rows, 5, budget)
    assert first.timings.keys() == {"max-flow", "coalitions"}
    assert all(len(runs) == 1 for runs in first.timings.values())
    assert first.gave_up == {"slow": "too slow"}
    assert first.left_out == ()
    second = measure_state(State.start(), rows, 5, budget)
    assert set(second.left_out) == {"max-flow", "coalitions", "slow"}
    assert second.feasible is None
    assert second.faults == ()


def test_time_of_other_threads_is_not_a_solvers() -> None:
    """While the solver waits, another thread works for 30 ms."""
    burnt = 0.03

    def waits(problem: DealProblem) -> Verdict:
        with ThreadPoolExecutor(1) as executor:
            executor.submit(burn, burnt).result()
        return SOLVERS["coalitions"](problem)

    (timing,) = measure_state(State.start(), [solver_from_function("waits", waits)]).timings[
        "waits"
    ]
    assert timing.total < burnt / 2


def test_a_search_in_a_second_thread_is_its_solvers() -> None:
    """CP-SAT's larger models are solved in a second thread, that an interrupt may stop them."""

    def searches(problem: DealProblem) -> Verdict:
        search = SimpleNamespace(parameters=SimpleNamespace(), solve=lambda *_: burn(0.03))
        solved(search, None)
        return SOLVERS["coalitions"](problem)

    (timing,) = measure_state(State.start(), [solver_from_function("mine", searches)]).timings[
        "mine"
    ]
    assert timing.solve >= 0.03


def burn(seconds: float) -> None:
    """Use so much processor time."""
    end = thread_time() + seconds
    while thread_time() < end:
        pass


def test_refusing_badly_is_a_fault() -> None:
    def no_answer(problem: DealProblem) -> str:
        raise KeyError(problem.cards)

    row = Solver("rude", "", FAST[0].prepare, no_answer)
    assert [fault.solver for fault in measure_state(State.start(), [row]).faults] == ["rude"]


# ---------------------------------------------------------------------- figures


def test_a_row_adds_up() -> None:
    measured = [
        one({"a": 1.0, "b": 2.0}),
        one({"a": 3.0, "b": 9.0}, feasible=False),
        one({"a": 5.0}, refused={"b": "too big"}),
        one({}, left_out=("a",), gave_up={"b": "too slow"}),
    ]
    first, second = summarise(measured, ["a", "b"])
    assert (first.feasible, first.infeasible, first.left_out) == (2, 1, 1)
    assert (second.feasible, second.infeasible, second.skipped, second.gave_up) == (1, 1, 1, 1)
    assert (first.median, first.total, first.p95) == (3.0, 9.0, 5.0)
    assert (first.build, first.solve) == (0.75, 2.25)
    # On the two states that both decided: 5.5 against 2.
    assert (first.ratio, second.ratio) == (1.0, 2.75)
    assert (first.common_median, second.common_median) == (2.0, 5.5)
    assert first.common == second.common == 2


def test_who_skips_what_is_hard_is_not_the_fastest() -> None:
    """`b` takes the two small states only, and is slower on them than `a`; `c` takes none."""
    measured = [one({"a": 1.0, "b": 2.0})] * 2 + [one({"a": 9.0}, refused={"b": "big"})] * 5
    first, second, third = summarise(measured, ["a", "b", "c"])
    assert second.median is not None
    assert first.median is not None
    assert second.median < first.median
    assert (first.ratio, second.ratio, third.ratio) == (1.0, 2.0, None)
    lines = list(Report("states", 0, ["a", "b", "c"], [Group(None, measured)]).remarks())
    assert "on the 2 states that all 2 solvers that decided any decided." in lines[1]


def test_without_a_state_that_all_decided_there_is_no_ratio() -> None:
    measured = [one({"a": 1.0}), one({"b": 2.0})]
    assert [row.ratio for row in summarise(measured, ["a", "b"])] == [None, None]
    lines = list(Report("states", 0, ["a", "b"], [Group(None, measured)]).remarks())
    assert lines[1].startswith("No state was decided by all solvers")


def test_a_wrong_verdict_decides_nothing_and_is_not_fast() -> None:
    wrong = one({"a": 1.0, "b": 5.0}, faults=(Fault("a", "is wrong"),))
    row, other = summarise([wrong] * 3, ["a", "b"])
    assert (row.feasible, row.faults, row.median, row.ratio) == (0, 3, None, None)
    assert (other.feasible, other.ratio) == (3, 1.0)
    assert performance_profile(median_times([wrong], ["a", "b"])) == {"a": [], "b": [(1.0, 1.0)]}


def test_where_nothing_was_measured_nothing_is_said() -> None:
    (row,) = summarise([one({}, refused={"a": "never"})], ["a"])
    assert (row.median, row.interval, row.p95, row.total, row.ratio) == (None,) * 5
    assert summarise([], ["a"])[0].median is None


def test_with_few_states_every_run_counts_and_with_many_every_state() -> None:
    runs = tuple(Timing(0.0, float(seconds)) for seconds in (1, 2, 30))
    state = one({}, faults=())
    few = summarise([replace(state, timings={"a": runs})] * 2, ["a"])[0]
    many = summarise([replace(state, timings={"a": runs})] * 40, ["a"])[0]
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


def test_the_interval_covers_as_often_as_it_says() -> None:
    random = Random(0)
    covered = 0
    for trial in range(200):
        interval = median_interval([random.expovariate(1) for _ in range(40)], seed=trial)
        assert interval is not None
        covered += interval[0] <= 0.6931 <= interval[1]
    assert 0.9 <= covered / 200 <= 0.99


@given(st.lists(st.integers(0, 99), min_size=1), st.floats(0.01, 1))
def test_quantiles_by_their_definition(values: list[int], share: float) -> None:
    ascending = sorted(values)
    found = quantile(ascending, share)
    wanted = [v for v in ascending if sum(x <= v for x in values) >= share * len(values) - 1e-6]
    assert found == wanted[0]


@pytest.mark.parametrize("states", [1, 2, 29, 30, 31, 1000])
def test_every_median_rests_on_enough_runs(states: int) -> None:
    assert states * rounds_for(states) >= 30
    assert states * (rounds_for(states) - 1) < 30


# ---------------------------------------------------------------------- profiles


def test_profiles_by_hand() -> None:
    measured = [
        one({"a": 1.0, "b": 2.0}),
        one({"a": 4.0, "b": 2.0}),
        one({"a": 1.0}),
        one({}),
    ]
    times = median_times(measured, ["a", "b"])
    assert cactus(times["a"]) == [(1.0, 1.0), (2.0, 1.0), (3.0, 4.0)]
    assert cactus(times["b"]) == [(1.0, 2.0), (2.0, 2.0)]
    assert performance_profile(times) == {
        "a": [(1.0, 0.5), (2.0, 0.75)],
        "b": [(1.0, 0.25), (2.0, 0.5)],
    }


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(1e-6, 10)), min_size=1))
def test_somebody_is_quickest_wherever_somebody_decides(times: list[dict[str, float]]) -> None:
    measured = [one(seconds) for seconds in times]
    profiles = performance_profile(median_times(measured, ["a", "b", "c"]))
    at_once = [curve[0][1] for curve in profiles.values() if curve and curve[0][0] == 1.0]
    decided = sum(map(bool, times)) / len(times)
    assert sum(at_once) >= decided - 1e-9
    for name, curve in profiles.items():
        assert curve == sorted(curve)
        assert [share for _, share in curve] == sorted({share for _, share in curve})
        whole = sum(name in seconds for seconds in times) / len(times)
        assert (curve[-1][1] if curve else 0) == pytest.approx(whole)


# ---------------------------------------------------------------------- reports


def report(rows: list[Solver], sizes: list[Settings]) -> Report:
    groups = [Group(size, measure(replace(WORK, source=size), rows)) for size in sizes]
    return Report("states", 0, [row.name for row in rows], groups)


def test_tables_line_up_and_csv_has_a_line_per_size_and_solver() -> None:
    found = report([*FAST, SOLVERS["brute-force"]], [Settings(2, 3, 3), Settings(4, 13, 4)])
    for group in (*found.groups, None):
        lines = list(found.table(group))
        body = lines[-4:]
        assert len({len(line) for line in body}) == 1
        assert "95 % interval" in body[0]
        assert "gave up" not in body[0]
    assert found.headline().startswith("40 states: 30 feasible, 10 infeasible (25 %)")
    rows = list(csv.DictReader(io.StringIO(found.csv())))
    assert [(row["sets"], row["solver"]) for row in rows] == [
        (sets, name) for sets in ("3", "13") for name in ("max-flow", "coalitions", "brute-force")
    ]
    assert all(float(row["interval_low"]) <= float(row["median"]) for row in rows if row["median"])
    document = found.document()
    assert [size["states"] for size in document["sizes"]] == [20, 20]
    assert [row["solver"] for row in document["solvers"]] == found.solvers


def test_the_smallest_state_with_a_fault_is_the_one_to_keep() -> None:
    rows = [FAST[0], solver_from_function("broken", drops_a_minimum)]
    found = report(rows, [Settings(4, 13, 4), Settings(4, 3, 3)])
    text = found.smallest_fault
    assert text is not None
    cards = [one.cards for one in found.measured if one.faults]
    assert parse_state(text).state.problem.cards == min(cards)
    assert any(" of 40 states have a wrong verdict." in line for line in found.remarks())
    assert len(found.fault_lines()) <= 11


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.00 µs"), (9.994e-6, "9.99 µs"), (0.0009999, "1.00 ms"), (0.01, "10.0 ms"),
     (1.0, "1.00 s"), (123.4, "123 s")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
