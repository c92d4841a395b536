"""Pairs of games that one seat cannot distinguish."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from quaternity.kwartet.hands import Hand
from quaternity.kwartet.log import log_as_seen
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event
from solvers.sampling import sample_deals


def twins(log: GameLog, seat: int, random: Random, number: int) -> list[GameLog]:
    """Return games with other hidden hands that look the same to a seat from start to end.

    A deal that the seat considers possible at the end is played backward to the start, and then
    forward again, by the rules alone.
    """
    last = log.positions[-1]
    games = []
    for deal in sample_deals(last.view(seat).problem, random, number):
        hands = [[0] * log.settings.sets for _ in last.hands]
        for index, owners in enumerate(deal.owner):
            for card, owner in enumerate(owners):
                hands[owner][index] |= 1 << card
        start = _backward(hands, log)
        steps = Position.start(log.settings, start).play(event.question for event in log.events)
        events: Sequence[Event] = [event for _, event in steps]
        twin = GameLog.of(log.settings, start, events, log.names)
        assert log_as_seen(twin, seat) == log_as_seen(log, seat)
        if twin.hands != log.hands:
            games.append(twin)
    return games


def _backward(hands: list[list[int]], log: GameLog) -> tuple[Hand, ...]:
    for event in reversed(log.events):
        asker, asked, (index, number) = event.question
        for announced in event.announced:
            hands[asker][announced] = log.settings.full
        if event.answer:
            hands[asker][index] ^= 1 << number
            hands[asked][index] ^= 1 << number
    for index, owner in enumerate(log.positions[0].public.removed):
        if owner is not None:
            hands[owner][index] = log.settings.full
    return tuple(map(tuple, hands))


__all__ = ["twins"]
