"""Messages with data: texts for people that also carry their values for programs.

A `MessageTemplate` is a text with fields, and a `Message` is a template with its values. A message
is also a `str`: an English text that refers to players and sets by number. A `Wording` formats a
message differently, with the names of the players or in another language. Each field of a template
names the method of `Wording` that formats its value. For example, `{asked:player}` becomes
"player 1", or the name of that player.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from string import Formatter
from typing import Any, NamedTuple

from quaternity.base.text_format import join_words, percent, with_noun


class MessageTemplate(NamedTuple):
    """Template of a message. Call it with values for its fields to create a `Message`.

    Attributes:
        name: name of the template, for programs that read messages as data.
        template: the English text, with fields in braces. The part of a field after the colon names
            the method of `Wording` that formats the value; the default is `Wording.text`.

    >>> TAKES = MessageTemplate("takes", "{taker:player} takes {number:cards} from {owner:player}")
    >>> event = TAKES(taker=1, number=3, owner=0)
    >>> print(event)
    player 1 takes 3 cards from player 0
    >>> print(Wording(["Ann", "Bob"]).say(event))
    Bob takes 3 cards from Ann
    >>> document(event)["number"]
    3
    """

    name: str
    template: str

    def __call__(self, **about: Any) -> Message:
        """Return a message with the given values for the fields of the template."""
        return Message(self, about)


@lru_cache(maxsize=1024)
def _intern_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return names


class Message(str):
    """The English text of a message, together with the values in it.

    A value may itself be a message.
    """

    # A table keeps several messages for each move, so memory matters. The names are shared, and a
    # tuple of values takes a third of the memory of a dictionary.
    __slots__ = ("_names", "_values", "kind")

    kind: MessageTemplate
    _names: tuple[str, ...]
    _values: tuple[Any, ...]

    def __new__(cls, kind: MessageTemplate, about: dict[str, Any]) -> Message:
        """Create a message, which is a `str` with the English text of a template and its values."""
        sentence = super().__new__(cls, PLAIN.put(kind, about))
        sentence.kind, sentence._names = kind, _intern_names(tuple(about))
        sentence._values = tuple(about.values())
        return sentence

    @property
    def data(self) -> dict[str, Any]:
        """The values of the message, by name."""
        return dict(zip(self._names, self._values, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.kind, self.data)


@lru_cache(maxsize=1024)
def _parse_template(template: str) -> tuple[tuple[str, str | None, str], ...]:
    return tuple(
        (text, name, word or "text") for text, name, word, _ in Formatter().parse(template)
    )


class Wording:
    """Formatter of messages. This class writes English, and refers to cards and sets by number.

    The methods from `text` on format the values of fields. For example, the field `{owner:player}`
    is formatted by the method `player`. A subclass may use other templates, and other words for
    cards and sets. Braces in the name of a player have no effect.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        """Create a formatter that uses the given names of players, or numbers if there are none."""
        self.names = names

    def say(self, text: str) -> str:
        """Return a message in the words of this formatter. Return any other text unchanged."""
        return self.put(text.kind, text.data) if isinstance(text, Message) else text

    def put(self, kind: MessageTemplate, about: dict[str, Any]) -> str:
        """Return the text of a template with the given values in its fields."""
        parts = []
        for text, name, word in _parse_template(self.template(kind)):
            parts.append(text)
            if name is not None:
                parts.append(getattr(self, word)(about[name]))
        return "".join(parts)

    def template(self, kind: MessageTemplate) -> str:
        """Return the text of a message template in the language of this formatter."""
        return kind.template

    def text(self, value: object) -> str:
        """Return a message in the words of this formatter, or the `str` of any other value."""
        return self.say(value) if isinstance(value, str) else str(value)

    def sentence(self, value: object) -> str:
        """Return the text of a value as the beginning of a sentence, with a capital letter."""
        text = self.text(value)
        return text[:1].upper() + text[1:]

    def called(self, name: str) -> str:
        """Return the name of a player, or a formula, unchanged. A subclass may change names."""
        return name

    def all_called(self, names: Iterable[str]) -> str:
        """Return the names of players as a list in words, such as "Ann and Ben"."""
        return self._join(names)

    def _join(self, texts: Iterable[str]) -> str:
        return join_words(texts)

    def seat(self, number: int) -> str:
        """Return the text for a player, such as "Ann" or "0"."""
        return self.names[number] if 0 <= number < len(self.names) else str(number)

    def player(self, number: int) -> str:
        """Return the text for a player, such as "Ann" or "player 0"."""
        return self.names[number] if 0 <= number < len(self.names) else f"player {number}"

    def players(self, numbers: Sequence[int]) -> str:
        """Return the text for players, such as "Ann and Cem" or "players 0 and 2"."""
        if self.names:
            return self._join(map(self.player, numbers))
        return f"player{'s' * (len(numbers) != 1)} {join_words(numbers)}"

    def card(self, card: tuple[int, int]) -> str:
        """Return the text for a card, such as "0/2"."""
        index, number = card
        return f"{index}/{number}"

    def hand(self, cards: Iterable[tuple[int, int]]) -> str:
        """Return the text for cards, such as "0/2 1/0"."""
        return " ".join(map(self.card, cards))

    def cards_listed(self, cards: Iterable[tuple[int, int]]) -> str:
        """Return the text for cards, such as "0/2 and 1/0"."""
        return self._join(map(self.card, cards))

    def cell(self, card: tuple[int, int], text: str) -> str:
        """Return the text for a cell in a table of cards.

        The text does not name the card, because the position of the cell shows which card it is. A
        subclass may add the name.
        """
        del card
        return text

    def set(self, index: int) -> str:
        """Return the text for a set, such as "set 0"."""
        return f"set {index}"

    def sets(self, indices: Sequence[int]) -> str:
        """Return the text for sets, such as "sets 0 and 2"."""
        return f"set{'s' * (len(indices) != 1)} {join_words(indices)}"

    def number(self, index: int) -> str:
        """Return the text for a set: "set 0" if players have names, or else "0"."""
        return self.set(index) if self.names else str(index)

    def cards(self, count: int) -> str:
        """Return the text for a number of cards, such as "1 card"."""
        return with_noun(count, "card")

    def percent(self, chance: float) -> str:
        """Return the text for a probability, such as "25%"."""
        return percent(chance, decimals=0)

    def listed(self, values: Iterable[object]) -> str:  # plain: ok, a format in message templates
        """Return the texts of values as a list in words, such as "a, b and c"."""
        return self._join(map(self.text, values))

    def row(self, values: Iterable[object]) -> str:
        """Return the texts of values with spaces between them."""
        return " ".join(map(self.text, values))

    def parts(self, values: Iterable[object]) -> str:
        """Return the texts of values with commas between them."""
        return ", ".join(map(self.text, values))


PLAIN = Wording()

INDENTED = MessageTemplate("indented", "{space}{line}")


def indent(line: str, by: int = 2) -> Message:
    """Indent a line that belongs to the line above, by two spaces by default."""
    return INDENTED(space=" " * by, line=line)


def unindent(line: str) -> str:
    """Return a line without the spaces that `indent` added."""
    line_before: str = message_data(line).get("line", line)
    return line_before


def message_data(text: str) -> dict[str, Any]:
    """Return the values in a message by name, or an empty dictionary for any other text."""
    return text.data if isinstance(text, Message) else {}


def document(text: str) -> dict[str, Any]:
    """Return a message as a JSON object: its `text`, its `kind` and its values.

    For any other text, the object has only the key `text`.
    """
    if not isinstance(text, Message):
        return {"text": text}
    values = {name: _plain(value) for name, value in text.data.items()}
    return {"text": str(text), "kind": text.kind.name} | values


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        return document(value)
    if value is None or (isinstance(value, int | float) and not isinstance(value, Enum)):
        return value
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return [_plain(part) for part in value]
    return str(value)
