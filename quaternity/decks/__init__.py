"""Decks of cards: names and pictures for the cards and sets of a game, in several languages.

Games, records and requests identify a card by two numbers, `set/number`. A deck gives each card a
name that people can read. The module `deck` contains the class `Deck` and the reader of deck files.
Each TOML file in this directory is a deck.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.decks.deck import (
    LANGUAGES,
    PLAIN,
    CardFace,
    Deck,
    SetFace,
    deck_for,
    decks,
    find_deck,
    read_deck,
    set_counts,
)
from quaternity.decks.words import DeckWords

__all__ = [
    "LANGUAGES", "PLAIN", "CardFace", "Deck", "DeckWords", "SetFace", "deck_for", "decks",
    "find_deck", "read_deck", "set_counts",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
