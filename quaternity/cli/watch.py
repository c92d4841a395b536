"""`watch`: forward and back through a recorded game of any kind."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quaternity.cli.app import app
from quaternity.cli.terminal import columns, folded, warn
from quaternity.errors import InputError

_WORDS = {
    "quaternity": "quaternity.cli.quaternity_words",
    "kwartet": "quaternity.cli.kwartet_words",
    "quarto": "quaternity.cli.quarto_play",
    "set": "quaternity.cli.set_play",
}
"""Per game the module that says what the marks of its table mean."""


@app.command()
def watch(
    file: Annotated[
        str, typer.Argument(metavar="RECORD", help="A record of any game; - is standard input.")
    ],
    seat: Annotated[
        int | None, typer.Option(help="Show what this seat sees; without, what everybody sees.")
    ] = None,
    step: Annotated[int, typer.Option(min=0, help="Start at this step; 0 is the start.")] = 0,
) -> None:
    """Watch a recorded game of Quaternity, Kwartet, Quarto or SET, step by step.

    Enter or n goes on, b back, a number to that step, q quits. Piped in or out, all steps are
    printed one after the other. (kwartet watch also shows all hands, and counts possible deals.)

    Example: quaternity watch my.game --seat 0
    """
    from importlib import import_module

    from quaternity.cli.viewer import Viewer
    from quaternity.files.reading import read_bytes
    from quaternity.table.games import rules_of_record

    data = read_bytes(file)
    rules: Any = rules_of_record(data)
    replay = rules.replay(data)
    for text in replay.warnings:
        warn(f"{file}: {text}")
    if seat is not None and not 0 <= seat < rules.seats:
        raise InputError(f"--seat {seat} is out of range 0..{rules.seats - 1}")
    last = len(replay.moves)
    if step > last:
        raise InputError(f"--step {step} is out of range 0..{last}")

    def show(at: int) -> None:
        print(f"step {at} of {last}")
        if at:
            by, move = replay.moves[at - 1]
            for event in rules.events(replay.positions[at - 1], by, move, replay.positions[at]):
                print(folded(event))
        print(rules.show(rules.view(replay.positions[at], seat), columns()))

    viewer = Viewer(show, last, step, marks=import_module(_WORDS[rules.name]).MARKS)
    if file == "-":
        viewer.print_all()
    else:
        viewer.play()


__all__ = ["watch"]
