"""`kwartet watch`: forward and back through a logged game."""

from __future__ import annotations

from typing import Annotated

import typer

from quaternity.cli.kwartet import kwartet
from quaternity.cli.terminal import warn
from quaternity.errors import InputError


@kwartet.command()
def watch(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game log; - is standard input.")],
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat sees; without, all hands.")
    ] = None,
    step: Annotated[int, typer.Option(help="Start at this step; 0 is the deal.")] = 0,
    worlds: Annotated[
        bool,
        typer.Option(
            "--worlds/--no-worlds",
            help="Count the possible deals at every step: slow from six players on.",
        ),
    ] = True,
) -> None:
    """Watch a logged game, step by step.

    Enter or n goes on, b back, a number to that step; k 2 shows what player 2 knows, q quits. Piped
    in or out, all steps are printed one after the other.

    Example: quaternity kwartet watch my.game --seat 0
    """
    from quaternity.cli.kwartet_steps import show_knowledge, show_step
    from quaternity.cli.terminal import console
    from quaternity.cli.viewer import Viewer
    from quaternity.kwartet.log_reading import read_log

    log = read_log(game)
    for text in log.warnings:
        warn(f"{game}: {text}")
    last = log.settings.players - 1
    if seat is not None and not 0 <= seat <= last:
        raise InputError(f"--seat {seat} is out of range 0..{last}")
    if not 0 <= step <= len(log.events):
        raise InputError(f"--step {step} is out of range 0..{len(log.events)}")
    output = console()

    def knowledge(player: str, at: int) -> None:
        who = str(seat) if not player and seat is not None else player
        if not (who.isascii() and who.isdigit()) or not 0 <= int(who[:9]) <= last:
            print(f"k wants a player 0..{last}, for example k 0")
        elif seat is not None and int(who) != seat:
            print(f"only what player {seat} sees is shown")
        else:
            show_knowledge(output, log, at, int(who))

    viewer = Viewer(
        lambda at: show_step(output, log, at, seat, worlds), len(log.events), step, knowledge
    )
    if game == "-":
        viewer.print_all()
    else:
        viewer.play()


__all__ = ["watch"]
