"""Records of seats, stored tables and visitors, with the tokens and codes that prove ownership."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from typing import NamedTuple

OPEN, PERSON, PROGRAM = "open", "person", "program"

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
"""The characters of codes. The digits 0 and 1 are left out because they look like letters."""

READY, THINKING, NOT_ARRIVED = 1, 0, 2
"""States of a person before the game begins: ready, not ready, or not yet at the table."""


class Owner(NamedTuple):
    """Hashes of what proves that a person owns a seat: a token, a cookie, or a written code."""

    token: str | None = None
    browser: str | None = None
    code: str | None = None


class Seat(NamedTuple):
    """A seat of a table, with the person who owns it.

    Attributes:
        kind: `OPEN`, `PERSON` or `PROGRAM`.
        name: Name of the person or program that plays in the seat, or None if the seat is open.
        person: Name of the person who owns the seat, even if a program plays there now.
        owner: Hashes of the credentials of the person who owns the seat.
        invitation: Last part of the invitation link to the seat. It is kept when the seat is taken.
        ready: `READY`, `THINKING` or `NOT_ARRIVED`.
        saved: Seconds saved by earlier moves, which the player may use in addition to the clock's.
        missed: Number of consecutive moves that the player did not make in time.
    """

    kind: str
    name: str | None = None
    person: str | None = None
    owner: Owner = Owner()
    invitation: str | None = None
    ready: int = READY
    saved: float = 0.0
    missed: int = 0

    @property
    def token(self) -> str | None:
        """The hash of the owner's token, if any."""
        return self.owner.token

    @property
    def is_held(self) -> bool:
        """Return whether a person owns the seat, even if a program plays there."""
        return self.owner.token is not None or self.owner.browser is not None


class Deal(NamedTuple):
    """The beginning of a game.

    Attributes:
        head: Head of the record. Before the game begins, it is the head of a deal that is not
            played.
        seed: Seed of the random moves of programs.
        waiting: Seed of the deal before the game begins, or empty if the seed is secret. None once
            the game has begun.
    """

    head: str
    seed: str
    waiting: str | None = None


class Options(NamedTuple):
    """The choices of the person who made a table, which do not change.

    `practice` says whether the person chose the seed. `archive` marks an uploaded record. `clock`
    is a JSON document, or None.
    """

    help: bool
    practice: bool
    archive: bool
    deck: str
    chat: bool = False
    clock: str | None = None


class StoredTable(NamedTuple):
    """A table as it is stored: a row of the SQL table `tables`.

    Attributes:
        maker: Hash of the cookie of the person who made the table.
        again: Id of the table of the rematch, or None.
        evening: Id of the first table of the series of rematches, or None at the first table.
        invitation: Invitation to any free seat before the game begins.
    """

    id: str
    game: str
    deal: Deal
    options: Options
    maker: str | None = None
    again: str | None = None
    evening: str | None = None
    invitation: str | None = None


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


def derive_token(secret: bytes, text: str) -> str:
    """Return a token that is always the same for a text, but that only the secret can reveal."""
    return urlsafe_b64encode(hmac.digest(secret, text.encode(), "sha256")).decode()[:22]


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
