"""Functions that run a tournament, and report and save a game in which a player fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import join
from time import perf_counter
from typing import NamedTuple

from quaternity.base.errors import FaultPlace, InputError, PlayerFault, QuaternityError
from quaternity.base.reading import read_bytes
from quaternity.base.writing import write_text
from quaternity.cli.status import ExitWithStatus, reason_of, status_of, terminable
from quaternity.cli.terminal import (
    progress,
    report_internal_error,
    warn,
    warn_about_isolation,
    write_error,
)
from quaternity.table.tournament.outcome import FailedGame, TournamentRun
from quaternity.table.tournament.playing import (
    GameResult,
    Tournament,
    chunk_size,
    play,
    record_of_game,
)
from quaternity.workers.pool import open_executor

MAX_GAMES = 10_000_000


@contextmanager
def print_player_traceback(wanted: bool) -> Iterator[None]:
    """If `wanted`, print the traceback of a player that fails during the `with` block."""
    try:
        yield
    except PlayerFault as fault:
        if wanted:
            write_error(fault.trace)
        raise


class Failures(NamedTuple):
    """Options for handling players that fail.

    Attributes:
        suffix: the suffix of the files in which games are saved.
        replay: function that takes the number of a game and returns the command that replays it.
        traceback: whether to print the traceback of the player.
    """

    suffix: str
    replay: Callable[[int], Sequence[str]]
    traceback: bool


def play_tournament(
    plan: Tournament, games: int, workers: int, dask: str | None, failures: Failures
) -> TournamentRun:
    """Play the games of a tournament, and return the finished games even if an error ends it early.

    Raises:
        Exception: The error that stopped the games, if no game is finished and no player has
            failed.
    """
    if not 1 <= games <= MAX_GAMES:
        raise InputError(f"games: {games} is out of range 1..{MAX_GAMES}")
    warn_about_isolation(plan.players)
    began = perf_counter()
    finished: list[GameResult] = []
    games_at_once = 1
    try:
        with (
            print_player_traceback(failures.traceback),
            terminable(),
            progress("games", games) as bar,
            open_executor(workers, dask) as pool,
        ):
            games_at_once = chunk_size(plan, games, pool)
            finished.extend(play(plan, games, pool, bar.advance))
    except (KeyboardInterrupt, Exception) as error:
        fault = error if isinstance(error, PlayerFault) and error.place is not None else None
        if not finished and fault is None:
            raise
        interrupted = isinstance(error, KeyboardInterrupt)
        if not (interrupted or isinstance(error, QuaternityError | OSError | MemoryError)):
            report_internal_error(error)  # The finished games are still shown.
        why = reason_of(error) if interrupted else f"{reason_of(error)}; the run ended"
        lost_games = ""
        if games_at_once > 1 and fault is None:
            lost_games = f"; each worker may have finished up to {games_at_once - 1} more games"
        warn(f"{why} after {len(finished)} of {games} games{lost_games}")
        failed = None if fault is None else _save_failure(fault, plan.kind, failures)
        return TournamentRun(finished, perf_counter() - began, error, failed)
    return TournamentRun(finished, perf_counter() - began)


def show_tournament(
    run: TournamentRun, show: Callable[[TournamentRun], None], as_json: bool
) -> None:
    """Show the finished games. If an error ended the tournament, exit with its status."""
    with ExitWithStatus() as leaving:
        if run.stopped is not None:
            leaving.status = status_of(run.stopped)
        if run.games:
            show(run)
        elif as_json:
            print(json.dumps({"games": 0, "failed": run.document()["failed"]}))


def show_game(plan: Tournament, game: int, traceback: bool, show: Callable[[str], object]) -> None:
    """Play a game and show its record, which ends early if a player fails."""
    try:
        with print_player_traceback(traceback):
            record = record_of_game(plan, game)
    except PlayerFault as fault:
        if fault.place is not None:
            show(fault.place.record)
        raise
    show(record)


def _save_failure(fault: PlayerFault, kind: str, failures: Failures) -> FailedGame:
    place = fault.place
    assert place is not None, "only a failure that happened in a game can be saved"
    command = join(failures.replay(place.game))
    path: str | None = None
    try:
        path = _save_game(place, failures.suffix)
        warn(f"the game up to the failure is saved: {path}")
    except InputError as error:
        warn(f"the game up to the failure could not be saved: {error}")
    warn(f"to replay it: {command} --traceback")
    return FailedGame(kind, fault, path, command)


def _save_game(place: FaultPlace, suffix: str) -> str:
    """Save a game up to its failure in the current folder, and return the path of the file.

    A file that already contains the same game is reused. Other files are not overwritten.
    """
    number, path = 1, Path(f"failed-game-{place.game}{suffix}")
    while path.exists() and not (path.is_file() and read_bytes(str(path)) == place.record.encode()):
        number += 1
        path = Path(f"failed-game-{place.game}-{number}{suffix}")
    write_text(path, place.record, private=True)
    return str(path)
