"""The sixteen pieces: by name and property at the door, four bits inside."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from quaternity.errors import InputError
from quaternity.quarto.marks import FEATURES, MARKS, PIECES
from quaternity.quarto.quotation import quoted
from solvers.wording import counted, listed


def piece_properties(pieces: Mapping[str, Mapping[str, AbstractSet[str]]]) -> dict[str, set[str]]:
    """The properties of every piece.

    Args:
        pieces: features, properties and names, as `read_pieces` returns them.

    Returns a dictionary that maps the name of each piece onto the set of all its properties.

    >>> from quaternity.quarto import example_pieces, read_pieces
    >>> sorted(piece_properties(read_pieces(example_pieces()))['K'])
    ['big', 'blue', 'solid', 'square']
    """
    names = sorted(
        {name for words in pieces.values() for having in words.values() for name in having}
    )
    return {
        name: {
            word for words in pieces.values() for word, having in words.items() if name in having
        }
        for name in names
    }


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The pieces of one edition of the game.

    A piece is a number of four bits. Bit i tells which of the two properties of feature i the
    piece has: 0 the first, 1 the second.

    Attributes:
        features: the four features.
        properties: for each feature its first and its second property.
        names: the names of the sixteen pieces, a character each; `names[piece]`.

    Raises:
        InputError: not four features, a property that is there twice, or not sixteen names.
    """

    features: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]
    names: str

    def __post_init__(self) -> None:
        words = [word for pair in self.properties for word in pair]
        if len(self.features) != FEATURES or len(self.properties) != FEATURES:
            pairs = counted(len(self.properties), "pair")
            raise InputError(
                f"{counted(len(self.features), 'feature')} with {pairs} of properties, "
                f"not {FEATURES}"
            )
        if len(set(words)) != 2 * FEATURES:
            raise InputError(f"the properties are not 8 different ones: {listed(words)}")
        if len(self.names) != PIECES or len(set(self.names)) != PIECES:
            raise InputError(
                f"the names {quoted(self.names)} are not {PIECES} different characters"
            )

    @classmethod
    def of(cls, pieces: Mapping[str, Mapping[str, AbstractSet[str]]]) -> PieceSet:
        """The pieces of a dictionary as `read_pieces` returns it.

        Raises:
            InputError: a feature has other than two properties, or the pieces are not the sixteen
                combinations of them.
        """
        for feature, words in pieces.items():
            if len(words) != 2:
                count = "property" if len(words) == 1 else "properties"
                raise InputError(f"feature {quoted(feature)} has {len(words)} {count}, not 2")
        pairs = []
        for words in pieces.values():
            first, second = words
            pairs.append((first, second))
        names: dict[int, str] = {}
        for name, having in piece_properties(pieces).items():
            # One property of each feature, or the piece is none.
            chosen = [[word in having for word in pair] for pair in pairs]
            if any(sum(choice) != 1 for choice in chosen):
                raise InputError(f"piece {quoted(name)} has not one property of each feature")
            piece = sum(choice[1] << bit for bit, choice in enumerate(chosen))
            twin = names.setdefault(piece, name)
            if twin != name:
                raise InputError(
                    f"pieces {quoted(twin)} and {quoted(name)} have the same properties"
                )
        if len(names) != PIECES:
            raise InputError(f"{counted(len(names), 'piece')}, not {PIECES}")
        if any(len(name) != 1 for name in names.values()):
            raise InputError("the name of a piece is not one character")
        return cls(tuple(pieces), tuple(pairs), "".join(names[piece] for piece in range(PIECES)))

    def piece(self, name: str) -> int:
        """The piece of a name.

        Raises:
            InputError: there is none.
        """
        if len(name) != 1 or name not in self.names:
            raise InputError(f"{quoted(name)} is not a piece; the pieces are {self.names}")
        return self.names.index(name)

    def words_of(self, piece: int) -> tuple[str, ...]:
        """The four properties of a piece, feature by feature."""
        return self.words(MARKS[piece])

    def words(self, mark: int) -> tuple[str, ...]:
        """The properties in a mark (see `marks`), feature by feature."""
        return tuple(
            word
            for bit, (first, second) in enumerate(self.properties)
            for word, place in ((first, bit + 4), (second, bit))
            if mark >> place & 1
        )


__all__ = ["PieceSet", "piece_properties"]
