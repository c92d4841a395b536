"""The four strategies of the published table, and the smallest step beyond them.

They need no solver: a card counts as *located* when it was seen publicly, or when only one opponent
is left who holds cards and has not denied it. That is one look at the public owners of a card.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.hands import NUMBERS, Hand
from quaternity.kwartet.public import PublicState, may_ask_for_own
from quaternity.kwartet.view import View


@lru_cache(maxsize=1 << 13)
def request(asker: int, asked: int, index: int, number: int) -> Question:
    """Return the question, made once."""
    return Question.trusted(asker, asked, Card.trusted(index, number))


def random_request(view: View, random: Random) -> Question:
    """Return a random set it holds, any of its cards, any opponent."""
    hand, draw = view.hand, random.random
    held = [index for index, mask in enumerate(hand) if mask]
    index = held[int(draw() * len(held))]
    settings = view.public.settings
    full = settings.full
    numbers = NUMBERS[full]
    if not settings.own_card_requests and not may_ask_for_own(settings, hand):
        held = [index for index, mask in enumerate(hand) if mask and mask != full]
        index = held[int(draw() * len(held))]
        numbers = NUMBERS[full ^ hand[index]]
    opponents = view.public.may_be_asked(view.seat)
    asked = opponents[int(draw() * len(opponents))]
    return request(view.seat, asked, index, numbers[int(draw() * len(numbers))])


def own_card_request(view: View, random: Random) -> Question:
    """Return a card of its own, which fails and tells nobody anything new; any opponent."""
    if not may_ask_for_own(view.public.settings, view.hand):
        return random_request(view, random)
    own = [(index, number) for index, mask in enumerate(view.hand) for number in NUMBERS[mask]]
    index, number = own[int(random.random() * len(own))]
    opponents = view.public.may_be_asked(view.seat)
    asked = opponents[int(random.random() * len(opponents))]
    return request(view.seat, asked, index, number)


def located(public: PublicState, seat: int, hand: Hand, whole: bool) -> list[tuple[int, int, int]]:
    """Return the cards a seat lacks and has located, of sets it holds.

    They are (set, number, owner's bit). With `whole`, only of sets of which it has located every
    card it lacks.
    """
    others, full = public.with_cards & ~(1 << seat), public.settings.full
    pile = 1 << public.settings.players
    cards: list[tuple[int, int, int]] = []
    for index, mask in enumerate(hand):
        if mask:
            owners = public.problem.sets[index].owners
            before = len(cards)
            for number in NUMBERS[full ^ mask]:
                candidates = owners[number] & others
                if candidates and not candidates & (candidates - 1) and candidates != pile:
                    cards.append((index, number, candidates))
                elif whole:
                    del cards[before:]
                    break
    return cards


def one_of(view: View, cards: list[tuple[int, int, int]], random: Random) -> Question:
    """One of some (set, number, owner's bit), by lot."""
    index, number, owner = cards[int(random.random() * len(cards))]
    return request(view.seat, owner.bit_length() - 1, index, number)


def first_of(view: View, cards: list[tuple[int, int, int]]) -> Question:
    """Return the first of some (set, number, owner's bit).

    Whoever always takes what is located takes all of it, in any order. For `mixed` the order
    counts, and this one comes nearer to the published table than the lot does.
    """
    index, number, owner = cards[0]
    return request(view.seat, owner.bit_length() - 1, index, number)


def greedy(view: View, random: Random) -> Question:
    """Return a located card, the first in order, else a random request."""
    cards = located(view.public, view.seat, view.hand, whole=False)
    return first_of(view, cards) if cards else random_request(view, random)


def silent(view: View, random: Random) -> Question:
    """Return a card of the first set located as a whole; else 2/3 random, 1/3 a card of its own."""
    cards = located(view.public, view.seat, view.hand, whole=True)
    if cards:
        return first_of(view, cards)
    if random.random() * 3 < 2:
        return random_request(view, random)
    return own_card_request(view, random)


def mixed(view: View, random: Random) -> Question:
    """Per request a fair coin between greedy and silent."""
    return (greedy if random.random() < 0.5 else silent)(view, random)


def better_greedy(view: View, random: Random) -> Question:
    """Return a located card, else a card it lacks from an opponent who may have it."""
    public, seat, hand = view.public, view.seat, view.hand
    cards = located(public, seat, hand, whole=False)
    if cards:
        return one_of(view, cards, random)
    full = public.settings.full
    others = public.with_cards & ~(1 << seat) & (1 << public.settings.players) - 1
    guesses = []
    for index, mask in enumerate(hand):
        if mask:
            owners = public.problem.sets[index].owners
            for number in NUMBERS[full ^ mask]:
                candidates = owners[number] & others
                while candidates:
                    guesses.append((index, number, candidates & -candidates))
                    candidates &= candidates - 1
    return one_of(view, guesses, random) if guesses else random_request(view, random)
