"""The guide: Markdown pages that can be shown in the terminal or a browser, or written to files.

Each page is a file in this folder, and `ORDER` lists the pages in order. `tests/cli/test_guide.py`
runs the examples of all pages and compares their output. `make notebooks` converts some pages to
Jupyter notebooks in the folder `notebooks`.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import NamedTuple

from quaternity.base.errors import InputError

ORDER = (
    "rules", "serving", "operating", "commands", "python", "decks", "puzzles", "referee",
    "models", "comparing", "testing", "solvers", "bots", "arena", "players", "learning", "games",
    "knowledge", "perfect-play", "mathematics", "pigeons", "worlds", "secret", "trust", "formats",
    "limits", "glossary", "house",
)  # fmt: skip
"""Names of all pages of the guide, in order. Pages for newcomers come first."""

LESSONS = ("pigeons", "worlds", "secret")
"""Names of the pages that are lessons in Python. Each lesson takes about an hour.
`quaternity.guide.lessons` checks the answers to its exercises."""

COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
"""Pattern of a comment in the source of a page. Authors see the comment, but readers do not."""

FILE_BLOCK = re.compile(r"^(```\w+) (\S+)$", re.MULTILINE)
"""Pattern of the first line of a code block that contains a file. The line ends with the name of
the file, which Markdown does not show."""


class Page(NamedTuple):
    """A page of the guide.

    Attributes:
        name: Name of the page's file, without the extension.
        title: The text of the first line.
        text: The page as Markdown, including the title.
    """

    name: str
    title: str
    text: str


def page(name: str) -> Page:
    """Return a page of the guide by its name.

    Raises:
        InputError: If there is no such page. The message lists the names of all pages.
    """
    if name not in ORDER:
        raise InputError(f"unknown page {name!r}; choose from {', '.join(ORDER)}")
    text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    return Page(name, text.partition("\n")[0].removeprefix("# "), text)


def pages() -> list[Page]:
    """Return all pages of the guide in order."""
    return [page(name) for name in ORDER]


def visible_markdown(text: str) -> str:
    """Return a page's Markdown without comments, and with file names above the code blocks."""
    return FILE_BLOCK.sub(r"`\2`:\n\n\1", COMMENT.sub("", text))


def html(text: str) -> str:
    """Convert Markdown to HTML without comments. Escape HTML tags in the text.

    A link to another page, such as `rules.md`, becomes a relative link such as `rules`.
    """
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    rendered: str = made.render(visible_markdown(text))
    return re.sub(r'href="([\w-]+)\.md(#[\w-]+)?"', r'href="\1\2"', rendered)


__all__ = ["COMMENT", "LESSONS", "ORDER", "Page", "html", "page", "pages", "visible_markdown"]
