"""Drawing of Quarto in a browser: the board, the piece to place, and the remaining pieces.

In Quarto, a player places a piece on the board and hands over the next piece, which the opponent
has to place. A row of four pieces that share a property is a quarto, and wins. A scene is an
animation of an event (see `quaternity.web.drawing.moments`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from quaternity.base.sentences import message_data
from quaternity.quarto.drawing import piece_svg, quarto_sentences
from quaternity.quarto.pieces import PieceSet
from quaternity.quarto.pieces_file import example_pieces, read_pieces
from quaternity.quarto.rows import CELLS, ROWS, cell_name
from quaternity.quarto.sentences import HANDS_OVER, PLACES, QUARTO
from quaternity.web.drawing.moments import Scene, Scenes
from quaternity.web.drawing.words import PageWords, sight_words
from quaternity.web.languages import gettext as _
from quaternity.web.languages import translate_words

if TYPE_CHECKING:
    from quaternity.quarto.rules import QuartoPosition
    from quaternity.web.table_view import TableView

MIN_PIECES_BEFORE_QUARTO = 3
"""Number of pieces that must be on the board before a move can complete a row of four."""


IN_HAND = ".in-hand svg, .thumb:not(:has(.in-hand))"
"""CSS selector of the piece that a player has to place. If there is no such piece, it selects the
element in which the piece will appear."""


class Piece(NamedTuple):
    """A piece of Quarto, as the page shows it.

    `name` is a letter. `words` describes the properties of the piece in the language of the page.
    """

    name: str
    words: str
    picture: Markup


class Cell(NamedTuple):
    """A cell of the board of Quarto.

    Attributes:
        name: Name of the cell, such as H1V2.
        piece: The piece on the cell, or None if the cell is empty.
        lit: Whether the cell belongs to a row that wins.
        last: Whether the piece on this cell was placed by the last move.
    """

    name: str
    piece: Piece | None
    lit: bool
    last: bool


def part(sight: TableView) -> dict[str, Any]:
    """Return values for the HTML template: cells, pieces, and the visitor's possible actions."""
    view: QuartoPosition = sight.view
    board, quartos = view.board, view.quartos
    pieces = board.pieces
    lit = {cell for row, _ in quartos for cell in row.cells}
    events = sight.moves[-1].events if sight.moves else ()
    last = {message_data(event).get("cell") for event in events}
    cells = [
        Cell(
            cell_name(cell),
            None if piece is None else _piece(pieces, piece),
            cell in lit,
            cell_name(cell) in last,
        )
        for cell, piece in enumerate(board.cells)
    ]
    left = set(board.left) - {view.in_hand}
    is_turn = sight.seat in sight.to_act
    in_hand = None if view.in_hand is None else _piece(pieces, pieces.piece(view.in_hand))
    drawn: dict[str, Any] = {
        "cells": cells,
        "rows": {row.name: any(row == complete for complete, _ in quartos) for row in ROWS},
        "in_hand": in_hand,
        # Leave the place of a piece that has been chosen empty, so that the other pieces stay in
        # their places.
        "tray": [
            _piece(pieces, pieces.piece(name)) if name in left else None for name in pieces.names
        ],
        "left": bool(left),
        "placing": is_turn and in_hand is not None,
        "giving": is_turn and in_hand is None,
        "may_end": CELLS - len(board.empty) >= MIN_PIECES_BEFORE_QUARTO,
    }
    if quartos:
        say = sight_words(sight).say
        drawn["advice"] = f"{'; '.join(map(say, quarto_sentences(board, quartos)))}."
    elif sight.places is not None:
        drawn["advice"] = _("All sixteen pieces are placed, and no row shares a property.")
    elif drawn["giving"]:
        drawn["advice"] = _("Choose the piece that your opponent has to place.")
    elif drawn["placing"]:
        advice = _("Place {piece} on a cell, then hand over a piece. Four alike? Press Quarto!")
        drawn["advice"] = advice.format(piece=view.in_hand)
    return drawn


def _piece(pieces: PieceSet, piece: int) -> Piece:
    picture = Markup(piece_svg(pieces, piece))
    return Piece(pieces.names[piece], translate_words(" ".join(pieces.words_of(piece))), picture)


def _place(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    del words, sight
    return place_piece(about["cell"])


def _hand_over(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    del words
    return hand_over_piece(about["piece"], f"#seat{1 - about['who']}")


def hand_over_piece(piece: str, to: str = IN_HAND) -> list[Scene]:
    """Return the animation of a piece that flies to the player who has to place it.

    `to` is the CSS selector of the element to which the piece flies.
    """
    place = f"#give-{piece}, #left-{piece}"
    return [[["carry", f":is({place}) svg", place, to]]]


def place_piece(cell: str, piece: str | None = None) -> list[Scene]:
    """Return the animation of a piece that flies to a cell of the board.

    By default, it is the piece that a player has to place. With `piece`, it is the piece of this
    name, even if it is still among the remaining pieces.
    """
    card = ".in-hand svg" if piece is None else f":is(#give-{piece}, #left-{piece}, .in-hand) svg"
    return [[["carry", card, IN_HAND, f"#{cell}"]]]


def _quarto(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    del words, sight
    return [[["say", about["who"], "Quarto!", 0], ["light", ".well.lit"]]]


SCENES: Scenes = {PLACES.name: _place, HANDS_OVER.name: _hand_over, QUARTO.name: _quarto}
"""Functions that animate events, by the kind of event (see `quaternity.web.drawing.moments`)."""


@cache
def picture() -> Markup:
    """Return a picture of some pieces, for the start page."""
    pieces = PieceSet.of(read_pieces(example_pieces()))
    drawn = "".join(piece_svg(pieces, piece) for piece in (0, 3, 5, 6, 9, 10, 12, 15))
    return Markup(f'<span class="pic-pieces">{drawn}</span>')
