"""Drawing of moments: what happens on a page between two positions of a game.

A page announces the texts of a moment, plays its scenes on the board before the move, and then
shows the board after it. The script `moments.js` plays scenes and knows no games. A scene is a list
of acts that are played at the same time. An act is a list with a verb:

- `["say", SEAT, TEXT, ROW]`: a speech bubble of a player, below other rows of bubbles;
- `["carry", CARD, FROM, TO]`: a copy of an element flies from one element to another;
- `["gather", [CARD, ...], TO]`: copies of elements fly to another element, where they stay;
- `["compare", [CARD, ...], [[TEXT, FITS], ...]]`: elements rise, and texts about them light up;
- `["deal", CARD]` and `["light", CARD]`: all matching elements of the board after the move
  arrive, or light up, one after another.

`SEAT` is a number. `CARD`, `FROM` and `TO` are CSS selectors; the first visible match counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from quaternity.base.sentences import Message, message_data
from quaternity.ternary.cards import digits_of
from quaternity.ternary.tables import Rule
from quaternity.web.drawing.words import PageWords, sight_words
from quaternity.web.languages import gettext as _

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView

Act = list[Any]
Scene = list[Act]

IN_HAND = ".in-hand svg, .thumb"
"""Selector of the piece that must be placed in Quarto, or of its place."""


class Moment(NamedTuple):
    """What a page announces and plays between two positions.

    Attributes:
        number: Number of moves before the position that the moment leads to.
        seat: Seat of the player who moved, or None.
        texts: Announcements, in order.
        scenes: Scenes, in order.
        sound: Name of a sound of `sound.js`.
    """

    number: int
    seat: int | None
    texts: tuple[str, ...]
    scenes: tuple[Scene, ...]
    sound: str


def last_moment(sight: TableView) -> Moment:
    """Return the moment that leads to the position of a view."""
    if sight.taken_back:
        text = _("Moves taken back: {count}.").format(count=sight.taken_back)
        return Moment(sight.number, None, (text,), (), "event")
    if not sight.moves:
        return Moment(sight.number, None, (), (), "event")
    step, words = sight.moves[-1], sight_words(sight)
    scenes: list[Scene] = []
    for event in step.events:
        draw = DRAWN.get(event.kind.name) if isinstance(event, Message) else None
        scenes += draw(message_data(event), words, sight) if draw else []
    texts = tuple(map(words.say, step.events))
    return Moment(sight.number, step.seat, texts, tuple(scenes), _sound(step.events))


def _sound(events: tuple[str, ...]) -> str:
    """Return the name of the sound of a move."""
    names = {event.kind.name for event in events if isinstance(event, Message)}
    about = [message_data(event) for event in events]
    if names & {"completes", "puts_down", "quarto"} or any(data.get("right") for data in about):
        return "set"
    answers = {str(data["answer"]) for data in about if data.get("answer") is not None}
    wrong = any(data.get("right") is False for data in about)
    return "yes" if "yes" in answers else "no" if answers or wrong else "event"


def _ask(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    """Return the scenes of a question, and of its answer if there is one."""
    deck, card = words.spoken_deck(), about["card"]
    asks = (
        _("{asked}, have you got the {card}?") if deck.sets else _("{asked}, have you got {card}?")
    )
    asked = words.player(about["asked"])
    text = f"{asks.format(asked=asked, card=deck.card_name(*card))} {deck.emoji(*card)}".strip()
    question = ["say", about["asker"], text, 0]
    answer = about.get("answer")
    if answer is None:
        return [[question]]
    had = _("Here you are") if str(answer) == "yes" else _("No!")
    scenes: list[Scene] = [[question, ["say", about["asked"], had, 1]]]
    if str(answer) == "yes":
        tile = f"#tile{card[0]}-{card[1]}"
        scenes[0].append(["carry", f"{tile} .face", _hand(about["asked"], tile),
                          _hand(about["asker"], tile)])  # fmt: skip
    return scenes


def _hand(seat: int, tile: str) -> str:
    """Return a selector of a player's hand: the tile of the card if it is the visitor's hand."""
    return f"body:has(#seat{seat}.mine) [data-hand] {tile}, #seat{seat}"


def _put_down(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    """Return the scene in which a complete set lands in front of its owner."""
    del words
    size = sight.rules.settings.set_size
    cards = [f"#tile{about['set']}-{number} .face" for number in range(size)]
    return [[["gather", cards, f"#seat{about['who']}"]]]


def _place(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    """Return the scene in which a piece of Quarto is placed."""
    del words, sight
    return [[["carry", ".in-hand svg", IN_HAND, f"#{about['cell']}"]]]


def _hand_over(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    """Return the scene in which a piece of Quarto is handed over."""
    del words
    piece, receiver = about["piece"], 1 - about["who"]
    carry = ["carry", f":is(#give-{piece}, #left-{piece}) svg", f"#give-{piece}, #left-{piece}",
             f"#seat{receiver}"]  # fmt: skip
    return [[carry]]


def _quarto(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    """Return the scene in which a row of Quarto wins."""
    del words, sight
    return [[["say", about["who"], "Quarto!", 0], ["light", ".well.lit"]]]


def _claim(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    """Return the scenes of a claim in SET: the attributes of its cards, and who takes them."""
    del words
    cards = [f"#card{card}" for card in about["cards"]]
    allowed = {3} if sight.rules.settings.rule is Rule.TRIPLE else {1, 3}
    names = _("Shape"), _("Colour"), _("Filling"), _("Number")
    counts = {1: _("all the same"), 2: _("two the same"), 3: _("all different")}
    compared = []
    for name, digits in zip(names, zip(*map(digits_of, about["cards"]), strict=True), strict=True):
        values = len({*digits})
        compared.append([f"{name}: {counts[values]}", values in allowed])
    claim = ["say", about["who"], f"{sight.rules.settings.rule.three.capitalize()}!", 0]
    scenes = [[claim, ["compare", cards, compared]]]
    return [*scenes, [["gather", cards, f"#seat{about['who']}"]]] if about["right"] else scenes


def _agree(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    """Return the scene in which a player of SET agrees to more cards."""
    del words, sight
    return [[["say", about["who"], _("Three more cards, please"), 0]]]


def _deal(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    """Return the scene in which cards of SET are dealt."""
    del words, sight
    return [[["deal", ", ".join(f"#card{card}" for card in about["dealt"])]]]


DRAWN: dict[str, Callable[[Mapping[str, Any], PageWords, TableView], list[Scene]]] = {
    "asks": _ask,
    "completes": _put_down,
    "puts_down": _put_down,
    "places": _place,
    "hands_over": _hand_over,
    "quarto": _quarto,
    "claims": _claim,
    "agrees": _agree,
    "dealt": _deal,
}
"""The function that draws the scenes of an event, by the kind of its message."""
