"""`make notebooks`: pages of the guide as notebooks, for Jupyter and what reads its files.

A block that is a file is written, a command of `$` is run, Python with prompts becomes a cell for
each value, and `<!-- notebook ... -->` is a cell of the notebook alone. What cells printed is left
out. The commands and files are the page's, so its test tries them; `run_cells` tries the rest.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from doctest import DocTestParser
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "quaternity" / "guide"
NAMES = ("rules", "referee", "comparing", "knowledge")
BLOCK = re.compile(
    r"^```(\S+) ?(\S*)\n(.*?)^```\n|<!-- notebook\n(.*?)-->\n", re.MULTILINE | re.DOTALL
)
FIRST = (
    "import os\nimport tempfile\n\nos.chdir(tempfile.mkdtemp())  # files of this notebook go here"
)
RAISES = "raises-exception"
"""The tag by which Jupyter knows that a cell is meant to raise."""


def main() -> None:
    """Write them."""
    for name in NAMES:
        path = path_of(name)
        path.write_text(notebook((FOLDER / f"{name}.md").read_text("utf-8")), encoding="utf-8")
        print(path.relative_to(Path.cwd()))


def path_of(name: str) -> Path:
    """Where a page's notebook is kept."""
    return FOLDER / "notebooks" / f"{name}.ipynb"


def notebook(page: str) -> str:
    """A page as a notebook: JSON in the format 4.5, without outputs."""
    title, *rest = cells(page)
    told = [title, ("code", FIRST), *rest]
    return json.dumps(
        {
            "cells": [_cell(number, *one) for number, one in enumerate(told)],
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        ensure_ascii=False,
        indent=1,
    ) + "\n"  # fmt: skip


def cells(page: str) -> Iterator[tuple[str, str]]:
    """The cells of a page: "markdown", "code" or "raises", and the text."""
    end = 0
    for found in BLOCK.finditer(page):
        yield from _prose(page[end : found.start()])
        end = found.end()
        language, file, body, alone = found.groups()
        if alone:
            yield "code", alone
        elif file:
            yield "code", f"%%writefile {file}\n{body}"
        elif language == "console":
            yield from (("code", one) for one in _commands(body))
        elif language == "python" and ">>> " in body:
            yield from _values(body)
        elif language == "python":
            yield "code", body
        else:
            yield "markdown", found[0]
    yield from _prose(page[end:])


def run_cells(text: str) -> list[str]:
    """Run the cells of a notebook that are Python; what each shows, as HTML, SVG or its repr.

    Raises:
        Whatever a cell raises that is not meant to, and AssertionError where one should have.
    """
    names: dict[str, Any] = {}
    shown = []
    for cell in json.loads(text)["cells"][2:]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" or source.startswith(("%%", "!")):
            continue
        *body, last = ast.parse(source).body
        try:
            exec(compile(ast.Module(body, []), source, "exec"), names)  # noqa: S102 - our own page
            if isinstance(last, ast.Expr):
                value = compile(ast.Expression(last.value), source, "eval")
                shown.append(_look(eval(value, names)))  # noqa: S307 - our own page
            else:
                exec(compile(ast.Module([last], []), source, "exec"), names)  # noqa: S102
        except Exception:
            if RAISES not in cell["metadata"].get("tags", ()):
                raise
        else:
            assert RAISES not in cell["metadata"].get("tags", ()), f"does not raise: {source}"
    return shown


def _look(value: Any) -> str:
    for kind in ("_repr_html_", "_repr_svg_"):
        if hasattr(value, kind):
            return str(getattr(value, kind)())
    return repr(value)


def _prose(text: str) -> Iterator[tuple[str, str]]:
    """Text with its links, which lead from one folder deeper."""
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL).strip()
    if text:
        yield "markdown", re.sub(r"\]\(([\w-]+\.\w+)", r"](../\1", text)


def _commands(block: str) -> Iterator[str]:
    """Commands by the shell; what is typed into one is the body of its cell."""
    for part in re.split(r"^\$ ", re.sub(r"\s*\\\n\s*", " ", block), flags=re.MULTILINE)[1:]:
        command, *rest = part.splitlines()
        typed = [one[2:] for one in rest if one.startswith("> ")]
        yield "\n".join((f"%%script {command}", *typed)) if typed else f"!{command}"


def _values(block: str) -> Iterator[tuple[str, str]]:
    """A cell for each value that is shown, with the statements before it."""
    source = ""
    for one in DocTestParser().get_examples(block):
        if one.exc_msg and source:
            yield "code", source
            source = ""
        source += one.source
        if one.want:
            yield "raises" if one.exc_msg else "code", source
            source = ""
    if source:
        yield "code", source


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    lines = text.strip("\n").splitlines(keepends=True)
    if kind == "markdown":
        return {"cell_type": kind, "id": f"c{number}", "metadata": {}, "source": lines}
    return {
        "cell_type": "code", "execution_count": None, "id": f"c{number}",
        "metadata": {"tags": [RAISES]} if kind == "raises" else {},
        "outputs": [], "source": lines,
    }  # fmt: skip


if __name__ == "__main__":
    main()
