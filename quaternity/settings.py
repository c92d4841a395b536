"""Settings of a game, and the limits within which a game is played."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from quaternity.errors import InputError
from solvers.problem import check_size

LARGEST_SEED = 999_999_999
"""Seeds have at most nine digits, in records too."""


class TieBreak(StrEnum):
    """Who is on turn when neither the asker nor the asked has cards left.

    `FIRST_IN_ORDER`: the first player with cards in the order of players.
    `FEWEST_SETS`: fewest completed sets, then fewest cards in hand, then at random (seeded).
    """

    FIRST_IN_ORDER = "first-in-order"
    FEWEST_SETS = "fewest-sets"

    @classmethod
    def parse(cls, text: str) -> TieBreak:
        """Read the name of a rule.

        Raises:
            InputError: unknown name; lists the known ones.
        """
        try:
            return cls(text)
        except ValueError:
            known = ", ".join(cls)
            raise InputError(f"tie-break {text!r} is unknown; known are {known}") from None


@dataclass(frozen=True, slots=True)
class Settings:
    """What is agreed before a game.

    Attributes:
        set_size: cards in one set (S), at least 2.
        sets: number of sets (N), at least 1.
        players: number of players (P), at least 2; S*N must be a multiple of P.
        tie_break: who is on turn when both players of a question ran out of cards.
        seed: of the random part of `TieBreak.FEWEST_SETS`.

    Raises:
        InputError: lists everything that is wrong, or names the limit of size.

    >>> Settings(set_size=4, sets=13, players=4).hand
    13
    """

    set_size: int = 4
    sets: int = 3
    players: int = 3
    tie_break: TieBreak = TieBreak.FIRST_IN_ORDER
    seed: int = 0

    def __post_init__(self) -> None:
        faults = []
        for name, least, why in (
            ("set_size", 2, " (with one card a set nobody could ever ask)"),
            ("sets", 1, ""),
            ("players", 2, ""),
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                faults.append(f"{name}: {value!r} is not a whole number")
            elif value < least:
                faults.append(f"{name}: {value} is less than {least}{why}")
        if not isinstance(self.seed, int) or isinstance(self.seed, bool):
            faults.append(f"seed: {self.seed!r} is not a whole number")
        elif not 0 <= self.seed <= LARGEST_SEED:
            faults.append(f"seed: {self.seed} is out of range 0..{LARGEST_SEED}")
        if not isinstance(self.tie_break, TieBreak):
            faults.append(f"tie_break: {self.tie_break!r} is not a TieBreak")
        if faults:
            raise InputError("; ".join(faults))
        check_size(self.players, self.sets, self.set_size * self.sets)
        if self.set_size * self.sets % self.players:
            raise InputError(
                f"{self.sets} sets of {self.set_size} are {self.set_size * self.sets} cards, "
                f"which {self.players} players cannot share evenly"
            )

    @property
    def hand(self) -> int:
        """Cards each player holds at the start."""
        return self.set_size * self.sets // self.players


__all__ = ["LARGEST_SEED", "Settings", "TieBreak"]
