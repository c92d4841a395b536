"""Formatting and parsing of texts that refer to cards and sets by their names in a deck."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from quaternity.base.errors import InputError
from quaternity.base.sentences import Wording
from quaternity.base.text_format import join_words, quote_value
from quaternity.decks.deck import COMMAND_WORDS, Deck

_NAME = re.compile(
    r"""(?:"(?P<quoted>[^"]*)"|(?P<name>[^\W\d_][^\s",:()]*))(?:\s*\((?P<set>[^()]*)\))?"""
)
"""Pattern of a name that a player types. After the name of a card, the name of its set may follow
in parentheses, as in the output."""


class DeckWords(Wording):
    """A formatter of messages that uses the names of a deck, such as `fox (forest)`."""

    def __init__(self, deck: Deck, names: Sequence[str] = (), language: str = "en") -> None:
        super().__init__(names)
        self.deck, self.language = deck, language

    def card(self, card: tuple[int, int]) -> str:
        """Return the text for a card, such as "fox (forest)"."""
        name = self.deck.card_name(*card, self.language)
        return f"{name} ({self.set(card[0])})" if self.deck.sets else name

    def cell(self, card: tuple[int, int], text: str) -> str:
        """Return the text for a cell in a table of cards: the card and `text`, such as "fox 12"."""
        return f"{self.deck.card_name(*card, self.language)} {text}" if self.deck.sets else text

    def hand(self, cards: Iterable[tuple[int, int]]) -> str:
        """Return the text for several cards, such as "fox (forest), cow (farm)"."""
        return (", " if self.deck.sets else " ").join(map(self.card, cards))

    def read(self, text: str) -> str:
        """Replace the names of cards and sets in a player's input by their numbers.

        Names that contain blanks must be quoted.

        Raises:
            InputError: If a quoted text is not the name of a card or set.

        >>> from quaternity.decks import find_deck
        >>> words = DeckWords(find_deck("world"))
        >>> words.read('0 asks 1 for fox (forest): no'), words.read('1 "ice cream"')
        ('0 asks 1 for 1/0: no', '1 11/4')
        >>> words.read('chances forest'), words.read('1 foks')
        ('chances 1', '1 foks')
        """
        return _NAME.sub(self._number_of, text) if self.deck.sets else text

    def _number_of(self, match: re.Match[str]) -> str:
        quoted, name, bracket = match["quoted"], match["name"], match["set"]
        card = self.deck.find_card(name if quoted is None else quoted)
        if card is not None:
            same_set = bracket is not None and self.deck.find_set(bracket) == card[0]
            return f"{card[0]}/{card[1]}" + ("" if same_set or not bracket else f" ({bracket})")
        index = self.deck.find_set(name if quoted is None else quoted)
        if index is not None:
            return match[0].replace(name or f'"{quoted}"', str(index), 1)
        if quoted is not None:
            raise InputError(
                f"no card has the name {quote_value(quoted)}{self.suggest_card(quoted)}"
            )
        return match[0]

    def suggest_card(self, text: str) -> str:
        """Return a hint for an unknown name, such as ": did you mean fox?".

        The hint is an empty string if no name is similar.
        """
        names = [
            self.deck.card_name(index, number, self.language)
            for index, face in enumerate(self.deck.sets)
            for number in range(len(face.cards))
        ]
        typed = [text, *re.findall(r"[^\W\d_]{3,}", text)]
        words = [word for word in typed if word.lower() not in COMMAND_WORDS]
        near = [name for word in words for name in get_close_matches(word, names, 1, 0.5)]
        return f": did you mean {near[0]}?" if near else ""

    def set(self, index: int) -> str:
        """Return the text for a set, such as "forest"."""
        return self.deck.set_name(index, self.language)

    def sets(self, indices: Sequence[int]) -> str:
        """Return the text for several sets, such as "forest and sea"."""
        return join_words(map(self.set, indices)) if self.deck.sets else super().sets(indices)

    def number(self, index: int) -> str:
        """Return the text for a set, such as "forest"."""
        return self.set(index) if self.deck.sets else super().number(index)
