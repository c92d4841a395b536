"""Who can sit in a seat: people, the programs of this distribution, and anybody else's.

A player's name is `name` or `name:argument` of the game's registration, a name registered by
another distribution, `package.module:name`, or `cmd:COMMAND`, a program in any language
(`quaternity.table.programs`). What one in Python stands for is a factory: called with the
rules and the argument (None without one; a factory with one parameter takes none)
gives a player (`quaternity.table.match.Player`) for one match.
Another distribution registers factories through the entry-point group `quaternity.players`, under
names such as `quarto.mine`: the game, a dot, and the player's name; strategies of Kwartet, which
are functions `(view, random) -> question`, also through `quaternity.kwartet.strategies`, by the
name alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import isclass, signature
from random import Random
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.plugins import PLACE, Plugins, load_place, load_plugins
from quaternity.base.wording import shown
from quaternity.table.games import game_names, registration
from quaternity.table.programs import ProgramPlayer
from quaternity.table.registration import Registration
from quaternity.workers.program import COMMAND, command_words

ENTRY_POINTS = "quaternity.players"
"""The entry-point group in which other distributions register players."""

YOU = "you"
"""The name of a seat that a person plays."""

Factory = Callable[..., Any]
"""From rules, and an argument where it takes one, to a player."""


class RandomPlayer:
    """Any legal move, each as likely as the others."""

    def __init__(self, rules: Any) -> None:
        self._rules = rules

    def choose(self, view: Any, random: Random) -> Any:
        """Return a move, or None when there is none."""
        moves = list(self._rules.moves(view))
        return random.choice(moves) if moves else None


def strategy_factory(game: str, name: str, strategy: Any) -> Factory:
    """Return a factory of players without an argument, of a function `(view, random) -> move`."""

    def factory(rules: Any) -> Any:
        del rules
        return registration(game).part("strategy_player")(name, strategy)

    return factory


@cache
def registered(game: str) -> Plugins[Factory]:
    """Return what other distributions registered for a game, by the player's name."""

    def accepted(name: str, loaded: object) -> Factory:
        if not callable(loaded):
            raise InputError("is not callable")
        return loaded

    def strategy(name: str, loaded: object) -> Factory:
        if isclass(loaded):
            raise InputError(
                f"is a class; a strategy is a function (view, random), and a class of players "
                f"belongs to {ENTRY_POINTS}"
            )
        return strategy_factory(game, name, accepted(name, loaded))

    known, group = registration(game).players, registration(game).strategy_group
    players = load_plugins(ENTRY_POINTS, "player", known, accepted, f"{game}.")
    if not group:
        return players
    strategies = load_plugins(group, "strategy", (*known, *players.found), strategy)
    return Plugins({**players.found, **strategies.found}, {**players.broken, **strategies.broken})


def is_foreign(game: str, text: str) -> bool:
    """Return whether the player that a text names is somebody else's code."""
    return text != YOU and text.partition(":")[0] not in registration(game).players


def is_program(text: str) -> bool:
    """Return whether a player is a program of its own."""
    return text.startswith(COMMAND)


def check_name(game: str, text: str, kind: str = "player", people: bool = True) -> None:
    """Refuse a text that names nobody; what others registered is looked at only for other names.

    `kind` is what a player is called; `people` is whether `you` is somebody.
    """
    name, own = text.partition(":")[0], registration(game).players
    if text.startswith(COMMAND):
        command_words(text)
        return
    if (text == YOU and people) or name in own or PLACE.fullmatch(text):
        return
    registered(game).check(name)
    if name not in registered(game).found:
        elsewhere = [other for other in game_names() if name in registration(other).players]
        plays = f"plays {', '.join(elsewhere)}, and this is {game}" if elsewhere else "is unknown"
        known = (*own, *registered(game).found, "package.module:name", "cmd:COMMAND")
        every = ", ".join((YOU, *known) if people else known)
        raise InputError(f"{kind} {text!r} {plays}; known are {every}")


def make_player(rules: Any, text: str, on_loaded: Callable[[], None] = lambda: None) -> Any:
    """Return the player that a text names, for one match; None for `you`.

    `on_loaded` is called when its code is loaded, before it is made. InputError if there is none,
    it cannot be loaded or made, is no player, or says that it plays another game.
    """
    if text == YOU:
        return None
    check_name(rules.name, text)
    if text.startswith(COMMAND):
        return ProgramPlayer(rules, text)
    name, colon, argument = text.partition(":")
    given = argument if colon else None
    game = registration(rules.name)
    if name in game.players:
        own = game.players[name]
        if isinstance(own, str):
            own = load_place(own)
            if game.strategy_player:
                own = strategy_factory(rules.name, name, own)
        return _made(own, rules, name, given)
    who, factory, player = f"player {text!r}", None, None
    try:
        factory = registered(rules.name).found.get(name)
        if factory is None:
            factory, given = load_place(text, here=True), None
        on_loaded()
        if callable(factory):
            player = _made(factory, rules, name, given)
        is_player = callable(getattr(player, "choose", None))
        plays = getattr(player, "game", rules.name)
        elsewhere = isinstance(plays, str) and plays != rules.name
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever somebody else's code may raise
        misled = factory is not None and isinstance(error, AttributeError | TypeError)
        more = f"; {_what_it_is(game)}" if misled else ""
        raise InputError(f"{who} cannot be loaded: {shown(error)}{more}") from error
    if is_player and elsewhere:
        known = "" if plays in game_names() else f"; games are {', '.join(game_names())}"
        raise InputError(f"{who} plays {shown(plays, str)}, and this is {rules.name}{known}")
    if is_player:
        return player
    gave = f"called with the rules it gave {shown(player)}" if callable(factory) else shown(factory)
    raise InputError(f"{who} is no player of {rules.name}: {gave}; {_what_it_is(game)}")


def _what_it_is(game: Registration) -> str:
    maker = game.strategy_player
    strategy = f"; {maker} makes one of a function (view, random)" if maker else ""
    return (
        f"a player of {game.name} is made by a class or function of (rules, argument), and has "
        f"choose(view, random){strategy} (see quaternity guide bots)"
    )


def _made(factory: Factory, rules: Any, name: str, argument: str | None) -> Any:
    """Call a factory; one with a single parameter takes no argument."""
    try:
        takes_argument = len(signature(factory).parameters) != 1
    except ValueError:  # a builtin does not say
        takes_argument = True
    if takes_argument:
        return factory(rules, argument)
    if argument is not None:
        raise InputError(f"player {name!r} takes no {argument!r}")
    return factory(rules)
