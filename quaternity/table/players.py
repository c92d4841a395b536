"""Who can sit in a seat: people, the programs of this distribution, and anybody else's.

A player's name is `name` or `name:argument` of the table below, a name registered by another
distribution, or `package.module:name`. What it stands for is a factory: called with the rules and
the argument (None without one) it gives a player (`quaternity.table.match.Player`) for one match.
Another distribution registers factories through the entry-point group `quaternity.players`, under
names such as `quarto.mine`: the game, a dot, and the player's name.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from random import Random
from typing import Any

from quaternity.errors import InputError
from solvers.plugins import Plugins, load_plugins
from solvers.wording import shown

ENTRY_POINTS = "quaternity.players"
"""The entry-point group in which other distributions register players."""

YOU = "you"
"""The name of a seat that a person plays."""

_FOREIGN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)

Factory = Callable[[Any, str | None], Any]
"""From rules and an argument to a player."""


class RandomPlayer:
    """Any legal move, each as likely as the others."""

    def __init__(self, rules: Any) -> None:
        self._rules = rules

    def choose(self, view: Any, random: Random) -> Any:
        """A move, or None when there is none."""
        moves = list(self._rules.moves(view))
        return random.choice(moves) if moves else None


def _random(rules: Any, argument: str | None) -> RandomPlayer:
    if argument is not None:
        raise InputError(f"player 'random' takes no {argument!r}")
    return RandomPlayer(rules)


def _late(place: str) -> Factory:
    """A factory that is imported when it is first called."""
    module, _, name = place.partition(":")

    def factory(rules: Any, argument: str | None) -> Any:
        return getattr(import_module(module), name)(rules, argument)

    return factory


def _bot(name: str) -> Factory:
    def factory(rules: Any, argument: str | None) -> Any:
        from quaternity.perfect.players import BotPlayer

        return BotPlayer(rules, name, argument)

    return factory


def _bots() -> dict[str, Factory]:
    from quaternity.perfect.bots.bot import BOTS

    return {name: _bot(name) for name in BOTS}


def _strategy(name: str) -> Factory:
    def factory(rules: Any, argument: str | None) -> Any:
        from quaternity.kwartet.players import StrategyPlayer

        del rules
        if argument is not None:
            raise InputError(f"player {name!r} takes no {argument!r}")
        return StrategyPlayer(name)

    return factory


def _strategies() -> dict[str, Factory]:
    from quaternity.kwartet.strategies.registry import STRATEGIES

    return {name: _strategy(name) for name in STRATEGIES}


PLAYERS: dict[str, Callable[[], dict[str, Factory]]] = {
    "quaternity": _bots,
    "kwartet": _strategies,
    "quarto": lambda: {
        "random": _random,
        "careful": _late("quaternity.quarto.players:careful"),
        "search": _late("quaternity.quarto.players:search"),
    },
    "set": lambda: {
        "slow": _late("quaternity.ternary.players:slow"),
        "quick": _late("quaternity.ternary.players:quick"),
    },
}
"""Per game its players by name."""

STRONGEST = {"quaternity": "search", "kwartet": "patient", "quarto": "search", "set": "quick"}
"""Per game the player that gives hints."""


@lru_cache(maxsize=1)
def _plugins() -> Plugins[Factory]:
    def accepted(name: str, loaded: object) -> Factory:
        game, dot, _ = name.partition(".")
        if not dot or game not in PLAYERS:
            raise InputError(
                f"has no name such as quarto.mine: a game ({', '.join(PLAYERS)}) first"
            )
        if not callable(loaded):
            raise InputError("is not callable")
        return loaded

    return load_plugins(ENTRY_POINTS, "player", (), accepted)


def _registered(game: str) -> dict[str, Factory]:
    """What other distributions registered for a game, by the player's name."""
    found = {
        name.partition(".")[2]: factory
        for name, factory in _plugins().found.items()
        if name.partition(".")[0] == game
    }
    if game == "kwartet":
        from quaternity.kwartet.strategies.registry import STRATEGIES, all_strategies

        found |= {name: _strategy(name) for name in all_strategies() if name not in STRATEGIES}
    return found


def is_foreign(game: str, text: str) -> bool:
    """Whether the player that a text names is somebody else's code."""
    return text != YOU and text.partition(":")[0] not in PLAYERS[game]()


def make_player(rules: Any, text: str) -> Any:
    """The player that a text names, for one match; None for `you`.

    Raises:
        InputError: there is none, it cannot be loaded, or it refuses its argument.
    """
    if text == YOU:
        return None
    known = PLAYERS[rules.name]()
    name, colon, argument = text.partition(":")
    if name in known:
        return known[name](rules, argument if colon else None)
    _plugins().check(f"{rules.name}.{name}")
    registered = _registered(rules.name)
    try:
        if name in registered:
            return registered[name](rules, argument if colon else None)
        if _FOREIGN.fullmatch(text):
            # Whoever names a module may have it in the folder where he works.
            if os.getcwd() not in sys.path:
                sys.path.append(os.getcwd())
            return getattr(import_module(name), argument)(rules, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever somebody else's code may raise
        raise InputError(f"player {text!r} cannot be loaded: {shown(error)}") from error
    every = ", ".join((YOU, *known, *registered, "package.module:name"))
    raise InputError(f"player {text!r} is unknown; known are {every}")


__all__ = [
    "ENTRY_POINTS",
    "PLAYERS",
    "STRONGEST",
    "YOU",
    "Factory",
    "is_foreign",
    "make_player",
]
