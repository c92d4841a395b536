"""Legal questions, listed by set. Questions are made once and shared by all states."""

from __future__ import annotations

from typing import NamedTuple

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from solvers.memo import Memo

PAIR_BYTES = 64 * 2**20
"""About how much memory questions with their answers may take, over all games of a process."""

Answers = tuple[Answer, ...]

ANSWERS: tuple[Answers, ...] = ((), (Answer.NO,), (Answer.YES,), (Answer.NO, Answer.YES))
"""Legal answers by number: 1 for no, plus 2 for yes."""

Pairs = list[tuple[Question, Answers]]


Alike = tuple[int, tuple[int, ...], int]
"""Questions about interchangeable cards: the asked player, the cards, and the number of the answers
in `ANSWERS`, not 0. Tuples of numbers, which Python's garbage collector need not look at."""

Groups = tuple[Alike, ...]


class Group(NamedTuple):
    """Questions about interchangeable cards: same asked player, set, owners, and so answers."""

    asked: int
    set_index: int
    cards: tuple[int, ...]
    answers: Answers


class Listed:
    """The legal questions of one asker about one set."""

    __slots__ = ("_pairs", "asker", "groups", "set_index")

    def __init__(self, asker: int, set_index: int, groups: Groups) -> None:
        self.asker = asker
        self.set_index = set_index
        self.groups = groups
        self._pairs: list[Pairs] | None = None

    def __len__(self) -> int:
        return sum([len(cards) for _, cards, _ in self.groups])

    def pairs(self) -> list[Pairs]:
        """Per group the questions with their legal answers; found when first asked for."""
        if self._pairs is None:
            kept = _PAIRS.entries.get((self.asker, self.set_index))
            if kept is None:
                kept = _Kept(self.asker, self.set_index)
                _PAIRS.keep((self.asker, self.set_index), kept, 500)
            self._pairs = list(map(kept.__getitem__, self.groups))
        return self._pairs


class _Kept(dict[Alike, Pairs]):
    """The questions of one asker about one set with their answers, made when first looked up."""

    def __init__(self, asker: int, set_index: int) -> None:
        super().__init__()
        self.asker = asker
        self.set_index = set_index

    def __missing__(self, group: Alike) -> Pairs:
        asked, cards, legal = group
        answers = ANSWERS[legal]
        of_set, asker = self.set_index, self.asker
        questions = [Question.trusted(asker, asked, Card.trusted(of_set, card)) for card in cards]
        # A question, its card and its pair take three tuples and a number.
        _PAIRS.charge(400 + 280 * len(cards))
        pairs = self[group] = [(question, answers) for question in questions]
        return pairs


_PAIRS: Memo[tuple[int, int], _Kept] = Memo(PAIR_BYTES)


__all__ = ["ANSWERS", "PAIR_BYTES", "Alike", "Answers", "Group", "Groups", "Listed", "Pairs"]
