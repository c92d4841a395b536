"""The possible owners of cards: a block for each set, a row for each player, a cell for each card.

In Quaternity it shows what everybody knows, in Kwartet what one seat can know. A player taps a cell
of another player to ask them for that card.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from quaternity.game.cards import Card
from quaternity.web.languages import gettext as _
from solvers.problem import DealProblem

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView

Chances = Sequence[Sequence[Sequence[float | None]]]
"""`[set][card][player]`; None for a chance that was not computed."""

CERTAIN, POSSIBLE, IMPOSSIBLE = "certain", "possible", "impossible"


class Cell(NamedTuple):
    """A player and a card.

    Attributes:
        state: `CERTAIN`, `POSSIBLE` or `IMPOSSIBLE`.
        move: The question that a tap asks; None if there is nobody to ask.
        legal: Whether that question may be asked now.
        chance: Chance in percent; None if it was not requested, or is 0 or 1.
    """

    card: int
    state: str
    move: str | None
    legal: bool
    chance: int | None


class Row(NamedTuple):
    """A player and a set: the minimum number of its cards that they hold, and a cell per card."""

    seat: int
    least: int
    cells: tuple[Cell, ...]


class Block(NamedTuple):
    """A set: the player who completed it, or a row per player while it is in play."""

    set_index: int
    owner: int | None
    rows: tuple[Row, ...]

    @property
    def is_done(self) -> bool:
        """Return whether it is completed."""
        return self.owner is not None


class Tile(NamedTuple):
    """A card as a tile.

    Attributes:
        card: The card: its set and number, as in records.
        owners: Seats that may have the card; if there is only one, it has the card.
        asks: Players who may be asked, as JSON: a list of `[seat, note on the answer, move]`.
        refused: Players who may not be asked, as JSON: a list of `[seat, reason]`.
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

    Both lists are empty if `asker` is None. `legal` maps each legal question, as (player, set,
    number), to a note on its answer. `why_not(asker, asked)` returns why the asker cannot ask a
    player who has cards.
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
    return Tile(card, owners, json.dumps(asks), json.dumps(refused))


def owner_blocks(
    known: DealProblem,
    completed: Sequence[int | None],
    sight: TableView | None,
    legal: Container[tuple[int, int, int]],
    chances: Chances | None = None,
) -> list[Block]:
    """Return the blocks of all sets of a game.

    Args:
        known: Possible owners of each card, with bounds as tight as possible.
        completed: Owner of each completed set; None for the others.
        sight: Sight of the visitor, who can ask questions from their own seat; None for a puzzle or
            a file.
        legal: Legal questions, as (player, set, number).
        chances: Chances to show, or None.
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
    """Return the number of cards of each player, as shown at the seats."""
    note = Markup('<span aria-hidden="true">▯</span> {} <span class="unseen">{}</span>')
    return [note.format(hand, _("card") if hand == 1 else _("cards")) for hand in hands]


def _percent(chance: float | None) -> int | None:
    """Return a chance in percent, from 1 to 99; None for the chances 0 and 1 and for None."""
    if chance is None or chance in (0.0, 1.0):
        return None
    return min(max(round(100 * chance), 1), 99)
