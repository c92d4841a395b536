"""Who plays in which seat: people, and strategies by name."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from quaternity.errors import InputError
from quaternity.kwartet.settings import PLAYERS
from quaternity.kwartet.strategies import students
from quaternity.kwartet.view import Strategy, View
from quaternity.question import Question

YOU = "you"
"""The name of a seat that a person plays."""


def _exact(view: View, random: Random) -> Question:
    """The request with the best exact chance, the first of equals."""
    from solvers.counting import exact_chances

    found = exact_chances(view.problem)
    choices = [
        (found.chance(index, number, asked), -asked, -index, -number)
        for index, mask in enumerate(view.hand)
        if mask
        for number in range(4)
        if not mask >> number & 1
        for asked in view.public.may_be_asked(view.seat)
    ]
    if not choices:
        return students.random_request(view, random)
    _, asked, index, number = max(choices)
    return students.request(view.seat, -asked, -index, -number)


_KNOWN: dict[str, Strategy] = {
    "random": students.random_request,
    "greedy": students.greedy,
    "silent": students.silent,
    "mixed": students.mixed,
    "better-greedy": students.better_greedy,
    "exact": _exact,
}


def strategy_names() -> list[str]:
    """The known names."""
    return list(_KNOWN)


def strategy_named(name: str) -> Strategy:
    """A strategy by name.

    Raises:
        InputError: unknown; lists the known names.
    """
    check_names([name])
    return _KNOWN[name]


def seats_from(text: str) -> tuple[str, ...]:
    """The names in a list such as `you,exact,greedy`, one per seat.

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
    check_names(names)
    return names


def check_names(names: Sequence[str]) -> None:
    """Refuse names that are neither `you` nor a strategy.

    Raises:
        InputError: lists the unknown and the known names.
    """
    known = [YOU, *strategy_names()]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"seats: {', '.join(map(repr, dict.fromkeys(unknown)))} unknown; "
            f"known are {', '.join(known)}"
        )


__all__ = ["YOU", "check_names", "seats_from", "strategy_named", "strategy_names"]
