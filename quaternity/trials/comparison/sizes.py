"""Sizes of the games in a comparison, and sweeps that vary one parameter of the size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import gcd

from quaternity.base.errors import InputError
from quaternity.game.settings import Settings

PARAMETERS = ("set-size", "sets", "players")
"""Names of the parameters of a game that can vary in a sweep (a comparison of several sizes)."""

MAX_SIZES = 8
"""Maximum number of sizes in a sweep (a comparison of several sizes). If a range contains more
sizes, a geometric progression is chosen from it."""

_SIZE = re.compile(r"(\d{1,9})-(\d{1,9})-(\d{1,9})", re.ASCII)

_RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A range of sizes of games: one of `PARAMETERS` varies from `first` to `last`."""

    parameter: str
    first: int
    last: int

    @classmethod
    def parse(cls, parameter: str, text: str) -> Sweep:
        """Parse a range such as `2..8`.

        Raises:
            InputError: If the parameter is unknown, the text is not a range, or the range is empty.

        >>> Sweep.parse("players", "2..8")
        Sweep(parameter='players', first=2, last=8)
        """
        if parameter not in PARAMETERS:
            raise InputError(f"sweep: must be one of {', '.join(PARAMETERS)}, not {parameter!r}")
        match = _RANGE.fullmatch(text.strip())
        if match is None:
            raise InputError(f"sweep: {text!r} is not a range such as 2..8")
        first, last = int(match[1]), int(match[2])
        if first > last:
            raise InputError(f"sweep: the range {text} is empty")
        return cls(parameter, first, last)

    @property
    def values(self) -> list[int]:
        """The values to use: both ends of the range, and at most `MAX_SIZES` values in total.

        >>> Sweep("sets", 2, 1000).values
        [2, 5, 12, 29, 70, 169, 412, 1000]
        """
        if self.last - self.first < MAX_SIZES:
            return list(range(self.first, self.last + 1))
        if not self.first:
            raise InputError(f"sweep: {self.parameter} cannot be 0; begin the range with 1")
        step = (self.last / self.first) ** (1 / (MAX_SIZES - 1))
        inner = {round(self.first * step**number) for number in range(1, MAX_SIZES - 1)}
        return sorted(inner | {self.first, self.last})


def size_name(size: Settings) -> str:
    """Return the name of a size of a game: set size, sets and players.

    >>> size_name(Settings(4, 13, 4))
    '4-13-4'
    """
    return f"{size.set_size}-{size.sets}-{size.players}"


def parse_size_name(name: str) -> tuple[int, ...] | None:
    """Parse a name from `size_name` into set size, sets and players. Return None for other names.

    >>> parse_size_name("4-13-4"), parse_size_name("php")
    ((4, 13, 4), None)
    """
    match = _SIZE.fullmatch(name)
    return None if match is None else tuple(map(int, match.groups()))


def sweep_sizes(base: tuple[int, int, int], sweep: Sweep) -> list[Settings]:
    """Return the settings of the games in a sweep, in ascending order.

    `base` consists of the set size, the number of sets and the number of players. One of them is
    replaced by each number in the range of the sweep. The number of sets is then increased until
    the players can share the cards evenly.

    Raises:
        InputError: If a size cannot be played or exceeds the limits, or if the players cannot share
            the cards evenly for any number of sets in the range.

    >>> sizes = sweep_sizes((4, 13, 4), Sweep("players", 2, 6))
    >>> [(size.sets, size.players) for size in sizes]
    [(13, 2), (15, 3), (13, 4), (15, 5), (15, 6)]
    """
    set_size, sets, players = base
    sizes = []
    for value in sweep.values:
        if sweep.parameter == "set-size":
            sizes.append(_even(value, sets, players))
        elif sweep.parameter == "players":
            sizes.append(_even(set_size, sets, value))
        else:
            size = _even(set_size, value, players)
            if size.sets <= sweep.last:
                sizes.append(size)
    if not sizes:
        raise InputError(
            f"sweep: {players} players cannot share sets of {set_size} evenly "
            f"for any number of sets in {sweep.first}..{sweep.last}"
        )
    return list(dict.fromkeys(sizes))


def _even(set_size: int, sets: int, players: int) -> Settings:
    if players > 1 and set_size > 0:
        multiple = players // gcd(players, set_size)
        sets = -(-sets // multiple) * multiple
    return Settings(set_size, sets, players)
