"""Texts for pages about a game, in the language of the request.

A `PageWords` object writes messages in words, with the names of players and cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import bidirectional

from quaternity.base.errors import InputError
from quaternity.base.names import name_key
from quaternity.base.sentences import Message, MessageTemplate, message_data
from quaternity.decks.deck import PLAIN, Deck, find_deck
from quaternity.decks.words import DeckWords
from quaternity.epistemic import sentences as epistemic
from quaternity.game import sentences
from quaternity.game.question import Answer, Question
from quaternity.insight import explanation
from quaternity.review.reviewing import BETTER, CHANCE
from quaternity.table.games import registration
from quaternity.table.registration import Level
from quaternity.web.languages import gettext, join_names, language, percent, translate_words
from quaternity.web.seats import default_name, default_seat

if TYPE_CHECKING:
    from quaternity.web.seats import Seat
    from quaternity.web.table_view import SeatView, TableView

_QUESTION = "{asker:seat} → {asked:seat}: {card:card}?"

QUARTO_MOVE = re.compile(r"(?:place it on (H\dV\d))?(?:, )?(?:hand over (\w))?")
"""Pattern of the text of a move in Quarto. Its two groups are the cell on which a piece is placed,
and the piece that is handed over."""

TEMPLATES = {
    sentences.ASKS.template: _QUESTION,
    sentences.ANSWERED.template: f"{_QUESTION} {{answer:reply}}",
    sentences.FORCED.template: f"{_QUESTION} {{answer:reply}} (had to)",
    sentences.WAITS.template: "'{question}' must be answered first, with “yes” or “no”",
    sentences.HOPELESS.template: (
        "{reason}; a brisk game forbids questions that can only be answered with “no”"
    ),
    CHANCE.template: "The chance of a “yes” was {chance:percent}.",
    explanation.REFUSED.template: "{question} Refused: {fault}",
    explanation.BOTH_POSSIBLE.template: "{question} Both answers are possible.",
    BETTER.template: (
        "In simulated games, '{best}' wins {better:percent} and this move {played:percent}."
    ),
    epistemic.CANNOT_HOLD.template: "{who:player} cannot have {card:card}: {reason}",
    epistemic.CANNOT_HOLD_PROOF.template: (
        "{who:player} cannot have {card:card}: otherwise {proof}"
    ),
    epistemic.PUBLICLY_WITHOUT.template: (
        "{who:players} cannot have {card:card}: the questions and answers show this"
    ),
    epistemic.SEES_NOT.template: "{card:card} is not in the hand of {who:player}",
    epistemic.SEES_CARD.template: "{card:card} is in the hand of {who:player}",
    epistemic.SEES.template: "{who:players} knows {formula}, because of their own cards",
    epistemic.HOLDS.template: "{who:player} has {card:card}",
    epistemic.HOLDS_INSTEAD.template: "{who:player} has {card:card}, not {other:player}",
    epistemic.HOLDS_NOT.template: "{who:player} does not have {card:card}",
    epistemic.HOLD_BETWEEN.template: "one of {who:players} has {card:card}",
    explanation.IMPOSSIBLE.template: "{question} '{answer:reply}' is impossible: {reason}",
}
"""Mapping from message templates for terminals to the templates that pages use instead."""

READER_TEMPLATES = {
    epistemic.CANNOT_HOLD.template: MessageTemplate(
        "cannot_hold", "you cannot have {card:card}: {reason}"
    ),
    epistemic.SEES_NOT.template: MessageTemplate("sees", "{card:card} is not in your hand"),
    epistemic.SEES_CARD.template: MessageTemplate("sees", "{card:card} is in your hand"),
}
"""Mapping from templates of messages about a player to templates for this player's own page."""

ADVICE = {
    sentences.ASKS_ITSELF.name: "ask another player",
    sentences.HOLDS_NONE.name: "choose a set from which you hold a card",
    sentences.HOLDS_IT.name: "ask for a card that you lack",
    sentences.NO_CARDS.name: "ask a player who has cards",
    sentences.IS_COMPLETED.name: "ask for a card of another set",
    sentences.IS_REMOVED.name: "ask for a card of another set",
    sentences.OWNS.name: "ask for a card that you lack",
    sentences.SAYS.name: "ask for a card of another set",
    sentences.IS_WITHOUT.name: "ask a player who may have it",
    sentences.CANNOT_HAVE.name: "ask a player who may have it",
    sentences.HOPELESS.name: "ask a player who may have it",
    sentences.NOTHING_TO_ANSWER.name: "ask for a card",
}
"""Advice after an illegal move, by the name of the message that says why the move is illegal."""


PROGRAM_NAMES = (
    "Milo", "Zoë", "Otto", "Ida", "Finn", "Luna", "Emil", "Noor", "Hugo", "Roos", "Oskar", "Lotte",
)  # fmt: skip
"""First names of computer players, by their seat in the first game. The list is then repeated."""


class SpokenDeck(NamedTuple):
    """A deck of cards, and the language in which its sets and cards are named."""

    deck: Deck
    language: str

    @property
    def sets(self) -> Sequence[Any]:
        """The sets of the deck. Empty if the cards have no names."""
        return self.deck.sets

    def set_name(self, index: int) -> str:
        """Return the name of a set, or a text such as "set 0" if the deck has no names."""
        if not self.deck.sets:
            return gettext("set {number}").format(number=index)
        return self.deck.set_name(index, self.language)

    def card_name(self, index: int, number: int) -> str:
        """Return the name of card `number` of set `index`."""
        return self.deck.card_name(index, number, self.language)

    def emoji(self, index: int, number: int) -> str:
        """Return the emoji of card `number` of set `index`. Return an empty text if it has none."""
        return self.deck.emoji(index, number)


class PageWords(DeckWords):
    """Writes the messages on a page in words, with the names of players and cards.

    The text of a message contains placeholders such as `{asker:player}`. The word after the colon
    is the name of the method that formats the value.

    Attributes:
        reader: Seat of the player who reads the page. None for bystanders.
    """

    reader: int | None = None

    def put(self, kind: MessageTemplate, about: dict[str, Any]) -> str:
        """Return the text of a template. A message about the reader says "you"."""
        is_reader = self.reader is not None and about.get("who") == self.reader
        return super().put(READER_TEMPLATES.get(kind.template, kind) if is_reader else kind, about)

    def template(self, kind: MessageTemplate) -> str:
        """Return the translated template of a message, in which placeholders stand for values."""
        return gettext(TEMPLATES.get(kind.template, kind.template))

    def reply(self, answer: Answer) -> str:
        """Return an answer as text, such as "No"."""
        return gettext(str(answer).capitalize())

    def player(self, number: int) -> str:
        """Return the name of a player, or a text such as "player 0"."""
        if 0 <= number < len(self.names):
            return self.names[number]
        return gettext("player {number}").format(number=number)

    def called(self, name: str) -> str:
        """Return "Player 1" for the default name "player 0", and any other text unchanged."""
        return player_name(name, default_seat(name)) or name

    def players(self, numbers: Sequence[int]) -> str:
        """Return the names of players as a list in words, such as "Ann, Ben and Cleo"."""
        return self._join(map(self.player, numbers))

    def _join(self, texts: Iterable[str]) -> str:
        return join_names(list(texts))

    def set(self, index: int) -> str:
        """Return the name of a set, or a text such as "set 0"."""
        if self.deck.sets:
            return super().set(index)
        return gettext("set {number}").format(number=index)

    def sets(self, indices: Sequence[int]) -> str:
        """Return the names of sets in words, with commas and "and" between them."""
        return self._join(map(self.set, indices))

    def cards(self, count: int) -> str:
        """Return a number of cards as text, such as "1 card"."""
        text = gettext("{count} card") if count == 1 else gettext("{count} cards")
        return text.format(count=count)

    def percent(self, chance: float) -> str:
        """Return a probability as a whole percentage."""
        return percent(chance)

    def text(self, value: object) -> str:
        """Return the translation of a value in a message.

        The value may be an answer, another message, a move of Quarto, or a text about SET cards.
        """
        if isinstance(value, Answer):
            return self.reply(value).lower()
        if isinstance(value, Message):
            return self.say(value)
        text = str(value)
        return _quarto_move(text) or translate_words(text)

    def spoken_deck(self) -> SpokenDeck:
        """Return the deck, with names in the language of this object."""
        return SpokenDeck(self.deck, self.language)

    def refusal(self, fault: str) -> str:
        """Return a sentence that says why a move is illegal and, if known, what to do instead.

        `fault` is the reason that the rules of the game give.
        """
        instead = ADVICE.get(fault.kind.name) if isinstance(fault, Message) else None
        text = self.say(fault) if isinstance(fault, Message) else gettext(fault)
        return f"{text}: {gettext(instead)}" if instead else text


def _quarto_move(text: str) -> str:
    move = QUARTO_MOVE.fullmatch(text)
    parts = [gettext("place it on {cell}").format(cell=move[1])] if move and move[1] else []
    parts += [gettext("hand over {piece}").format(piece=move[2])] if move and move[2] else []
    return ", ".join(parts)


def page_words(deck: str, seats: Sequence[SeatView | Seat], game: str = "") -> PageWords:
    """Return the object that writes messages about a game in the language of the request.

    `deck` is the name of the deck. If this deck no longer exists, a plain deck is used, in which
    cards have no names.
    """
    return PageWords(stored_deck(deck), seat_names(seats, game), language())


def sight_words(sight: TableView) -> PageWords:
    """Return the object that writes messages about a game in the language of the request."""
    return page_words(sight.deck, sight.seats, sight.game)


def stored_deck(name: str) -> Deck:
    """Return the deck with the given name. If it does not exist, return a deck without names."""
    try:
        return find_deck(name)
    except InputError:
        return PLAIN


def plain_names(seats: Sequence[SeatView | Seat], game: str = "") -> list[str]:
    """Return the name of the player in each seat. Several players may have the same name.

    A computer player that belongs to a level of the game gets a first name. This name depends on
    the seat at which the player joined the series of rematches. An open seat gets a text such as
    "Seat 1", and a person without a name gets "Player 1". Unlike records, pages count seats from 1.
    """
    names, programs = list[str](), set[str]()
    for number, seat in enumerate(seats):
        name = _page_name(seat, number, game)
        if level_of(seat, game):
            if name in programs:  # a program that took a seat during the series
                name = next((other for other in PROGRAM_NAMES if other not in programs), name)
            programs.add(name)
        names.append(_isolate_name(name))
    return names


def _page_name(seat: SeatView | Seat, number: int, game: str) -> str:
    if level_of(seat, game):
        first = int(seat.origin.rpartition("/")[2]) if seat.origin else number
        return PROGRAM_NAMES[first % len(PROGRAM_NAMES)]
    return player_name(seat.name, number) or gettext("Seat %(number)s") % {"number": number + 1}


def player_name(name: str | None, seat: int | None) -> str | None:
    """Return a player's name as pages show it: "Player 1" if `name` is the default of seat 0."""
    if seat is None or name != default_name(seat):
        return name
    return gettext("player {number}").format(number=seat + 1).capitalize()


def level_of(seat: SeatView | Seat, game: str) -> Level | None:
    """Return the level of difficulty that the computer player in a seat has.

    Return None if no computer player has the seat, or if no level of the game uses this player.
    """
    levels = registration(game).levels if game and seat.kind == "program" else ()
    return next((level for level in levels if level.player == seat.name), None)


def seat_names(seats: Sequence[SeatView | Seat], game: str = "") -> list[str]:
    """Return a distinct name for the player in each seat.

    The number of the seat is appended to names that look alike, for example because they differ
    only in the shape of an apostrophe. It is also appended to a name such as "Player 3" in another
    seat than the third one.
    """
    names = plain_names(seats, game)
    keys = [name_key(name) for name in names]
    usual = [name_key(player_name(default_name(seat), seat) or "") for seat in range(len(seats))]
    numbered = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    apart = [
        numbered[at] if (keys + usual).count(keys[at]) - (keys[at] == usual[at]) > 1 else name
        for at, name in enumerate(names)
    ]
    return apart if len(set(map(name_key, apart))) == len(apart) else numbered


def _isolate_name(name: str) -> str:
    # Isolate a name that is written from right to left. Otherwise the browser would reverse the
    # order of two such names with an arrow between them, and so swap the asker and the asked
    # player.
    turns = any(bidirectional(letter) in ("R", "AL", "AN") for letter in name)
    return f"\u2068{name}\u2069" if turns else name


def last_asked(sight: TableView) -> tuple[int, int, int] | None:
    """Return the player who was asked last, and the card, as a tuple (player, set, number).

    The result is None if the last move was neither a question nor an answer.
    """
    return asked_card(sight.moves[-1].events[0]) if sight.moves else None


def asked_card(event: str) -> tuple[int, int, int] | None:
    """Return the player and the card of a question, as a tuple (player, set, number).

    The result is None if the event is neither a question nor an answer.
    """
    about = message_data(event)
    return (about["asked"], *about["card"]) if "asked" in about else None


def move_text(move: Any, text: str) -> str:
    """Return a move as a message or a text for a page.

    A question becomes a message, in which the page inserts names. For any other move, the result is
    `text`, which is how records write the move.
    """
    return sentences.question_sentence(move) if isinstance(move, Question) else text
