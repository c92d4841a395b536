"""Drawings of a Quarto board as text and as an SVG picture with a legend.

The four features of a piece are drawn as its size, colour, shape and filling. Editions of the game
describe the features in different words. If these words describe a size, colour, shape or filling,
the feature is drawn that way: `big` pieces are drawn large, and `red` pieces are drawn red. The
other features are drawn in the remaining ways, in order. The legend explains how each feature is
drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple
from unicodedata import east_asian_width

from quaternity.base.errors import InputError
from quaternity.base.svg import svg_document, svg_element, svg_text
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_iterator
from quaternity.quarto.board import Board, as_board
from quaternity.quarto.pieces import FEATURES, PIECES, PieceSet
from quaternity.quarto.rows import CELLS, ROWS, SIDE, Row
from quaternity.quarto.sentences import QUARTO_ROW


def _rows(quartos: Iterable[Row]) -> Iterator[Row]:
    for row in as_iterator(quartos, "quartos"):
        if not isinstance(row, Row):
            raise InputError(f"quartos: {quote_value(row)} is not a Row")
        yield row


def board_text(board: Board, quartos: Iterable[Row] | None = None) -> str:
    """Return the board as five lines of plain text, in which pieces of quartos are in brackets.

    `quartos` contains the rows to mark. By default, these are the rows that are a quarto.
    """
    if quartos is None:
        quartos = [row for row, _ in as_board(board).quartos()]
    marked = {cell for row in _rows(quartos) for cell in row.cells}
    blank = "." if "." not in as_board(board).pieces.names else board.blank
    lines = ["     " + "  ".join(f"V{column + 1}" for column in range(SIDE))]
    for start in range(0, CELLS, SIDE):
        fields = []
        for cell in range(start, start + SIDE):
            piece = board.cells[cell]
            name = blank if piece is None else board.pieces.names[piece]
            field = f"[{name}]" if cell in marked else f" {name} "
            # A wide character, for example of Chinese, takes two columns on a terminal.
            fields.append(field if east_asian_width(name) in "WF" else f"{field} ")
        lines.append(f"H{start // SIDE + 1}   {''.join(fields)}".rstrip())
    return "\n".join(lines)


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
"""Mapping from words for colours to the colours in SVG notation."""

WORDS = {
    "size": ({"big", "large", "tall", "high", "long"}, {"small", "little", "short", "low"}),
    "shape": ({"square", "angular", "cubic"}, {"circular", "round", "circle", "cylindrical"}),
    "filling": ({"solid", "full", "filled", "closed", "flat"}, {"hollow", "empty", "open"}),
}
"""Words for the size, the shape and the filling of a drawn piece. Each has two values, for example
large and small."""

OTHER_COLOURS = COLOURS["red"], COLOURS["blue"]
"""Colours of the two properties of a feature, if the feature is drawn in colour, but its properties
are not named after colours."""

LOOKS = ("size", "colour", "shape", "filling")


class Look(NamedTuple):
    """The appearance of a piece in a drawing."""

    large: bool
    colour: str
    square: bool
    solid: bool


def _are_words_for(look: str, pair: tuple[str, str]) -> bool:
    first, second = (word.casefold() for word in pair)
    if look == "colour":
        return {first, second} <= COLOURS.keys() and COLOURS[first] != COLOURS[second]
    firsts, seconds = WORDS[look]
    return (first in firsts and second in seconds) or (first in seconds and second in firsts)


def _look_values(look: str, pair: tuple[str, str]) -> Sequence[Any]:
    words = [word.casefold() for word in pair]
    if look == "colour":
        return [COLOURS[word] for word in words] if _are_words_for(look, pair) else OTHER_COLOURS
    return (
        [word in WORDS[look][0] for word in words] if _are_words_for(look, pair) else (True, False)
    )


def _assign_looks(pieces: PieceSet) -> dict[str, int]:
    free, features = list(range(FEATURES)), dict[str, int]()
    for by_name in (True, False):
        for look in LOOKS:
            fits = [
                bit for bit in free if not by_name or _are_words_for(look, pieces.properties[bit])
            ]
            if fits and look not in features:
                features[look] = fits[0]
                free.remove(fits[0])
    return {look: features[look] for look in LOOKS}


@lru_cache(maxsize=16)
def looks(pieces: PieceSet) -> tuple[Look, ...]:
    """Return the appearance of each piece. Different pieces never look the same."""
    columns = []
    for look, bit in _assign_looks(pieces).items():
        first, second = _look_values(look, pieces.properties[bit])
        columns.append([second if piece >> bit & 1 else first for piece in range(PIECES)])
    return tuple(map(Look, *columns))


@lru_cache(maxsize=256)
def piece_svg(pieces: PieceSet, piece: int, label: str | None = None) -> str:
    """Return a piece with its name as an SVG element, 80 by 80 pixels in size.

    `label` is the text for screen readers, or None if a text next to the piece says the same.
    """
    shape = _piece(40, 40, looks(pieces)[piece], pieces.names[piece])
    return svg_element(80, 80, "piece", label, [shape])


CELL = 100
LEFT, TOP = 64, 64
LEGEND = LEFT + SIDE * CELL + 44
TRAY = TOP + SIDE * CELL + 44
TRAY_STEP, TRAY_LENGTH, TRAY_SCALE = 50, 8, 0.5
MAX_WORD_LENGTH = 24

INK, FAINT, HOLE = "#33291f", "#948672", "#ffffff"
BOARD, WELL, EDGE, GLOW = "#efe4d0", "#fbf6ec", "#d8c7a8", "#f3b63f"

_text = partial(svg_text, colour=INK, centred=True)

Quartos = list[tuple[Row, int]]
"""Rows whose pieces share a property (quartos), each with the bit mask of the shared properties."""


def board_svg(board: Board, squares: bool = False, marked: Collection[int] = ()) -> str:
    """Return the board as an SVG document.

    The drawing includes a legend, the pieces left and a description of the quartos. A row that is a
    quarto has a bold label and a band. A square that is a quarto has neither. The cells of quartos
    and the cells in `marked` are highlighted.
    """
    appearance = looks(as_board(board).pieces)
    quartos = board.quartos(squares)
    sentences = quarto_sentences(board, quartos)
    tray = _tray(board, appearance)
    tray_lines = -(-len(board.left) // TRAY_LENGTH)
    words_top = TRAY + TRAY_STEP * tray_lines
    height = words_top + 26 * len(sentences)
    words = [word for pair in board.pieces.properties for word in pair]
    longest = max(len(_short(word)) for word in (*words, *board.pieces.features))
    width = max(LEGEND + 60 + 10 * longest, LEFT + 9 * max(map(len, sentences), default=0))
    parts = [
        f'<rect x="{LEFT - 8}" y="{TOP - 8}" width="{SIDE * CELL + 16}" '
        f'height="{SIDE * CELL + 16}" rx="18" fill="{BOARD}" stroke="{EDGE}" stroke-width="2"/>',
        *_wells(quartos, marked),
        *_bands(quartos),
        *_labels(quartos),
        *(
            _piece(*_centre(cell), appearance[piece], board.pieces.names[piece])
            for cell, piece in enumerate(board.cells)
            if piece is not None
        ),
        *_legend(board, appearance),
        *tray,
        *(
            _text(LEFT - 8, words_top + 26 * index, sentence, size=17, anchor="start")
            for index, sentence in enumerate(sentences)
        ),
    ]
    title, description = f"Quarto board {board}", "; ".join(sentences) or "no quarto"
    return svg_document(width, height, title, description, parts, "#ffffff")


def quarto_sentences(board: Board, quartos: Quartos) -> list[str]:
    """Return a sentence that describes each quarto."""
    names = board.pieces.names
    sentences: list[str] = []
    for row, mark in quartos:
        pieces = [names[piece] for cell in row.cells if (piece := board.cells[cell]) is not None]
        shared = [_short(word) for word in board.pieces.words(mark)]
        sentences.append(QUARTO_ROW(row=row.name, pieces=pieces, shared=shared))
    return sentences


def _short(word: str) -> str:
    return word if len(word) <= MAX_WORD_LENGTH else f"{word[: MAX_WORD_LENGTH - 1]}…"


def _centre(cell: int) -> tuple[float, float]:
    return LEFT + CELL * (cell % SIDE + 0.5), TOP + CELL * (cell // SIDE + 0.5)


def _wells(quartos: Quartos, marked: Collection[int]) -> Iterator[str]:
    lit = {*marked, *(cell for row, _ in quartos for cell in row.cells)}
    for cell in range(CELLS):
        x, y = _centre(cell)
        edge, width = (GLOW, 5) if cell in lit else (EDGE, 2)
        yield (
            f'<circle cx="{x:g}" cy="{y:g}" r="44" fill="{WELL}" stroke="{edge}" '
            f'stroke-width="{width}"/>'
        )


def _bands(quartos: Quartos) -> Iterator[str]:
    for row, _ in quartos:
        if row not in ROWS:
            continue
        (x1, y1), (x2, y2) = _centre(row.cells[0]), _centre(row.cells[-1])
        yield (
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{GLOW}" '
            'stroke-width="20" stroke-linecap="round"/>'
        )


def _labels(quartos: Quartos) -> Iterator[str]:
    with_quarto = {row.name for row, _ in quartos}
    for row in ROWS:
        x, y = _label_place(row)
        bold = row.name in with_quarto
        yield _text(x, y, row.name, size=18, colour=INK if bold else FAINT, bold=bold)


def _label_place(row: Row) -> tuple[float, float]:
    x, y = _centre(row.cells[0])
    distance = CELL / 2 + 28
    if row.name.startswith("H"):
        return x - distance, y
    if row.name.startswith("V"):
        return x, y - distance
    return (x - distance, y - distance) if row.name == "D1" else (x + distance, y - distance)


def _piece(x: float, y: float, look: Look, name: str, scale: float = 1) -> str:
    radius = (37 if look.large else 25) * scale
    dark = _is_dark(look.colour)
    # A light colour needs an outline on the light background.
    rim = "" if dark else f' stroke="{INK}" stroke-width="{max(2 * scale, 1.2):g}"'
    shape = _outline(x, y, radius, look.square, f'fill="{look.colour}"{rim}')
    if not look.solid:
        shape += _outline(
            x, y, radius - 7 * scale, look.square, f'fill="{HOLE if dark else EDGE}"{rim}'
        )
    ink = HOLE if look.solid and dark else INK
    size = (26 if look.large else 20) * max(scale, 0.55)
    return shape + (_text(x, y, name, size=size, colour=ink, bold=True) if name else "")


def _outline(x: float, y: float, radius: float, square: bool, style: str) -> str:
    if not square:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {style}/>'
    half = 0.9 * radius
    return (
        f'<rect x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" height="{2 * half:g}" '
        f'rx="{0.1 * radius:g}" {style}/>'
    )


def _is_dark(colour: str) -> bool:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 150


def _legend(board: Board, appearance: tuple[Look, ...]) -> Iterator[str]:
    pieces = board.pieces
    for bit, (feature, pair) in enumerate(zip(pieces.features, pieces.properties, strict=True)):
        top = TOP + 104 * bit
        yield _text(LEGEND, top, _short(feature), size=18, anchor="start", bold=True)
        for value, word in enumerate(pair):
            y = top + 32 + 38 * value
            yield _piece(LEGEND + 18, y, appearance[value << bit], "", TRAY_SCALE)
            yield _text(LEGEND + 48, y, _short(word), size=17, anchor="start")


def _tray(board: Board, appearance: tuple[Look, ...]) -> list[str]:
    if not board.left:
        return []
    parts = [_text(LEFT - 8, TRAY, "left:", size=17, colour=FAINT, anchor="start")]
    for index, name in enumerate(board.left):
        x = LEFT + 62 + TRAY_STEP * (index % TRAY_LENGTH)
        y = TRAY + TRAY_STEP * (index // TRAY_LENGTH)
        parts.append(_piece(x, y, appearance[board.pieces.piece(name)], name, TRAY_SCALE))
    return parts
