"""`guide`: the pages for people, at the terminal."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from quaternity.cli.app import app
from quaternity.cli.layout import GuideMarkdown
from quaternity.cli.terminal import columns, say
from quaternity.guide import page as found
from quaternity.guide import pages, shown


@app.command()
def guide(
    page: Annotated[str | None, typer.Argument(metavar="PAGE", help="Name of a page.")] = None,
) -> None:
    """Read the guide; without PAGE its contents.

    A terminal shows the page laid out; a pipe gets its Markdown.

    Example: quaternity guide rules
    """
    if page is None:
        for each in pages():
            say(f"{each.name:<14}{each.title}", 14)
        say("\nquaternity guide PAGE shows a page.")
        return
    text = found(page).text
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.console import Console

    os.environ.setdefault("LESS", "-R")  # the pager shows colours as such
    console = Console(width=min(columns(), 100))
    with console.pager(styles=True):
        console.print(GuideMarkdown(shown(text), hyperlinks=False))
