"""Errors for illegal questions and answers, with messages that explain all reasons."""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.base.errors import IllegalMove
from quaternity.game import sentences
from quaternity.game.question import Answer, Question
from quaternity.game.transition import after_claim, after_statement
from solvers.problem import DealProblem, players_in
from solvers.registry import default_solver
from solvers.shortage import Certificate
from solvers.verdict import Infeasible


class IllegalQuestion(IllegalMove):
    """Error for a question that may not be asked in the current state."""

    def __init__(self, question: Question, faults: list[str]) -> None:
        super().__init__(f"'{question}' is not a legal question", faults)
        self.question = question


class IllegalAnswer(IllegalMove):
    """Error for an impossible answer to a legal question."""

    def __init__(self, question: Question, answer: Answer, fault: str) -> None:
        super().__init__(f"'{question}: {answer}' is not a legal answer", [fault])
        self.question, self.answer = question, answer


def why_impossible(problem: DealProblem) -> tuple[Certificate, str] | None:
    """Return a proof that a deal problem has no deal, and the same proof in words.

    Return None if the problem has a deal, or if the solver gives no proof.
    """
    verdict = default_solver(problem)(problem)
    if isinstance(verdict, Infeasible) and verdict.shortage is not None:
        return verdict.shortage, verdict.shortage.in_words(problem)
    return None


def question_faults(
    problem: DealProblem,
    turn: int | None,
    completed: Sequence[int | None],
    set_size: int,
    question: Question,
) -> list[str]:
    """Return all reasons why a question is illegal, or an empty list if it is legal."""
    asker, asked, (set_index, number) = question
    faults: list[str] = []
    last = problem.players - 1
    if turn is None:
        faults.append(sentences.NO_TURN())
    elif asker != turn:
        faults.append(sentences.WRONG_TURN(turn=turn, who=asker))
    if not 0 <= asker <= last:
        faults.append(sentences.NO_PLAYER(number=asker, last=last))
    if not 0 <= asked <= last:
        faults.append(sentences.NO_PLAYER(number=asked, last=last))
    elif asker == asked:
        faults.append(sentences.ASKS_ITSELF())
    elif not problem.hands[asked]:
        faults.append(sentences.NO_CARDS(who=asked))
    if not 0 <= set_index < len(problem.sets):
        faults.append(sentences.NO_SET(number=set_index, last=len(problem.sets) - 1))
    elif not 0 <= number < set_size:
        faults.append(sentences.NO_CARD(number=number, last=set_size - 1))
    elif completed[set_index] is not None:
        faults.append(sentences.IS_COMPLETED(set=set_index, who=completed[set_index]))
    elif 0 <= asker <= last:
        faults += _statement_faults(problem, question)
    return faults


def _statement_faults(problem: DealProblem, question: Question) -> list[str]:
    asker, _, (set_index, number) = question
    contradiction = why_impossible(problem)
    if contradiction is not None:
        return [sentences.NO_STATE(proof=contradiction[1])]
    restricted = problem.with_set(
        set_index, after_statement(problem.sets[set_index], asker, number)
    )
    reason = why_impossible(restricted)
    if reason is None:
        return []
    return [reason_in_words(problem, question, None, reason[1])]


def answer_fault(problem: DealProblem, question: Question, answer: Answer | bool) -> str:
    """Return the reason why an answer to a legal question is impossible."""
    asker, asked, (set_index, number) = question
    constraint = after_claim(problem.sets[set_index], asker, asked, number, answer)
    reason = why_impossible(problem.with_set(set_index, constraint))
    proof = reason[1] if reason else "no deal fits"
    return reason_in_words(problem, question, Answer(answer), proof)


def hopeless_fault(reason: str) -> str:
    """Return a message that a question is illegal because only the answer no is possible.

    Only a brisk game (a variant of the rules) forbids such questions. `reason` says why the answer
    yes is impossible.
    """
    return sentences.HOPELESS(reason=reason)


def reason_in_words(
    known: DealProblem, question: Question, answer: Answer | None, proof: str
) -> str:
    """Return a message that says why a question or an answer is impossible.

    Args:
        known: the deal problem before the question.
        answer: the impossible answer, or None if the question itself is impossible.
        proof: the reason why no deal fits the question or answer.
    """
    asker, asked, card = question
    owners = players_in(known.sets[card.set_index].owners[card.number])
    if answer is None:
        if owners == (asker,):
            return sentences.OWNS(who=asker, card=card)
        return sentences.SAYS(who=asker, card=card, set=card.set_index, proof=proof)
    if answer and asked not in owners:
        return sentences.IS_WITHOUT(who=asked, card=card)
    return (sentences.CANNOT_HAVE if answer else sentences.MUST_HAVE)(
        who=asked, card=card, proof=proof
    )
