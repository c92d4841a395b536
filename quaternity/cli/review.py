"""`review`: show which moves decided a game, and the value of each move."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.reading import read_bytes
from quaternity.base.text_format import quote_value
from quaternity.base.writing import check_writable, write_text
from quaternity.cli.app import app
from quaternity.cli.input_files import prefix_errors, print_warnings
from quaternity.cli.options import AsJson
from quaternity.cli.status import ExitStatus, ExitWithStatus
from quaternity.cli.terminal import say
from quaternity.review import review as review_game
from quaternity.review.drawing import curve_svg


@app.command()
def review(
    file: Annotated[
        str, typer.Argument(metavar="RECORD", help="A record of any game; - is standard input.")
    ],
    seat: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT",
            help="Review the game for this seat, using only the hidden cards that this seat saw.",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="Time limit in seconds; unfinished parts are reported."
        ),
    ] = 10.0,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed of the simulated games.")] = 0,
    as_json: AsJson = False,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Draw the chances of all players as SVG."),
    ] = None,
) -> None:
    """Show what decided a game, and what each move was worth.

    Proved values are exact. All other values are estimates from simulated games, with a standard
    error. A move is called a mistake only if another move is better by more than twice this error.
    The exit status is 4 if a part of the review was not finished within the limits.

    Example: quaternity review my.game --seat 0 --svg chances.svg
    """
    if svg is not None:
        if not svg.lower().endswith(".svg"):
            raise InputError(f"--svg {quote_value(svg)}: the file name must end in .svg")
        check_writable(svg)
    with prefix_errors(file):
        document = review_game(read_bytes(file), seat, seconds, seed)
    print_warnings(file, document.warnings)
    if svg is not None:
        write_text(svg, curve_svg(document))
    with ExitWithStatus() as leaving:
        if document.unfinished:
            leaving.status = ExitStatus.LIMIT
        if as_json:
            print(json.dumps(document.document()))
            return
        for line in str(document).splitlines():
            say(line)
