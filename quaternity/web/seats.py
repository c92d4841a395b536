"""The people and programs in the seats of a table, and how that is kept."""

from __future__ import annotations

import hashlib
import secrets
from typing import NamedTuple

from quaternity.web.store import Statement

OPEN, PERSON, PROGRAM = "open", "person", "program"

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
"""Of codes: no digit that looks like a letter of it."""

READY, BUSY, COMING = 1, 0, 2
"""Of a person before the game has begun: may it begin? The last have not come yet."""


class Seat(NamedTuple):
    """A seat, and how somebody shows that it is theirs.

    Attributes:
        kind: `OPEN`, `PERSON` or `PROGRAM`.
        person: the name of the person whose seat it is, whoever plays there now.
        token, browser: hashes of what shows that it is theirs; None where there is no such thing.
        invitation: what invites, or invited, to the seat.
        ready: `READY`, `BUSY` or `COMING`.
        saved: seconds that may be taken for a move besides those of the clock.
        missed: how often in a row the time ran out.
        code: hash of what brings the seat back to who lost it.
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
        """Return whether it is somebody's, whoever plays there."""
        return self.token is not None or self.browser is not None


class Kept(NamedTuple):
    """A table as the store has it: see `quaternity.web.store`.

    Attributes:
        head: of the record; before the game has begun of a deal that nobody will play.
        invitation: what invites to any seat before the game has begun.
        waiting: before the game has begun, the seed of its deal, empty if it is secret; else None.
        evening: the first of the tables at which the same people play again and again.
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
    """The hashes of a request: of the token in the header, and of the cookie."""

    token: str | None = None
    browser: str | None = None


class Who(NamedTuple):
    """Someone who looks at a table: `held` are their seats, `maker` whether they made the table.

    They look from the seat `looking`; None: as a bystander.
    """

    held: tuple[int, ...]
    maker: bool
    looking: int | None


def fresh_code() -> str:
    """Return a text that nobody can guess and that can be written down: 130 bits.

    >>> len(fresh_code())
    32
    """
    letters = "".join(secrets.choice(ALPHABET) for _ in range(26))
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def plain_code(text: str) -> str:
    """Return a code without what people write differently.

    >>> plain_code("abcd 2345-o")
    'ABCD2345O'
    """
    return "".join(letter for letter in text.upper() if letter.isalnum())


def fresh() -> str:
    """Return a text that nobody can guess: 128 random bits."""
    return secrets.token_urlsafe(16)


def hashed(text: str) -> str:
    """Return what is kept of a text that nobody can guess."""
    return hashlib.sha256(text.encode()).hexdigest()


def usual_name(seat: int) -> str:
    """Return what somebody without a name of their own is called."""
    return f"player {seat}"


def renamed(seat: Seat, number: int, new: int) -> Seat:
    """Return a seat under a new number, by which a person without a name is called."""
    usual = {usual_name(number): usual_name(new)}
    name, person = (usual.get(text or "", text) for text in (seat.name, seat.person))
    return seat._replace(name=name, person=person)


_KEEP_SEAT = (
    f"INSERT INTO seats (table_id, seat, {', '.join(Seat._fields)}) "
    f"VALUES ({', '.join('?' * (len(Seat._fields) + 2))}) ON CONFLICT (table_id, seat) "
    f"DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in Seat._fields)}"
)


def seat_statement(table: str, number: int, seat: Seat) -> Statement:
    """Return what keeps who sits somewhere."""
    return (
        _KEEP_SEAT,
        (table, number, *seat),
    )
