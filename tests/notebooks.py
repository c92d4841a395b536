"""`make notebooks`: pages of the guide as notebooks, for Jupyter and what reads its files.

A block that is a file is written, a command of `$` is run, Python with prompts becomes a cell for
each value, and `<!-- notebook ... -->` is a cell of the notebook alone. What cells printed is left
out. The commands and files are the page's, so its test tries them; `run_cells` tries the rest.

The pages of `WITH_OUTPUTS` are all Python. Their cells are run, and the notebook keeps their
outputs. If an image follows a cell that shows a picture, it is that picture: a file beside the
page, in the notebook an output.
"""

from __future__ import annotations

import ast
import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from doctest import DocTestParser
from pathlib import Path
from typing import Any

from quaternity.guide import LESSONS

FOLDER = Path(__file__).parents[1] / "quaternity" / "guide"
NAMES = ("rules", "referee", "comparing", "knowledge")
WITH_OUTPUTS = (*LESSONS, "models")
"""The pages whose notebooks keep the outputs of their cells."""
BLOCK = re.compile(
    r"^```(\S+) ?(\S*)\n(.*?)^```\n|<!-- notebook\n(.*?)-->\n", re.MULTILINE | re.DOTALL
)
FIRST = (
    "import os\nimport tempfile\n\nos.chdir(tempfile.mkdtemp())  # files of this notebook go here"
)
PICTURE = re.compile(r"!\[[^\]]*\]\((?:\.\./)?([\w-]+\.svg)\)\s*")
RAISES = "raises-exception"
"""The tag by which Jupyter knows that a cell is meant to raise."""


def main() -> None:
    """Write them."""
    for name in NAMES:
        path = path_of(name)
        path.write_text(notebook((FOLDER / f"{name}.md").read_text("utf-8")), encoding="utf-8")
        print(path.relative_to(Path.cwd()))
    for name in WITH_OUTPUTS:
        page = (FOLDER / f"{name}.md").read_text("utf-8")
        text, pictures = lesson(page)
        path_of(name).write_text(text, encoding="utf-8")
        for file, svg in pictures.items():
            (FOLDER / file).write_text(svg, encoding="utf-8")
        print(path_of(name).relative_to(Path.cwd()), *pictures)


def path_of(name: str) -> Path:
    """Where a page's notebook is kept."""
    return FOLDER / "notebooks" / f"{name}.ipynb"


def notebook(page: str) -> str:
    """A page as a notebook: JSON in the format 4.5, without outputs."""
    title, *rest = cells(page)
    told = [title, ("code", FIRST), *rest]
    return _document([_cell(number, *one) for number, one in enumerate(told)])


def lesson(page: str) -> tuple[str, dict[str, str]]:
    """A lesson as a notebook with outputs, and its pictures by the names of their files."""
    names: dict[str, Any] = {}
    made: list[dict[str, Any]] = []
    pictures = {}
    for number, (kind, text) in enumerate(cells(page)):
        image = PICTURE.match(text) if kind == "markdown" else None
        drawn = image and made and _drawn(made[-1])
        if image and drawn:
            pictures[image[1]] = drawn
            text = text[image.end() :]
        if text:
            made.append(_cell(number, kind, text))
        if kind == "code":
            made[-1]["outputs"] = _outputs(text, names)
    return _document(made), pictures


def _drawn(cell: dict[str, Any]) -> str:
    """The picture that a cell shows, or nothing."""
    return "".join(
        "".join(o.get("data", {}).get("image/svg+xml", "")) for o in cell.get("outputs", ())
    )


def _outputs(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell; what Jupyter would keep of what it prints, and of its value."""
    with redirect_stdout(io.StringIO()) as printed:
        value = _value(source, names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        looks = {
            "image/svg+xml": "_repr_svg_",
            "text/html": "_repr_html_",
            "text/plain": "__repr__",
        }
        data = {
            kind: getattr(value, method)().splitlines(keepends=True)
            for kind, method in looks.items()
            if hasattr(value, method)
        }
        outputs.append(
            {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def _value(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last expression, or None."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        body, last = [*body, last], ast.Expr(ast.Constant(None))
    exec(compile(ast.Module(body, []), source, "exec"), names)  # noqa: S102 - our own page
    value = ast.fix_missing_locations(ast.Expression(last.value))
    return eval(compile(value, source, "eval"), names)  # noqa: S307 - our own page


def _document(made: list[dict[str, Any]]) -> str:
    return json.dumps(
        {
            "cells": made,
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
        try:
            value = _value(source, names)
            if value is not None:
                shown.append(_look(value))
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
        source += one.source + "\n" * ("\n " in one.source)  # what follows a function stands apart
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
