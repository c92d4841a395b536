"""`review`: at the terminal, as JSON and as a drawing."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quaternity.cli.status import ExitStatus
from quaternity.game.game import Game
from quaternity.game.settings import Settings
from quaternity.review import review
from quaternity.review.drawing import curve_svg
from tests.cli.conftest import Cli

RECORD = Game.start(Settings(3, 2, 2)).play("0 asks 1 for 0/0: yes").record()


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "my.game"
    path.write_text(RECORD, encoding="utf-8")
    return path


def test_the_output_is_that_of_the_python_function(cli: Cli, record: Path) -> None:
    expected = review(RECORD, seconds=600)
    assert cli("review", record, "--seconds", 600).out == f"{expected}\n"
    assert cli("review", "-", "--seconds", 600, stdin=RECORD).out == f"{expected}\n"
    shown = cli("review", record, "--seconds", 600, "--json")
    assert shown.json == expected.document()


def test_curves_are_drawn(cli: Cli, record: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "chances.svg"
    assert cli("review", record, "--svg", drawing, "--seconds", 600).status == 0
    root = ElementTree.fromstring(drawing.read_text(encoding="utf-8"))
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2


def test_the_legend_of_the_curves_shows_long_names() -> None:
    done = review(RECORD, seconds=600)
    assert "Großmutter Hildegard" in curve_svg(replace(done, names=("Großmutter Hildegard", "Zoë")))


def test_a_review_that_is_not_finished_has_the_status_of_a_limit(cli: Cli, record: Path) -> None:
    for options in ((), ("--json",)):
        assert cli("review", record, "--seconds", 600, *options).status == ExitStatus.DONE
        ended = cli("review", record, "--seconds", 0, *options)
        assert ended.status == ExitStatus.LIMIT
        assert "Time ran out" in ended.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seat", 2], "seat 2 is out of range 0..1"),
        (["--seconds", -1], "seconds: must be a number >= 0, not -1"),
        (["--svg", "x.png"], "--svg 'x.png': the file name must end in .svg"),
        (["--svg", "/nowhere/x.svg"], "/nowhere"),
    ],
)
def test_invalid_options_are_refused(
    cli: Cli, record: Path, options: list[object], message: str
) -> None:
    refused = cli("review", record, *options)
    assert refused.status == 2
    assert message in refused.err
    assert not refused.out
