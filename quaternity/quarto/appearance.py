"""How a piece looks in a picture: its four features as size, colour, shape and filling.

Editions differ in their words. Words that name a look get that look (`big` is drawn large, `red`
is drawn red); the features that are left take the looks that are left, in order. A picture says
in a legend which is which.
"""

from __future__ import annotations

from typing import NamedTuple

from quaternity.quarto.marks import PIECES
from quaternity.quarto.pieces import PieceSet

COLOURS = {
    "red": "#c4342b",
    "blue": "#1f62ad",
    "green": "#2e7d4f",
    "yellow": "#e8b923",
    "orange": "#e07b1a",
    "purple": "#7a3e9d",
    "brown": "#7b4a24",
    "black": "#2b2b2b",
    "dark": "#4a3222",
    "grey": "#8a8f94",
    "gray": "#8a8f94",
    "white": "#fbfbf7",
    "light": "#e6c893",
    "beige": "#e6d3a8",
}
"""Words for colours, and the colours."""

WORDS = {
    "size": ({"big", "large", "tall", "high", "long"}, {"small", "little", "short", "low"}),
    "shape": ({"square", "angular", "cubic"}, {"circular", "round", "circle", "cylindrical"}),
    "filling": ({"solid", "full", "filled", "closed", "flat"}, {"hollow", "empty", "open"}),
}
"""Words for the first and the second of the two looks: large and small, and so on."""

FIRST_COLOUR, SECOND_COLOUR = COLOURS["red"], COLOURS["blue"]


class Look(NamedTuple):
    """What a piece looks like."""

    large: bool
    colour: str
    square: bool
    solid: bool


class _Channel(NamedTuple):
    """A look, and the feature it shows.

    Attributes:
        bit: which feature.
        swapped: whether the second property has the first of the two looks.
        colours: the first and second property's colours, when the look is colour.
    """

    bit: int
    swapped: bool
    colours: tuple[str, str]


def _matching(look: str, pair: tuple[str, str]) -> tuple[bool, tuple[str, str]] | None:
    """Whether the two properties are words for this look: swapped or not, and the colours."""
    first, second = (word.casefold() for word in pair)
    if look == "colour":
        if first in COLOURS and second in COLOURS and COLOURS[first] != COLOURS[second]:
            return False, (COLOURS[first], COLOURS[second])
        return None
    ones, others = WORDS[look]
    if first in ones and second in others:
        return False, ("", "")
    if first in others and second in ones:
        return True, ("", "")
    return None


def _channels(pieces: PieceSet) -> dict[str, _Channel]:
    """The feature that each look shows."""
    looks = ["size", "colour", "shape", "filling"]
    chosen: dict[str, _Channel] = {}
    free = list(range(len(pieces.properties)))
    for look in looks:
        for bit in free:
            match = _matching(look, pieces.properties[bit])
            if match is not None:
                chosen[look] = _Channel(bit, *match)
                free.remove(bit)
                break
    for look in looks:
        if look not in chosen:
            chosen[look] = _Channel(free.pop(0), False, (FIRST_COLOUR, SECOND_COLOUR))
    return chosen


def looks(pieces: PieceSet) -> tuple[Look, ...]:
    """The look of every piece; all are different.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> pieces = PieceSet.of(read_pieces(example_pieces()))
    >>> looks(pieces)[pieces.piece('A')]
    Look(large=True, colour='#c4342b', square=True, solid=False)
    """
    channels = _channels(pieces)

    def first(look: str, piece: int) -> bool:
        channel = channels[look]
        return bool(piece >> channel.bit & 1) == channel.swapped

    colour = channels["colour"]
    return tuple(
        Look(
            first("size", piece),
            colour.colours[piece >> colour.bit & 1],
            first("shape", piece),
            first("filling", piece),
        )
        for piece in range(PIECES)
    )


__all__ = ["COLOURS", "Look", "looks"]
