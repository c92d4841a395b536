"""Names for players from outside: the file `players.toml`, a table for each game.

[kwartet]
hoarder = "cmd:./hoarder --level 3"
mine = "my_module:Mine"
"""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

from quaternity.base.errors import InputError
from quaternity.base.reading import decode, read_bytes
from quaternity.base.wording import shown
from quaternity.table.games import game_names, registration
from quaternity.table.players import YOU, check_name, is_program, registered

PLAYER_FILE = "players.toml"
"""The file of this name in the folder in which one works is read where no other is named."""


def file_players(game: str, path: str | None = None) -> dict[str, str]:
    """Return the players of a game that a file names, each with what it stands for.

    Args:
        path: the file; None: `PLAYER_FILE`, if there is one.

    Raises:
        InputError: the file says something else, or gives a name that is taken; names the place.
    """
    if path is None and not Path(PLAYER_FILE).is_file():
        return {}
    return _read(path or PLAYER_FILE).get(game, {})


def named_player(game: str, name: str, path: str | None = None) -> str:
    """Return what a name stands for in a file of players, or the name itself.

    What follows the name of a command (`hoarder:3`) becomes its last word, `:3`.
    """
    short, colon, argument = name.partition(":")
    player = file_players(game, path).get(short, name)
    if player == name or not colon:
        return player
    if not is_program(player):
        raise InputError(f"player {shown(name)}: {short} is {player}, which takes no argument")
    return f"{player} {shlex.quote(colon + argument)}"


def _read(path: str) -> dict[str, dict[str, str]]:
    data = read_bytes(path)
    try:
        document = tomllib.loads(decode(data))
    except (InputError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: no TOML: {error}") from None
    for game, names in document.items():
        if game not in game_names() or not isinstance(names, dict):
            known = ", ".join(game_names())
            raise InputError(f"{path}: {shown(game)} is no table of a game; games are {known}")
        for name, player in names.items():
            where = f"{path}: {game}.{shown(name, str)}"
            if not isinstance(player, str):
                raise InputError(f"{where}: {shown(player)} is no text such as 'cmd:./hoarder'")
            taken = {YOU, *registration(game).players, *registered(game).found}
            if name in taken:
                raise InputError(f"{where}: the name is already in use")
            if not name.replace("-", "").replace("_", "").isalnum():
                raise InputError(f"{where}: a name may only contain letters, digits, - and _")
            try:
                check_name(game, player, people=False)
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
    return document
