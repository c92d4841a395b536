"""Drawing of Kwartet in a browser: the player's hand, and the possible owners of all cards.

In Kwartet, the cards are dealt and hidden. Players ask each other for cards, to collect sets.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from quaternity.game.card_picture import card_svg
from quaternity.game.cards import Card
from quaternity.kwartet.hands import NUMBERS_IN_MASK, Hand
from quaternity.web.drawing.owners import Chances, card_counts, owner_blocks, tile
from quaternity.web.drawing.words import last_asked
from quaternity.web.languages import gettext as _
from solvers.filtering import filter_problem

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView


def part(sight: TableView, chances: Chances | None = None) -> dict[str, Any]:
    """Return values for the HTML template: the visitor's hand, and the possible owners of cards.

    `chances[set][card][player]` is the chance that a player owns a card. None omits the chances.
    """
    view, public = sight.view, sight.view.public
    settings = public.settings
    counts = public.hands[: settings.players]
    over = public.is_over
    acting = sight.seat in sight.to_act
    moves = sight.rules.moves(view) if acting else ()
    legal = {(move.asked, *move.card): "" for move in moves}
    asker = sight.seat if acting else None
    own_seats = () if sight.seat is None else (sight.seat,)
    drawn: dict[str, Any] = {
        "tiles": [
            [
                tile(
                    card,
                    own_seats if number in NUMBERS_IN_MASK[held] else (),
                    asker,
                    counts,
                    legal,
                    partial(_why_not, held),
                )
                for number in range(settings.set_size)
                for card in [Card(index, number)]
            ]
            for index, held in enumerate(view.hand or [0] * len(public.removed))
        ],
        "asking": bool(legal),
        "blocks": owner_blocks(filter_problem(view.problem), public.removed, sight, legal, chances),
        "asked": last_asked(sight),
        "hand": hand_by_sets(view.hand),
        "notes": card_counts(counts),
        "dealt": [],
        "size": settings.set_size,
        "aside": settings.aside,
        "left": public.left,
    }
    if over and sight.revealed is not None:
        drawn["dealt"] = [hand_by_sets(hand) for hand in sight.revealed.dealt]
    return drawn


def _why_not(held: int, asker: int, asked: int) -> str:
    del asker, asked
    return _("you have it") if held else _("you have no card of this set")


def hand_by_sets(hand: Hand) -> list[list[Card]]:
    """Return the cards of a hand as one list per set. Sets without a card are left out."""
    return [
        [Card.unchecked(index, number) for number in NUMBERS_IN_MASK[held]]
        for index, held in enumerate(hand)
        if held
    ]


def picture() -> Markup:
    """Return a picture of the four cards of a set, for the start page."""
    drawn = "".join(card_svg(Card(4, number), 4) for number in range(4))
    return Markup(f'<span class="pic-cards">{drawn}</span>')
