"""All commands, gathered: importing a module registers its commands with the application."""

from quaternity.cli import (
    analyse,
    play,
    quarto,
    referee,
)
from quaternity.cli.app import run

__all__ = [
    "analyse",
    "play",
    "quarto",
    "referee",
    "run",
]
