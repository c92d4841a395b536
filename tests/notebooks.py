"""`make notebooks`: pages of the guide as notebooks, for Jupyter and compatible programs.

A block with a file name writes the file, a `$` command runs, Python with prompts becomes a cell for
each value, and `<!-- notebook ... -->` is a cell only of the notebook. Outputs are left out. The
test of the page tries its commands and files; `run_cells` tries the other cells.

The pages of `WITH_OUTPUTS` are pure Python. Their cells are run, and the notebook keeps their
outputs. An image that follows a cell with a picture is that picture: a file next to the page, and
an output in the notebook.
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
"""The tag that tells Jupyter that a cell is expected to raise an exception."""


def main() -> None:
    """Write the notebooks."""
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
    """Return the path of a page's notebook."""
    return FOLDER / "notebooks" / f"{name}.ipynb"


def notebook(page: str) -> str:
    """Return a page as a notebook: JSON in the format 4.5, without outputs."""
    title, *rest = cells(page)
    all_cells = [title, ("code", FIRST), *rest]
    return _document([_cell(number, *cell) for number, cell in enumerate(all_cells)])


def lesson(page: str) -> tuple[str, dict[str, str]]:
    """Return a lesson as a notebook with outputs, and its pictures by file name."""
    names: dict[str, Any] = {}
    made: list[dict[str, Any]] = []
    pictures = {}
    for number, (kind, text) in enumerate(cells(page)):
        image = PICTURE.match(text) if kind == "markdown" else None
        drawn = image and made and _picture_of(made[-1])
        if image and drawn:
            pictures[image[1]] = drawn
            text = text[image.end() :]
        if text:
            made.append(_cell(number, kind, text))
        if kind == "code":
            made[-1]["outputs"] = _outputs(text, names)
    return _document(made), pictures


def _picture_of(cell: dict[str, Any]) -> str:
    """Return the picture that a cell shows, or an empty string."""
    return "".join(
        "".join(o.get("data", {}).get("image/svg+xml", "")) for o in cell.get("outputs", ())
    )


def _outputs(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell, and return its printed text and its value as Jupyter would store them."""
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
    """Run a cell, and return the value of its last expression, or None."""
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
    """Yield the cells of a page: "markdown", "code" or "raises", and the text."""
    end = 0
    for block in BLOCK.finditer(page):
        yield from _prose(page[end : block.start()])
        end = block.end()
        language, file, body, alone = block.groups()
        if alone:
            yield "code", alone
        elif file:
            yield "code", f"%%writefile {file}\n{body}"
        elif language == "console":
            yield from (("code", command) for command in _commands(body))
        elif language == "python" and ">>> " in body:
            yield from _values(body)
        elif language == "python":
            yield "code", body
        else:
            yield "markdown", block[0]
    yield from _prose(page[end:])


def run_cells(text: str) -> list[str]:
    """Run the Python cells of a notebook, and return what each shows, as HTML, SVG or repr.

    Raises:
        Exception: If a cell raises one unexpectedly.
        AssertionError: If a cell does not raise an expected exception.
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
    """Yield text with its links adapted to the subfolder of the notebooks."""
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL).strip()
    if text:
        yield "markdown", re.sub(r"\]\(([\w-]+\.\w+)", r"](../\1", text)


def _commands(block: str) -> Iterator[str]:
    """Yield shell commands; input typed into a command is the body of its cell."""
    for part in re.split(r"^\$ ", re.sub(r"\s*\\\n\s*", " ", block), flags=re.MULTILINE)[1:]:
        command, *rest = part.splitlines()
        typed = [line[2:] for line in rest if line.startswith("> ")]
        yield "\n".join((f"%%script {command}", *typed)) if typed else f"!{command}"


def _values(block: str) -> Iterator[tuple[str, str]]:
    """Yield a cell for each displayed value, with the statements before it."""
    source = ""
    for example in DocTestParser().get_examples(block):
        if example.exc_msg and source:
            yield "code", source
            source = ""
        source += example.source + "\n" * ("\n " in example.source)  # a blank line after functions
        if example.want:
            yield "raises" if example.exc_msg else "code", source
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
