"""The files, code and commands of the README and the guide work as shown.

Python with prompts is left to doctest. In other blocks

- a file's name after the language (```` ```python first.py ````) puts the block into a file,
- `$ quaternity ...` is run, in the order of the page, in one folder per page. Lines that begin with
  `> ` are its input, the other lines its output, in which `...` stands for any text. A comment
  `# exit status 1` gives the exit status. A command with `# minutes` or `# until stopped` is only
  parsed.
- `$ make ...` names an existing target; `$ python FILE` runs a file of the page.
"""

import ast
import io
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, redirect_stdout
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from typing import NamedTuple

import pytest

from quaternity import guide
from quaternity.cli.app import root_command
from tests import notebooks
from tests.cli.conftest import Cli
from tests.installed import installed
from tests.sizes import THOROUGH, thorough

ROOT = Path(__file__).parents[2]
PAGES = {"README": ROOT / "README.md"} | {
    name: ROOT / "quaternity" / "guide" / f"{name}.md" for name in guide.ORDER
}
IMAGE = re.compile(r"!\[[^\]]+\]\(([^)]+)\)")
OTHER_PROGRAMS = ("cd", "git", "pip", "pytest", "python3", "uv", "source")
"""Programs of other projects, which are not run."""


class Block(NamedTuple):
    """A block of code: its language, its file name and its text."""

    language: str
    file: str
    text: str


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for info, body in re.findall(r"^```(\S.*?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        language, _, file = info.partition(" ")
        yield Block(language, file, body)


class Command(NamedTuple):
    """A command of a page: its words, its comment, its input and its output."""

    words: list[str]
    note: str
    typed: str
    printed: str


def commands(text: str) -> Iterator[Command]:
    """Yield the commands of a block; a backslash at the end of a line continues the command."""
    for part in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        line, *rest = part.splitlines()
        command_line, _, note = line.partition(" # ")
        typed = "".join(f"{row[2:]}\n" for row in rest if row.startswith("> "))
        printed = "".join(f"{row}\n" for row in rest if not row.startswith("> "))
        yield Command(shlex.split(command_line), note, typed, printed)


def parse_only(words: list[str]) -> None:
    """Parse a command that is not run."""
    group = root_command()
    context = group.make_context("quaternity", list(words))
    while hasattr(group, "resolve_command"):
        _, group, words = group.resolve_command(context, words)
        context = group.make_context(group.name, list(words), parent=context)


def check_printed(command: Command, printed: str) -> None:
    """Check that the output is the output on the page."""
    if command.printed.strip():
        checker, how = OutputChecker(), ELLIPSIS | NORMALIZE_WHITESPACE
        assert checker.check_output(command.printed, printed, how), f"{command.words}\n{printed}"


def run(command: Command, cli: Cli) -> None:
    """Run a command of this program, and compare its output with the page."""
    if re.search(r"minutes|until stopped", command.note):
        parse_only(command.words[1:])
        return
    status = re.search(r"exit status (\d+)", command.note)
    outcome = cli(*command.words[1:], stdin=command.typed)
    assert outcome.status == int(status[1] if status else 0), (command.words, outcome)
    check_printed(command, outcome.out + outcome.err)


def check(command: Command, cli: Cli, folder: Path) -> None:
    """Run a command, or check that it exists."""
    program = command.words[0].removeprefix(".venv/bin/")
    if program == "quaternity":
        run(command, cli)
    elif program == "make":
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert command.words[1] in targets
    elif program == "python":
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as out:
            patch.setattr(sys, "argv", command.words[1:])
            runpy.run_path(str(folder / command.words[1]), run_name="__main__")
        check_printed(command, out.getvalue())
    else:
        assert program in OTHER_PROGRAMS


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_its_commands_print(
    name: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    # The Python programs of a page run as if this distribution were installed.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))  # a server may use the default
    if not THOROUGH:  # drawing is slow, and other tests check the reports
        request.getfixturevalue("no_drawings")
    known, installs = set(sys.modules), ExitStack()
    try:
        for block in blocks(PAGES[name].read_text(encoding="utf-8")):
            if block.file:
                (tmp_path / block.file).write_text(block.text, encoding="utf-8")
            if block.language == "toml":
                document = tomllib.loads(block.text)
                if block.file == "pyproject.toml":  # as `pip install` would
                    groups = document["project"]["entry-points"].items()
                    lines = [
                        line
                        for group, points in groups
                        for line in (f"[{group}]", *(f"{key} = {points[key]}" for key in points))
                    ]
                    text = "\n".join(lines)
                    installs.enter_context(installed(tmp_path, "mine", text, monkeypatch))
            elif block.language == "python" and ">>>" not in block.text:
                ast.parse(block.text)
            elif block.language == "console":
                for command in commands(block.text):
                    check(command, cli, tmp_path)
        for picture in IMAGE.findall(PAGES[name].read_text(encoding="utf-8")):
            if (tmp_path / picture).exists():  # by a command of this page
                assert (tmp_path / picture).read_bytes() == (
                    PAGES[name].parent / picture
                ).read_bytes()
        if name in thorough(notebooks.NAMES[:1], notebooks.NAMES):  # doctest runs all of them
            notebooks.run_cells(notebooks.path_of(name).read_text(encoding="utf-8"))
    finally:
        installs.close()
        for module in set(sys.modules) - known:
            if getattr(sys.modules[module], "__file__", None) == str(tmp_path / f"{module}.py"):
                del sys.modules[module]


@pytest.mark.parametrize("name", notebooks.NAMES)
def test_a_notebook_matches_its_page(name: str) -> None:
    kept = notebooks.path_of(name).read_text(encoding="utf-8")
    assert kept == notebooks.notebook(PAGES[name].read_text(encoding="utf-8")), "make notebooks"
    for cell in json.loads(kept)["cells"]:
        assert not cell.get("outputs")
        text = "".join(cell["source"])
        for target in re.findall(r"\]\(([^)#]+)", text if cell["cell_type"] == "markdown" else ""):
            assert (notebooks.path_of(name).parent / target).exists(), target


@pytest.mark.parametrize("name", notebooks.WITH_OUTPUTS)
def test_a_lesson_shows_what_its_page_computes(name: str) -> None:
    text, pictures = notebooks.lesson(PAGES[name].read_text(encoding="utf-8"))
    assert notebooks.path_of(name).read_text(encoding="utf-8") == text, "make notebooks"
    assert pictures
    for file, svg in pictures.items():
        assert (PAGES[name].parent / file).read_text(encoding="utf-8") == svg, "make notebooks"


def test_the_readme_shows_the_picture_that_it_computes() -> None:
    page = PAGES["README"].read_text(encoding="utf-8").replace("quaternity/guide/", "")
    first_screen = page[page.index("```python") : page.index("## The solver library")]
    _, pictures = notebooks.lesson(first_screen)
    ((file, svg),) = pictures.items()
    assert (ROOT / "quaternity" / "guide" / file).read_text(encoding="utf-8") == svg


def test_a_cell_must_raise_the_error_that_its_page_shows() -> None:
    raised = "Traceback (most recent call last):\nZeroDivisionError: no"
    page = f"# A\n```python\n>>> 1 / 0\n{raised}\n```\n"
    assert notebooks.run_cells(notebooks.notebook(page)) == []
    with pytest.raises(AssertionError, match="does not raise"):
        notebooks.run_cells(notebooks.notebook(page.replace("1 / 0", "1 / 2")))
    with pytest.raises(ZeroDivisionError):
        notebooks.run_cells(notebooks.notebook("# A\n<!-- notebook\n1 / 0\n-->\n"))


@pytest.mark.parametrize("name", PAGES)
def test_text_to_copy_fits_a_terminal(name: str) -> None:
    for block in blocks(PAGES[name].read_text(encoding="utf-8")):
        if block.file or block.language == "console":
            lines = block.text.splitlines()
            typed = lines if block.file else [line for line in lines if line[:2] in ("$ ", "> ")]
            assert not [line for line in typed if len(line) > 78], "the pager would break the line"


def test_every_page_is_in_the_order() -> None:
    names = {path.stem for path in (ROOT / "quaternity" / "guide").glob("*.md")}
    assert names == set(guide.ORDER)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_existing_files(name: str) -> None:
    path = PAGES[name]
    prose = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose):
        assert (path.parent / target).exists(), target
        assert not target.startswith("http")


def test_tags_in_a_page_are_escaped() -> None:
    shown = guide.html("# A\n<!-- not\nthis -->\n<script>x</script> [b](rules.md#c)")
    assert "not" not in shown
    assert "&lt;script&gt;" in shown
    html = guide.html("```python mine.py\npass\n```")
    assert html.startswith("<p><code>mine.py</code>:</p>\n<pre>")
    assert 'href="rules#c"' in shown


def test_pages_are_shown_at_the_terminal(cli: Cli) -> None:
    assert guide.page("solvers").title in cli("guide").out
    assert cli("guide", "solvers").out == guide.page("solvers").text
    wrong = cli("guide", "nothing")
    assert (wrong.status, wrong.out) == (2, "")
    assert "unknown page 'nothing'" in wrong.err


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_patch_of_the_guide_applies_and_passes_its_test(tmp_path: Path) -> None:
    """The quick run only applies the patch; its test takes a process and a copy of the project."""
    (patch,) = (block for block in blocks(guide.page("house").text) if block.file == "eager.patch")
    changed = re.findall(r"^--- a/(\S+)", patch.text, re.MULTILINE)
    for name in thorough(changed, ["quaternity", "solvers", "tests"]):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if THOROUGH else shutil.copy)(ROOT / name, tmp_path / name)
    environment = dict.fromkeys(("PYTHONPATH", "GIT_CEILING_DIRECTORIES"), str(tmp_path))
    for words in (
        ["git", "apply", "-"],
        *thorough([], [[sys.executable, "-m", "pytest", "-q", "tests/quarto/test_eager.py"]]),
    ):
        done = subprocess.run(
            words, input=patch.text, cwd=tmp_path, capture_output=True, text=True, check=False,
            env=os.environ | environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_no_table_is_cut_off_at_a_terminal() -> None:
    from io import StringIO

    from rich.console import Console

    from quaternity.cli.layout import GuideMarkdown

    def render(text: str) -> str:
        out = StringIO()
        Console(width=80, file=out).print(
            GuideMarkdown(guide.visible_markdown(text), hyperlinks=False)
        )
        return out.getvalue()

    for page in guide.pages():
        tables = re.findall(r"(?:^\|.*\n)+", page.text, re.MULTILINE)
        text = page.text if THOROUGH else "\n".join(tables)
        rendered = render(text)
        assert rendered.count("…") == text.count("…"), page.name
        assert max(map(len, rendered.splitlines()), default=0) <= 80, page.name
    head = "| name |" + " a long heading |" * 9 + "\n|---|" + "---|" * 9 + "\n"
    parts = render(head + "| mine |" + " 3,208,417 |" * 9)
    assert (parts.count("mine"), parts.count("3,208,417")) == (2, 9)
    assert render("| a | b |\n|---|---|\n| x | " + "y" * 90 + " |").count("y") == 90
