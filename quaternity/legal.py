"""Legal questions as a view: `if view`, `question in view`, `for question in view`, `len(view)`.

Two ways find them, and the tests hold them equal: prepared coalition tables (the default while
there are at most `solvers.coalition_tables.MAX_PLAYERS` players), and any solver, asked once per
candidate answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from quaternity.cards import Card
from quaternity.question import Answer, Question
from quaternity.transition import answered
from solvers.problem import DealProblem
from solvers.registry import Solver

if TYPE_CHECKING:
    from quaternity.state import State

Answers = tuple[Answer, ...]

ANSWERS: tuple[Answers, ...] = ((), (Answer.NO,), (Answer.YES,), (Answer.NO, Answer.YES))
"""Legal answers by number: 1 for no, plus 2 for yes."""


class Group(NamedTuple):
    """Questions about interchangeable cards: same asked player, set, owners, and so answers."""

    asked: int
    set_index: int
    cards: tuple[int, ...]
    answers: Answers


def groups_by_tables(state: State) -> list[Group]:
    """All legal questions in groups, by the prepared tables.

    Cost: per set that looks different from the others one subtraction, per candidate answer one
    addition and one mask, on integers of 2^P lanes.
    """
    slack, asker = state.slack(), state.turn
    if slack is None or asker is None:
        return []
    layout = state.layout()
    guard, hands = layout.guard, state.problem.hands
    found: list[Group] = []
    seen: dict[int, list[tuple[int, int, Answers]]] = {}
    for set_index, row in enumerate(state.rows()):
        if not row.cards:
            continue
        kind = row.kind
        legal = seen.get(id(kind))
        if legal is None:
            legal = seen[id(kind)] = []
            rest = slack - kind.table
            for asked, mask, no, yes in kind.entries(asker):
                if hands[asked]:
                    number = 1 if no >= 0 and (rest + no) & guard == guard else 0
                    if yes >= 0 and (rest + yes) & guard == guard:
                        number += 2
                    if number:
                        legal.append((asked, mask, ANSWERS[number]))
        cards = row.cards
        for asked, mask, answers in legal:
            found.append(Group(asked, set_index, cards[mask], answers))
    return found


def groups_by_solver(state: State, solver: Solver) -> list[Group]:
    """All legal questions in groups, by one call of a solver per candidate answer."""
    problem, asker = state.problem, state.turn
    if asker is None:
        return []
    found = []
    for set_index, constraint in enumerate(problem.sets):
        alike: dict[int, list[int]] = {}
        for card, mask in enumerate(constraint.owners):
            alike.setdefault(mask, []).append(card)
        for cards in alike.values():
            for asked in range(problem.players):
                if asked == asker or not problem.hands[asked]:
                    continue
                answers = tuple(
                    answer
                    for answer in Answer
                    if solver(problem_after(problem, asker, asked, set_index, cards[0], answer))
                )
                if answers:
                    found.append(Group(asked, set_index, tuple(cards), answers))
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


@lru_cache(maxsize=1 << 14)
def _questions(asker: int, asked: int, set_index: int, cards: tuple[int, ...]) -> list[Question]:
    return [Question(asker, asked, Card(set_index, card)) for card in cards]


class LegalQuestions:
    """A view of the legal questions of a state. Found when first needed, then kept.

    True when there is one; iterates over `Question`; `len` counts; `in` tests one;
    `items()` iterates over (question, answers).
    """

    __slots__ = ("_groups", "_solver", "state")

    def __init__(self, state: State, solver: Solver | None = None) -> None:
        self.state = state
        self._solver = solver
        self._groups: list[Group] | None = None

    def groups(self) -> list[Group]:
        """The legal questions with interchangeable cards together, ascending by set."""
        if self._groups is None:
            if self._solver is not None:
                self._groups = groups_by_solver(self.state, self._solver)
            elif self.state.has_tables:
                self._groups = groups_by_tables(self.state)
            else:
                from solvers.registry import default_solver

                self._groups = groups_by_solver(self.state, default_solver(self.state.problem))
        return self._groups

    def __bool__(self) -> bool:
        return bool(self.groups())

    def __len__(self) -> int:
        return sum(len(group.cards) for group in self.groups())

    count = __len__

    def moves(self) -> int:
        """The number of legal (question, answer) pairs."""
        return sum(len(group.cards) * len(group.answers) for group in self.groups())

    def items(self) -> Iterator[tuple[Question, Answers]]:
        """Every legal question with its legal answers."""
        asker = self.state.turn
        if asker is not None:
            for asked, set_index, cards, answers in self.groups():
                for question in _questions(asker, asked, set_index, cards):
                    yield question, answers

    def __iter__(self) -> Iterator[Question]:
        return (question for question, _ in self.items())

    def answers(self, question: Question) -> Answers:
        """The legal answers to a question; none when it is not legal."""
        if question.asker == self.state.turn:
            for asked, set_index, cards, answers in self.groups():
                if (
                    asked == question.asked
                    and set_index == question.card.set_index
                    and question.card.number in cards
                ):
                    return answers
        return ()

    def __contains__(self, question: object) -> bool:
        return isinstance(question, Question) and bool(self.answers(question))

    def __repr__(self) -> str:
        return f"<LegalQuestions: {len(self)} of player {self.state.turn}>"


__all__ = ["ANSWERS", "Answers", "Group", "LegalQuestions", "groups_by_solver", "groups_by_tables"]
