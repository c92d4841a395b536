"""The functions `create_grid` and `quarto`, for boards that are given as sixteen characters."""

from __future__ import annotations

from collections.abc import Container, Mapping
from collections.abc import Set as AbstractSet

from quaternity.base.errors import InputError
from quaternity.base.names import to_nfc
from quaternity.base.text_format import quote_short, with_noun
from quaternity.base.validation import check_text
from quaternity.quarto.rows import CELLS, SIDE, cell_name, shared_in_rows


def check_properties(properties: Mapping[str, AbstractSet[str]]) -> None:
    """Raise InputError unless the value maps pieces to sets of properties."""
    if not isinstance(properties, Mapping):
        raise InputError(f"properties: {properties!r} is not a dictionary")
    for name, having in properties.items():
        if not isinstance(name, str) or len(name) != 1:
            raise InputError(
                f"properties: the name of a piece must be one character, not {name!r}; "
                "`piece_properties` makes this dictionary from the result of `read_pieces`"
            )
        if not isinstance(having, AbstractSet) or not all(isinstance(word, str) for word in having):
            raise InputError(f"properties[{name!r}]: {having!r} is not a set of strings")


def check_configuration(configuration: str, names: Container[str]) -> str:
    """Check the text that describes a board, and return it in Unicode normal form NFC.

    Raises:
        InputError: If it is not a text of sixteen characters, or if it contains a piece twice.
    """
    configuration = to_nfc(
        check_text(configuration, f"a string of {CELLS} characters", "configuration")
    )
    if len(configuration) != CELLS:
        count = with_noun(len(configuration), "character")
        raise InputError(f"configuration {quote_short(configuration)} has {count}, not {CELLS}")
    cell_of: dict[str, int] = {}
    for cell, name in enumerate(configuration):
        if name in names and cell_of.setdefault(name, cell) != cell:
            raise InputError(
                f"configuration {quote_short(configuration)} has piece {quote_short(name)} twice: "
                f"on {cell_name(cell_of[name])} and {cell_name(cell)}"
            )
    return configuration


def create_grid(
    configuration: str, properties: Mapping[str, AbstractSet[str]]
) -> list[list[set[str]]]:
    """Return the board as a list of four rows. A row is a list of four cells.

    A cell is the set of the properties of its piece, or an empty set without a piece. Rows are
    listed from the top, and cells from the left. `configuration` describes the board (see
    `Board.parse`), and `properties` is a result of `piece_properties`.
    """
    check_properties(properties)
    configuration = check_configuration(configuration, properties)
    cells = [set(properties.get(name, ())) for name in configuration]
    return [cells[start : start + SIDE] for start in range(0, CELLS, SIDE)]


def quarto(configuration: str, properties: Mapping[str, AbstractSet[str]]) -> set[tuple[str, str]]:
    """Return all quartos on a board as pairs of a row name and a shared property.

    The function accepts any board, even if no game can reach it because an earlier quarto would
    have ended the game (see `is_reachable`). The arguments are the same as for `create_grid`.

    >>> from quaternity.quarto import example_pieces, read_pieces, piece_properties
    >>> properties = piece_properties(read_pieces(example_pieces()))
    >>> sorted(quarto('N?BI??JO?FDLMEAG', properties))
    [('D2', 'red'), ('H4', 'big'), ('V3', 'square')]
    """
    check_properties(properties)
    configuration = check_configuration(configuration, properties)
    # Number the properties that occur, because the dictionary may lack pieces of a complete set.
    words = sorted({word for having in properties.values() for word in having})
    marks = [
        sum(1 << bit for bit, word in enumerate(words) if word in properties.get(name, ()))
        for name in configuration
    ]
    return {
        (row.name, word)
        for row, common in shared_in_rows(marks)
        for bit, word in enumerate(words)
        if common >> bit & 1
    }
