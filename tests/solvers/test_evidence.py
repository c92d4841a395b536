"""Evidence: true evidence verifies, and false evidence never does."""

from dataclasses import FrozenInstanceError, fields, is_dataclass
from importlib import import_module
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import (
    CrossedBounds,
    CrowdedHand,
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    SetConstraint,
    Shortage,
    SolverFault,
    TooManyCards,
    Verdict,
    certify,
    deal_faults,
    solve,
    solvers_for,
    verify,
)
from solvers.brute_force import deals
from solvers.cross_check import compare_verdicts, judge
from solvers.registry import SOLVERS
from solvers.solver import solver_from_function
from solvers.strategies import feasible_problems, tightened_problems
from tests.sizes import examples
from tests.solvers.hostile import HoldsToo, Sure, not_verdicts

PAIR = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])


@given(feasible_problems(), st.data())
@settings(max_examples=examples(200))
def test_a_deal_with_one_card_moved_does_not_verify(
    problem: DealProblem, data: st.DataObject
) -> None:
    verdict = solve(problem)
    assert isinstance(verdict, Feasible)
    assert deal_faults(problem, verdict.deal.owner) == []
    if not problem.cards:
        return
    places = [(index, card) for index, set_ in enumerate(problem.sets) for card in range(set_.size)]
    index, card = data.draw(st.sampled_from(places))
    owner = [list(cards) for cards in verdict.deal.owner]
    # Another player or nobody: hands are exact, so no other owner can be right.
    others = set(range(-1, problem.players + 1)) - {owner[index][card]}
    owner[index][card] = data.draw(st.sampled_from(sorted(others)))
    assert not verify(problem, Feasible(Deal(tuple(map(tuple, owner)))))


@given(feasible_problems(), st.data())
@settings(max_examples=examples(100))
def test_a_deal_of_other_cards_does_not_verify(problem: DealProblem, data: st.DataObject) -> None:
    verdict = solve(problem)
    assert isinstance(verdict, Feasible)
    owner = verdict.deal.owner
    longer = (*owner, (0,))
    assert not verify(problem, Feasible(Deal(longer)))
    if owner:
        index = data.draw(st.integers(0, len(owner) - 1))
        for row in ((*owner[index], 0), owner[index][1:]):
            changed = (*owner[:index], row, *owner[index + 1 :])
            if row != owner[index]:
                assert not verify(problem, Feasible(Deal(changed)))


def draw_certificates(data: st.DataObject, problem: DealProblem) -> list[Verdict]:
    """Draw a certificate of each type with arbitrary numbers, right or wrong."""
    mask = st.integers(-1, (1 << problem.players) + 1)
    sets = len(problem.sets)
    number = st.integers(-1, max(problem.players, sets))
    witnesses = data.draw(st.lists(mask, min_size=sets, max_size=sets))
    return [
        Infeasible(Shortage(data.draw(mask), tuple(witnesses))),
        Infeasible(Shortage(data.draw(mask), (*witnesses, 0))),
        Infeasible(TooManyCards()),
        Infeasible(CrossedBounds(data.draw(number), data.draw(number))),
        Infeasible(CrowdedHand(data.draw(number))),
        Infeasible(),
    ]


@given(feasible_problems(), st.data())
@settings(max_examples=examples(400))
def test_nothing_proves_a_feasible_problem_infeasible(
    problem: DealProblem, data: st.DataObject
) -> None:
    for verdict in draw_certificates(data, problem):
        assert not verify(problem, verdict)


@given(tightened_problems(), st.data())
@settings(max_examples=examples(200))
def test_nothing_proves_an_infeasible_problem_feasible(
    problem: DealProblem, data: st.DataObject
) -> None:
    if solve(problem):
        return
    owner = tuple(
        tuple(
            data.draw(
                st.lists(st.integers(0, problem.players - 1), min_size=row.size, max_size=row.size)
            )
        )
        for row in problem.sets
    )
    assert not verify(problem, Feasible(Deal(owner)))


@given(tightened_problems(max_players=3, max_sets=2), st.data())
@settings(max_examples=examples(300))
def test_a_certificate_that_holds_is_a_proof(problem: DealProblem, data: st.DataObject) -> None:
    for verdict in draw_certificates(data, problem):
        if verify(problem, verdict):
            assert next(deals(problem), None) is None


@given(tightened_problems())
@settings(max_examples=examples(100))
def test_a_proof_does_not_survive_the_loss_of_every_constraint(problem: DealProblem) -> None:
    everybody = (1 << problem.players) - 1
    free = [
        SetConstraint([everybody] * set_.size, [0] * problem.players, [set_.size] * problem.players)
        for set_ in problem.sets
    ]
    for solver in solvers_for(problem, SOLVERS.values()):
        verdict = certify(problem, solver(problem))
        if isinstance(verdict, Infeasible) and sum(problem.hands) == problem.cards:
            assert not verify(DealProblem(problem.hands, free), verdict)


def test_an_infeasible_verdict_without_evidence_is_not_verified() -> None:
    impossible = DealProblem([1, 1], [SetConstraint.of([[0], [0]], players=2)])
    assert not verify(impossible, Infeasible())
    assert verify(impossible, certify(impossible, Infeasible()))


def test_a_false_infeasible_is_a_fault_of_its_solver() -> None:
    with pytest.raises(SolverFault, match="reported infeasible, but this deal satisfies"):
        certify(PAIR, Infeasible())


def test_all_faults_of_a_deal_are_named() -> None:
    assert deal_faults(PAIR, [[1, 0]]) == [
        "card 0/1 cannot belong to player 0",
        "player 0 has 0 cards, not 1",
    ]
    bounded = PAIR.with_set(0, SetConstraint.of([[0, 1], [0, 1]], 2, low=[1, 0], high=[1, 2]))
    assert deal_faults(bounded, [[1, 1]]) == [
        "player 0 has 0 of set 0, not between 1 and 1",
        "player 0 has 0 cards, not 1",
        "player 1 has 2 cards, not 1",
    ]
    assert deal_faults(bounded, [[1]]) == ["the deal does not have exactly one owner for each card"]


def test_a_deal_lists_hands() -> None:
    deal = Deal(((0, 1), (1,)))
    assert deal.hand(1) == ((0, 1), (1, 0))
    assert deal.hand(2) == ()
    assert str(deal) == "player 0: 0/0\nplayer 1: 0/1 1/0"


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


def test_evidence_of_a_wrong_type_is_refused() -> None:
    short = DealProblem([1, 2], [SetConstraint.of([[0, 1], [0, 1]], players=2)])
    assert verify(short, Infeasible(Shortage(3, (3,))))
    assert not verify(short, Infeasible(HoldsToo(3, (3,))))
    assert not verify(FREE, Sure(Deal(((0, 1),))))


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


@pytest.mark.parametrize("name", ["verdict", "shortage"])
def test_evidence_is_immutable(name: str) -> None:
    module = import_module(f"solvers.{name}")
    values = [cls for cls in vars(module).values() if isinstance(cls, type) and is_dataclass(cls)]
    assert values
    for cls in values:
        instance = cls.__new__(cls)
        for field in fields(cls):
            with pytest.raises(FrozenInstanceError):
                setattr(instance, field.name, None)


@given(feasible_problems(), st.randoms(use_true_random=False))
def test_a_deal_has_the_same_faults_as_its_owners(problem: DealProblem, random: Random) -> None:
    """The owners are random, so the deal may have faults or none."""
    owners = tuple(
        tuple(random.randrange(problem.players) for _ in constraint.owners)
        for constraint in problem.sets
    )
    assert deal_faults(problem, Deal(owners)) == deal_faults(problem, owners)
    assert deal_faults(problem, Deal((*owners, ()))) == [
        "the deal does not have exactly one owner for each card"
    ]
