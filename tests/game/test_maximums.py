"""The effect of an answer on the deals of states with maximum numbers of cards."""

import tracemalloc
from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from quaternity.base.memo import Memo
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from quaternity.game.transition import after_claim, out_of_play, problem_after
from solvers.brute_force import deals
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import SOLVERS
from tests.limits import limited
from tests.sizes import thorough

Owners = tuple[tuple[int, ...], ...]


def constraint_around(owner: tuple[int, ...], players: int, random: Random) -> SetConstraint:
    """Return a constraint that a deal of one set satisfies, usually with maximums that matter."""
    masks = [1 << player | random.randrange(1 << players) for player in owner]
    held = [owner.count(player) for player in range(players)]
    low = [random.randint(0, count) for count in held]
    high = [random.choice([count, min(count + 1, len(owner)), len(owner)]) for count in held]
    return SetConstraint(masks, low, high)


def problem_around(random: Random, players: int, sizes: tuple[int, ...]) -> DealProblem:
    """Return a problem that a random deal satisfies."""
    owners = [tuple(random.randrange(players) for _ in range(size)) for size in sizes]
    hands = [sum(owner.count(player) for owner in owners) for player in range(players)]
    return DealProblem(hands, [constraint_around(owner, players, random) for owner in owners])


def hand_over(owners: Owners, set_index: int, card: int, to: int) -> Owners:
    """Return the deal after one card is handed over."""
    cards = owners[set_index]
    changed = (*cards[:card], to, *cards[card + 1 :])
    return (*owners[:set_index], changed, *owners[set_index + 1 :])


@pytest.mark.parametrize("answer", Answer, ids=str)
@pytest.mark.parametrize("size", [(4, (3, 2)), (3, (3, 2)), (3, (4, 1))], ids=str)
def test_deals_after_an_answer_are_those_that_fit_it(
    size: tuple[int, tuple[int, ...]], answer: Answer
) -> None:
    players, sizes = size
    random, possible = Random(1), 0
    for _ in range(120):
        problem = problem_around(random, players, sizes)
        asker, asked = random.sample(range(players), 2)
        if not problem.hands[asked]:
            continue
        card = random.randrange(sizes[0])
        after = {
            deal.owner for deal in deals(problem_after(problem, asker, asked, 0, card, answer))
        }
        fitting = [
            deal.owner
            for deal in deals(problem)
            if deal.owner[0][card] != asker
            and asker in deal.owner[0]
            and (deal.owner[0][card] == asked) == bool(answer)
        ]
        assert after == {hand_over(deal, 0, card, asker) if answer else deal for deal in fitting}
        claim = problem.with_set(0, after_claim(problem.sets[0], asker, asked, card, answer))
        assert [deal.owner for deal in deals(claim)] == fitting
        possible += bool(fitting)
    assert possible >= 15


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((2, 2, 4), (3, 1, 4)),
        ((4, 2, 4), (4, 1, 4)),
        ((2, 4, 3), (3, 4, 3)),
        ((4, 4, 1), (4, 4, 1)),
    ],
)
def test_a_maximum_follows_the_card(before: tuple[int, ...], after: tuple[int, ...]) -> None:
    """Player 1 gives player 0 a card. A maximum of all four cards restricts nothing and stays."""
    free = SetConstraint((7,) * 4, (0,) * 3, (4,) * 3)
    problem = DealProblem((4, 4, 4), (free._replace(high=before), free, free))
    result = problem_after(problem, 0, 1, 0, 3, Answer.YES)
    assert result.hands == (5, 3, 4)
    assert result.sets[0] == SetConstraint((7, 7, 7, 1), (2, 0, 0), after)


@pytest.fixture
def nothing_prepared() -> Iterator[None]:
    """Set the memory for prepared answers so low that every answer is tried by itself."""
    Memo.clear_all()
    with limited("quaternity.game.legal", MAX_ASKER_BYTES=-1):
        yield
    Memo.clear_all()


@pytest.mark.usefixtures("nothing_prepared")
def test_answers_tried_by_themselves_are_those_of_brute_force() -> None:
    random, seen = Random(2), set()
    for number in range(150):
        problem = problem_around(random, 3, (3, 3))
        if number % 3 == 0:
            free = [constraint._replace(high=(3, 3, 3)) for constraint in problem.sets]
            problem = DealProblem(problem.hands, free)
        if number % 10 == 0:
            problem = DealProblem(random.sample(problem.hands, 3), problem.sets)
        problem = DealProblem(problem.hands, (out_of_play(3), *problem.sets))
        state = State(problem, number % 3, (1, None, None), 3)
        expected = dict(state.legal_questions_by(SOLVERS["brute-force"]).items())
        for asked, set_index, card in product(range(3), repeat=3):
            question = Question(number % 3, asked, Card(set_index, card))
            answers = state.legal_questions.answers(question)
            assert answers == expected.get(question, ())
            seen.add(answers)
        assert dict(state.legal_questions.items()) == expected
    assert len(seen) == 4


def test_sets_of_many_kinds_of_cards_take_little_memory() -> None:
    """A set of a thousand kinds, for twelve players, has tables of 170 MB, which are not kept."""
    random, players, size = Random(1), 12, thorough(400, 1_000)
    owner = [random.randrange(players) for _ in range(2 * size)]
    masks = [1 << player | random.randrange(1 << players) for player in owner]
    sets = [
        SetConstraint(part, (0,) * players, (size,) * players)
        for part in (masks[:size], [(1 << players) - 1] * size)
    ]
    hands = [owner.count(player) for player in range(players)]
    state = State(DealProblem(hands, sets), 0, (None, None), size)
    tracemalloc.start()
    groups = state.legal_questions.groups()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(groups) > 5 * size
    assert peak < 12 * 2**20
