"""The suite that every solver must pass, and that every broken one must fail."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from solvers import (
    SOLVERS,
    DealProblem,
    Infeasible,
    SetConstraint,
    SolverFault,
    Verdict,
    all_solvers,
)
from solvers.counterexample import smallest_counterexample
from solvers.minimize import minimize_problem, simplifications
from solvers.solver import solver_from_function
from solvers.strategies import deal_problems
from solvers.testing import (
    GAME_SIZES,
    MAX_COVERED_NUMBER,
    Conformance,
    check_solver,
    evidence_stands,
    one_bound_problems,
    problems_of_all_sizes,
    tightenings,
)
from tests.limits import limited
from tests.sizes import examples, only_thorough, thorough
from tests.solvers.broken import (
    BROKEN,
    RARELY_BROKEN,
    counts_in_32_bits,
    forgets_a_maximum_of_twins,
    gives_up_on_the_infeasible,
)


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    """Skip the search for the smallest counterexample, which may leave files in the folder."""
    with limited("solvers.testing", SHRINK_SECONDS=0.0):
        yield


@pytest.mark.parametrize("name", all_solvers())
def test_every_solver_of_the_table_conforms(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = GAME_SIZES[thorough(1, 0) : 2]
    conformance = check_solver(
        all_solvers()[name], examples=thorough(4 if name == "cp-sat" else 8, 40), sizes=sizes
    )
    assert min(conformance.feasible, conformance.infeasible) >= thorough(2, 5)
    assert conformance.refused or (conformance.max_cards >= 48 and conformance.max_players >= 12)
    assert not [*tmp_path.iterdir()]


FOUND_BY_SMALL_PROBLEMS = thorough((gives_up_on_the_infeasible,), ())
"""Wrong solvers that need not be given problems of the size of games."""


def fails_on(function: Callable[[DealProblem], Verdict], message: str) -> bool:
    """Return whether a solver is wrong about the problem in a message, or raises an error."""
    example = message.partition("\non ")[2]
    names = {"DealProblem": DealProblem, "SetConstraint": SetConstraint}
    problem = eval(example, names)  # noqa: S307 - our own message, pasted as a reader would
    try:
        return evidence_stands(solver_from_function("pasted", function), problem) is not None
    except BaseException:
        return True


FOUND_LATE = (forgets_a_maximum_of_twins, counts_in_32_bits)


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(bad, marks=only_thorough) if bad in FOUND_LATE else bad
        for bad in (*BROKEN, *RARELY_BROKEN)
    ],
    ids=lambda function: function.__name__,
)
def test_every_broken_solver_is_found(function: Callable[[DealProblem], Verdict]) -> None:
    """The message names the solver, and has a problem on which it fails."""
    sizes = () if function in FOUND_BY_SMALL_PROBLEMS else GAME_SIZES
    silent = "decided .* none of the .* infeasible ones"
    words = rf"{function.__name__} (breaks the law '.*\n.*Problem|{silent})"
    with pytest.raises(SolverFault, match=words) as caught:
        check_solver(function, examples=thorough(30, 300), sizes=sizes)
    message = str(caught.value)
    assert "\non " not in message or fails_on(function, message)


def sizes_of(problems: Iterable[DealProblem]) -> tuple[set[int], ...]:
    """Return all numbers of players, of sets and of cards."""
    sizes = [(problem.players, len(problem.sets), problem.cards) for problem in problems]
    return tuple(map(set, zip(*sizes, strict=True)))


def test_every_number_of_players_sets_and_cards_occurs() -> None:
    most = thorough(MAX_COVERED_NUMBER, 70)
    problems = [*problems_of_all_sizes(thorough(30, 360), seed=5)]
    players, sets, cards = sizes_of(problems)
    assert players >= {*range(2, most + 1)}
    assert sets >= {*range(1, most + 1)}
    assert cards >= {*range(1, MAX_COVERED_NUMBER + 1)}
    assert max(players) > MAX_COVERED_NUMBER < max(sets)


@pytest.mark.parametrize("seed", range(thorough(1, 4)))
def test_twins_of_one_bound_have_every_number_of_players_and_sets(seed: int) -> None:
    problems = [*one_bound_problems(900, seed)]
    verdicts = [bool(SOLVERS["max-flow"](problem)) for problem in problems[:: thorough(7, 1)]]
    assert verdicts == [number % 2 == 0 for number in range(len(verdicts))]
    assert sizes_of(problems)[:2] == ({*range(2, 71)}, {*range(1, 71)})
    for first, second in zip(problems[::2], problems[1::2], strict=True):
        assert first.hands == second.hands
        assert sum(set_ != other for set_, other in zip(first.sets, second.sets, strict=True)) == 1


def test_a_fault_is_reported_with_the_problem_on_which_the_solver_fails() -> None:
    """The message does not show the given problem, from which a law derived that problem."""
    original = DealProblem([2, 0], [SetConstraint.of([[0, 1]] * 2, players=2)])
    derived = DealProblem([1, 1], original.sets)

    def wrong_once(problem: DealProblem) -> Verdict:
        return Infeasible() if problem == derived else SOLVERS["max-flow"](problem)

    lines: list[str] = []
    with limited("solvers.testing", SHRINK_SECONDS=1e9), pytest.raises(SolverFault) as caught:
        check_solver(wrong_once, examples=0, problems=[original], report=lines.append)
    assert str(caught.value).startswith("wrong_once breaks the law 'evidence stands'")
    assert str(caught.value).endswith(f"\non {derived!r}")
    assert lines == ["wrong_once: found a fault; now looking for a smaller problem that shows it"]


def test_the_problems_of_a_test_are_counted() -> None:
    only = DealProblem([1, 0, 0], [SetConstraint.of([[0, 1, 2]], players=3)])
    assert check_solver("max-flow", examples=0, problems=[only]) == Conformance(1, 0, 0, 1, 3)


def test_a_solver_that_refuses_everything_does_not_conform() -> None:
    def nothing(problem: DealProblem) -> str:
        return "not today"

    row = replace(SOLVERS["max-flow"], name="lazy", refuses=nothing)
    with pytest.raises(SolverFault, match=r"lazy decided none of \d+ problems"):
        check_solver(row, examples=5, sizes=())


def test_a_solver_must_refuse_what_it_says_it_refuses() -> None:
    calls: list[DealProblem] = []

    def fickle(problem: DealProblem) -> str | None:
        calls.append(problem)
        return "every other time" if len(calls) % 2 else None

    with pytest.raises(SolverFault, match="'refusal is honest'"):
        check_solver(replace(SOLVERS["max-flow"], name="fickle", refuses=fickle))


@given(deal_problems(max_players=3, max_sets=2, max_set_size=3))
@settings(max_examples=examples(40))
def test_tightening_never_adds_a_deal(problem: DealProblem) -> None:
    from solvers.brute_force import deals

    before = set(deals(problem))
    for tighter, words in tightenings(problem):
        assert set(deals(tighter)) <= before, words


def test_the_smallest_counterexample_is_the_same_for_a_seed() -> None:
    numbers = st.lists(st.integers(0, 50), max_size=5).map(tuple)

    def check(values: tuple[int, ...]) -> int | None:
        return sum(values) if sum(values) > 40 else None

    assert smallest_counterexample(numbers, check, examples=200, random_seed=3) == ((41,), 41)
    assert smallest_counterexample(numbers, lambda _: None, examples=20, random_seed=3) is None


def test_no_example_is_drawn_after_the_time_limit() -> None:
    drawn: list[tuple[int, ...]] = []

    def record(values: list[int]) -> tuple[int, ...]:
        drawn.append(tuple(values))
        return drawn[-1]

    counterexample = smallest_counterexample(
        st.lists(st.integers(0, 50), max_size=9).map(record),
        lambda values: "much" if sum(values) > 40 else None,
        examples=200, random_seed=3, shrink_seconds=0.0,
    )  # fmt: skip
    assert counterexample is not None
    assert len(drawn) - drawn.index(counterexample[0]) < 4


def test_an_unstable_check_still_yields_its_counterexample() -> None:
    calls: list[int] = []

    def once(value: int) -> str | None:
        calls.append(value)
        return "only now" if len(calls) == 5 else None

    counterexample = smallest_counterexample(st.integers(0, 99), once, examples=50, random_seed=0)
    assert counterexample == (calls[4], "only now")

    def flaky(value: int) -> None:
        raise Flaky(f"{value} at first")

    with pytest.raises(Flaky, match="at first"):
        smallest_counterexample(st.integers(0, 99), flaky, examples=5, random_seed=0)


@given(deal_problems(same_size=True), st.booleans())
@settings(max_examples=examples(60))
def test_simplifications_are_simpler_and_keep_the_kind(
    problem: DealProblem, same_size: bool
) -> None:
    def size(candidate: DealProblem) -> tuple[int, ...]:
        return (
            len(candidate.sets),
            candidate.cards,
            candidate.players,
            sum(candidate.hands),
            sum(sum(bounds.low) for bounds in candidate.sets),
            sum(high != bounds.size for bounds in candidate.sets for high in bounds.high),
            sum(mask.bit_count() for bounds in candidate.sets for mask in bounds.owners),
        )

    feasible = bool(SOLVERS["coalitions"](problem))
    for simpler in simplifications(problem, same_size):
        assert size(simpler) < size(problem)
        if same_size:
            sizes = {constraint.size for constraint in simpler.sets}
            assert len(sizes) == 1
            assert min(sizes) >= 1
        gone = simpler.cards < problem.cards or simpler.players < problem.players
        if feasible and gone:
            assert SOLVERS["max-flow"](simpler)
    smallest = minimize_problem(problem, lambda _: True, same_size=True)
    assert smallest.sets == (SetConstraint([0], [0], [1]),)


def test_no_library_is_imported_in_an_example_of_a_strategy() -> None:
    """Hypothesis gives an example 200 milliseconds; importing OR-Tools takes longer."""
    code = """if True:
        import sys
        from hypothesis import given, settings
        from solvers import SOLVERS
        from solvers.strategies import deal_problems, game_problems
        problems = deal_problems() | game_problems()
        before = {*sys.modules}
        @settings(max_examples=2, database=None, deadline=None)
        @given(problems)
        def check(problem):
            for name in ("max-flow", "cp-sat", "coalitions"):
                SOLVERS[name](problem)
        check()
        new = {name.partition(".")[0] for name in {*sys.modules} - before}
        print(sorted(new & {"numpy", "ortools", "pandas", "scipy"}))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_progress_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    with limited("solvers.testing", REPORT_SECONDS=0.0):
        check_solver(SOLVERS["max-flow"], examples=1, sizes=(), report=lines.append)
        check_solver(SOLVERS["max-flow"], examples=1, sizes=())
    pattern = r"max-flow: \d+ problems tried, no fault so far; now trying \d+ players and \d+ cards"
    assert all(re.fullmatch(pattern, line) for line in lines)
    assert len({line.split()[1] for line in lines}) > 3
    assert capsys.readouterr().err.splitlines() == lines
