"""The two faces, `quaternity` and `solvers`: wrong arguments, names, and what hides them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import quaternity
import solvers
from quaternity import Answer, Card, Game, Move, Question, State
from solvers import SOLVERS, Deal, DealProblem, SetConstraint
from tests.doors import Doors, Kind

OWN = SetConstraint.of([[0, 1], [0, 1], [0]], players=2, low=[0, 1])
PROBLEM = DealProblem([2, 1], [OWN])
QUESTION = Question(0, 1, Card(0, 0))
GAME = Game.start().play(Move(QUESTION, Answer.NO))
JUNK = (None, 5, "x", 1.5, [2])


def kind(value: Any, *wrong: Any) -> Kind:
    """What takes a value, and refuses junk unless others are given."""
    return Kind(lambda: value, wrong=wrong or JUNK)


AN_INDEX = kind(0, None, "x", 1.5, [2], 7, -1, True)
A_PROBLEM = kind(PROBLEM, *JUNK, GAME.state, [[2, 1], [OWN]])
SECONDS = kind(None, "x", [2], -1)
TIMED = {"problem": A_PROBLEM, "seconds": SECONDS}
A_SET = kind(OWN.owners, None, 5, "x", 1.5, ["x"])
SHOWN = kind("x", None, 5, 1.5, [2])
A_FILE = kind("/dev/null", None, 5, 1.5, [2], b"x")
PROOF: Any = solvers.solve(DealProblem([1, 1], [SetConstraint.of([[0], [0]], players=2)]))


def read(call: Callable[[Any], Any]) -> Callable[..., str]:
    """What reading says of an empty file, or of a text that is none of its own."""

    def attempt(given: Any) -> str:
        try:
            call(given)
        except quaternity.QuaternityError as error:
            if type(error) is quaternity.InputError:
                raise  # not of what is read, but of where
        return "read"

    return attempt


SOLVER_DOORS = Doors(
    solvers,
    {
        **{name: (getattr(solvers, name), TIMED) for name in (
            "chances", "count_deals", "closed", "exact_chances", "NumberedDeals",
        )},
        "solve":
            (lambda **given: bool(solvers.solve(**given)),
             {**TIMED, "solver": Kind(lambda: None, ("cp-sat", SOLVERS["max-flow"]), JUNK[1:])}),
        "count_vector_distribution":
            (solvers.count_vector_distribution, {**TIMED, "set_index": AN_INDEX}),
        "count_distribution":
            (solvers.count_distribution, {**TIMED, "player": AN_INDEX, "set_index": AN_INDEX}),
        "count_deals_given":
            (solvers.count_deals_given,
             {**TIMED, "set_index": AN_INDEX, "narrower": kind([OWN], None, 5, "x", [2], [None])}),
        "sample_deals":
            (solvers.sample_deals,
             {**TIMED, "random": Kind(lambda: Random(1), wrong=JUNK),
              "number": kind(2, None, "x", 1.5, [2], -1)}),
        "mask_of": (solvers.mask_of, {"players": kind([0, 2], None, 5, 1.5, ["x"], [-1])}),
        "players_in": (solvers.players_in, {"mask": kind(5, None, "x", 1.5, [2])}),
        "default_solver": (solvers.default_solver, {"problem": A_PROBLEM}),
        "find_solver": (solvers.find_solver, {"name": kind("cp-sat", None, 5, "x", [2])}),
        "certify":
            (solvers.certify, {"problem": A_PROBLEM, "verdict": kind(PROOF, *JUNK, PROBLEM)}),
        "solvers_for":
            (solvers.solvers_for,
             {"problem": A_PROBLEM, "solvers": kind([SOLVERS["cp-sat"]], None, 5, ["cp-sat"])}),
        "deal_faults": (solvers.deal_faults, {"problem": A_PROBLEM, "owner": Kind(list)}),
        "verify": (solvers.verify, {"problem": A_PROBLEM, "verdict": Kind(lambda: PROOF)}),
        "DealProblem": (DealProblem, {"hands": kind([2, 1]), "sets": kind([OWN])}),
        "DealProblem.seen_by":
            (PROBLEM.seen_by, {"player": AN_INDEX, "hand": kind([1], None, 5, "x", ["x"])}),
        "SetConstraint":
            (SetConstraint, {"owners": A_SET, "low": kind([0, 1]), "high": kind([3, 3])}),
        "SetConstraint.bound_is_loose": (OWN.bound_is_loose, {"player": AN_INDEX}),
        **{f"SOLVERS.{name}": (solver, {"problem": A_PROBLEM}) for name, solver in SOLVERS.items()},
        "Infeasible.holds": (PROOF.shortage.holds, {"problem": A_PROBLEM}),
        "Infeasible.in_words": (PROOF.shortage.in_words, {"problem": A_PROBLEM}),
    },
    # Names of types, and values that hold what others made: `verify` judges that.
    frozenset({
        "Certificate", "Chances", "CrossedBounds", "CrowdedHand", "Deal", "Feasible", "InputError",
        "LimitError", "NoDeal", "QuaternityError", "Shortage", "Solver", "SolverFault",
        "SolverTimeout", "TooFewPlaces", "UnsupportedProblem", "Verdict", "all_solvers",
    }),
)  # fmt: skip
A_QUESTION = kind(QUESTION, None, 5, "x", 1.5, [2])
A_MOVE = Kind(lambda: GAME.moves[0], (str(GAME.moves[0]),), (*JUNK, QUESTION))
GAME_DOORS = Doors(
    quaternity,
    {
        "explain":
            (quaternity.explain,
             {"game": kind(GAME, *JUNK, GAME.state), "answer": kind(None, 5, "x", [2]),
              "question": kind(Question(1, 0, Card(0, 0)), *A_QUESTION.wrong,
                               Question(9, 0, Card(0, 0)), Question(0, 1, Card(0, 9)))}),
        "record_text": (quaternity.record_text, {"game": kind(GAME, *JUNK, GAME.state)}),
        "state_text": (quaternity.state_text, {"state": kind(GAME.state, *JUNK, GAME)}),
        "analyse":
            (quaternity.analyse,
             {"state": kind(GAME.state, *JUNK, GAME), "seconds": SECONDS}),
        "prospects": (quaternity.prospects, {"state": kind(GAME.state, *JUNK, GAME)}),
        "LegalQuestions":
            (lambda **given: len(quaternity.LegalQuestions(**given)),
             {"state": kind(GAME.state, *JUNK, GAME), "solver": kind(None, *JUNK[1:])}),
        "LegalQuestions.answers": (GAME.state.legal_questions.answers, {"question": A_QUESTION}),
        "State.start": (State.start, {"settings": kind(None, *JUNK[1:])}),
        "State.faults": (GAME.state.faults, {"question": A_QUESTION}),
        "State.is_hopeless": (GAME.state.is_hopeless, {"question": A_QUESTION}),
        "State.verdict": (GAME.state.verdict, {"solver": kind(None, *JUNK[1:])}),
        "State.same_position": (GAME.state.same_position, {"other": kind(GAME.state)}),
        "Game.start": (Game.start, {"settings": kind(None, 0, *JUNK[1:])}),
        "Game.play": (Game.start().play, {"move": A_MOVE}),
        "Game": (Game, {"settings": kind(GAME.settings), "moves": kind(GAME.moves),
                        "states": kind(GAME.states)}),
        "Game.parse": (read(Game.parse), {"given": SHOWN}),
        "Game.read": (read(Game.read), {"given": A_FILE}),
        "State.parse": (read(State.parse), {"given": SHOWN}),
        "State.read": (read(State.read), {"given": A_FILE}),
        "Game.ask": (Game.start().ask, {"question": A_QUESTION, "answer": kind(False)}),
        "Card": (Card, {"set_index": kind(0, None, "x", 1.5, [2]),
                        "number": kind(0, None, "x", 1.5, [2])}),
        "Card.parse": (Card.parse, {"text": kind("0/1", *JUNK)}),
        "Question": (Question, {"asker": kind(0, None, "x", 1.5, [2]),
                                "asked": kind(1, None, "x", 1.5, [2]), "card": kind(Card(0, 0))}),
        "Question.parse": (Question.parse, {"text": kind(str(QUESTION), *JUNK)}),
        "Move": (Move, {"question": A_QUESTION, "answer": kind(False)}),
        "Move.parse": (Move.parse, {"text": kind(str(GAME.moves[0]), *JUNK)}),
        "Answer": (Answer, {"value": kind(0, *JUNK)}),
        "Answer.parse": (Answer.parse, {"text": kind("y", *JUNK)}),
        "TieBreak": (quaternity.TieBreak, {"value": kind("fewest-sets", *JUNK)}),
        "Settings": (quaternity.Settings, {"set_size": kind(4, None, "x", 1.5, [2], 0)}),
    },
    frozenset({
        "Analysis", "Explanation", "Prospect", "IllegalAnswer", "IllegalMove", "IllegalQuestion",
        "InputError", "LimitError", "QuaternityError",
    }),
)  # fmt: skip


@pytest.mark.parametrize("doors", [SOLVER_DOORS, GAME_DOORS], ids=["solvers", "quaternity"])
def test_no_public_name_is_forgotten(doors: Doors) -> None:
    doors.check_complete()


@pytest.mark.parametrize(("call", "kinds", "place"), [*SOLVER_DOORS.places(), *GAME_DOORS.places()])
def test_a_wrong_argument_is_refused_by_its_name(
    call: Callable[..., Any], kinds: dict[str, Kind], place: str
) -> None:
    Doors.check(call, kinds, place)


@pytest.mark.parametrize("value", [*JUNK, Deal(((0,),)), PROBLEM])
def test_what_is_no_verdict_or_no_deal_is_not_verified(value: Any) -> None:
    assert not solvers.verify(PROBLEM, value)
    assert solvers.deal_faults(PROBLEM, value)


@pytest.mark.parametrize("face", [quaternity, solvers])
def test_a_face_lists_what_it_is_for(face: Any) -> None:
    assert {name for name in dir(face) if not name.startswith("__")} == set(face.__all__)
    assert all(hasattr(face, name) for name in dir(face))


@pytest.mark.parametrize(
    ("file", "needed", "by"),
    [
        ("solvers.py", "solvers", "quaternity"),
        ("solvers/__init__.py", "solvers", "quaternity"),
        ("solvers/problem.py", "solvers", "quaternity"),
        ("quaternity.py", "quaternity", "solvers"),
    ],
)
def test_what_hides_a_package_is_named(tmp_path: Path, file: str, needed: str, by: str) -> None:
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
        f"ImportError: {hiding} hides the package {needed} that {by} needs"
    )


def test_a_module_made_by_hand_hides_the_solvers() -> None:
    code = "import sys, types; sys.modules['solvers'] = types.ModuleType('solvers')"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import quaternity"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "a module of that name in sys.modules hides the package solvers" in done.stderr
