"""`puzzle`: the exit status judges an answer, and invalid options are refused."""

import pytest

from quaternity.puzzles import make
from tests.cli.conftest import Cli


def test_the_status_shows_whether_an_answer_is_right(cli: Cli) -> None:
    puzzle = make("quarto", 0, 1)
    command = ["puzzle", "quarto", "--level", 1, "--seed", 0, "--answer"]
    assert cli(*command, puzzle.answers[0]).status == 0
    assert cli(*command, next(iter(puzzle.wrong))).status == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--daily", "--seed", 3], "--daily shows five fixed puzzles"),
        (["quarto", "--daily"], "--daily shows five fixed puzzles"),
        (["--daily", "--answer", "yes"], "--answer can judge only one puzzle, not 5"),
        (["--count", 201], "--count 201: must be from 1 to 200"),
        (["sets", "--html", "/nowhere/x.html"], "/nowhere/x.html: cannot be written"),
        (["json:loads"], "kind 'json:loads' cannot be loaded"),
        (["quarto", "--level", 1, "--seed", 0, "--answer", ""], "answer '': write "),
    ],
)
def test_invalid_options_are_refused(cli: Cli, options: list[object], message: str) -> None:
    refused = cli("puzzle", *options)
    assert refused.status == 2
    assert message in refused.err
