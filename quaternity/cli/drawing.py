"""The command `picture FILE` during a game in the terminal: write an SVG picture of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.writing import write_text
from quaternity.cli.match import MatchSession, Word


def picture_word(draw_view: Callable[[Any], str]) -> dict[str, tuple[str, Word]]:
    """Return the terminal command `picture`, which draws the table in an SVG file.

    `draw_view` takes the view of a seat and returns the text of the file.
    """

    def draw(session: MatchSession, seat: int, file: str) -> Iterator[str]:

        if not file:
            yield "picture: name a file, for example picture table.svg"
            return
        try:
            write_text(file, draw_view(session.match.view(seat)))
        except InputError as error:
            yield str(error)
        else:
            yield f"the table was drawn in {file}"

    return {"picture": ("FILE.svg draws the table", draw)}
