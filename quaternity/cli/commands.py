"""All command groups, gathered: importing a module registers its commands with the application."""

from quaternity.cli import analyse, play, referee
from quaternity.cli.app import run

__all__ = ["analyse", "play", "referee", "run"]
