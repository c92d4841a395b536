"""Pictures drawn by matplotlib, as parts of a page."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quaternity.base.plots import new_figure, svg_of
from quaternity.table.tournament.picture import draw_table
from quaternity.table.tournament.scores import Measured, Record, Table

DATA = Path(__file__).parents[1] / "quaternity" / "data"


@pytest.mark.parametrize("numbers", [[0.1234567, 3.00049], [1e-3, 12345.678]])
def test_a_figure_in_a_page_is_rounded_but_for_its_words(numbers: list[float]) -> None:
    """Equal figures are equal bytes, labels stay as they are, and no coordinate is finer."""
    label = " ".join(map(str, numbers))
    pages = []
    for _ in range(2):
        figure = new_figure(3, 2)
        axes = figure.subplots()
        axes.plot(numbers, numbers)
        axes.set_title(label)
        pages.append(svg_of(figure))
    assert pages[0] == pages[1]
    drawn = ElementTree.fromstring(pages[0])
    assert label in drawn.itertext()
    paths = [one.attrib["d"] for one in drawn.iter() if "d" in one.attrib]
    assert paths
    assert not re.search(r"\.\d\d", "".join(paths))
    assert re.search(r"\d\.\d", "".join(paths))


ANALYSE = ("-m", "quaternity", "analyse", str(DATA / "possible-4-13-4.json"), "--plot")


@pytest.mark.parametrize("backend", ["module://matplotlib_inline.backend_inline"])
def test_a_backend_that_is_not_installed_stops_no_picture(backend: str, tmp_path: Path) -> None:
    """Jupyter exports its backend to every program that a notebook starts."""
    path = tmp_path / "analysis.png"
    environment = {**os.environ, "MPLBACKEND": backend}
    done = subprocess.run(
        [sys.executable, *ANALYSE, path], env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_pictures_do_not_depend_on_the_settings_of_matplotlib(tmp_path: Path) -> None:
    """The settings of the caller stay as they are, even if several threads draw at once."""
    settings = {"text.usetex": True, "font.size": 30.0, "axes.facecolor": "red"}
    matplotlib = pytest.importorskip("matplotlib")
    half = Measured(0.5, 0.1)
    record = Record(4, 2, 0, half, half, half, half, (half, half), None)
    table = Table((record, record), ((None, half), (half, None)), 0, 0, half, 4, 2)

    def draw(number: int) -> bytes:
        path = tmp_path / f"{number}.png"
        draw_table(str(path), ["a$x", r"$\q$_"], table)
        return path.read_bytes()

    expected = draw(0)
    with matplotlib.rc_context(settings):
        before = dict(matplotlib.rcParams)
        with ThreadPoolExecutor(2) as threads:
            assert set(threads.map(draw, range(2))) == {expected}
        assert dict(matplotlib.rcParams) == before
