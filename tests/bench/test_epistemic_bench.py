"""Speed of questions about knowledge at full size, in the middle of a game."""

import gc
from collections.abc import Callable
from itertools import cycle
from random import Random
from time import process_time

import pytest

from quaternity.epistemic import Formula, H, K, evaluate
from quaternity.epistemic.explicit_evaluator import ExplicitModel
from quaternity.game.cards import Card
from quaternity.kwartet.settings import KwartetSettings
from solvers import Deal, DealProblem, SetConstraint
from tests.bench.conftest import text_of
from tests.kwartet.games import random_log

pytestmark = pytest.mark.bench

Question = tuple[Formula, DealProblem, Deal]


def questions(kind: Callable[[int, int, Formula], Formula], number: int) -> list[Question]:
    """Return questions about a card and its real owner, from several games of 52 cards."""
    random, result = Random(4), list[Question]()
    for seed in range(4):
        log = random_log(KwartetSettings(), Random(seed), 80)
        for position in log.positions[5::5]:
            problem, deal = position.public.problem, position.deal
            holder = random.choice([player for player in range(4) if deal.hand(player)])
            card = Card(*random.choice(deal.hand(holder)))
            others = [player for player in range(4) if player != holder]
            first, second = random.sample(others, 2)
            result.append((kind(first, second, H(holder, card)), problem, deal))
    return random.sample(result, number)


KINDS = [
    ("K1 H3 c", lambda first, _, held: K(first, held), "5 ms", 40),
    ("K1 K2 H3 c", lambda first, second, held: K(first, K(second, held)), "1 s", 20),
    ("K1 !K2 H3 c", lambda first, second, held: K(first, ~K(second, held)), "1 s", 20),
]


@pytest.mark.parametrize(("what", "kind", "goal", "number"), KINDS)
def test_full_size(
    what: str,
    kind: Callable[[int, int, Formula], Formula],
    goal: str,
    number: int,
    pace: Callable[..., float],
    note: Callable[[str, str, str], None],
) -> None:
    """Note the processor time of the slowest question, each asked once, and of the median."""
    from ortools.sat.python import cp_model  # so that no question pays for loading it

    assert cp_model
    asked = questions(kind, number)
    evaluate(*asked[0], "solvers")
    gc.disable()  # the games in memory are not the questions' cost
    times = []
    for formula, problem, deal in asked:
        start = process_time()
        evaluate(formula, problem, deal, "solvers")
        times.append(process_time() - start)
    gc.enable()
    note(f"{what}, 52 cards, slowest of {number}", text_of(max(times)), goal)
    following = cycle(asked)
    pace(f"{what}, 52 cards, median", lambda: evaluate(*next(following), "solvers"), goal=goal)


def test_a_million_worlds(pace: Callable[..., float]) -> None:
    """List many deals, and answer a question about them."""
    sets = [
        SetConstraint.of([[0, 1]] * 20, players=4),
        SetConstraint.of([[1, 2]] * 4, players=4, low=[0, 1, 3, 0]),
        SetConstraint.of([[2]] * 8 + [[3]] * 20, players=4),
    ]
    problem = DealProblem([10, 11, 11, 20], sets)
    pace("listing 739,024 deals", lambda: ExplicitModel(problem))
    model = ExplicitModel(problem)
    formula = K(1, ~K(0, H(1, "0/0")))
    pace("K1 !K0 H1 c over all of them", lambda: model.extension(formula))
