"""What a player or a bystander can infer about the truth of a formula, with an explanation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quaternity.base.errors import InputError, LimitError
from quaternity.base.validation import as_tuple
from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Announcements, Evaluator
from quaternity.epistemic.explanation import FormulaExplanation, explain_with
from quaternity.epistemic.formula import Formula, negation
from quaternity.epistemic.truth import (
    DEFAULT_SECONDS,
    EvaluationMethod,
    validate_formula,
    with_evaluator,
)
from solvers.problem import DealProblem
from solvers.registry import solve
from solvers.verdict import Deal, Feasible

NEVER_TRUE = "the announcements are not true in any possible deal"
"""Error message for announcements that are not true in any possible deal."""


class SeatTruth(NamedTuple):
    """What a seat (a player or a bystander) knows about the truth of a formula.

    Attributes:
        truth: The truth value of the formula in all deals that the seat considers possible. It is
            None if the formula is true in some of them and false in others.
        deals: If `truth` is None, a deal in which the formula is true and a deal in which it is
            false. Otherwise, the tuple contains one possible deal.
        why: The explanation, or the error that prevented it. It is None if the caller did not ask
            for an explanation.
    """

    truth: bool | None
    deals: tuple[Deal, ...] = ()
    why: FormulaExplanation | LimitError | None = None


def truth_for_seat(
    formula: Formula | str,
    problem: DealProblem,
    seat: int | None,
    hand: Sequence[int] = (),
    method: EvaluationMethod | str = EvaluationMethod.AUTO,
    seconds: float = DEFAULT_SECONDS,
    set_size: int | None = None,
    points: tuple[int, ...] | None = None,
    why: bool = False,
    announcements: Sequence[Formula | str] = (),
) -> SeatTruth:
    """Return what a seat knows about the truth of a formula.

    A seat always knows whether it knows something, and whether something is common knowledge.

    Args:
        seat: The number of the seat, or None for a bystander.
        hand: For each set, a bit mask of the seat's cards. A bystander has an empty hand.
        points: Number of completed sets of each player, if formulas may mention it.
        why: Whether to add an explanation.
        announcements: Earlier announcements in order. Each is assumed to be true when it is made.

    Raises:
        InputError: For the same reasons as `evaluate`, or if no deal is possible.
        LimitError: For the same reasons as `evaluate`.

    >>> from solvers import SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> formulas = "H0 0/0", "K1 H0 0/0", "H1 0/1"
    >>> [truth_for_seat(formula, three_cards, 0, [0b001]).truth for formula in formulas]
    [True, False, None]
    >>> truth_for_seat("K0 H1 0/1", three_cards, 0, [0b001], announcements=["K2 H2 0/2"]).truth
    True
    """
    texts = as_tuple(announcements, "announcements")
    formula, *before = (validate_formula(x, problem, set_size, points) for x in (formula, *texts))
    earlier = tuple(before)
    seen = problem if seat is None else problem.with_hand(seat, hand)
    first_deal = find_possible_deal(seen)

    def question(evaluator: Evaluator) -> SeatTruth:
        some_deal = first_deal
        if earlier:
            all_true = _counterexample(
                evaluator, after_announcements(earlier, logic.FALSE), seat, some_deal
            )
            if all_true is None:
                raise InputError(NEVER_TRUE)
            some_deal = all_true
        truth, other = seat_truth_of(evaluator, formula, seat, some_deal, earlier)
        if other is not None:
            deals = (some_deal, other) if truth else (other, some_deal)
            return SeatTruth(None, deals)
        if not why:
            return SeatTruth(truth, (some_deal,))
        known = after_announcements(earlier, formula if truth else negation(formula))
        try:
            reason = explain_with(evaluator, knowledge_formula(seat, known), some_deal, real=False)
            return SeatTruth(truth, (some_deal,), reason)
        except LimitError as error:
            return SeatTruth(truth, (some_deal,), error)

    asked = knowledge_formula(seat, after_announcements(earlier, formula))
    return with_evaluator(question, asked, problem, method, seconds)


def find_possible_deal(seen: DealProblem) -> Deal:
    """Return a deal of the given problem. Raise InputError if there is none."""
    verdict = solve(seen)
    if not isinstance(verdict, Feasible):
        raise InputError("no deal fits the known information")
    return verdict.deal


def knowledge_formula(seat: int | None, formula: Formula) -> Formula:
    """Return the formula that says that a seat knows `formula`.

    A bystander (None) knows what is true in every deal that fits the public information.
    """
    return logic.Publicly(formula) if seat is None else logic.Knows(seat, formula)


def seat_truth_of(
    evaluator: Evaluator,
    formula: Formula,
    seat: int | None,
    deal: Deal,
    earlier: Announcements = (),
) -> tuple[bool, Deal | None]:
    """Return whether a formula is true in `deal`, and a possible deal with the other truth value.

    `earlier` contains the announcements made before the formula is evaluated. The seat considers
    the second deal possible. It is None if the formula has the same truth value in all deals that
    the seat considers possible.
    """
    truth = evaluator.truth(formula, deal, earlier)
    return truth, _counterexample(
        evaluator, formula if truth else negation(formula), seat, deal, earlier
    )


def _counterexample(
    evaluator: Evaluator,
    formula: Formula,
    seat: int | None,
    deal: Deal,
    earlier: Announcements = (),
) -> Deal | None:
    if seat is None:
        return evaluator.public_counterexample(formula, earlier)
    return evaluator.counterexample((seat,), formula, deal, earlier)


def after_announcements(formulas: Iterable[Formula], then: Formula) -> Formula:
    """Return the formula that `then` is true after the given formulas are announced in order."""
    for formula in reversed(tuple(formulas)):
        then = logic.Announcement(formula, then)
    return then
