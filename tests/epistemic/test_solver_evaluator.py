"""Evaluation by the solvers: full size, limits, and the promises of its parts."""

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.epistemic import C, H, K, Undecided, evaluate, hand_patterns
from quaternity.epistemic.coupled_deals import CoupledDeals, Literal, negate
from quaternity.epistemic.encoding import Encoder
from quaternity.epistemic.evaluator import Deadline, information_set, same_hands
from quaternity.epistemic.explicit_evaluator import ExplicitEvaluator
from quaternity.epistemic.formula import Announcement, Formula, Unknown
from quaternity.epistemic.hand_patterns import HandPatterns, set_options
from quaternity.epistemic.language import Language
from quaternity.epistemic.propositional import (
    Case,
    case_around,
    cases,
    narrow,
    true_in,
    with_seen_facts,
    without_knowledge,
)
from quaternity.epistemic.refutation import Refuter
from quaternity.epistemic.smallest_totals import INFINITE, Options, lower_bounds, smallest_totals
from quaternity.epistemic.solver_evaluator import SolverEvaluator
from quaternity.epistemic.strategies import chains, formulas, positions
from quaternity.game.cards import Card
from quaternity.kwartet.settings import KwartetSettings
from solvers import Deal, DealProblem, SetConstraint, deal_faults, solve
from solvers.brute_force import deals
from solvers.filtering import filter_problem
from solvers.problem import iter_cards
from tests.kwartet.games import random_log
from tests.limits import limited
from tests.sizes import examples, thorough

Position = tuple[DealProblem, Deal]


@pytest.fixture(scope="module")
def games() -> list[Position]:
    """Return positions from all over a full-size game."""
    log = random_log(KwartetSettings(), Random(7), 90)
    return [(position.public.problem, position.deal) for position in log.positions[10::20]]


def test_a_card_is_known_exactly_if_filtering_leaves_one_owner(games: list[Position]) -> None:
    """The filter, which is another module, decides the same at full size."""
    for problem, deal in games:
        for player in range(4):
            owners = filter_problem(information_set(problem, deal, (player,)))
            for index, constraint in enumerate(problem.sets):
                for number in range(constraint.size):
                    holder = deal.owner[index][number]
                    known = K(player, H(holder, Card(index, number)))
                    assert evaluate(known, problem, deal) == (
                        owners.sets[index].owners[number] == 1 << holder
                    )


@pytest.mark.parametrize("formula", ["K2 U1(3)=13", "P U1(3)=13", "C U1(3)=13", "!K2 U1(3)=12"])
def test_knowledge_of_a_whole_hand_at_the_deal_of_52_cards(formula: str) -> None:
    """Nobody can know a card of another before the first request."""
    start = random_log(KwartetSettings(), Random(7), 0).positions[0]
    assert evaluate(formula, start.public.problem, start.deal, "solvers", seconds=600)


def test_no_time_is_spent_on_counting_the_deals_of_many_players() -> None:
    """The method depends on the number of deals, which would take half a minute to compute."""
    position = random_log(KwartetSettings(8, 13), Random(5), 10).positions[-1]
    question = "K3 !D{1,5} H4 12/3", position.public.problem, position.deal
    assert evaluate(*question, seconds=600) is evaluate(*question, "solvers", seconds=600) is True


def test_counterexamples_at_full_size_are_valid(games: list[Position]) -> None:
    """Each deal of a counterexample fits the record and shares the hand; the last one refutes."""
    random, count = Random(1), 0
    for problem, deal in games:
        evaluator = SolverEvaluator(problem, Deadline(600))
        for _ in range(6):
            card = Card(*random.choice(deal.hand(random.randrange(4))))
            holder = deal.owner[card.set_index][card.number]
            p, q = random.sample([player for player in range(4) if player != holder], 2)
            inner = K(q, H(holder, card))
            middle = evaluator.counterexample((p,), inner, deal)
            assert (middle is None) == evaluator.truth(K(p, inner), deal)
            if middle is not None:
                last = evaluator.counterexample((q,), H(holder, card), middle)
                assert last is not None
                assert not deal_faults(problem, middle.owner) + deal_faults(problem, last.owner)
                assert same_hands(deal, middle, (p,))
                assert same_hands(middle, last, (q,))
                assert last.owner[card.set_index][card.number] != holder
                count += 1
    assert count > 5


def test_an_undecided_formula_is_reported_and_not_guessed(games: list[Position]) -> None:
    problem, deal = games[1]
    card = next(
        Card(index, number)
        for index, constraint in enumerate(problem.sets)
        for number, mask in enumerate(constraint.owners)
        if mask.bit_count() > 2
    )
    with pytest.raises(Undecided, match="time limit of 1e-06 s"):
        evaluate(K(0, ~K(1, ~K(2, H(3, card)))), problem, deal, "solvers", seconds=1e-6)
    for seconds in (-1, 0):
        with pytest.raises(InputError, match="seconds"):
            evaluate("true", problem, deal, seconds=seconds)


def test_nested_equivalences_of_knowledge_are_answered(games: list[Position]) -> None:
    """Each equivalence unfolds into two implications; forty have more parts than a formula may."""
    problem, deal = games[0]
    formula: Formula = K(1, H(2, "0/0"))
    truth = evaluate(formula, problem, deal)
    for number in range(40):
        formula = formula.iff(K(number % 3, H(3, Card(number % 13, 3))))
        truth = truth == evaluate(K(number % 3, H(3, Card(number % 13, 3))), problem, deal)
    for same in (formula, K(0, formula) | ~K(0, formula)):
        assert evaluate(same, problem, deal) == (same is not formula or truth)
    assert not evaluate(K(0, formula) & K(0, ~formula), problem, deal)
    assert evaluate(K(0, formula.iff(formula)), problem, deal)


def test_the_solvers_get_half_of_the_time_if_the_deals_can_be_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits = []

    class RecordedDeadline(Deadline):
        def __init__(self, seconds: float) -> None:
            limits.append(seconds)
            super().__init__(0 if seconds == 4 else seconds)

    monkeypatch.setattr("quaternity.epistemic.truth.Deadline", RecordedDeadline)
    with limited("quaternity.epistemic.truth", MAX_QUICK_WORLDS=0):
        three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
        assert evaluate("C !K2 H0 0/0", three_cards, [[0, 1, 2]], seconds=8)
        assert limits == [8, 4]


def test_undecided_common_knowledge() -> None:
    """The deal that makes it false is two steps away."""
    problem = DealProblem(
        [1] * 4, [SetConstraint.of([[0, 1], [1, 2], [2, 3], [0, 1, 3]], players=4)]
    )
    deal, formula = Deal(((1, 2, 3, 0),)), C(~H(1, "0/1"))
    assert evaluate(formula, problem, deal, "solvers") is False
    with limited("quaternity.epistemic.solver_evaluator", FEW_STEPS=0, MAX_LISTED=0, MAX_STEPS=1):
        with pytest.raises(Undecided, match="None of them was reached in 1 step"):
            evaluate(formula, problem, deal, "solvers")
        with limited("quaternity.epistemic.truth", MAX_QUICK_WORLDS=0):
            assert evaluate(formula, problem, deal) is False  # listed instead


@given(positions(max_players=3), st.data())
@settings(max_examples=examples(60))
def test_information_sets(position: Position, data: st.DataObject) -> None:
    problem, deal = position
    group = tuple(data.draw(st.sets(st.integers(0, problem.players - 1))))
    seen = information_set(problem, deal, group)
    alike = [world for world in deals(problem) if same_hands(world, deal, group)]
    assert sorted(world.owner for world in deals(seen)) == sorted(world.owner for world in alike)


@given(positions(max_players=3), st.data())
@settings(max_examples=examples(60))
def test_cases_are_the_deals_in_which_a_formula_is_true(
    position: Position, data: st.DataObject
) -> None:
    problem, _ = position
    drawn = data.draw(formulas(Language.of(problem), 3))
    formula = without_knowledge(drawn, data.draw(st.booleans()))
    for truth in (True, False):
        disjuncts = cases(problem, formula, truth)
        if disjuncts is not None:
            ways = {world.owner for case in disjuncts for world in deals(narrow(problem, case))}
            right = {world.owner for world in deals(problem) if true_in(formula, world) == truth}
            assert ways == right


@given(positions(max_players=3), st.data())
@settings(max_examples=examples(60))
def test_bounds_without_knowledge(position: Position, data: st.DataObject) -> None:
    problem, deal = position
    formula = data.draw(formulas(Language.of(problem), 3))
    truth = ExplicitEvaluator(problem).truth(formula, deal)
    assert true_in(without_knowledge(formula, False), deal) <= truth
    assert truth <= true_in(without_knowledge(formula, True), deal)
    seen = ExplicitEvaluator(problem).truth(with_seen_facts(formula, True), deal)
    assert seen <= truth <= ExplicitEvaluator(problem).truth(with_seen_facts(formula, False), deal)


@given(positions(max_players=3), st.data())
@settings(max_examples=examples(200))
def test_knowledge_seen_in_hands_is_knowledge(position: Position, data: st.DataObject) -> None:
    problem, _ = position
    language = Language.of(problem)
    formula = data.draw(st.one_of(chains(language, 1), formulas(language, 2)))
    extension = ExplicitEvaluator(problem).model.extension
    assert (extension(with_seen_facts(formula, True)) <= extension(formula)).all()
    assert (extension(formula) <= extension(with_seen_facts(formula, False))).all()


@given(positions(max_players=3), st.data())
@settings(max_examples=thorough(25, 200))
def test_surroundings_share_the_truth_value(position: Position, data: st.DataObject) -> None:
    problem, deal = position
    language = Language.of(problem)
    drawn = data.draw(st.one_of(chains(language), formulas(language)))
    other = data.draw(chains(language, 1))
    truth = ExplicitEvaluator(problem).truth
    for formula in (drawn, Announcement(drawn, other), Announcement(~drawn, other)):
        value = truth(formula, deal)
        around = list(deals(narrow(problem, case_around(formula, value, deal, (), truth))))
        assert deal in around
        assert all(truth(formula, world) == value for world in around)


@given(positions(max_players=3, max_sets=2, max_set_size=3))
@settings(max_examples=examples(120))
def test_numbers_of_unknown_cards_agree_with_the_definition(position: Position) -> None:
    """The numbers are tried exactly and at most, and as known to a third player."""
    problem, deal = position
    explicit, solvers = ExplicitEvaluator(problem), SolverEvaluator(problem, Deadline(600))
    for count in range(problem.hands[1] + 2):
        for at_most in (False, True):
            unknown = Unknown(0, 1, count, at_most)
            for formula in (unknown, K(problem.players - 1, unknown), ~K(1, ~unknown)):
                assert solvers.truth(formula, deal) == explicit.truth(formula, deal)


@st.composite
def hidden_cases(draw: st.DrawFn, max_players: int = 4) -> tuple[DealProblem, Deal, int, Case]:
    """Draw a position, a player whose hand is seen, and a case about one or two cards."""
    problem, deal = draw(positions(max_players, max_sets=2, max_set_size=3))
    everybody = (1 << problem.players) - 1
    cards = st.sampled_from([Card(index, number) for index, number, _ in iter_cards(problem)])
    case = draw(st.dictionaries(cards, st.integers(1, everybody), min_size=1, max_size=2))
    return problem, deal, draw(st.integers(0, problem.players - 1)), case


def is_refuted(problem: DealProblem, deal: Deal, seen: int, case: Case) -> bool:
    return not solve(narrow(information_set(problem, deal, (seen,)), case))


@given(hidden_cases())
@settings(max_examples=examples(150))
def test_provable_coalitions_by_enumeration(hidden: tuple[DealProblem, Deal, int, Case]) -> None:
    """A coalition is listed iff it lacks cards in some deal."""
    problem, _, seen, case = hidden
    provable = HandPatterns(problem, problem, (seen,)).provable_coalitions(case)
    assert provable is not None
    assert bool(provable) == any(is_refuted(problem, world, seen, case) for world in deals(problem))


@given(hidden_cases())
@settings(max_examples=examples(150))
def test_without_totals_no_coalition_is_left_out(
    hidden: tuple[DealProblem, Deal, int, Case],
) -> None:
    """If the programme takes too much work, more coalitions may be listed, but never fewer."""
    problem, _, seen, case = hidden
    right = HandPatterns(problem, problem, (seen,)).provable_coalitions(case)
    with limited("quaternity.epistemic.hand_patterns", MAX_WORK=0):
        listed = HandPatterns(problem, problem, (seen,)).provable_coalitions(case)
    assert right is not None
    assert listed is not None
    assert set(right) <= set(listed)


@given(positions(max_sets=2, max_set_size=3))
@settings(max_examples=examples(60))
def test_successive_cases_give_the_same_as_each_case_alone(position: Position) -> None:
    """The cached results of a case are not used for another case."""
    problem, _ = position
    kept = HandPatterns(problem, problem, (0,))
    for index, number, _ in iter_cards(problem):
        for player in range(problem.players):
            case = {Card(index, number): 1 << player}
            alone = HandPatterns(problem, problem, (0,)).provable_coalitions(case)
            assert kept.provable_coalitions(case) == alone


Bounds = tuple[list[int], list[int]]
FREE: Bounds = ([0, 0, 0], [2, 2, 2])


@pytest.mark.parametrize(
    ("hands", "owners", "meant", "public", "said"),
    [
        ([1, 1, 2], [[0, 1], [0, 2]],
            [([0, 0, 0], [2, 1, 2]), ([0, 1, 0], [2, 1, 2])], [FREE, FREE], (0, 0b001)),
        ([1, 3, 0], [[0, 1], [1, 2]],
            [([0, 1, 0], [2, 2, 2]), ([0, 1, 0], [2, 1, 2])], [([1, 0, 0], [2, 2, 2])] * 2,
            (0, 0b001)),
        ([0, 2, 2], [[0, 1], [1, 2]],
            [([0, 0, 1], [1, 2, 1])] * 2, [([0, 0, 0], [2, 2, 1]), ([0, 1, 1], [2, 2, 1])],
            (1, 0b010)),
        ([0, 1, 3], [[1, 2], [0, 2]],
            [FREE, FREE], [([1, 0, 1], [2, 2, 2]), ([1, 0, 1], [2, 1, 1])], (0, 0b010)),
    ],
    ids=["minimums meant", "maximums meant", "minimums in public", "maximums in public"],
)  # fmt: skip
def test_sets_that_differ_in_one_kind_of_bounds_are_distinguished(
    hands: list[int],
    owners: list[list[int]],
    meant: list[Bounds],
    public: list[Bounds],
    said: tuple[int, int],
) -> None:
    """The same statement about a card of either set does not prove the same."""
    inner, outer = (
        DealProblem(hands, [SetConstraint.of(owners, 3, low, high) for low, high in bounds])
        for bounds in (meant, public)
    )
    cases = [{Card(index, said[0]): said[1]} for index in range(2)]
    first, second = (HandPatterns(inner, outer, (0,)).provable_coalitions(case) for case in cases)
    assert first != second
    kept = HandPatterns(inner, outer, (0,))
    assert [kept.provable_coalitions(case) for case in cases] == [first, second]


@pytest.mark.parametrize("most_options", [0, 4000])
@given(hidden=hidden_cases())
@settings(max_examples=examples(60))
def test_refutations(most_options: int, hidden: tuple[DealProblem, Deal, int, Case]) -> None:
    """A case is refuted at a deal, and at some deal, by patterns and by witnesses."""
    problem, deal, seen, case = hidden
    everybody = range(problem.players)
    anywhere = any(is_refuted(problem, world, seen, case) for world in deals(problem))
    at_the_deal = is_refuted(problem, deal, seen, case)
    with limited("quaternity.epistemic.hand_patterns", MAX_OPTIONS=most_options):
        hand_patterns.hand_patterns.cache_clear()
        for place, expected in (
            (information_set(problem, deal, everybody), at_the_deal),
            (problem, anywhere),
        ):
            model = CoupledDeals(Deadline(600))
            table = model.new_deal(place)
            model.require_any([Refuter(model, problem).refutation_literal(table, (seen,), case)])
            assert model.solve() == expected
            if expected:
                assert is_refuted(problem, model.deal(table), seen, case)
    hand_patterns.hand_patterns.cache_clear()


@pytest.mark.parametrize("seed", range(thorough(80, 1000)))
def test_sums_and_choices_are_required_exactly_if_they_should(seed: int) -> None:
    """The literals are free or settled."""
    random = Random(seed)
    terms = [(random.randint(-3, 3), random.random() < 0.5) for _ in range(random.randint(2, 5))]
    total = sum(weight for weight, value in terms if value)
    low, high = (total + random.choice([-2, -1, 0, 0, 1, 2]) for _ in range(2))
    values = [value for _, value in terms]

    def literal(model: CoupledDeals, value: bool) -> Literal:
        """Return a constant, or a free literal that can have only this value."""
        if random.random() < 0.4:
            return value
        free = model.new_literal()
        model.require_any([free if value else negate(free)])
        return free

    for when in (True, False):
        model = CoupledDeals(Deadline(600))
        sums = [(weight, literal(model, value)) for weight, value in terms]
        model.require_sum(sums, low, high, literal(model, when))
        assert model.solve() == (low <= total <= high or not when)
    for choose, expected in ((CoupledDeals.all_of, all), (CoupledDeals.any_of, any)):
        model = CoupledDeals(Deadline(600))
        model.require_any([choose(model, [literal(model, value) for value in values])])
        assert model.solve() == expected(values)


def test_smallest_totals() -> None:
    def options(*rows: tuple[list[int], list[int]]) -> Options:
        counts, costs = zip(*rows, strict=True)
        return Options(np.array(counts, dtype=np.int32), np.array(costs, dtype=np.int32))

    steps = [
        options(([1, 0], [5, 0]), ([0, 1], [1, 7])),
        options(([1, 0], [2, 2]), ([0, 1], [9, 1])),
    ]

    def totals(*hands: int) -> list[int]:
        result = smallest_totals(hands, steps)
        assert result is not None
        return [int(total) for total in result]

    assert lower_bounds(steps).tolist() == [3, 1]
    assert totals(2, 0) == [7, 2]
    assert totals(1, 1) == [3, 1]
    assert smallest_totals((1, 1), steps, max_work=1) is None
    steps[1] = options(([1, 0], [0, 0]))
    assert min(totals(0, 2)) >= INFINITE


def test_set_options() -> None:
    constraint = SetConstraint.of([[0, 1], [1]], players=2, low=[1, 0])
    assert set_options(constraint, 0b01) == {((1, 1), (0, -1))}


def test_a_time_limit_may_be_any_positive_number() -> None:
    problem = DealProblem([1, 1], [SetConstraint.of([[0, 1]] * 2, players=2)])
    deal = Deal(((0, 1),))
    limits: list[Any] = [np.float32(5), np.int64(5), 10**400, float("inf")]
    for seconds in limits:
        assert evaluate("K0 K1 H0 0/0", problem, deal, "solvers", seconds=seconds)


@pytest.mark.parametrize("certain", [0, 1, 2])
@pytest.mark.parametrize("number", range(5))
def test_counting_literals_with_certain_ones(number: int, certain: int) -> None:
    """One literal is open, one is false, and some are true."""
    model = CoupledDeals(Deadline(600))
    open_one = model.new_literal()
    encoder = Encoder(model, DealProblem([0], []), lambda _formula, _said: False, lambda _: ())
    enough = encoder._at_least(number, [*[True] * certain, open_one, False])
    if number == certain + 1:
        model.require_any([enough])
        assert model.solve()
        assert model.value(open_one)
    else:
        assert enough is (number <= certain)
