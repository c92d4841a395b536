"""The Kwartet strategies `random`, `greedy`, `silent` and `mixed`, and an improved `greedy`.

The first four come from a published table of results, and need no solver. The owner of a card is
*certain* if all players saw who got it, or if all other opponents who still have cards have denied
having it.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.hands import NUMBERS_IN_MASK, Hand
from quaternity.kwartet.public import PublicState, may_ask_for_own
from quaternity.kwartet.view import View


@lru_cache(maxsize=1 << 13)
def request(asker: int, asked: int, index: int, number: int) -> Question:
    """Return the question in which `asker` asks `asked` for card `number` of set `index`."""
    return Question.trusted(asker, asked, Card.unchecked(index, number))


def random_request(view: View, random: Random) -> Question:
    """Return a request to a random opponent for a random card of a set that the asker has."""
    hand, draw = view.hand, random.random
    held = [index for index, mask in enumerate(hand) if mask]
    index = held[int(draw() * len(held))]
    settings = view.public.settings
    full = settings.full
    numbers = NUMBERS_IN_MASK[full]
    if not settings.own_card_requests and not may_ask_for_own(settings, hand):
        held = [index for index, mask in enumerate(hand) if mask and mask != full]
        index = held[int(draw() * len(held))]
        numbers = NUMBERS_IN_MASK[full ^ hand[index]]
    opponents = view.public.may_be_asked(view.seat)
    asked = opponents[int(draw() * len(opponents))]
    return request(view.seat, asked, index, numbers[int(draw() * len(numbers))])


def own_card_request(view: View, random: Random) -> Question:
    """Return a request for a card that the asker holds, which must fail.

    If the rules do not allow such a request, return a random request.
    """
    if not may_ask_for_own(view.public.settings, view.hand):
        return random_request(view, random)
    own = [
        (index, number) for index, mask in enumerate(view.hand) for number in NUMBERS_IN_MASK[mask]
    ]
    index, number = own[int(random.random() * len(own))]
    opponents = view.public.may_be_asked(view.seat)
    asked = opponents[int(random.random() * len(opponents))]
    return request(view.seat, asked, index, number)


def locate_cards(
    public: PublicState, seat: int, hand: Hand, whole: bool
) -> list[tuple[int, int, int]]:
    """Return the cards that the player may request and whose owner is certain.

    Each card is a tuple: the set, the number of the card in it, and the owner p as the bit mask
    1 << p. If `whole` is true, include only cards of sets that the player can complete now, because
    the owners of all cards that the player lacks are certain.
    """
    others, full = public.with_cards & ~(1 << seat), public.settings.full
    pile = 1 << public.settings.players
    cards: list[tuple[int, int, int]] = []
    for index, mask in enumerate(hand):
        if mask:
            owners = public.problem.sets[index].owners
            before = len(cards)
            for number in NUMBERS_IN_MASK[full ^ mask]:
                candidates = owners[number] & others
                if candidates and not candidates & (candidates - 1) and candidates != pile:
                    cards.append((index, number, candidates))
                elif whole:
                    del cards[before:]
                    break
    return cards


def random_of(view: View, cards: list[tuple[int, int, int]], random: Random) -> Question:
    """Return a request for a random one of `cards`, which is a result of `locate_cards`."""
    index, number, owner = cards[int(random.random() * len(cards))]
    return request(view.seat, owner.bit_length() - 1, index, number)


def first_of(view: View, cards: list[tuple[int, int, int]]) -> Question:
    """Return a request for the first one of `cards`, which is a result of `locate_cards`.

    With the first card instead of a random card, the results of the strategy `mixed` are closer to
    the published table.
    """
    index, number, owner = cards[0]
    return request(view.seat, owner.bit_length() - 1, index, number)


def greedy(view: View, random: Random) -> Question:
    """Return a request for the first card whose owner is certain, or else a random request."""
    cards = locate_cards(view.public, view.seat, view.hand, whole=False)
    return first_of(view, cards) if cards else random_request(view, random)


def silent(view: View, random: Random) -> Question:
    """Return a request for a card of a set that the asker can complete for certain.

    The owners of all cards of this set that the asker lacks must be certain. If there is no such
    set, return a random request (with probability 2/3) or a request for a card that the asker
    holds.
    """
    cards = locate_cards(view.public, view.seat, view.hand, whole=True)
    if cards:
        return first_of(view, cards)
    if random.random() * 3 < 2:
        return random_request(view, random)
    return own_card_request(view, random)


def mixed(view: View, random: Random) -> Question:  # plain: ok, the name of the strategy
    """Return a request of `greedy` or of `silent`, each with probability 1/2."""
    return (greedy if random.random() < 0.5 else silent)(view, random)


def better_greedy(view: View, random: Random) -> Question:
    """Return a request for a random card whose owner is certain.

    If no owner is certain, ask a random possible owner for a card that the asker lacks.
    """
    public, seat, hand = view.public, view.seat, view.hand
    cards = locate_cards(public, seat, hand, whole=False)
    if cards:
        return random_of(view, cards, random)
    full = public.settings.full
    others = public.with_cards & ~(1 << seat) & (1 << public.settings.players) - 1
    guesses = []
    for index, mask in enumerate(hand):
        if mask:
            owners = public.problem.sets[index].owners
            for number in NUMBERS_IN_MASK[full ^ mask]:
                candidates = owners[number] & others
                while candidates:
                    guesses.append((index, number, candidates & -candidates))
                    candidates &= candidates - 1
    return random_of(view, guesses, random) if guesses else random_request(view, random)
