"""`play`: play Quaternity in one terminal, with a referee that checks all moves."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quaternity.base.errors import InputError
from quaternity.base.names import split_names
from quaternity.cli.app import app
from quaternity.cli.deck_option import DeckName
from quaternity.cli.options import (
    Brisk,
    MaybePlayers,
    MaybeSets,
    MaybeSetSize,
    MaybeTieBreakName,
    MoveSeconds,
    PlayerFile,
    Record,
    Traceback,
)
from quaternity.cli.playing import MatchOptions, play_match, seats_of
from quaternity.cli.quaternity_words import quaternity_words
from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings, TieBreak
from quaternity.table.players import YOU


@app.command()
def play(
    set_size: MaybeSetSize = None,
    sets: MaybeSets = None,
    players: MaybePlayers = None,
    tie_break: MaybeTieBreakName = None,
    brisk: Brisk = False,
    record: Record = None,
    seats: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYERS",
            help="Comma-separated players, one per seat: you (once for each person), random, "
            "informed, search, search:500, perfect:FILE, package.module:name, or cmd:COMMAND.  "
            "[default: you in every seat]",
        ),
    ] = None,
    random: Annotated[
        list[int] | None,
        typer.Option(metavar="SEAT", help="Let this seat play at random; may be repeated."),
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=NAME",
            help="Let a bot play this seat: random, informed, search, search:500 or perfect:FILE; "
            "may be repeated.",
        ),
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Tablebase of this game (a file written by quaternity solve --out). "
            "In the game, type oracle to see who can force a win, and the best questions.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    move_seconds: MoveSeconds = None,
    traceback: Traceback = False,
    deck: DeckName = None,
    player_file: PlayerFile = None,
) -> None:
    """Play Quaternity at this terminal, with people and programs.

    The command works out what the answers so far imply. It refuses impossible moves and says why,
    and it gives forced answers itself. Type help in the game to see what you can type.

    Example: quaternity play -s 4 -n 3 -p 3 --bot 1=informed --random 2 --record game.record
    """
    bots = _seats(random or [], bot or [])
    if seats is not None and bots:
        raise InputError("--seats names every seat: leave out --random and --bot")
    if seats is not None and players is None:
        players = len(split_names(seats))
    options = {
        "set_size": set_size,
        "sets": sets,
        "players": players,
        "tie_break": tie_break and TieBreak.parse(tie_break),
        "seed": seed or None,
        "brisk": brisk or None,
    }
    playing = MatchOptions(record, seed, move_seconds, traceback, deck, player_file)
    _play(options, bots, seats, oracle, playing)


def _play(
    options: dict[str, Any], bots: dict[int, str], seats: str | None, oracle: str | None,
    playing: MatchOptions,
) -> None:  # fmt: skip
    tablebase = None
    if oracle is not None:
        from quaternity.perfect.tablebase import Tablebase

        tablebase = Tablebase(oracle)

    def names(rules: QuaternityRules) -> list[str] | None:
        for seat in bots:
            if not 0 <= seat < rules.seats:
                raise InputError(f"seat {seat} is out of range 0..{rules.seats - 1}")
        if tablebase is not None:
            tablebase.check_settings(rules.settings)
        if bots:
            return [bots.get(seat, YOU) for seat in range(rules.seats)]
        return seats_of(seats)

    play_match(
        QuaternityRules, Settings, options, quaternity_words(tablebase), names, None, playing
    )


def _seats(random: list[int], bots: list[str]) -> dict[int, str]:
    names = dict.fromkeys(random, "random")
    for text in bots:
        seat, equals, name = text.partition("=")
        if not equals or not seat.isascii() or not seat.isdigit() or len(seat) > 3:
            raise InputError(f"--bot {text!r}: expected SEAT=NAME, for example 1=informed")
        if int(seat) in names:
            raise InputError(f"--bot {text!r}: seat {seat} is taken by {names[int(seat)]}")
        names[int(seat)] = name
    return names
