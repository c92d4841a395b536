"""Random games for the tests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.hands import dealt_hands
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, request_faults
from quaternity.kwartet.settings import SET_SIZE, Announce, KwartetSettings
from quaternity.kwartet.strategies.students import better_greedy


def legal_requests(position: Position) -> list[Question]:
    """Every legal request, found by asking about all that can be written."""
    public = position.public
    settings, turn = public.settings, public.turn
    return [
        question
        for asked in range(settings.players)
        for index in range(settings.sets)
        for number in range(SET_SIZE)
        for question in [Question(turn, asked, Card(index, number))]
        if not request_faults(public, position.hands[turn], question)
    ]


def random_settings(random: Random, players: range, sets: range) -> KwartetSettings:
    """Settings of every kind."""
    return KwartetSettings(
        random.choice(players),
        random.choice(sets),
        random.choice(list(Announce)),
        random.random() < 0.6,
    )


def random_game(
    settings: KwartetSettings, random: Random, most_events: int = 10_000
) -> Iterator[tuple[Position, Event | None]]:
    """The positions of a game of sensible and senseless requests, each with what led to it."""
    start = Position.start(settings, dealt_hands(settings, random, random.randrange(8)))
    position = start
    yield position, None
    while not position.public.is_over and most_events:
        most_events -= 1
        turn = position.public.turn
        if random.random() < 0.7:
            question = better_greedy(position.view(turn), random)
        else:
            question = random.choice(legal_requests(position))
        position, event = position.ask(question)
        yield position, event


def random_log(settings: KwartetSettings, random: Random, most_events: int = 10_000) -> GameLog:
    """The same as a log."""
    steps = list(random_game(settings, random, most_events))
    events = [event for _, event in steps if event is not None]
    # The deal is known from the generator's seed only; dealing again would draw other cards.
    return GameLog.of(settings, dealt_before(steps[0][0]), events)


def dealt_before(start: Position) -> tuple[tuple[int, ...], ...]:
    """The hands as dealt, from the position after the announcements at the deal."""
    return tuple(
        tuple(
            0b1111 if owner == player else held
            for held, owner in zip(hand, start.public.removed, strict=True)
        )
        for player, hand in enumerate(start.hands)
    )
