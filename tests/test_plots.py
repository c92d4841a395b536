"""Pictures drawn by matplotlib, as parts of a page."""

import re
from xml.etree import ElementTree

import pytest

from quaternity.base.plots import new_figure, svg_of


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
