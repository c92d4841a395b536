"""Decks: names and pictures for cards, in several languages.

A game knows a card by its numbers, `set/number`, and so do records and requests. A deck is what
people call it. `deck` has all of it; a file of data beside it is a deck.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.decks.deck import (
    LANGUAGES,
    PLAIN,
    Deck,
    deck_for,
    decks,
    find_deck,
    read_deck,
    size_of,
)
from quaternity.decks.words import DeckWords

__all__ = [
    "LANGUAGES", "PLAIN", "Deck", "DeckWords", "deck_for", "decks", "find_deck", "read_deck",
    "size_of",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
