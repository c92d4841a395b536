"""Players from outside: strategies and bots that this program did not write.

Whatever they do becomes a `PlayerFault` that names them. In long runs they play in a process of
their own (`quaternity.workers.own_process`), so that not even a crash ends more than their game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from traceback import format_exception
from typing import Any, NamedTuple, TypeVar

from quaternity.base.errors import FaultPlace, GameLimit, PlayerFault, PlayerTimeout
from quaternity.base.interrupts import is_interrupt
from quaternity.base.wording import printable, shown
from quaternity.workers.program import ProgramFault

Result = TypeVar("Result")

MAX_TRACEBACK_LENGTH = 100_000
"""Maximum length of the end of a traceback that is kept, in characters."""


class Sitting(NamedTuple):
    """A player in its seat; its kind is "strategy", "bot" or "player"."""

    kind: str
    name: str
    seat: int

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} in seat {self.seat}"

    def fault(self, error: BaseException, more: str = "") -> PlayerFault:
        """Return the fault of a player whose code raised; the user's own interrupt goes on."""
        if is_interrupt(error):
            raise error
        if isinstance(error, ProgramFault):
            kind = PlayerTimeout if error.overdue else PlayerFault
            return kind(f"{self} {error.what}", error.errors)
        trace = error.__traceback__
        # Up to its own code the calls are ours.
        inner = trace.tb_next if trace is not None else None
        lines = format_exception(type(error), error, inner or trace)
        return PlayerFault(
            f"{self} failed: {shown(error)}{more}",
            printable("".join(lines)[-MAX_TRACEBACK_LENGTH:]),
        )

    def breaks_rules(self, error: Exception) -> PlayerFault:
        """Return the fault of a player that did what the rules forbid."""
        return PlayerFault(f"{self}: {error}")

    def called(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Return what a player's function returns; whatever it raises is the player's fault."""
        try:
            return function(*arguments)
        except BaseException as error:  # whatever somebody else's code may raise
            raise self.fault(error) from error

    def made_plain(self, plain: Callable[[object], Result], given: object) -> Result:
        """Return what a player gave, made plain; whatever `plain` raises is the player's fault."""
        try:
            return plain(given)
        except BaseException as error:  # what is given may be of anybody's class
            if is_interrupt(error):
                raise
            raise PlayerFault(f"{self} gave {shown(given)}: {shown(error, str)}") from error


def played_apart(
    kind: str,
    seats: Sequence[str],
    seconds: float | None,
    place: Callable[[Sequence[str], int | None], FaultPlace] | None,
    play: Callable[..., Result],
    *arguments: Any,
) -> Result:
    """Return a game in a process of its own.

    A process that dies though nobody took too long is given the game once more: it may have been
    killed from elsewhere.

    Args:
        kind: "strategy", "bot" or "player".
        seconds: the longest that one may think at a time; None: for ever.
        place: where the game was, after some moves as they were noted, when a seat or none was
            thinking; None where that is known to the caller.
        play: plays it, or a part of it; told `arguments`, all picklable.

    Raises:
        PlayerFault: a player failed, or the process died in its code, twice.
        PlayerTimeout: a player thought for too long.
        GameLimit: the process died twice, and not in a player's code.
    """
    from quaternity.workers.own_process import ProcessEnded, own_process

    ended = None
    for _ in range(2):
        try:
            return own_process().call(play, *arguments, seconds=seconds)
        except ProcessEnded as error:
            ended = error
            if ended.overdue:
                break
    assert ended is not None, "there was no result"
    where = None if place is None else place(ended.moves, ended.thinking)
    if ended.thinking is None:
        raise GameLimit(str(ended), place=where)
    who = Sitting(kind, seats[ended.thinking], ended.thinking)
    fault = PlayerTimeout if ended.overdue else PlayerFault
    what = ended.how if ended.overdue else f"ended its process, which {ended.how}"
    raise fault(f"{who} {what}", printable(ended.stack), where)
