"""Drawing of the possible owners of cards, with a row for each player and a column for each card.

The drawing shows what everybody knows in Quaternity, and what one player can know in Kwartet. Each
set of cards has a block of rows. A player asks for a card by tapping a cell in the row of another
player.
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
"""Type of the chances of players to own cards, as `[set][card][player]`. None means unknown."""

CERTAIN, POSSIBLE, IMPOSSIBLE = "certain", "possible", "impossible"


class Cell(NamedTuple):
    """A cell of the table: whether a player may own a card.

    Attributes:
        state: `CERTAIN`, `POSSIBLE` or `IMPOSSIBLE`.
        move: The question that the player asks by tapping the cell, or None if a tap asks nothing.
        legal: Whether that question may be asked now.
        chance: Chance in percent that the player owns the card. None if the chance was not
            requested, or is 0 or 1.
    """

    card: int
    state: str
    move: str | None
    legal: bool
    chance: int | None


class Row(NamedTuple):
    """A row of the table: a player and a set.

    `least` is the minimum number of cards of the set that the player holds.
    """

    seat: int
    least: int
    cells: tuple[Cell, ...]


class Block(NamedTuple):
    """The rows of a set.

    If the set is completed, `owner` is the player who completed it, and there are no rows.
    """

    set_index: int
    owner: int | None
    rows: tuple[Row, ...]

    @property
    def is_done(self) -> bool:
        """Return whether the set is completed."""
        return self.owner is not None


class Tile(NamedTuple):
    """A tile of the page, which shows a card. A player taps it to ask for the card.

    Attributes:
        card: The card: its set and number, as in records.
        owners: Seats of the players who may have the card. A single player certainly has it.
        asks: Legal questions for the card, as a JSON list of `[asked seat, note, move]`. The note
            is empty unless only one answer is possible.
        refused: Other players and why they may not be asked, as a JSON list of `[seat, reason]`.
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
    """Return the tile of a card, with the players who may and may not be asked for it.

    If `asker` is None, both lists of players are empty. `legal` maps each legal question, as
    (player, set, number), to the note on its answer. `why_not(asker, asked)` returns the reason why
    a question is not legal.
    """
    asks, refused = [], []
    for seat in range(len(hands)):
        if asker is None or seat == asker:
            continue
        note = legal.get((seat, *card))
        if note is not None:
            asks.append([seat, note, f"{seat} {card.set_index} {card.number}"])
        else:
            refused.append([seat, why_not(asker, seat) if hands[seat] else _("has no cards")])
    return Tile(card, owners, _attribute(asks), _attribute(refused))


def _attribute(value: list[list[Any]]) -> Markup:
    """Return a value as JSON for an attribute in single quotes.

    In double quotes, each quotation mark in the JSON text would take five characters.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(str(escape(text)).replace("&#34;", '"'))


def owner_blocks(
    known: DealProblem,
    completed: Sequence[int | None],
    sight: TableView | None,
    legal: Container[tuple[int, int, int]],
    chances: Chances | None = None,
) -> list[Block]:
    """Return the table of possible owners, with a block for each set.

    Args:
        known: Deal problem that gives the possible owners of each card, with the tightest bounds.
        completed: For each set, the player who completed it, or None.
        sight: Table view of the visitor, who can ask questions from their own seat. None for a
            puzzle or a file.
        legal: Legal questions of the visitor, as (player, set, number).
        chances: Chances to show in the cells, or None to show no chances.
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
                cells.append(
                    Cell(card, state, move, (seat, index, card) in legal, _percent(chance))
                )
            rows.append(Row(seat, bounds.low[seat], tuple(cells)))
        blocks.append(Block(index, owner, tuple(rows)))
    return blocks


def card_counts(hands: Sequence[int]) -> list[Markup]:
    """Return the notes beside the seats with the number of cards of each player."""
    note = Markup('<span aria-hidden="true">▯</span> {} <span class="unseen">{}</span>')
    return [note.format(hand, _("card") if hand == 1 else _("cards")) for hand in hands]


def _percent(chance: float | None) -> int | None:
    """Return a chance as a percentage from 1 to 99, or None for 0, 1 and None."""
    if chance is None or chance in (0.0, 1.0):
        return None
    return min(max(round(100 * chance), 1), 99)
