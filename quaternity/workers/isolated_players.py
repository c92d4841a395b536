"""Functions that call external players: strategies and bots from outside this package.

Any error in an external player is raised as a `PlayerFault` that names the player. A player can
also run in a separate process (`quaternity.workers.isolated_calls`), so that even a crash ends only
one game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from traceback import format_exception
from typing import Any, NamedTuple, TypeVar

from quaternity.base.errors import FaultPlace, GameLimit, PlayerFault, PlayerTimeout
from quaternity.base.interrupts import is_interrupt
from quaternity.base.text_format import make_printable, quote_value
from quaternity.workers.program import ProgramFault

Result = TypeVar("Result")

MAX_TRACEBACK_LENGTH = 100_000
"""Maximum length of a traceback, in characters. The beginning of a longer traceback is cut off."""


class SeatedPlayer(NamedTuple):
    """A player in a seat. `kind` is "strategy", "bot" or "player"."""

    kind: str
    name: str
    seat: int

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} in seat {self.seat}"

    def fault(self, error: BaseException, more: str = "") -> PlayerFault:
        """Return a `PlayerFault` for an error in the player's code. Re-raise an interrupt."""
        if is_interrupt(error):
            raise error
        if isinstance(error, ProgramFault):
            kind = PlayerTimeout if error.overdue else PlayerFault
            return kind(f"{self} {error.what}", error.errors)
        trace = error.__traceback__
        # The outermost call belongs to this package, so only the frames of the player's code are
        # shown.
        inner = trace.tb_next if trace is not None else None
        lines = format_exception(type(error), error, inner or trace)
        return PlayerFault(
            f"{self} failed: {quote_value(error)}{more}",
            make_printable("".join(lines)[-MAX_TRACEBACK_LENGTH:]),
        )

    def rule_fault(self, error: Exception) -> PlayerFault:
        """Return a `PlayerFault` that says that the player broke the rules."""
        return PlayerFault(f"{self}: {error}")

    def call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a player's function and return its result. Raise its errors as `PlayerFault`."""
        try:
            return function(*arguments)
        except BaseException as error:  # External code may raise any exception.
            raise self.fault(error) from error

    def validate(self, plain: Callable[[object], Result], answer: object) -> Result:
        """Check a player's answer with the function `plain` and return its result.

        Raise `PlayerFault` if `plain` raises an error.
        """
        try:
            return plain(answer)
        # The methods of an answer of an external class may raise any exception.
        except BaseException as error:
            if is_interrupt(error):
                raise
            raise PlayerFault(
                f"{self} gave {quote_value(answer)}: {quote_value(error, str)}"
            ) from error


def play_isolated(
    kind: str,
    seats: Sequence[str],
    seconds: float | None,
    place: Callable[[Sequence[str], int | None], FaultPlace] | None,
    play: Callable[..., Result],
    *arguments: Any,
) -> Result:
    """Play a game or a part of it in a separate process, and return what `play` returns.

    If the process dies although no player exceeded the time limit, the game is played once more,
    because another program may have killed the process.

    Args:
        kind: The word for a player in error messages: "strategy", "bot" or "player".
        seats: Name of the player in each seat.
        seconds: Time limit for each move of a player, in seconds. None means no limit.
        place: Function that returns the place of a fault in the game. It takes the moves so far,
            and the seat that was thinking or None. If `place` is None, errors have no place.
        play: Function that plays. The function, its arguments and its result must be picklable.

    Raises:
        PlayerFault: If a player failed, or the process died twice, the second time in the player's
            code.
        PlayerTimeout: If a player exceeded the time limit.
        GameLimit: If the process died twice, the second time not in a player's code.
    """
    from quaternity.workers.isolated_calls import ProcessEnded, own_process

    ended = None
    for _ in range(2):
        try:
            return own_process().call(play, *arguments, seconds=seconds)
        except ProcessEnded as error:
            ended = error
            if ended.overdue:
                break
    assert ended is not None, "a call without a result must have ended its process"
    where = None if place is None else place(ended.moves, ended.thinking)
    if ended.thinking is None:
        raise GameLimit(str(ended), place=where)
    player = SeatedPlayer(kind, seats[ended.thinking], ended.thinking)
    fault = PlayerTimeout if ended.overdue else PlayerFault
    reason = ended.how if ended.overdue else f"stopped unexpectedly: its process {ended.how}"
    raise fault(f"{player} {reason}", make_printable(ended.stack), where)
