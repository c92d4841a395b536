"""The animations of Quaternity and Kwartet: questions, answers, and complete sets.

An animation is a list of scenes (see `quaternity.web.drawing.moments`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from quaternity.base.sentences import message_data
from quaternity.web.drawing.moments import Scene, Scenes
from quaternity.web.drawing.words import PageWords
from quaternity.web.languages import gettext as _

if TYPE_CHECKING:
    from quaternity.web.table_view import TableView


def advised_move(words: PageWords, move: str) -> str:
    """Return a question or an answer as advice to a player, such as "Ask Ann for the pear"."""
    if question := message_data(move):
        card = words.spoken_deck().card_name(*question["card"])
        name = words.player(question["asked"])
        return _("Ask %(name)s for %(card)s") % {"name": name, "card": card}
    return _("Answer {answer}").format(answer=_(move.capitalize()))


def draw_question(
    about: Mapping[str, Any], words: PageWords, sight: TableView | None = None
) -> list[Scene]:
    """Return the animation of a question, and of its answer if it has one.

    `about` contains the values of the question's message: `asker`, `asked`, `card` and perhaps
    `answer`. `words` writes the texts of the page.
    """
    del sight
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
    # A seat comes before the hand in the page. It is used if the page does not show this hand.
    hidden = f":not(:has(#seat{seat}.mine)), :not(:has([data-hand])), [data-view='matrix']"
    return f"body:is({hidden}) #seat{seat}, body:has(#seat{seat}.mine) [data-hand] {tile}"


def _put_down(about: Mapping[str, Any], words: PageWords, sight: TableView) -> list[Scene]:
    del words
    size = sight.rules.settings.set_size
    cards = [f"#tile{about['set']}-{number} .face" for number in range(size)]
    return [[["gather", cards, f"#seat{about['who']}"]]]


SCENES: Scenes = {"asks": draw_question, "completes": _put_down, "puts_down": _put_down}
"""Functions that animate events, by the kind of event (see `quaternity.web.drawing.moments`)."""
