"""Hypothesis strategies that generate deal problems, for testing solvers.

A test of your own solver may look like this:

    from hypothesis import given
    from solvers import verify
    from solvers.strategies import deal_problems

    @given(deal_problems())
    def test_my_solver(problem):
        assert verify(problem, my_solver(problem))

A feasible problem is made from a random deal, with constraints that allow this deal and others. An
infeasible problem is made by tightening a few constraints of a feasible problem. About half of the
problems are feasible. Many problems are on the boundary: tightening or loosening one
constraint by 1 changes the verdict. All problems shrink towards one player and one card.

Creating a strategy imports the libraries of the built-in solvers, which takes about a second.
Otherwise, the first example of a test would exceed Hypothesis's deadline.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from operator import itemgetter
from random import Random
from typing import Concatenate, ParamSpec, TypeVar

from hypothesis import strategies as st

from solvers.problem import DealProblem
from solvers.random_problems import (
    GameSize,
    Sizes,
    boundary_pair,
    game_like,
    one_player_problem,
    random_boundary,
    random_feasible,
    random_tightened,
)

__all__ = [
    "boundary_pairs", "deal_problems", "feasible_problems", "game_problems", "tightened_problems",
]  # fmt: skip

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")

_LIBRARIES = "ortools.graph.python.max_flow", "ortools.sat.python.cp_model", "scipy.sparse.csgraph"
"""Libraries that the built-in solvers import when they are first called."""


def composite(
    function: Callable[Concatenate[st.DrawFn, Arguments], Value],
) -> Callable[Arguments, st.SearchStrategy[Value]]:
    """Convert a function to a Hypothesis strategy, as `hypothesis.strategies.composite` does.

    Creating the strategy also imports the libraries of the solvers, so that the first example of a
    test is not too slow.
    """
    make_strategy = st.composite(function)

    @wraps(make_strategy)
    def strategy(*args: Arguments.args, **kwargs: Arguments.kwargs) -> st.SearchStrategy[Value]:
        for library in _LIBRARIES:
            import_module(library)
        return make_strategy(*args, **kwargs)

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
    """Return a strategy for feasible problems.

    The arguments are explained in `solvers.random_problems.Sizes`.
    """
    sizes = Sizes(max_players, max_sets, max_set_size, upper_bounds, same_size)
    return random_feasible(lambda low, high: draw(st.integers(low, high)), sizes)


@composite
def tightened_problems(
    draw: st.DrawFn,
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> DealProblem:
    """Return a strategy for feasible problems with tightened constraints. Most are infeasible.

    The arguments are explained in `solvers.random_problems.Sizes`.
    """
    sizes = Sizes(max_players, max_sets, max_set_size, upper_bounds, same_size)
    return random_tightened(lambda low, high: draw(st.integers(low, high)), sizes)


@composite
def boundary_pairs(
    draw: st.DrawFn,
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> tuple[DealProblem, DealProblem]:
    """Return a strategy for a feasible and an infeasible problem that differ by 1 in one number.

    The arguments are explained in `solvers.random_problems.Sizes`.
    """
    sizes = Sizes(max_players, max_sets, max_set_size, upper_bounds, same_size)
    return random_boundary(lambda low, high: draw(st.integers(low, high)), sizes)


@composite
def game_problems(draw: st.DrawFn, size: tuple[int, int, int] = (4, 13, 4)) -> DealProblem:
    """Return a strategy for feasible, just feasible and just infeasible problems of a game's size.

    `size` is (cards in one set, sets, players), with at least 2 players. Hypothesis draws only the
    seed of a problem, so it cannot shrink the problem. Use `solvers.minimize.minimize_problem` for
    that.
    """
    random = Random(draw(st.integers(0, 2**32)))
    problem = game_like(random, GameSize(*size))
    return draw(st.sampled_from((problem, *boundary_pair(problem, random))))


def deal_problems(
    max_players: int = 4,
    max_sets: int = 3,
    max_set_size: int = 4,
    upper_bounds: bool = True,
    same_size: bool = False,
) -> st.SearchStrategy[DealProblem]:
    """Return a strategy for feasible and infeasible problems.

    The arguments are explained in `solvers.random_problems.Sizes`.
    """
    sizes = (max_players, max_sets, max_set_size, upper_bounds, same_size)
    tightened, pairs = tightened_problems(*sizes), boundary_pairs(*sizes)
    possible, impossible = pairs.map(itemgetter(0)), pairs.map(itemgetter(1))
    kinds = (feasible_problems(*sizes), tightened, tightened, possible, impossible, impossible)
    # Hypothesis draws equal strategies only once, so the kind is chosen by a number.
    problem = st.integers(0, 5).flatmap(kinds.__getitem__)
    # Hypothesis tries the smallest numbers first when it shrinks an example.
    return st.tuples(problem, st.integers(0, 63)).map(lambda pair: _shortened(*pair))


def _shortened(problem: DealProblem, number: int) -> DealProblem:
    has_all_cards, player = divmod(number, 2)
    if number > 3 or not problem.sets or player >= problem.players:
        return problem
    return one_player_problem(problem, 0, player, None if has_all_cards else 1)
