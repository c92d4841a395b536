"""The command group `kwartet`, to which other modules add the commands of Kwartet."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quaternity.cli.app import app
from quaternity.cli.help_pages import HelpGroup
from quaternity.kwartet.settings import KwartetSettings

kwartet = typer.Typer(cls=HelpGroup, no_args_is_help=True, rich_markup_mode=None)
SetSize = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Number of cards in each set, 2 to 10.  [default: 4]", show_default=False
    ),
]
Aside = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of cards set aside, face down until the end of the game.  [default: 0]",
        show_default=False,
    ),
]
MaxMoves = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="End the game after N requests.  [default: none; 3 per card if cards are set aside]",
        show_default=False,
    ),
]


def make_settings(**values: Any) -> KwartetSettings:
    """Return the settings of a game. Values that are None are replaced by the defaults."""
    return KwartetSettings(**{name: value for name, value in values.items() if value is not None})


app.add_typer(kwartet, name="kwartet", help="Play Kwartet: hidden hands, knowledge, strategies.")


@kwartet.callback()
def group() -> None:
    """Play Kwartet: hidden hands, knowledge, strategies."""
