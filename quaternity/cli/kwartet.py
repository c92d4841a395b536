"""`kwartet`: the group of commands for Kwartet. A command's module registers itself here."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quaternity.cli.app import app
from quaternity.cli.help_pages import HelpfulGroup
from quaternity.kwartet.settings import KwartetSettings

kwartet = typer.Typer(cls=HelpfulGroup, no_args_is_help=True, rich_markup_mode=None)
SetSize = Annotated[
    int | None, typer.Option(help="Cards in a set, 2 to 10; default 4.", show_default=False)
]
Aside = Annotated[
    int | None,
    typer.Option(
        help="Cards that nobody gets: they lie face down until the end; default 0.",
        show_default=False,
    ),
]
MaxMoves = Annotated[
    int | None,
    typer.Option(
        help="The game ends after so many requests; default: never, with cards aside after 3 for "
        "each card.",
        show_default=False,
    ),
]


def chosen_settings(**chosen: Any) -> KwartetSettings:
    """Return the settings of a game, the usual ones where None was chosen."""
    return KwartetSettings(**{name: value for name, value in chosen.items() if value is not None})


app.add_typer(kwartet, name="kwartet", help="Play Kwartet: hidden hands, knowledge, strategies.")


@kwartet.callback()
def group() -> None:
    """Play Kwartet: hidden hands, knowledge, strategies."""
