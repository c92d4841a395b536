"""Talk of people at a table: to each other, or bystanders among themselves."""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import category

from quaternity.base.wording import listed
from quaternity.web.refusal import BAD_LINE, Refusal
from quaternity.web.store import Statement, Store

REACTIONS = ("👍", "👏", "😂", "😮", "😢", "😡", "🎉", "🤔")
"""What everybody at a table may show to all."""

MAX_LINE_LENGTH = 200
"""Maximum length of a chat line, in characters."""

LINES_KEPT = 500
"""Number of the latest chat lines that are kept, separately for the players and for the
bystanders."""

LINES_SHOWN = 100


BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters of Hangul and a sign of braille that show nothing."""


class Line(NamedTuple):
    """A line that somebody has said. `seat` is None for a bystander."""

    number: int
    seat: int | None
    name: str
    text: str


def lines(store: Store, table: str, watching: bool, after: int = 0) -> list[Line]:
    """Return what was said at a table after a line, the first first."""
    query = (
        "SELECT number, seat, name, text FROM talk WHERE table_id = ? AND watching = ? "
        "AND number > ? ORDER BY number"
    )
    return [Line(*row) for row in store.read(query, table, watching, after)]


def said(table: str, watching: bool, seat: int | None, name: str, text: str) -> list[Statement]:
    """Return what keeps one more line, and forgets the oldest.

    Raises `Refusal` if it is empty, too long, or cannot be printed.
    """
    text = " ".join(text.split())
    if len(text) > MAX_LINE_LENGTH or not is_printed(text):
        raise Refusal(422, BAD_LINE(most=MAX_LINE_LENGTH))
    keep = (
        "INSERT INTO talk (table_id, watching, number, seat, name, text) SELECT ?, ?, "
        "COALESCE(MAX(number), 0) + 1, CAST(? AS INTEGER), ?, ? FROM talk "
        "WHERE table_id = ? AND watching = ?"
    )
    forget = (
        "DELETE FROM talk WHERE table_id = ? AND watching = ? AND number <= (SELECT MAX(number) "
        "FROM talk WHERE table_id = ? AND watching = ?) - ?"
    )
    here = (table, watching)
    return [
        (keep, (*here, seat, name, text, *here)),
        (forget, (*here, *here, LINES_KEPT)),
    ]


def is_printed(text: str) -> bool:
    """Return whether a text shows something and can be printed, but for what joins letters."""
    shown = text.replace("\u200c", "").replace("\u200d", "")
    seen = any(sign not in BLANKS and category(sign)[0] not in "MZ" for sign in shown)
    return seen and shown.isprintable()


def checked_reaction(text: str) -> str:
    """Return a reaction; or refuse what is none."""
    if text not in REACTIONS:
        raise Refusal(422, f"reaction: one of {listed(REACTIONS)} is expected")
    return text
