"""`--save-to DIRECTORY`: where a state is kept about which a solver is wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from quaternity.cli.terminal import warn
from quaternity.errors import InputError

SaveTo = Annotated[
    str, typer.Option("--save-to", metavar="DIRECTORY", help="Where a disagreement is saved.")
]


def saved_or_shown(directory: str, text: str) -> str | None:
    """Save the text of a state file and give its name; where that fails, show the text."""
    from quaternity.game.saved_states import save_finding

    try:
        return save_finding(directory, text)
    except InputError as error:
        warn(f"{error}; the state is\n{text}")
        return None


__all__ = ["SaveTo", "saved_or_shown"]
