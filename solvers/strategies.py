"""Hypothesis strategies for deal problems, for testing solvers: yours too.

    from hypothesis import given
    from solvers import verify
    from solvers.strategies import deal_problems

    @given(deal_problems())
    def test_my_solver(problem):
        assert verify(problem, my_solver(problem))

Problems are feasible and infeasible in about equal parts. They are made by loosening or spoiling a
real deal, so that infeasible ones miss narrowly, and they shrink towards few players and cards.
Making a strategy imports the libraries of the built-in solvers, which takes about a second, so that
the first example of a test stays within Hypothesis's deadline.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from random import Random
from typing import Concatenate, ParamSpec, TypeVar

from hypothesis import strategies as st

from solvers.problem import DealProblem
from solvers.random_problems import GameSize, Sizes, brink, game_like, loosened, spoilt

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")

_LIBRARIES = "ortools.graph.python.max_flow", "ortools.sat.python.cp_model", "scipy.sparse.csgraph"
"""Libraries that the built-in solvers import when they are first called."""


def composite(
    function: Callable[Concatenate[st.DrawFn, Arguments], Value],
) -> Callable[Arguments, st.SearchStrategy[Value]]:
    """Like `hypothesis.strategies.composite`, but import the libraries of solvers first."""
    made = st.composite(function)

    @wraps(made)
    def strategy(*args: Arguments.args, **kwargs: Arguments.kwargs) -> st.SearchStrategy[Value]:
        for library in _LIBRARIES:
            import_module(library)
        return made(*args, **kwargs)

    return strategy


@composite
def feasible_problems(
    draw: st.DrawFn,
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> DealProblem:
    """Draw problems that at least one deal satisfies: constraints loosened around a drawn deal."""
    sizes = Sizes(max_players, max_sets, max_set_size, upper_bounds, same_size)
    return loosened(lambda least, most: draw(st.integers(least, most)), sizes)


@composite
def spoilt_problems(
    draw: st.DrawFn,
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> DealProblem:
    """Draw feasible problems with a few constraints tightened: most of them infeasible."""
    sizes = Sizes(max_players, max_sets, max_set_size, upper_bounds, same_size)
    return spoilt(lambda least, most: draw(st.integers(least, most)), sizes)


@composite
def game_problems(draw: st.DrawFn, size: tuple[int, int, int] = (4, 13, 4)) -> DealProblem:
    """Draw problems of the size of a game: feasible ones, and pairs on both sides of the brink.

    `size` is cards in one set, sets, players (at least 2). Problems are drawn as a whole and do not
    shrink: `solvers.reduction.reduced` makes one smaller.
    """
    random = Random(draw(st.integers(0, 2**32)))
    problem = game_like(random, GameSize(*size))
    return draw(st.sampled_from((problem, *brink(problem, random))))


def deal_problems(
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> st.SearchStrategy[DealProblem]:
    """Draw feasible and infeasible problems up to these sizes; see `Sizes`."""
    sizes = (max_players, max_sets, max_set_size, upper_bounds, same_size)
    return st.one_of(feasible_problems(*sizes), spoilt_problems(*sizes))
