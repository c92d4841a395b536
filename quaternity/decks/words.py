"""Sentences with the names of a deck."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quaternity.base.sentences import Words
from quaternity.base.wording import listed
from quaternity.decks.deck import Deck


class DeckWords(Words):
    """Words that call cards and sets by the names of a deck.

    >>> from quaternity.decks import find_deck
    >>> words = DeckWords(find_deck("everyday"))
    >>> words.card((1, 0)), words.set(1), words.sets((1, 2))
    ('fox (forest)', 'forest', 'forest and sea')
    """

    def __init__(self, deck: Deck, names: Sequence[str] = (), language: str = "en") -> None:
        """Call players by their names too, where there are any."""
        super().__init__(names)
        self.deck, self.language = deck, language

    def card(self, card: tuple[int, int]) -> str:
        """Return a card with its set: "fox (forest)"."""
        name = self.deck.card_name(*card, self.language)
        return f"{name} ({self.set(card[0])})" if self.deck.sets else name

    def hand(self, cards: Iterable[tuple[int, int]]) -> str:
        """Return cards: "fox (forest), cow (farm)"."""
        return (", " if self.deck.sets else " ").join(map(self.card, cards))

    def set(self, index: int) -> str:
        """Return a set: "forest"."""
        return self.deck.set_name(index, self.language)

    def sets(self, indices: Sequence[int]) -> str:
        """Return sets: "forest and sea"."""
        return listed(map(self.set, indices)) if self.deck.sets else super().sets(indices)

    def number(self, index: int) -> str:
        """Return a set, where only sets can be meant: "forest"."""
        return self.set(index) if self.deck.sets else super().number(index)
