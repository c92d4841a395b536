"""The games that are played at the table; a new game is a row here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from quaternity.errors import InputError

GAMES = {
    "quaternity": "quaternity.game.rules:QuaternityRules",
    "kwartet": "quaternity.kwartet.rules:KwartetRules",
    "quarto": "quaternity.quarto.rules:QuartoRules",
    "set": "quaternity.ternary.rules:SetRules",
}
"""Per game, as in the first line of its records, where its rules are."""


def rules_class(game: str) -> Any:
    """The class of a game's rules; imported when it is asked for."""
    module, _, name = GAMES[game].partition(":")
    return getattr(import_module(module), name)


def rules_of_record(data: bytes) -> Any:
    """The rules that a record was played by: its first word names the game.

    Raises:
        InputError: it is no record of any of them, or its head is wrong.
    """
    for line in data[:4096].decode("utf-8-sig", errors="replace").splitlines():
        words = line.split("#", 1)[0].split()
        if words:
            if words[0] in GAMES:
                return rules_class(words[0]).of_record(data)
            break
    first = ", ".join(f"'{game} 1'" for game in GAMES)
    raise InputError(f"not a record of a game: the first line is one of {first}")


__all__ = ["GAMES", "rules_class", "rules_of_record"]
