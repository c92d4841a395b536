"""A game of SET in a browser: the cards on the table, and the threes taken."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from quaternity.base.sentences import facts
from quaternity.base.wording import counted, listed
from quaternity.ternary.cards import SetCard
from quaternity.ternary.rules import MORE, SetView
from quaternity.ternary.table_picture import card_svg, stripes_svg
from quaternity.ternary.tables import Rule
from quaternity.web.drawing.words import seat_names

if TYPE_CHECKING:
    from quaternity.web.sight import Sight

HOW = {
    Rule.SET: "Three cards: shape, colour, fill and number are each all alike or all different.",
    Rule.TRIPLE: "Three cards that differ in all of shape, colour, fill and number.",
}


class Shown(NamedTuple):
    """A card as it is drawn.

    Attributes:
        number: 0..80.
        words: what is on it.
        picture: screen readers pass it by.
        wrong: the wrong claims of it since cards came or went last: number of the move, and seat.
    """

    number: int
    words: str
    picture: Markup
    wrong: tuple[tuple[int, int], ...] = ()


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
    names = seat_names(sight.seats, sight.game)
    mine = sight.seat in sight.to_act and not sight.awaited
    places, wrong = kept_places(sight), wrong_claims(sight)
    drawn: dict[str, Any] = {
        "cards": [
            None if card is None else _shown(card, tuple(wrong.get(card, ()))) for card in places
        ],
        "stripes": Markup(stripes_svg()),
        "how": HOW[view.settings.rule],
        "choosing": mine,
        "undealt": counted(view.undealt, "card"),
        "agreed": (
            listed([names[seat] for seat in sorted(view.agreed)])
            if len(view.agreed) < 3
            else f"{len(view.agreed)} of {len(names)}"
        ),
        "no_more": _no_more(sight, names) if mine else "",
        "taken": [
            Taken(
                seat,
                name,
                tuple(map(_shown, threes[-1])) if threes else (),
                tuple(", ".join(str(SetCard(card)) for card in t) for t in reversed(threes)),
            )
            for seat, (name, threes) in enumerate(zip(names, view.taken, strict=True))
        ],
        "notes": [f"{wrong} wrong" if wrong else "" for wrong in view.wrong],
    }
    if sight.places is not None:
        drawn["advice"] = f"The deck is out, and no {view.settings.rule.three} is left."
    elif not sight.awaited:
        drawn["headline"] = (
            f"Find a {view.settings.rule.three}" if mine else "The table is open to all seats"
        )
        drawn["advice"] = f"{HOW[view.settings.rule]} A wrong claim costs a point." if mine else ""
    return drawn


def _no_more(sight: Sight, names: list[str]) -> str:
    """Return why who looks cannot agree to three more cards now, or an empty text."""
    agreed = sight.view.agreed
    if sight.seat not in agreed:
        return "; ".join(sight.rules.faults(sight.view, MORE))
    waits = [name for seat, name in enumerate(names) if seat not in agreed]
    return f"you agree; wait for {listed(waits) if len(waits) < 3 else f'{len(waits)} others'}"


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


def wrong_claims(sight: Sight) -> dict[int, list[tuple[int, int]]]:
    """Return per card the wrong claims since cards came or went last, as in `Shown`."""
    claims: dict[int, list[tuple[int, int]]] = {}
    for number, step in enumerate(sight.moves, 1):
        for about in map(facts, step.events):
            if about.get("right") or "dealt" in about:
                claims.clear()
            for card in about["cards"] if about.get("right") is False else ():
                claims.setdefault(card, []).append((number, step.seat))
    return claims


def _shown(card: int, wrong: tuple[tuple[int, int], ...] = ()) -> Shown:
    return Shown(card, str(SetCard(card)), Markup(card_svg(card)), wrong)


def picture() -> Markup:
    """Draw a SET, for the first page."""
    drawn = "".join(map(card_svg, (3, 46, 71)))
    return Markup(f'{stripes_svg()}<span class="pic-cards spread">{drawn}</span>')
