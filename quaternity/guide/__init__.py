"""Pages for people: Markdown, read at the terminal (`quaternity guide`), in a browser, or as files.

A page is a file of this folder; `ORDER` says in which order they are told. What a page prints is
run by `tests/cli/test_guide.py`, so it stays true. `notebooks/` has some pages as notebooks, made
from them by `make notebooks`; those of `LESSONS` with what their cells show, and their pictures.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import NamedTuple

from quaternity.base.errors import InputError

ORDER = (
    "rules", "serving", "operating", "commands", "python", "decks", "puzzles", "referee",
    "comparing", "solvers", "bots", "arena", "players", "learning", "games", "knowledge",
    "perfect-play", "mathematics", "pigeons", "worlds", "secret", "trust", "formats", "limits",
    "glossary", "house",
)  # fmt: skip
"""The names of the pages, those first that a newcomer looks for."""

LESSONS = ("pigeons", "worlds", "secret")
"""The pages that are lessons in Python, an hour each; `quaternity.guide.lessons` checks answers."""

COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
"""What of a page is for those who write it, and is not shown."""

FILE = re.compile(r"^(```\w+) (\S+)$", re.MULTILINE)
"""The start of a block that is a file, and its name, which Markdown would not show."""


class Page(NamedTuple):
    """A page of the guide.

    Attributes:
        name: of its file, without the ending.
        title: its first line.
        text: Markdown, the title included.
    """

    name: str
    title: str
    text: str


def page(name: str) -> Page:
    """Return a page by its name.

    Raises:
        InputError: there is none; lists the names.
    """
    if name not in ORDER:
        raise InputError(f"page {name!r} is unknown; the pages are {', '.join(ORDER)}")
    text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    return Page(name, text.partition("\n")[0].removeprefix("# "), text)


def pages() -> list[Page]:
    """All pages in order."""
    return [page(name) for name in ORDER]


def shown(text: str) -> str:
    """Markdown as it is to be laid out: without comments, a block's file named above it."""
    return FILE.sub(r"`\2`:\n\n\1", COMMENT.sub("", text))


def html(text: str) -> str:
    """Markdown as HTML. Tags in it are shown, not obeyed; comments are left out.

    Links between pages (`rules.md`) lead to `rules`, beside the page they are on.
    """
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    rendered: str = made.render(shown(text))
    return re.sub(r'href="([\w-]+)\.md(#[\w-]+)?"', r'href="\1\2"', rendered)


__all__ = ["COMMENT", "LESSONS", "ORDER", "Page", "html", "page", "pages", "shown"]
