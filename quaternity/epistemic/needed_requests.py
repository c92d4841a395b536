"""Search for a minimal list of requests that make a formula about knowledge true.

The requests of a game define a deal problem. The search leaves out requests while the formula stays
true in the problem that the remaining requests define. It ends when every remaining request is
necessary. The formula must not say that a player does *not* know something, because a request is
never the reason why a player does not know something.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from quaternity.base.errors import InputError, LimitError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_int, validate_arguments
from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Deadline
from quaternity.epistemic.explanation import FormulaExplanation, explain_formula
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.truth import DEFAULT_SECONDS, EvaluationMethod, evaluate, validate_formula
from solvers.problem import DealProblem
from solvers.verdict import Deal

StatedBy: TypeAlias = Callable[[Collection[int]], DealProblem]
"""Function that takes the numbers of some requests, counted from 0, and returns the deal problem
that these requests define."""


class Reasons(NamedTuple):
    """Requests of a game that make a formula true.

    Attributes:
        requests: Numbers of the requests, in ascending order. Together, they suffice to make the
            formula true.
        minimal: Whether all of these requests are known to be necessary: without any one of them,
            the others do not suffice. It is False if time ran out.
        explanation: Explanation of why the formula is true given these requests alone, or None if
            it was not found within the limits.
    """

    requests: tuple[int, ...]
    minimal: bool
    explanation: FormulaExplanation | None


def is_knowledge(formula: Formula) -> bool:
    """Return whether a formula says that something is known, and never that something is unknown.

    Such a formula can be true because of requests alone.
    """
    match formula:
        case logic.Knows() | logic.Distributed() | logic.Common() | logic.Publicly():
            return _is_persistent(formula)
        case logic.And(parts):
            return all(map(is_knowledge, parts))
        case logic.Or(parts):
            return any(map(is_knowledge, parts)) and all(map(_is_persistent, parts))
        case _:
            return False


def _is_persistent(formula: Formula) -> bool:
    match formula:
        case (
            logic.Knows() | logic.Distributed() | logic.Common() | logic.Publicly()
            | logic.And() | logic.Or()
        ):  # fmt: skip
            return all(map(_is_persistent, formula.parts()))
        case logic.Unknown():
            return False
        case logic.Announcement(announcement, part):
            return _is_fact(announcement) and _is_persistent(part)
        case logic.Not() | logic.Implies() | logic.Iff():
            return all(map(_is_fact, formula.parts()))
        case _:
            return True


def _is_fact(formula: Formula) -> bool:
    simple = (logic.Constant, logic.Holds, logic.Not, logic.And, logic.Or, logic.Implies, logic.Iff)
    return isinstance(formula, simple) and all(map(_is_fact, formula.parts()))


@validate_arguments(formula=Formula, deal=Deal)
def reasons(
    formula: Formula,
    deal: Deal,
    requests: int,
    stated_by: StatedBy,
    method: EvaluationMethod | str = EvaluationMethod.AUTO,
    seconds: float = DEFAULT_SECONDS,
    real: bool = True,
    set_size: int | None = None,
) -> Reasons:
    """Return a minimal list of the requests that make a formula true in a deal.

    If time runs out, the list may be longer than necessary. It is then not marked as minimal. The
    search takes about 2 log2(requests) evaluations of the formula for each request in the list.

    Args:
        requests: The number of requests. The formula must be true given all of them.
        stated_by: Function that takes the numbers of some requests and returns the deal problem
            that they define. `deal` must satisfy each of these problems.
        real: Whether the explanation calls the deal the real one or a possible one.
    """
    requests = as_int(requests, "requests", 0)
    if not callable(stated_by):
        raise InputError(f"stated_by: must be a function, not {quote_value(stated_by)}")
    deadline = Deadline(seconds)
    undecided: list[LimitError] = []

    def true(chosen: Collection[int]) -> bool:
        try:
            return evaluate(
                formula, stated_by(chosen), deal, method, deadline.remaining(), set_size
            )
        except LimitError as error:
            deadline.remaining()
            undecided.append(error)
            return False

    chosen, minimal = tuple(range(requests)), False
    try:
        for order in (range(requests), range(requests)[::-1]):
            shortened = _minimize(order, true)
            if len(shortened) < len(chosen):
                chosen = tuple(sorted(shortened))
            minimal = True
    except LimitError:
        pass
    explanation = None
    with suppress(LimitError):
        time = max(1.0, seconds / 4)
        explanation = explain_formula(
            formula, stated_by(chosen), deal, method, time, set_size, real
        )
    return Reasons(chosen, minimal and not undecided, explanation)


def _minimize(order: Sequence[int], true: Callable[[Collection[int]], bool]) -> list[int]:
    """Return a minimal part of `order` for which the function `true` still returns True.

    This is the algorithm ddmin of Zeller and Hildebrandt (2002).
    """
    kept, piece = list(order), max(1, len(order))
    while kept:
        at, fewer = 0, False
        while at < len(kept):
            remaining = kept[:at] + kept[at + piece :]
            if true(set(remaining)):
                kept, fewer = remaining, True
            else:
                at += piece
        if piece == 1 and not fewer:
            break
        piece = max(1, piece // 2)
    return kept


COUNTED_NOTE = (
    "the formula contains numbers of cards or sets, which change during the game, so no moves are "
    "named as reasons"
)
"""Note for a formula with numbers of cards or sets: no moves are named as reasons for its truth."""


def mentions_counts(
    text: str, now: Formula, start: DealProblem, set_size: int, points: tuple[int, ...],
    knowers: int | None = None,
) -> bool:  # fmt: skip
    """Return whether a formula uses numbers of cards or points that have changed since the deal.

    It is not possible to say which moves make such a formula true. `text` is the formula, and `now`
    is the result of parsing it in the present position. `start` and `points` are the public
    information at the start of the game.
    """
    return validate_formula(text, start, set_size, points, knowers) != now
