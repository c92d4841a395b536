"""Tips for a player's first game. Each tip has a condition that says when the page shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from quaternity.base.sentences import Message, message_data
from quaternity.table.games import registration

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView


class Tip(NamedTuple):
    """A tip that is shown until the player closes it.

    `name` is different for each tip of a game.
    """

    name: str
    text: str


class TipContext(NamedTuple):
    """A table as a visitor sees it now. The conditions of tips are functions of this object.

    Attributes:
        sight: The view of the table.
        drawn: The values for the HTML template, as returned by the function `part` of the game.
        last: The last event of the game, or an empty text if there was no event.
    """

    sight: TableView
    drawn: dict[str, Any]
    last: Any

    @property
    def is_mine(self) -> bool:
        """Return whether it is the visitor's turn."""
        return self.sight.seat in self.sight.to_act

    def answered(self, answer: str, seat: str) -> bool:
        """Return whether the last event is a question with the given answer, "yes" or "no".

        If `seat` is "asker", the visitor must have asked the question. If `seat` is "asked", the
        visitor must have been asked.
        """
        about = message_data(self.last)
        return str(about.get("answer")) == answer and about.get(seat) == self.sight.seat

    def is_kind(self, *names: str) -> bool:
        """Return whether the last event is a message of one of the given kinds."""
        return isinstance(self.last, Message) and self.last.kind.name in names


def _is_over(moment: TipContext) -> bool:
    return moment.sight.places is not None


def _tiles(moment: TipContext) -> Iterator[Any]:
    return (tile for group in moment.drawn["tiles"] for tile in group)


OVER = Tip(
    "over",
    "The game is over. Play again, or watch it move by move: the button is beside the board or "
    "under More.",
)

Tips = list[tuple[Tip, Callable[[TipContext], bool]]]
"""Type of the tips of a game, the most important first. Each item is a pair: a tip, and a function
that returns whether the tip applies."""

QUATERNITY: Tips = [
    (OVER, _is_over),
    (Tip("answer", "Both answers are possible, and yours decides who has the card. "
         "If you say “no”, it is your turn."),
     lambda moment: bool(moment.drawn["answering"])),
    (Tip("completes", "A player who must own all cards of a set puts the set down and gets a "
         "point."),
     lambda moment: moment.is_kind("completes")),
    (Tip("yes", "Yes: the card is yours, and you ask again."),
     lambda moment: moment.answered("yes", "asker")),
    (Tip("no", "No: it is the other player's turn. Everybody now knows that this player lacks the "
         "card, and that you have another of its set."),
     lambda moment: moment.answered("no", "asker")),
    (Tip("turn", "Tap a card that you want. By asking, you show two things: you do not have this "
         "card, and you have another card of its set."),
     lambda moment: moment.is_mine),
    (Tip("certain", "The owner of a coloured card is certain: in every deal that is still "
         "possible, it is the player with that colour."),
     lambda moment: any(len(tile.owners) == 1 for tile in _tiles(moment))),
    (Tip("start", "Nobody has dealt these cards: questions and answers decide who has which. "
         "The marks on a card show who may have it."),
     lambda moment: True),
]  # fmt: skip

KWARTET: Tips = [
    (OVER, _is_over),
    (Tip("down", "A full set of four is put down immediately, for a point."),
     lambda moment: moment.is_kind("puts_down")),
    (Tip("yes", "You got the card, and it is your turn again."),
     lambda moment: moment.answered("yes", "asker")),
    (Tip("no", "The player does not have it, so it is the next player's turn. Everybody knows now "
         "that you have a card of this set."),
     lambda moment: moment.answered("no", "asker")),
    (Tip("turn", "Tap a pale card. You do not have it, but you have another card of its set. Then "
         "tap the player to ask for it."),
     lambda moment: moment.is_mine),
    (Tip("asks", "A player who asks for a card has another one of its set. Remember who asks for "
         "what: the notebook helps."),
     lambda moment: bool(message_data(moment.last))),
    (Tip("start", "These are your cards, sorted by sets. Ask the other players for the cards that "
         "you lack, and collect whole sets."),
     lambda moment: True),
]  # fmt: skip

QUARTO: Tips = [
    (OVER, _is_over),
    (Tip("place", "Place this piece on a cell. Four in a row that share a property win, "
         "no matter who placed the other three."),
     lambda moment: moment.is_mine and moment.sight.view.in_hand is not None),
    (Tip("give", "Choose the piece that your opponent has to place. Beware of rows of three "
         "that share a property."),
     lambda moment: moment.is_mine),
    (Tip("start", "Your opponent chooses the piece that you place, and you choose theirs."),
     lambda moment: True),
]  # fmt: skip

SET: Tips = [
    (OVER, _is_over),
    (Tip("right", "A SET scores a point, and new cards are dealt."),
     lambda moment: moment.is_kind("dealt")),
    (Tip("wrong", "A wrong claim costs a point. Look at each property: all alike, or all "
         "different."),
     lambda moment: moment.is_kind("claims", "missed")),
    (Tip("more", "Nobody sees a SET? Agree to three more cards."),
     lambda moment: moment.is_kind("agrees")),
    (Tip("start", "Tap three cards that are all alike or all different in each of number, colour, "
         "shading and shape. Be quicker than the others."),
     lambda moment: True),
]  # fmt: skip


def tips(sight: TableView, drawn: dict[str, Any]) -> list[Tip]:
    """Return the tips whose conditions hold now, the most important tip first.

    The list is empty for a bystander. `drawn` contains the values for the HTML template.
    """
    if sight.seat is None:
        return []
    events = sight.moves[-1].events if sight.moves else ()
    moment = TipContext(sight, drawn, events[-1] if events else "")
    known: Tips = registration(sight.game).part("tips") or []
    return [tip for tip, matters in known if matters(moment)]
