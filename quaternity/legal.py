"""Legal questions as a view: `if view`, `question in view`, `for question in view`, `len(view)`.

Two ways find them, and the tests hold them equal: prepared coalition tables (the default while
there are at most `solvers.coalition_tables.MAX_PLAYERS` players), and any solver, asked once per
candidate answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from quaternity.cards import Card
from quaternity.question import Answer, Question
from quaternity.set_moves import ANSWERS, Answers
from quaternity.transition import answered
from solvers.memo import Memo
from solvers.problem import DealProblem
from solvers.registry import Solver, default_solver

if TYPE_CHECKING:
    from quaternity.state import State


class Group(NamedTuple):
    """Questions about interchangeable cards: same asked player, set, owners, and so answers."""

    asked: int
    set_index: int
    cards: tuple[int, ...]
    answers: Answers


Found = list[tuple[int, list[tuple[int, tuple[int, ...], Answers]]]]
"""Per set in play that can be asked about: its index, and (asked, cards, answers)."""


def found_by_tables(state: State) -> Found:
    """All legal questions, by the prepared tables.

    Cost: per set one subtraction and one test, and where that does not settle it, per candidate
    answer one addition and one mask, on integers of 2^P lanes. Sets that look alike share it.
    """
    slack, asker = state.slack(), state.turn
    if slack is None or asker is None:
        return []
    guard, hands = state.layout().guard, state.problem.hands
    everybody_holds = 0 not in hands
    found: Found = []
    seen: dict[int, list[tuple[int, int, Answers]] | None] = {}
    for set_index, row in enumerate(state.rows()):
        if not row.cards:
            continue
        kind = row.kind
        key = id(kind)
        if key in seen:
            legal = seen[key]
        else:
            legal = None
            asks = kind.asks(asker)
            rest = slack - kind.table
            if not everybody_holds or (rest + asks.floor) & guard != guard:
                legal = []
                for asked, mask, no, yes in asks.entries:
                    if hands[asked]:
                        number = 1 if no >= 0 and (rest + no) & guard == guard else 0
                        if yes >= 0 and (rest + yes) & guard == guard:
                            number += 2
                        if number:
                            legal.append((asked, mask, ANSWERS[number]))
            seen[key] = legal
        if legal is None:
            found.append((set_index, row.everything(asker)))
        elif legal:
            cards = row.cards
            found.append((set_index, [(asked, cards[mask], ans) for asked, mask, ans in legal]))
    return found


def found_by_solver(state: State, solver: Solver) -> Found:
    """All legal questions, by one call of a solver per candidate answer.

    Sets that look alike share their answers; so do a set's cards with equal owners.
    """
    problem, asker = state.problem, state.turn
    if asker is None:
        return []
    known: dict[object, Answers] = {}
    found: Found = []
    for set_index, constraint in enumerate(problem.sets):
        legal = []
        alike: dict[int, list[int]] = {}
        for card, mask in enumerate(constraint.owners):
            alike.setdefault(mask, []).append(card)
        looks_of_set = (tuple(sorted(constraint.owners)), constraint.low, constraint.high)
        for mask, cards in alike.items():
            for asked in range(problem.players):
                if asked == asker or not problem.hands[asked]:
                    continue
                looks = (*looks_of_set, mask, asked)
                if looks not in known:
                    known[looks] = tuple(
                        answer
                        for answer in Answer
                        if solver(problem_after(problem, asker, asked, set_index, cards[0], answer))
                    )
                if known[looks]:
                    legal.append((asked, tuple(cards), known[looks]))
        if legal:
            found.append((set_index, legal))
    return found


def problem_after(
    problem: DealProblem, asker: int, asked: int, set_index: int, card: int, answer: Answer
) -> DealProblem:
    """The deal problem after question and answer, before completed sets are looked for."""
    constraint = answered(problem.sets[set_index], asker, asked, card, answer)
    changed = problem.with_set(set_index, constraint)
    if not answer:
        return changed
    hands = list(problem.hands)
    hands[asker] += 1
    hands[asked] -= 1
    return DealProblem.trusted(tuple(hands), changed.sets)


QUESTION_BYTES = 64 * 2**20
"""About how much memory listed questions may take, over all games of a process."""

_QUESTIONS: Memo[tuple[int, int, int, tuple[int, ...]], list[Question]] = Memo(QUESTION_BYTES)


def _questions(asker: int, asked: int, set_index: int, cards: tuple[int, ...]) -> list[Question]:
    """The questions for some cards of a set, made and kept. At least one card."""
    questions = [Question(asker, asked, Card(set_index, card)) for card in cards]
    # A question and its card take two tuples and a number; the key has the numbers once more.
    return _QUESTIONS.keep((asker, asked, set_index, cards), questions, 400 + 220 * len(cards))


class LegalQuestions:
    """A view of the legal questions of a state. Found when first needed, then kept.

    True when there is one; iterates over `Question`; `len` counts; `in` tests one;
    `items()` iterates over (question, answers).
    """

    __slots__ = ("_known", "_solver", "state")

    def __init__(self, state: State, solver: Solver | None = None) -> None:
        self.state = state
        self._solver = solver
        self._known: Found | None = None

    def _found(self) -> Found:
        if self._known is None:
            if self._solver is not None:
                self._known = found_by_solver(self.state, self._solver)
            elif self.state.has_tables:
                self._known = found_by_tables(self.state)
            else:
                self._known = found_by_solver(self.state, default_solver(self.state.problem))
        return self._known

    def groups(self) -> list[Group]:
        """The legal questions with interchangeable cards together, ascending by set."""
        return [
            Group(asked, set_index, cards, answers)
            for set_index, legal in self._found()
            for asked, cards, answers in legal
        ]

    def __bool__(self) -> bool:
        return bool(self._found())

    def __len__(self) -> int:
        return sum(len(cards) for _, legal in self._found() for _, cards, _ in legal)

    count = __len__

    def moves(self) -> int:
        """The number of legal (question, answer) pairs."""
        return sum(
            len(cards) * len(answers) for _, legal in self._found() for _, cards, answers in legal
        )

    def items(self) -> Iterator[tuple[Question, Answers]]:
        """Every legal question with its legal answers."""
        asker = self.state.turn
        if asker is None:
            return iter(())
        seen = _QUESTIONS.entries.get
        return chain.from_iterable(
            [
                zip(
                    seen((asker, asked, set_index, cards))
                    or _questions(asker, asked, set_index, cards),
                    repeat(answers),
                )
                for set_index, legal in self._found()
                for asked, cards, answers in legal
            ]
        )

    def first(self) -> Iterator[Question]:
        """The legal questions one after another, found no sooner than they are needed."""
        if self._known is not None or self.state.has_tables:
            yield from self
            return
        state, asker = self.state, self.state.turn
        for set_index, constraint in enumerate(state.problem.sets):
            for number in range(constraint.size):
                for asked in range(state.players):
                    if asker is not None and asked != asker:
                        question = Question(asker, asked, Card(set_index, number))
                        if question in self:
                            yield question

    def __iter__(self) -> Iterator[Question]:
        return (question for question, _ in self.items())

    def answers(self, question: Question) -> Answers:
        """The legal answers to a question; none when it is not legal.

        Cost: while the view has not been listed, that of one question.
        """
        if self._known is None and self._solver is None:
            return self.state._answers(question)
        if question.asker == self.state.turn:
            for set_index, legal in self._found():
                if set_index == question.card.set_index:
                    for asked, cards, answers in legal:
                        if asked == question.asked and question.card.number in cards:
                            return answers
        return ()

    def __contains__(self, question: object) -> bool:
        return isinstance(question, Question) and bool(self.answers(question))

    def __repr__(self) -> str:
        return f"<LegalQuestions: {len(self)} of player {self.state.turn}>"


__all__ = [
    "Found",
    "Group",
    "LegalQuestions",
    "found_by_solver",
    "found_by_tables",
    "problem_after",
]
