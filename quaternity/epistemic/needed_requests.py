"""Which requests made it so: a minimal list of what makes a formula true.

Requests state a deal problem, fewer of them a weaker one. Leaving out requests while the formula
stays true in the weaker model ends with a list none of which can be left out. Whatever else was
said cannot undo what is known; it can end ignorance, so for that no list is a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from quaternity.base.errors import InputError, LimitError
from quaternity.base.plain_values import takes, whole
from quaternity.base.wording import shown
from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Deadline
from quaternity.epistemic.explanation import FormulaExplanation, explain_formula
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.holding import SECONDS, Method, checked_formula, holds
from solvers.problem import DealProblem
from solvers.verdict import Deal

StatedBy: TypeAlias = Callable[[Collection[int]], DealProblem]
"""What some requests, by their numbers from 0, state."""


class Reasons(NamedTuple):
    """What makes a formula true.

    Attributes:
        requests: their numbers, ascending; with these alone it is true, and if the list is minimal
            without any one of them it is not.
        minimal: whether there was time to show that.
        explanation: why it is true, from these requests alone.
    """

    requests: tuple[int, ...]
    minimal: bool
    explanation: FormulaExplanation | None


def is_knowledge(formula: Formula) -> bool:
    """Return whether some requests can be the reason for a formula, whatever the others are.

    It says that something is known, and of nothing that somebody does not know it.
    """
    match formula:
        case logic.Knows() | logic.Distributed() | logic.Common() | logic.Everywhere():
            return _stays(formula)
        case logic.And(parts):
            return all(map(is_knowledge, parts))
        case logic.Or(parts):
            return any(map(is_knowledge, parts)) and all(map(_stays, parts))
        case _:
            return False


def _stays(formula: Formula) -> bool:
    """Return whether a formula that is true in some deals of a model is so in those of any part."""
    match formula:
        case (
            logic.Knows() | logic.Distributed() | logic.Common() | logic.Everywhere()
            | logic.And() | logic.Or()
        ):  # fmt: skip
            return all(map(_stays, formula.parts()))
        case logic.Unknown():
            return False
        case logic.Announced(said, part):
            return _is_fact(said) and _stays(part)
        case logic.Not() | logic.Implies() | logic.Iff():
            return all(map(_is_fact, formula.parts()))
        case _:
            return True


def _is_fact(formula: Formula) -> bool:
    """Return whether a formula speaks of cards alone."""
    simple = (logic.Constant, logic.Holds, logic.Not, logic.And, logic.Or, logic.Implies, logic.Iff)
    return isinstance(formula, simple) and all(map(_is_fact, formula.parts()))


@takes(formula=Formula, deal=Deal)
def reasons(
    formula: Formula,
    deal: Deal,
    requests: int,
    stated_by: StatedBy,
    method: Method | str = Method.AUTO,
    seconds: float = SECONDS,
    real: bool = True,
    set_size: int | None = None,
) -> Reasons:
    """Return a minimal list of the requests that make a formula true at a deal.

    Args:
        requests: how many there are; with all of them the formula is true.
        stated_by: the deal is one of every problem that it gives.
        real: whether the deal is the real one, or only one that is possible.

    If the time ends early the list is longer than need be, and not called minimal.

    Cost: evaluates the formula about 2 log2(requests) times for each one in the list.
    """
    requests = whole(requests, "requests", 0)
    if not callable(stated_by):
        raise InputError(f"stated_by: {shown(stated_by)} is not a function")
    deadline = Deadline(seconds)
    undecided: list[LimitError] = []

    def true(chosen: Collection[int]) -> bool:
        try:
            return holds(formula, stated_by(chosen), deal, method, deadline.left(), set_size)
        except LimitError as error:
            deadline.left()
            undecided.append(error)
            return False

    chosen, minimal = tuple(range(requests)), False
    try:
        for order in (range(requests), range(requests)[::-1]):
            shortened = _fewer(order, true)
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


def _fewer(order: Sequence[int], true: Callable[[Collection[int]], bool]) -> list[int]:
    """Leave out what can be left out, larger pieces first, until nothing more can be.

    What comes first in the order is tried first (Zeller and Hildebrandt's ddmin, 2002).
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


COUNTED = "it speaks of numbers of cards or sets, which everybody counts as the game goes"
"""Why no moves are named for a formula of which `is_counted` is true."""


def is_counted(
    text: str, now: Formula, start: DealProblem, set_size: int, points: tuple[int, ...],
    knowers: int | None = None,
) -> bool:  # fmt: skip
    """Return whether a text counts hands or points, so that it means something else later.

    Of such a formula it cannot be told which moves it rests on. `start` and `points` are what was
    public at the start; `now` is the text as it is read now.
    """
    return checked_formula(text, start, set_size, points, knowers) != now
