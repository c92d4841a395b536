"""The games that are played at the table; a new game is a file with its registration and a row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.plugins import Plugins, load_place, load_plugins
from quaternity.base.reading import without_mark
from quaternity.base.wording import shown
from quaternity.table.registration import Registration

GAMES = {
    "quaternity": "quaternity.game.registration:QUATERNITY",
    "kwartet": "quaternity.kwartet.registration:KWARTET",
    "quarto": "quaternity.quarto.registration:QUARTO",
    "set": "quaternity.ternary.registration:SET",
}
"""Per game of this distribution where its registration is."""

ENTRY_POINTS = "quaternity.games"
"""The entry-point group in which other distributions register games, each under its name."""


@cache
def further_games() -> Plugins[Registration]:
    """Return the games that other distributions registered, by name."""

    def accepted(name: str, loaded: object) -> Registration:
        if not isinstance(loaded, Registration):
            raise InputError(
                f"is {shown(loaded)}, not a quaternity.table.registration.Registration"
            )
        if loaded.name != name:
            raise InputError(f"registers a game of another name, {loaded.name!r}")
        return loaded

    return load_plugins(ENTRY_POINTS, "game", GAMES, accepted)


def game_names() -> Iterator[str]:
    """Give the names of all games, those of this distribution first."""
    yield from GAMES
    yield from further_games().found


def registration(game: str) -> Registration:
    """Return what a game brings to every door."""
    if game in GAMES:
        own: Registration = load_place(GAMES[game])
        return own
    further_games().check(game)
    registered = further_games().found.get(game)
    if registered is None:
        raise InputError(f"game {shown(game)} is unknown; known are {', '.join(game_names())}")
    return registered


def rules_class(game: str) -> Any:
    """Return the class of a game's rules; it is imported when it is asked for."""
    return registration(game).rules_class


def rules_of_record(data: bytes) -> Any:
    """Return the rules that a record was played by: its first word names the game."""
    for line in without_mark(data)[:4096].decode(errors="replace").splitlines():
        words = line.split("#", 1)[0].split()
        if words:
            if words[0] in GAMES or words[0] in further_games().found:
                return rules_class(words[0]).of_record(data)
            break
    first = ", ".join(f"'{game} 1'" for game in game_names())
    raise InputError(f"not a record of a game: the first line is one of {first}")
