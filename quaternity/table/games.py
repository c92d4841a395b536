"""Registry of all games: the built-in games and the games of installed plug-ins."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.plugins import Plugins, load_place, load_plugins
from quaternity.base.reading import strip_bom
from quaternity.base.text_format import quote_value
from quaternity.table.registration import Registration

GAMES = {
    "quaternity": "quaternity.game.registration:QUATERNITY",
    "kwartet": "quaternity.kwartet.registration:KWARTET",
    "quarto": "quaternity.quarto.registration:QUARTO",
    "set": "quaternity.ternary.registration:SET",
}
"""Import path of each built-in game's registration, by the name of the game."""

ENTRY_POINTS = "quaternity.games"
"""Name of the entry-point group through which other installed packages add games."""


@cache
def plugin_games() -> Plugins[Registration]:
    """Return the games that other installed packages add.

    In the result, `usable` maps names to the games, and `broken` maps the names of games that
    cannot be loaded to the reasons.
    """

    def check_registration(name: str, loaded: object) -> Registration:
        if not isinstance(loaded, Registration):
            raise InputError(
                f"is {quote_value(loaded)}, not a quaternity.table.registration.Registration"
            )
        if loaded.name != name:
            raise InputError(f"registers a game with another name, {loaded.name!r}")
        return loaded

    return load_plugins(ENTRY_POINTS, "game", GAMES, check_registration)


def game_names() -> Iterator[str]:
    """Yield the names of all games. The built-in games come first."""
    yield from GAMES
    yield from plugin_games().usable


def registration(game: str) -> Registration:
    """Return the `Registration` of a game, which lists the import paths of the game's parts.

    Raises:
        InputError: If there is no such game, or it cannot be loaded.
    """
    if game in GAMES:
        own: Registration = load_place(GAMES[game])
        return own
    plugin_games().check(game)
    registered = plugin_games().usable.get(game)
    if registered is None:
        raise InputError(
            f"game {quote_value(game)} is unknown; choose from {', '.join(game_names())}"
        )
    return registered


def rules_class(game: str) -> Any:
    """Import the class of a game's rules and return it."""
    return registration(game).rules_class


def rules_of_record(data: bytes) -> Any:
    """Return the rules of the game in a record, with the settings that the record contains.

    The first word of the record is the name of the game.

    Raises:
        InputError: If the data are not a record of a known game.
    """
    for line in strip_bom(data)[:4096].decode(errors="replace").splitlines():
        words = line.split("#", 1)[0].split()
        if words:
            if words[0] in GAMES or words[0] in plugin_games().usable:
                return rules_class(words[0]).of_record(data)
            break
    first = ", ".join(f"'{game} 1'" for game in game_names())
    raise InputError(f"not a record of a game: the first line must be one of {first}")
