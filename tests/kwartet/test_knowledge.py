"""Knowledge: the possible deals are exactly those on which the record can be replayed."""

from __future__ import annotations

from random import Random

import pytest

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.hands import Hand, cards_in, hand_of
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from solvers import DealProblem, SetConstraint, count_deals
from solvers.brute_force import deals, refuses
from solvers.verdict import deal_faults
from tests.agreement import agree
from tests.kwartet.games import dealt_before, random_game, random_settings
from tests.kwartet.replay import Cards, Deal, Rules, Seen, after, all_deals, at_deal
from tests.sizes import thorough


def plain(hand: Hand) -> Cards:
    return frozenset((index, number) for index, number in cards_in(hand))


def rules_of(settings: KwartetSettings) -> Rules:
    own = settings.own_card_requests
    return Rules(settings.players, settings.sets, settings.set_size, settings.at_once, own)


def observe(event: Event) -> Seen:
    asker, asked, (index, number) = event.question
    return Seen(asker, asked, (index, number), bool(event.answer), event.announced)


def by_solver(problem: DealProblem) -> set[Deal]:
    """Return the deals of a problem as plain hands."""
    return {
        tuple(frozenset(deal.hand(player)) for player in range(problem.players))
        for deal in deals(problem)
    }


SHAPES = [(2, 2), (2, 3), (3, 2), *thorough([], [(3, 3)]), (4, 2), (5, 2), (6, 2)]


@pytest.mark.parametrize("seed", range(thorough(4, 21)))
def test_the_deals_of_the_problem_are_those_that_fit_the_record(seed: int) -> None:
    random = Random(seed)
    players, sets = SHAPES[seed % len(SHAPES)]
    settings = random_settings(
        random, range(players, players + 1), range(sets, sets + 1), 12 if players == 2 else 10
    )
    rules = rules_of(settings)
    steps = list(random_game(settings, random, max_events=25))
    start = steps[0][0]
    dealt = dealt_before(start)
    truth = tuple(map(plain, dealt))
    first, announced = at_deal(truth, rules)
    assert tuple(map(plain, start.hands)) == first
    few = thorough({4: 5, 3: 6}, {6: 6, 5: 10, 3: 16})  # many deals take long
    steps = steps[: few.get(players, thorough(10, 26))]
    cards = frozenset().union(*truth)
    worlds = set()
    for deal in all_deals(cards, [len(hand) for hand in truth]):
        now, down = at_deal(deal, rules)
        if down == announced:
            worlds.add(now)
    for position, event in steps:
        if event is not None:
            survivors = (after(deal, observe(event), rules) for deal in worlds)
            worlds = {now for now in survivors if now is not None}
        problem = position.public.problem
        assert count_deals(problem) == len(worlds)
        if refuses(problem) is None:
            agree({"replay": lambda _: worlds, "problem": by_solver}, problem)  # noqa: B023
        for seat, hand in enumerate(position.hands[:players]):
            own = problem.with_hand(seat, hand)
            possible = {deal for deal in worlds if deal[seat] == plain(hand)}
            assert count_deals(own) == len(possible)
            if refuses(own) is None:
                assert by_solver(own) == possible


@pytest.mark.parametrize("seed", range(thorough(2, 100)))
def test_the_real_deal_satisfies_everything_that_is_known(seed: int) -> None:
    random = Random(f"real/{seed}")
    for settings in (random_settings(random, range(2, 7), range(2, 14)) for _ in range(12)):
        for position, _ in random_game(settings, random, max_events=150):
            owner = position.deal.owner
            problem = position.public.problem
            assert not deal_faults(problem, owner)
            for seat, hand in enumerate(position.hands[: settings.players]):
                own = problem.with_hand(seat, hand)
                assert not deal_faults(own, owner)
                assert own.hands == position.public.hands


def test_only_players_who_have_asked_are_known_to_hold_no_full_set() -> None:
    settings = KwartetSettings(players=2, sets=3, announce=AnnounceTiming.AFTER_OWN_REQUEST)
    start = Position.start(settings, ((0b0111, 0b0111, 0), (0b1000, 0b1000, 0b1111)))
    assert all(row.high == (4, 4) for row in start.public.problem.sets)
    failed, _ = start.ask(Question(0, 1, Card(0, 0)))
    assert all(row.high == (3, 4) for row in failed.public.problem.sets)
    put_down, event = failed.ask(Question(1, 0, Card(2, 1)))
    assert event.announced == (2,)
    assert put_down.public.removed == (None, None, 1)
    assert [row.high for row in put_down.public.problem.sets] == [(3, 3), (3, 3), (0, 0)]


def test_a_success_moves_every_bound_with_the_card() -> None:
    settings = KwartetSettings(players=3, sets=3)
    hands = (
        hand_of([Card(0, 0), Card(0, 1), Card(1, 0), Card(2, 0)], 3),
        hand_of([Card(0, 2), Card(1, 1), Card(1, 2), Card(2, 1)], 3),
        hand_of([Card(0, 3), Card(1, 3), Card(2, 2), Card(2, 3)], 3),
    )
    after, _ = Position.start(settings, hands).ask(Question(0, 1, Card(0, 2)))
    assert after.public.problem.sets[0] == SetConstraint.of(
        [[0, 1, 2], [0, 1, 2], [0], [0, 1, 2]], players=3, low=[2, 0, 0], high=[3, 2, 3]
    )
    assert after.public.hands == (5, 3, 4)
    assert after.public.turn == 0
