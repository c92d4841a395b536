"""What an answer does to the deals when a state also says how many cards a player has at most."""

from random import Random

import pytest

from quaternity.legal import problem_after
from quaternity.question import Answer
from quaternity.transition import claimed
from solvers.brute_force import deals
from solvers.problem import DealProblem, SetConstraint

Owners = tuple[tuple[int, ...], ...]


def around(owner: tuple[int, ...], players: int, random: Random) -> SetConstraint:
    """Constraints that a deal of one set satisfies, most of them with a maximum that matters."""
    masks = [1 << who | random.randrange(1 << players) for who in owner]
    held = [owner.count(player) for player in range(players)]
    low = [random.randint(0, count) for count in held]
    high = [random.choice([count, min(count + 1, len(owner)), len(owner)]) for count in held]
    return SetConstraint(masks, low, high)


def problem_around(random: Random, players: int, sizes: tuple[int, ...]) -> DealProblem:
    """A problem that one random deal solves."""
    owners = [tuple(random.randrange(players) for _ in range(size)) for size in sizes]
    hands = [sum(owner.count(player) for owner in owners) for player in range(players)]
    return DealProblem(hands, [around(owner, players, random) for owner in owners])


def moved(owners: Owners, set_index: int, card: int, to: int) -> Owners:
    """A deal with one card handed over."""
    one = owners[set_index]
    changed = (*one[:card], to, *one[card + 1 :])
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
        assert after == {moved(one, 0, card, asker) if answer else one for one in fitting}
        said = problem.with_set(0, claimed(problem.sets[0], asker, asked, card, answer))
        assert [deal.owner for deal in deals(said)] == fitting
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
    """Player 1 gives player 0 a card; a maximum of all four cards is none, and stays."""
    free = SetConstraint((7,) * 4, (0,) * 3, (4,) * 3)
    problem = DealProblem((4, 4, 4), (free._replace(high=before), free, free))
    found = problem_after(problem, 0, 1, 0, 3, Answer.YES)
    assert found.hands == (5, 3, 4)
    assert found.sets[0] == SetConstraint((7, 7, 7, 1), (2, 0, 0), after)
