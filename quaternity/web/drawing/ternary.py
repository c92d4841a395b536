"""A game of SET in a browser: the cards on the table, and the threes taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from quaternity.base.sentences import facts
from quaternity.base.wording import counted, listed
from quaternity.ternary.cards import Card
from quaternity.ternary.rules import MORE, SetView
from quaternity.ternary.table_picture import card_svg, stripes_svg
from quaternity.ternary.tables import Rule
from quaternity.web.drawing.words import seat_names

if TYPE_CHECKING:
    from quaternity.table.protocol import Step
    from quaternity.web.sight import Sight

MOST_IN_ROWS = 21
"""Cards that three rows of a wide page have room for; only triples need more."""

HOW = {
    Rule.SET: "Choose three cards: in each of shape, colour, fill and number all alike or all "
    "different. A wrong three costs a point.",
    Rule.TRIPLE: "Choose three cards that differ in all of shape, colour, fill and number. A wrong "
    "three costs a point.",
}


class Shown(NamedTuple):
    """A card as it is drawn.

    Attributes:
        number: 0..80.
        words: what is on it.
        picture: screen readers pass it by.
    """

    number: int
    words: str
    picture: Markup


class Taken(NamedTuple):
    """What a seat took.

    Attributes:
        last: the three that it took last, drawn.
        all: every three in words, the latest first.
    """

    seat: int
    name: str
    last: tuple[Shown, ...]
    all: tuple[str, ...]


def part(sight: Sight) -> dict[str, Any]:
    """Return what the template draws: cards, threes taken, and who agrees to three more cards."""
    view: SetView = sight.view
    names = seat_names(sight.seats)
    mine = sight.seat in sight.to_act and not sight.awaited
    three, places = view.settings.rule.three, kept_places(sight)
    drawn: dict[str, Any] = {
        "cards": [None if card is None else _shown(card) for card in places],
        "wide": len(places) > MOST_IN_ROWS,
        "stripes": Markup(stripes_svg()),
        "choosing": mine,
        "three": three,
        "undealt": counted(view.undealt, "card"),
        "agreed": [names[seat] for seat in sorted(view.agreed)],
        "no_more": "; ".join(sight.rules.faults(view, MORE)) if mine else "",
        "taken": [
            Taken(
                seat,
                name,
                tuple(map(_shown, threes[-1])) if threes else (),
                tuple(", ".join(str(Card(card)) for card in t) for t in reversed(threes)),
            )
            for seat, (name, threes) in enumerate(zip(names, view.taken, strict=True))
        ],
        "notes": [
            f"{len(threes)} taken" + (f", {wrong} wrong" if wrong else "")
            for threes, wrong in zip(view.taken, view.wrong, strict=True)
        ],
    }
    drawn["news"] = [text for step in sight.moves[-2:] for text in _news(step, names, three)]
    if sight.places is None and not sight.awaited:
        drawn["headline"] = f"Find a {three}" if mine else "The table is open to all seats"
        drawn["advice"] = HOW[view.settings.rule] if mine else ""
        if drawn["agreed"] and not (mine and sight.seat in view.agreed):
            drawn["advice"] += f" {listed(drawn['agreed'])} would like three more cards."
    return drawn


def kept_places(sight: Sight) -> list[int | None]:
    """Return the card at each place of the page; None where a card was taken and none has come.

    A card keeps its place as long as it lies there, and a new one comes to the first free place.
    """
    view: SetView = sight.view
    events = [facts(event) for step in sight.moves for event in step.events]
    dealt = {card for about in events for card in about.get("dealt", ())}
    taken = (card for threes in view.taken for three in threes for card in three)
    first = sorted({*view.places, *taken} - dealt)
    # As they came they cannot be told any more, and in order cards that are alike lie together.
    places: list[int | None] = [*Random(sight.table).sample(first, len(first))]
    for about in events:
        gone = about["cards"] if about.get("right") else ()
        places = [None if card in gone else card for card in places]
        for card in about.get("dealt", ()):
            free = places.index(None) if None in places else len(places)
            places[free : free + 1] = [card]
    while places and places[-1] is None:
        places.pop()
    return places


def _news(step: Step, names: Sequence[str], three: str) -> Iterator[str]:
    """Give what happened in few words: the cards of a claim fill lines, and are drawn elsewhere."""
    for event in step.events:
        about = facts(event)
        if "right" in about:
            what = f"takes a {three}" if about["right"] else "claims a wrong three"
            yield f"{names[step.seat]} {what}"
        elif "missed" in about:
            yield event


def _shown(card: int) -> Shown:
    return Shown(card, str(Card(card)), Markup(card_svg(card)))


def picture() -> Markup:
    """Draw a SET, for the first page."""
    drawn = "".join(map(card_svg, (3, 46, 71)))
    return Markup(f'{stripes_svg()}<span class="pic-cards spread">{drawn}</span>')
