"""Certainty in Quaternity, where nobody has dealt: truth in every deal that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quaternity.base.sentences import indented
from quaternity.epistemic.sentences import ALWAYS_FALSE, ALWAYS_TRUE, CAN_BE_BOTH
from quaternity.insight.explanation import MAY_REST, RESTS, known_from, move_line

if TYPE_CHECKING:
    from quaternity.epistemic import Formula
    from quaternity.game.game import Game
    from solvers.verdict import Deal

SECONDS = 20.0
"""The longest that somebody at a table waits for an answer."""


class Certainty(NamedTuple):
    """The truth of a formula, as far as everybody can tell.

    Attributes:
        truth: in every possible deal; None where some make it true and others false.
        deals: where it is None, one that makes it true, and one that makes it false.
        lines: where it was asked for, the moves that it rests on.
    """

    truth: bool | None
    text: str
    deals: tuple[Deal, ...] = ()
    lines: tuple[str, ...] = ()


def certainty(text: str, game: Game, why: bool = False, seconds: float = SECONDS) -> Certainty:
    """Return what everybody can tell of a formula at the end of a game.

    With `why` it names a minimal list of moves that it rests on, too.

    Raises:
        InputError: the formula cannot be read.
        LimitError: it is not decided within the time.

    >>> from quaternity import Game, Move, Settings
    >>> game = Game.start(Settings(3, 3, 3)).play(Move.parse("0 asks 1 for 0/1: yes"))
    >>> certainty("H0 0/1", game, why=True).lines[-1]
    '  move 1: 0 asks 1 for 0/1: yes'
    """
    from quaternity.epistemic.formula import negation
    from quaternity.epistemic.holding import checked_formula
    from quaternity.epistemic.needed_requests import COUNTED, is_counted
    from quaternity.epistemic.seen_truth import as_seen

    state = game.state
    formula = checked_formula(text, state.problem, state.set_size, tuple(state.points))
    seen = as_seen(formula, state.problem, None, seconds=seconds, set_size=state.set_size)
    if seen.truth is None:
        return Certainty(None, CAN_BE_BOTH(formula=text), seen.deals)
    message = (ALWAYS_TRUE if seen.truth else ALWAYS_FALSE)(formula=text)
    lines: tuple[str, ...] = ()
    if why:
        first = game.states[0]
        counted = is_counted(text, formula, first.problem, first.set_size, tuple(first.points))
        claim = formula if seen.truth else negation(formula)
        lines = (COUNTED,) if counted else _resting(claim, game, seconds)
    return Certainty(seen.truth, message, (), lines)


def _resting(formula: Formula, game: Game, seconds: float) -> tuple[str, ...]:
    from quaternity.epistemic.formula import Everywhere, Holds
    from quaternity.epistemic.needed_requests import reasons
    from solvers.registry import solve
    from solvers.verdict import Feasible

    sets, last = game.state.problem.sets, len(game.moves)
    named = [
        subformula.card.set_index
        for subformula in formula.subformulas()
        if isinstance(subformula, Holds)
    ]
    if formula.modal_depth or not all(sets[index].size for index in named):
        return ("moves are told as the reason only for where cards of sets in play are",)
    verdict = solve(known_from(game, range(last)))
    assert isinstance(verdict, Feasible), "the game was played"
    needed = reasons(
        Everywhere(formula), verdict.deal, last, lambda chosen: known_from(game, chosen),
        seconds=seconds, real=False,
    )  # fmt: skip
    if not needed.requests:
        return ("no move matters: it is so from the start",)
    moves = (indented(move_line(game, number)) for number in needed.requests)
    return (RESTS() if needed.minimal else MAY_REST(), *moves)
