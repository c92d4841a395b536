"""What commands say, save and return when a strategy or a bot fails."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.status import ExitStatus
from quaternity.cli.terminal import warn
from quaternity.errors import InputError, LimitError, PlayerFault

if TYPE_CHECKING:
    from quaternity.errors import FaultPlace

MoveSeconds = Annotated[
    float | None,
    typer.Option(
        help="Most seconds for one move of a player. Without: 60 for players from outside, and "
        "no limit for those of this program."
    ),
]
Traceback = Annotated[
    bool, typer.Option("--traceback", help="Show the traceback of a player that fails.")
]


@contextmanager
def traced(wanted: bool) -> Iterator[None]:
    """Print the traceback of a player that fails within the block, if that is wanted."""
    try:
        yield
    except PlayerFault as fault:
        if wanted:
            print(fault.trace, end="", file=sys.stderr)
        raise


def status_of(stop: BaseException | None) -> ExitStatus:
    """The exit status of a run that was stopped, or was not."""
    if stop is None:
        return ExitStatus.DONE
    if isinstance(stop, KeyboardInterrupt):
        return ExitStatus.INTERRUPTED
    return ExitStatus.LIMIT if isinstance(stop, LimitError) else ExitStatus.DISAGREE


def told_stop(stop: BaseException, finished: int, games: int) -> None:
    """Say why a run ends before its last game."""
    why = "interrupted" if isinstance(stop, KeyboardInterrupt) else f"{stop}; ended"
    warn(f"{why} after {finished} of {games} games")


def saved_failure(
    fault: PlayerFault, kind: str, suffix: str, replay: Sequence[str]
) -> dict[str, Any]:
    """Save the game of a failed player, say how to play it again, and give all that for JSON.

    Args:
        kind: "strategy" or "bot".
        suffix: of the file's name.
        replay: the command that plays the game again.
    """
    from shlex import join

    place = fault.place
    assert place is not None, "a game was played"
    command = join(replay)
    try:
        path = _saved(place, suffix)
        warn(f"the game up to there is saved: {path}")
    except InputError as error:
        path = None
        warn(f"the game up to there could not be saved: {error}")
    warn(f"to play it again: {command} --traceback")
    return {
        kind: place.player,
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
    from quaternity.reading import read_bytes
    from quaternity.writing import write_text

    number, path = 1, Path(f"failed-game-{place.game}{suffix}")
    while path.exists() and not (path.is_file() and read_bytes(str(path)) == place.record.encode()):
        number += 1
        path = Path(f"failed-game-{place.game}-{number}{suffix}")
    write_text(path, place.record)
    return str(path)


__all__ = ["MoveSeconds", "Traceback", "saved_failure", "status_of", "told_stop", "traced"]
