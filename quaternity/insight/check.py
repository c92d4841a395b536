"""Validity check of a state, a game record or a deal problem, using several solvers.

A state is valid if at least one deal fits it. A record is valid if every move was legal and every
position was possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from quaternity.base.errors import SolverFault
from quaternity.base.sentences import PLAIN, Wording
from quaternity.game.faults import IllegalAnswer, IllegalQuestion, hopeless_fault, why_impossible
from quaternity.game.game import Game
from quaternity.game.question import Answer
from quaternity.game.record import ImpossibleRecord, ParsedRecord
from quaternity.game.state import State, with_problem
from quaternity.game.state_file import problem_of
from quaternity.game.transition import after_claim
from quaternity.insight.explanation import explain
from solvers.cross_check import judge
from solvers.problem import DealProblem
from solvers.solver import Solver
from solvers.verdict import Feasible

OwnersOfCards = list[list[int]]
"""Owner of each card as `owners[set][card]`, including the cards of completed sets."""


class WrongVerdict(SolverFault):
    """Error for solvers that disagree about a state, or for a verdict that cannot be verified."""

    def __init__(self, text: str, state: State | DealProblem) -> None:
        super().__init__(text)
        self.state = state


@dataclass(frozen=True, slots=True)
class Report:
    """Result of checking a document: a state, a record or a deal problem.

    Attributes:
        kind: "state", "record" or "problem".
        reason: why the document is not valid, or None if it is valid or the reason is not known.
        deal: a deal that fits the document (for a record, its last position), or None if the
            document is not valid or no deal was found.
        verdicts: for each solver that decided all positions, whether all of them are feasible. Even
            then, a record may be invalid, for example if a player moved out of turn.
        skipped: for each solver that refused a position or gave up, the reason.
        positions: number of positions checked.
        players: number of players, or 0 if the document does not lead to a state.
    """

    kind: str
    valid: bool
    reason: str | None
    deal: OwnersOfCards | None
    verdicts: dict[str, bool]
    skipped: dict[str, str] = field(default_factory=dict)
    positions: int = 1
    players: int = 0
    words: Wording = PLAIN


def check_state(state: State | DealProblem, solvers: Sequence[Solver]) -> Report:
    """Check a state, or a deal problem that does not come from a game, with the given solvers.

    If every solver refuses or gives up, the report says that the state or problem is not valid.

    Raises:
        WrongVerdict: If the solvers disagree, or a verdict cannot be verified.
    """
    problem = problem_of(state)
    judgement = judge(problem, solvers)
    if judgement.faults:
        raise WrongVerdict(judgement.in_words(), state)
    deal: OwnersOfCards | None = None
    reason = None
    if isinstance(judgement.evidence, Feasible):
        deal = list(map(list, judgement.evidence.deal.owner))
        if isinstance(state, State):
            for index, owner in enumerate(state.completed):
                if owner is not None:
                    deal[index] = [owner] * state.set_size
    elif judgement.evidence is not None and judgement.evidence.shortage is not None:
        reason = problem.words.say(judgement.evidence.shortage.in_words(problem))
    return Report(
        "state" if isinstance(state, State) else "problem",
        deal is not None,
        reason,
        deal,
        {name: bool(verdict) for name, verdict in judgement.verdicts.items()},
        {**judgement.refused, **judgement.gave_up},
        players=problem.players,
        words=problem.words,
    )


def check_record(
    record: ParsedRecord, solvers: Sequence[Solver], on_position: Callable[[], None] = lambda: None
) -> Report:
    """Check every position of a record with all solvers that accept it, and return a report.

    If the record ends with an illegal question or answer that no deal fits, the solvers also check
    that no deal fits it. `on_position` is called after each position.

    Raises:
        WrongVerdict: If the solvers disagree, or a verdict cannot be verified.
    """
    impossible: ImpossibleRecord | None = None
    try:
        game = record.replay()
    except ImpossibleRecord as error:
        impossible, game = error, error.game
    verdicts: dict[str, bool] = {}
    skipped: dict[str, str] = {}
    last = None
    for state in game.states:
        last = check_state(state, solvers)
        if last.verdicts and not last.valid:
            text = f"a position reached by legal moves was judged impossible: {last.reason}"
            raise WrongVerdict(text, state)
        verdicts.update(last.verdicts)
        skipped.update(last.skipped)
        on_position()
    assert last is not None, "a game must have a first state"
    verdicts = {name: value for name, value in verdicts.items() if name not in skipped}
    positions = len(game.states)
    if impossible is None:
        return Report(
            "record", True, None, last.deal, verdicts, skipped, positions, game.state.players
        )
    forbidden = forbidden_problem(game, impossible)
    if forbidden is not None:
        state = with_problem(game.state, forbidden)
        verdict = check_state(state, solvers)
        if verdict.verdicts and verdict.valid:
            text = f"the solvers consider an illegal move possible: {impossible}"
            raise WrongVerdict(text, state)
        verdicts = verdict.verdicts
        skipped.update(verdict.skipped)
    reason = _explain_fault(record, game, impossible)
    return Report("record", False, reason, None, verdicts, skipped, positions, game.state.players)


def _explain_fault(record: ParsedRecord, game: Game, fault: ImpossibleRecord) -> str:
    question, cause = fault.move.question, fault.cause
    hopeless = isinstance(cause, IllegalQuestion) and game.state.is_hopeless(question)
    if not hopeless and forbidden_problem(game, fault) is None:
        return str(fault)
    answer = fault.move.answer if isinstance(cause, IllegalAnswer) else None
    explanation = explain(game, question, Answer.YES if hopeless else answer)
    if explanation is None:
        return str(fault)
    if hopeless:
        cause = IllegalQuestion(question, [hopeless_fault(explanation.reason)])
    elif answer is None:
        # A question implies a statement about the asker's hand. If this statement is impossible,
        # the last fault in the list says so. Replace this fault with the explanation.
        cause = IllegalQuestion(question, [*cause.faults[:-1], explanation.reason])
    else:
        cause = IllegalAnswer(question, answer, explanation.reason)
    moves = "; ".join(f"line {record.lines[i]}: {game.moves[i]}" for i in explanation.moves)
    rests = f"the fault follows from these moves alone: {moves}"
    if not explanation.moves:
        rests = "no earlier move matters: it was impossible from the start"
    return f"{ImpossibleRecord(fault.line, game, fault.move, cause)}; {rests}"


def forbidden_problem(game: Game, fault: ImpossibleRecord) -> DealProblem | None:
    """Return the constraints that an illegal move implies, if no deal satisfies them.

    Return None if the move is illegal for another reason.
    """
    asker, asked, (set_index, number) = fault.move.question
    problem = game.state.problem
    well_formed = (
        asker != asked
        and max(asker, asked) < problem.players
        and set_index < len(problem.sets)
        and number < problem.sets[set_index].size
    )
    if not well_formed:
        return None
    if isinstance(fault.cause, IllegalAnswer) or asker == game.state.turn:
        constraint = after_claim(problem.sets[set_index], asker, asked, number, fault.move.answer)
        changed = problem.with_set(set_index, constraint)
        return changed if why_impossible(changed) else None
    return None
