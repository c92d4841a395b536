"""Playing a deck out: take a three from the table, deal three more, until nothing is left to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from quaternity.base.errors import InputError
from quaternity.base.plain_values import generator, iterated, whole_number
from quaternity.ternary.cards import CARDS, check_card
from quaternity.ternary.decks import Deck
from quaternity.ternary.tables import Rule, check_table
from quaternity.ternary.triples import Triple, triples

TABLE = 12
"""Cards on the table in the usual game."""

Choice = Callable[[tuple[Triple, ...]], Triple]
"""Which of the threes on the table is taken."""


@dataclass(frozen=True, slots=True)
class Table:
    """A position: the cards on the table, place by place, and those to come, in order."""

    places: tuple[int, ...]
    deck: Deck

    def __post_init__(self) -> None:
        places, deck = tuple(iterated(self.places, "places")), tuple(iterated(self.deck, "deck"))
        check_table((*places, *deck))
        object.__setattr__(self, "places", tuple(map(check_card, places)))
        object.__setattr__(self, "deck", tuple(map(check_card, deck)))

    @classmethod
    def _trusted(cls, places: tuple[int, ...], deck: Deck) -> Table:
        """Return a table from the cards of another, which need no new check."""
        table = object.__new__(cls)
        object.__setattr__(table, "places", places)
        object.__setattr__(table, "deck", deck)
        return table

    @classmethod
    def start(cls, deck: Sequence[int], random: Random, size: int = TABLE) -> Table:
        """Return the first cards of a deck on the table, at random places; a multiple of 3."""
        what = f"a multiple of 3 from 3 to {CARDS}"
        size = whole_number(size, 3, CARDS, what, "size")
        if size % 3:
            raise InputError(f"size: {size} is not {what}")
        return cls((), tuple(iterated(deck, "deck"))).deal(size, random)

    def deal(self, number: int, random: Random) -> Table:
        """Return the table with the next cards of the deck, if any, all places shuffled.

        The newest cards alone would give a three away in a game with a safe deck.
        """
        number = whole_number(number, 0, CARDS, f"a number of cards, 0..{CARDS}", "number")
        cards = (*self.places, *self.deck[:number])
        return self._trusted(tuple(generator(random).sample(cards, len(cards))), self.deck[number:])

    def take(self, three: Triple) -> Table:
        """Return the table without three of its cards."""
        cards = check_table(three)
        if len(cards) != 3:
            raise InputError(f"{three!r} are not three cards")
        for card in cards:
            if card not in self.places:
                raise InputError(f"card {card} is not on the table")
        remaining = tuple(card for card in self.places if card not in cards)
        return self._trusted(remaining, self.deck)


@dataclass(frozen=True, slots=True)
class Playout:
    """How a game went.

    Attributes:
        taken: the threes in the order in which they were taken.
        left: the cards on the table at the end.
        undealt: how many cards the deck still had at the end: not 0 when play got stuck.
        looks, blanks: how often there was the usual number of cards, and no three among these.
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
    size: int = TABLE,
    extra: bool = False,
    choose: Choice | None = None,
) -> Playout:
    """Play a deck to the end, in a millisecond.

    Args:
        size: how many cards lie on the table, a multiple of 3.
        extra: when there is no three, deal three more and do not fill up again before the table is
            below `size`; otherwise play ends there.
        choose: which three is taken; the default is a random one.
    """
    rule, table = Rule(rule), Table.start(deck, random, size)
    if choose is not None and not callable(choose):
        raise InputError(f"choose: {choose!r} is not a function")
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
                raise InputError(f"choose: {three!r} is none of {threes}")
            taken.append(three)
            table = table.take(three)
            if table.deck and len(table.places) < size:
                table = table.deal(3, random)
        elif extra and table.deck:
            table = table.deal(3, random)
        else:
            return Playout(tuple(taken), table.places, len(table.deck), looks, blanks)
