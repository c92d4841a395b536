"""Names of seats, and what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import InputError
from quaternity.base.sentences import Kind, Sentence, facts
from quaternity.decks.deck import PLAIN, Deck, find_deck
from quaternity.decks.words import DeckWords
from quaternity.game import sentences
from quaternity.game.question import Answer, Question
from quaternity.table.games import registration

if TYPE_CHECKING:
    from quaternity.web.seats import Seat
    from quaternity.web.sight import SeatSight, Sight

_QUESTION = "{asker:seat} → {asked:seat}: {card:card}?"

TEMPLATES = {
    sentences.ASKS.template: _QUESTION,
    sentences.ANSWERED.template: f"{_QUESTION} {{answer:reply}}",
    sentences.FORCED.template: f"{_QUESTION} {{answer:reply}} (had to)",
}
"""How a page puts what English puts with articles elsewhere."""

INSTEAD = {
    sentences.ASKS_ITSELF.name: "ask somebody else",
    sentences.HOLDS_NONE.name: "ask for a card of a set that you have a card of",
    sentences.HOLDS_IT.name: "ask for a card that you lack",
    sentences.NO_CARDS.name: "ask somebody who has cards",
    sentences.IS_COMPLETED.name: "ask for a card of another set",
    sentences.IS_REMOVED.name: "ask for a card of another set",
    sentences.OWNS.name: "ask for a card that you lack",
    sentences.SAYS.name: "ask for a card of another set",
    sentences.IS_WITHOUT.name: "ask somebody who may have it",
    sentences.CANNOT_HAVE.name: "ask somebody who may have it",
    sentences.HOPELESS.name: "ask somebody who may have it",
    sentences.NOTHING_TO_ANSWER.name: "ask for a card",
    sentences.WAITS.name: "say yes or no",
}
"""What to do instead of what is refused."""


class PageWords(DeckWords):
    """Sentences as a page puts them: people and cards by name."""

    def template(self, kind: Kind) -> str:
        """Return the template of a kind of sentence."""
        return TEMPLATES.get(kind.template, kind.template)

    def reply(self, answer: Answer) -> str:
        """Return an answer: "No"."""
        return str(answer).capitalize()

    def refusal(self, fault: str) -> str:
        """Return why something is refused, and what to do instead."""
        instead = INSTEAD.get(fault.kind.name) if isinstance(fault, Sentence) else None
        text = self.say(fault)
        return f"{text}: {instead}" if instead else text


def page_words(deck: str, seats: Sequence[SeatSight | Seat], game: str = "") -> PageWords:
    """Return the words of a table; a deck that is gone is the plain one."""
    return PageWords(deck_called(deck), seat_names(seats, game))


def sight_words(sight: Sight) -> PageWords:
    """Return the words of a table for who looks at it."""
    return page_words(sight.deck, sight.seats, sight.game)


def deck_called(name: str) -> Deck:
    """Return a deck by the name that a table was kept with."""
    try:
        return find_deck(name)
    except InputError:
        return PLAIN


def plain_names(seats: Sequence[SeatSight | Seat], game: str = "") -> list[str]:
    """Return a name per seat, for places where its number stands beside it.

    A program that plays a level of the game is called by the level.
    """
    known = registration(game).levels if game else ()
    levels = {level.player: level.name.capitalize() for level in known}
    names = [
        levels.get(seat.name or "", seat.name) if seat.kind == "program" else seat.name
        for seat in seats
    ]
    return [name or f"Seat {number}" for number, name in enumerate(names)]


def seat_names(seats: Sequence[SeatSight | Seat], game: str = "") -> list[str]:
    """Return a name per seat; equal ones are told apart by the number of the seat."""
    names = plain_names(seats, game)
    numbered = [f"{name} ({number})" for number, name in enumerate(names)]
    apart = [
        more if names.count(name) > 1 else name for name, more in zip(names, numbered, strict=True)
    ]
    return apart if len(set(apart)) == len(apart) else numbered


def last_asked(sight: Sight) -> tuple[int, int, int] | None:
    """Whom the last question was to, and for which card: (player, set, number)."""
    about = facts(sight.moves[-1].events[0]) if sight.moves else {}
    return (about["asked"], *about["card"]) if "asked" in about else None


def move_text(move: Any, text: str) -> str:
    """Return a move as it is written; a question as a sentence, which names can be put in."""
    return sentences.question_sentence(move) if isinstance(move, Question) else text
