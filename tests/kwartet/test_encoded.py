"""The encoding of Kwartet: the numbers contain the information of the view, and no more."""

from collections import Counter
from itertools import accumulate, product
from random import Random
from typing import Any

import pytest

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.encoded import KwartetEncoded
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from tests.sizes import thorough

SETTINGS = [
    *(KwartetSettings(*sizes) for sizes in [(2, 2), (3, 3), (3, 4), (5, 4)]),
    KwartetSettings(2, 3, set_size=3, aside=2),
    KwartetSettings(3, 3, set_size=5, aside=4, max_moves=20, own_card_requests=False),
]


def read(encoded: KwartetEncoded, view: View) -> dict[str, list[float]]:
    """Return the numbers of a view by the names of its entries."""
    counts = [count for _, count, _ in encoded.entries]
    ends = [*accumulate(counts)]
    numbers: list[float] = [*encoded.numbers(view)]
    assert len(numbers) == ends[-1]
    assert all(0 <= number <= 1 for number in numbers)
    return {
        name: numbers[end - count : end]
        for (name, count, _), end in zip(encoded.entries, ends, strict=True)
    }


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_numbers_represent_the_view(settings: KwartetSettings) -> None:
    rules, players = KwartetRules(settings), settings.players
    encoded, random = KwartetEncoded(rules), Random(players)
    for _ in range(thorough(1, 5)):
        position = rules.start(random)
        while acting := rules.to_act(position):
            for seat in (None, *range(players)):
                view = rules.view(position, seat)
                check_numbers(encoded, view, 0 if seat is None else seat)
                check_actions(encoded, rules, view)
            move = random.choice([*rules.moves(rules.view(position, acting[0]))])
            position = rules.after(position, acting[0], move)
        for seat in range(players):
            check_numbers(encoded, rules.view(position, seat), seat)
            check_actions(encoded, rules, rules.view(position, seat))


def check_numbers(encoded: KwartetEncoded, view: View, first: int) -> None:
    """Check the numbers of a view; seats are counted from the view's own seat."""
    public, rules = view.public, encoded.rules
    players, sets, cards = rules.seats, rules.settings.sets, rules.settings.cards
    size = rules.settings.set_size
    seats = [(first + away) % players for away in range(players)]
    hands = [*seats, *range(players, rules.settings.hands)]  # cards aside, last
    read_back = read(encoded, view)
    assert read_back["seat"] == [float(seat == view.seat) for seat in range(players)]
    turn = None if public.is_over else public.turn
    assert read_back["turn"] == [float(seat == turn) for seat in seats]
    assert [round(part * cards) for part in read_back["cards"]] == [
        public.hands[seat] for seat in seats
    ]
    assert [round(part * sets) for part in read_back["points"]] == [
        public.removed.count(seat) for seat in seats
    ]
    askers = {event[0].asker for event in view.events}
    assert read_back["askers"] == [float(seat in askers) for seat in seats]
    entry = size + len(hands) * (size + 2) + players
    for index, (hand, gone) in enumerate(zip(view.hand, public.removed, strict=True)):
        numbers = iter(read_back["sets"][index * entry :][:entry])
        constraint = view.public.problem.sets[index]
        assert [next(numbers) for _ in range(size)] == [
            float(hand >> card & 1) for card in range(size)
        ]
        owners = [[next(numbers) for _ in hands] for _ in range(size)]
        assert owners == [
            [float(gone is None and constraint.owners[card] >> hand & 1) for hand in hands]
            for card in range(size)
        ]
        for bounds in (constraint.low, constraint.high):
            assert [round(next(numbers) * size) for _ in hands] == [
                min(bounds[hand], size) for hand in hands
            ]
        assert [next(numbers) for _ in seats] == [float(seat == gone) for seat in seats]
    asker, asked, card, answer = -1, -1, (-1, -1), False
    if view.events:
        (asker, asked, card), answered, _ = view.events[-1]
        answer = bool(answered)
    assert read_back["last asker"] == [float(seat == asker) for seat in seats]
    assert read_back["last asked"] == [float(seat == asked) for seat in seats]
    assert read_back["last card"] == [
        float((index, number) == tuple(card)) for index, number in product(range(sets), range(size))
    ]
    assert read_back["last answer"] == [float(answer)]
    if rules.settings.max_moves is not None:
        (left,) = read_back["left"]
        assert round(left * rules.settings.max_moves) == public.left


def check_actions(encoded: KwartetEncoded, rules: KwartetRules, view: View) -> None:
    """Check the actions: an action counts the asked seat from the asker."""
    mask = encoded.mask(view)
    assert len(mask) == encoded.actions
    if view.seat < 0:
        assert not any(mask)
        return
    legal = set[Any](rules.moves(view))
    cards = product(range(rules.settings.sets), range(rules.settings.set_size))
    requests = [
        Question(view.seat, (view.seat + away) % rules.seats, Card(*card))
        for card in cards
        for away in range(1, rules.seats)
    ]
    assert [encoded.action(request, view) for request in requests] == [*range(encoded.actions)]
    assert [encoded.move(action, view) for action in range(encoded.actions)] == requests
    assert mask == bytes(request in legal for request in requests)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_chance_draws_a_deal_with_even_hands(settings: KwartetSettings) -> None:
    rules, players = KwartetRules(settings), settings.players
    encoded, random = KwartetEncoded(rules), Random(settings.sets)
    for _ in range(thorough(5, 50)):
        drawn: list[int] = []
        while drawable := encoded.chance(drawn):
            assert sum(chance for _, chance in drawable) == pytest.approx(1)
            seats, chances = zip(*drawable, strict=True)
            drawn += random.choices(seats, chances)
        owners = drawn[-rules.settings.cards :]
        uneven = (settings.cards - settings.aside) % players > 0
        assert len(drawn) == rules.settings.cards + uneven
        sizes = rules.settings.hand_sizes(drawn[0] if uneven else 0)
        assert Counter(owners) == Counter(dict(enumerate(sizes)))
        dealt = encoded.initial_position(drawn)
        # A set that is complete after the deal is put down immediately.
        for card, seat in enumerate(owners):
            index, number = divmod(card, settings.set_size)
            for other in range(players):
                view = rules.view(dealt, other)
                is_held = bool(view.hand[index] >> number & 1)
                assert is_held == (other == seat and view.public.removed[index] is None)
