"""The laws of the model: of knowledge, and of cards."""

from functools import partial

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quaternity.epistemic import C, D, Formula, H, K, Language, Method, P, U, every, holds
from quaternity.epistemic.strategies import formulas, positions
from quaternity.game.cards import Card
from solvers import Deal, DealProblem, SetConstraint
from tests.agreement import agree
from tests.sizes import examples

Position = tuple[DealProblem, Deal]
TWO_WAYS = {str(one): partial(holds, method=one) for one in (Method.EXPLICIT, Method.SOLVERS)}
SOME = settings(max_examples=examples(40))


def true(formula: Formula, position: Position) -> bool:
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
    """Everybody knows of every card whether it is in the own hand, and all know that."""
    problem, _ = position
    for player in players_of(problem):
        aware = every(
            held.iff(K(player, held)) & (~held).iff(K(player, ~held))
            for held in (H(player, card) for card in cards_of(problem))
        )
        assert true(aware & C(aware) & P(aware), position)


@given(positions())
@SOME
def test_singularity_and_existence(position: Position) -> None:
    """Every card in play has one owner and no other; this is common knowledge."""
    problem, _ = position
    for card in cards_of(problem):
        held = [H(player, card) for player in players_of(problem)]
        one = every(first >> every(~other for other in held if other != first) for first in held)
        nobody = every(~first for first in held)
        assert true(P(one & ~nobody) & C(one & ~nobody), position)


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
    ways = {name: partial(one, set_size=4) for name, one in TWO_WAYS.items()}
    assert agree(ways, nobody & C(nobody), after, Deal(owner))


@given(positions())
@SOME
def test_what_is_public_is_common_knowledge(position: Position) -> None:
    """Owners that the public record excludes, and minimums of one card."""
    problem, _ = position
    facts = []
    for card in cards_of(problem):
        allowed = problem.may_own(*card)
        facts += [~H(one, card) for one in players_of(problem) if one not in allowed]
    for index, constraint in enumerate(problem.sets):
        for player, low in enumerate(constraint.low):
            if low:
                held = [~H(player, Card(index, one)) for one in range(constraint.size)]
                facts.append(~every(held))
    assert true(C(every(facts)), position)


@given(positions(), st.data())
@SOME
def test_unknown_cards(position: Position, data: st.DataObject) -> None:
    """With none of a player's cards unknown, what is not known held is known not held."""
    problem, _ = position
    knower, owner = (data.draw(st.integers(0, problem.players - 1)) for _ in range(2))
    settled = every(
        ~K(knower, H(owner, card)) >> K(knower, ~H(owner, card)) for card in cards_of(problem)
    )
    assert true(U(knower, owner, 0) >> settled, position)
    counts = [U(knower, owner, count) for count in range(problem.hands[owner] + 1)]
    assert sum(true(one, position) for one in counts) == 1
    assert true(U(knower, knower, 0), position)
    # How many there are, the knower knows.
    assert true(every(one >> K(knower, one) for one in counts), position)


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
    assert true(every(laws), position)


@given(positions(max_players=3), st.data())
@SOME
def test_the_laws_of_announcements(position: Position, data: st.DataObject) -> None:
    """The reduction axioms of public announcement logic."""
    problem, _ = position
    language = Language.of(problem)
    said, then, other = (data.draw(formulas(language, 1)) for _ in range(3))
    player = data.draw(st.integers(0, problem.players - 1))
    card = data.draw(st.sampled_from(cards_of(problem)))
    held = H(player, card)
    laws = [
        said.announce(held).iff(said >> held),
        said.announce(~then).iff(said >> ~said.announce(then)),
        said.announce(then & other).iff(said.announce(then) & said.announce(other)),
        said.announce(K(player, then)).iff(said >> K(player, said >> said.announce(then))),
        said.announce(then.announce(other)).iff((said & said.announce(then)).announce(other)),
    ]
    assert true(every(laws), position)


@given(positions(), st.data())
@SOME
def test_other_names_change_nothing(position: Position, data: st.DataObject) -> None:
    problem, deal = position
    names = data.draw(st.permutations(range(problem.players)))
    renamed = problem.relabelled(players=names)
    owner = Deal(tuple(tuple(names[who] for who in owner) for owner in deal.owner))
    knower, asked, other = (data.draw(st.integers(0, problem.players - 1)) for _ in range(3))
    card = data.draw(st.sampled_from(cards_of(problem)))

    def told(who: list[int]) -> Formula:
        held = H(who[other], card)
        return K(who[knower], ~K(who[asked], held)) | C(held)

    same = list(range(problem.players))
    assert true(told(same), position) == true(told(list(names)), (renamed, owner))


@given(positions(), st.data())
@SOME
def test_more_public_facts_never_take_knowledge_away(
    position: Position, data: st.DataObject
) -> None:
    problem, deal = position
    card = data.draw(st.sampled_from(cards_of(problem)))
    holder = deal.owner[card.set_index][card.number]
    index, number = data.draw(st.sampled_from(cards_of(problem)))
    assume((index, number) != card)
    owners = list(problem.sets[index].owners)
    owners[number] = 1 << deal.owner[index][number]
    told = problem.with_set(
        index, SetConstraint(owners, problem.sets[index].low, problem.sets[index].high)
    )
    for knower in players_of(problem):
        known = K(knower, H(holder, card))
        assert true(known, position) <= true(known, (told, deal))
