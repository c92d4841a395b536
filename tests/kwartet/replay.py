"""Knowledge by its definition: replay the record of a game on every possible deal.

It follows the rules alone, with plain sets of cards, and shares no code with the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

Cards = frozenset[tuple[int, int]]
Deal = tuple[Cards, ...]


class Seen(NamedTuple):
    """One request as every player saw it."""

    asker: int
    asked: int
    card: tuple[int, int]
    success: bool
    announced: tuple[int, ...]


class Rules(NamedTuple):
    """The settings that decide which events are possible."""

    players: int
    sets: int
    size: int
    at_once: bool
    own_cards: bool


def all_deals(cards: Cards, sizes: Sequence[int]) -> Iterator[Deal]:
    """Yield every way to deal the cards: to the players, and then aside."""
    if not sizes:
        yield ()
        return
    for hand in combinations(sorted(cards), sizes[0]):
        for rest in all_deals(cards - set(hand), sizes[1:]):
            yield (frozenset(hand), *rest)


def full_sets(hand: Cards, rules: Rules) -> list[int]:
    numbers = range(rules.size)
    return [i for i in range(rules.sets) if all((i, number) in hand for number in numbers)]


def without(hand: Cards, gone: Sequence[int]) -> Cards:
    return frozenset(card for card in hand if card[0] not in gone)


def at_deal(deal: Deal, rules: Rules) -> tuple[Deal, list[tuple[int, int]]]:
    """Return the deal once full sets are announced, and those sets as (set, player)."""
    if not rules.at_once:
        return deal, []
    hands = enumerate(deal[: rules.players])
    down = [(full, seat) for seat, hand in hands for full in full_sets(hand, rules)]
    seats = [without(hand, [full for full, _ in down]) for hand in deal[: rules.players]]
    return (*seats, *deal[rules.players :]), sorted(down)


def after(deal: Deal, seen: Seen, rules: Rules) -> Deal | None:
    """Return the deal after a request, or None if the request is impossible in this deal."""
    asker, asked, card, success, announced = seen
    hand = deal[asker]
    if not any(held[0] == card[0] for held in hand):
        return None
    everything_full = len(full_sets(hand, rules)) * rules.size == len(hand)
    if card in hand and not rules.own_cards and not everything_full:
        return None
    if (card in deal[asked]) != success:
        return None
    hands = list(deal)
    if success:
        hands[asked] -= {card}
        hands[asker] |= {card}
    down = full_sets(hands[asker], rules)
    if tuple(down) != announced:
        return None
    hands[asker] = without(hands[asker], down)
    return tuple(hands)
