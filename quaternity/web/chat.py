"""The chat of a table. Players and bystanders have separate chats."""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import category

from quaternity.base.text_format import join_words
from quaternity.web.changes import Statement
from quaternity.web.http_errors import BAD_LINE, HttpError
from quaternity.web.store import Store

REACTIONS = ("👍", "👏", "😂", "😮", "😢", "😡", "🎉", "🤔")
"""Emoji that players and bystanders may send to everybody at a table."""

MAX_LINE_LENGTH = 200
"""Maximum length of a chat line, in characters."""

LINES_KEPT = 500
"""Maximum number of stored lines of each chat. Older lines are deleted."""

LINES_SHOWN = 100
"""Maximum number of chat lines that a page shows. Older lines are left out."""

BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Invisible characters of Hangul and Braille that Unicode classifies as printable."""


class Line(NamedTuple):
    """A line of a chat. `seat` is the seat of its author, or None if a bystander wrote it."""

    number: int
    seat: int | None
    name: str
    text: str


def lines(store: Store, table: str, watching: bool, after: int = 0) -> list[Line]:
    """Return the chat lines at a table that have numbers greater than `after`, oldest first.

    The players and the bystanders have separate chats. If `watching` is true, the result is the
    chat of the bystanders.
    """
    query = (
        "SELECT number, seat, name, text FROM talk WHERE table_id = ? AND watching = ? "
        "AND number > ? ORDER BY number"
    )
    return [Line(*row) for row in store.read(query, table, watching, after)]


def chat_statements(
    table: str, watching: bool, seat: int | None, name: str, text: str
) -> list[Statement]:
    """Return the SQL statements that store a new chat line and delete the oldest lines.

    `watching` says whether the line belongs to the chat of the bystanders instead of the players.
    Only the last `LINES_KEPT` lines of each chat remain.

    Raises `HttpError` if the line is empty, too long or not printable.
    """
    text = " ".join(text.split())
    if len(text) > MAX_LINE_LENGTH or not is_visible(text):
        raise HttpError(422, BAD_LINE(most=MAX_LINE_LENGTH))
    insert = (
        "INSERT INTO talk (table_id, watching, number, seat, name, text) SELECT ?, ?, "
        "COALESCE(MAX(number), 0) + 1, CAST(? AS INTEGER), ?, ? FROM talk "
        "WHERE table_id = ? AND watching = ?"
    )
    delete = (
        "DELETE FROM talk WHERE table_id = ? AND watching = ? AND number <= (SELECT MAX(number) "
        "FROM talk WHERE table_id = ? AND watching = ?) - ?"
    )
    chat = (table, watching)
    return [(insert, (*chat, seat, name, text, *chat)), (delete, (*chat, *chat, LINES_KEPT))]


def is_visible(text: str) -> bool:
    """Return whether a text is printable and has at least one visible character.

    Zero-width joiners, which some emoji and scripts need, count as printable.
    """
    shown = text.replace("\u200c", "").replace("\u200d", "")
    seen = any(sign not in BLANKS and category(sign)[0] not in "MZ" for sign in shown)
    return seen and shown.isprintable()


def check_reaction(text: str) -> str:
    """Return the text if it is one of `REACTIONS`; otherwise raise `HttpError`."""
    if text not in REACTIONS:
        raise HttpError(422, f"reaction: must be one of {join_words(REACTIONS)}")
    return text
