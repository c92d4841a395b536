"""Possible owners of cards, as people see them: a block a set, a row a player, a cell a card.

Quaternity shows what everybody knows in this way, Kwartet what one seat can know. A cell of
somebody else is how one asks them for that card.
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
    from quaternity.web.sight import Sight

Chances = Sequence[Sequence[Sequence[float | None]]]
"""`[set][card][player]`; None for one that nobody has counted."""

CERTAIN, POSSIBLE, IMPOSSIBLE = "certain", "possible", "impossible"


class Cell(NamedTuple):
    """A player and a card.

    Attributes:
        state: `CERTAIN`, `POSSIBLE` or `IMPOSSIBLE`.
        move: the question that a click asks; None where there is nobody to ask.
        legal: whether it may be asked now.
        chance: in percent, when it was asked for and the state does not say it.
    """

    card: int
    state: str
    move: str | None
    legal: bool
    chance: int | None


class Row(NamedTuple):
    """A player and a set: how many cards of it they hold at least, and a cell per card."""

    seat: int
    least: int
    cells: tuple[Cell, ...]


class Block(NamedTuple):
    """A set, and who completed it, if anybody did; while it is in play, a row per player."""

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
        card: its set and number, as in records.
        owners: the seats that may have it; one alone has it.
        asks: who may be asked, as JSON: `[seat, what can come of it, move]` each.
        refused: who may not, as JSON: `[seat, why]` each.
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
    """Return a card with whom the asker may ask for it; nobody where nobody can ask now.

    `legal` is what may be asked, as (player, set, number), and what can come of it; `why_not` says
    why the asker, who comes first, cannot ask somebody who has cards.
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
    sight: Sight | None,
    legal: Container[tuple[int, int, int]],
    chances: Chances | None = None,
) -> list[Block]:
    """Return every set of a game.

    Args:
        known: who may own what, as tightly as it can be said.
        completed: per set its owner, or None.
        sight: of who looks; from a seat of their own they can ask all others.
        legal: what may be asked now, as (player, set, number).
        chances: `[set][card][player]`.
    """
    mine = sight.seat if sight is not None and sight.seat in sight.mine else None
    blocks = []
    for index, (one, owner) in enumerate(zip(known.sets, completed, strict=True)):
        rows = []
        for seat in range(known.players if owner is None else 0):
            asks = sight is not None and mine is not None and seat < sight.rules.seats
            cells = []
            for card, mask in enumerate(one.owners):
                state = IMPOSSIBLE
                if mask >> seat & 1:
                    state = POSSIBLE if mask & (mask - 1) else CERTAIN
                move = None if not asks or seat == mine else f"{seat} {index} {card}"
                chance = None if chances is None else chances[index][card][seat]
                cells.append(
                    Cell(card, state, move, (seat, index, card) in legal, _percent(chance))
                )
            rows.append(Row(seat, one.low[seat], tuple(cells)))
        blocks.append(Block(index, owner, tuple(rows)))
    return blocks


def card_counts(hands: Sequence[int]) -> list[Markup]:
    """Return how many cards each player holds, as it stands at their seat."""
    note = Markup('<span aria-hidden="true">▯</span> {} <span class="unseen">{}</span>')
    return [note.format(hand, _("card") if hand == 1 else _("cards")) for hand in hands]


def _percent(chance: float | None) -> int | None:
    """In percent, what is neither impossible nor certain, and looks like neither."""
    if chance is None or chance in (0.0, 1.0):
        return None
    return min(max(round(100 * chance), 1), 99)
