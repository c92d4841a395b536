"""Judgement of solvers: evidence decides, not the majority."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest
from hypothesis import given, settings

from quaternity.game.settings import Settings
from quaternity.game.state import State
from solvers import (
    SOLVERS,
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    LimitError,
    SetConstraint,
    Shortage,
    SolverFault,
    SolverTimeout,
    Verdict,
)
from solvers.cross_check import OWN_CHECKS, compare_verdicts, judge
from solvers.random_problems import Sizes, random_feasible, random_tightened
from solvers.solver import Solver, solver_from_function
from solvers.strategies import deal_problems
from tests.sizes import examples
from tests.solvers.broken import BROKEN, always_says_no, divides_by_zero

FREE = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])
CROWDED = DealProblem([0, 2], [SetConstraint.of([[0, 1], [0]], players=2)])
NOT_NUMBERS: Any = (("a", "b"),)
GOOD = Feasible(Deal(((0, 1),)))


class Rude(BaseException):
    """An error that cannot be shown."""

    def __repr__(self) -> str:
        raise SystemExit

    __str__ = __repr__


class RudeLimit(Rude, LimitError):
    """A limit error that cannot be shown."""


@given(deal_problems())
@settings(max_examples=examples(60))
def test_the_registered_solvers_have_no_faults(problem: DealProblem) -> None:
    judgement = judge(problem, SOLVERS.values())
    assert judgement.faults == ()
    assert judgement.feasible is bool(SOLVERS["max-flow"](problem))
    assert judgement.verdicts.keys() | judgement.refused.keys() == SOLVERS.keys()


def test_a_shortage_may_be_missing_unless_it_is_promised() -> None:
    evidence, faults = compare_verdicts(CROWDED, {"quiet": Infeasible()})
    assert isinstance(evidence, Infeasible)
    assert evidence.shortage is not None
    assert faults == []
    _, faults = compare_verdicts(CROWDED, {"quiet": Infeasible()}, certifying=["quiet"])
    assert "without a shortage" in faults[0].text


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Feasible(Deal(((0, 0),))), "its deal is wrong: player 0 has 2 cards, not 1"),
        (Feasible(Deal(())), "not have exactly one owner for each card"),
        (Infeasible(Shortage(1, (1,))), "its proof (shortage) is invalid"),
        (None, "answered None, which is not a verdict"),
        (Feasible(Deal(NOT_NUMBERS)), "gave evidence that cannot be read"),
    ],
)
def test_every_kind_of_bad_evidence_is_reported(verdict: Any, words: str) -> None:
    evidence, faults = compare_verdicts(FREE, {"bad": verdict, "good": GOOD})
    assert evidence == GOOD
    assert [fault.solver for fault in faults] == ["bad"]
    assert words in faults[0].text


def test_refusals_and_limits_are_recorded() -> None:
    """A reason that cannot be shown is not a fault, either."""

    def slow(problem: DealProblem) -> Verdict:
        raise SolverTimeout("after all this time")

    def rude(problem: DealProblem) -> Verdict:
        raise RudeLimit

    rude_reason: Any = Rude()
    rows = [
        solver_from_function("slow", slow),
        solver_from_function("rude", rude),
        Solver("picky", "", SOLVERS["max-flow"].prepare, lambda problem: "too hard"),
        Solver("refuser", "", SOLVERS["max-flow"].prepare, lambda problem: rude_reason),
    ]
    judgement = judge(FREE, rows)
    assert judgement.refused["picky"] == "too hard"
    assert judgement.gave_up["slow"] == "after all this time"
    assert {*judgement.refused, *judgement.gave_up} == {"picky", "refuser", "slow", "rude"}
    assert judgement.feasible is None
    assert judgement.faults == ()


@pytest.mark.parametrize("function", BROKEN, ids=lambda function: function.__name__)
def test_only_the_broken_solvers_are_blamed(function: Callable[[DealProblem], Verdict]) -> None:
    """They are four of five solvers: evidence decides, not the majority."""
    broken = [f"broken{number}" for number in range(4)]
    rows = [*(solver_from_function(name, function) for name in broken), SOLVERS["coalitions"]]
    random, sizes = Random(0), Sizes(players=3, sets=2)
    problems = [
        make(random.randint, sizes)
        for make in (random_feasible, random_tightened)
        for _ in range(100)
    ]
    blamed = {fault.solver for problem in problems for fault in judge(problem, rows).faults}
    assert blamed == {*broken}


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), MemoryError(), Rude()])
def test_any_exception_of_a_solver_is_its_fault(error: BaseException) -> None:
    def leaves(problem: DealProblem) -> Any:
        raise error

    class Undecided:
        def __bool__(self) -> bool:
            raise error

    flow, cannot_tell = SOLVERS["max-flow"], cast(bool, Undecided())
    rows = [solver_from_function("leaver", leaves), flow]
    refusing = Solver("refuser", "", flow.prepare, leaves)
    promising = replace(flow, name="undecided", certifies=cannot_tell)
    judgement = judge(FREE, [*rows, refusing, promising])
    assert judgement.feasible
    assert [fault.solver for fault in judgement.faults] == ["leaver", "refuser", "undecided"]
    assert judgement.in_words().startswith("leaver raised ")
    error = KeyboardInterrupt()  # an interrupt by the user is not a fault
    with pytest.raises(KeyboardInterrupt):
        judge(FREE, rows)


def test_the_program_is_at_fault_if_a_deal_and_a_shortage_both_verify(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This can only happen if the arithmetic of this distribution is broken."""
    monkeypatch.setattr(Shortage, "holds", lambda self, problem: True)
    evidence, faults = compare_verdicts(FREE, {"yes": GOOD, "no": Infeasible(Shortage(0, (0,)))})
    assert evidence == GOOD
    assert [fault.solver for fault in faults] == [OWN_CHECKS]
    assert str(faults[0]).startswith(
        "quaternity has a faulty check: it accepts both Feasible(deal=Deal(owner=("
    )
    assert "opposite verdict of no, Infeasible(shortage=Shortage.of(" in str(faults[0])


def test_the_answer_of_an_external_solver_is_checked_by_evidence() -> None:
    state = State.start(Settings(2, 2, 2))
    liar = solver_from_function("liar", always_says_no)
    with pytest.raises(SolverFault, match=r"^liar says infeasible, but this deal"):
        state.verdict(liar)
    with pytest.raises(SolverFault, match=r"^liar says infeasible, but this deal"):
        len(state.legal_questions_by(liar))
    with pytest.raises(SolverFault, match=r"^divided raised ZeroDivisionError\("):
        state.verdict(solver_from_function("divided", divides_by_zero))
    honest = solver_from_function("honest", SOLVERS["max-flow"])
    assert state.verdict(honest)
    assert list(state.legal_questions_by(honest)) == list(state.legal_questions)
