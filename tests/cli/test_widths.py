"""All output fits a terminal of at least 60 columns, and no word is broken."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from quaternity.base.text_table import table_lines
from quaternity.cli.app import RootGroup, root_command, run
from tests.cli.conftest import Cli
from tests.sizes import thorough

DATA = files("quaternity") / "data"
STATE = str(DATA / "possible-4-13-4.json")
GAME = str(DATA / "game-4-13-4.record")


@cache
def commands() -> dict[tuple[str, ...], Any]:
    """Map the words that call a command or a group to the command."""

    def below(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        yield path, group
        if hasattr(group, "list_commands"):
            context = group.context_class(group)
            for name in group.list_commands(context):
                yield from below(group.get_command(context, name), (*path, name))

    return dict(below(root_command(), ()))


def page(command: tuple[str, ...], width: int, capsys: pytest.CaptureFixture[str]) -> str:
    """Return a help page as it is printed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        assert run([*command, "--help"]) == 0
    return capsys.readouterr().out


def words(text: str) -> list[str]:
    """Return the words, without the backslashes that continue a command."""
    return [word for word in text.split() if word != "\\"]


def test_help_fits_breaks_no_word_and_shows_its_whole_docstring(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command, called in commands().items():
        shown = {width: page(command, width, capsys) for width in (60, *thorough((), (80,)), 100)}
        for width, text in shown.items():
            assert [line for line in text.splitlines() if len(line) > width] == []
            assert "..." not in text.split("Commands:")[-1] or "Commands:" not in text
            assert words(text) == words(shown[100])
        docstring = called.callback.__doc__ if called.callback else None
        assert " ".join(words(docstring or "")) in " ".join(words(shown[100])), command
        assert not re.search(r"[^aeiou]ys\b", shown[100], re.IGNORECASE), "a wrong plural"


def test_the_first_page_has_the_summaries_of_the_commands() -> None:
    group = root_command()
    context = group.make_context("quaternity", ["--version"], resilient_parsing=True)
    assert isinstance(group, RootGroup)
    shown = [row for rows in group.sections(context).values() for row in rows.items()]
    assert [name for name, _ in shown] == group.list_commands(context)
    for name, summary in shown:
        assert commands()[name,].get_short_help_str(1000) == summary


def test_the_first_page_lists_every_command_games_first(capsys: pytest.CaptureFixture[str]) -> None:
    shown = page((), 80, capsys).split("Play:\n")[1].splitlines()
    listed = [line.split()[0] for line in shown if line.startswith("  ")]
    assert sorted(listed) == sorted(path[0] for path in commands() if len(path) == 1)
    assert listed[:6] == ["play", "serve", "kwartet", "quarto", "set", "watch"]


def test_an_example_over_several_lines_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    text = page(("kwartet", "know"), 60, capsys)
    command = text.split("Example:\n")[1].split("\n\n")[0].replace("\\\n", "")
    assert shlex.split(command)[-4:] == ["--go", "20", "K1 !K2 H3 8/3", "--why"]
    assert "'K1 !K2 H3 8/3' --why\n" in text


OUTPUTS = [
    ["analyse", STATE, "--questions"],
    ["analyse", GAME],
    ["check", str(DATA / "damaged-owner-4-13-4.json"), "--solver", "coalitions"],
    ["questions", STATE],
    ["compare", "--states", "2", "--solvers", "max-flow,matching,coalitions", "--repeats", "1"],
    ["compare", "--sweep", "sets", "3..6", "--states", "2", "--solvers", "max-flow,coalitions"],
    ["fuzz", "--examples", "5", "--solvers", "max-flow,matching,coalitions"],
    ["solve", "-s", "2", "-n", "3", "-p", "3"],
    ["tournament", "random", "informed", "--games", "12"],
    ["play", "--seats", "random,random,random"],
    ["kwartet", "simulate", "--games", "48", "--seats", "greedy,mixed,random,random"],
    ["kwartet", "play", "--seats", "greedy,mixed,random,random"],
    ["quarto", "show", "example", "N?BI??JO?FDLMEAG"],
    ["quarto", "explain", "example", "N?BI??JO?FDLMEAG"],
    ["quarto", "solve", "example", "AGDPMJCFOE......"],
    ["quarto", "play", "--seats", "random,careful"],
    ["quarto", "tournament", "careful", "random", "--games", "4"],
    ["set", "partners", "23"],
    ["set", "find", "0", "40", "80"],
    ["set", "count"],
    ["set", "chain"],
    ["set", "deck"],
    ["set", "simulate", "--games", "3"],
    ["instances"],
    ["watch", GAME, "--step", "170"],
]


@pytest.mark.parametrize(
    "command", OUTPUTS, ids=lambda command: " ".join(command[:2]).replace(str(DATA), "")
)
def test_output_is_narrow(cli: Cli, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    width = 60
    monkeypatch.setenv("COLUMNS", str(width))
    outcome = cli(*command)
    assert outcome.status in (0, 1), outcome.err
    long = [line for line in outcome.out.splitlines() if len(line) > width]
    # Text without spaces, such as the path of a file, cannot be broken.
    assert [line for line in long if " " in line.strip()] == []


def test_all_cells_of_a_wide_table_are_printed() -> None:
    head = ["solver", *(f"column {number}" for number in range(7))]
    rows = [[f"{row}", *(f"{row}.{number}" for number in range(7))] for row in "ab"]
    narrow = table_lines(head, rows, 30)
    assert max(map(len, narrow)) <= 30
    assert sorted(set(" ".join(narrow).split())) == sorted(
        {word for line in [head, *rows] for cell in line for word in cell.split()}
    )
    assert table_lines(head, rows) == [line.rstrip() for line in table_lines(head, rows, 500)]


@pytest.mark.parametrize("width", [60, 80])
def test_tables_of_many_cards_and_players_fit(
    cli: Cli, tmp_path: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    game = tmp_path / "game.record"
    game.write_text("quaternity 1\nset-size 24\nsets 3\nplayers 12\n0 asks 1 for 0/0: no\n")
    out = cli("watch", game).out
    assert "/23" in out
    assert max(map(len, out.splitlines())) <= width
