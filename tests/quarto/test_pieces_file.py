"""The reader of piece files: accepted files, and the exact messages for refused ones."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.quarto import (
    Board,
    PiecesFileError,
    create_grid,
    example_pieces,
    parse_pieces,
    piece_properties,
    read_pieces,
)
from quaternity.quarto.pieces_file import MAX_BYTES
from quaternity.quarto.rules import QuartoPosition, QuartoRules

TEXT = Path(example_pieces()).read_text(encoding="utf-8")
LINES = TEXT.splitlines()
EXAMPLE = read_pieces(example_pieces())


def replace_line(number: int, line: str) -> str:
    """Return the example with one line replaced (numbered from 1)."""
    return "\n".join([*LINES[: number - 1], line, *LINES[number:]]) + "\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.rstrip("\n").encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.replace("\n", "\r\n").encode(),
        (TEXT + "\n").encode(),
        (TEXT + "\r\n  \r\n\n").encode(),
        TEXT.replace(",", " , ").encode(),
        TEXT.replace("\n", " \n\t").encode(),
        "\n".join([LINES[0], *reversed(LINES[1:])]).encode(),
    ],
    ids=["lf", "no last end", "bom", "crlf", "blank", "blanks", "spaces", "tabs", "reversed"],
)
def test_equivalent_files_are_accepted(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "pieces.txt"
    path.write_bytes(data)
    assert read_pieces(str(path)) == EXAMPLE
    assert read_pieces(path) == EXAMPLE


@given(st.permutations(range(1, 5)), st.permutations(range(1, 17)))
def test_order_changes_nothing(columns: list[int], lines: list[int]) -> None:
    table = [line.split(",") for line in LINES]
    shuffled = [table[0], *(table[line] for line in lines)]
    text = "\n".join(",".join([row[0], *(row[column] for column in columns)]) for row in shuffled)
    assert parse_pieces(text) == EXAMPLE


FAULTS = [
    # no header, or one whose first word is not `piece`
    ("", "line 1: expected a header: 'piece', and the names of 4 features"),
    ("\n\n", "line 1: expected a header: 'piece', and the names of 4 features"),
    ("\n" + TEXT, "line 1: expected a header: 'piece', and the names of 4 features"),
    ("\n".join(LINES[1:]), "line 1: the header must begin with 'piece', not with 'A'"),
    (replace_line(1, "Piece,a,b,c,d"),
     "line 1: the header must begin with 'piece', not with 'Piece'"),
    (replace_line(1, "pieces"), "line 1: the header must begin with 'piece', not with 'pieces'"),
    ("\x00\x01\x02", "line 1: the header must begin with 'piece', not with '\\x00\\x01\\x02'"),
    (replace_line(1, "piece,a,b,a,d"), "line 1: feature 'a' is named twice"),
    # not 5 fields
    (replace_line(1, "piece,size,color,form"), "line 1: expected 5 fields, not 4"),
    (replace_line(1, "piece"), "line 1: expected 5 fields, not 1"),
    (replace_line(5, "D,small,blue,square"), "line 5: expected 5 fields, not 4"),
    (replace_line(17, LINES[16] + ","), "line 17: expected 5 fields, not 6"),
    (replace_line(9, ""), "line 9: blank lines between pieces are not allowed"),
    (TEXT.replace("\n", "\r"), "line 1: expected 5 fields, not 69"),
    (replace_line(2, "A,big,,square,hollow"), "line 2: field 3 is empty"),
    (replace_line(1, "piece,size,color, ,fill"), "line 1: field 4 is empty"),
    (
        replace_line(2, "A,big,r\x1bed,square,hollow"),
        "line 2: field 3 has an unprintable character: 'r\\x1bed'",
    ),
    (replace_line(2, "\x07,big,red,square,hollow"),
     "line 2: field 1 has an unprintable character: '\\x07'"),
    # not 16 pieces
    ("\n".join(LINES[:16]), "line 16: expected 16 pieces, not 15"),
    (LINES[0], "line 1: expected 16 pieces, not 0"),
    ("\n".join(LINES[:2]), "line 2: expected 16 pieces, not 1"),
    (TEXT + "Q,big,red,square,hollow\n", "line 18: expected 16 pieces, not 17"),
    (TEXT + "Q,big,red,square,hollow\n" * 9, "line 18: expected 16 pieces, not 25"),
    # a name that is not one character, or is used twice
    (replace_line(3, "Bb,small,red,square,hollow"),
     "line 3: the name of a piece must be one character, not 'Bb'"),
    (replace_line(3, ",small,red,square,hollow"), "line 3: field 1 is empty"),
    (replace_line(4, "A,big,blue,square,hollow"), "line 4: the name 'A' is already used on line 2"),
    # a feature without exactly two properties
    (
        replace_line(12, "K,huge,blue,square,solid"),
        "line 12: 'huge' is a third property of feature 'size', besides 'big' and 'small'",
    ),
    (
        TEXT.replace("small", "big"),
        "line 1: feature 'size' must have two properties, not only 'big'",
    ),
    # a property in two features
    (
        TEXT.replace("solid", "big"),
        "line 10: property 'big' of feature 'fill' already belongs to feature 'size', on line 2",
    ),
    (
        replace_line(2, "A,big,big,square,hollow"),
        "line 2: property 'big' of feature 'color' already belongs to feature 'size', on line 2",
    ),
    # two pieces with the same properties
    (
        replace_line(17, "P,big,red,square,hollow"),
        "line 17: this piece has the same properties as line 2: 'big, red, square, hollow'",
    ),
    # a line of any length is not repeated in full
    ("x" * 60_000, f"line 1: the header must begin with 'piece', not with '{'x' * 40}..."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_faulty_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pieces.txt"
    path.write_bytes(text.encode())
    with pytest.raises(PiecesFileError) as error:
        read_pieces(str(path))
    assert str(error.value) == f"{path}: {message}"
    assert error.value.source == str(path)
    assert f"line {error.value.line}: " in message
    assert isinstance(error.value, InputError)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "No such file or directory"),
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: path.write_bytes(b"\xff\xfe" + TEXT.encode("utf-16-le")),
         "the text is UTF-16 or UTF-32; save it as UTF-8"),
        (lambda path: path.write_bytes(TEXT.replace("K", "\xe9").encode("latin-1")),
         "line 12: the text is not UTF-8 (byte 0xe9)"),
        (lambda path: path.write_bytes(b"\xef\xbb\xbfpiece\n\xff"),
         "line 2: the text is not UTF-8 (byte 0xff)"),
        (lambda path: path.write_text(TEXT + "\n" * MAX_BYTES),
         "the file is larger than the limit of 65536 bytes"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read(
    make: Callable[[Path], object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "pieces.txt"
    make(path)
    with pytest.raises(PiecesFileError) as error:
        read_pieces(str(path))
    assert str(error.value) == f"{path}: {message}"


def test_an_endless_file_is_refused() -> None:
    with pytest.raises(PiecesFileError, match="larger than"):
        read_pieces("/dev/zero")


def test_a_null_character_in_the_location_is_refused() -> None:
    with pytest.raises(PiecesFileError, match="null"):
        read_pieces("a\0b")


@given(st.text(max_size=400))
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(PiecesFileError):
        parse_pieces(text)


@given(st.data())
def test_no_single_change_slips_through(data: st.DataObject) -> None:
    """Check that a changed field is refused, unless it renames a piece consistently."""
    line = data.draw(st.integers(1, 16))
    place = data.draw(st.integers(0, 4))
    fields = LINES[line].split(",")
    old = fields[place]
    fields[place] = data.draw(st.sampled_from(["Q", "A", "big", "blue", "solid", "", "xx", "é"]))
    text = "\n".join([*LINES[:line], ",".join(fields), *LINES[line + 1 :]])
    if fields[place] == old or (place == 0 and fields[0] in ("Q", "é")):
        assert len(parse_pieces(text)["size"]["big"]) == 8
    else:
        with pytest.raises(PiecesFileError):
            parse_pieces(text)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_are_equal_in_every_unicode_form(form: Literal["NFC", "NFD"]) -> None:
    """Half of the lines use another form of a property, and a piece may have an accent."""
    lines = [line.replace("A,big", "É,big") for line in LINES]
    odd = ("Gröss", "gröss")
    text = "\n".join(
        normalize(("NFC", "NFD")[number % 2], line.replace("big", odd[number // 2 % 2]))
        for number, line in enumerate(lines)
    )
    pieces = parse_pieces(normalize(form, lines[0]) + text[text.index("\n") :])
    assert pieces["size"]["Gröss"] == EXAMPLE["size"]["big"] - {"A"} | {"É"}
    board = Board.parse(normalize(form, "É?BI??JO?FDLMGNE"), pieces)
    assert board.pieces.piece("É") == board.cells[0]
    assert create_grid(normalize(form, "É" + 15 * "?"), piece_properties(pieces))[0][0]
    view = QuartoPosition(Board(board.pieces, (None,) * 16), None, 0, False)
    move = QuartoRules().read(normalize(form, "é"), view)
    assert move.hand_over == "É"
