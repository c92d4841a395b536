"""The board of Quarto: its pieces, its quartos (rows that win), safe pieces and winning cells."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from quaternity.base.errors import InputError
from quaternity.base.plugins import load_place
from quaternity.base.text_format import join_words, quote_short, quote_value
from quaternity.base.validation import as_iterator, check_int
from quaternity.quarto.grid import check_configuration
from quaternity.quarto.lines import BoardBits, lines, members
from quaternity.quarto.pieces import MARKS, PIECES, PieceSet
from quaternity.quarto.rows import CELLS, ROWS, SQUARES, Row, cell_name, shared_in_rows

PIECE_NUMBERS = range(PIECES)


@dataclass(frozen=True, slots=True)
class Board:
    """A board of sixteen cells with pieces on them.

    Every arrangement of different pieces is allowed. `cells` contains, for each cell, the number of
    its piece (see `PieceSet`), or None if the cell is empty.
    """

    pieces: PieceSet
    cells: tuple[int | None, ...]

    def _repr_svg_(self) -> str:
        svg: str = load_place("quaternity.quarto.drawing:board_svg")(self)
        return svg

    def __post_init__(self) -> None:
        if not isinstance(self.pieces, PieceSet):
            raise InputError(f"pieces: {self.pieces!r} is not a PieceSet")
        cells = tuple(as_iterator(self.cells, "cells"))
        if len(cells) != CELLS:
            raise InputError(f"cells: expected {CELLS} cells, not {len(cells)}")
        allowed = f"a piece 0..{PIECES - 1}, or None"
        plain = tuple(
            None if piece is None else check_int(piece, None, None, allowed, cell_name(cell))
            for cell, piece in enumerate(cells)
        )
        object.__setattr__(self, "cells", plain)
        placed = [piece for piece in plain if piece is not None]
        for number in placed:
            if not 0 <= number < PIECES:
                raise InputError(f"piece {number} is out of range 0..{PIECES - 1}")
        for piece in placed:
            if placed.count(piece) > 1:
                both_cells = [cell_name(cell) for cell in range(CELLS) if self.cells[cell] == piece]
                name = quote_short(self.pieces.names[piece])
                raise InputError(f"piece {name} is on two cells: {join_words(both_cells)}")

    @classmethod
    def parse(
        cls, configuration: str, pieces: PieceSet | Mapping[str, Mapping[str, AbstractSet[str]]]
    ) -> Board:
        """Return the board that a configuration describes.

        A configuration is a text of sixteen characters, row by row from the top. A character that
        does not name a piece stands for an empty cell. `pieces` may be the result of `read_pieces`.
        """
        known = pieces if isinstance(pieces, PieceSet) else PieceSet.of(pieces)
        configuration = check_configuration(configuration, known.names)
        return cls(
            known,
            tuple(known.piece(name) if name in known.names else None for name in configuration),
        )

    @property
    def blank(self) -> str:
        """A character that stands for an empty cell, because it does not name a piece."""
        return next(
            character for character in "?.#-_ *+=/\\|:;!~^" if character not in self.pieces.names
        )

    def __str__(self) -> str:
        return "".join(
            self.blank if piece is None else self.pieces.names[piece] for piece in self.cells
        )

    @property
    def empty(self) -> tuple[int, ...]:
        """The numbers of the empty cells, in ascending order."""
        return tuple([cell for cell, piece in enumerate(self.cells) if piece is None])

    @property
    def left(self) -> str:
        """The names of the pieces that are not on the board, in the order of the piece numbers."""
        return "".join(
            [name for piece, name in enumerate(self.pieces.names) if piece not in self.cells]
        )

    def piece_left(self, name: str) -> int:
        """Return the number of a piece that is not on the board, given its name.

        Raises:
            InputError: If there is no such piece, or if it is on the board.
        """
        piece = self.pieces.piece(name)
        if piece in self.cells:
            place = cell_name(self.cells.index(piece))
            raise InputError(f"piece {quote_short(name)} is already on the board, on {place}")
        return piece

    def after(self, cell: int, piece: int | str) -> Board:
        """Return a copy of this board with one more piece. `piece` is its number or its name."""
        empty = self.empty
        if type(cell) is not int or cell not in empty:
            allowed = f"one of the empty cells {empty}"
            cell = check_int(cell, None, None, allowed, "cell")
            if cell not in empty:
                raise InputError(f"cell {cell} is not {allowed}")
        if isinstance(piece, str):
            piece = self.piece_left(piece)
        cells = (*self.cells[:cell], piece, *self.cells[cell + 1 :])
        if type(piece) is not int or piece in self.cells or piece not in PIECE_NUMBERS:
            return Board(self.pieces, cells)  # This raises the appropriate error.
        board = object.__new__(Board)
        object.__setattr__(board, "pieces", self.pieces)
        object.__setattr__(board, "cells", cells)
        return board

    def quartos(self, squares: bool = False) -> list[tuple[Row, int]]:
        """Return each row that is a quarto, with the properties that its four pieces share.

        The properties are a bit mask (see `quaternity.quarto.pieces`). If `squares` is true,
        squares of 2 x 2 cells are rows too.
        """
        marks = [0 if piece is None else MARKS[piece] for piece in self.cells]
        return shared_in_rows(marks, (*ROWS, *SQUARES) if _check_squares(squares) else ROWS)

    def in_bits(self, squares: bool = False) -> BoardBits:
        """Return the board as bit masks, which are fast to search."""
        return lines(_check_squares(squares)).bits(self.cells)


def _check_squares(squares: bool) -> bool:
    if not isinstance(squares, bool):
        raise InputError(f"squares: must be True or False, not {quote_value(squares)}")
    return squares


def as_board(board: object) -> Board:
    """Return the value if it is a board. Otherwise raise InputError."""
    if not isinstance(board, Board):
        raise InputError(f"board: {board!r} is not a Board (see `Board.parse`)")
    return board


def safe_pieces(board: Board, squares: bool = False) -> tuple[str, ...]:
    """Return the names of the pieces that can be handed over without losing at once.

    The opponent cannot complete a quarto with a safe piece on any empty cell. Once the game is
    over, no piece is safe.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> board = Board.parse('AGH.............', read_pieces(example_pieces()))
    >>> safe_pieces(board)  # the fourth piece of row H1 must not be hollow
    ('I', 'J', 'K', 'L', 'M', 'N', 'O', 'P')
    """
    if as_board(board).quartos(squares):
        return ()
    safe = lines(squares).safe(board.in_bits(squares))
    return tuple(board.pieces.names[piece] for piece in members(safe))


def winning_cells(board: Board, name: str, squares: bool = False) -> tuple[int, ...]:
    """Return the empty cells on which a piece completes a quarto.

    Once the game is over, there are no such cells.
    """
    piece = as_board(board).piece_left(name)
    if board.quartos(squares):
        return ()
    rows, empty, _ = board.in_bits(squares)
    return members(lines(squares).completing(rows, empty, piece))
