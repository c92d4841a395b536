"""Nothing leaks: data for a seat depends only on its own hand and the public record."""

from __future__ import annotations

import gc
from random import Random
from types import FunctionType, ModuleType

import pytest

from quaternity.base.errors import QuaternityError
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.hands import deal_hands
from quaternity.kwartet.log import log_as_seen
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.position import Position
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from tests.kwartet.games import random_log, random_settings
from tests.kwartet.twins import twins
from tests.sizes import thorough
from tests.table.planted import STRATEGIES

GAMES = thorough(8, 15)
TWINS = 25


def everything_shown(log: GameLog, seat: int, seed: int) -> bytes:
    """Return everything shown to a seat at the end of a log, and how strategies respond."""
    position = log.positions[-1]
    view = position.view(seat, log.events)
    shown: list[object] = [
        view.public,
        view.hand,
        view.events,
        view.problem,
        log_as_seen(log, seat),
    ]
    shown += [position.public.is_over, position.public.points]
    if not position.public.is_over and position.public.turn == seat:
        shown += [strategy(view, Random(seed)) for strategy in STRATEGIES.values()]
        random = Random(seed)
        sets = log.settings.sets
        for _ in range(20):
            card = Card(random.randrange(sets + 1), random.randrange(5))
            question = Question(seat, random.randrange(log.settings.players + 1), card)
            faults = view.faults(question)
            shown.append(faults)
            if faults:
                with pytest.raises(QuaternityError) as refused:
                    position.ask(question)
                shown.append(str(refused.value))
    return repr(shown).encode()


@pytest.mark.parametrize("seed", range(thorough(1, 14)))
def test_indistinguishable_games_show_a_seat_the_same(seed: int) -> None:
    random = Random(f"leaks/{seed}")
    pairs = 0
    for _ in range(GAMES):
        settings = random_settings(random, range(2, 6), range(4, 9))
        log = random_log(settings, random, random.randrange(40))
        # The seat to move sees most, but the others see something, too.
        for seat in {log.positions[-1].public.turn, random.randrange(settings.players)}:
            expected = everything_shown(log, seat, seed)
            for twin in twins(log, seat, random, TWINS):
                assert everything_shown(twin, seat, seed) == expected
                pairs += 1
    assert pairs > thorough(30, 60)


@pytest.mark.parametrize("seed", range(thorough(3, 10)))
def test_distinguishable_games_show_a_seat_different_data(seed: int) -> None:
    """The comparison above can fail: another seat can distinguish the twins."""
    random = Random(f"differs/{seed}")
    settings = random_settings(random, range(3, 5), range(5, 8), thorough(28, 78))
    log = random_log(settings, random, 10)
    for twin in twins(log, 0, random, 5):
        other = next(
            seat
            for seat in range(log.settings.players)
            if twin.positions[-1].hands[seat] != log.positions[-1].hands[seat]
        )
        assert everything_shown(twin, other, 1) != everything_shown(log, other, 1)


def test_no_path_leads_from_a_view_to_the_truth() -> None:
    log = random_log(random_settings(Random(5), range(4, 5), range(13, 14)), Random(5), 30)
    position = log.positions[-1]
    view = position.view(position.public.turn, log.events)
    hidden = [hand for seat, hand in enumerate(position.hands) if seat != view.seat]
    assert not any(value is position or value in hidden for value in reachable(view))
    assert any(value == view.hand for value in reachable(view))
    assert any(value is position for value in reachable([position]))


def test_a_view_does_not_change_with_later_events() -> None:
    log = random_log(random_settings(Random(5), range(4, 5), range(13, 14)), Random(5), 30)
    events = list(log.events[:10])
    view = log.positions[10].view(0, events)
    events += log.events[10:]
    assert view.events == log.events[:10]
    assert view.last == log.events[9]
    for step in range(len(events)):
        earlier = log.positions[step].view(0, log.events[:step])
        assert earlier.last == (earlier.events[-1] if earlier.events else None)


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
