"""Closures of reachable deals: each is correct, and together they decide full-size games."""

from contextlib import suppress
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.epistemic import H, K, evaluate, truth_for_seat
from quaternity.epistemic.evaluator import Deadline, Undecided
from quaternity.epistemic.explicit_evaluator import ExplicitEvaluator
from quaternity.epistemic.formula import Common, Knows
from quaternity.epistemic.language import Language
from quaternity.epistemic.propositional import narrow
from quaternity.epistemic.reachability import (
    allowed_hands,
    deals_before,
    fixed_cards,
    reachable_superset,
)
from quaternity.epistemic.solver_evaluator import SolverEvaluator
from quaternity.epistemic.strategies import chains, formulas, positions
from quaternity.game.cards import Card
from quaternity.kwartet.position import Position
from quaternity.kwartet.settings import SET_SIZE, KwartetSettings
from solvers import Deal, DealProblem, SetConstraint
from solvers.brute_force import deals
from tests.bench.formulas import decide_all
from tests.kwartet.games import random_log
from tests.limits import limited
from tests.sizes import thorough

Moment = tuple[DealProblem, Deal]


@given(positions(max_sets=2))
@settings(max_examples=thorough(20, 200))
def test_no_chain_leaves_the_deals_with_the_same_invariants(moment: Moment) -> None:
    problem, deal = moment
    model = ExplicitEvaluator(problem).model
    for group in [*combinations(range(problem.players), 2), tuple(range(problem.players))]:
        among = reachable_superset(problem, deal, group, 60)
        inside, piece = set(deals(among)), model.components(players=group)
        own = piece[model.world(deal)]
        assert {world for world in deals(problem) if piece[model.world(world)] == own} <= inside
        for owner, (index, number) in fixed_cards(problem, among):
            assert all(world.owner[index][number] == owner for world in inside)


@given(positions(max_players=3), st.data())
@settings(max_examples=thorough(20, 200))
def test_every_hand_of_deals_before_bad_deals_is_a_hand_of_a_bad_deal(
    moment: Moment, data: st.DataObject
) -> None:
    problem, deal = moment
    player = data.draw(st.integers(0, problem.players - 1))
    cards = [Card(i, number) for i, row in enumerate(deal.owner) for number in range(len(row))]
    fixed = data.draw(st.sets(st.sampled_from(cards), max_size=3))
    case = {card: 1 << deal.owner[card.set_index][card.number] for card in fixed}
    bad = narrow(problem, case)
    before = deals_before(problem, bad, deal, player)
    hands = {world.hand(player) for world in deals(before)}
    assert deal.hand(player) in hands
    assert hands <= {world.hand(player) for world in deals(bad)}
    allowed = narrow(problem, allowed_hands(before, player))
    assert hands == {world.hand(player) for world in deals(allowed)}


LAST_CARD = DealProblem(
    [1, 1, 1], [SetConstraint.of([[0, 2], [0, 1, 2]], 3), SetConstraint.of([[0, 1, 2]], 3)]
)
"""If 0 holds 1/0, 0 knows that 2 must hold 0/0."""


def test_a_hand_that_leaves_another_player_no_card_is_not_a_hand_before() -> None:
    bad = narrow(LAST_CARD, {Card(0, 1): 0b100})
    before = deals_before(LAST_CARD, bad, Deal(((0, 2), (1,))), 0)
    assert {world.hand(0) for world in deals(before)} == {((0, 0),)}


def test_only_the_hand_that_leaves_no_choice_knows() -> None:
    evaluator = SolverEvaluator(LAST_CARD, Deadline(60))
    around = evaluator.case_around(K(0, ~H(2, "0/1")), True, Deal(((2, 1), (0,))), ())
    assert {world.hand(0) for world in deals(narrow(LAST_CARD, around))} == {((1, 0),)}


@given(positions(max_players=3), st.data())
@settings(max_examples=thorough(20, 400))
def test_knowledge_around_a_deal_is_knowledge_at_it(moment: Moment, data: st.DataObject) -> None:
    problem, deal = moment
    language = Language.of(problem)
    part = data.draw(st.one_of(formulas(language, 1), chains(language, 1)))
    formula = Knows(data.draw(st.integers(0, problem.players - 1)), part)
    explicit = ExplicitEvaluator(problem)
    evaluator = SolverEvaluator(problem, Deadline(60))
    truth = explicit.truth(formula, deal)
    around = list(deals(narrow(problem, evaluator.case_around(formula, truth, deal, ()))))
    assert deal in around
    assert all(explicit.truth(formula, world) == truth for world in around)


@given(positions(max_players=3), st.data())
@settings(max_examples=thorough(20, 200))
def test_chains_lead_to_a_failure_from_every_deal_that_leads_there(
    moment: Moment, data: st.DataObject
) -> None:
    problem, deal = moment
    language = Language.of(problem)
    part = data.draw(st.one_of(formulas(language, 1), chains(language, 1)))
    group = data.draw(st.sets(st.integers(0, problem.players - 1), min_size=2))
    common = Common(part, tuple(group))
    explicit = ExplicitEvaluator(problem)
    evaluator = SolverEvaluator(problem, Deadline(60))
    chain = evaluator.chain_to_failure(common, deal, ())
    names = data.draw(st.sets(st.sampled_from(["FEW_STEPS", "MAX_LISTED"])))
    limits = limited("quaternity.epistemic.solver_evaluator", **dict.fromkeys(names, 0))
    with limits, suppress(Undecided):
        other = SolverEvaluator(problem, Deadline(60)).chain_to_failure(common, deal, ())
        assert bool(other) == bool(chain)
    assert explicit.truth(common, deal) == (not chain)
    for bad in evaluator.problems_leading_to_failure(part, chain, common.players) if chain else ():
        assert not any(explicit.truth(common, world) for world in deals(bad))


@pytest.fixture(scope="module")
def moments() -> list[Position]:
    """Return positions from all over a full-size game."""
    log = random_log(KwartetSettings(), Random(11), 110)
    return [log.positions[step] for step in (0, 20, 50, 80, 110)]


OUTSIDE = (
    "C{0,2} (H1 %s -> M3 H1 %s)",
    "E C{2,3} !K0 H1 %s",
    "C{0,2} (K1 H1 %s -> C{0,2} M1 H1 %s)",
    "M3 C{0,2} !H1 %s",
    "M3 C{0,1,2} !H3 %s",
    "C{0,2} !C{2,3} !H1 %s",
    "C{2,3} (Kw0 H1 %s | M2 !H1 %s)",
)


@pytest.mark.parametrize("formula", OUTSIDE[:: thorough(3, 1)])
def test_a_seat_outside_the_group_is_answered_at_52_cards(
    formula: str, moments: list[Position]
) -> None:
    """The answer for a seat is the truth value at the real deal."""
    for position in moments[thorough(1, 0) :: thorough(3, 1)]:
        problem, deal = position.public.problem, position.deal
        index, number = deal.hand(1)[0]
        asked = formula.replace("%s", f"{index}/{number}")
        for seat in (None, 1, 3)[:: thorough(2, 1)]:
            hand = () if seat is None else position.hands[seat]
            answer = truth_for_seat(asked, problem, seat, hand, "solvers", 20, SET_SIZE)
            if answer.truth is not None:
                assert evaluate(asked, problem, deal, "solvers", 20, SET_SIZE) == answer.truth


@pytest.mark.slow
def test_all_published_formulas_are_decided() -> None:
    number, times = decide_all()
    assert number == len(times) == 260
