"""The public interface: the list of names, `dir()`, old names, and arguments of wrong types."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from difflib import unified_diff
from enum import EnumType
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as sizes
from hypothesis import strategies as st

import quaternity
from quaternity import Card, Game, Question, State
from quaternity.decks import find_deck
from quaternity.epistemic import Formula, H
from quaternity.errors import QuaternityError
from quaternity.kwartet import KwartetGame
from quaternity.quarto import QuartoGame
from quaternity.ternary import SetCard, SetGame
from solvers import DealProblem, SetConstraint
from tests import public
from tests.sizes import examples, only_thorough

RENAMED = {
    "quaternity.quarto": {"Move": "QuartoMove", "explain": "explain_quartos"},
    "quaternity.quarto.rules": {"Move": "QuartoMove"},
    "quaternity.ternary": {"Card": "SetCard"},
    "quaternity.epistemic": {"Explanation": "FormulaExplanation", "explain": "explain_formula"},
}


def test_the_list_of_public_names_is_complete() -> None:
    """If it fails, run `python -m tests.public`, and add the change to the changelog."""
    written = public.LIST.read_text(encoding="utf-8").splitlines()
    assert not list(unified_diff(written, public.public().splitlines(), lineterm="", n=0))


@pytest.mark.parametrize(
    "package",
    [
        name
        for name in public.PACKAGES
        if name.startswith("quaternity") and name != "quaternity.arena"
    ],
)
def test_a_package_shows_only_public_names(package: str) -> None:
    module = import_module(package)
    assert [name for name in dir(module) if not name.startswith("__")] == public.names(package)
    assert all(hasattr(module, name) for name in dir(module))


def test_the_guide_lists_the_public_packages() -> None:
    page = (Path(quaternity.__file__).parent / "guide/python.md").read_text(encoding="utf-8")
    _, _, listed = page.partition("The public names are")
    listed, _, _ = listed.partition("A deprecated")
    assert {*re.findall(r"`([a-z.]+)`", listed)} == {*public.PACKAGES}


@pytest.mark.parametrize("package", RENAMED)
def test_an_old_name_warns_and_is_the_new_one(package: str) -> None:
    module = import_module(package)
    for old, new in RENAMED[package].items():
        with pytest.warns(
            DeprecationWarning, match=f"{old} is deprecated: it was renamed to {new}$"
        ):
            assert getattr(module, old) is getattr(module, new)
        assert old not in dir(module)


def test_the_old_functions_that_read_files_warn() -> None:
    for old in ("parse_record", "read_record", "parse_state", "read_state"):
        with pytest.warns(DeprecationWarning, match="is deprecated: use "):
            assert callable(getattr(quaternity, old))
        assert old not in dir(quaternity)


@pytest.mark.parametrize("game", [Game, KwartetGame, QuartoGame, SetGame])
def test_all_games_have_the_same_shape(game: type[Any]) -> None:
    shape = (
        "start settings moves legal_moves play undo turn is_over points winners board svg record"
        " parse read write __str__"
    )
    assert not set(shape.split()) - set(dir(game))


def test_a_short_name_has_one_meaning() -> None:
    """The `Card` of Kwartet is the `Card` of Quaternity, for example."""
    homes: dict[str, set[int]] = {}
    for package in public.PACKAGES:
        for name in public.names(package):
            homes.setdefault(name, set()).add(id(getattr(import_module(package), name)))
    several = {name for name, meanings in homes.items() if len(meanings) > 1}
    # Deal problems can be solved and explained, and so can games.
    assert several <= {"solve", "explain", "Explanation"}, several


PROBLEM = DealProblem([2, 1], [SetConstraint.of([[0, 1], [0, 1], [0]], players=2)])
VALUES = (
    Game.start(), State.start(), Card(0, 1), Question(0, 1, Card(0, 1)), PROBLEM, PROBLEM.sets[0],
    KwartetGame.start(seed=1), QuartoGame.start(), SetGame.start(seed=1), SetCard(3), H(0, "0/0"),
    find_deck("everyday"), QuartoGame.start().position.board,
)  # fmt: skip
ANSWERED = {
    # Types of results, which users do not create; `verify` checks them.
    "solvers": "Certificate Chances CrossedBounds CrowdedHand Deal Explanation Feasible Infeasible"
    " Shortage Solver TooManyCards Verdict",
    "solvers.instances": "Family ProblemPair",
    "solvers.testing": "Conformance check_solver",  # which runs Hypothesis itself
    "quaternity.arena": "Player",
    "quaternity.kwartet": "View",
    "quaternity.quarto": "Outcome",
}


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield all public callables: functions, classes, and the methods of values."""
    for package in public.PACKAGES:
        for name in public.names(package):
            value = getattr(import_module(package), name)
            if not callable(value) or name in ANSWERED.get(package, ""):
                continue
            if isinstance(value, type) and issubclass(value, BaseException):
                continue
            yield f"{package}.{name}", value
            if isinstance(value, type):
                for part in dir(value):
                    method = inspect.getattr_static(value, part)
                    if isinstance(method, classmethod) and not part.startswith("_"):
                        yield f"{package}.{name}.{part}", getattr(value, part)
    # `after_legal` does not check that a question is legal.
    for value in VALUES:
        for part in dir(type(value)):
            if (
                part not in ("after_legal", "write")
                and not part.startswith("_")
                and inspect.isfunction(inspect.getattr_static(type(value), part))
            ):
                yield f"{type(value).__name__}().{part}", getattr(value, part)


CALLABLES = dict(public_callables())
# Formulas are left out, because they refuse to be truth values.
JUNK = st.sampled_from([
    None, True, 0, 3, -1, 10**60, 1.5, float("nan"), "", "x", "0/1", b"x", (), (0, 1), [], [None],
    ["x"], {}, {"a": 1}, set(), object(), range(3), int, len,
    *(value for value in VALUES if not isinstance(value, Formula)),
])  # fmt: skip

GOOD = {
    "problem": PROBLEM, "deal": [[0, 1, 0]], "formula": "K0 H0 0/0", "method": "solvers",
    "seconds": 1.0, "set_size": 3, "seat": 0, "hand": [5], "points": (0, 0), "text": "0/1",
    "question": Question(0, 1, Card(0, 1)), "answer": "no", "index": 0, "number": 1, "sets": 1,
    "size": 4, "language": "en", "players": [0], "player": 0, "card": 5, "board": VALUES[-1],
    "game": VALUES[0], "state": VALUES[1], "solver": "coalitions", "name": "x", "set_index": 0,
    "parts": [], "random": Random(1),
}  # fmt: skip
"""Accepted values by names of parameters, so that the other parameters are checked, too."""


@given(st.data(), st.sampled_from(sorted(CALLABLES)))
@sizes(max_examples=examples(4000), deadline=None)
def test_a_wrong_type_is_refused_with_a_message(data: st.DataObject, name: str) -> None:
    call = CALLABLES[name]
    try:
        parameters = [*inspect.signature(call).parameters.values()]
    except ValueError:
        parameters = []
    if isinstance(call, EnumType):
        del parameters[1:]  # further arguments would create a new enumeration
    arguments = [
        GOOD[p.name] if p.name in GOOD and data.draw(st.booleans()) else data.draw(JUNK)
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        and (p.default is p.empty or data.draw(st.booleans()))
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = call(*arguments)
            if inspect.isgenerator(answer):
                list(islice(answer, 3))
    except QuaternityError:
        pass  # its message names the expected type


@only_thorough  # `make package` checks the installed package
def test_the_library_is_typed_for_its_users(tmp_path: Path) -> None:
    """The examples of the guide pass `mypy --strict`, except those shown as refused."""
    root = Path(quaternity.__file__).parents[1]
    page = (root / "quaternity" / "guide" / "python.md").read_text(encoding="utf-8")
    wrong = "import quaternity.quarto as q\nq.Boord\nq.QuartoGame.start(5)\n"
    tmp_path.joinpath("wrong.py").write_text(wrong, encoding="utf-8")
    for number, section in enumerate(page.split("\n## ")):
        lines = re.findall(r"^(?:>>>|\.\.\.) (.*)", section, re.MULTILINE)
        lines = [line for line in lines if "play(5" not in line]
        tmp_path.joinpath(f"section{number}.py").write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "."],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(root)},
    )  # fmt: skip
    assert [line.split(":")[:2] for line in done.stdout.splitlines()[:-1]] == [
        ["wrong.py", "2"], ["wrong.py", "3"],
    ], done.stdout  # fmt: skip


@pytest.mark.parametrize("module", ["analysis", "information", "strategies"])
def test_importing_an_old_module_warns(module: str) -> None:
    name = f"quaternity.{module}"
    code = f"import warnings; warnings.simplefilter('error'); import {name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith(
        f"DeprecationWarning: {name} is deprecated: it was"
    )
