"""Short names for external players, read from the file `players.toml`.

The file has a table for each game:

    [kwartet]
    hoarder = "cmd:./hoarder --level 3"
    mine = "my_module:Mine"
"""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.reading import decode, read_bytes
from quaternity.base.text_format import quote_value
from quaternity.table.games import game_names, registration
from quaternity.table.players import YOU, check_name, is_program, plugin_players

PLAYER_FILE = "players.toml"
"""Name of the default file of short names in the working directory."""


def file_players(game: str, path: str | None = None) -> dict[str, str]:
    """Return the players that a file defines for a game, as a mapping of short to full names.

    Args:
        game: name of the game.
        path: the file. None stands for `PLAYER_FILE`, if this file exists.

    Raises:
        InputError: If the file is malformed, or a name in it is already in use. The message says
            where the fault is.
    """
    if path is None and not Path(PLAYER_FILE).is_file():
        return {}
    return _read(path or PLAYER_FILE).get(game, {})


class ListedPlayer(NamedTuple):
    """A player of a game, as `list_players` returns it.

    `source` is where the player comes from: `quaternity`, `installed`, `broken` with the reason, or
    the full name in the player file. `level` and `rating` are None if the player belongs to no
    level of difficulty.
    """

    game: str
    player: str
    source: str
    level: str | None
    rating: int | None


def list_players(path: str | None = None) -> list[ListedPlayer]:
    """Return the players of all games, including those in the player file."""
    listed = []
    for game in game_names():
        registered = registration(game)
        levels = {level.player: level for level in registered.levels}
        sources = dict.fromkeys((*registered.players, *levels), "quaternity")
        plugins = plugin_players(game)
        sources |= dict.fromkeys(plugins.usable, "installed")
        sources |= {name: f"broken: {why}" for name, why in plugins.broken.items()}
        for name, source in (sources | file_players(game, path)).items():
            level = levels.get(name)
            rank = (level.name, level.rating) if level else (None, None)
            listed.append(ListedPlayer(game, name, source, *rank))
    return listed


def resolve_player(game: str, name: str, path: str | None = None) -> str:
    """Return the full name of a player that has a short name in a file of players.

    A name that is not in the file is returned unchanged. A short name of an external program may
    have an argument. For `hoarder:3`, the word `:3` is appended to the command of `hoarder`.
    """
    short, colon, argument = name.partition(":")
    player = file_players(game, path).get(short, name)
    if player == name or not colon:
        return player
    if not is_program(player):
        raise InputError(
            f"player {quote_value(name)}: {short} is {player}, which takes no argument"
        )
    return f"{player} {shlex.quote(colon + argument)}"


def _read(path: str) -> dict[str, dict[str, str]]:
    data = read_bytes(path)
    try:
        document = tomllib.loads(decode(data))
    except (InputError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: not a valid TOML file: {error}") from None
    for game, names in document.items():
        if game not in game_names() or not isinstance(names, dict):
            known = ", ".join(game_names())
            raise InputError(
                f"{path}: {quote_value(game)} is not a table with the name of a game ({known})"
            )
        for name, player in names.items():
            where = f"{path}: {game}.{quote_value(name, str)}"
            if not isinstance(player, str):
                raise InputError(
                    f"{where}: expected a text such as 'cmd:./hoarder', not {quote_value(player)}"
                )
            taken = {YOU, *registration(game).players, *plugin_players(game).usable}
            if name in taken:
                raise InputError(f"{where}: the name is already in use")
            if not name.replace("-", "").replace("_", "").isalnum():
                raise InputError(f"{where}: a name may only contain letters, digits, - and _")
            try:
                check_name(game, player, people=False)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
    return document
