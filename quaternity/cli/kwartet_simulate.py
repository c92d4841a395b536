"""`kwartet simulate` and `kwartet log`: play many games between strategies, or print one game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import typer

from quaternity.base.append_file import AppendOnlyFile
from quaternity.base.errors import InputError
from quaternity.base.names import split_names
from quaternity.base.plots import check_picture
from quaternity.base.text_format import with_noun
from quaternity.base.text_table import table_lines
from quaternity.base.writing import write_text
from quaternity.cli.any_game import add_game_tournament
from quaternity.cli.failed_players import (
    MAX_GAMES,
    Failures,
    play_tournament,
    show_game,
    show_tournament,
)
from quaternity.cli.kwartet import Aside, MaxMoves, SetSize, kwartet, make_settings
from quaternity.cli.options import AsJson, Dask, MoveSeconds, PlayerFile, Secret, Traceback, Workers
from quaternity.cli.terminal import say, warn, width
from quaternity.cli.tournament import TournamentWords, option_words, orders_text
from quaternity.kwartet.chances import FEW_PLAYERS
from quaternity.kwartet.log import log_as_seen, parse_log
from quaternity.kwartet.log_reader import OPTIONAL_SETTINGS
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import PLAYERS, KwartetSettings
from quaternity.table.player_file import resolve_player
from quaternity.table.tournament.outcome import TournamentRun
from quaternity.table.tournament.picture import draw_table
from quaternity.table.tournament.playing import Tournament
from quaternity.table.tournament.scores import Measured, Table, make_table, worlds_by_go
from quaternity.table.tournament.seatings import labels

SEATS = "greedy,silent,mixed,random"
WORLDS_EVERY = 5
"""Number of turns between two counts of the possible deals. A turn may have several requests."""

Seats = Annotated[
    str,
    typer.Option(
        metavar="NAME,NAME,...",
        help="Comma-separated strategies, 2 to 8, one per seat; they may be repeated.",
    ),
]
Sets = Annotated[int, typer.Option("-n", "--sets", metavar="N", help="Number of sets, 2 to 20.")]
Seed = Annotated[
    int, typer.Option(metavar="N", help="Random seed of the deals and of the strategies.")
]
AnnounceRule = Annotated[
    str,
    typer.Option(metavar="RULE", help="When full sets are put down: at-once or after-own-request."),
]
Rotate = Annotated[
    bool,
    typer.Option(
        "--rotate/--fixed",
        help="Play each deal in all seating orders (with 5 or more players, in a balanced "
        "selection of orders), or only in the given order. Seat 0 starts.",
    ),
]
OwnCards = Annotated[
    bool,
    typer.Option(
        "--own-card-requests/--no-own-card-requests",
        help="Whether a player may ask for a card in their own hand.",
    ),
]


def _tournament(
    seats: str, sets: int, seed: int, announce: str, rotate: bool, own_cards: bool,
    move_seconds: float | None, secret: str, player_file: str | None, **more: int | None,
) -> Tournament:  # fmt: skip
    names = tuple(resolve_player("kwartet", name, player_file) for name in split_names(seats))
    if len(names) not in PLAYERS:
        raise InputError(
            f"seats {seats!r}: expected {PLAYERS[0]} to {PLAYERS[-1]} players, not {len(names)}"
        )
    settings = make_settings(
        players=len(names), sets=sets, announce=announce, own_card_requests=own_cards, **more
    )
    return Tournament(
        KwartetRules(settings), names, seed, rotate, cap_stops=True, move_seconds=move_seconds,
        secret=secret,
    )  # fmt: skip


@kwartet.command()
def simulate(
    games: Annotated[
        int, typer.Option(metavar="N", min=1, max=MAX_GAMES, help="Number of games to play.")
    ] = 240,
    seed: Seed = 0,
    seats: Seats = SEATS,
    sets: Sets = 13,
    announce: AnnounceRule = "at-once",
    rotate: Rotate = True,
    own_card_requests: OwnCards = True,
    set_size: SetSize = None,
    aside: Aside = None,
    max_moves: MaxMoves = None,
    workers: Workers = 1,
    dask: Dask = None,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Draw the wins, and the number of possible deals during the game, in this .png, "
            ".svg or .pdf file.",
        ),
    ] = None,
    move_seconds: MoveSeconds = None,
    secret: Secret = "",
    player_file: PlayerFile = None,
    traceback: Traceback = False,
    as_json: AsJson = False,
) -> None:
    """Let strategies play against each other, and count their wins.

    The strategies are random, greedy, silent, mixed, better-greedy, exact, patient, reader, and
    those of installed packages. A strategy that is named three times has three numbered rows.

    Each deal is played in all seating orders (four players: 24 games), so that no strategy gains
    from the players next to it. If --games is not a multiple of that number, the last deal is
    played in only some of the orders.

    ± is a 95 % interval over deals, shown for ten deals or more. In the win share, tied players
    share the win equally. The same seed gives the same games with any number of workers.

    A strategy that fails ends the run with status 3, or 4 if it took too long. The finished games
    are shown, and the game in which it failed is saved as a log.

    Example: quaternity kwartet simulate --seats patient,exact,exact,exact --games 1000 --seed 1
    """
    tournament = _tournament(
        seats, sets, seed, announce, rotate, own_card_requests, move_seconds, secret, player_file,
        set_size=set_size, aside=aside, max_moves=max_moves,
    )  # fmt: skip
    if plot is not None:
        check_picture(plot)
        if tournament.rules.seats <= FEW_PLAYERS:
            tournament = replace(tournament, details=WORLDS_EVERY)
        else:
            warn(f"deals are counted only for up to {FEW_PLAYERS} players, as counting is slow")

    def show(run: TournamentRun) -> None:
        games_a_deal = tournament.games_a_deal
        table = make_table(run.games, len(tournament.players), None, games_a_deal)
        # Games of external players have no details, because another loop plays them.
        goes = [game.details.goes for game in run.games if game.details is not None]
        deals = [tournament.deal_of(game) for game in range(len(goes))]
        mean_goes = Measured.of(goes, deals) if goes else None
        if as_json:
            document = _document(tournament.players, table, mean_goes)
            secret = {"secret": tournament.secret} if tournament.secret else {}
            print(json.dumps(document | secret | run.document()))
        else:
            _print(tournament.players, table, mean_goes, run.seconds)
            if tournament.secret:
                say(f"to repeat the games: --seed {seed} --secret {tournament.secret}")
        # Draw after printing, so that the results are not lost if drawing fails.
        if plot is not None:
            worlds = worlds_by_go(run.games, games_a_deal) if tournament.details and goes else []
            draw_table(plot, labels(tournament.players), table, worlds)

    failures = Failures(".log", partial(_replay, tournament), traceback)
    run = play_tournament(tournament, games, workers, dask, failures)
    show_tournament(run, show, as_json)


def _replay(tournament: Tournament, game: int) -> list[str]:
    settings = tournament.rules.settings
    options = {
        "seats": ",".join(tournament.players), "game": game, "seed": tournament.seed,
        "sets": settings.sets, "announce": settings.announce, "fixed": not tournament.rotate,
        "no_own_card_requests": not settings.own_card_requests,
        **{name: getattr(settings, name) for name in OPTIONAL_SETTINGS
           if getattr(settings, name) != getattr(KwartetSettings(), name)},
        "move_seconds": tournament.move_seconds, "secret": tournament.secret or None,
    }  # fmt: skip
    return ["quaternity", "kwartet", "log", *option_words(options)]


def _document(names: Sequence[str], table: Table, goes: Measured | None) -> dict[str, Any]:

    def mean(value: Measured) -> dict[str, float]:
        return {"mean": value.mean, "se": value.error or 0.0}

    records = table.records
    return {
        "games": table.games,
        "strategies": list(names),
        "sole_wins": [record.wins for record in records],
        "tied_games": table.shared,
        "tied_players": [record.tied for record in records],
        "win_share": [record.win_share.mean for record in records],
        "sets_won": [round(record.points.mean * table.games) for record in records],
        "goes": goes and mean(goes),
        "requests": mean(table.moves),
        "labels": labels(names),
        "win_share_se": [record.win_share.error or 0.0 for record in records],
        "deals": table.deals,
        "games_a_deal": table.games_a_deal,
    }


def _print(names: Sequence[str], table: Table, goes: Measured | None, seconds: float) -> None:

    head = ("strategy", "won alone", "tied", "win share", "sets per game")
    rows = [
        [
            name,
            str(record.wins),
            str(record.tied),
            record.win_share.text(3),
            f"{record.points.mean:.2f}",
        ]
        for name, record in zip(labels(names), table.records, strict=True)
    ]
    print("\n".join(table_lines(head, rows, width())))
    mean_goes = "" if goes is None else f"{goes.text(1)} goes and "
    say(
        f"{with_noun(table.games, 'game')}, {table.shared} tied; a game has "
        f"{mean_goes}{table.moves.text(1)} requests; {seconds:.1f} s"
    )
    if table.games_a_deal > 1:
        say(orders_text(table, len(names)))


@kwartet.command()
def log(
    seats: Seats = SEATS,
    game: Annotated[
        int, typer.Option(metavar="N", min=0, help="Number of the game in the simulation, from 0.")
    ] = 0,
    seed: Seed = 0,
    sets: Sets = 13,
    announce: AnnounceRule = "at-once",
    rotate: Rotate = True,
    own_card_requests: OwnCards = True,
    set_size: SetSize = None,
    aside: Aside = None,
    max_moves: MaxMoves = None,
    seat: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT",
            help="Show only what this seat sees, and the sizes of the other hands.  [default: "
            "all hands]",
        ),
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the log to this new file.  [default: standard output]"
        ),
    ] = None,
    move_seconds: MoveSeconds = None,
    secret: Secret = "",
    player_file: PlayerFile = None,
    traceback: Traceback = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the file of --record if it exists.")
    ] = False,
) -> None:
    """Play one game between strategies, and print its log: the deal and every request.

    --game N plays game N of `simulate` with the same options. `kwartet watch` and `kwartet know`
    read the log. If a strategy fails, the log ends there, and the exit status is 3, or 4 if it took
    too long.

    Example: quaternity kwartet log --seats exact,exact,greedy --seed 1 --record game.log
    """
    tournament = _tournament(
        seats, sets, seed, announce, rotate, own_card_requests, move_seconds, secret, player_file,
        set_size=set_size, aside=aside, max_moves=max_moves,
    )  # fmt: skip
    if seat is not None:
        _check_seat(seat, tournament.rules.seats)
    if record is not None and not force and AppendOnlyFile.exists(record):
        raise InputError(f"{record}: already exists; --force overwrites it")

    def show(text: str) -> None:
        seen = text if seat is None else log_as_seen(parse_log(text), seat)
        if record is None:
            print(seen, end="")
        else:
            write_text(record, seen)

    show_game(tournament, game, traceback, show)


def _check_seat(seat: int, players: int) -> None:

    if not 0 <= seat < players:
        raise InputError(f"seat {seat} is out of range 0..{players - 1}")


add_game_tournament(
    kwartet, "kwartet",
    TournamentWords(
        ("kwartet", "tournament"),
        "random, greedy, exact, patient, reader, ..., package.module:name or cmd:COMMAND",
        "sets",
        lambda rules: f"Kwartet, {rules.settings.sets} sets, {with_noun(rules.seats, 'player')}",
        "kwartet tournament reader patient exact --games 60 --seed 1 --workers 2",
        "All orders use the same deal. ",
        5000,
    ),
)  # fmt: skip
