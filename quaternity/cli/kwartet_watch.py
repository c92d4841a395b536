"""`kwartet watch`: forward and back through a logged game."""

from __future__ import annotations

import sys
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
    from quaternity.cli.kwartet_viewer import Viewer
    from quaternity.kwartet.log_reading import read_log

    log = read_log(game)
    for text in log.warnings:
        warn(f"{game}: {text}")
    if seat is not None and not 0 <= seat < log.settings.players:
        raise InputError(f"--seat {seat} is out of range 0..{log.settings.players - 1}")
    if not 0 <= step <= len(log.events):
        raise InputError(f"--step {step} is out of range 0..{len(log.events)}")
    viewer = Viewer(log, seat, step, worlds)
    if game != "-" and interactive():
        viewer.run()
    else:
        viewer.print_all()


def interactive() -> bool:
    """Whether somebody sits there: both what is typed and what is shown are a terminal's."""
    return sys.stdin.isatty() and sys.stdout.isatty()


__all__ = ["interactive", "watch"]
