"""Formatting of values in messages and certificates: quotes, lists, plurals and percentages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from quaternity.base.interrupts import is_interrupt

if TYPE_CHECKING:
    from fractions import Fraction

MAX_DECIMALS = 7
"""Maximum number of digits after the decimal point of a percentage. A percentage that needs more
digits is written as, for example, `1.5e-08%` or `over 99.9999999%`."""

MAX_QUOTED_CHARS = 400
"""Maximum length of a value that a message quotes in full, in characters."""

MAX_SHORT_QUOTE = 40
"""Maximum length of a short quotation, for example from a request, in characters."""


def quote_value(value: object, made_by: Callable[[object], str] = repr) -> str:
    r"""Return a value in quotes on a single line, even if its `repr` raises an exception.

    Long values are shortened, and characters that are not printable become `?`.

    >>> quote_value("x"), quote_value("a\n\x1bb", str)
    ("'x'", 'a ?b')
    """
    try:
        return make_printable(shorten(str.__str__(made_by(value))).replace("\n", " "))
    except BaseException as error:
        if is_interrupt(error):
            raise
        return "a value that cannot be shown"


def quote_short(text: str) -> str:
    """Quote a text for an error message: shorten it and escape unprintable characters."""
    short = repr(text[:MAX_SHORT_QUOTE])
    return short if len(text) <= MAX_SHORT_QUOTE else f"{short[:-1]}..."


def make_printable(text: str) -> str:
    """Replace characters that are not printable, except line ends, by `?`.

    This prevents control sequences in a text from reaching the terminal.
    """
    return "".join(t if t.isprintable() or t == "\n" else "?" for t in text)


def shorten(text: str) -> str:
    """Cut off a text that is longer than `MAX_QUOTED_CHARS` characters, and append `...`."""
    return text if len(text) <= MAX_QUOTED_CHARS else f"{text[:MAX_QUOTED_CHARS]}..."


def join_words(items: Iterable[object]) -> str:
    """Join items as in a sentence.

    >>> join_words([1]), join_words([1, 2]), join_words([1, 2, 5])
    ('1', '1 and 2', '1, 2 and 5')
    """
    words = [str(item) for item in items]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def with_noun(number: int, noun: str) -> str:
    """Return a number and a noun, in the singular or plural.

    >>> with_noun(1, "card"), with_noun(3, "card")
    ('1 card', '3 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def name_numbers(noun: str, numbers: Sequence[int]) -> str:
    """Return a noun, in the singular or plural, and a list of numbers.

    >>> name_numbers("player", [2]), name_numbers("set", [0, 3])
    ('player 2', 'sets 0 and 3')
    """
    return f"{noun if len(numbers) == 1 else noun + 's'} {join_words(numbers)}"


def percent(chance: float | Fraction, decimals: int = 1) -> str:
    """Return a probability as a percentage with at least `decimals` decimals.

    A probability near 0 or 1 gets more decimals, such as 0.033 % or 99.967 %, so that only 0 is
    shown as 0 % and only 1 as 100 %.

    >>> percent(0.25), percent(1 / 3000), percent(0.99999), percent(0), percent(1)
    ('25.0%', '0.033%', '99.9990%', '0.0%', '100.0%')
    >>> percent(1e-21, 4), percent(1 - 1e-15)
    ('1.0e-19%', 'over 99.9999999%')
    """
    from decimal import Decimal
    from fractions import Fraction

    exact = Fraction(chance)
    distance = min(exact, 1 - exact)
    if distance <= 0:
        return f"{float(exact):.{decimals}%}"
    needed = (
        -1
        - Decimal(f"{Decimal(distance.numerator) / Decimal(distance.denominator):.1e}").adjusted()
    )
    shown = Decimal(100 * exact.numerator) / Decimal(exact.denominator)
    if needed <= MAX_DECIMALS:
        return f"{shown:.{max(decimals, needed)}f}%"
    return f"{shown:.1e}%" if distance == exact else f"over 99.{'9' * MAX_DECIMALS}%"
