"""Players from outside: strategies and bots that this program did not write.

Whatever they do becomes a `PlayerFault` that names them. In long runs they play in a process of
their own (`quaternity.workers.own_process`), so that not even a crash ends more than their game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index as as_int
from traceback import format_exception
from typing import Any, NamedTuple, TypeVar

from quaternity.errors import FaultPlace, GameLimit, PlayerFault, PlayerTimeout
from quaternity.game.cards import Card
from quaternity.game.question import Question
from solvers.interrupts import is_interrupt
from solvers.wording import printable, shown

Result = TypeVar("Result")

LONGEST_TRACE = 100_000
"""So many characters of a traceback are kept, the last ones."""


class Sitting(NamedTuple):
    """A player in its seat.

    Attributes:
        kind: "strategy", "bot" or "player".
    """

    kind: str
    name: str
    seat: int

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} in seat {self.seat}"

    def fault(self, error: BaseException, more: str = "") -> PlayerFault:
        """Return the fault of a player whose code raised something, with what is said besides.

        The user's own interrupt goes on.
        """
        if is_interrupt(error):
            raise error
        trace = error.__traceback__
        # Up to its own code the calls are ours.
        inner = trace.tb_next if trace is not None else None
        lines = format_exception(type(error), error, inner or trace)
        return PlayerFault(
            f"{self} failed: {shown(error)}{more}", printable("".join(lines)[-LONGEST_TRACE:])
        )

    def breaks_rules(self, error: Exception) -> PlayerFault:
        """The fault of a player that did what the rules forbid."""
        return PlayerFault(f"{self}: {error}")

    def question(self, ask: Callable[..., Question], *arguments: Any) -> Question:
        """What a player asks, as `plain` has it; whatever its code raises is its fault."""
        try:
            question = ask(*arguments)
        except BaseException as error:  # whatever somebody else's code may raise
            raise self.fault(error) from error
        return question if is_plain(question) else self.plain(question)

    def plain(self, question: object) -> Question:
        """What a player asked as a question of plain whole numbers: NumPy's count as such.

        Raises:
            PlayerFault: it is no question, or not of whole numbers.
        """
        try:
            if not isinstance(question, Question):
                raise TypeError("that is no Question")
            asker, asked, (index, number) = question
            plain = [int(as_int(one)) for one in (asker, asked, index, number)]
            return Question(plain[0], plain[1], Card(plain[2], plain[3]))
        except BaseException as error:  # the numbers may be anybody's too
            if is_interrupt(error):
                raise
            raise PlayerFault(f"{self} gave {shown(question)}: {shown(error, str)}") from error


def is_plain(question: object) -> bool:
    """Whether something is a question of plain whole numbers."""
    if type(question) is not Question:
        return False
    try:
        asker, asked, (index, number) = question
    except (TypeError, ValueError):
        return False
    return type(asker) is type(asked) is type(index) is type(number) is int


def played_apart(
    kind: str,
    seats: Sequence[str],
    seconds: float | None,
    place: Callable[[Sequence[str], int | None], FaultPlace] | None,
    play: Callable[..., Result],
    *arguments: Any,
) -> Result:
    """A game in a process of its own.

    A process that dies though nobody took too long is given the game once more: it may have been
    killed from elsewhere.

    Args:
        kind: "strategy", "bot" or "player".
        seats: the names of the players by seat.
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


__all__ = ["Sitting", "is_plain", "played_apart"]
