"""`kwartet simulate`, `kwartet log`: games between strategies, many at once or one in full."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.failed_players import Failures, played_on, traced
from quaternity.cli.kwartet import kwartet
from quaternity.cli.options import AsJson, Dask, MoveSeconds, Traceback, Workers
from quaternity.cli.status import ExitStatus
from quaternity.cli.terminal import progress, say, warn, width

if TYPE_CHECKING:
    from quaternity.kwartet.standing import Mean, Standing
    from quaternity.kwartet.tournament import Outcome, Tournament

SEATS = "greedy,silent,mixed,random"
MOST_GAMES = 10_000_000
WORLDS_EVERY = 5
"""A picture shows the number of possible deals at every so many goes."""
GAMES_A_CHUNK = 20
ALL_ORDERS = 4
"""With more players not all orders of seats are played."""

Seats = Annotated[str, typer.Option(help="Strategies by commas, 2 to 8, repeats allowed.")]
Sets = Annotated[int, typer.Option("-n", "--sets", help="Number of sets, 2 to 20.")]
Seed = Annotated[int, typer.Option(help="Of the deals and of the strategies.")]
AnnounceRule = Annotated[
    str, typer.Option(help="When full sets are put down: at-once or after-own-request.")
]
Rotate = Annotated[
    bool,
    typer.Option(
        "--rotate/--fixed",
        help="Play each deal in all orders of seats (from 5 players on in a balanced choice of "
        "them), or keep the seats; seat 0 starts.",
    ),
]
OwnCards = Annotated[
    bool,
    typer.Option(
        "--own-card-requests/--no-own-card-requests",
        help="Whether a player may ask for a card in his own hand.",
    ),
]


def _tournament(
    seats: str,
    sets: int,
    seed: int,
    announce: str,
    rotate: bool,
    own_cards: bool,
    move_seconds: float | None,
) -> Tournament:
    from quaternity.kwartet.seats import seats_from
    from quaternity.kwartet.settings import Announce, KwartetSettings
    from quaternity.kwartet.tournament import Tournament

    names = seats_from(seats)
    settings = KwartetSettings(len(names), sets, Announce.parse(announce), own_cards)
    return Tournament(settings, names, seed, rotate, move_seconds=move_seconds)


@kwartet.command()
def simulate(
    games: Annotated[int, typer.Option(min=1, max=MOST_GAMES, help="Games to play.")] = 240,
    seed: Seed = 0,
    seats: Seats = SEATS,
    sets: Sets = 13,
    announce: AnnounceRule = "at-once",
    rotate: Rotate = True,
    own_card_requests: OwnCards = True,
    workers: Workers = 1,
    dask: Dask = None,
    plot: Annotated[
        str | None,
        typer.Option(help="Draw wins, and possible deals by go: .png, .svg or .pdf."),
    ] = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
    as_json: AsJson = False,
) -> None:
    """Let strategies play each other, and say who wins how often.

    Strategies: random, greedy, silent, mixed, better-greedy, exact, patient, and registered ones.
    There is a row for every seat that is named, in the order given: a strategy that is named three
    times has three rows, numbered. Each deal is played in all orders of seats, so that nobody gains
    by his neighbours: 24 games with four players. Where the number of games is no multiple of that,
    the last deal is played in the first orders only. Errors are standard errors over deals. Win
    share counts a tie in even parts. The same seed gives the same games on any number of workers.

    A strategy that fails ends the run with status 3 (4 when it took too long): the games before it
    are shown, and the game that it failed in is saved as a log.

    Example: quaternity kwartet simulate --seats patient,exact,exact,exact --games 1000 --seed 1
    """
    import time
    from dataclasses import replace
    from functools import partial

    from quaternity.files.pictures import check_picture
    from quaternity.kwartet.chances import FEW_PLAYERS
    from quaternity.kwartet.tournament import outcomes
    from quaternity.workers.pool import open_executor

    tournament = _tournament(seats, sets, seed, announce, rotate, own_card_requests, move_seconds)
    if plot is not None:
        check_picture(plot)
        if tournament.settings.players <= FEW_PLAYERS:
            tournament = replace(tournament, worlds_every=WORLDS_EVERY)
        else:
            warn(f"possible deals are drawn up to {FEW_PLAYERS} players only: counting is slow")
    began = time.perf_counter()
    finished: list[Outcome] = []
    chunk = 1 if workers == 1 and dask is None else _chunk(tournament.games_a_deal)

    def play() -> None:
        with progress("games", games) as bar, open_executor(workers, dask) as pool:
            finished.extend(outcomes(tournament, games, pool, bar.advance, chunk))

    failures = Failures("strategy", ".log", partial(_replay, tournament), traceback)
    status, failed = played_on(play, finished, games, failures, chunk)
    if finished:
        _show(tournament, finished, failed, time.perf_counter() - began, plot, as_json)
    elif as_json:
        print(json.dumps({"games": 0, "failed": failed}))
    if status is not ExitStatus.DONE:
        raise typer.Exit(status)


def _chunk(games_a_deal: int) -> int:
    """Games that a worker is given at a time: whole deals."""
    return games_a_deal * max(1, GAMES_A_CHUNK // games_a_deal)


def _replay(tournament: Tournament, game: int) -> list[str]:
    """The command that plays a game again."""
    settings = tournament.settings
    command = ["quaternity", "kwartet", "log", "--seats", ",".join(tournament.strategies)]
    command += ["--game", str(game), "--seed", str(tournament.seed)]
    command += ["--sets", str(settings.sets), "--announce", str(settings.announce)]
    if not tournament.rotate:
        command.append("--fixed")
    if not settings.own_card_requests:
        command.append("--no-own-card-requests")
    if tournament.move_seconds is not None:
        command += ["--move-seconds", f"{tournament.move_seconds:g}"]
    return command


def _show(
    tournament: Tournament,
    finished: list[Outcome],
    failed: dict[str, Any] | None,
    seconds: float,
    plot: str | None,
    as_json: bool,
) -> None:
    from quaternity.kwartet.standing import standing, worlds_by_go

    result = standing(tournament.strategies, finished, tournament.games_a_deal)
    if as_json:
        print(json.dumps(_document(result, seconds, failed)))
    else:
        _print(result, seconds)
    # A picture that fails costs no results.
    if plot is not None:
        from quaternity.kwartet.standing_plot import plot_standing

        plot_standing(plot, result, worlds_by_go(finished, tournament.games_a_deal))


def _document(result: Standing, seconds: float, failed: dict[str, Any] | None) -> dict[str, Any]:
    from quaternity.workers.seatings import labels

    return {
        "games": result.games,
        "strategies": list(result.strategies),
        "sole_wins": list(result.sole_wins),
        "tied_games": result.tied_games,
        "tied_players": list(result.tied_players),
        "win_share": [share.mean for share in result.win_share],
        "sets_won": list(result.sets_won),
        "goes": result.goes._asdict(),
        "requests": result.requests._asdict(),
        "seconds": seconds,
        "labels": labels(result.strategies),
        "win_share_se": [share.se for share in result.win_share],
        "deals": result.deals,
        "games_a_deal": result.games_a_deal,
        "failed": failed,
    }


def _print(result: Standing, seconds: float) -> None:
    from functools import partial

    from quaternity.game.text_table import table_lines
    from quaternity.workers.seatings import labels
    from solvers.wording import counted

    shown = partial(_shown, known=result.deals > 1)
    columns = (
        labels(result.strategies), map(str, result.sole_wins), map(str, result.tied_players),
        [shown(share, 3) for share in result.win_share],
        [f"{sets / result.games:.2f}" for sets in result.sets_won],
    )  # fmt: skip
    head = ("strategy", "won alone", "tied", "win share", "sets a game")
    print("\n".join(table_lines(head, list(zip(*columns, strict=True)), width())))
    say(
        f"{counted(result.games, 'game')}, {result.tied_games} tied; a game has "
        f"{shown(result.goes, 1)} goes and {shown(result.requests, 1)} requests; "
        f"{seconds:.1f} s"
    )
    if result.games_a_deal > 1:
        say(_orders(result))


def _orders(result: Standing) -> str:
    """In which orders of seats the deals were played."""
    from solvers.wording import counted

    whole, rest = divmod(result.games, result.games_a_deal)
    orders = f"{result.games_a_deal} orders of seats"
    if not whole:
        return f"one deal, in {rest} of {orders}"
    told = f"{counted(whole, 'deal')} in all {orders}"
    if len(result.strategies) > ALL_ORDERS:
        told = f"{counted(whole, 'deal')} in {orders}, balanced"
    if rest:
        told += f", one more in {rest}"
    return f"{told}; errors over deals" if result.deals > 1 else told


def _shown(value: Mean, digits: int, known: bool) -> str:
    return f"{value.mean:.{digits}f}" + (f" ± {value.se:.{digits}f}" if known else "")


@kwartet.command()
def log(
    seats: Seats = SEATS,
    game: Annotated[int, typer.Option(min=0, help="Which game of the simulation, from 0.")] = 0,
    seed: Seed = 0,
    sets: Sets = 13,
    announce: AnnounceRule = "at-once",
    rotate: Rotate = True,
    own_card_requests: OwnCards = True,
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat sees: of other hands the size.")
    ] = None,
    record: Annotated[
        str | None, typer.Option(help="Write the log to this new file instead of printing it.")
    ] = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the file of --record when it is there.")
    ] = False,
) -> None:
    """Play one game between strategies and give its log: the deal, and every request.

    It is the game of that number in `simulate` with the same options. The log can be watched and
    asked about, with `watch` and `know`. Where a strategy fails (status 3; 4 when it took too long)
    the log ends there.

    Example: quaternity kwartet log --seats exact,exact,greedy --seed 1 --record game.log
    """
    from quaternity.errors import InputError, PlayerFault
    from quaternity.files.growing_file import GrowingFile
    from quaternity.files.writing import write_text
    from quaternity.kwartet.log import log_as_seen, log_text, parse_log
    from quaternity.kwartet.tournament import logged_game

    tournament = _tournament(seats, sets, seed, announce, rotate, own_card_requests, move_seconds)
    if seat is not None:
        _check_seat(seat, tournament.settings.players)
    if record is not None and not force and GrowingFile.exists(record):
        raise InputError(f"{record}: is there already; --force overwrites it")
    failed = None
    try:
        with traced(traceback):
            played = logged_game(tournament, game)
    except PlayerFault as fault:
        if fault.place is None:
            raise
        played, failed = parse_log(fault.place.record), fault
    text = log_text(played) if seat is None else log_as_seen(played, seat)
    if record is None:
        print(text, end="")
    else:
        write_text(record, text)
    if failed is not None:
        raise failed


def _check_seat(seat: int, players: int) -> None:
    from quaternity.errors import InputError

    if not 0 <= seat < players:
        raise InputError(f"seat {seat} is out of range 0..{players - 1}")


__all__ = ["log", "simulate"]
