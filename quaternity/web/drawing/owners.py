"""Drawing of the possible owners of cards in Quaternity and Kwartet, as a table and as tiles.

The table has a block of rows for each set of cards, with a row for each player and a column for
each card. In Quaternity, the table shows the knowledge that all players share. In Kwartet, it shows
the knowledge that the visitor can have. A visitor asks for a card by tapping its cell in the row of
another player. A tile shows a card and its possible owners, and can be tapped, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup, escape

from quaternity.game.cards import Card
from quaternity.web.languages import gettext as _
from solvers.problem import DealProblem

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView

Chances = Sequence[Sequence[Sequence[float | None]]]
"""Type of a nested sequence of chances. `chances[set][card][player]` is the chance that the player
owns the card, or None if it is unknown."""

MAX_NAMED_CELLS = 512
"""Maximum number of cells of a grid in which every cell has a name for screen readers. Larger grids
omit the names, so that the page is not too large."""

CERTAIN, POSSIBLE, IMPOSSIBLE = "certain", "possible", "impossible"
"""Values of `Cell.state`: a player certainly owns a card, may own it, or cannot own it."""


class Cell(NamedTuple):
    """A cell that says whether a player may own a card.

    Attributes:
        card: Number of the card in its set.
        state: `CERTAIN`, `POSSIBLE` or `IMPOSSIBLE`.
        move: The question that the visitor asks by tapping the cell, as the text of a move. None if
            a tap does nothing.
        legal: Whether that question may be asked now.
        chance: Probability that the player owns the card. None if no chance was requested, if it is
            unknown, or if it is exactly 0 or 1.
    """

    card: int
    state: str
    move: str | None
    legal: bool
    chance: float | None


class Row(NamedTuple):
    """A row of a grid. It shows which cards of one set a player may own.

    `least` is the minimum number of cards of this set that the player must own.
    """

    seat: int
    least: int
    cells: tuple[Cell, ...]


class Block(NamedTuple):
    """The rows of a grid that say which players may own the cards of one set.

    If the set is completed, `owner` is the player who completed it, and there are no rows.
    Otherwise `owner` is None.
    """

    set_index: int
    owner: int | None
    rows: tuple[Row, ...]

    @property
    def is_done(self) -> bool:
        """Return whether the set is completed."""
        return self.owner is not None


def is_large(blocks: Sequence[Block]) -> bool:
    """Return whether a grid has more cells than a page can show with a name for each cell."""
    return sum(len(row.cells) for block in blocks for row in block.rows) > MAX_NAMED_CELLS


class Tile(NamedTuple):
    """A picture of a card that a visitor can tap to ask for the card.

    Attributes:
        card: The card.
        owners: Seats of the players who may have the card. If there is only one, this player
            certainly has it.
        asks: The legal questions for the card, as a JSON list of `[asked seat, note]`. The note is
            empty unless only one answer is possible. In a puzzle, a third value is the answer.
        refused: The other players, and why the visitor may not ask them, as a JSON list of
            `[seats, reason]`.
    """

    card: Card
    owners: tuple[int, ...]
    asks: str
    refused: str


def tile(
    card: Card,
    owners: tuple[int, ...],
    asker: int | None,
    hands: Sequence[int],
    legal: Mapping[tuple[int, int, int], str],
    why_not: Callable[[int, int], str],
) -> Tile:
    """Return a picture of a card, which says whom the visitor may ask for it.

    Args:
        card: The card.
        owners: Seats of the players who may have the card.
        asker: Seat of the visitor. None if the visitor may not ask a question now.
        hands: Number of cards of each player.
        legal: Mapping from each legal question, as (player, set, number), to a note on its answer.
        why_not: Function that is called with the asker and the asked player, and returns the reason
            why the question is not legal.
    """
    asks, refused = list[list[Any]](), dict[str, list[int]]()
    for seat in range(len(hands)):
        if asker is None or seat == asker:
            continue
        note = legal.get((seat, *card))
        if note is not None:
            asks.append([seat, note])
        else:
            reason = why_not(asker, seat) if hands[seat] else _("has no cards")
            refused.setdefault(reason, []).append(seat)
    seats_by_reason = [[seats, reason] for reason, seats in refused.items()]
    return Tile(card, owners, _attribute(asks), _attribute(seats_by_reason))


def _attribute(value: list[list[Any]]) -> Markup:
    """Return a value as JSON, for an HTML attribute in single quotes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(str(escape(text)).replace("&#34;", '"'))


def owner_blocks(
    known: DealProblem,
    completed: Sequence[int | None],
    sight: TableView | None,
    legal: Container[tuple[int, int, int]],
    chances: Chances | None = None,
) -> list[Block]:
    """Return a grid for each set of cards, which shows the possible owners of its cards.

    Args:
        known: The possible owners of each card, and the bounds on the cards of each player, as
            tight as possible.
        completed: For each set, the player who completed it, or None.
        sight: The view of the visitor, who can ask questions from their own seat. None if nobody
            can ask, as in a puzzle.
        legal: The legal questions of the visitor, as (player, set, number).
        chances: The chances that the cells show. None to show no chances.
    """
    own_seat = sight.seat if sight is not None and sight.seat in sight.own_seats else None
    blocks = []
    for index, (bounds, owner) in enumerate(zip(known.sets, completed, strict=True)):
        rows = []
        for seat in range(known.players if owner is None else 0):
            asks = sight is not None and own_seat is not None and seat < sight.rules.seats
            cells = []
            for card, mask in enumerate(bounds.owners):
                state = IMPOSSIBLE
                if mask >> seat & 1:
                    state = POSSIBLE if mask & (mask - 1) else CERTAIN
                move = None if not asks or seat == own_seat else f"{seat} {index} {card}"
                chance = None if chances is None else chances[index][card][seat]
                shown = None if chance in (0, 1) else chance
                cells.append(Cell(card, state, move, (seat, index, card) in legal, shown))
            rows.append(Row(seat, bounds.low[seat], tuple(cells)))
        blocks.append(Block(index, owner, tuple(rows)))
    return blocks


def card_counts(hands: Sequence[int]) -> list[Markup]:
    """Return HTML texts that show how many cards each player has.

    `hands` contains the number of cards of each player.
    """
    note = Markup('<span aria-hidden="true">▯</span> {} <span class="unseen">{}</span>')
    return [note.format(hand, _("card") if hand == 1 else _("cards")) for hand in hands]
