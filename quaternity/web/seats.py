"""Records of seats, stored tables and visitors, with the tokens and codes that prove ownership."""

from __future__ import annotations

import hashlib
import secrets
from typing import NamedTuple

from quaternity.web.store import Statement

OPEN, PERSON, PROGRAM = "open", "person", "program"

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
"""The characters of codes. The digits 0 and 1 are left out because they look like letters."""

READY, THINKING, NOT_ARRIVED = 1, 0, 2
"""States of a person before the game begins: ready, not ready, or not yet at the table."""


class Seat(NamedTuple):
    """A seat of a table, with the credentials of the person who owns it.

    Attributes:
        kind: `OPEN`, `PERSON` or `PROGRAM`.
        name: Name of the person or program that plays in the seat, or None if the seat is open.
        person: Name of the person who owns the seat, even if a program plays there now.
        token, browser: Hashes of the token and of the cookie that prove ownership, if any.
        invitation: Last part of the invitation link to the seat. It is kept when the seat is taken.
        ready: `READY`, `THINKING` or `NOT_ARRIVED`.
        saved: Seconds saved by earlier moves, which the player may use in addition to the clock's.
        missed: Number of consecutive moves that the player did not make in time.
        code: Hash of the code that restores the seat to a player who lost it.
    """

    kind: str
    name: str | None = None
    person: str | None = None
    token: str | None = None
    browser: str | None = None
    invitation: str | None = None
    ready: int = READY
    saved: float = 0.0
    missed: int = 0
    code: str | None = None

    @property
    def is_held(self) -> bool:
        """Return whether a person owns the seat, even if a program plays there."""
        return self.token is not None or self.browser is not None


class StoredTable(NamedTuple):
    """A table as it is stored: a row of the SQL table `tables`.

    Attributes:
        head: Head of the record. Before the game begins, it is the head of a deal that is not
            played.
        invitation: Invitation to any free seat before the game begins.
        waiting: Seed of the deal before the game begins, or empty if the seed is secret. None once
            the game has begun.
        evening: Id of the first table of the series of rematches, or None at the first table.
    """

    id: str
    game: str
    head: str
    seed: str
    help: bool
    practice: bool
    archive: bool
    maker: str | None
    again: str | None
    deck: str
    invitation: str | None = None
    waiting: str | None = None
    evening: str | None = None
    chat: bool = False
    clock: str | None = None


class Caller(NamedTuple):
    """The credentials of a request: the hash of its token, or the hash of its cookie."""

    token: str | None = None
    cookie_hash: str | None = None


class Visitor(NamedTuple):
    """A player or bystander at a table.

    `seats` lists the visitor's seats, and `maker` says whether the visitor made the table.
    `looking` is the seat whose view of the game the visitor sees, or None for the view of
    bystanders.
    """

    seats: tuple[int, ...]
    maker: bool
    looking: int | None


def new_code() -> str:
    """Return a random code of 130 bits that is easy to write down.

    >>> len(new_code())
    32
    """
    letters = "".join(secrets.choice(ALPHABET) for _ in range(26))
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def plain_code(text: str) -> str:
    """Return the normal form of a code, in capital letters and without spaces and hyphens.

    >>> plain_code("abcd 2345-o")
    'ABCD2345O'
    """
    return "".join(letter for letter in text.upper() if letter.isalnum())


def new_token() -> str:
    """Return a new token of 128 random bits."""
    return secrets.token_urlsafe(16)


def hash_token(text: str) -> str:
    """Return the hash of a token, cookie or code. Only hashes are stored."""
    return hashlib.sha256(text.encode()).hexdigest()


def default_name(seat: int) -> str:
    """Return the name of a person in a seat who has not given a name."""
    return f"player {seat}"


def renumber(seat: Seat, number: int, new: int) -> Seat:
    """Return a seat that gets a new number. A default name is changed to match the number."""
    usual = {default_name(number): default_name(new)}
    name, person = (usual.get(text or "", text) for text in (seat.name, seat.person))
    return seat._replace(name=name, person=person)


_KEEP_SEAT = (
    f"INSERT INTO seats (table_id, seat, {', '.join(Seat._fields)}) "
    f"VALUES ({', '.join('?' * (len(Seat._fields) + 2))}) ON CONFLICT (table_id, seat) "
    f"DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in Seat._fields)}"
)


def seat_statement(table: str, number: int, seat: Seat) -> Statement:
    """Return the statement that stores a seat."""
    return (
        _KEEP_SEAT,
        (table, number, *seat),
    )
