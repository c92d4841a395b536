"""What is wrong with a question or an answer, all of it at once and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaternity.errors import QuaternityError
from quaternity.question import Answer, Question
from quaternity.transition import asking, claimed
from solvers.problem import players_in
from solvers.registry import default_solver
from solvers.shortage import Certificate
from solvers.verdict import Infeasible

if TYPE_CHECKING:
    from quaternity.state import State
    from solvers.problem import DealProblem


class IllegalMove(QuaternityError):
    """A question or an answer that the rules forbid.

    Attributes:
        question: the question.
        faults: everything that is wrong, each a sentence.
    """

    def __init__(self, what: str, question: Question, faults: list[str]) -> None:
        super().__init__(f"{what}: {'; '.join(faults)}")
        self.question = question
        self.faults = faults


class IllegalQuestion(IllegalMove):
    """The question may not be asked."""

    def __init__(self, question: Question, faults: list[str]) -> None:
        super().__init__(f"'{question}' is not a legal question", question, faults)


class IllegalAnswer(IllegalMove):
    """The question may be asked, but this answer to it is impossible."""

    def __init__(self, question: Question, answer: Answer, fault: str) -> None:
        super().__init__(f"'{question}: {answer}' is not a legal answer", question, [fault])
        self.answer = answer


def why_impossible(problem: DealProblem) -> tuple[Certificate, str] | None:
    """The shortage that makes a problem infeasible, and its sentence; None when it is feasible."""
    verdict = default_solver(problem)(problem)
    if isinstance(verdict, Infeasible) and verdict.shortage is not None:
        return verdict.shortage, verdict.shortage.in_words(problem)
    return None


def question_faults(state: State, question: Question) -> list[str]:
    """Everything that makes a question illegal; empty when it is legal."""
    asker, asked, (set_index, number) = question
    problem, faults = state.problem, []
    last = problem.players - 1
    if state.turn is None:
        faults.append("the state does not say whose turn it is")
    elif asker != state.turn:
        faults.append(f"player {state.turn} is on turn, not player {asker}")
    if not 0 <= asker <= last:
        faults.append(f"player {asker} is out of range 0..{last}")
    if not 0 <= asked <= last:
        faults.append(f"player {asked} is out of range 0..{last}")
    elif asker == asked:
        faults.append("a player cannot ask itself")
    elif not problem.hands[asked]:
        faults.append(f"player {asked} has no cards")
    if not 0 <= set_index < len(problem.sets):
        faults.append(f"set {set_index} is out of range 0..{len(problem.sets) - 1}")
    elif not 0 <= number < state.set_size:
        faults.append(f"card {number} of a set is out of range 0..{state.set_size - 1}")
    elif state.completed[set_index] is not None:
        faults.append(f"set {set_index} is completed, by player {state.completed[set_index]}")
    elif 0 <= asker <= last:
        faults += _statement_faults(state, asker, set_index, number)
    return faults


def _statement_faults(state: State, asker: int, set_index: int, number: int) -> list[str]:
    """Why no deal fits what the asker states by asking, or fits the state at all."""
    problem = state.problem
    already = why_impossible(problem)
    if already is not None:
        return [f"the state itself is impossible: {already[1]}"]
    constraint = problem.sets[set_index]
    stated = problem.with_set(set_index, asking(constraint, asker, number))
    reason = why_impossible(stated)
    if reason is None:
        return []
    if players_in(constraint.owners[number]) == (asker,):
        return [f"player {asker} owns {set_index}/{number}"]
    return [
        f"asking says that player {asker} does not own {set_index}/{number} "
        f"but another card of set {set_index}, and then {reason[1]}"
    ]


def answer_fault(state: State, question: Question, answer: Answer | bool) -> str:
    """Why an answer to a legal question is impossible."""
    asker, asked, (set_index, number) = question
    constraint = claimed(state.problem.sets[set_index], asker, asked, number, answer)
    problem = state.problem.with_set(set_index, constraint)
    reason = why_impossible(problem)
    owners = players_in(state.problem.sets[set_index].owners[number])
    if answer and asked not in owners:
        return f"player {asked} is known not to have {set_index}/{number}"
    must = "must" if not answer else "cannot"
    why = reason[1] if reason else "no deal fits"
    return f"player {asked} {must} have {set_index}/{number}: otherwise {why}"


__all__ = [
    "IllegalAnswer",
    "IllegalMove",
    "IllegalQuestion",
    "answer_fault",
    "question_faults",
    "why_impossible",
]
