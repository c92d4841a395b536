"""A board as a picture in SVG: pieces, quartos, the pieces left, and a legend."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from quaternity.quarto.appearance import Look, looks
from quaternity.quarto.board import Board, as_board
from quaternity.quarto.rows import CELLS, ROWS, SIDE, Row
from solvers.wording import listed

CELL = 100
LEFT, TOP = 64, 64
LEGEND = LEFT + SIDE * CELL + 44
TRAY = TOP + SIDE * CELL + 44
TRAY_STEP, TRAY_LENGTH, TRAY_SCALE = 50, 8, 0.5
LONGEST_WORD = 24

INK, FAINT, HOLE = "#33291f", "#948672", "#ffffff"
BOARD, WELL, EDGE, GLOW = "#efe4d0", "#fbf6ec", "#d8c7a8", "#f3b63f"


def board_svg(board: Board) -> str:
    """The board as an SVG document.

    A band runs through every quarto and the row's label stands out. Beside the board a legend
    tells how each property is drawn; below it are the pieces left and the quartos in words.
    """
    appearance = looks(as_board(board).pieces)
    sentences = _sentences(board)
    tray = _tray(board, appearance)
    tray_lines = -(-len(board.left) // TRAY_LENGTH)
    words_top = TRAY + TRAY_STEP * tray_lines
    height = words_top + 26 * len(sentences)
    words = [word for pair in board.pieces.properties for word in pair]
    longest = max(len(_short(word)) for word in (*words, *board.pieces.features))
    width = max(LEGEND + 60 + 10 * longest, LEFT + 9 * max(map(len, sentences), default=0))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="Helvetica, Arial, sans-serif">',
        f"<title>Quarto board {escape(str(board))}</title>",
        f"<desc>{escape('; '.join(sentences) or 'no quarto')}</desc>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<rect x="{LEFT - 8}" y="{TOP - 8}" width="{SIDE * CELL + 16}" '
        f'height="{SIDE * CELL + 16}" rx="18" fill="{BOARD}" stroke="{EDGE}" stroke-width="2"/>',
        *_wells(board),
        *_bands(board),
        *_labels(board),
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
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _sentences(board: Board) -> list[str]:
    """A sentence for every row with a quarto."""
    names = board.pieces.names
    sentences = []
    for row, mark in board.quartos():
        pieces = [names[piece] for cell in row.cells if (piece := board.cells[cell]) is not None]
        shared = listed([_short(word) for word in board.pieces.words(mark)])
        sentences.append(f"{row.name}: {listed(pieces)} are {shared}")
    return sentences


def _short(word: str) -> str:
    """A word that leaves the picture its shape."""
    return word if len(word) <= LONGEST_WORD else f"{word[: LONGEST_WORD - 1]}…"


def _centre(cell: int) -> tuple[float, float]:
    return LEFT + CELL * (cell % SIDE + 0.5), TOP + CELL * (cell // SIDE + 0.5)


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: float,
    colour: str = INK,
    anchor: str = "middle",
    bold: bool = False,
) -> str:
    """A text whose letters are centred on the height y."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y + 0.35 * size:g}" font-size="{size:g}" fill="{colour}" '
        f'text-anchor="{anchor}"{weight}>{escape(text)}</text>'
    )


def _wells(board: Board) -> Iterator[str]:
    """A round hollow for every cell, lit where a quarto is."""
    lit = {cell for row, _ in board.quartos() for cell in row.cells}
    for cell in range(CELLS):
        x, y = _centre(cell)
        edge, width = (GLOW, 5) if cell in lit else (EDGE, 2)
        yield (
            f'<circle cx="{x:g}" cy="{y:g}" r="44" fill="{WELL}" stroke="{edge}" '
            f'stroke-width="{width}"/>'
        )


def _bands(board: Board) -> Iterator[str]:
    """A band through the cells of every row with a quarto."""
    for row, _ in board.quartos():
        (x1, y1), (x2, y2) = _centre(row.cells[0]), _centre(row.cells[-1])
        yield (
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{GLOW}" '
            'stroke-width="20" stroke-linecap="round"/>'
        )


def _labels(board: Board) -> Iterator[str]:
    """The name of every row at its beginning."""
    with_quarto = {row.name for row, _ in board.quartos()}
    for row in ROWS:
        x, y = _label_place(row)
        found = row.name in with_quarto
        yield _text(x, y, row.name, size=18, colour=INK if found else FAINT, bold=found)


def _label_place(row: Row) -> tuple[float, float]:
    x, y = _centre(row.cells[0])
    before = CELL / 2 + 28
    if row.name.startswith("H"):
        return x - before, y
    if row.name.startswith("V"):
        return x, y - before
    return (x - before, y - before) if row.name == "D1" else (x + before, y - before)


def _piece(x: float, y: float, look: Look, name: str, scale: float = 1) -> str:
    """A piece around a point, a hollow one with a hole; scale 1 fits a cell."""
    radius = (37 if look.large else 25) * scale
    dark = _is_dark(look.colour)
    # A light colour would be lost on a light ground.
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
    """A square or a circle of about the same area."""
    if not square:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {style}/>'
    half = 0.9 * radius
    return (
        f'<rect x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" height="{2 * half:g}" '
        f'rx="{0.1 * radius:g}" {style}/>'
    )


def _is_dark(colour: str) -> bool:
    """Whether white letters are readable on a colour `#rrggbb`."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 150


def _legend(board: Board, appearance: tuple[Look, ...]) -> Iterator[str]:
    """For every feature its two properties, drawn on pieces that differ in nothing else."""
    pieces = board.pieces
    for bit, (feature, pair) in enumerate(zip(pieces.features, pieces.properties, strict=True)):
        top = TOP + 104 * bit
        yield _text(LEGEND, top, _short(feature), size=18, anchor="start", bold=True)
        for value, word in enumerate(pair):
            y = top + 32 + 38 * value
            yield _piece(LEGEND + 18, y, appearance[value << bit], "", TRAY_SCALE)
            yield _text(LEGEND + 48, y, _short(word), size=17, anchor="start")


def _tray(board: Board, appearance: tuple[Look, ...]) -> list[str]:
    """The pieces left, in lines."""
    if not board.left:
        return []
    parts = [_text(LEFT - 8, TRAY, "left:", size=17, colour=FAINT, anchor="start")]
    for index, name in enumerate(board.left):
        x = LEFT + 62 + TRAY_STEP * (index % TRAY_LENGTH)
        y = TRAY + TRAY_STEP * (index // TRAY_LENGTH)
        parts.append(_piece(x, y, appearance[board.pieces.piece(name)], name, TRAY_SCALE))
    return parts


__all__ = ["board_svg"]
