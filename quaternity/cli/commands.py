"""All commands, gathered: importing a module registers its commands with the application."""

from quaternity.cli import (  # noqa: F401
    analyse,
    compare,
    exchange,
    fuzz,
    guide,
    know,
    kwartet,
    kwartet_note,
    kwartet_play,
    kwartet_simulate,
    kwartet_watch,
    list_solvers,
    play,
    quarto,
    quarto_play,
    referee,
    serve,
    set_play,
    situation,
    solve,
    ternary,
    ternary_play,
    tournament,
    watch,
)
from quaternity.cli.app import run

__all__ = ["run"]
