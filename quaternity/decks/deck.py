"""The class `Deck`, with the names and pictures of cards, and a strict parser of deck files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from quaternity.base.errors import InputError
from quaternity.base.names import name_key, to_nfc
from quaternity.base.reading import decode, read_bytes
from quaternity.base.text_format import join_words, quote_value, with_noun
from quaternity.base.validation import as_int, check_text

LANGUAGES = ("en", "nl", "de")
"""Language codes of the decks that come with this package."""

MAX_BYTES = 2**20
MAX_SETS = 100
MAX_SET_CARDS = 100
"""Maximum number of cards in a set."""
DEFAULT_SET_SIZE = 4
"""Number of cards in a set, for games that have no setting for it."""

MAX_NAME_LENGTH = 40
MAX_PICTURE_LENGTH = 8

_COMMANDS = (
    "and all any asks cards chances exit false for help hint history in know let moves n no none "
    "not of or oracle points puts down q questions quit rules seat set sets some state true undo "
    "why y yes"
)
COMMAND_WORDS = frozenset(_COMMANDS.split())
"""Words of the commands that players can type, which cannot be names of cards or sets."""

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_NUMBERS = re.compile(r"[\d\s/.,:;+-]+")
_MARKUP = frozenset('<>&"`\\{}[]|')


class CardFace(NamedTuple):
    """Picture and names of a card, with one name for each language of the deck.

    The picture is an emoji or an empty string.
    """

    emoji: str
    names: tuple[str, ...]


class SetFace(NamedTuple):
    """Mark, names and cards of a set, with one name for each language of the deck.

    The mark is an emoji or an empty string.
    """

    mark: str
    names: tuple[str, ...]
    cards: tuple[CardFace, ...]


@dataclass(frozen=True)
class Deck:
    """Names and pictures for the cards of a game.

    The plain deck has no sets and fits any game. If a deck has no name for a card, it uses the
    numbers of the set and the card. If a deck lacks a language, it uses its first language.

    >>> deck = find_deck("everyday")
    >>> deck.card_name(1, 0), deck.card_name(1, 0, "de"), deck.emoji(1, 0), deck.set_name(1)
    ('fox', 'Fuchs', '🦊', 'forest')
    >>> deck.find_card("Fox"), PLAIN.card_name(1, 0), PLAIN.set_name(1)
    ((1, 0), '1/0', 'set 1')
    """

    name: str
    languages: tuple[str, ...]
    titles: tuple[str, ...]
    sets: tuple[SetFace, ...] = ()

    def title(self, language: str = "en") -> str:
        """Return the title of the deck in a language."""
        return self._in(language, self.titles)

    def set_name(self, index: int, language: str = "en") -> str:
        """Return the name of a set in a language, or a text such as "set 1" if it has no name."""
        face = self._set(index)
        return self._in(language, face.names) if face else f"set {index}"

    def mark(self, index: int) -> str:
        """Return the emoji that marks a set, or an empty string if there is none."""
        face = self._set(index)
        return face.mark if face else ""

    def card_name(self, index: int, number: int, language: str = "en") -> str:
        """Return the name of a card of set `index`, or a text such as "1/0" if it has no name."""
        face = self._card(index, number)
        return self._in(language, face.names) if face else f"{index}/{number}"

    def emoji(self, index: int, number: int) -> str:
        """Return the emoji that pictures a card, or an empty string if there is none."""
        face = self._card(index, number)
        return face.emoji if face else ""

    def fits(self, sets: int, size: int) -> bool:
        """Return whether the deck has cards for a game with this number of sets of this size.

        The plain deck fits any game.
        """
        sets, size = as_int(sets, "sets"), as_int(size, "size")
        if not self.sets:
            return True
        return sets <= len(self.sets) and all(len(face.cards) >= size for face in self.sets[:sets])

    def check_fits(self, sets: int, size: int) -> None:
        """Check that the deck has enough cards for a game.

        Raise `InputError` if the deck has too few cards. The message names a deck that has enough.
        """
        if not self.fits(sets, size):
            least = min(len(face.cards) for face in self.sets[:sets])
            raise InputError(
                f"deck {self.name}, with {with_noun(len(self.sets), 'set')} of at least {least} "
                f"cards, does not fit a game of {with_noun(sets, 'set')} of {size}; deck "
                f"{deck_for(sets, size).name} does, and deck {PLAIN.name} fits any game"
            )

    def find_card(self, name: str) -> tuple[int, int] | None:
        """Return the set and the number of the card that has this name in any language.

        Case is ignored. Return None if there is no such card.
        """
        return self._by_name.get(_name_key(name))

    def find_set(self, name: str) -> int | None:
        """Return the number of the set that has this name in any language.

        Case is ignored. Return None if there is no such set.
        """
        return self._sets_by_name.get(_name_key(name))

    @cached_property
    def _by_name(self) -> dict[str, tuple[int, int]]:
        return {
            _name_key(card.names[place]): (index, number)
            for place in reversed(range(len(self.languages)))
            for index, face in enumerate(self.sets)
            for number, card in enumerate(face.cards)
        }

    @cached_property
    def _sets_by_name(self) -> dict[str, int]:
        places = reversed(range(len(self.languages)))
        faces = [*enumerate(self.sets)]
        return {_name_key(face.names[place]): index for place in places for index, face in faces}

    def _in(self, language: str, names: Sequence[str]) -> str:
        return names[self.languages.index(language) if language in self.languages else 0]

    def _set(self, index: int) -> SetFace | None:
        return self.sets[index] if 0 <= as_int(index, "set") < len(self.sets) else None

    def _card(self, index: int, number: int) -> CardFace | None:
        face = self._set(index)
        number = as_int(number, "number of a card")
        return face.cards[number] if face and 0 <= number < len(face.cards) else None


PLAIN = Deck("plain", LANGUAGES, ("Shapes and numbers", "Vormen en getallen", "Formen und Zahlen"))
"""The plain deck, which fits any game. Sets are named after shapes; cards are numbered."""

_FILES = ("everyday", "world")
"""Names of the decks that come with this package. `deck_for` returns the first one that fits."""


def set_counts(settings: Any) -> tuple[int, int] | None:
    """Return a pair: the number of sets in a game, and the number of cards in a set.

    `settings` are the settings of the game. Return None if the game has no sets.
    """
    sets = getattr(settings, "sets", None)
    return None if sets is None else (sets, getattr(settings, "set_size", DEFAULT_SET_SIZE))


@cache
def decks() -> tuple[Deck, ...]:
    """Return the decks that come with this package, the plain one last."""
    folder = resources.files("quaternity.decks")
    included = (
        parse_deck((folder / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml", name)
        for name in _FILES
    )
    return (*included, PLAIN)


def find_deck(name: str) -> Deck:
    """Return the deck of this package with the given name.

    Raise `InputError` if there is no such deck. The message lists the decks.
    """
    for deck in decks():
        if deck.name == name:
            return deck
    raise InputError(
        f"deck {quote_value(name)} is unknown; choose from "
        f"{join_words(deck.name for deck in decks())}"
    )


def deck_for(sets: int, size: int) -> Deck:
    """Return the first deck of this package that fits a game with `sets` sets of `size` cards."""
    return next(deck for deck in decks() if deck.fits(sets, size))


def read_deck(path: str | Path) -> Deck:
    """Read a deck from a file. The name of the file, without its suffix, names the deck.

    Raise `InputError` if the file cannot be read, or is not a valid deck.
    """
    source = str(path)
    try:
        text = decode(read_bytes(source, MAX_BYTES))
    except InputError as error:
        fault = str(error) if str(error).startswith(source) else f"{source}: {error}"
        raise InputError(fault) from None
    return parse_deck(text, source, Path(source).stem)


def parse_deck(text: str, source: str, name: str) -> Deck:
    """Parse the text of a deck.

    Args:
        text: the deck in TOML.
        source: where the text comes from, such as a path, for error messages.

    Raises:
        InputError: If the text is not a valid deck.
    """
    try:
        return _deck(tomllib.loads(text), name)
    except RecursionError:
        raise InputError(f"{source}: the lists are nested too deeply") from None
    except (tomllib.TOMLDecodeError, InputError) as error:
        raise InputError(f"{source}: {error}") from None


def _deck(content: dict[str, Any], name: str) -> Deck:
    _check_keys(content, {"title", "languages", "sets"}, "the deck")
    languages = content.get("languages", ["en"])
    if not (
        isinstance(languages, list)
        and languages
        and all(isinstance(code, str) and _LANGUAGE.fullmatch(code) for code in languages)
        and len({*languages}) == len(languages)
    ):
        raise InputError(
            f"languages {quote_value(languages)}: expected different codes of two or three "
            f"lower-case "
            'letters, such as ["en", "nl", "de"]'
        )
    titles = _names(content.get("title", name), languages, "title")
    sets = content.get("sets")
    if not isinstance(sets, list) or not sets:
        raise InputError("there are no sets: expected [[sets]] with a name and cards")
    if len(sets) > MAX_SETS:
        raise InputError(f"{len(sets)} sets: at most {MAX_SETS} are allowed")
    faces = tuple(_set_face(index, face, languages) for index, face in enumerate(sets))
    for place, language in enumerate(languages):
        cards = (
            (f"set {index}, card {number}", card.names[place])
            for index, face in enumerate(faces)
            for number, card in enumerate(face.cards)
        )
        _check_different(cards, language)
        _check_different(
            ((f"set {i}", face.names[place]) for i, face in enumerate(faces)), language
        )
    return Deck(name, tuple(languages), titles, faces)


def _set_face(index: int, face: Any, languages: Sequence[str]) -> SetFace:
    place = f"set {index}"
    if not isinstance(face, dict):
        raise InputError(f"{place}: {quote_value(face)} is not a set: expected a name and cards")
    _check_keys(face, {"name", "mark", "cards"}, place)
    cards = face.get("cards")
    if not isinstance(cards, list) or not cards:
        raise InputError(f"{place}: there are no cards: expected cards = [...]")
    if len(cards) > MAX_SET_CARDS:
        raise InputError(f"{place}: {len(cards)} cards: at most {MAX_SET_CARDS} are allowed")
    names = _names(face.get("name"), languages, f"{place}: name")
    faces = (_card_face(f"{place}, card {i}", card, languages) for i, card in enumerate(cards))
    return SetFace(_picture(face.get("mark", ""), f"{place}: mark"), names, tuple(faces))


def _card_face(place: str, card: Any, languages: Sequence[str]) -> CardFace:
    if isinstance(card, list) and len(card) > len(languages):
        picture, *names = card
        return CardFace(_picture(picture, f"{place}: picture"), _names(names, languages, place))
    return CardFace("", _names(card, languages, place))


def _names(value: Any, languages: Sequence[str], place: str) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or len(names) != len(languages):
        raise InputError(
            f"{place}: {quote_value(value)}: expected {with_noun(len(languages), 'name')}, in "
            f"{join_words(languages)}"
        )
    return tuple(_check_name(name, place) for name in names)


def _check_name(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{place}: {quote_value(value)} is not a string")
    name = to_nfc(value)
    if not name or name != " ".join(name.split()) or len(name) > MAX_NAME_LENGTH:
        raise InputError(
            f"{place}: {quote_value(name)}: expected 1 to {MAX_NAME_LENGTH} characters, with "
            f"single "
            "blanks between words"
        )
    odd = [sign for sign in name if sign in _MARKUP or not sign.isprintable()]
    if odd:
        raise InputError(
            f"{place}: {quote_value(name)}: {quote_value(odd[0])} cannot be part of a name"
        )
    if _NUMBERS.fullmatch(name):
        raise InputError(
            f"{place}: {quote_value(name)} looks like the number of a card; add a word"
        )
    if not any(map(str.isalpha, name)):
        raise InputError(
            f"{place}: {quote_value(name)}: a name must contain letters; if this is a picture, "
            "list it before the names"
        )
    if _name_key(name) in COMMAND_WORDS:
        raise InputError(
            f"{place}: {quote_value(name)} is a command of the game: choose another name"
        )
    return name


def _picture(value: Any, place: str) -> str:
    if (
        not isinstance(value, str)
        or len(value) > MAX_PICTURE_LENGTH
        or re.search(r"[\x00-\x7f]", value)
    ):
        raise InputError(f"{place}: {quote_value(value)}: expected one emoji, or nothing")
    return value


def _check_keys(table: dict[str, Any], known: set[str], place: str) -> None:
    for key in table:
        if key not in known:
            raise InputError(
                f"{place}: unknown key {quote_value(key)}: expected {join_words(sorted(known))}"
            )


def _check_different(named: Iterator[tuple[str, str]], language: str) -> None:
    places: dict[str, str] = {}
    for place, name in named:
        if (first := places.setdefault(_name_key(name), place)) != place:
            raise InputError(
                f"{place}: {quote_value(name)} ({language}) is already the name of {first}"
            )


def _name_key(name: str) -> str:
    return name_key(check_text(name, "a name", "name"))
