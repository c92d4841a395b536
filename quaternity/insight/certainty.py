"""Certain knowledge in Quaternity: statements that hold in every possible deal.

The cards are never dealt, so no deal is the real one. A statement is certain if it holds in every
deal that is still possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quaternity.base.sentences import indent
from quaternity.epistemic.sentences import ALWAYS_FALSE, ALWAYS_TRUE, CAN_BE_BOTH
from quaternity.insight.explanation import MINIMAL_REASONS, REASONS, move_line, problem_of_moves

if TYPE_CHECKING:
    from quaternity.epistemic import Formula
    from quaternity.game.game import Game
    from solvers.verdict import Deal

SECONDS = 20.0
"""Default time limit for evaluating a formula, in seconds."""


class Certainty(NamedTuple):
    """Truth value of a formula, if it follows from public information.

    Attributes:
        value: the truth value, if it is the same in every possible deal, or else None.
        text: a sentence that states the truth value.
        deals: if the value is None, a deal in which the formula is true and a deal in which it is
            false. Otherwise empty.
        lines: the moves from which the truth value follows, if they were requested.
    """

    value: bool | None
    text: str
    deals: tuple[Deal, ...] = ()
    lines: tuple[str, ...] = ()


def certainty(text: str, game: Game, why: bool = False, seconds: float = SECONDS) -> Certainty:
    """Return the truth value of a formula at the end of a game, if it is the same in every deal.

    Args:
        text: a formula, such as "H0 0/1" (player 0 has card 0/1).
        why: whether the result includes the moves from which the truth value follows.

    Raises:
        InputError: If the formula cannot be parsed.
        LimitError: If the time limit is reached.

    >>> from quaternity import Game, Move, Settings
    >>> game = Game.start(Settings(3, 3, 3)).play(Move.parse("0 asks 1 for 0/1: yes"))
    >>> certainty("H0 0/1", game, why=True).lines[-1]
    '  move 1: 0 asks 1 for 0/1: yes'
    """
    from quaternity.epistemic.formula import negation
    from quaternity.epistemic.needed_requests import COUNTED_NOTE, mentions_counts
    from quaternity.epistemic.seat_truth import truth_for_seat
    from quaternity.epistemic.truth import validate_formula

    state = game.state
    formula = validate_formula(text, state.problem, state.set_size, tuple(state.points))
    seen = truth_for_seat(formula, state.problem, None, seconds=seconds, set_size=state.set_size)
    if seen.truth is None:
        return Certainty(None, CAN_BE_BOTH(formula=text), seen.deals)
    message = (ALWAYS_TRUE if seen.truth else ALWAYS_FALSE)(formula=text)
    lines: tuple[str, ...] = ()
    if why:
        first = game.states[0]
        counted = mentions_counts(text, formula, first.problem, first.set_size, tuple(first.points))
        claim = formula if seen.truth else negation(formula)
        lines = (COUNTED_NOTE,) if counted else _reason_lines(claim, game, seconds)
    return Certainty(seen.truth, message, (), lines)


def _reason_lines(formula: Formula, game: Game, seconds: float) -> tuple[str, ...]:
    from quaternity.epistemic.formula import Holds, Publicly
    from quaternity.epistemic.needed_requests import reasons
    from solvers.registry import solve
    from solvers.verdict import Feasible

    sets, last = game.state.problem.sets, len(game.moves)
    set_indices = [
        subformula.card.set_index
        for subformula in formula.subformulas()
        if isinstance(subformula, Holds)
    ]
    if formula.modal_depth or not all(sets[index].size for index in set_indices):
        return ("moves can be listed as reasons only for statements about cards of sets in play",)
    verdict = solve(problem_of_moves(game, range(last)))
    assert isinstance(verdict, Feasible), "every game must have a deal that fits its moves"
    needed = reasons(
        Publicly(formula), verdict.deal, last, lambda chosen: problem_of_moves(game, chosen),
        seconds=seconds, real=False,
    )  # fmt: skip
    if not needed.requests:
        return ("no move matters: this was certain from the start",)
    moves = (indent(move_line(game, number)) for number in needed.requests)
    return (MINIMAL_REASONS() if needed.minimal else REASONS(), *moves)
