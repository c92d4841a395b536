"""Tab completion of names: solvers, players, problem families, formats and guide pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any


def _solvers() -> Iterable[str]:
    from solvers.registry import SOLVERS, VARIANTS
    from solvers.rivals import EXTERNAL_SOLVERS

    return ("all", "installed", "rivals", "variants", *SOLVERS, *VARIANTS, *EXTERNAL_SOLVERS)


def _families() -> Iterable[str]:
    from solvers.instances import FAMILIES

    return ("all", *FAMILIES)


def _formats() -> Iterable[str]:
    from solvers.exchange.formats import FORMATS

    return FORMATS


def _announce() -> Iterable[str]:
    from quaternity.kwartet.settings import AnnounceTiming

    return [x.value for x in AnnounceTiming]


def _tie_breaks() -> Iterable[str]:
    from quaternity.game.settings import TieBreak

    return [x.value for x in TieBreak]


def _pages() -> Iterable[str]:
    from quaternity.guide import ORDER

    return ORDER


VALUES: dict[str, Callable[[], Iterable[str]]] = {
    "solver": _solvers, "solvers": _solvers, "families": _families, "to": _formats,
    "announce": _announce, "tie_break": _tie_breaks, "page": _pages,
    "rule": lambda: ("set", "triple"),
}  # fmt: skip
"""Mapping from a parameter's name to a function that returns the parameter's possible values."""

PLAYER_PARAMETERS = ("seats", "entries")
"""Names of the command-line parameters that take names of players."""


def add_completion(command: Any, group: str | None) -> None:
    """Add tab completion to the options and arguments of a command.

    `group` is the name of the group that contains the command. Most groups are games.
    """
    for parameter in command.params:
        values = VALUES.get(parameter.name)
        if parameter.name in PLAYER_PARAMETERS:
            values = partial(_players, group)
        if values is not None:
            parameter.shell_complete = _completer(values)


def _players(group: str | None) -> Iterable[str]:
    from quaternity.table.games import GAMES, registration
    from quaternity.table.players import YOU

    return (YOU, *registration(group if group in GAMES else "quaternity").players)


def _completer(values: Callable[[], Iterable[str]]) -> Callable[[Any, str], list[Any]]:
    """Return a function that completes the last name of a comma-separated list."""

    def complete(context: Any, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        del context
        before, comma, last = incomplete.rpartition(",")
        names = (name for name in values() if name.startswith(last))
        return [CompletionItem(f"{before}{comma}{name}") for name in names]

    return complete
