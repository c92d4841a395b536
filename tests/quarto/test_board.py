"""Piece sets and boards: refused arguments, attributes and methods."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.quarto import (
    Board,
    PieceSet,
    example_pieces,
    piece_properties,
    quarto,
    read_pieces,
    safe_pieces,
    winning_cells,
)
from tests.quarto.boards import EXAMPLE, boards, has_quarto

PIECES = read_pieces(example_pieces())
PROPERTIES = piece_properties(PIECES)
Pieces = dict[str, dict[str, set[str]]]
EXACTLY_ONE = "piece '{}' must have exactly one property of each feature"


def test_pieces_are_four_bits() -> None:
    assert EXAMPLE.names == "ABCDEFGHIJKLMNOP"
    assert EXAMPLE.features == ("size", "color", "form", "fill")
    assert EXAMPLE.properties[0] == ("big", "small")
    for piece, name in enumerate(EXAMPLE.names):
        assert EXAMPLE.piece(name) == piece
        assert set(EXAMPLE.words_of(piece)) == PROPERTIES[name]


def rename(pieces: Pieces, old: str, new: list[str]) -> None:
    """Replace the name of a piece by others, in all its properties."""
    for words in pieces.values():
        for names in words.values():
            if old in names:
                names.remove(old)
                names.update(new)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda p: p["size"].update(huge=set()), "feature 'size' has 3 properties, not 2"),
        (lambda p: p["size"].pop("small"), "feature 'size' has 1 property, not 2"),
        (lambda p: p["size"]["big"].remove("A"), EXACTLY_ONE.format("A")),
        (lambda p: p["size"]["small"].add("A"), EXACTLY_ONE.format("A")),
        (lambda p: (p["size"]["small"].remove("B"), p["size"]["big"].add("B")),
         "pieces 'A' and 'B' have the same properties"),
        (lambda p: p.pop("fill"), "pieces 'A' and 'I' have the same properties"),
        (lambda p: rename(p, "P", []), "expected 16 pieces, not 15"),
        (lambda p: rename(p, "P", ["PP"]), "the name of a piece must be one character"),
        (lambda p: p["color"].update(big=p["color"].pop("red")), EXACTLY_ONE.format("B")),
    ],
)  # fmt: skip
def test_invalid_dictionaries_are_refused(spoil: Callable[[Pieces], object], message: str) -> None:
    pieces = read_pieces(example_pieces())
    spoil(pieces)
    with pytest.raises(InputError) as error:
        PieceSet.of(pieces)
    assert str(error.value) == message


PAIRS = (("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"))


@pytest.mark.parametrize(
    ("features", "properties", "names", "message"),
    [
        ("123", PAIRS, "ABCDEFGHIJKLMNOP",
         "expected 4 features with a pair of properties each, not 3 features with 4 pairs"),
        ("1234", PAIRS[:3], "ABCDEFGHIJKLMNOP",
         "expected 4 features with a pair of properties each, not 4 features with 3 pairs"),
        ("1234", (*PAIRS[:3], ("g", "a")), "ABCDEFGHIJKLMNOP",
         "there must be 8 different properties, not a, b, c, d, e, f, g and a"),
        ("1234", PAIRS, "ABCDEFGHIJKLMNO",
         "the names 'ABCDEFGHIJKLMNO' are not 16 different characters"),
        ("1234", PAIRS, "ABCDEFGHIJKLMNOA",
         "the names 'ABCDEFGHIJKLMNOA' are not 16 different characters"),
    ],
)  # fmt: skip
def test_invalid_piece_sets_cannot_be_built(
    features: str, properties: tuple[tuple[str, str], ...], names: str, message: str
) -> None:
    with pytest.raises(InputError) as error:
        PieceSet(tuple(features), properties, names)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ((None,) * 15, "cells: expected 16 cells, not 15"),
        ((16, *(None,) * 15), "piece 16 is out of range 0..15"),
        ((-1, *(None,) * 15), "piece -1 is out of range 0..15"),
        ((3, *(None,) * 14, 3), "piece 'D' is on two cells: H1V1 and H4V4"),
    ],
)
def test_invalid_boards_cannot_be_built(cells: tuple[int | None, ...], message: str) -> None:
    with pytest.raises(InputError) as error:
        Board(EXAMPLE, cells)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Z", "'Z' is not a piece; the pieces are ABCDEFGHIJKLMNOP"),
        ("", "'' is not a piece; the pieces are ABCDEFGHIJKLMNOP"),
        ("AB", "'AB' is not a piece; the pieces are ABCDEFGHIJKLMNOP"),
        ("N", "piece 'N' is already on the board, on H1V1"),
    ],
)
def test_pieces_that_are_not_left_are_refused(name: str, message: str) -> None:
    board = Board.parse("N...............", EXAMPLE)
    with pytest.raises(InputError) as error:
        winning_cells(board, name)
    assert str(error.value) == message


def test_after_needs_an_empty_cell_and_a_piece_left() -> None:
    board = Board.parse("N...............", EXAMPLE)
    assert str(board.after(5, EXAMPLE.piece("A"))) == "N????A??????????"
    for cell, piece in ((0, 0), (16, 0), (-1, 0), (1, EXAMPLE.piece("N")), (1, 16)):
        with pytest.raises(InputError):
            board.after(cell, piece)


@given(boards())
def test_a_board_and_its_configuration(board: Board) -> None:
    assert Board.parse(str(board), PIECES) == board
    assert len(board.empty) == len(board.left) == 16 - sum(c is not None for c in board.cells)
    assert not set(board.left) & set(str(board))


def test_a_piece_may_have_the_name_of_an_empty_cell() -> None:
    names = "?.#-_ *+=/\\|:;!~"
    board = Board(PieceSet(EXAMPLE.features, EXAMPLE.properties, names), (None,) * 15 + (0,))
    assert str(board) == "^" * 15 + "?"
    assert Board.parse(str(board), board.pieces) == board


@given(boards())
def test_the_quartos_in_bits_are_those_of_the_sets(board: Board) -> None:
    quartos = {(row.name, word) for row, mark in board.quartos() for word in EXAMPLE.words(mark)}
    assert quartos == quarto(str(board), PROPERTIES)
    assert has_quarto(board.in_bits()) == bool(quartos)


@given(boards())
def test_safe_pieces_and_winning_cells_by_trying_all(board: Board) -> None:
    over = bool(quarto(str(board), PROPERTIES))
    safe = []
    for name in board.left:
        winning = [
            cell
            for cell in board.empty
            if not over and quarto(str(board.after(cell, EXAMPLE.piece(name))), PROPERTIES)
        ]
        assert list(winning_cells(board, name)) == winning
        if not winning and not over:
            safe.append(name)
    assert list(safe_pieces(board)) == safe


@given(boards(max_empty=12), st.data())
def test_the_order_of_the_pieces_does_not_matter(board: Board, data: st.DataObject) -> None:
    again = Board(EXAMPLE, (None,) * 16)
    for cell in data.draw(st.permutations(range(16))):
        piece = board.cells[cell]
        if piece is not None:
            again = again.after(cell, piece)
    assert again == board
