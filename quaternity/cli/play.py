"""`play`: a game at one terminal, refereed."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from quaternity.cli.app import app
from quaternity.cli.failed_players import Traceback, traced
from quaternity.cli.terminal import warn
from quaternity.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quaternity.game.game import Game
    from quaternity.game.journal import Journal
    from quaternity.game.settings import Settings
    from quaternity.perfect.tablebase import Tablebase


@app.command()
def play(
    set_size: Annotated[
        int | None, typer.Option("-s", "--set-size", help="Cards in one set (S); default 4.")
    ] = None,
    sets: Annotated[
        int | None, typer.Option("-n", "--sets", help="Number of sets (N); default 3.")
    ] = None,
    players: Annotated[
        int | None, typer.Option("-p", "--players", help="Number of players (P); default 3.")
    ] = None,
    tie_break: Annotated[
        str | None,
        typer.Option(help="first-in-order (default) or fewest-sets: who asks when both are bare."),
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(help="Keep the game in this file, and resume it from there."),
    ] = None,
    random: Annotated[
        list[int] | None, typer.Option(help="A seat that plays at random; may be repeated.")
    ] = None,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=NAME",
            help="A seat that a bot plays: random, informed, search, search:500, perfect:FILE.",
        ),
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option(help="A tablebase of this game, to be asked by typing oracle in the game."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything that is random.")] = 0,
    traceback: Traceback = False,
) -> None:
    """Play a game at this terminal, all players in turn.

    The program knows what the answers so far imply: it refuses what is impossible and says why, and
    gives the answers that are forced. Type help in the game for what can be typed.

    Example: quaternity play -s 4 -n 3 -p 3 --bot 1=informed --random 2 --record game.record
    """
    from contextlib import nullcontext

    from quaternity.cli.session import NamedBot, Session
    from quaternity.perfect.bots.bot import make_bot

    asked: dict[str, object] = {
        name: value
        for name, value in (("set_size", set_size), ("sets", sets), ("players", players))
        if value is not None
    }
    if seed:
        asked["seed"] = seed
    names = _seats(random or [], bot or [])
    chance = Random(seed)
    # A wrong seat or file is found out before a new record is begun.
    bots = {seat: NamedBot(name, make_bot(name, chance)) for seat, name in names.items()}
    tablebases = []
    if oracle is not None:
        from quaternity.perfect.tablebase import Tablebase

        tablebases.append(Tablebase(oracle))
    if any(name.startswith("perfect:") for name in names.values()):
        from quaternity.perfect.bots.perfect import PerfectBot

        perfect = [named.bot for named in bots.values() if isinstance(named.bot, PerfectBot)]
        tablebases += [bot.tablebase for bot in perfect]
    fits = _Fits(tuple(bots), tablebases)
    game, journal = _opened(record, asked, tie_break, fits)
    with journal or nullcontext(), traced(traceback):
        fits.check(game.settings)
        Session(game, journal, bots, None if oracle is None else tablebases[0]).run()


def _seats(random: list[int], bots: list[str]) -> dict[int, str]:
    """Which bot plays which seat, from the options `--random` and `--bot`."""
    names = dict.fromkeys(random, "random")
    for text in bots:
        seat, equals, name = text.partition("=")
        if not equals or not seat.isascii() or not seat.isdigit() or len(seat) > 3:
            raise InputError(f"--bot {text!r}: expected SEAT=NAME, for example 1=informed")
        if int(seat) in names:
            raise InputError(f"--bot {text!r}: seat {seat} is taken by {names[int(seat)]}")
        names[int(seat)] = name
    return names


class _Fits(NamedTuple):
    """What must fit the game: the seats that bots play, and the tablebases in use."""

    seats: Iterable[int]
    tablebases: Iterable[Tablebase]

    def check(self, settings: Settings) -> None:
        """Refuse a game that does not fit.

        Raises:
            InputError: a seat is none of the game's, or a tablebase is for another game.
        """
        for seat in self.seats:
            if not 0 <= seat < settings.players:
                raise InputError(f"seat {seat}: players are 0..{settings.players - 1}")
        for tablebase in self.tablebases:
            tablebase.check_settings(settings)


def _opened(
    record: str | None, asked: dict[str, object], tie_break: str | None, fits: _Fits
) -> tuple[Game, Journal | None]:
    """The game to play on, new or resumed, and its journal.

    Raises:
        InputError: as for settings and records; or what is in use does not fit the game.
    """
    from quaternity.game.game import Game
    from quaternity.game.journal import Journal
    from quaternity.game.settings import Settings, TieBreak
    from solvers.wording import counted

    if tie_break is not None:
        asked["tie_break"] = TieBreak.parse(tie_break)
    if record is not None and Journal.exists(record):
        journal, game, warnings = Journal.resume(record, asked)
        for text in warnings:
            warn(f"{record}: {text}")
        print(f"resuming {record} after {counted(len(game.moves), 'move')}")
        return game, journal
    settings = Settings(**asked)  # type: ignore[arg-type]  # checked by Settings itself
    fits.check(settings)
    return Game.start(settings), None if record is None else Journal.begin(record, settings)


__all__ = ["play"]
