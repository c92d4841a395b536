"""A position of a game taken apart: what the engine says of it against what the solvers say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Question
from quaternity.game.state import State, with_problem
from quaternity.game.state_file import state_text
from quaternity.game.transition import problem_after
from quaternity.trials.campaign.tally import Finding, Tally
from solvers.judgement import judge
from solvers.problem import DealProblem, SetConstraint, with_entry
from solvers.solver import Solver

Fault = tuple[str, State]
"""What is wrong, in words, and a state that shows it."""


def game_finding(game: Game, solvers: Sequence[Solver], tally: Tally) -> Finding | None:
    """Return what is wrong with the last position of a game, or None."""
    fault = position_fault(game.state, solvers, tally)
    if fault is None:
        return None
    text, shown = fault
    return Finding("game", text, state_text(shown), tuple(map(str, game.moves)))


def position_fault(state: State, solvers: Sequence[Solver], tally: Tally) -> Fault | None:
    """Return what is wrong with a position of a game; None when all is well.

    It must be possible; the player on turn must have a question unless the game is over; the legal
    questions and answers must be what the solvers say of each candidate; and no set in play may
    belong to one player in every deal.

    Cost: runs of two solvers, in turn, per candidate for a question and an answer, cards that are
    alike taken together.
    """
    tally.counts["positions"] += 1
    fault, feasible = _judged(state, state.problem, solvers, tally)
    if fault is not None:
        return fault
    if feasible is False:
        return "a position reached by legal moves is judged infeasible", state
    if not state.is_over and not state.legal_questions:
        return f"player {state.turn} is on turn and has no question to ask", state
    return _question_fault(state, solvers, tally) or _completion_fault(state, solvers, tally)


def _judged(
    state: State, problem: DealProblem, solvers: Sequence[Solver], tally: Tally
) -> tuple[Fault | None, bool | None]:
    """Return the solvers' faults on a problem that comes from a state, and whether it is feasible.

    None: no solver took it, so there is nothing to compare.
    """
    judgement = judge(problem, solvers)
    tally.judged(judgement)
    if judgement.faults:
        return (judgement.in_words(), with_problem(state, problem)), False
    return None, judgement.feasible


def _question_fault(state: State, solvers: Sequence[Solver], tally: Tally) -> Fault | None:
    """Hold the engine's legal questions and answers against every solver's verdicts."""
    found = dict(state.legal_questions.items())
    for number, (question, answer, problem) in enumerate(_candidates(state)):
        tally.counts["candidates"] += 1
        # Evidence settles the truth, whoever gives it: two solvers each will do.
        pair = {solvers[(number + one) % len(solvers)].name for one in range(2)}
        asked = [solver for solver in solvers if solver.name in pair]
        fault, feasible = _judged(state, problem, asked, tally)
        if fault is not None:
            return f"after '{question}: {answer}' {fault[0]}", fault[1]
        answers = found.get(question, ())
        if state.brisk and state.is_hopeless(question):
            answers = (Answer.NO,)  # possible, though the question is not legal
        if feasible is not None and (answer in answers) != feasible:
            legal, other = ("legal", "illegal") if feasible else ("illegal", "legal")
            text = f"'{question}: {answer}' is {legal} by the evidence, but {other} to the engine"
            return text, state
    return None


def _candidates(state: State) -> Iterator[tuple[Question, Answer, DealProblem]]:
    """Every question and answer whose legality is for the solvers to say, one of cards alike."""
    asker, problem = state.turn, state.problem
    if asker is None:
        return
    for index, one in enumerate(problem.sets):
        alike = {mask: card for card, mask in enumerate(one.owners)}
        for card in alike.values():
            for asked, hand in enumerate(problem.hands):
                if asked != asker and hand:
                    for answer in Answer:
                        changed = problem_after(problem, asker, asked, index, card, answer)
                        yield Question(asker, asked, Card(index, card)), answer, changed


def _completion_fault(state: State, solvers: Sequence[Solver], tally: Tally) -> Fault | None:
    """Return a set in play that one player owns in every deal: it should have been put down."""
    for index, one in enumerate(state.problem.sets):
        for player in range(state.players if one.size else 0):
            if not all(mask >> player & 1 for mask in one.owners):
                continue
            high = with_entry(one.high, player, one.size - 1)
            fewer = state.problem.with_set(index, SetConstraint(one.owners, one.low, high))
            fault, feasible = _judged(state, fewer, solvers, tally)
            if fault is not None:
                return fault
            if feasible is False:
                return f"player {player} owns all of set {index}, and it is not completed", state
    return None
