"""Simulated games of SET: take three cards from the table and deal three more, until play ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from quaternity.base.errors import InputError
from quaternity.base.validation import as_iterator, check_int, check_random
from quaternity.ternary.cards import CARDS, check_card
from quaternity.ternary.decks import Deck
from quaternity.ternary.tables import Rule, check_table
from quaternity.ternary.triples import Triple, triples

TABLE_CARDS = 12
"""Default number of cards on the table."""

Choice = Callable[[tuple[Triple, ...]], Triple]
"""Function that chooses one of the threes (three cards that belong together) on the table."""


@dataclass(frozen=True, slots=True)
class Table:
    """A position of a simulated game: the cards on the table by place, and the deck in order."""

    places: tuple[int, ...]
    deck: Deck

    def __post_init__(self) -> None:
        places, deck = (
            tuple(as_iterator(self.places, "places")),
            tuple(as_iterator(self.deck, "deck")),
        )
        check_table((*places, *deck))
        object.__setattr__(self, "places", tuple(map(check_card, places)))
        object.__setattr__(self, "deck", tuple(map(check_card, deck)))

    @classmethod
    def _trusted(cls, places: tuple[int, ...], deck: Deck) -> Table:
        table = object.__new__(cls)
        object.__setattr__(table, "places", places)
        object.__setattr__(table, "deck", deck)
        return table

    @classmethod
    def start(cls, deck: Sequence[int], random: Random, size: int = TABLE_CARDS) -> Table:
        """Return a table with the first `size` cards of a deck, in random places.

        `size` must be a multiple of 3.
        """
        allowed = f"a multiple of 3 from 3 to {CARDS}"
        size = check_int(size, 3, CARDS, allowed, "size")
        if size % 3:
            raise InputError(f"size: {size} is not {allowed}")
        return cls((), tuple(as_iterator(deck, "deck"))).deal(size, random)

    def deal(self, number: int, random: Random) -> Table:
        """Deal cards from the deck, and return the table with all cards in random places.

        With a safe deck, cards in the old places would reveal which of them belong together.
        """
        number = check_int(number, 0, CARDS, f"a number of cards, 0..{CARDS}", "number")
        cards = (*self.places, *self.deck[:number])
        return self._trusted(
            tuple(check_random(random).sample(cards, len(cards))), self.deck[number:]
        )

    def take(self, three: Triple) -> Table:
        """Return the table without three of its cards."""
        cards = check_table(three)
        if len(cards) != 3:
            raise InputError(f"expected three cards, not {three!r}")
        for card in cards:
            if card not in self.places:
                raise InputError(f"card {card} is not on the table")
        remaining = tuple(card for card in self.places if card not in cards)
        return self._trusted(remaining, self.deck)


@dataclass(frozen=True, slots=True)
class Playout:
    """Result of a simulated game.

    Attributes:
        taken: the threes (three cards that belong together), in the order in which they were taken.
        left: the cards on the table at the end.
        undealt: the number of cards in the deck at the end. It is not 0 if play got stuck.
        looks, blanks: how many tables had exactly the starting number of cards, and how many of
            these contained no three.
    """

    taken: tuple[Triple, ...]
    left: tuple[int, ...]
    undealt: int
    looks: int
    blanks: int

    @property
    def got_stuck(self) -> bool:
        """Whether play ended before the deck was empty."""
        return self.undealt > 0


def play_out(
    deck: Sequence[int],
    rule: Rule | str,
    random: Random,
    *,
    size: int = TABLE_CARDS,
    extra: bool = False,
    choose: Choice | None = None,
) -> Playout:
    """Play a simulated game with a deck, and return its result.

    A three is three cards that belong together.

    Args:
        size: the number of cards on the table, a multiple of 3.
        extra: whether three more cards are dealt if there is no three. The table is then refilled
            only when it is below `size`. Without `extra`, play ends if there is no three.
        choose: function that chooses the three to take. By default, the choice is random.
    """
    rule, table = Rule(rule), Table.start(deck, random, size)
    if choose is not None and not callable(choose):
        raise InputError(f"choose: must be a function, not {choose!r}")
    taken: list[Triple] = []
    looks = blanks = 0
    while True:
        threes = triples(table.places, rule)
        if len(table.places) == size:
            looks += 1
            blanks += not threes
        if threes:
            three = choose(threes) if choose is not None else random.choice(threes)
            if choose is not None and three not in threes:
                raise InputError(f"choose: returned {three!r}, but must return one of {threes}")
            taken.append(three)
            table = table.take(three)
            if table.deck and len(table.places) < size:
                table = table.deal(3, random)
        elif extra and table.deck:
            table = table.deal(3, random)
        else:
            return Playout(tuple(taken), table.places, len(table.deck), looks, blanks)
