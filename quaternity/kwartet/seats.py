"""Who plays in which seat: people, and strategies by name."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from quaternity.errors import InputError
from quaternity.game.question import Question
from quaternity.kwartet.settings import PLAYERS
from quaternity.kwartet.strategies.registry import (
    STRATEGIES,
    check_strategies,
    strategy_named,
    strategy_names,
)
from quaternity.kwartet.view import View, request_of
from quaternity.workers.foreign import played_apart
from quaternity.workers.own_process import FOREIGN_SECONDS, notes

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


def request_by(name: str, view: View, random: Random, seconds: float | None = None) -> Question:
    """What the strategy of a name asks, in a process of its own where it is from outside.

    Args:
        seconds: the longest that it may think; None: for ever, or `FOREIGN_SECONDS` from outside.

    Raises:
        PlayerFault: it failed; see `quaternity.kwartet.view.request_of`.
        PlayerTimeout: it thought for too long.
    """
    if name in STRATEGIES and seconds is None:
        return _request(name, view, random)
    names = [""] * view.public.settings.players
    names[view.seat] = name
    seconds = FOREIGN_SECONDS if seconds is None else seconds
    return played_apart("strategy", names, seconds, None, _request, name, view, random)


def _request(name: str, view: View, random: Random) -> Question:
    strategy, told = strategy_named(name), notes()
    if told is not None:
        told.thinks(view.seat)
    return request_of(strategy, name, view, random)


__all__ = ["YOU", "check_names", "request_by", "seats_from", "strategy_named", "strategy_names"]
