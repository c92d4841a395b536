"""Truth of a formula as far as one seat knows it, from the public record and its own hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quaternity.base.errors import InputError, LimitError
from quaternity.base.plain_values import entries
from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Evaluator, Said
from quaternity.epistemic.explanation import FormulaExplanation, explained
from quaternity.epistemic.formula import Formula, negation
from quaternity.epistemic.holding import SECONDS, Method, ask, checked_formula
from solvers.problem import DealProblem
from solvers.registry import solve
from solvers.verdict import Deal, Feasible

NEVER_TRUE = "the announcements are not true in any possible deal"
"""Error message for announcements that cannot be supposed."""


class SeenTruth(NamedTuple):
    """What a seat knows about the truth of a formula.

    Attributes:
        truth: The truth value in all deals that the seat considers possible; None if they differ.
        deals: If `truth` is None, a deal that makes the formula true and one that makes it false;
            otherwise one possible deal.
        why: If requested, the explanation, or the error that prevented it.
    """

    truth: bool | None
    deals: tuple[Deal, ...] = ()
    why: FormulaExplanation | LimitError | None = None


def as_seen(
    formula: Formula | str,
    problem: DealProblem,
    seat: int | None,
    hand: Sequence[int] = (),
    method: Method | str = Method.AUTO,
    seconds: float = SECONDS,
    set_size: int | None = None,
    points: tuple[int, ...] | None = None,
    why: bool = False,
    announcements: Sequence[Formula | str] = (),
) -> SeenTruth:
    """Return what a seat knows about the truth of a formula.

    A seat can always decide whether it knows something itself, and whether something is common
    knowledge.

    Args:
        seat: The seat that is asked; None for a bystander.
        hand: The seat's cards, as a bit mask for each set; empty for a bystander.
        points: The number of completed sets of each player, if formulas may mention it.
        announcements: Earlier announcements in order, each supposed to be true when it is made.

    Raises:
        InputError: For the same reasons as `holds`, or if no deal is possible.
        LimitError: For the same reasons as `holds`.

    >>> from solvers import SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> formulas = "H0 0/0", "K1 H0 0/0", "H1 0/1"
    >>> [as_seen(formula, three_cards, 0, [0b001]).truth for formula in formulas]
    [True, False, None]
    >>> as_seen("K0 H1 0/1", three_cards, 0, [0b001], announcements=["K2 H2 0/2"]).truth
    True
    """
    texts = entries(announcements, "announcements")
    formula, *before = (checked_formula(x, problem, set_size, points) for x in (formula, *texts))
    earlier = tuple(before)
    seen = problem if seat is None else problem.seen_by(seat, hand)
    first_deal = deal_seen(seen)

    def question(evaluator: Evaluator) -> SeenTruth:
        some_deal = first_deal
        if earlier:
            all_true = _other(evaluator, announced(earlier, logic.FALSE), seat, some_deal)
            if all_true is None:
                raise InputError(NEVER_TRUE)
            some_deal = all_true
        truth, other = told(evaluator, formula, seat, some_deal, earlier)
        if other is not None:
            deals = (some_deal, other) if truth else (other, some_deal)
            return SeenTruth(None, deals)
        if not why:
            return SeenTruth(truth, (some_deal,))
        known = announced(earlier, formula if truth else negation(formula))
        try:
            reason = explained(evaluator, known_to(seat, known), some_deal, real=False)
            return SeenTruth(truth, (some_deal,), reason)
        except LimitError as error:
            return SeenTruth(truth, (some_deal,), error)

    asked = known_to(seat, announced(earlier, formula))
    return ask(question, asked, problem, method, seconds)


def deal_seen(seen: DealProblem) -> Deal:
    """Return a deal that fits the information of a seat. Raise InputError if there is none."""
    verdict = solve(seen)
    if not isinstance(verdict, Feasible):
        raise InputError("no deal fits the known information")
    return verdict.deal


def known_to(seat: int | None, formula: Formula) -> Formula:
    """Return the formula that a seat knows a formula; for a bystander, that it follows publicly."""
    return logic.Everywhere(formula) if seat is None else logic.Knows(seat, formula)


def told(
    evaluator: Evaluator, formula: Formula, seat: int | None, deal: Deal, earlier: Said = ()
) -> tuple[bool, Deal | None]:
    """Return the truth value at a possible deal, and another deal where it differs, or None."""
    truth = evaluator.truth(formula, deal, earlier)
    return truth, _other(evaluator, formula if truth else negation(formula), seat, deal, earlier)


def _other(
    evaluator: Evaluator, formula: Formula, seat: int | None, deal: Deal, earlier: Said = ()
) -> Deal | None:
    if seat is None:
        return evaluator.public_counterexample(formula, earlier)
    return evaluator.counterexample((seat,), formula, deal, earlier)


def announced(formulas: Iterable[Formula], then: Formula) -> Formula:
    """Return the formula that `then` is true after some announcements, made one after another."""
    for formula in reversed(tuple(formulas)):
        then = logic.Announced(formula, then)
    return then
