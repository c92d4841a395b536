"""The laws of the model: laws of knowledge, and laws of cards."""

from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.epistemic import C, D, EvaluationMethod, Formula, H, K, Language, P, evaluate, every
from quaternity.epistemic.strategies import formulas, positions
from quaternity.game.cards import Card
from solvers import Deal, DealProblem, SetConstraint
from tests.agreement import agree
from tests.sizes import examples

Position = tuple[DealProblem, Deal]
TWO_WAYS = {
    str(way): partial(evaluate, method=way)
    for way in (EvaluationMethod.EXPLICIT, EvaluationMethod.SOLVERS)
}
SOME = settings(max_examples=examples(40))


def is_true(formula: Formula, position: Position) -> bool:
    return agree(TWO_WAYS, formula, *position)


def players_of(problem: DealProblem) -> range:
    return range(problem.players)


def cards_of(problem: DealProblem) -> list[Card]:
    return [
        Card(index, number)
        for index, constraint in enumerate(problem.sets)
        for number in range(constraint.size)
    ]


@given(positions())
@SOME
def test_self_awareness(position: Position) -> None:
    """Players know whether a card is in their own hand, and everyone knows that."""
    problem, _ = position
    for player in players_of(problem):
        aware = every(
            held.iff(K(player, held)) & (~held).iff(K(player, ~held))
            for held in (H(player, card) for card in cards_of(problem))
        )
        assert is_true(aware & C(aware) & P(aware), position)


@given(positions())
@SOME
def test_singularity_and_existence(position: Position) -> None:
    """A card in play has exactly one owner; this is common knowledge."""
    problem, _ = position
    for card in cards_of(problem):
        held = [H(player, card) for player in players_of(problem)]
        single = every(first >> every(~other for other in held if other != first) for first in held)
        no_owner = every(~first for first in held)
        assert is_true(P(single & ~no_owner) & C(single & ~no_owner), position)


@given(positions(), st.integers(0, 3))
@SOME
def test_a_removed_set_is_gone_for_everybody(position: Position, place: int) -> None:
    problem, deal = position
    place = min(place, len(problem.sets))
    empty = SetConstraint((), [0] * problem.players, [0] * problem.players)
    sets = (*problem.sets[:place], empty, *problem.sets[place:])
    after = DealProblem(problem.hands, sets)
    owner = (*deal.owner[:place], (), *deal.owner[place:])
    nobody = every(
        ~H(player, Card(place, number)) for player in players_of(problem) for number in range(4)
    )
    ways = {name: partial(way, set_size=4) for name, way in TWO_WAYS.items()}
    assert agree(ways, nobody & C(nobody), after, Deal(owner))


@given(positions())
@SOME
def test_public_facts_are_common_knowledge(position: Position) -> None:
    """Public facts are owners that the record excludes, and minimums of one card."""
    problem, _ = position
    facts = []
    for card in cards_of(problem):
        allowed = problem.may_own(*card)
        facts += [~H(player, card) for player in players_of(problem) if player not in allowed]
    for index, constraint in enumerate(problem.sets):
        for player, low in enumerate(constraint.low):
            if low:
                held = [~H(player, Card(index, number)) for number in range(constraint.size)]
                facts.append(~every(held))
    assert is_true(C(every(facts)), position)


@given(positions(), st.data())
@SOME
def test_knowledge_is_true_and_knows_itself(position: Position, data: st.DataObject) -> None:
    problem, _ = position
    formula = data.draw(formulas(Language.of(problem), 2))
    player = data.draw(st.integers(0, problem.players - 1))
    known = K(player, formula)
    laws = [
        known >> formula,
        known >> K(player, known),
        ~known >> K(player, ~known),
        C(formula) >> known,
        C(formula) >> C(C(formula)),
        P(formula) >> C(formula),
        known >> D(range(problem.players), formula),
        D([player], formula).iff(known),
    ]
    assert is_true(every(laws), position)
