"""Random games of Kwartet for tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.hands import deal_hands
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, request_faults
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.kwartet.strategies.published import better_greedy


def legal_requests(position: Position) -> list[Question]:
    """Return every legal request, found by checking all requests that can be written."""
    public = position.public
    settings, turn = public.settings, public.turn
    return [
        question
        for asked in range(settings.players)
        for index in range(settings.sets)
        for number in range(settings.set_size)
        for question in [Question(turn, asked, Card(index, number))]
        if not request_faults(public, position.hands[turn], question)
    ]


def random_settings(
    random: Random, players: range, sets: range, max_cards: int = 78, usual_only: bool = False
) -> KwartetSettings:
    """Return random settings: half of them usual ones, with sets of four and no cards aside.

    The others have at most `max_cards`, for tests that examine every deal.
    """
    usual = KwartetSettings(
        random.choice(players),
        random.choice(sets),
        random.choice(list(AnnounceTiming)),
        random.random() < 0.6,
    )
    if usual_only or random.random() < 0.5:
        return usual
    sizes = [s for s in range(2, 7) if usual.players <= s * usual.sets <= max(8, max_cards)]
    size = random.choice(sizes or [4])
    max_aside = min(size * usual.sets - usual.players, 3 * size)
    aside = random.choice((0, random.randint(0, max_aside)))
    moves = random.choice((None, None, random.randint(1, 3 * size * usual.sets)))
    return replace(usual, set_size=size, aside=aside, max_moves=moves)


def random_game(
    settings: KwartetSettings, random: Random, max_events: int = 10_000
) -> Iterator[tuple[Position, Event | None]]:
    """Yield the positions of a game of good and random requests, each with the event before it."""
    start = Position.start(settings, deal_hands(settings, random, random.randrange(8)))
    position = start
    yield position, None
    while not position.public.is_over and max_events:
        max_events -= 1
        turn = position.public.turn
        if random.random() < 0.7:
            question = better_greedy(position.view(turn), random)
        else:
            question = random.choice(legal_requests(position))
        position, event = position.ask(question)
        yield position, event


def random_log(settings: KwartetSettings, random: Random, max_events: int = 10_000) -> GameLog:
    """Return the log of a random game."""
    steps = list(random_game(settings, random, max_events))
    events = [event for _, event in steps if event is not None]
    # Take the deal from the position: the generator would now draw another one.
    return GameLog.of(settings, dealt_before(steps[0][0]), events)


def dealt_before(start: Position) -> tuple[tuple[int, ...], ...]:
    """Return the hands as dealt, from the position after the announcements at the deal."""
    full = start.public.settings.full
    return tuple(
        tuple(
            full if owner == player else held
            for held, owner in zip(hand, start.public.removed, strict=True)
        )
        for player, hand in enumerate(start.hands)
    )
