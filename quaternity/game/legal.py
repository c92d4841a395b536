"""Legal questions as a view: `if view`, `question in view`, `for question in view`, `len(view)`.

Two ways find them, and the tests hold them equal: prepared coalition tables (the default while
there are at most `solvers.coalition_tables.MAX_PLAYERS` players), and any solver, asked once per
candidate answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.question_groups import ANSWERS, Answers, Group, Listed
from quaternity.game.set_moves import Ask, possible
from quaternity.game.transition import answered
from solvers.judgement import decided
from solvers.problem import DealProblem
from solvers.registry import Solver, default_solver

if TYPE_CHECKING:
    from quaternity.game.state import State


def found_by_tables(state: State) -> list[Listed]:
    """All legal questions, by the prepared tables.

    Cost: per set a subtraction, and for every different table that an answer may lead to one
    addition and one mask, on integers of 2^P lanes. Sets that look alike share it.
    """
    slack, asker = state.slack(), state.turn
    if slack is None or asker is None:
        return []
    rows = state.rows()
    guard = rows[0].kind.layout.guard
    bare = 0
    for player, hand in enumerate(state.problem.hands):
        if not hand:
            bare |= 1 << player
    found: list[Listed] = []
    seen: dict[int, int] = {}
    tried: dict[int, tuple[Ask, ...]] = {}
    for set_index, row in enumerate(rows):
        kind = row.kind
        key = id(kind)
        if kind.heavy:
            if key not in tried:
                tried[key] = kind.tried(asker, slack - kind.table)
            groups = row.among(tried[key], 3, bare)
            if groups:
                found.append(Listed(asker, set_index, groups))
            continue
        fitting = seen.get(key)
        if fitting is None:
            _, outcomes = kind.asks(asker)
            fitting = seen[key] = possible(outcomes, slack - kind.table, guard)
        if fitting:
            groups = row.groups(asker, fitting, bare)
            if groups:
                found.append(Listed(asker, set_index, groups))
    return found


def found_by_solver(state: State, solver: Solver) -> list[Listed]:
    """All legal questions, by one call of a solver per candidate answer.

    Sets that look alike share their answers; so do a set's cards with equal owners.
    """
    problem, asker = state.problem, state.turn
    if asker is None:
        return []
    known: dict[object, int] = {}
    found: list[Listed] = []
    for set_index, constraint in enumerate(problem.sets):
        groups = []
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
                    question = asker, asked, set_index, cards[0]
                    no, yes = (
                        decided(problem_after(problem, *question, answer), solver)
                        for answer in Answer
                    )
                    known[looks] = bool(no) + 2 * bool(yes)
                if known[looks]:
                    groups.append((asked, tuple(cards), known[looks]))
        if groups:
            found.append(Listed(asker, set_index, tuple(groups)))
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


class LegalQuestions:
    """A view of the legal questions of a state. Found when first needed, then kept.

    True when there is one; iterates over `Question`; `len` counts; `in` tests one;
    `items()` iterates over (question, answers).
    """

    __slots__ = ("_known", "_solver", "state")

    def __init__(self, state: State, solver: Solver | None = None) -> None:
        self.state = state
        self._solver = solver
        self._known: list[Listed] | None = None

    def _found(self) -> list[Listed]:
        if self._known is None:
            if self._solver is None and self.state.has_tables:
                self._known = self.state.listed()
            else:
                solver = self._solver or default_solver(self.state.problem)
                self._known = found_by_solver(self.state, solver)
        return self._known

    def groups(self) -> list[Group]:
        """The legal questions with interchangeable cards together, ascending by set."""
        return [
            Group(asked, listed.set_index, cards, ANSWERS[legal])
            for listed in self._found()
            for asked, cards, legal in listed.groups
        ]

    def __bool__(self) -> bool:
        return bool(self._found())

    def __len__(self) -> int:
        return sum(map(len, self._found()))

    count = __len__

    def moves(self) -> int:
        """The number of legal (question, answer) pairs."""
        return sum(
            [
                len(cards) * len(ANSWERS[legal])
                for listed in self._found()
                for _, cards, legal in listed.groups
            ]
        )

    def items(self) -> Iterator[tuple[Question, Answers]]:
        """Every legal question with its legal answers."""
        by_set = [listed.pairs() for listed in self._found()]
        return chain.from_iterable(chain.from_iterable(by_set))

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
                        question = Question.trusted(asker, asked, Card.trusted(set_index, number))
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
            for listed in self._found():
                if listed.set_index == question.card.set_index:
                    for asked, cards, legal in listed.groups:
                        if asked == question.asked and question.card.number in cards:
                            return ANSWERS[legal]
        return ()

    def __contains__(self, question: object) -> bool:
        return isinstance(question, Question) and bool(self.answers(question))

    def __repr__(self) -> str:
        return f"<LegalQuestions: {len(self)} of player {self.state.turn}>"


__all__ = [
    "LegalQuestions",
    "found_by_solver",
    "found_by_tables",
    "problem_after",
]
