"""Solvers of other projects: every installed one must conform like ours."""

import inspect
import pickle
import tomllib
from dataclasses import replace
from functools import partial
from importlib import import_module
from random import Random

import pytest

from solvers import (
    DealProblem,
    Infeasible,
    InputError,
    SolverTimeout,
    UnsupportedProblem,
    find_solver,
    verify,
)
from solvers.cross_check import judge
from solvers.exchange.rows import linear_model
from solvers.instances import make_pair
from solvers.random_problems import (
    GameSize,
    boundary_pair,
    game_like,
)
from solvers.rivals import EXTERNAL_SOLVERS, installed_solvers, linear, table
from solvers.testing import check_solver
from tests.sizes import thorough
from tests.solvers.problems import bound_everywhere, free_start
from tests.test_arrows import ROOT

INSTALLED = [*installed_solvers()]
POLYNOMIAL = ("flow", "LP", "MIP")
"""Families that decide the largest problems. The other families search."""


def games(seed: int, size: tuple[int, int, int]) -> list[DealProblem]:
    """Return a game and the problems on both sides of its brink."""
    random = Random(seed)
    problem = game_like(random, GameSize(*size))
    return [problem, *boundary_pair(problem, random)]


def test_extras_exist_and_rivals_without_an_extra_are_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {rival.extra for rival in EXTERNAL_SOLVERS.values()} - {""}
    assert extras <= {*project["optional-dependencies"]}
    without_extra = {name for name, rival in EXTERNAL_SOLVERS.items() if not rival.extra}
    assert without_extra == {
        "scipy-flow", "scipy-linprog", "scipy-milp", "glop", "clp", "scip", "cbc", "mathopt",
    }  # fmt: skip
    assert without_extra <= {*INSTALLED}


@pytest.mark.parametrize("name", INSTALLED)
def test_every_installed_rival_conforms(name: str) -> None:
    rival, searches = installed_solvers()[name], EXTERNAL_SOLVERS[name].family not in POLYNOMIAL
    most = thorough(12, 16)

    def refuses(problem: DealProblem) -> str | None:
        """Refuse large problems if the rival searches: some searches do not end."""
        return (
            "too large to search" if searches and problem.cards > most else rival.refuses(problem)
        )

    conformance = check_solver(replace(rival, refuses=refuses), examples=thorough(2, 20), sizes=())
    assert min(conformance.feasible, conformance.infeasible) >= 1
    assert searches or conformance.refused < conformance.feasible + conformance.infeasible


# In games 12, 13 and 18 a dual solution weighs shares that have no cap.
@pytest.mark.parametrize("seed", thorough((0, 12, 13, 18), range(20)))
def test_rivals_agree_on_games(seed: int) -> None:
    for problem in games(seed, (3, 4, 3)):
        judgement = judge(problem, [*installed_solvers().values(), find_solver("coalitions")])
        assert judgement.in_words() == ""
        assert not judgement.refused
        assert not judgement.gave_up


@pytest.mark.parametrize(
    "name", [name for name in INSTALLED if EXTERNAL_SOLVERS[name].family in POLYNOMIAL]
)
def test_polynomial_rivals_decide_large_games(name: str) -> None:
    problems = games(7, (4, thorough(20, 50), 4))
    for problem, feasible in zip(problems, (True, True, False), strict=True):
        assert bool(installed_solvers()[name](problem)) == feasible


@pytest.mark.parametrize("name", INSTALLED)
def test_a_limit_is_kept_or_the_answer_is_right(name: str) -> None:
    solver = find_solver(name)
    assert pickle.loads(pickle.dumps(solver)) == solver  # noqa: S301 - pickled in this line
    assert (solver.prepare_within is not None) == EXTERNAL_SOLVERS[name].keeps_limit
    if solver.prepare_within is not None:
        for problem in (games(3, (4, 5, 3))[2], make_pair("php", 40, 0).impossible):
            judgement = judge(problem, [solver.with_time_limit(0.02)])
            assert judgement.in_words() == ""
            message = f"{name} gave up without an answer within 0.02 s"
            assert not {*judgement.gave_up.values()} - {message}


def test_a_rival_that_gives_up_has_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "glop", lambda rows, seconds: lambda: None)
    with pytest.raises(SolverTimeout, match=r"^glop gave up without an answer within 2 s$"):
        find_solver("glop").with_time_limit(2)(free_start(2, 2, 2))


def test_a_problem_that_is_too_large_is_refused_before_any_work() -> None:
    row = replace(EXTERNAL_SOLVERS["glop"], max_pairs=10)
    assert row.solver.refuses(free_start(2, 2, 2)) is None
    with pytest.raises(UnsupportedProblem, match=r"^glop: 208 allowed .* pairs: the limit is 10$"):
        row.solver(free_start(4, 13, 4))


def test_a_missing_rival_names_its_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_is_importable", lambda name: False)
    assert installed_solvers() == {}
    with pytest.raises(InputError) as caught:
        find_solver("glucose")
    assert str(caught.value) == (
        "solver 'glucose' is not installed; to install: pip install '.[sat]'"
    )


@pytest.mark.parametrize("name", EXTERNAL_SOLVERS)
def test_an_adapter_is_short_and_explained(name: str) -> None:
    module, _, function = EXTERNAL_SOLVERS[name].adapter.partition(":")
    adapter = getattr(import_module(f"solvers.rivals.{module}"), function)
    adapter = adapter.func if isinstance(adapter, partial) else adapter
    assert adapter.__doc__
    assert len(inspect.getsource(adapter).splitlines()) <= 40
    assert EXTERNAL_SOLVERS[name].licence
    assert EXTERNAL_SOLVERS[name].idea


def test_a_set_bounded_for_every_player_is_decided_with_evidence() -> None:
    for problem in (bound_everywhere(4, 6, 4), *games(5, (4, 6, 4))):
        model = linear_model(problem)
        missed, values, weights = linear.violation(model, range(len(model.rows)))
        assert missed is not None
        tiny = [1e-9 * weight for weight in weights]  # weights may have any scale
        verdict = model.deal(values) if missed < 0.5 else Infeasible(model.shortage(tiny))
        assert verify(problem, verdict)
