"""The table of solvers, and solvers that come from elsewhere."""

import importlib.metadata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from solvers import (
    SOLVERS,
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    InputError,
    SetConstraint,
    Solver,
    UnsupportedProblem,
    Verdict,
    all_solvers,
    default_solver,
    find_solver,
    solve,
    solvers_for,
)
from solvers.registry import ENTRY_POINTS
from tests.solvers.problems import free_start

PROBLEM = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])


def first_owner(problem: DealProblem) -> Verdict:
    """Give every card to its first owner.

    Right only now and then.
    """
    owner = tuple(
        tuple((mask & -mask).bit_length() - 1 for mask in one.owners) for one in problem.sets
    )
    return Feasible(Deal(owner))


ROW = Solver("row", "a row of somebody else's", lambda problem: lambda: Infeasible())


@dataclass(frozen=True)
class Point:
    """An entry point."""

    name: str
    value: str
    target: object

    def load(self) -> object:
        if isinstance(self.target, Exception):
            raise self.target
        return self.target


Register = Callable[..., None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    def register(*points: Point) -> None:
        def entry_points(*, group: str) -> list[Point]:
            return list(points) if group == ENTRY_POINTS else []

        monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
        all_solvers.cache_clear()

    yield register
    monkeypatch.undo()
    all_solvers.cache_clear()


def test_the_group_has_the_documented_name() -> None:
    assert ENTRY_POINTS == "quaternity.solvers"


def test_a_function_becomes_a_solver(register: Register) -> None:
    register(Point("first", "elsewhere:first_owner", first_owner))
    solver = find_solver("first")
    assert solver.name == "first"
    assert solver.idea == "Give every card to its first owner."
    assert solver(PROBLEM) == Feasible(Deal(((0, 1),)))
    assert solver.refuses(PROBLEM) is None
    assert list(all_solvers()) == [*SOLVERS, "first"]
    assert solver in solvers_for(PROBLEM, all_solvers().values())
    assert "first" not in SOLVERS


def test_a_row_is_taken_under_its_registered_name(register: Register) -> None:
    register(Point("other", "elsewhere:ROW", ROW))
    assert find_solver("other") == replace(ROW, name="other")


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([Point("cp-sat", "a:b", first_owner)], "solver 'cp-sat' (a:b) is registered twice"),
        (
            [Point("x", "a:b", first_owner), Point("x", "c:d", first_owner)],
            "solver 'x' (c:d) is registered twice",
        ),
        ([Point("x", "a:b", 7)], "solver 'x' (a:b) is not callable"),
        (
            [Point("x", "a:b", ModuleNotFoundError("No module named 'a'"))],
            "solver 'x' (a:b): ModuleNotFoundError(\"No module named 'a'\")",
        ),
    ],
)
def test_registrations_that_cannot_be_used(
    register: Register, points: list[Point], words: str
) -> None:
    register(*points)
    with pytest.raises(InputError) as caught:
        all_solvers()
    assert str(caught.value) == words
    # The built-in solvers do not depend on what others registered.
    assert find_solver("max-flow") is SOLVERS["max-flow"]


def test_an_unknown_name_lists_the_known_ones(register: Register) -> None:
    register(Point("first", "a:b", first_owner))
    with pytest.raises(InputError) as caught:
        find_solver("simplex")
    assert str(caught.value) == (
        "solver 'simplex' is unknown; known are "
        "cp-sat, max-flow, matching, coalitions, brute-force, first"
    )


def test_a_refused_problem_is_not_solved() -> None:
    with pytest.raises(UnsupportedProblem, match=r"^brute-force: more than 200000 assignments"):
        SOLVERS["brute-force"](free_start(4, 13, 4))


def test_the_default_follows_the_number_of_players() -> None:
    assert default_solver(free_start(4, 12, 12)).name == "coalitions"
    assert default_solver(free_start(4, 13, 13)).name == "max-flow"
    assert solve(free_start(4, 13, 13))


def test_the_default_follows_the_number_of_different_owners_in_a_set() -> None:
    def one_set(masks: int, size: int = 9_996) -> DealProblem:
        owners = [card % masks + 1 for card in range(size)]
        return DealProblem([size // 12] * 12, [SetConstraint(owners, [0] * 12, [size] * 12)])

    assert default_solver(one_set(100)).name == "coalitions"
    assert default_solver(one_set(101)).name == "max-flow"
    assert default_solver(one_set(4_095)).name == "max-flow"
    assert default_solver(one_set(96, size=96)).name == "coalitions"


def test_preparing_and_solving_are_two_steps() -> None:
    for solver in SOLVERS.values():
        run = solver.prepare(PROBLEM)
        assert bool(run())
        assert solver.idea
