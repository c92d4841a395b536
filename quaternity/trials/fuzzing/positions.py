"""Functions that compare the game engine with the solvers in a position of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Question
from quaternity.game.state import State, with_problem
from quaternity.game.state_file import state_text
from quaternity.game.transition import problem_after
from quaternity.trials.fuzzing.tally import Finding, Tally
from solvers.cross_check import judge
from solvers.problem import DealProblem, SetConstraint, with_entry
from solvers.solver import Solver

Fault = tuple[str, State]
"""Type of a fault that a test found: its description, and a game state that shows it."""


def game_finding(game: Game, solvers: Sequence[Solver], tally: Tally) -> Finding | None:
    """Check the last position of a game. Return the fault that is found, or None."""
    fault = position_fault(game.state, solvers, tally)
    if fault is None:
        return None
    text, shown = fault
    return Finding("game", text, state_text(shown), tuple(map(str, game.moves)))


def position_fault(state: State, solvers: Sequence[Solver], tally: Tally) -> Fault | None:
    """Check a position of a game. Return the first fault that is found, or None.

    The position must have a deal. Unless the game is over, the player to move must have a question.
    The legal questions and answers must be those that the solvers find. If a player certainly owns
    a whole set, the set must be completed.

    Two solvers check each question and answer. Of several equivalent cards, only one is tested.
    """
    tally.counts["positions"] += 1
    fault, feasible = _judge(state, state.problem, solvers, tally)
    if fault is not None:
        return fault
    if feasible is False:
        return "a position reached by legal moves is judged infeasible", state
    if not state.is_over and not state.legal_questions:
        return f"it is the turn of player {state.turn}, who has no question to ask", state
    return _question_fault(state, solvers, tally) or _completion_fault(state, solvers, tally)


def _judge(
    state: State, problem: DealProblem, solvers: Sequence[Solver], tally: Tally
) -> tuple[Fault | None, bool | None]:
    judgement = judge(problem, solvers)
    tally.count_undecided(judgement)
    if judgement.faults:
        return (judgement.in_words(), with_problem(state, problem)), False
    return None, judgement.feasible


def _question_fault(state: State, solvers: Sequence[Solver], tally: Tally) -> Fault | None:
    listed = dict(state.legal_questions.items())
    for number, (question, answer, problem) in enumerate(_candidates(state)):
        tally.counts["candidates"] += 1
        # Two solvers per candidate are sufficient, because the evidence of either solver decides.
        pair = {solvers[(number + offset) % len(solvers)].name for offset in range(2)}
        asked = [solver for solver in solvers if solver.name in pair]
        fault, feasible = _judge(state, problem, asked, tally)
        if fault is not None:
            return f"after '{question}: {answer}' {fault[0]}", fault[1]
        answers = listed.get(question, ())
        if state.brisk and state.is_hopeless(question):
            answers = (Answer.NO,)  # This answer is possible, although the question is not legal.
        if feasible is not None and (answer in answers) != feasible:
            legal, other = ("legal", "illegal") if feasible else ("illegal", "legal")
            text = (
                f"'{question}: {answer}' is {legal} according to the evidence, "
                f"but {other} according to the engine"
            )
            return text, state
    return None


def _candidates(state: State) -> Iterator[tuple[Question, Answer, DealProblem]]:
    """Yield each question and answer to test, with the resulting deal problem.

    Cards of a set with the same possible owners are equivalent, so only one of them is tested.
    """
    asker, problem = state.turn, state.problem
    if asker is None:
        return
    for index, constraint in enumerate(problem.sets):
        alike = {mask: card for card, mask in enumerate(constraint.owners)}
        for card in alike.values():
            for asked, hand in enumerate(problem.hands):
                if asked != asker and hand:
                    for answer in Answer:
                        changed = problem_after(problem, asker, asked, index, card, answer)
                        yield Question(asker, asked, Card(index, card)), answer, changed


def _completion_fault(state: State, solvers: Sequence[Solver], tally: Tally) -> Fault | None:
    for index, constraint in enumerate(state.problem.sets):
        for player in range(state.players if constraint.size else 0):
            if not all(mask >> player & 1 for mask in constraint.owners):
                continue
            high = with_entry(constraint.high, player, constraint.size - 1)
            fewer = SetConstraint(constraint.owners, constraint.low, high)
            fault, feasible = _judge(state, state.problem.with_set(index, fewer), solvers, tally)
            if fault is not None:
                return fault
            if feasible is False:
                return f"player {player} owns all of set {index}, but it is not completed", state
    return None
