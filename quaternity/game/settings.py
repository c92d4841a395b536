"""The settings of a game of Quaternity, with checks of their limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Self

from quaternity.base.errors import InputError
from quaternity.base.names import code_name
from quaternity.base.text_format import quote_value
from quaternity.base.text_record import setting_ranges
from quaternity.base.validation import as_int
from solvers.problem import MAX_CARDS, MAX_PLAYERS, check_size

MAX_SEED = 999_999_999
"""Maximum value of a seed. Seeds have at most nine digits, because records allow no more."""


class NamedChoice(StrEnum):
    """Base class for enumerations whose members are chosen by name, such as variants of a rule."""

    __repr__ = code_name

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the member with a name, or raise an InputError that lists all names."""
        if not isinstance(text, str) or text not in list(cls):
            kind = cls._noun()
            raise InputError(f"{kind} {quote_value(text)} is unknown; choose from {', '.join(cls)}")
        return cls(text)

    @classmethod
    def _noun(cls) -> str:
        return "-".join(re.findall("[A-Z][a-z]+", cls.__name__)).lower()

    @classmethod
    def _missing_(cls, value: object) -> Self:
        return cls.parse(value)  # type: ignore[arg-type]  # its error lists the names


class TieBreak(NamedChoice):
    """Rule that selects the next player to ask if both players of a question have no cards left.

    `FIRST_IN_ORDER` selects the player with the lowest number who has cards. `MIN_SETS` selects the
    player with cards who has the fewest completed sets and, among equals, the fewest cards. If
    several players are still equal, the seed decides among them at random.
    """

    FIRST_IN_ORDER = "first-in-order"
    MIN_SETS = "fewest-sets"


def check_seed(seed: int) -> int:
    """Check a seed and return it as an `int`.

    Raise InputError if it is not a whole number in the allowed range.
    """
    seed = as_int(seed, "seed")
    if not 0 <= seed <= MAX_SEED:
        raise InputError(f"seed: {seed} is out of range 0..{MAX_SEED}")
    return seed


def check_brisk(brisk: bool) -> bool:
    """Return the setting `brisk` unchanged. Raise InputError if it is not a `bool`."""
    if not isinstance(brisk, bool):
        raise InputError(f"brisk: must be true or false, not {quote_value(brisk)}")
    return brisk


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that the players agree on before a game.

    Attributes:
        set_size: number of cards in a set (S), at least 2.
        sets: number of sets (N), at least 1.
        players: number of players (P), at least 2. S*N must be a multiple of P.
        tie_break: a `TieBreak` or its name. It selects the next player to ask if both players of
            a question have no cards left.
        seed: seed of the random choice in `TieBreak.MIN_SETS`.
        brisk: whether *hopeless* questions, which can only be answered no, are forbidden.

    Raises:
        InputError: If a setting is invalid or the game is too large. The message lists all invalid
            settings.

    >>> Settings(set_size=4, sets=13, players=4).hand
    13
    """

    set_size: int = field(
        default=4,
        metadata={
            "label": "Cards in a set",
            "help": "Number of cards that belong together as a set.",
            "range": range(2, MAX_CARDS + 1),
        },
    )
    sets: int = field(
        default=3,
        metadata={
            "help": "Number of sets. With more sets, a game takes longer.",
            "range": range(1, MAX_CARDS + 1),
        },
    )
    players: int = field(
        default=3, metadata={"help": "Number of players.", "range": range(2, MAX_PLAYERS + 1)}
    )
    tie_break: TieBreak = field(
        default=TieBreak.FIRST_IN_ORDER,
        metadata={
            "label": "Who asks next",
            "help": "Which player asks next if neither the asker nor the player asked "
            "has cards left.",
            "words": ("the first player who has cards", "the player with the fewest sets"),
        },
    )
    seed: int = 0
    brisk: bool = field(
        default=False,
        metadata={
            "label": "No hopeless questions",
            "help": "Forbid questions to which the answer can only be “no”.",
        },
    )

    def __post_init__(self) -> None:
        faults = []
        whys = {"set_size": " (with one card per set, no question would be legal)"}
        for name, allowed in setting_ranges(self).items():
            try:
                value = as_int(getattr(self, name), name)
                object.__setattr__(self, name, value)
                if value < allowed.start:  # `check_size` checks the upper limits together.
                    why = whys.get(name, "")
                    faults.append(f"{name}: {value} is less than {allowed.start}{why}")
            except InputError as error:
                faults.append(str(error))
        for name, checked in (
            ("seed", check_seed),
            ("tie_break", TieBreak.parse),
            ("brisk", check_brisk),
        ):
            try:
                object.__setattr__(self, name, checked(getattr(self, name)))
            except InputError as error:
                faults.append(str(error))
        if faults:
            raise InputError("; ".join(faults))
        check_size(self.players, self.sets, self.set_size * self.sets)
        if self.set_size * self.sets % self.players:
            raise InputError(
                f"{self.sets} sets of {self.set_size} are {self.set_size * self.sets} cards, "
                f"which {self.players} players cannot share evenly"
            )

    def __str__(self) -> str:
        """Return text that is the same in all versions, because `compare` uses it as a seed."""
        values = {field.name: repr(getattr(self, field.name)) for field in fields(self)}
        values["tie_break"] = f"<{self.tie_break!r}: {self.tie_break.value!r}>"
        if not self.brisk:
            del values["brisk"]
        return f"Settings({', '.join(f'{name}={value}' for name, value in values.items())})"

    @property
    def hand(self) -> int:
        """The number of cards that each player holds at the start."""
        return self.set_size * self.sets // self.players
