"""Which strategy plays in which seat."""

from __future__ import annotations

from quaternity.errors import InputError
from quaternity.kwartet.settings import PLAYERS
from quaternity.kwartet.strategies.registry import check_strategies


def seats_from(text: str) -> tuple[str, ...]:
    """The strategies in a list such as `exact,exact,greedy`, one per seat.

    Raises:
        InputError: too few or too many seats, or unknown names; lists the known ones.

    >>> seats_from("exact, exact,greedy")
    ('exact', 'exact', 'greedy')
    """
    names = tuple(name.strip() for name in text.split(","))
    if len(names) not in PLAYERS:
        raise InputError(
            f"seats {text!r}: {len(names)} is out of range {PLAYERS[0]}..{PLAYERS[-1]} players"
        )
    check_strategies(names)
    return names


__all__ = ["seats_from"]
