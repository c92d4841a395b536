"""What commands say, save and return when a strategy or a bot fails."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from traceback import print_exc
from typing import TYPE_CHECKING, Any, NamedTuple

from quaternity.cli.status import ExitStatus, status_of
from quaternity.cli.terminal import warn
from quaternity.errors import InputError, LimitError, PlayerFault, QuaternityError

if TYPE_CHECKING:
    from quaternity.errors import FaultPlace


@contextmanager
def traced(wanted: bool) -> Iterator[None]:
    """Print the traceback of a player that fails within the block, if that is wanted."""
    try:
        yield
    except PlayerFault as fault:
        if wanted:
            print(fault.trace, end="", file=sys.stderr)
        raise


class Failures(NamedTuple):
    """How a command deals with players that fail.

    Attributes:
        kind: of the players: "strategy" or "bot".
        suffix: of the files that games are saved in.
        replay: the command that plays a game again, by its number.
        traceback: whether the traceback is shown.
    """

    kind: str
    suffix: str
    replay: Callable[[int], Sequence[str]]
    traceback: bool


def played_on(
    play: Callable[[], None],
    finished: Sequence[object],
    games: int,
    failures: Failures,
    in_hand: int = 1,
) -> tuple[ExitStatus, dict[str, Any] | None]:
    """Play until all games are finished, or something stops that; say what.

    Args:
        play: plays, and adds to `finished`.
        games: how many there are to be.
        in_hand: how many a worker plays before it hands them over.

    Returns:
        The exit status, and what JSON says of a game that failed.

    Raises:
        What stopped it, when no game failed and none is finished.
    """
    try:
        with traced(failures.traceback):
            play()
    except (KeyboardInterrupt, Exception) as error:
        fault = error if isinstance(error, PlayerFault) else None
        if not finished and fault is None:
            raise
        interrupted = isinstance(error, KeyboardInterrupt)
        if not (interrupted or isinstance(error, QuaternityError | OSError | MemoryError)):
            print_exc()  # a fault of this program: the games are shown all the same
        why = "interrupted" if interrupted else f"{str(error) or type(error).__name__}; ended"
        cut = in_hand > 1 and fault is None
        lost = f"; up to {in_hand - 1} more of each worker are not shown" if cut else ""
        warn(f"{why} after {len(finished)} of {games} games{lost}")
        return status_of(error), None if fault is None else _saved_failure(fault, failures)
    return ExitStatus.DONE, None


def _saved_failure(fault: PlayerFault, failures: Failures) -> dict[str, Any]:
    """Save a game that failed, say how to play it again, and give all that for JSON."""
    from shlex import join

    place = fault.place
    assert place is not None, "a game was played"
    command = join(failures.replay(place.game))
    path: str | None = None
    try:
        path = _saved(place, failures.suffix)
        warn(f"the game up to there is saved: {path}")
    except InputError as error:
        warn(f"the game up to there could not be saved: {error}")
    warn(f"to play it again: {command} --traceback")
    return {
        failures.kind: place.player or None,
        "seat": place.seat,
        "game": place.game,
        "moves": place.moves,
        "go": place.go,
        "reason": fault.what,
        "limit": isinstance(fault, LimitError),
        "saved": path,
        "replay": command,
    }


def _saved(place: FaultPlace, suffix: str) -> str:
    """The path of a new file, in the current folder, with the game up to a failure."""
    from quaternity.files.reading import read_bytes
    from quaternity.files.writing import write_text

    number, path = 1, Path(f"failed-game-{place.game}{suffix}")
    while path.exists() and not (path.is_file() and read_bytes(str(path)) == place.record.encode()):
        number += 1
        path = Path(f"failed-game-{place.game}-{number}{suffix}")
    write_text(path, place.record)
    return str(path)


__all__ = ["Failures", "played_on", "traced"]
