"""Legal questions, listed by set: made once, shared by all states in which they are the same."""

from __future__ import annotations

from typing import NamedTuple

from quaternity.cards import Card
from quaternity.question import Answer, Question
from solvers.memo import Memo

PAIR_BYTES = 64 * 2**20
"""About how much memory questions with their answers may take, over all games of a process."""

Answers = tuple[Answer, ...]

ANSWERS: tuple[Answers, ...] = ((), (Answer.NO,), (Answer.YES,), (Answer.NO, Answer.YES))
"""Legal answers by number: 1 for no, plus 2 for yes."""

Pairs = list[tuple[Question, Answers]]


class Group(NamedTuple):
    """Questions about interchangeable cards: same asked player, set, owners, and so answers."""

    asked: int
    set_index: int
    cards: tuple[int, ...]
    answers: Answers


class Listed:
    """The legal questions of one asker about one set.

    Attributes:
        asker, set_index: who asks, and about which set.
        groups: (asked, interchangeable cards, number of the answers in `ANSWERS`, not 0). Numbers
            only, so that Python's garbage collector need not look at them.
    """

    __slots__ = ("_pairs", "asker", "groups", "set_index")

    def __init__(
        self, asker: int, set_index: int, groups: list[tuple[int, tuple[int, ...], int]]
    ) -> None:
        self.asker = asker
        self.set_index = set_index
        self.groups = groups
        self._pairs: list[Pairs] | None = None

    def __len__(self) -> int:
        return sum([len(cards) for _, cards, _ in self.groups])

    def pairs(self) -> list[Pairs]:
        """Per group the questions with their legal answers; found when first asked for."""
        if self._pairs is None:
            asker, set_index, kept = self.asker, self.set_index, _PAIRS.entries.get
            self._pairs = [
                kept((asker, asked, set_index, cards, legal))
                or _made(asker, asked, set_index, cards, legal)
                for asked, cards, legal in self.groups
            ]
        return self._pairs

    @property
    def bytes(self) -> int:
        """About how much memory this takes, its pairs included, questions and cards not."""
        return 300 + 90 * len(self.groups)


_PAIRS: Memo[tuple[int, int, int, tuple[int, ...], int], Pairs] = Memo(PAIR_BYTES)


def _made(asker: int, asked: int, set_index: int, cards: tuple[int, ...], legal: int) -> Pairs:
    """The questions for some cards of a set, with their answers. At least one card."""
    pairs = [(Question(asker, asked, Card(set_index, card)), ANSWERS[legal]) for card in cards]
    # A question, its card and its pair take three tuples and a number.
    return _PAIRS.keep((asker, asked, set_index, cards, legal), pairs, 450 + 280 * len(cards))


__all__ = ["ANSWERS", "PAIR_BYTES", "Answers", "Group", "Listed", "Pairs"]
