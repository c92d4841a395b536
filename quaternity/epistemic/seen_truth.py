"""What one seat can tell of a formula: from the public record and its own hand, nothing else."""

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

NEVER_TRUE = "what is to be said is not true in any deal that fits"
"""Why something cannot be supposed."""


class SeenTruth(NamedTuple):
    """What a seat can tell.

    Attributes:
        truth: of the formula, in all deals that the seat holds possible; None where some make it
            true and others false.
        deals: where it is None, a deal that makes it true, and one that makes it false; else one
            that is possible.
        why: where it was asked for, the reason, or what kept it from being found.
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
    said: Sequence[Formula | str] = (),
) -> SeenTruth:
    """Return what a seat can tell of a formula.

    What the seat knows or does not know, and what is common knowledge, it can always tell.

    Args:
        seat: who is asked; None for a bystander.
        hand: the seat's cards, a bit mask per set; nothing for a bystander.
        points: per player the sets put down, where formulas may speak of them.
        said: announcements before, one after another, each supposed to be true when it is made.

    Raises:
        InputError, LimitError: as for `holds`; or no deal fits.

    >>> from solvers import SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> [as_seen(text, three_cards, 0, [0b001]).truth for text in ("H0 0/0", "K1 H0 0/0", "H1 0/1")]
    [True, False, None]
    >>> as_seen("K0 H1 0/1", three_cards, 0, [0b001], said=["K2 H2 0/2"]).truth
    True
    """
    said = entries(said, "said")
    formula, *before = (checked_formula(x, problem, set_size, points) for x in (formula, *said))
    said_first = tuple(before)
    seen = problem if seat is None else problem.seen_by(seat, hand)
    first_deal = deal_seen(seen)

    def question(evaluator: Evaluator) -> SeenTruth:
        some_deal = first_deal
        if said_first:
            all_true = _other(evaluator, announced(said_first, logic.FALSE), seat, some_deal)
            if all_true is None:
                raise InputError(NEVER_TRUE)
            some_deal = all_true
        truth, other = told(evaluator, formula, seat, some_deal, said_first)
        if other is not None:
            deals = (some_deal, other) if truth else (other, some_deal)
            return SeenTruth(None, deals)
        if not why:
            return SeenTruth(truth, (some_deal,))
        known = announced(said_first, formula if truth else negation(formula))
        try:
            reason = explained(evaluator, known_to(seat, known), some_deal, real=False)
            return SeenTruth(truth, (some_deal,), reason)
        except LimitError as error:
            return SeenTruth(truth, (some_deal,), error)

    asked = known_to(seat, announced(said_first, formula))
    return ask(question, asked, problem, method, seconds)


def deal_seen(seen: DealProblem) -> Deal:
    """Return a deal that fits what was seen; refuse it when there is none."""
    verdict = solve(seen)
    if not isinstance(verdict, Feasible):
        raise InputError("no deal fits what was seen")
    return verdict.deal


def known_to(seat: int | None, formula: Formula) -> Formula:
    """Say that a seat knows a formula; for a bystander, that every public deal makes it true."""
    return logic.Everywhere(formula) if seat is None else logic.Knows(seat, formula)


def told(
    evaluator: Evaluator, formula: Formula, seat: int | None, deal: Deal, earlier: Said = ()
) -> tuple[bool, Deal | None]:
    """Return the truth at a possible deal, and another where it differs, if there is one."""
    truth = evaluator.truth(formula, deal, earlier)
    return truth, _other(evaluator, formula if truth else negation(formula), seat, deal, earlier)


def _other(
    evaluator: Evaluator, formula: Formula, seat: int | None, deal: Deal, earlier: Said = ()
) -> Deal | None:
    if seat is None:
        return evaluator.public_counterexample(formula, earlier)
    return evaluator.counterexample((seat,), formula, deal, earlier)


def announced(formulas: Iterable[Formula], then: Formula) -> Formula:
    """Return what holds once some formulas were said in public, one after another."""
    for formula in reversed(tuple(formulas)):
        then = logic.Announced(formula, then)
    return then
