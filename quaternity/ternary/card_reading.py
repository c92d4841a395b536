"""A card as a person writes it: an index, four ternary digits, or words."""

from __future__ import annotations

import re

from quaternity.errors import InputError
from quaternity.ternary.cards import ATTRIBUTES, CARDS, WORDS, index_of
from solvers.plain_values import text as text_of

ALLOWED = (
    f"a card is an index 0..{CARDS - 1}, four ternary digits such as 0212 (each 0..2), "
    "or words such as three-purple-striped-diamonds"
)


def read_card(text: str) -> int:
    """The index of the card that a text means.

    Exactly four characters, all digits, are ternary digits and have to be 0..2; any other number
    is an index 0..80 without leading zeros. So `12` and `0110` are the same card, `0012` is card 5,
    and `0312` is an error. Words come in any order, joined by blanks, hyphens, commas or
    underscores, in either case, the shape with or without a plural s; the amount may be 1, 2 or 3.

    Raises:
        InputError: the text means no card; what is allowed is said.

    >>> read_card("23"), read_card("0212"), read_card("Three purple, striped diamonds")
    (23, 23, 23)
    """
    stripped = text_of(text, f"a text; {ALLOWED}", "card").strip()
    if stripped.isascii() and stripped.isdigit():
        return _from_digits(stripped)
    words = [word for word in re.split(r"[\s,_-]+", stripped.lower()) if word]
    if not words or not any(word[:1].isalpha() for word in words):
        raise InputError(f"{text!r}: {ALLOWED}")
    return _from_words(text, words)


def _from_digits(text: str) -> int:
    if len(text) == len(ATTRIBUTES):
        for attribute, digit in zip(ATTRIBUTES, text, strict=True):
            if digit not in "012":
                raise InputError(
                    f"{text!r}: the digit {digit} ({attribute}) is not 0..2; {ALLOWED}"
                )
        shape, colour, fill, amount = map(int, text)
        return index_of((shape, colour, fill, amount))
    # The length first: Python refuses to convert thousands of digits.
    if len(text) > 2 or int(text) >= CARDS or (len(text) > 1 and text[0] == "0"):
        raise InputError(f"{text!r}: {ALLOWED}")
    return int(text)


def _from_words(text: str, words: list[str]) -> int:
    found: dict[int, int] = {}
    for word in words:
        attribute, digit = _meaning(text, word)
        if attribute in found:
            known = WORDS[attribute][found[attribute]]
            raise InputError(f"{text!r}: two words for {ATTRIBUTES[attribute]}: {known}, {word}")
        found[attribute] = digit
    for attribute, name in enumerate(ATTRIBUTES):
        if attribute not in found:
            one_of = ", ".join(WORDS[attribute])
            raise InputError(
                f"{text!r}: no word for {name} ({one_of}); all four go into one argument: {ALLOWED}"
            )
    return index_of((found[0], found[1], found[2], found[3]))


def _meaning(text: str, word: str) -> tuple[int, int]:
    """Attribute and digit of a word."""
    for attribute, names in enumerate(WORDS):
        for digit, name in enumerate(names):
            if word in (name, f"{name}s" if attribute == 0 else name):
                return attribute, digit
    if word in ("1", "2", "3"):
        return 3, int(word) - 1
    known = "; ".join(
        f"{name}: {', '.join(words)}" for name, words in zip(ATTRIBUTES, WORDS, strict=True)
    )
    raise InputError(f"{text!r}: the word {word!r} is not known; {known}")


__all__ = ["ALLOWED", "read_card"]
