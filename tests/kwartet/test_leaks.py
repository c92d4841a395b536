"""Nothing leaks: data for a seat depends only on its own hand and the public record."""

from __future__ import annotations

import gc
from random import Random
from types import FunctionType, ModuleType

import pytest

from quaternity.kwartet.hands import deal_hands
from quaternity.kwartet.position import Position
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from tests.kwartet.games import random_log, random_settings
from tests.sizes import thorough


def test_no_path_leads_from_a_view_to_the_truth() -> None:
    log = random_log(random_settings(Random(5), range(4, 5), range(13, 14)), Random(5), 30)
    position = log.positions[-1]
    view = position.view(position.public.turn, log.events)
    hidden = [hand for seat, hand in enumerate(position.hands) if seat != view.seat]
    assert not any(value is position or value in hidden for value in reachable(view))
    assert any(value == view.hand for value in reachable(view))
    assert any(value is position for value in reachable([position]))


def reachable(start: object) -> list[object]:
    """Return every value reachable from a value, without code."""
    visited: dict[int, object] = {}
    left = [start]
    while left:
        value = left.pop()
        if id(value) not in visited and not isinstance(value, ModuleType | FunctionType | type):
            visited[id(value)] = value
            left += gc.get_referents(value)
    return [value for value in visited.values() if isinstance(value, tuple | Position | View)]


@pytest.mark.parametrize("seed", range(thorough(4, 60)))
def test_a_seats_own_cards_are_marked_as_its_own(seed: int) -> None:
    random = Random(seed)
    log = random_log(random_settings(random, range(2, 6), range(2, 14)), random, 30)
    rules = KwartetRules(log.settings)
    for step in range(0, len(log.events) + 1, 5):
        for seat in (None, *range(log.settings.players)):
            view = log.view(step, seat)
            held = sum(mask.bit_count() for mask in view.hand)
            words = rules.show(view).partition("your hand")[0].split()
            assert words.count("mine") == (0 if seat is None else held)


@pytest.mark.parametrize("players", range(2, 9))
def test_larger_hands_are_dealt_from_the_given_player_on(players: int) -> None:
    for sets in range(2, 14):
        rules = KwartetSettings(players, sets)
        usual = [sum(mask.bit_count() for mask in hand) for hand in deal_hands(rules, Random(1))]
        assert usual == sorted(usual, reverse=True)
        assert sum(usual) == rules.cards
        for first in range(players):
            hands = deal_hands(rules, Random(1), first)
            sizes = [sum(mask.bit_count() for mask in hand) for hand in hands]
            assert sizes[first:] + sizes[:first] == usual
