"""Colours are distinguishable for people who cannot see red, green or blue light."""

from itertools import combinations

import numpy
import pytest

from quaternity.base.plots import COLOURS, MARKERS, Style
from quaternity.ternary.table_picture import SHADES

SIGHTS = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.3039),
    ),
}  # fmt: skip
"""Matrices that simulate vision: a row each for linear red, green and blue.

Source: Machado, Oliveira, Fernandes, *A physiologically-based model for simulation of color vision
deficiency* (2009), the strongest degree.
"""

TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))


def cielab(colour: str, sight: str) -> "numpy.ndarray[tuple[int], numpy.dtype[numpy.float64]]":
    """Return a colour in CIELAB, in which a step of 2.3 is just noticeable."""
    parts = numpy.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = numpy.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    xyz = numpy.array(TO_XYZ) @ numpy.clip(numpy.array(SIGHTS[sight]) @ linear, 0, 1)
    scaled = xyz / (0.9505, 1.0, 1.089)
    f = numpy.where(scaled > 0.008856, numpy.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return numpy.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize(("palette", "limit"), [(COLOURS, 15), (SHADES, 30)], ids=["plots", "SET"])
def test_colours_are_distinguishable(palette: tuple[str, ...], limit: float, sight: str) -> None:
    for first, second in combinations(palette, 2):
        step = numpy.linalg.norm(cielab(first, sight) - cielab(second, sight))
        assert step > limit, (first, second, step)


def test_equal_colours_have_different_markers() -> None:
    styles = {(Style(n).colour, Style(n).marker) for n in range(len(COLOURS) * len(MARKERS))}
    assert len(styles) == 77
