"""`kwartet`: the group of commands for Kwartet. A command's module registers itself here."""

from __future__ import annotations

import typer

from quaternity.cli.app import app
from quaternity.cli.help_pages import HelpfulGroup

kwartet = typer.Typer(cls=HelpfulGroup, no_args_is_help=True, rich_markup_mode=None)
app.add_typer(kwartet, name="kwartet", help="Play Kwartet: hidden hands, knowledge, strategies.")


@kwartet.callback()
def group() -> None:
    """Play Kwartet: hidden hands, knowledge, strategies."""
