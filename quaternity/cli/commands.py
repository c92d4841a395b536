"""All commands, gathered: importing a module registers its commands with the application."""

from quaternity.cli import (
    analyse,
    compare,
    fuzz,
    kwartet,
    play,
    quarto,
    referee,
    solve,
    ternary,
)
from quaternity.cli.app import run

__all__ = [
    "analyse",
    "compare",
    "fuzz",
    "kwartet",
    "play",
    "quarto",
    "referee",
    "run",
    "solve",
    "ternary",
]
