"""Who can sit in a seat: people, the programs of this distribution, and anybody else's.

A player's name is `name` or `name:argument` of the table below, a name registered by another
distribution, or `package.module:name`. What it stands for is a factory: called with the rules and
the argument (None without one) it gives a player (`quaternity.table.match.Player`) for one match.
Another distribution registers factories through the entry-point group `quaternity.players`, under
names such as `quarto.mine`: the game, a dot, and the player's name; strategies of Kwartet, which
are functions `(view, random) -> question`, also through `quaternity.kwartet.strategies`, by the
name alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from quaternity.errors import InputError
from solvers.plugins import PLACE, Plugins, load_place, load_plugins
from solvers.wording import shown

ENTRY_POINTS = "quaternity.players"
"""The entry-point group in which other distributions register players."""

STRATEGY_ENTRY_POINTS = "quaternity.kwartet.strategies"
"""The group in which they register strategies of Kwartet."""

YOU = "you"
"""The name of a seat that a person plays."""

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


def _late(place: str) -> Factory:
    """A factory that is imported when it is first called."""
    return lambda rules, argument: load_place(place)(rules, argument)


def _plain(name: str, make: Callable[[Any], Any]) -> Factory:
    """A factory of players without an argument, made of the rules."""

    def factory(rules: Any, argument: str | None) -> Any:
        if argument is not None:
            raise InputError(f"player {name!r} takes no {argument!r}")
        return make(rules)

    return factory


def _bot(name: str) -> Factory:
    return _plain(name, lambda rules: load_place(f"quaternity.perfect.players:{name}")(rules))


def strategy_row(name: str, strategy: Any) -> Factory:
    """A factory of players with a strategy of Kwartet: a function `(view, random) -> question`, or
    where it is, as `package.module:name`.
    """

    def make(rules: Any) -> Any:
        found = load_place(strategy) if isinstance(strategy, str) else strategy
        return load_place("quaternity.kwartet.players:StrategyPlayer")(name, found)

    return _plain(name, make)


_STUDENTS = "quaternity.kwartet.strategies.students"
_COUNTING = "quaternity.kwartet.strategies.counting"

PLAYERS: dict[str, dict[str, Factory]] = {
    "quaternity": {
        "random": _bot("random"),
        "informed": _bot("informed"),
        "search": _late("quaternity.perfect.players:search"),
        "perfect": _late("quaternity.perfect.players:perfect"),
    },
    "kwartet": {
        "random": strategy_row("random", f"{_STUDENTS}:random_request"),
        "greedy": strategy_row("greedy", f"{_STUDENTS}:greedy"),
        "silent": strategy_row("silent", f"{_STUDENTS}:silent"),
        "mixed": strategy_row("mixed", f"{_STUDENTS}:mixed"),
        "better-greedy": strategy_row("better-greedy", f"{_STUDENTS}:better_greedy"),
        "exact": strategy_row("exact", f"{_COUNTING}:exact"),
        "patient": strategy_row("patient", f"{_COUNTING}:patient"),
        "reader": strategy_row("reader", "quaternity.kwartet.strategies.reader:reader"),
    },
    "quarto": {
        "random": _plain("random", RandomPlayer),
        "careful": _late("quaternity.quarto.players:careful"),
        "search": _late("quaternity.quarto.players:search"),
    },
    "set": {
        "slow": _late("quaternity.ternary.players:slow"),
        "quick": _late("quaternity.ternary.players:quick"),
    },
}
"""Per game its players by name: the one table of them."""

STRONGEST = {"quaternity": "search", "kwartet": "reader", "quarto": "search", "set": "quick"}
"""Per game the player that gives hints."""


@cache
def registered(game: str) -> Plugins[Factory]:
    """What other distributions registered for a game, by the player's name."""

    def accepted(name: str, loaded: object) -> Factory:
        if not callable(loaded):
            raise InputError("is not callable")
        return loaded

    def strategy(name: str, loaded: object) -> Factory:
        return strategy_row(name, accepted(name, loaded))

    players = load_plugins(ENTRY_POINTS, "player", PLAYERS[game], accepted, f"{game}.")
    if game != "kwartet":
        return players
    taken = (*PLAYERS[game], *players.found)
    strategies = load_plugins(STRATEGY_ENTRY_POINTS, "strategy", taken, strategy)
    return Plugins({**players.found, **strategies.found}, {**players.broken, **strategies.broken})


def is_foreign(game: str, text: str) -> bool:
    """Whether the player that a text names is somebody else's code."""
    return text != YOU and text.partition(":")[0] not in PLAYERS[game]


def check_name(game: str, text: str, kind: str = "player", people: bool = True) -> None:
    """Refuse a text that names nobody; what others registered is looked at only for other names.

    Args:
        kind: what a player is called.
        people: whether `you` is somebody.

    Raises:
        InputError: lists the known names, or says why a registration cannot be used.
    """
    name = text.partition(":")[0]
    if (text == YOU and people) or name in PLAYERS[game] or PLACE.fullmatch(text):
        return
    registered(game).check(name)
    if name not in registered(game).found:
        known = (*PLAYERS[game], *registered(game).found, "package.module:name")
        every = ", ".join((YOU, *known) if people else known)
        raise InputError(f"{kind} {text!r} is unknown; known are {every}")


def make_player(rules: Any, text: str, found: Callable[[], None] = lambda: None) -> Any:
    """The player that a text names, for one match; None for `you`.

    Args:
        found: told when its code is loaded, before it is made.

    Raises:
        InputError: there is none, it cannot be loaded, or it refuses its argument.
    """
    if text == YOU:
        return None
    check_name(rules.name, text)
    name, colon, argument = text.partition(":")
    given = argument if colon else None
    if name in PLAYERS[rules.name]:
        return PLAYERS[rules.name][name](rules, given)
    try:
        factory = registered(rules.name).found.get(name)
        if factory is None:
            factory, given = load_place(text, here=True), None
        found()
        return factory(rules, given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever somebody else's code may raise
        raise InputError(f"player {text!r} cannot be loaded: {shown(error)}") from error


__all__ = [
    "ENTRY_POINTS",
    "PLAYERS",
    "STRATEGY_ENTRY_POINTS",
    "STRONGEST",
    "YOU",
    "Factory",
    "check_name",
    "is_foreign",
    "make_player",
    "registered",
    "strategy_row",
]
