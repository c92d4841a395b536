"""`play`: a game at one terminal, refereed."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.cli.app import app
from quaternity.cli.terminal import warn
from quaternity.errors import InputError

if TYPE_CHECKING:
    from quaternity.game import Game
    from quaternity.journal import Journal


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
    seed: Annotated[int, typer.Option(help="Of everything that is random.")] = 0,
) -> None:
    """Play a game at this terminal, all players in turn.

    The program knows what the answers so far imply: it refuses what is impossible and says why, and
    gives the answers that are forced. Type help in the game for what can be typed.

    Example: quaternity play -s 4 -n 3 -p 3 --random 1 --random 2 --record game.record
    """
    from quaternity.cli.session import Session

    asked: dict[str, object] = {
        name: value
        for name, value in (("set_size", set_size), ("sets", sets), ("players", players))
        if value is not None
    }
    if seed:
        asked["seed"] = seed
    game, journal = _opened(record, asked, tie_break)
    count = game.state.players
    seats = set(random or [])
    for seat in seats:
        if not 0 <= seat < count:
            raise InputError(f"--random {seat}: players are 0..{count - 1}")
    Session(game, journal, dict.fromkeys(seats, "random"), Random(seed)).run()


def _opened(
    record: str | None, asked: dict[str, object], tie_break: str | None
) -> tuple[Game, Journal | None]:
    """The game to play on, new or resumed, and its journal."""
    from quaternity.game import Game
    from quaternity.journal import Journal, agree_on
    from quaternity.settings import Settings, TieBreak
    from solvers.wording import counted

    if tie_break is not None:
        asked["tie_break"] = TieBreak.parse(tie_break)
    if record is not None and Journal.exists(record):
        journal, game, warnings = Journal.resume(record)
        for text in warnings:
            warn(f"{record}: {text}")
        agree_on(game.settings, asked)
        print(f"resuming {record} after {counted(len(game.moves), 'move')}")
        return game, journal
    settings = Settings(**asked)  # type: ignore[arg-type]  # checked by Settings itself
    return Game.start(settings), None if record is None else Journal.begin(record, settings)


__all__ = ["play"]
