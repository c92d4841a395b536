"""Boards as text and as SVG."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from quaternity.quarto import Board, PieceSet, board_svg, board_text, example_pieces, parse_pieces
from quaternity.quarto.drawing import looks, piece_svg
from tests.quarto.boards import EXAMPLE, boards

SVG = "{http://www.w3.org/2000/svg}"


def reword(words: dict[str, str]) -> PieceSet:
    """Return the example with other words, and other names of pieces if `words` has them."""
    with open(example_pieces(), encoding="utf-8") as file:
        table = [line.split(",") for line in file.read().splitlines()]
    text = "\n".join(",".join(words.get(field, field) for field in row) for row in table)
    return PieceSet.of(parse_pieces(text))


def test_a_full_board_as_text() -> None:
    assert board_text(Board.parse("ABCDEFGHIJKLMNOP", EXAMPLE)).splitlines() == [
        "     V1  V2  V3  V4",
        "H1   [A] [B] [C] [D]",
        "H2   [E] [F] [G] [H]",
        "H3   [I] [J] [K] [L]",
        "H4   [M] [N] [O] [P]",
    ]


def test_names_as_wide_as_two_letters_keep_the_columns() -> None:
    board = Board.parse("漢B..............", reword({"A": "漢"}))
    assert board_text(board).splitlines()[1] == "H1    漢  B   .   ."


def test_a_piece_named_like_an_empty_cell() -> None:
    board = Board.parse(".B..............".replace("..", "?!"), reword({"A": "."}))
    assert board_text(board).splitlines()[1] == "H1    .   B   ?   ?"
    full = Board.parse(".BCDEFGHIJKLMNOP", reword({"A": "."}))
    assert board_text(full).splitlines()[1] == "H1   [.] [B] [C] [D]"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@given(boards())
@settings(deadline=None)
def test_every_picture_is_well_formed_and_complete(board: Board) -> None:
    svg = board_svg(board)
    written = texts(svg)
    for name in EXAMPLE.names:
        assert written.count(name) == 1
    lines = list(ElementTree.fromstring(svg).iter(f"{SVG}line"))
    assert len(lines) == len(board.quartos())
    for row, mark in board.quartos():
        sentence = next(text for text in written if text.startswith(f"{row.name}: "))
        assert all(word in sentence for word in EXAMPLE.words(mark))


def test_everything_is_inside_the_picture() -> None:
    root = ElementTree.fromstring(board_svg(Board.parse("N?BI??JO?FDLMEAG", EXAMPLE)))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for element in root.iter():
        for key in ("x", "x1", "x2", "cx"):
            assert 0 <= float(element.attrib.get(key, 0)) <= width
        for key in ("y", "y1", "y2", "cy"):
            assert 0 <= float(element.attrib.get(key, 0)) <= height


def test_markup_in_names_and_words_is_escaped() -> None:
    pieces = reword({"A": "<", "B": "&", "C": '"', "size": "a<b", "big": "<b>&amp;", "red": "]]>"})
    written = texts(board_svg(Board.parse('<&"D............', pieces)))
    for text in ("<", "&", '"', "a<b", "<b>&amp;", "]]>"):
        assert text in written


def test_long_words_are_cut_in_pictures() -> None:
    long = "x" * 500
    written = texts(board_svg(Board.parse("." * 16, reword({"big": long, "size": long + "y"}))))
    assert max(map(len, written)) == 24


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"big": "short", "small": "tall"},
        {"big": "petit", "small": "grand", "red": "rouge", "blue": "bleu"},
        {"big": "red", "small": "blue", "red": "tall", "blue": "short"},
        {"big": "black", "small": "white", "red": "dark", "blue": "light"},
        {"red": "gray", "blue": "grey"},
        {"hollow": "round", "solid": "square", "square": "solid", "circular": "hollow"},
    ],
)
def test_all_looks_are_different(words: dict[str, str]) -> None:
    assert len(set(looks(reword(words)))) == 16


def test_words_that_name_a_look_get_it() -> None:
    pieces = reword({"big": "White", "small": "Black", "red": "short", "blue": "tall"})
    white_short_square_hollow = looks(pieces)[pieces.piece("A")]
    assert not white_short_square_hollow.large
    assert white_short_square_hollow.colour == "#fbfbf7"
    assert white_short_square_hollow.square
    assert not white_short_square_hollow.solid


def test_the_pieces_of_a_page_all_look_different() -> None:
    pieces = EXAMPLE
    drawn = [piece_svg(pieces, piece) for piece in range(16)]
    # They also differ without their letters.
    assert len({re.sub(r">\w</text>", ">", svg) for svg in drawn}) == 16
    root = ElementTree.fromstring(piece_svg(pieces, pieces.piece("A"), "A, <big>"))
    assert root.get("aria-label") == "A, <big>"
    assert ElementTree.fromstring(drawn[0]).get("aria-hidden") == "true"
