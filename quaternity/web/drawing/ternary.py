"""Drawing of SET in a browser: the cards on the table, and the SETs that players have taken.

A player claims three cards of the table. If the claim is right, the player takes the cards. A wrong
claim costs a point. Depending on the settings, three cards must be a SET or a triple (`RULE_TEXTS`
describes both).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from quaternity.base.sentences import message_data
from quaternity.ternary.cards import SetCard, digits_of
from quaternity.ternary.rules import MORE, SetView
from quaternity.ternary.sentences import DescribedCards
from quaternity.ternary.table_picture import card_svg, stripes_svg
from quaternity.ternary.tables import Rule
from quaternity.web.drawing.moments import Act, Scene, Scenes
from quaternity.web.drawing.words import PageWords, seat_names
from quaternity.web.languages import gettext as _
from quaternity.web.languages import join_names, translate_picture, translate_words

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView

RULE_TEXTS = {
    Rule.SET: "Three cards that are all alike or all different in each of shape, colour, "
    "shading and number.",
    Rule.TRIPLE: "Three cards that all differ in shape, colour, shading and number.",
}


def advised_move(words: PageWords, move: str) -> str:
    """Return a move of SET as advice to a player, such as "Agree to three more cards"."""
    if move == str(MORE):
        return _("Agree to three more cards")
    cards = DescribedCards(map(int, move.split()[1:]))
    return _("Claim {cards}").format(cards=words.text(cards))


class DrawnCard(NamedTuple):
    """A card of SET, as the page shows it.

    Attributes:
        number: Number of the card, from 0 to 80.
        words: Description of the card in the language of the page.
        picture: Picture of the card.
        wrong: Wrong claims of a SET that contained this card, each as (number of the move, seat).
            Claims from before the last change of the cards on the table are omitted.
    """

    number: int
    words: str
    picture: Markup
    wrong: tuple[tuple[int, int], ...] = ()


class Taken(NamedTuple):
    """The cards that a player of SET has won.

    Attributes:
        seat: Seat of the player.
        name: Name of the player.
        last: The three cards that the player won last. Empty if the player has no cards.
        all: A text for each group of three cards that the player has won, the latest first.
    """

    seat: int
    name: str
    last: tuple[DrawnCard, ...]
    all: tuple[str, ...]


def part(sight: TableView) -> dict[str, Any]:
    """Return values for the HTML template: the cards on the table, and those that players have won.

    The value `agreed` names the players who agree to deal three more cards.
    """
    view: SetView = sight.view
    names = seat_names(sight.seats, sight.game)
    choosing = sight.seat in sight.to_act and not sight.empty_seats
    places, wrong = card_places(sight), wrong_claims(sight)
    drawn: dict[str, Any] = {
        "cards": [
            None if card is None else draw_card(card, tuple(wrong.get(card, ()))) for card in places
        ],
        "stripes": Markup(stripes_svg()),
        "how": _(RULE_TEXTS[view.settings.rule]),
        "choosing": choosing,
        # The number is a multiple of three, so the plural is always right.
        "undealt": f"{view.undealt} {_('cards')}",
        "agreed": (
            join_names([names[seat] for seat in sorted(view.agreed)])
            if len(view.agreed) < 3
            else f"{len(view.agreed)} / {len(names)}"
        ),
        "no_more": _no_more(sight, names) if choosing else "",
        "taken": [
            Taken(
                seat,
                name,
                tuple(map(draw_card, threes[-1])) if threes else (),
                tuple(
                    translate_words(", ".join(str(SetCard(card)) for card in t))
                    for t in reversed(threes)
                ),
            )
            for seat, (name, threes) in enumerate(zip(names, view.taken, strict=True))
        ],
        "notes": [f"{wrong} {_('wrong')}" if wrong else "" for wrong in view.wrong],
    }
    if sight.places is not None:
        left = _("The deck is empty, and no {three} is left.")
        drawn["advice"] = left.format(three=view.settings.rule.three)
    elif not sight.empty_seats:
        drawn["headline"] = (
            _("Find a {three}").format(three=view.settings.rule.three)
            if choosing
            else _("All players are searching")
        )
        how = f"{_(RULE_TEXTS[view.settings.rule])} {_('A wrong claim costs a point.')}"
        drawn["advice"] = how if choosing else ""
    return drawn


def _no_more(sight: TableView, names: list[str]) -> str:
    """Return why the visitor cannot agree to deal three more cards, or an empty text."""
    agreed = sight.view.agreed
    if sight.seat not in agreed:
        return "; ".join(map(_, sight.rules.faults(sight.view, MORE)))
    waits = [name for seat, name in enumerate(names) if seat not in agreed]
    others = join_names(waits) if len(waits) < 3 else _("{count} others").format(count=len(waits))
    return _("you agree; wait for {names}").format(names=others)


def card_places(sight: TableView) -> list[int | None]:
    """Return the card at each place of the page. It is None for an empty place.

    A card keeps its place while it is on the table. A new card gets the first empty place, or a new
    place at the end if no place is empty.
    """
    view: SetView = sight.view
    events = [message_data(event) for step in sight.moves for event in step.events]
    dealt = {card for about in events for card in about.get("dealt", ())}
    taken = (card for threes in view.taken for three in threes for card in three)
    first = sorted({*view.places, *taken} - dealt)
    # Shuffle the first cards, because the order in which they were dealt is not stored. In sorted
    # order, similar cards would lie side by side. The id of the table is the seed, so that the
    # order is always the same.
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


def wrong_claims(sight: TableView) -> dict[int, list[tuple[int, int]]]:
    """Return the wrong claims of a SET that contained each card on the table.

    The claims have the format of `DrawnCard.wrong`. Cards without wrong claims are omitted.
    """
    claims: dict[int, list[tuple[int, int]]] = {}
    for number, step in enumerate(sight.moves, 1):
        for about in map(message_data, step.events):
            if about.get("right") or "dealt" in about:
                claims.clear()
            for card in about["cards"] if about.get("right") is False else ():
                claims.setdefault(card, []).append((number, step.seat))
    return claims


def draw_card(card: int, wrong: tuple[tuple[int, int], ...] = ()) -> DrawnCard:
    """Return a card as the page shows it. `wrong` lists the wrong claims that included it."""
    return DrawnCard(
        card, translate_words(str(SetCard(card))), translate_picture(card_svg(card)), wrong
    )


def compare_cards(cards: Sequence[int], rule: Rule = Rule.SET) -> Act:
    """Return an animation that shows which attributes of three cards are alike or different.

    It marks the attributes that break the rule of the game.
    """
    allowed = {3} if rule is Rule.TRIPLE else {1, 3}
    names = _("Shape"), _("Colour"), _("Shading"), _("Number")
    counts = {1: _("all the same"), 2: _("two the same"), 3: _("all different")}
    compared = []
    for name, digits in zip(names, zip(*map(digits_of, cards), strict=True), strict=True):
        values = len({*digits})
        compared.append([f"{name}: {counts[values]}", values in allowed])
    return ["compare", [f"#card{card}" for card in cards], compared]


def _claim(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    del words
    rule, cards = sight.rules.settings.rule, [f"#card{card}" for card in about["cards"]]
    three = rule.three
    claim = ["say", about["who"], f"{three[:1].upper()}{three[1:]}!", 0]
    scenes = [[claim, compare_cards(about["cards"], rule)]]
    return [*scenes, [["gather", cards, f"#seat{about['who']}"]]] if about["right"] else scenes


def _agree(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    del words, sight
    return [[["say", about["who"], _("Three more cards, please"), 0]]]


def _deal(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    del words, sight
    return [[["deal", ", ".join(f"#card{card}" for card in about["dealt"])]]]


SCENES: Scenes = {"claims": _claim, "agrees": _agree, "dealt": _deal}
"""Functions that animate events, by the kind of event (see `quaternity.web.drawing.moments`)."""


def picture() -> Markup:
    """Return a picture of the three cards of a SET, for the start page."""
    drawn = "".join(map(card_svg, (3, 46, 71)))
    return Markup(f'{stripes_svg()}<span class="pic-cards spread">{drawn}</span>')
