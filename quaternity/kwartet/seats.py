"""Who plays in which seat: people, and strategies by name."""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.errors import InputError
from quaternity.kwartet.settings import PLAYERS
from quaternity.kwartet.strategies.registry import check_strategies, strategy_named, strategy_names

YOU = "you"
"""The name of a seat that a person plays."""


def seats_from(text: str, people: bool = True) -> tuple[str, ...]:
    """The names in a list such as `you,exact,greedy`, one per seat.

    Args:
        people: whether `you` may sit at the table.

    Raises:
        InputError: too few or too many seats, or unknown names; lists the known ones.

    >>> seats_from("you, exact,greedy")
    ('you', 'exact', 'greedy')
    """
    names = tuple(name.strip() for name in text.split(","))
    if len(names) not in PLAYERS:
        raise InputError(
            f"seats {text!r}: {len(names)} is out of range {PLAYERS[0]}..{PLAYERS[-1]} players"
        )
    if people:
        check_names(names)
    else:
        check_strategies(names)
    return names


def check_names(names: Sequence[str]) -> None:
    """Refuse names that are neither `you` nor a strategy.

    Raises:
        InputError: lists the unknown and the known names.
    """
    check_strategies(names, also=[YOU])


__all__ = ["YOU", "check_names", "seats_from", "strategy_named", "strategy_names"]
