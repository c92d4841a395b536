"""`tournament`: bots against each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.cli.app import app
from quaternity.cli.failed_players import Failures, played_on, traced
from quaternity.cli.options import (
    AsJson,
    Dask,
    MoveSeconds,
    Players,
    Sets,
    SetSize,
    TieBreakName,
    Traceback,
    Workers,
)  # fmt: skip
from quaternity.cli.status import ExitStatus
from quaternity.cli.terminal import progress, say, width

if TYPE_CHECKING:
    from quaternity.perfect.ratings import Measured, Table
    from quaternity.perfect.tournament import GameResult, Tournament


@app.command()
def tournament(
    bots: Annotated[
        list[str],
        typer.Argument(help="random, informed, search[:GAMES] or perfect:TABLEBASE; at least two."),
    ],
    set_size: SetSize = 4,
    sets: Sets = 3,
    players: Players = 3,
    tie_break: TieBreakName = "first-in-order",
    games: Annotated[int, typer.Option(help="Games to play.")] = 60,
    cap: Annotated[int, typer.Option(help="A game of so many moves has no result.")] = 500,
    seed: Annotated[int, typer.Option(help="Of everything that is random.")] = 0,
    workers: Workers = 1,
    dask: Dask = None,
    plot: Annotated[
        str | None, typer.Option(help="Draw shares and ratings: .png, .svg or .pdf.")
    ] = None,
    game: Annotated[
        int | None, typer.Option(min=0, help="Play the game of this number, and print its record.")
    ] = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
    as_json: AsJson = False,
) -> None:
    """Let bots play each other, and say who wins how often, with standard errors.

    The bots play in all orders of seats, from five players on in a balanced choice of orders. With
    fewer bots than seats they take turns in the seats, with more all choices of them do. Only a
    sole win counts as a win.

    A bot that fails ends the run with status 3 (4 when it took too long): the games before it are
    shown, and the game that it failed in is saved as a record.

    Example: quaternity tournament search informed random --games 300 --seed 1 --workers 2
    """
    import time
    from functools import partial

    from quaternity.files.pictures import check_picture
    from quaternity.game.settings import Settings, TieBreak
    from quaternity.perfect.tournament import CHUNK, Tournament, play
    from quaternity.workers.pool import open_executor

    settings = Settings(set_size, sets, players, TieBreak.parse(tie_break), seed)
    plan = Tournament(settings, tuple(bots), games, seed, cap, move_seconds)
    if game is not None:
        with traced(traceback):
            _print_record(plan, game)
        return
    if plot is not None:
        check_picture(plot)
    began = time.perf_counter()
    results: list[GameResult] = []

    def play_all() -> None:
        with progress("games", games) as bar, open_executor(workers, dask) as pool:
            for result in play(plan, pool):
                results.append(result)
                bar.advance()

    in_hand = 1 if workers == 1 and dask is None else CHUNK
    failures = Failures("bot", ".record", partial(_replay, plan), traceback)
    status, failed = played_on(play_all, results, games, failures, in_hand)
    if results:
        _show(plan, results, failed, time.perf_counter() - began, plot, as_json)
    elif as_json:
        print(json.dumps({"games": 0, "failed": failed}))
    if status is not ExitStatus.DONE:
        raise typer.Exit(status)


def _print_record(plan: Tournament, game: int) -> None:
    """Play one game and print its record, up to where a bot fails if one does."""
    from quaternity.errors import PlayerFault
    from quaternity.game.record import record_of
    from quaternity.perfect.tournament import played_game

    try:
        _, moves = played_game(plan, game)
    except PlayerFault as fault:
        if fault.place is not None:
            print(fault.place.record, end="")
        raise
    print(record_of(plan.settings, moves), end="")


def _replay(plan: Tournament, game: int) -> list[str]:
    """The command that plays a game again."""
    settings = plan.settings
    command = ["quaternity", "tournament", *plan.bots, "--game", str(game)]
    command += ["--seed", str(plan.seed), "-s", str(settings.set_size), "-n", str(settings.sets)]
    command += ["-p", str(settings.players), "--tie-break", str(settings.tie_break)]
    command += ["--cap", str(plan.cap)]
    if plan.move_seconds is not None:
        command += ["--move-seconds", f"{plan.move_seconds:g}"]
    return command


def _show(
    plan: Tournament,
    results: list[GameResult],
    failed: dict[str, Any] | None,
    seconds: float,
    plot: str | None,
    as_json: bool,
) -> None:
    from random import Random

    from quaternity.perfect.ratings import tabulated
    from quaternity.workers.seatings import labels

    table = tabulated(results, len(plan.bots), Random(plan.seed))
    if as_json:
        document = _document(plan, table, len(results), seconds)
        print(json.dumps({**document, "labels": labels(plan.bots), "failed": failed}))
    else:
        _print(plan, table, len(results))
    # A picture that fails costs no results.
    if plot is not None:
        from quaternity.perfect.tournament_plot import plot_tournament

        plot_tournament(plot, labels(plan.bots), table)


def _document(plan: Tournament, table: Table, games: int, seconds: float) -> dict[str, Any]:
    from dataclasses import asdict

    settings = plan.settings
    return {
        "set_size": settings.set_size,
        "sets": settings.sets,
        "players": settings.players,
        "tie_break": str(settings.tie_break),
        "games": games,
        "seed": plan.seed,
        "cap": plan.cap,
        "bots": [
            {"bot": bot, **asdict(record)}
            for bot, record in zip(plan.bots, table.records, strict=True)
        ],
        "margins": [[one and asdict(one) for one in row] for row in table.margins],
        "shared": table.shared,
        "unfinished": table.unfinished,
        "moves": asdict(table.moves),
        "seconds": seconds,
    }


def _print(plan: Tournament, table: Table, games: int) -> None:
    from quaternity.game.text_table import table_lines
    from quaternity.workers.seatings import labels

    names = labels(plan.bots)
    settings = plan.settings
    say(
        f"{games} games of {settings.set_size}-{settings.sets}-{settings.players}, "
        f"{table.moves.mean:.1f} moves each; nobody won {table.shared}, "
        f"{table.unfinished} without a result"
    )
    head = ("bot", "games", "wins", "share", "score", "sets", "rating")
    rows = [
        [
            bot,
            *map(str, (one.games, one.wins, one.share, one.score, one.sets)),
            _rounded(one.rating),
        ]
        for bot, one in zip(names, table.records, strict=True)
    ]
    print("\n".join(table_lines(head, rows, width())))
    say("score: 1 for a sole win, shared by all seats when nobody wins; ahead by (in errors):")
    for bot, row in zip(names, table.margins, strict=True):
        ahead = [
            f"{other} {margin.mean:+.3f} ({_in_errors(margin)})"
            for other, margin in zip(names, row, strict=True)
            if margin is not None
        ]
        say(f"  {bot}: {'; '.join(ahead) or '-'}")


def _rounded(rating: Measured | None) -> str:
    if rating is None:
        return "-"
    return f"{rating.mean:.0f}" + ("" if rating.error is None else f" ± {rating.error:.0f}")


def _in_errors(margin: Measured) -> str:
    return f"{margin.mean / margin.error:+.1f}" if margin.error else "-"


__all__ = ["tournament"]
