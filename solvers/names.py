"""Names of the players, sets and cards of a problem, for sentences, tables and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quaternity.base.errors import InputError
from quaternity.base.names import to_nfc
from quaternity.base.sentences import Wording
from quaternity.base.text_format import quote_value

MAX_NAME_LENGTH = 100
"""Maximum length of the name of a player, a set or a card, in characters."""

MAX_LISTED_CARDS = 4
"""Maximum number of cards that are listed one by one in a text."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the players, sets and cards of a problem, in Unicode's normal form NFC.

    Attributes:
        players: the name of each player, or an empty tuple if players have only numbers.
        sets: the name of each set, or an empty tuple if sets have only numbers.
        cards: for each set, the names of its cards, or an empty tuple if cards have only numbers.
            No two cards of a problem may have the same name.

    Raises:
        InputError: If a name is not a string, is empty, too long or not printable, or is used
            twice.
    """

    players: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    cards: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        for kind in ("players", "sets", "cards"):
            if not isinstance(getattr(self, kind), tuple):
                raise InputError(
                    f"{kind}: {quote_value(getattr(self, kind))} must be a tuple of names"
                )
        for row in self.cards:
            if not isinstance(row, tuple):
                raise InputError(f"cards: {quote_value(row)} must be a tuple of names")
        players, sets, *cards = (
            tuple(check_name(kind, name) for name in names)
            for kind, names in [("player", self.players), ("set", self.sets)]
            + [("card", row) for row in self.cards]
        )
        for field, value in (("players", players), ("sets", sets), ("cards", tuple(cards))):
            object.__setattr__(self, field, value)
        every_card = [name for row in cards for name in row]
        for kind, names in (("player", players), ("set", sets), ("card", every_card)):
            twice = next((name for name, times in Counter(names).items() if times > 1), None)
            if twice is not None:
                raise InputError(f"{kind}: the name {quote_value(twice)} is used twice")

    def fits(self, players: int, sizes: Sequence[int]) -> bool:
        """Return whether the names fit this number of players and these sizes of sets."""
        return (
            len(self.players) in (0, players)
            and len(self.sets) in (0, len(sizes))
            and (not self.cards or [len(row) for row in self.cards] == list(sizes))
        )

    @property
    def words(self) -> Wording:
        """Return a formatter that writes these names in messages."""
        return NamedWords(self)


def check_name(kind: str, name: object) -> str:
    """Check a name and return it in Unicode normal form NFC.

    Raise `InputError` if it is not a short printable text.
    """
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(f"{kind}: the name {quote_value(name)} must be a printable string")
    if len(name) > MAX_NAME_LENGTH:
        raise InputError(
            f"{kind}: the name {quote_value(name)} is longer than {MAX_NAME_LENGTH} characters"
        )
    return to_nfc(name)


def list_cards(cards: Sequence[tuple[int, int]], words: Wording) -> str:
    """Return the cards as text. If there are many, return their number, the first and the last."""
    if len(cards) <= MAX_LISTED_CARDS:
        return words.cards_listed(cards)
    return f"{len(cards)} cards ({words.card(cards[0])} ... {words.card(cards[-1])})"


class NamedWords(Wording):
    """Formatter of messages that writes players, sets and cards by their names in a problem."""

    def __init__(self, names: Names) -> None:
        super().__init__(names.players)
        self._sets, self._cards = names.sets, names.cards

    def set(self, index: int) -> str:
        """Return the name of a set."""
        return self._sets[index] if self._sets else super().set(index)

    def sets(self, indices: Sequence[int]) -> str:
        """Return the names of some sets, joined as in a sentence."""
        return self._join(map(self.set, indices)) if self._sets else super().sets(indices)

    def card(self, card: tuple[int, int]) -> str:
        """Return the name of a card."""
        index, number = card
        return self._cards[index][number] if self._cards else super().card(card)

    def hand(self, cards: Iterable[tuple[int, int]]) -> str:
        """Return the names of some cards as one text."""
        return (", " if self._cards else " ").join(map(self.card, cards))
