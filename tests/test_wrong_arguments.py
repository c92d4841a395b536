"""Public packages: wrong arguments, public names, and hidden packages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

import quaternity
import solvers
from quaternity import Answer, Card, Game, Move, Question, State
from solvers import SOLVERS, Deal, DealProblem, SetConstraint
from tests.quarto import test_wrong_arguments as quarto
from tests.ternary import test_wrong_arguments as ternary
from tests.wrong_arguments import PublicFunctions, Values

OWN = SetConstraint.of([[0, 1], [0, 1], [0]], players=2, low=[0, 1])
PROBLEM = DealProblem([2, 1], [OWN])
QUESTION = Question(0, 1, Card(0, 0))
GAME = Game.start().play(Move(QUESTION, Answer.NO))
JUNK = (None, 5, "x", 1.5, [2])


def good(value: Any, *wrong: Any) -> Values:
    """Return the values of a parameter: one accepted value, and wrong ones (default: `JUNK`)."""
    return Values(lambda: value, wrong=wrong or JUNK)


AN_INDEX = good(0, None, "x", 1.5, [2], 7, -1, True)
A_PROBLEM = good(PROBLEM, *JUNK, GAME.state, [[2, 1], [OWN]])
SECONDS = good(None, "x", [2], -1)
TIMED = {"problem": A_PROBLEM, "seconds": SECONDS}
A_SET = good(OWN.owners, None, 5, "x", 1.5, ["x"])
SHOWN = good("x", None, 5, 1.5, [2])
A_FILE = good("/dev/null", None, 5, 1.5, [2], b"x")
PROOF: Any = solvers.solve(DealProblem([1, 1], [SetConstraint.of([[0], [0]], players=2)]))


def read(call: Callable[[Any], Any]) -> Callable[..., str]:
    """Return a function that accepts any source, and refuses only a source of a wrong type."""

    def attempt(source: Any) -> str:
        try:
            call(source)
        except quaternity.QuaternityError as error:
            if type(error) is quaternity.InputError:
                raise  # the source is wrong, not its content
        return "read"

    return attempt


SOLVING = PublicFunctions(
    solvers,
    {
        **{name: (getattr(solvers, name), TIMED) for name in (
            "chances", "count_deals", "filter_problem", "exact_chances", "NumberedDeals",
        )},
        "solve":
            (lambda **values: bool(solvers.solve(**values)),
             {**TIMED, "solver": Values(lambda: None, ("cp-sat", SOLVERS["max-flow"]), JUNK[1:])}),
        "count_vector_distribution":
            (solvers.count_vector_distribution, {**TIMED, "set_index": AN_INDEX}),
        "count_distribution":
            (solvers.count_distribution, {**TIMED, "player": AN_INDEX, "set_index": AN_INDEX}),
        "count_deals_given":
            (solvers.count_deals_given,
             {**TIMED, "set_index": AN_INDEX, "narrower": good([OWN], None, 5, "x", [2], [None])}),
        "sample_deals":
            (solvers.sample_deals,
             {**TIMED, "random": Values(lambda: Random(1), wrong=JUNK),
              "number": good(2, None, "x", 1.5, [2], -1)}),
        "mask_of": (solvers.mask_of, {"players": good([0, 2], None, 5, 1.5, ["x"], [-1])}),
        "players_in": (solvers.players_in, {"mask": good(5, None, "x", 1.5, [2])}),
        "default_solver": (solvers.default_solver, {"problem": A_PROBLEM}),
        "cp_sat_model": (solvers.cp_sat_model, {"problem": A_PROBLEM}),
        "flow_network": (solvers.flow_network, {"problem": A_PROBLEM}),
        "export": (solvers.export, {"problem": A_PROBLEM, "to": good("opb", *JUNK)}),
        "explain": (solvers.explain, {**TIMED, "method": good("min-cut", *JUNK)}),
        "find_solver": (solvers.find_solver, {"name": good("cp-sat", None, 5, "x", [2])}),
        "certify":
            (solvers.certify, {"problem": A_PROBLEM, "verdict": good(PROOF, *JUNK, PROBLEM)}),
        "solvers_for":
            (solvers.solvers_for,
             {"problem": A_PROBLEM, "solvers": good([SOLVERS["cp-sat"]], None, 5, ["cp-sat"])}),
        "deal_faults": (solvers.deal_faults, {"problem": A_PROBLEM, "owner": Values(list)}),
        "verify": (solvers.verify, {"problem": A_PROBLEM, "verdict": Values(lambda: PROOF)}),
        "DealProblem": (DealProblem, {"hands": good([2, 1]), "sets": good([OWN])}),
        "DealProblem.with_hand":
            (PROBLEM.with_hand, {"player": AN_INDEX, "hand": good([1], None, 5, "x", ["x"])}),
        "SetConstraint":
            (SetConstraint, {"owners": A_SET, "low": good([0, 1]), "high": good([3, 3])}),
        "SetConstraint.bound_is_loose": (OWN.bound_is_loose, {"player": AN_INDEX}),
        **{f"SOLVERS.{name}": (solver, {"problem": A_PROBLEM}) for name, solver in SOLVERS.items()},
        "Infeasible.holds": (PROOF.shortage.holds, {"problem": A_PROBLEM}),
        "Infeasible.in_words": (PROOF.shortage.in_words, {"problem": A_PROBLEM}),
    },
    # Names of types, and values with the results of solvers, which `verify` checks.
    frozenset({
        "Refutation", "prove",
        "Certificate", "Chances", "CrossedBounds", "CrowdedHand", "Deal", "Feasible", "InputError",
        "LimitError", "NoDeal", "QuaternityError", "Shortage", "Solver", "SolverFault",
        "SolverTimeout", "TooManyCards", "UnsupportedProblem", "Verdict", "all_solvers",
        "AtLeast", "AtMost", "CpSatModel", "Explanation", "Hand", "Names", "ProblemBuilder",
        "draw_flow_network",
    }),
)  # fmt: skip
A_QUESTION = good(QUESTION, None, 5, "x", 1.5, [2])
A_MOVE = Values(lambda: GAME.moves[0], (str(GAME.moves[0]),), (*JUNK, QUESTION))
PLAYING = PublicFunctions(
    quaternity,
    {
        "explain":
            (quaternity.explain,
             {"game": good(GAME, *JUNK, GAME.state), "answer": good(None, 5, "x", [2]),
              "question": good(Question(1, 0, Card(0, 0)), *A_QUESTION.wrong,
                               Question(9, 0, Card(0, 0)), Question(0, 1, Card(0, 9)))}),
        "record_text": (quaternity.record_text, {"game": good(GAME, *JUNK, GAME.state)}),
        "state_text": (quaternity.state_text, {"state": good(GAME.state, *JUNK, GAME)}),
        "analyse":
            (quaternity.analyse,
             {"state": good(GAME.state, *JUNK, GAME), "seconds": SECONDS}),
        "prospects": (quaternity.prospects, {"state": good(GAME.state, *JUNK, GAME)}),
        "LegalQuestions":
            (lambda **values: len(quaternity.LegalQuestions(**values)),
             {"state": good(GAME.state, *JUNK, GAME), "solver": good(None, *JUNK[1:])}),
        "LegalQuestions.answers": (GAME.state.legal_questions.answers, {"question": A_QUESTION}),
        "State.start": (State.start, {"settings": good(None, *JUNK[1:])}),
        "State.faults": (GAME.state.faults, {"question": A_QUESTION}),
        "State.is_hopeless": (GAME.state.is_hopeless, {"question": A_QUESTION}),
        "State.verdict": (GAME.state.verdict, {"solver": good(None, *JUNK[1:])}),
        "State.same_position": (GAME.state.same_position, {"other": good(GAME.state)}),
        "Game.start": (Game.start, {"settings": good(None, 0, *JUNK[1:])}),
        "Game.play": (Game.start().play, {"move": A_MOVE}),
        "Game": (Game, {"settings": good(GAME.settings), "moves": good(GAME.moves),
                        "states": good(GAME.states)}),
        "Game.parse": (read(Game.parse), {"source": SHOWN}),
        "Game.read": (read(Game.read), {"source": A_FILE}),
        "State.parse": (read(State.parse), {"source": SHOWN}),
        "State.read": (read(State.read), {"source": A_FILE}),
        "Game.ask": (Game.start().ask, {"question": A_QUESTION, "answer": good(False)}),
        "Card": (Card, {"set_index": good(0, None, "x", 1.5, [2]),
                        "number": good(0, None, "x", 1.5, [2])}),
        "Card.parse": (Card.parse, {"text": good("0/1", *JUNK)}),
        "Question": (Question, {"asker": good(0, None, "x", 1.5, [2]),
                                "asked": good(1, None, "x", 1.5, [2]), "card": good(Card(0, 0))}),
        "Question.parse": (Question.parse, {"text": good(str(QUESTION), *JUNK)}),
        "Move": (Move, {"question": A_QUESTION, "answer": good(False)}),
        "Move.parse": (Move.parse, {"text": good(str(GAME.moves[0]), *JUNK)}),
        "Answer": (Answer, {"value": good(0, *JUNK)}),
        "Answer.parse": (Answer.parse, {"text": good("y", *JUNK)}),
        "TieBreak": (quaternity.TieBreak, {"value": good("fewest-sets", *JUNK)}),
        "Settings": (quaternity.Settings, {"set_size": good(4, None, "x", 1.5, [2], 0)}),
    },
    frozenset({
        "Analysis", "Explanation", "Prospect", "QuestionGroup", "IllegalAnswer", "IllegalMove",
        "IllegalQuestion", "InputError", "LimitError", "QuaternityError",
    }),
)  # fmt: skip


PACKAGES = [SOLVING, PLAYING, quarto.FUNCTIONS, ternary.FUNCTIONS]


@pytest.mark.parametrize("functions", PACKAGES, ids=lambda functions: functions.package.__name__)
def test_no_public_name_is_forgotten(functions: PublicFunctions) -> None:
    functions.check_complete()


@pytest.mark.parametrize(
    ("call", "arguments", "place"), [place for package in PACKAGES for place in package.places()]
)
def test_a_wrong_argument_is_refused_by_its_name(
    call: Callable[..., Any], arguments: dict[str, Values], place: str
) -> None:
    PublicFunctions.check(call, arguments, place)


@pytest.mark.parametrize("value", [*JUNK, Deal(((0,),)), PROBLEM])
def test_other_values_are_not_verified(value: Any) -> None:
    assert not solvers.verify(PROBLEM, value)
    assert solvers.deal_faults(PROBLEM, value)


@pytest.mark.parametrize("package", [quaternity, solvers])
def test_a_package_lists_its_public_names(package: Any) -> None:
    shown = {name for name in dir(package) if not name.startswith("__")}
    # `import *` leaves out the public modules, because Hypothesis is slow to import.
    modules = {name for name in shown if isinstance(getattr(package, name), ModuleType)}
    assert shown - modules == set(package.__all__)
    assert all(hasattr(package, name) for name in dir(package))


@pytest.mark.parametrize(
    ("file", "needed", "by"),
    [
        ("solvers.py", "solvers", "quaternity"),
        ("solvers/__init__.py", "solvers", "quaternity"),
        ("solvers/problem.py", "solvers", "quaternity"),
        ("quaternity.py", "quaternity", "solvers"),
    ],
)
def test_a_file_that_hides_a_package_is_named(
    tmp_path: Path, file: str, needed: str, by: str
) -> None:
    home = str(Path(quaternity.__file__).parent.parent)
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {home!r}]; import {by}"
    tmp_path.joinpath(file).parent.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    hiding = tmp_path / file
    if hiding.parent != tmp_path:
        hiding = hiding.with_name("__init__.py")
        hiding.touch()
    tmp_path.joinpath(file).touch()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stderr.splitlines()[-1].startswith(
        f"ImportError: {hiding} hides the package {needed}, which {by} needs"
    )


def test_a_module_that_hides_the_solvers_is_named() -> None:
    code = "import sys, types; sys.modules['solvers'] = types.ModuleType('solvers')"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import quaternity"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "a module with the name solvers in sys.modules hides the package solvers" in done.stderr
