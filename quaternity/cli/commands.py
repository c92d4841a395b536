"""All commands, gathered: importing a module registers its commands with the application."""

from quaternity.cli import analyse, play, referee
from quaternity.cli.app import app, run
from quaternity.cli.quarto import quarto_app

app.add_typer(quarto_app, name="quarto")

__all__ = ["analyse", "play", "referee", "run"]
