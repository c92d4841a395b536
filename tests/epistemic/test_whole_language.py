"""Formulas of the whole language agree with an independent model checker in real games."""

from __future__ import annotations

from random import Random

import pytest

from quaternity.epistemic import EvaluationMethod, Language, evaluate, parse
from quaternity.kwartet.position import Position
from solvers.verdict import Deal
from tests.epistemic.whole_language import RandomFormulas, World
from tests.kwartet.games import dealt_before, random_game, random_settings
from tests.kwartet.plain_hands import observe, plain, rules_of
from tests.kwartet.replay import after, all_deals, at_deal
from tests.sizes import thorough

SHAPES = [(2, 2), (2, 3), (3, 2), (4, 2), (5, 2)]
MAX_DEALS = 1500


def moments(random: Random) -> list[tuple[World, Position]]:
    """Return moments of a random game: all deals that its record leaves, and the positions."""
    players, sets = random.choice(SHAPES)
    settings = random_settings(
        random, range(players, players + 1), range(sets, sets + 1), 12 if players == 2 else 10
    )
    rules = rules_of(settings)
    steps = list(random_game(settings, random, max_events=12))
    truth = tuple(map(plain, dealt_before(steps[0][0])))
    announced = at_deal(truth, rules)[1]
    dealt = all_deals(frozenset().union(*truth), [len(hand) for hand in truth])
    worlds = [now for now, down in (at_deal(deal, rules) for deal in dealt) if down == announced]
    result = []
    for position, event in steps:
        if event is not None:
            left = (after(deal, observe(event), rules) for deal in worlds)
            worlds = [deal for deal in left if deal is not None]
        if len(worlds) <= MAX_DEALS and not position.public.is_over:
            result.append(
                (
                    World(tuple(worlds), sets, settings.set_size, players, position.public.points),
                    position,
                )
            )
    return result


def check(seed: int, methods: tuple[EvaluationMethod, ...], formulas: int, size: int = 4) -> int:
    """Draw formulas at moments of a game and compare them; return how many were true."""
    random = Random(f"whole language/{seed}")
    places = moments(random)
    true = 0
    for _ in range(formulas):
        if not places:
            return true
        world, position = random.choice(places)
        problem = position.public.problem
        text, meaning = RandomFormulas(world, random).formula(random.randint(1, size))
        language = Language.of(problem, world.size, position.public.points, world.players)
        formula = parse(text, language)
        assert parse(str(formula), language) == formula
        language.check(formula)
        formula = language.with_knowers(formula)
        number = random.randrange(len(world.deals))
        expected = bool(meaning({}, world.all) >> number & 1)
        owner = tuple(
            tuple(
                next(seat for seat, hand in enumerate(world.deals[number]) if (index, card) in hand)
                for card in range(constraint.size)
            )
            for index, constraint in enumerate(problem.sets)
        )
        for method in methods:
            result = evaluate(formula, problem, Deal(owner), method, set_size=world.size)
            assert result == expected, (seed, method, text, owner, problem)
        true += expected
    return true


# The first deals of game 0 take ten seconds to list.
@pytest.mark.parametrize("seed", thorough(range(1, 4), range(30)))
def test_all_methods_agree(seed: int) -> None:
    check(seed, (EvaluationMethod.EXPLICIT, EvaluationMethod.SOLVERS), thorough(5, 12), 3)


@pytest.mark.parametrize("seed", range(100, thorough(103, 160)))
def test_lists_agree(seed: int) -> None:
    check(seed, (EvaluationMethod.EXPLICIT, EvaluationMethod.AUTO), thorough(12, 25), 5)
