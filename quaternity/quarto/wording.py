"""Words for messages: short quotations, counts and lists."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 40
"""Most characters of somebody's text that a message repeats."""


def quoted(text: str) -> str:
    """A text in quotes, without unprintable characters and not too long.

    >>> print(quoted("a\\tb"), quoted("x" * 50))
    'a\\tb' 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
    """
    short = repr(text[:LONGEST])
    return short if len(text) <= LONGEST else f"{short[:-1]}..."


def counted(count: int, noun: str) -> str:
    """A count with its noun.

    >>> counted(1, "field"), counted(6, "field")
    ('1 field', '6 fields')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def joined(words: Sequence[str], conjunction: str = "and") -> str:
    """A list in a sentence.

    >>> joined(["H4", "V3", "D2"]), joined(["H4"])
    ('H4, V3 and D2', 'H4')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


__all__ = ["counted", "joined", "quoted"]
