"""The sixteen pieces of Quarto: their names and properties in words, and as bits for searches.

- A **piece** is a number from 0 to 15, with one bit for each of the four features.
- A **mark** is a set of properties as eight bits. In the mark of a piece, bits 0 to 3 are the bits
  of the piece, and bits 4 to 7 are their complement. The AND of the marks of several pieces
  contains the properties that all of them share.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from quaternity.base.errors import InputError
from quaternity.base.text_format import join_words, quote_short, with_noun
from quaternity.base.validation import as_iterator, check_int, check_text

FEATURES = 4
PIECES = 2**FEATURES
MARK_BITS = 2 * FEATURES
ANY = (1 << MARK_BITS) - 1
"""Mark (bit mask of properties) with all properties. A row without pieces has this mark."""

MARKS = tuple(piece | (~piece & 0b1111) << 4 for piece in range(PIECES))
"""Mark (bit mask of properties) of each piece. It contains the piece's four properties."""

SHARING = tuple(
    sum(1 << piece for piece, mark in enumerate(MARKS) if mark & wanted)
    for wanted in range(ANY + 1)
)
"""For each mark (bit mask of properties), the bit mask of the pieces that have at least one of
these properties."""


def piece_properties(pieces: Mapping[str, Mapping[str, AbstractSet[str]]]) -> dict[str, set[str]]:
    """Return the set of all properties of each piece, by the name of the piece."""
    check_pieces(pieces)
    names = sorted(
        {name for words in pieces.values() for having in words.values() for name in having}
    )
    return {
        name: {
            word for words in pieces.values() for word, having in words.items() if name in having
        }
        for name in names
    }


def check_pieces(pieces: Mapping[str, Mapping[str, AbstractSet[str]]]) -> None:
    """Raise InputError unless the value has the format of a result of `read_pieces`."""
    if not isinstance(pieces, Mapping):
        raise InputError(f"pieces: {pieces!r} is not a dictionary")
    for feature, words in pieces.items():
        place = f"pieces[{feature!r}]"
        if not isinstance(feature, str):
            raise InputError(f"pieces: {feature!r} is not the name of a feature")
        if not isinstance(words, Mapping):
            raise InputError(
                f"{place}: {words!r} is not a dictionary of the two properties of a feature, "
                "as `read_pieces` returns it"
            )
        for word, having in words.items():
            if not isinstance(word, str):
                raise InputError(f"{place}: {word!r} is not a property")
            if not isinstance(having, AbstractSet) or not all(
                isinstance(name, str) for name in having
            ):
                raise InputError(f"{place}[{word!r}]: {having!r} is not a set of names")


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The pieces of one edition of Quarto.

    A piece is a number of four bits. Bit i is 0 if the piece has the first property of feature i,
    and 1 if it has the second property. `names[piece]` is the name of a piece, a single character.
    """

    features: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]
    names: str

    def __post_init__(self) -> None:
        features = self._texts(self.features, "features")
        pairs = tuple(
            self._texts(pair, f"properties[{index}]")
            for index, pair in enumerate(as_iterator(self.properties, "properties"))
        )
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "properties", pairs)
        check_text(self.names, f"a string of {PIECES} characters", "names")
        words = [word for pair in pairs for word in pair]
        if len(self.features) != FEATURES or len(self.properties) != FEATURES:
            count = with_noun(len(self.properties), "pair")
            raise InputError(
                f"expected {FEATURES} features with a pair of properties each, not "
                f"{with_noun(len(self.features), 'feature')} with {count}"
            )
        if set(map(len, pairs)) != {2} or len(set(words)) != 2 * FEATURES:
            raise InputError(f"there must be 8 different properties, not {join_words(words)}")
        if len(self.names) != PIECES or len(set(self.names)) != PIECES:
            raise InputError(
                f"the names {quote_short(self.names)} are not {PIECES} different characters"
            )

    @staticmethod
    def _texts(values: object, place: str) -> tuple[str, ...]:
        if isinstance(values, str):
            raise InputError(f"{place}: expected a collection of strings, not {values!r}")
        return tuple(
            check_text(value, "a text", f"{place}[{index}]")
            for index, value in enumerate(as_iterator(values, place))
        )

    @classmethod
    def of(cls, pieces: Mapping[str, Mapping[str, AbstractSet[str]]]) -> PieceSet:
        """Return the pieces that a dictionary in the format of `read_pieces` describes."""
        check_pieces(pieces)
        for feature, words in pieces.items():
            if len(words) != 2:
                count = "property" if len(words) == 1 else "properties"
                raise InputError(f"feature {quote_short(feature)} has {len(words)} {count}, not 2")
        pairs = []
        for words in pieces.values():
            first, second = words
            pairs.append((first, second))
        names: dict[int, str] = {}
        for name, having in piece_properties(pieces).items():
            # For each feature, find out which of the two properties the piece has.
            choices = [[word in having for word in pair] for pair in pairs]
            if any(sum(choice) != 1 for choice in choices):
                raise InputError(
                    f"piece {quote_short(name)} must have exactly one property of each feature"
                )
            piece = sum(choice[1] << bit for bit, choice in enumerate(choices))
            other = names.setdefault(piece, name)
            if other != name:
                raise InputError(
                    f"pieces {quote_short(other)} and {quote_short(name)} have the same properties"
                )
        if len(names) != PIECES:
            raise InputError(f"expected {PIECES} pieces, not {len(names)}")
        if any(len(name) != 1 for name in names.values()):
            raise InputError("the name of a piece must be one character")
        return cls(tuple(pieces), tuple(pairs), "".join(names[piece] for piece in range(PIECES)))

    def piece(self, name: str) -> int:
        """Return the number of the piece with the given name. Raise InputError if there is none."""
        check_text(name, f"a piece; the pieces are {self.names}", "piece")
        if len(name) != 1 or name not in self.names:
            raise InputError(f"{quote_short(name)} is not a piece; the pieces are {self.names}")
        return self.names.index(name)

    def words_of(self, piece: int) -> tuple[str, ...]:
        """Return the four properties of a piece in the order of the features."""
        allowed = f"a piece 0..{PIECES - 1}"
        return self.words(MARKS[check_int(piece, 0, PIECES - 1, allowed, "piece")])

    def words(self, mark: int) -> tuple[str, ...]:
        """Return the properties in a mark (a bit mask), in the order of the features."""
        return tuple(
            word
            for bit, (first, second) in enumerate(self.properties)
            for word, place in ((first, bit + 4), (second, bit))
            if mark >> place & 1
        )
