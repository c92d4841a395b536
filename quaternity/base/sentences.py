"""Sentences that keep what they say as data: what happened, and why something is so.

A *kind* of sentence has a name and a template. A *sentence* is a kind and its values; as a text it
is in English, with players and sets by number. `Words` put it differently: with names, or from the
templates of another language. A template says by which word a value is put: `{asked:player}` is
"player 1", or the name of that player. So nobody reads a value out of a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache
from string import Formatter
from typing import Any, NamedTuple

from quaternity.base.wording import counted, listed


class Kind(NamedTuple):
    """A kind of sentence; call it with the values of one.

    Attributes:
        name: for programs that read sentences as data.
        template: in English. A value in braces is put by a method of `Words`, named after the
            colon; without one by `Words.text`.

    >>> TAKES = Kind("takes", "{who:player} takes {number:cards} from {whom:player}")
    >>> event = TAKES(who=1, number=3, whom=0)
    >>> event, Words(["Ann", "{who}"]).say(event)
    ('player 1 takes 3 cards from player 0', '{who} takes 3 cards from Ann')
    >>> document(event)["who"]
    1
    """

    name: str
    template: str

    def __call__(self, **about: Any) -> Sentence:
        """Return the sentence about some values."""
        return Sentence(self, about)


@lru_cache(maxsize=1024)
def _shared(names: tuple[str, ...]) -> tuple[str, ...]:
    return names


class Sentence(str):
    """A sentence: its text in plain words, and its values by name; some may be sentences."""

    # A game at a table keeps some for every move: names are shared, values a third of a dictionary.
    __slots__ = ("_names", "_values", "kind")

    kind: Kind
    _names: tuple[str, ...]
    _values: tuple[Any, ...]

    def __new__(cls, kind: Kind, about: dict[str, Any]) -> Sentence:
        """Put it in plain words."""
        sentence = super().__new__(cls, PLAIN.put(kind, about))
        sentence.kind, sentence._names = kind, _shared(tuple(about))
        sentence._values = tuple(about.values())
        return sentence

    @property
    def about(self) -> dict[str, Any]:
        """What the sentence says, by name."""
        return dict(zip(self._names, self._values, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return Sentence, (self.kind, self.about)


@lru_cache(maxsize=1024)
def _pieces(template: str) -> tuple[tuple[str, str | None, str], ...]:
    return tuple(
        (text, name, word or "text") for text, name, word, _ in Formatter().parse(template)
    )


class Words:
    """The wording of sentences: the plain words number players and sets.

    Names are put in once and never looked at again. A subclass may have other templates, and other
    words for cards and sets.
    """

    def __init__(self, names: Sequence[str] = ()) -> None:
        """Call players by their names, where there are any."""
        self.names = names

    def say(self, text: str) -> str:
        """Return a sentence in these words; any other text as it is."""
        return self.put(text.kind, text.about) if isinstance(text, Sentence) else text

    def put(self, kind: Kind, about: dict[str, Any]) -> str:
        """Return the sentence of a kind with these values."""
        parts = []
        for text, name, word in _pieces(self.template(kind)):
            parts.append(text)
            if name is not None:
                parts.append(getattr(self, word)(about[name]))
        return "".join(parts)

    def template(self, kind: Kind) -> str:
        """Return the template of a kind of sentence."""
        return kind.template

    def text(self, value: object) -> str:
        """Return a sentence in these words, and any other value as it prints."""
        return self.say(value) if isinstance(value, str) else str(value)

    def called(self, name: str) -> str:
        """Return what somebody is called, which is in no language."""
        return name

    def all_called(self, names: Iterable[str]) -> str:
        """Return what some are called: "Ann and Ben"."""
        return self._joined(names)

    def _joined(self, texts: Iterable[str]) -> str:
        """Return texts as in a sentence: "a, b and c"."""
        return listed(texts)

    def seat(self, number: int) -> str:
        """Return a player, where only players can be meant: "0"."""
        return self.names[number] if 0 <= number < len(self.names) else str(number)

    def player(self, number: int) -> str:
        """Return a player: "player 0"."""
        return self.names[number] if 0 <= number < len(self.names) else f"player {number}"

    def players(self, numbers: Sequence[int]) -> str:
        """Return players: "players 0 and 2"."""
        if self.names:
            return self._joined(map(self.player, numbers))
        return f"player{'s' * (len(numbers) != 1)} {listed(numbers)}"

    def card(self, card: tuple[int, int]) -> str:
        """Return a card: "0/2"."""
        index, number = card
        return f"{index}/{number}"

    def hand(self, cards: Iterable[tuple[int, int]]) -> str:
        """Return cards: "0/2 1/0"."""
        return " ".join(map(self.card, cards))

    def cards_listed(self, cards: Iterable[tuple[int, int]]) -> str:
        """Return cards: "0/2 and 1/0"."""
        return self._joined(map(self.card, cards))

    def cell(self, card: tuple[int, int], text: str) -> str:
        """Return what a table says of a card: the text alone where its place names the card."""
        del card
        return text

    def set(self, index: int) -> str:
        """Return a set: "set 0"."""
        return f"set {index}"

    def sets(self, indices: Sequence[int]) -> str:
        """Return sets: "sets 0 and 2"."""
        return f"set{'s' * (len(indices) != 1)} {listed(indices)}"

    def number(self, index: int) -> str:
        """Return a set, where only sets can be meant: "0", but "set 0" beside names."""
        return self.set(index) if self.names else str(index)

    def cards(self, count: int) -> str:
        """Return how many cards: "1 card"."""
        return counted(count, "card")

    def listed(self, values: Iterable[object]) -> str:
        """Return values as in a sentence: "a, b and c"."""
        return self._joined(map(self.text, values))

    def row(self, values: Iterable[object]) -> str:
        """Return values with spaces between."""
        return " ".join(map(self.text, values))

    def parts(self, values: Iterable[object]) -> str:
        """Return values with commas between."""
        return ", ".join(map(self.text, values))


PLAIN = Words()

INDENTED = Kind("indented", "{space}{line}")


def indented(line: str, by: int = 2) -> Sentence:
    """Return a line that belongs to one above."""
    return INDENTED(space=" " * by, line=line)


def unindented(line: str) -> str:
    """Return a line as it was before `indented`."""
    line_before: str = facts(line).get("line", line)
    return line_before


def facts(text: str) -> dict[str, Any]:
    """Return the values of a sentence by name; of any other text none."""
    return text.about if isinstance(text, Sentence) else {}


def document(text: str) -> dict[str, Any]:
    """Return a sentence as JSON: its `text`, and where there are values `kind` and these."""
    if not isinstance(text, Sentence):
        return {"text": text}
    values = {name: _plain(value) for name, value in text.about.items()}
    return {"text": str(text), "kind": text.kind.name} | values


def _plain(value: Any) -> Any:
    if isinstance(value, Sentence):
        return document(value)
    if value is None or (isinstance(value, int | float) and not isinstance(value, Enum)):
        return value
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return [_plain(part) for part in value]
    return str(value)
