"""`kwartet simulate`, `kwartet log`: games between strategies, many at once or one in full."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.kwartet import kwartet
from quaternity.cli.status import ExitStatus
from quaternity.cli.terminal import console, progress, warn

if TYPE_CHECKING:
    from quaternity.kwartet.standing import Mean, Standing
    from quaternity.kwartet.tournament import Outcome, Tournament

SEATS = "greedy,silent,mixed,random"
MOST_GAMES = 10_000_000
WORLDS_EVERY = 5
"""A picture shows the number of possible deals at every so many goes."""
GAMES_A_CHUNK = 20

Seats = Annotated[str, typer.Option(help="Strategies by commas, 2 to 8, repeats allowed.")]
Sets = Annotated[int, typer.Option("-n", "--sets", help="Number of sets, 2 to 20.")]
Seed = Annotated[int, typer.Option(help="Of the deals and of the strategies.")]
AnnounceRule = Annotated[
    str, typer.Option(help="When full sets are put down: at-once or after-own-request.")
]
Rotate = Annotated[
    bool,
    typer.Option(
        "--rotate/--fixed", help="Whether strategies move on one seat a game; seat 0 starts."
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
    seats: str, sets: int, seed: int, announce: str, rotate: bool, own_cards: bool
) -> Tournament:
    from quaternity.kwartet.seats import seats_from
    from quaternity.kwartet.settings import Announce, KwartetSettings
    from quaternity.kwartet.tournament import Tournament

    names = seats_from(seats, people=False)
    settings = KwartetSettings(len(names), sets, Announce.parse(announce), own_cards)
    return Tournament(settings, names, seed, rotate)


@kwartet.command()
def simulate(
    games: Annotated[int, typer.Option(min=1, max=MOST_GAMES, help="Games to play.")] = 100,
    seed: Seed = 0,
    seats: Seats = SEATS,
    sets: Sets = 13,
    announce: AnnounceRule = "at-once",
    rotate: Rotate = True,
    own_card_requests: OwnCards = True,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on the Dask cluster at tcp://...")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(help="Draw wins, and possible deals by go: .png, .svg or .pdf."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Let strategies play each other, and say who wins how often.

    Strategies: random, greedy, silent, mixed, better-greedy, exact, patient, and registered ones.
    There is a row for every seat that is named, in the order given: a strategy that is named three
    times has three rows. Win share counts a tie in even parts. The same seed gives the same games
    on any number of workers.

    Example: quaternity kwartet simulate --seats patient,exact,exact,exact --games 1000 --seed 1
    """
    import time
    from dataclasses import replace

    from quaternity.errors import LimitError
    from quaternity.kwartet.chances import FEW_PLAYERS
    from quaternity.kwartet.tournament import outcomes
    from quaternity.pictures import check_picture
    from quaternity.workers import open_executor

    tournament = _tournament(seats, sets, seed, announce, rotate, own_card_requests)
    if plot is not None:
        check_picture(plot)
        if tournament.settings.players <= FEW_PLAYERS:
            tournament = replace(tournament, worlds_every=WORLDS_EVERY)
        else:
            warn(f"possible deals are drawn up to {FEW_PLAYERS} players only: counting is slow")
    began = time.perf_counter()
    finished: list[Outcome] = []
    status = ExitStatus.DONE
    chunk = 1 if workers == 1 and dask is None else GAMES_A_CHUNK
    try:
        with progress("games", games) as bar, open_executor(workers, dask) as pool:
            finished.extend(outcomes(tournament, games, pool, bar.advance, chunk))
    except (KeyboardInterrupt, LimitError) as error:
        if not finished:
            raise
        limit = isinstance(error, LimitError)
        status = ExitStatus.LIMIT if limit else ExitStatus.INTERRUPTED
        why = f"{error}; ended" if limit else "interrupted"
        warn(f"{why} after {len(finished)} of {games} games")
    _show(tournament, finished, time.perf_counter() - began, plot, as_json)
    if status is not ExitStatus.DONE:
        raise typer.Exit(status)


def _show(
    tournament: Tournament, finished: list[Outcome], seconds: float, plot: str | None, as_json: bool
) -> None:
    from quaternity.kwartet.standing import standing, worlds_by_go

    result = standing(tournament.strategies, finished)
    if plot is not None:
        from quaternity.kwartet.standing_plot import plot_standing

        plot_standing(plot, result, worlds_by_go(finished))
    if as_json:
        print(json.dumps(_document(result, seconds)))
    else:
        _print(result, seconds)


def _document(result: Standing, seconds: float) -> dict[str, Any]:
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
    }


def _print(result: Standing, seconds: float) -> None:
    from rich.markup import escape
    from rich.table import Table

    from solvers.wording import counted

    table = Table(box=None, pad_edge=False)
    table.add_column("strategy")
    for heading in ("won alone", "tied", "win share", "sets a game"):
        table.add_column(heading, justify="right")
    for name, sole, tied, share, sets in zip(
        result.strategies,
        result.sole_wins,
        result.tied_players,
        result.win_share,
        result.sets_won,
        strict=True,
    ):
        table.add_row(
            escape(name), str(sole), str(tied), _shown(share, 3), f"{sets / result.games:.2f}"
        )
    console().print(table)
    print(
        f"{counted(result.games, 'game')}, {result.tied_games} tied; a game has "
        f"{_shown(result.goes, 1)} goes and {_shown(result.requests, 1)} requests; "
        f"{seconds:.1f} s"
    )


def _shown(value: Mean, digits: int) -> str:
    return f"{value.mean:.{digits}f} ± {value.se:.{digits}f}"


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
        str | None, typer.Option(help="Write the log to this file instead of printing it.")
    ] = None,
) -> None:
    """Play one game between strategies and give its log: the deal, and every request.

    It is the game of that number in `simulate` with the same options. The log can be watched and
    asked about, with `watch` and `know`.

    Example: quaternity kwartet log --seats exact,exact,greedy --seed 1 --record game.log
    """
    from quaternity.kwartet.log import log_as_seen, log_text
    from quaternity.kwartet.tournament import logged_game
    from quaternity.writing import write_text

    tournament = _tournament(seats, sets, seed, announce, rotate, own_card_requests)
    if seat is not None:
        _check_seat(seat, tournament.settings.players)
    played = logged_game(tournament, game)
    text = log_text(played) if seat is None else log_as_seen(played, seat)
    if record is None:
        print(text, end="")
    else:
        write_text(record, text)


def _check_seat(seat: int, players: int) -> None:
    from quaternity.errors import InputError

    if not 0 <= seat < players:
        raise InputError(f"seat {seat} is out of range 0..{players - 1}")


__all__ = ["log", "simulate"]
