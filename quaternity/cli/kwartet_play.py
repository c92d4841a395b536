"""`kwartet play`: play Kwartet in one terminal, against programs or other people."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from quaternity.cli.deck_option import DeckName
from quaternity.cli.kwartet import Aside, MaxMoves, SetSize, kwartet
from quaternity.cli.kwartet_words import kwartet_words
from quaternity.cli.options import MoveSeconds, PlayerFile, Seed, Traceback
from quaternity.cli.playing import MatchOptions, play_match, seats_of
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings

SEATS = ("you", "exact", "exact", "exact")


@kwartet.command()
def play(
    seats: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYERS",
            help="Comma-separated players, one per seat: you (once for each person), or a "
            f"strategy.  [default: {','.join(SEATS)}]",
        ),
    ] = None,
    sets: Annotated[
        int | None, typer.Option("-n", "--sets", metavar="N", help="Number of sets.  [default: 13]")
    ] = None,
    seed: Seed = None,
    announce: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="When full sets are put down: at-once or after-own-request.  [default: at-once]",
        ),
    ] = None,
    own_card_requests: Annotated[
        bool | None,
        typer.Option(
            "--own-card-requests/--no-own-card-requests",
            help="Whether a player may ask for a card in their own hand.  [default: "
            "own-card-requests]",
            show_default=False,
        ),
    ] = None,
    set_size: SetSize = None,
    aside: Aside = None,
    max_moves: MaxMoves = None,
    record: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Record the game in this file, including all hands. If the file exists, resume "
            "its game.",
        ),
    ] = None,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
    deck: DeckName = None,
    player_file: PlayerFile = None,
) -> None:
    """Play Kwartet at this terminal.

    You see your hand, what everybody sees, and everything that follows from it: who has each card,
    or who may have it. Type help in the game to see what you can type.

    Example: quaternity kwartet play --seats you,exact,better-greedy --sets 8 --record my.game
    """
    options = {
        "sets": sets,
        "announce": announce and AnnounceTiming.parse(announce),
        "own_card_requests": own_card_requests,
        "set_size": set_size,
        "aside": aside,
        "max_moves": max_moves,
    }
    names = seats_of(seats)
    settings = partial(KwartetSettings, players=len(names or SEATS))
    playing = MatchOptions(record, seed, move_seconds, traceback, deck, player_file)
    play_match(
        KwartetRules, settings, options, kwartet_words(), lambda rules: names, SEATS, playing
    )
