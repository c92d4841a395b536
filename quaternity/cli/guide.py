"""`guide`: show the pages of the guide in the terminal."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from quaternity.cli.app import app
from quaternity.cli.layout import GuideMarkdown
from quaternity.cli.terminal import columns, say
from quaternity.guide import page as find_page
from quaternity.guide import pages, visible_markdown


@app.command()
def guide(
    page: Annotated[
        str | None,
        typer.Argument(metavar="PAGE", help="Name of a page.  [default: list the pages]"),
    ] = None,
) -> None:
    """Read a page of the guide, or list the pages.

    At a terminal the page is formatted; piped output is its Markdown source.

    Example: quaternity guide rules
    """
    if page is None:
        for entry in pages():
            say(f"{entry.name:<14}{entry.title}", 14)
        say("\nquaternity guide PAGE shows a page.")
        return
    text = find_page(page).text
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.console import Console

    os.environ.setdefault("LESS", "-R")  # let the pager show colours
    console = Console(width=min(columns(), 100))
    with console.pager(styles=True):
        console.print(GuideMarkdown(visible_markdown(text), hyperlinks=False))
