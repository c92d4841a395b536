"""The guide: pages in Markdown, for the terminal (`quaternity guide`), the browser, or as files.

Each page is a file in this folder; `ORDER` lists them in order. `tests/cli/test_guide.py` runs the
examples of all pages, so their output stays correct. `notebooks/` contains some pages as notebooks,
which `make notebooks` creates. The notebooks of `LESSONS` and of `models` include the output of
their cells, and their pictures.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import NamedTuple

from quaternity.base.errors import InputError

ORDER = (
    "rules", "serving", "operating", "commands", "python", "decks", "puzzles", "referee",
    "models", "comparing", "testing", "solvers", "bots", "arena", "players", "learning", "games", "knowledge",
    "perfect-play", "mathematics", "pigeons", "worlds", "secret", "trust", "formats", "limits",
    "glossary", "house",
)  # fmt: skip
"""The names of the pages in order; pages for newcomers come first."""

LESSONS = ("pigeons", "worlds", "secret")
"""The pages that are lessons in Python, an hour each. `quaternity.guide.lessons` checks answers."""

COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
"""A comment for the authors of a page, which is not shown."""

FILE_BLOCK = re.compile(r"^(```\w+) (\S+)$", re.MULTILINE)
"""The first line of a code block that is a file. Markdown does not show the file name in it."""


class Page(NamedTuple):
    """A page of the guide.

    Attributes:
        name: Name of its file, without the extension.
        title: Its first line.
        text: Markdown, including the title.
    """

    name: str
    title: str
    text: str


def page(name: str) -> Page:
    """Return a page by its name.

    Raises:
        InputError: If there is no such page. The message lists the names.
    """
    if name not in ORDER:
        raise InputError(f"unknown page {name!r}; choose from {', '.join(ORDER)}")
    text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    return Page(name, text.partition("\n")[0].removeprefix("# "), text)


def pages() -> list[Page]:
    """Return all pages in order."""
    return [page(name) for name in ORDER]


def visible_markdown(text: str) -> str:
    """Return Markdown without comments, and with the name of each file above its code block."""
    return FILE_BLOCK.sub(r"`\2`:\n\n\1", COMMENT.sub("", text))


def html(text: str) -> str:
    """Return Markdown as HTML. HTML tags are escaped, and comments are removed.

    Links between pages, such as `rules.md`, become relative links such as `rules`.
    """
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    rendered: str = made.render(visible_markdown(text))
    return re.sub(r'href="([\w-]+)\.md(#[\w-]+)?"', r'href="\1\2"', rendered)


__all__ = ["COMMENT", "LESSONS", "ORDER", "Page", "html", "page", "pages", "visible_markdown"]
