"""Players by name: people, built-in players, plug-ins and external programs.

The name of a player is one of the following:

- `name` or `name:argument`, a built-in player that the registration of the game lists
- a name that another installed package registers
- `package.module:name`, a Python function or class
- `cmd:COMMAND`, a program in any language (`quaternity.table.programs`)

A Python player is created by a factory: a function or class that returns a player
(`quaternity.table.match.Player`) for one match. The factory is called with the rules and the
argument, which is None if the name has no argument. A factory with one parameter is called with the
rules alone.

Other packages register factories in the entry-point group `quaternity.players`. The name of an
entry point consists of the game, a dot, and the player's name, such as `quarto.mine`. Strategies of
Kwartet, which are functions `(view, random) -> question`, can also be registered in the group
`quaternity.kwartet.strategies`, without the name of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import isclass, signature
from random import Random
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.plugins import PLACE, Plugins, load_place, load_plugins
from quaternity.base.text_format import quote_value
from quaternity.table.games import game_names, registration
from quaternity.table.programs import ProgramPlayer
from quaternity.table.registration import Registration
from quaternity.workers.program import COMMAND_PREFIX, command_words

ENTRY_POINTS = "quaternity.players"
"""Name of the entry-point group through which other installed packages add players."""

YOU = "you"
"""Name that stands for a person instead of a computer player."""

Factory = Callable[..., Any]
"""Function that returns a computer player. It takes the rules of the game. If the name of the
player has an argument, the function also takes this argument."""


class RandomPlayer:
    """A player that chooses a random legal move."""

    def __init__(self, rules: Any) -> None:
        self._rules = rules

    def choose(self, view: Any, random: Random) -> Any:
        """Return a random legal move. Return None if there is no legal move."""
        moves = list(self._rules.moves(view))
        return random.choice(moves) if moves else None


def strategy_factory(game: str, name: str, strategy: Any) -> Factory:
    """Convert a strategy to a factory of players, which choose their moves by the strategy.

    A strategy is a function `(view, random) -> move`.
    """

    def factory(rules: Any) -> Any:
        del rules
        return registration(game).part("strategy_player")(name, strategy)

    return factory


@cache
def plugin_players(game: str) -> Plugins[Factory]:
    """Return the players of a game that other installed packages add.

    In the result, `usable` maps names to factories (functions or classes that create a player), and
    `broken` maps the names of unusable players to the reasons.
    """

    def check_factory(name: str, loaded: object) -> Factory:
        if not callable(loaded):
            raise InputError("is not callable")
        return loaded

    def strategy(name: str, loaded: object) -> Factory:
        if isclass(loaded):
            raise InputError(
                f"is a class, but must be a function (view, random); register a class of players "
                f"under {ENTRY_POINTS}"
            )
        return strategy_factory(game, name, check_factory(name, loaded))

    known, group = registration(game).players, registration(game).strategy_group
    players = load_plugins(ENTRY_POINTS, "player", known, check_factory, f"{game}.")
    if not group:
        return players
    strategies = load_plugins(group, "strategy", (*known, *players.usable), strategy)
    return Plugins({**players.usable, **strategies.usable}, {**players.broken, **strategies.broken})


def is_foreign(game: str, text: str) -> bool:
    """Return whether a player is external code. A person (`you`) and the game's players are not."""
    return text != YOU and text.partition(":")[0] not in registration(game).players


def is_program(text: str) -> bool:
    """Return whether a name has the form `cmd:COMMAND`, which means an external program."""
    return text.startswith(COMMAND_PREFIX)


def check_name(game: str, text: str, kind: str = "player", people: bool = True) -> None:
    """Check that there is a player with the given name, without creating the player.

    Args:
        game: name of the game.
        kind: the word for a player in error messages, such as "bot".
        people: whether to accept the name `you`, which stands for a person.

    Raises:
        InputError: If there is no such player. The message lists the players.
    """
    name, own = text.partition(":")[0], registration(game).players
    if text.startswith(COMMAND_PREFIX):
        command_words(text)
        return
    if (text == YOU and people) or name in own or PLACE.fullmatch(text):
        return
    plugin_players(game).check(name)
    if name not in plugin_players(game).usable:
        elsewhere = [other for other in game_names() if name in registration(other).players]
        plays = f"plays {', '.join(elsewhere)}, not {game}" if elsewhere else "is unknown"
        known = (*own, *plugin_players(game).usable, "package.module:name", "cmd:COMMAND")
        every = ", ".join((YOU, *known) if people else known)
        raise InputError(f"{kind} {text!r} {plays}; choose from {every}")


def make_player(rules: Any, text: str, on_loaded: Callable[[], None] = lambda: None) -> Any:
    """Create the computer player with a given name for one match. Return None for a person (`you`).

    Args:
        text: name of the player.
        on_loaded: called after the import and before the creation of an external player.

    Raises:
        InputError: If there is no such player, it cannot be imported or created, the result is not
            a player, or it is for another game.
    """
    if text == YOU:
        return None
    check_name(rules.name, text)
    if text.startswith(COMMAND_PREFIX):
        return ProgramPlayer(rules, text)
    name, colon, argument = text.partition(":")
    parameter = argument if colon else None
    game = registration(rules.name)
    if name in game.players:
        own = game.players[name]
        if isinstance(own, str):
            own = load_place(own)
            if game.strategy_player:
                own = strategy_factory(rules.name, name, own)
        return _call_factory(own, rules, name, parameter)
    label, factory, player = f"player {text!r}", None, None
    try:
        factory = plugin_players(rules.name).usable.get(name)
        if factory is None:
            factory, parameter = load_place(text, in_working_directory=True), None
        on_loaded()
        if callable(factory):
            player = _call_factory(factory, rules, name, parameter)
        is_player = callable(getattr(player, "choose", None))
        plays = getattr(player, "game", rules.name)
        is_other_game = isinstance(plays, str) and plays != rules.name
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # External code may raise any exception.
        is_wrong_type = factory is not None and isinstance(error, AttributeError | TypeError)
        more = f"; {_player_description(game)}" if is_wrong_type else ""
        raise InputError(f"{label} cannot be loaded: {quote_value(error)}{more}") from error
    if is_player and is_other_game:
        known = "" if plays in game_names() else f"; known games: {', '.join(game_names())}"
        raise InputError(f"{label} plays {quote_value(plays, str)}, not {rules.name}{known}")
    if is_player:
        return player
    gave = (
        f"calling it returned {quote_value(player)}"
        if callable(factory)
        else f"it is {quote_value(factory)}"
    )
    raise InputError(
        f"{label} is not a player of {rules.name}: {gave}; {_player_description(game)}"
    )


def _player_description(game: Registration) -> str:
    maker = game.strategy_player
    strategy = f"; {maker} creates a player from a function (view, random)" if maker else ""
    return (
        f"a player of {game.name} is created by a class or function of (rules, argument), and has "
        f"a method choose(view, random){strategy} (see quaternity guide bots)"
    )


def _call_factory(factory: Factory, rules: Any, name: str, argument: str | None) -> Any:
    try:
        takes_argument = len(signature(factory).parameters) != 1
    except ValueError:  # Python may not know the signature of a built-in function.
        takes_argument = True
    if takes_argument:
        return factory(rules, argument)
    if argument is not None:
        raise InputError(f"player {name!r} does not take an argument, such as {argument!r}")
    return factory(rules)
