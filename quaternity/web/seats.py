"""The data of seats, stored tables and visitors, and the credentials that prove ownership.

A person proves the ownership of a seat by a token from the client, by the cookie of the browser, or
by a code that the person has written down. An invitation is the secret last part of a link with
which a visitor can take an open seat.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from typing import NamedTuple

OPEN, PERSON, PROGRAM = "open", "person", "program"
"""Kinds of seats: without a player, with a person, or with a program (a computer player)."""

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
"""The characters of codes. The digits 0 and 1 are left out because they look like letters."""

READY, THINKING, NOT_ARRIVED = 1, 0, 2
"""Values of `Seat.ready` before the game: the person is ready, not ready, or not yet there."""


class Owner(NamedTuple):
    """The hashes by which the server recognizes the owner of a seat. Each of them may be None.

    Attributes:
        token: Hash of the token of the seat.
        browser: Hash of the cookie of the person's browser.
        code: Hash of the code that restores the seat.
    """

    token: str | None = None
    browser: str | None = None
    code: str | None = None


class Pace(NamedTuple):
    """How fast the player in a seat has moved in a game with a clock.

    Attributes:
        saved: Seconds that the player has saved in earlier moves, and may use in addition to the
            usual time for a move.
        missed: Number of consecutive moves that the player did not make in time.
    """

    saved: float = 0.0
    missed: int = 0


class Seat(NamedTuple):
    """A seat of a table, with the person who owns it.

    Attributes:
        kind: `OPEN`, `PERSON` or `PROGRAM`.
        name: Name of the person or program that plays in the seat, or None if the seat is open.
        person: Name of the person who owns the seat, even if a program plays there now.
        owner: The hashes by which the server recognizes the person who owns the seat.
        invitation: Invitation to the seat, which is kept when a visitor takes the seat. None if
            there has been no invitation.
        ready: `READY`, `THINKING` or `NOT_ARRIVED`.
        origin: The table and the seat at which a program has joined a series of rematches, such as
            "TABLE/2". None at this table, and for people.
    """

    kind: str
    name: str | None = None
    person: str | None = None
    owner: Owner = Owner()
    invitation: str | None = None
    ready: int = READY
    pace: Pace = Pace()
    origin: str | None = None

    @property
    def token(self) -> str | None:
        """The hash of the owner's token. None if the seat has no owner."""
        return self.owner.token

    @property
    def is_held(self) -> bool:
        """Return whether a person owns the seat, even if a program plays there."""
        return self.owner.token is not None or self.owner.browser is not None


class Deal(NamedTuple):
    """The random part of a game: its first position, and the seeds of its random generators.

    Attributes:
        head: Beginning of the record, which contains the first position. Before the game begins, it
            belongs to a deal that is never played.
        seed: Seed of the random moves of programs.
        waiting: None once the game has begun. Before, it is the seed of the deal that the maker of
            the table chose, or empty if the server will choose a random seed.
    """

    head: str
    seed: str
    waiting: str | None = None


class Options(NamedTuple):
    """The choices of the person who made a table. They never change.

    Attributes:
        help: Whether help is allowed, such as hints.
        practice: Whether this person chose the seed of the deal, and may therefore know all cards.
        archive: Whether the table shows an uploaded record, and no game is played.
        deck: Name of the deck of cards.
        chat: Whether the table has a chat.
        clock: The settings of the clock as JSON, or None if the time for a move is not limited.
    """

    help: bool
    practice: bool
    archive: bool
    deck: str
    chat: bool = False
    clock: str | None = None


class StoredTable(NamedTuple):
    """A game table as the database stores it: a row of the SQL table `tables`.

    Attributes:
        id: Random name of the table, which is part of its address.
        game: Name of the game.
        maker: Hash of the cookie of the person who made the table, or None.
        again: Id of the table of the rematch, or None if there is no rematch.
        evening: Id of the first table of the series of rematches, or None at the first table.
        invitation: Invitation to any free seat before the game begins, or None.
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
    """The sender of a request: the hash of a token or of a cookie, or neither if unknown."""

    token: str | None = None
    cookie_hash: str | None = None


class Visitor(NamedTuple):
    """A player, who owns seats at a table, or a bystander, who only watches.

    Attributes:
        seats: Numbers of the seats that the visitor owns. Empty for a bystander.
        maker: Whether the visitor made the table.
        looking: Seat from which the visitor sees the game, or None if the visitor sees only what
            everybody may see.
    """

    seats: tuple[int, ...]
    maker: bool
    looking: int | None


def new_code() -> str:
    """Return a random code of 130 bits, with a hyphen after every four characters.

    >>> len(new_code())
    32
    """
    letters = "".join(secrets.choice(ALPHABET) for _ in range(26))
    return "-".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def plain_code(text: str) -> str:
    """Return a typed code in capital letters, without spaces, hyphens and other marks.

    >>> plain_code("abcd 2345-o")
    'ABCD2345O'
    """
    return "".join(letter for letter in text.upper() if letter.isalnum())


def new_token() -> str:
    """Return a new token of 128 random bits."""
    return secrets.token_urlsafe(16)


def derive_token(secret: bytes, text: str) -> str:
    """Return a token that is computed from a text and a secret.

    The same arguments give the same token. Nobody can compute it without the secret.
    """
    return urlsafe_b64encode(hmac.digest(secret, text.encode(), "sha256")).decode()[:22]


def hash_token(text: str) -> str:
    """Return the hash of a token, cookie or code. Only hashes of them are stored."""
    return hashlib.sha256(text.encode()).hexdigest()


def default_name(seat: int) -> str:
    """Return the name of a player who has not chosen one, such as "player 0"."""
    return f"player {seat}"


def default_seat(name: str) -> int | None:
    """Return the seat that a default name such as "player 0" belongs to, or None for other names.

    >>> default_seat("player 2"), default_seat("Ann")
    (2, None)
    """
    match = re.fullmatch(r"player (\d{1,4})", name)
    return int(match[1]) if match else None


def renumber(seat: Seat, number: int, new: int) -> Seat:
    """Return a seat after its number has changed from `number` to `new`.

    If the player has a default name, such as "player 0", the name changes with the number.
    """
    usual = {default_name(number): default_name(new)}
    name, person = (usual.get(text or "", text) for text in (seat.name, seat.person))
    return seat._replace(name=name, person=person)
