"""Evidence: true evidence verifies, and false evidence never does."""

from dataclasses import is_dataclass
from types import ModuleType

import pytest

from solvers import (
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    Names,
    SetConstraint,
    Shortage,
    SolverFault,
    Verdict,
    certify,
    deal_faults,
    explanation,
    instances,
    reduced_problem,
    shortage,
    verdict,
    verify,
)
from solvers.cross_check import compare_verdicts, judge
from solvers.solver import solver_from_function
from tests.solvers.hostile import HoldsToo, not_verdicts

PAIR = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])


def test_a_false_infeasible_is_a_fault_of_its_solver() -> None:
    problem = PAIR.named(Names(("Ann", "Bob")))
    with pytest.raises(
        SolverFault, match=r"but this deal satisfies the problem: Ann: 0/0; Bob: 0/1"
    ):
        certify(problem, Infeasible())


def test_all_faults_of_a_deal_are_named() -> None:
    assert deal_faults(PAIR, [[1, 0]]) == [
        "card 0/1 cannot belong to player 0",
        "player 0 has 0 cards, not 1",
    ]
    bounded = PAIR.with_set(0, SetConstraint.of([[0, 1], [0, 1]], 2, low=[1, 0], high=[1, 2]))
    assert deal_faults(bounded, [[1, 1]]) == [
        "player 0 must have exactly 1 card of set 0, not 0",
        "player 0 has 0 cards, not 1",
        "player 1 has 2 cards, not 1",
    ]
    names = Names(("Ann", "Bob"), ("hearts",), (("ace", "king"),))
    assert deal_faults(bounded.named(names), [[1, 2]]) == [
        "card king cannot belong to player 2",
        "Ann must have exactly 1 card of hearts, not 0",
        "Ann has 0 cards, not 1",
    ]
    assert deal_faults(bounded, [[1]]) == ["the deal does not have exactly one owner for each card"]


def test_a_deal_lists_hands() -> None:
    deal = Deal(((0, 1), (1,)))
    assert deal.hand(1) == ((0, 1), (1, 0))
    assert deal.hand(2) == ()
    # Comparisons of verdicts ignore the problem.
    assert (Feasible(deal), Infeasible()) == (Feasible(deal, PAIR), Infeasible(None, PAIR))
    assert deal.in_words(players=3) == f"{deal}\nplayer 2: no cards"
    assert str(deal) == "player 0: 0/0\nplayer 1: 0/1 1/0"
    assert deal.picture().text() == "set  /0  /1\n0    0   1\n1    1"


FREE = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])


@pytest.mark.parametrize("number", range(len(not_verdicts())))
def test_a_hostile_verdict_is_refused_and_blamed(number: int) -> None:
    """The verdicts do not verify, fail or end the program, and the fault names the solver."""
    verdict = not_verdicts()[number]
    assert verify(FREE, verdict) is False
    evidence, faults = compare_verdicts(FREE, {"liar": verdict, "good": Feasible(Deal(((1, 0),)))})
    assert evidence == Feasible(Deal(((1, 0),)))
    assert [fault.solver for fault in faults] == ["liar"]
    assert str(faults[0])
    _, alone = compare_verdicts(FREE, {"liar": verdict})
    assert [fault.solver for fault in alone] == ["liar"]


def test_evidence_of_a_subclass_is_refused_even_if_it_is_right() -> None:
    short = FREE.with_set(0, SetConstraint.of([[0, 1]], players=2))
    assert verify(short, Infeasible(Shortage(3, (3,))))
    assert not verify(short, Infeasible(HoldsToo(3, (3,))))


def test_a_verdict_that_changes_later_is_read_once() -> None:
    """`judge` returns a copy of the evidence that it verified."""
    returned: list[Feasible] = []

    def turns_coat(problem: DealProblem) -> Verdict:
        returned.append(Feasible(Deal(((0, 1),))))
        return returned[0]

    def spoils(problem: DealProblem) -> Verdict:
        object.__setattr__(returned[0], "deal", "nothing")
        return Feasible(Deal(((1, 0),)))

    rows = [solver_from_function("one", turns_coat), solver_from_function("two", spoils)]
    judgement = judge(FREE, rows)
    assert judgement.evidence == Feasible(Deal(((1, 0),)))
    assert [fault.solver for fault in judgement.faults] == ["one"]
    assert list(judgement.verdicts) == ["two"]


@pytest.mark.parametrize("module", [verdict, shortage, explanation, instances, reduced_problem])
def test_evidence_and_instances_are_immutable(module: ModuleType) -> None:
    classes = [cls for cls in vars(module).values() if isinstance(cls, type) and is_dataclass(cls)]
    assert classes
    assert all(vars(cls)["__dataclass_params__"].frozen for cls in classes)
