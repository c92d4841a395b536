"""How messages quote what somebody wrote."""

from __future__ import annotations

LONGEST = 40
"""Most characters of somebody's text that a message repeats."""


def quoted(text: str) -> str:
    """A text in quotes, without unprintable characters and not too long.

    >>> print(quoted("a\\tb"), quoted("x" * 50))
    'a\\tb' 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
    """
    short = repr(text[:LONGEST])
    return short if len(text) <= LONGEST else f"{short[:-1]}..."


__all__ = ["quoted"]
