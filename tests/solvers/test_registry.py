"""The table of solvers, and solvers registered by other distributions."""

import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from quaternity.base.plugins import BrokenPlugin
from solvers import (
    SOLVERS,
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    InputError,
    SetConstraint,
    Solver,
    Verdict,
    all_solvers,
    default_solver,
    find_solver,
    registry,
    solvers_for,
)
from solvers.registry import ENTRY_POINTS
from tests.solvers.problems import bound_everywhere, free_start

PROBLEM = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])


def first_owner(problem: DealProblem) -> Verdict:
    """Give every card to its first owner.

    It is only sometimes right.
    """
    owner = tuple(
        tuple((mask & -mask).bit_length() - 1 for mask in set_.owners) for set_ in problem.sets
    )
    return Feasible(Deal(owner))


UNREADABLE: Any = type("Unreadable", (), {"__bool__": lambda self: 7})()
ROW = Solver("row", "a solver of another package", lambda problem: lambda: Infeasible())


@dataclass(frozen=True)
class Point:
    """An entry point."""

    name: str
    value: str
    target: object

    def load(self) -> object:
        if isinstance(self.target, BaseException):
            raise self.target
        return self.target


Register = Callable[..., None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Iterator[Register]:
    def register(*points: Point) -> None:
        def entry_points(*, group: str) -> list[Point]:
            return list(points) if group == ENTRY_POINTS else []

        monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
        registry.registered_solvers.cache_clear()

    yield register
    monkeypatch.undo()
    registry.registered_solvers.cache_clear()


def test_functions_and_solvers_are_registered_by_name(register: Register) -> None:
    register(Point("first", "elsewhere:first_owner", first_owner), Point("other", "a:b", ROW))
    solver = find_solver("first")
    assert solver.name == "first"
    assert solver.idea == "Give every card to its first owner."
    assert solver(PROBLEM) == Feasible(Deal(((0, 1),)))
    assert solver.refuses(PROBLEM) is None
    assert list(all_solvers()) == [*SOLVERS, "first", "other"]
    assert solver in solvers_for(PROBLEM, all_solvers().values())
    assert find_solver("other") == replace(ROW, name="other", isolated=True)
    with pytest.raises(InputError) as caught:
        find_solver("simplex")
    assert str(caught.value) == (
        "unknown solver 'simplex': choose from cp-sat, max-flow, matching, coalitions, "
        "brute-force, first, other, package.module:name"
    )


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (7, "solver 'x' (a:b) is not callable"),
        (ModuleNotFoundError("No module named 'a'"),
         "solver 'x' (a:b) cannot be loaded: ModuleNotFoundError(\"No module named 'a'\")"),
        (SystemExit(0), "solver 'x' (a:b) cannot be loaded: SystemExit(0)"),
        (
            replace(ROW, certifies=UNREADABLE),
            "solver 'x' (a:b) cannot be loaded: TypeError('__bool__ should return bool, "
            "returned int')",
        ),
        (InputError("7 is no number"), "solver 'x' (a:b) 7 is no number"),
    ],
)  # fmt: skip
def test_a_broken_registration_does_not_disable_others(
    register: Register, target: object, words: str
) -> None:
    register(Point("x", "a:b", target), Point("first", "c:d", first_owner))
    with pytest.warns(BrokenPlugin) as warned:
        assert list(all_solvers()) == [*SOLVERS, "first"]
    assert [str(warning.message) for warning in warned] == [f"{words}; it is skipped"]
    # It warns once (a second warning would be an error here); a look-up by name gives the reason.
    assert find_solver("first").name == "first"
    with pytest.raises(InputError) as caught:
        find_solver("x")
    assert str(caught.value) == words


def test_a_name_is_registered_once(register: Register) -> None:
    register(
        Point("cp-sat", "a:b", first_owner),
        Point("x", "a:b", first_owner),
        Point("x", "c:d", ROW.prepare),
    )
    with pytest.warns(BrokenPlugin) as warned:
        assert find_solver("x").idea.startswith("Give every card")
    assert [str(warning.message) for warning in warned] == [
        "solver 'cp-sat' (a:b) is skipped, because its name is already in use",
        "solver 'x' (c:d) is skipped, because its name is already in use",
    ]
    assert find_solver("cp-sat") is all_solvers()["cp-sat"] is SOLVERS["cp-sat"]


def test_an_interrupt_while_loading_is_not_caught(register: Register) -> None:
    register(Point("x", "a:b", KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        all_solvers()


def one_set(masks: int, size: int = 9_996) -> DealProblem:
    owners = [card % masks + 1 for card in range(size)]
    return DealProblem([size // 12] * 12, [SetConstraint(owners, [0] * 12, [size] * 12)])


@pytest.mark.parametrize(
    ("problem", "name"),
    [
        (bound_everywhere(4, 24, 12), "coalitions"),
        (bound_everywhere(4, 36, 12), "max-flow"),
        (free_start(4, 36, 12), "coalitions"),  # all sets are one
        (one_set(100), "coalitions"),
        (one_set(101), "max-flow"),
        (one_set(4_095), "max-flow"),
        (one_set(96, size=96), "coalitions"),
    ],
)
def test_the_default_follows_the_work_of_coalitions(problem: DealProblem, name: str) -> None:
    assert default_solver(problem).name == name


def test_an_import_path_names_a_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_mine.py").write_text("def mine(problem): ...\nseven = 7\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    solver = find_solver("of_mine:mine")
    assert (solver.name, solver.isolated) == ("of_mine:mine", True)
    for place, why in (
        ("of_mine:seven", "is not callable"),
        ("of_mine:eight", "no attribute 'eight'"),
        ("nowhere:mine", "No module named 'nowhere'"),
    ):
        with pytest.raises(InputError, match=f"solver '{place}' cannot be loaded: .*{why}"):
            find_solver(place)
    with pytest.raises(InputError, match=r"package\.module:name"):
        find_solver("mine")
