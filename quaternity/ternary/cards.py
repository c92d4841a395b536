"""The 81 cards of SET: indexes, ternary digits, and names in words.

Functions take and return a card as its *index* 0..80. The four base-3 digits of the index, from the
first to the last, are shape, colour, fill and amount.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from quaternity.base.errors import InputError
from quaternity.base.validation import check_int
from quaternity.base.validation import check_text as text_of

CARDS: Final = 81
"""Number of cards in the deck."""

ATTRIBUTES: Final = ("shape", "colour", "fill", "amount")
"""The attributes in the order of the digits, the most significant first."""

PLACES: Final = (27, 9, 3, 1)
"""Place value of each base-3 digit in the index of a card."""

SHAPES: Final = ("diamond", "oval", "squiggle")
COLOURS: Final = ("red", "green", "purple")
FILLS: Final = ("open", "striped", "solid")
AMOUNTS: Final = ("one", "two", "three")
"""Words for the digits 0, 1 and 2 of the amount. The digit d means d + 1 figures."""

WORDS: Final = (SHAPES, COLOURS, FILLS, AMOUNTS)

DIGIT_OF_WORD: Final = {
    **{
        word: (place, digit)
        for place, words in enumerate(WORDS)
        for digit, word in enumerate(words)
    },
    **{f"{shape}s": (0, digit) for digit, shape in enumerate(SHAPES)},
    **{str(digit + 1): (3, digit) for digit in range(3)},
}
"""Attribute and digit of every word in the name of a card. Plurals of shapes and numbers for
amounts are also included."""

Digits = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, order=True)
class SetCard:
    """A card of SET, given by its index from 0 to 80.

    >>> SetCard(23).digits, SetCard(23).ternary, str(SetCard(23))
    ((0, 2, 1, 2), '0212', 'three purple striped diamonds')
    """

    index: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", check_card(self.index))

    @classmethod
    def of(cls, shape: int, colour: int, fill: int, amount: int) -> SetCard:
        """Return the card with these four digits, each from 0 to 2."""
        return cls(index_of((shape, colour, fill, amount)))

    @property
    def digits(self) -> Digits:
        """The shape, colour, fill and amount, each from 0 to 2."""
        return all_digits()[self.index]

    @property
    def ternary(self) -> str:
        """The four digits as text, e.g. `0212`."""
        return "".join(map(str, self.digits))

    @property
    def words(self) -> tuple[str, str, str, str]:
        """The attributes in words, in the order of `ATTRIBUTES`."""
        shape, colour, fill, amount = self.digits
        return SHAPES[shape], COLOURS[colour], FILLS[fill], AMOUNTS[amount]

    @property
    def figures(self) -> int:
        """The number of figures on the card: 1..3."""
        return self.digits[3] + 1

    def __str__(self) -> str:
        shape, colour, fill, amount = self.words
        return f"{amount} {colour} {fill} {shape}{'s' * (self.figures > 1)}"


def digits_of(index: int) -> Digits:
    """Return the shape, colour, fill and amount of a card, each from 0 to 2."""
    return all_digits()[check_card(index)]


@cache
def all_digits() -> tuple[Digits, ...]:
    """Return the four digits of every card, in the order of the cards."""
    return tuple((i // 27, i // 9 % 3, i // 3 % 3, i % 3) for i in range(CARDS))


def index_of(digits: Digits) -> int:
    """Return the index of the card with these four digits."""
    # A string, a set or a dictionary is not accepted as a sequence of digits.
    numbers = tuple(digits) if isinstance(digits, Sequence) and not isinstance(digits, str) else ()
    if len(numbers) != len(ATTRIBUTES):
        raise InputError(f"{digits!r}: a card has {len(ATTRIBUTES)} digits, not {len(numbers)}")
    index = 0
    for attribute, digit in zip(ATTRIBUTES, numbers, strict=True):
        index = 3 * index + check_int(digit, 0, 2, "0, 1 or 2", attribute)
    return index


def check_card(index: int, place: str = "card") -> int:
    """Return a card's index as a plain integer. Raise `InputError` if it is not 0..80."""
    if type(index) is int and 0 <= index < CARDS:  # the usual case comes first
        return index
    return check_int(index, 0, CARDS - 1, f"a card 0..{CARDS - 1}", place)


CARD_FORMS = (
    f"a card is an index 0..{CARDS - 1}, four ternary digits such as 0212 (each 0..2), "
    "or words such as three-purple-striped-diamonds"
)


def read_card(text: str) -> int:
    """Parse a card and return its index.

    Exactly four digits are read as ternary digits, which must be 0..2. Any other number is read as
    an index 0..80 without leading zeros. So `12` and `0110` are the same card, and `0312` is an
    error. Words may be in any order and case, separated by blanks, hyphens, commas or underscores.
    The shape may have a plural s, and the amount may be 1, 2 or 3.

    >>> read_card("23"), read_card("0212"), read_card("Three purple, striped diamonds")
    (23, 23, 23)
    """
    stripped = text_of(text, f"a text; {CARD_FORMS}", "card").strip()
    if stripped.isascii() and stripped.isdigit():
        return _from_digits(stripped)
    words = [word for word in re.split(r"[\s,_-]+", stripped.lower()) if word]
    if not words or not any(word[:1].isalpha() for word in words):
        raise InputError(f"{text!r}: {CARD_FORMS}")
    return _from_words(text, words)


def _from_digits(text: str) -> int:
    if len(text) == len(ATTRIBUTES):
        for attribute, digit in zip(ATTRIBUTES, text, strict=True):
            if digit not in "012":
                raise InputError(
                    f"{text!r}: the digit {digit} ({attribute}) is not 0..2; {CARD_FORMS}"
                )
        shape, colour, fill, amount = map(int, text)
        return index_of((shape, colour, fill, amount))
    # Check the length first, because Python refuses to convert thousands of digits.
    if len(text) > 2 or int(text) >= CARDS or (len(text) > 1 and text[0] == "0"):
        raise InputError(f"{text!r}: {CARD_FORMS}")
    return int(text)


def _from_words(text: str, words: list[str]) -> int:
    digits: dict[int, int] = {}
    for word in words:
        if word not in DIGIT_OF_WORD:
            known = "; ".join(map("{}: {}".format, ATTRIBUTES, map(", ".join, WORDS)))
            raise InputError(f"{text!r}: unknown word {word!r}; choose from {known}")
        attribute, digit = DIGIT_OF_WORD[word]
        if attribute in digits:
            known = WORDS[attribute][digits[attribute]]
            raise InputError(f"{text!r}: two words for {ATTRIBUTES[attribute]}: {known}, {word}")
        digits[attribute] = digit
    for attribute, name in enumerate(ATTRIBUTES):
        if attribute not in digits:
            one_of = ", ".join(WORDS[attribute])
            raise InputError(
                f"{text!r}: no word for {name} ({one_of}); write all words of a card "
                f"as one argument: {CARD_FORMS}"
            )
    return index_of((digits[0], digits[1], digits[2], digits[3]))
