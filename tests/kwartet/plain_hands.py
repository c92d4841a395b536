"""Hands, requests and settings of Kwartet in the plain form of `replay`."""

from __future__ import annotations

from collections.abc import Iterable

from quaternity.kwartet.hands import Hand, cards_in
from quaternity.kwartet.public import Event
from quaternity.kwartet.settings import KwartetSettings
from solvers import DealProblem
from solvers.brute_force import deals
from tests.kwartet.replay import Cards, Deal, Rules, Seen


def plain(hand: Hand) -> Cards:
    """Return the cards of a hand."""
    return frozenset((index, number) for index, number in cards_in(hand))


def observe(event: Event) -> Seen:
    """Return a request as every player saw it."""
    asker, asked, (index, number) = event.question
    return Seen(asker, asked, (index, number), bool(event.answer), event.announced)


def by_solver(problem: DealProblem) -> set[Deal]:
    """Return the deals of a problem as plain hands."""
    return {
        tuple(frozenset(deal.hand(player)) for player in range(problem.players))
        for deal in deals(problem)
    }


def words(cards: Iterable[tuple[int, int]]) -> list[str]:
    return [f"{index}/{number}" for index, number in sorted(cards)]


def rules_of(settings: KwartetSettings) -> Rules:
    """Return the settings in the form of the replay."""
    own = settings.own_card_requests
    return Rules(settings.players, settings.sets, settings.set_size, settings.at_once, own)


def parse_request(move: str) -> Seen:
    """Return a request without its result."""
    asker, _, asked, _, card = move.split()
    index, number = map(int, card.split("/"))
    return Seen(int(asker), int(asked), (index, number), False, ())
