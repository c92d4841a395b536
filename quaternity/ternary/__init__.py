"""The card game SET: cards as ternary digits, two rules, and searches in tables and decks.

A card is an index 0..80, whose four base-3 digits are its shape, colour, fill and amount. A *three*
is three cards that belong together according to one of two rules (`Rule`). The cards of a *correct
triple* (`Rule.TRIPLE`) differ in all four attributes. The cards of a *SET* (`Rule.SET`) are, in
each attribute, all alike or all different.

The article on which this model is based has four mistakes, which `tests/ternary/test_threes.py`
demonstrates:

- It computes `x mod 3` as `|3 - x|`, which gives a correct triple in only 128 of 648 cases.
- It lists only 8 of the 16 partners of a card (the cards that share no attribute with it). These 8
  are enough to build every correct triple with the card.
- It treats an index sum of 120 as sufficient for a correct triple, but it is only necessary.
- It treats 12 cards without a correct triple as unusual, but most tables of 12 cards contain none.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.ternary.best import Incumbent
from quaternity.ternary.cards import CARDS, SetCard, digits_of, index_of, read_card
from quaternity.ternary.checksum import checksum
from quaternity.ternary.counting import FreeCount, count_free
from quaternity.ternary.decks import chain, safe_deck, shuffled_deck
from quaternity.ternary.game import SetGame
from quaternity.ternary.largest import (
    COLLECTION_METHODS,
    MAX_CARDS_WITHOUT_THREE,
    DeckLimit,
    largest_free,
    largest_in_deck,
)
from quaternity.ternary.packing import PACKING_METHODS, most_disjoint, partition
from quaternity.ternary.picture import PICTURES, circle_svg, matrix_svg
from quaternity.ternary.play import Playout, Table, play_out
from quaternity.ternary.rules import MORE, SetMove, SetPosition, SetSettings, SetView
from quaternity.ternary.table_picture import table_svg
from quaternity.ternary.tables import WHOLE_DECK, Rule, check_table
from quaternity.ternary.triples import (
    all_triples,
    is_pair,
    is_triple,
    pairs_table,
    partner,
    partners,
    third,
    triples,
    triples_through,
)

__all__ = [
    "CARDS",
    "COLLECTION_METHODS",
    "MAX_CARDS_WITHOUT_THREE",
    "MORE",
    "PACKING_METHODS",
    "PICTURES",
    "WHOLE_DECK",
    "DeckLimit",
    "FreeCount",
    "Incumbent",
    "Playout",
    "Rule",
    "SetCard",
    "SetGame",
    "SetMove",
    "SetPosition",
    "SetSettings",
    "SetView",
    "Table",
    "all_triples",
    "chain",
    "check_table",
    "checksum",
    "circle_svg",
    "count_free",
    "digits_of",
    "index_of",
    "is_pair",
    "is_triple",
    "largest_free",
    "largest_in_deck",
    "matrix_svg",
    "most_disjoint",
    "pairs_table",
    "partition",
    "partner",
    "partners",
    "play_out",
    "read_card",
    "safe_deck",
    "shuffled_deck",
    "table_svg",
    "third",
    "triples",
    "triples_through",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals(), {"Card": "SetCard"})
