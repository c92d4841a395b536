"""Tips of a first game at the moment when they matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from quaternity.base.sentences import Sentence, facts
from quaternity.table.games import registration

if TYPE_CHECKING:
    from quaternity.web.sight import Sight


class Tip(NamedTuple):
    """A tip; each is shown until it was read."""

    name: str
    text: str


class Moment(NamedTuple):
    """A sight, what is drawn of it, and the last event, for tips to look at."""

    sight: Sight
    drawn: dict[str, Any]
    last: Any

    @property
    def is_mine(self) -> bool:
        """Return whether whoever looks is to move."""
        return self.sight.seat in self.sight.to_act

    def answered(self, answer: str, seat: str) -> bool:
        """Return whether the last event is an answer to, or of, whoever looks."""
        about = facts(self.last)
        return str(about.get("answer")) == answer and about.get(seat) == self.sight.seat

    def is_kind(self, *names: str) -> bool:
        """Return whether the last event is of some kind."""
        return isinstance(self.last, Sentence) and self.last.kind.name in names


def _is_over(moment: Moment) -> bool:
    return moment.sight.places is not None


def _tiles(moment: Moment) -> Iterator[Any]:
    return (tile for group in moment.drawn["tiles"] for tile in group)


OVER = Tip("over", "The game is over. Play again, or watch it move by move under More.")

Tips = list[tuple[Tip, Callable[[Moment], bool]]]
"""The tips of a game and when they matter, those that matter most first."""

QUATERNITY: Tips = [
    (OVER, _is_over),
    (Tip("answer", "Both answers are possible, and yours decides who has the card. "
         "After no it is your turn."),
     lambda moment: bool(moment.drawn["answering"])),
    (Tip("completes", "Whoever must own all cards of a set puts it down: a point."),
     lambda moment: moment.is_kind("completes")),
    (Tip("yes", "Yes: the card is yours, and you ask again."),
     lambda moment: moment.answered("yes", "asker")),
    (Tip("no", "No: it is their turn now. All have learned that they lack this card, and that "
         "you have another one of its set."),
     lambda moment: moment.answered("no", "asker")),
    (Tip("turn", "Tap a card that you want. To ask says two things: you lack this card, and "
         "you have another one of its set."),
     lambda moment: moment.is_mine),
    (Tip("certain", "A card in a colour is certain: whoever has that colour has it, whatever "
         "the deal."),
     lambda moment: any(len(tile.owners) == 1 for tile in _tiles(moment))),
    (Tip("start", "Nobody has dealt these cards: what is asked and answered decides who has "
         "what. The marks on a card show who may have it."),
     lambda moment: True),
]  # fmt: skip

KWARTET: Tips = [
    (OVER, _is_over),
    (Tip("down", "Four of a set are put down at once: a point."),
     lambda moment: moment.is_kind("puts_down")),
    (Tip("yes", "You got the card, and ask again."),
     lambda moment: moment.answered("yes", "asker")),
    (Tip("no", "They do not have it, and it is their turn now. They know that you have a card "
         "of this set."),
     lambda moment: moment.answered("no", "asker")),
    (Tip("turn", "Tap a pale card: you lack it, and have another one of its set. Then tap whom "
         "to ask for it."),
     lambda moment: moment.is_mine),
    (Tip("asks", "Who asks for a card has another one of its set. Remember who asks for what: "
         "the notebook under More helps."),
     lambda moment: bool(facts(moment.last))),
    (Tip("start", "These are your cards, by sets. You collect whole sets by asking the "
         "others."),
     lambda moment: True),
]  # fmt: skip

QUARTO: Tips = [
    (OVER, _is_over),
    (Tip("place", "Place this piece on a cell. Four in a row that share a property win, "
         "whoever placed the others."),
     lambda moment: moment.is_mine and moment.sight.view.in_hand is not None),
    (Tip("give", "Choose the piece that the other one has to place. Beware of rows of three "
         "that share a property."),
     lambda moment: moment.is_mine),
    (Tip("start", "The other one chooses the piece that you place, and you choose theirs."),
     lambda moment: True),
]  # fmt: skip

SET: Tips = [
    (OVER, _is_over),
    (Tip("right", "A SET is a point, and new cards are dealt."),
     lambda moment: moment.is_kind("dealt")),
    (Tip("wrong", "A wrong claim costs a point. Look at each property: all alike, or all "
         "different."),
     lambda moment: moment.is_kind("claims", "missed")),
    (Tip("more", "Nobody sees a SET? Agree to three more cards."),
     lambda moment: moment.is_kind("agrees")),
    (Tip("start", "Tap three cards that are all alike or all different in each: number, "
         "colour, shading and shape. Be quicker than the others."),
     lambda moment: True),
]  # fmt: skip


def tips(sight: Sight, drawn: dict[str, Any]) -> list[Tip]:
    """Return the tips of a moment, for who plays, the one that matters most first."""
    if sight.seat is None:
        return []
    events = sight.moves[-1].events if sight.moves else ()
    moment = Moment(sight, drawn, events[-1] if events else "")
    known: Tips = registration(sight.game).part("tips") or []
    return [tip for tip, matters in known if matters(moment)]
