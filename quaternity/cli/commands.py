"""All commands, gathered: importing a module registers its commands with the application."""

from quaternity.cli import (
    analyse,
    compare,
    fuzz,
    know,
    kwartet,
    kwartet_play,
    kwartet_simulate,
    kwartet_watch,
    play,
    quarto,
    referee,
    solve,
    ternary,
    ternary_play,
    tournament,
)
from quaternity.cli.app import run

__all__ = [
    "analyse",
    "compare",
    "fuzz",
    "know",
    "kwartet",
    "kwartet_play",
    "kwartet_simulate",
    "kwartet_watch",
    "play",
    "quarto",
    "referee",
    "run",
    "solve",
    "ternary",
    "ternary_play",
    "tournament",
]
