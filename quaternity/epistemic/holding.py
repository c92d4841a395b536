"""One door to the truth of a formula, whichever way finds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TypeVar

from quaternity.base.errors import InputError, LimitError
from quaternity.base.plain_values import MAX_SECONDS
from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Deadline, Evaluator, checked_deal
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.grammar import parse
from quaternity.epistemic.language import Language
from quaternity.game.settings import NamedChoice
from solvers.problem import DealProblem
from solvers.verdict import Deal

T = TypeVar("T")

SECONDS = 60.0
"""Default time limit of one question."""

FEW_WORLDS = 20_000
"""Maximum number of deals for which listing them is quicker than the solver for nested
knowledge."""


class Method(NamedChoice):
    """How the truth of a formula is found.

    `AUTO`: by the solvers where knowledge is not nested or the deals are many, else explicitly;
    and explicitly where the solvers do not decide in half of the time and the deals can be listed.
    """

    AUTO = "auto"
    EXPLICIT = "explicit"
    SOLVERS = "solvers"


def holds(
    formula: Formula | str,
    problem: DealProblem,
    deal: Deal | Sequence[Sequence[int]],
    method: Method | str = Method.AUTO,
    seconds: float = SECONDS,
    set_size: int | None = None,
) -> bool:
    """Return whether a formula is true at a deal of a public problem.

    Args:
        formula: a formula, or its text.
        problem: the public information; a set out of play is a constraint without cards.
        deal: the real deal, `[set][card]` a player.
        seconds: time limit; a list of deals looks at it between the parts of the formula.
        set_size: cards of a set that is out of play; by default as many as the largest set has.

    Raises:
        InputError: the formula cannot be read or names what does not exist, the deal does not fit
            the problem, or the method is unknown.
        LimitError: too many deals to list, or (`Undecided`) not shown within the time.

    >>> from solvers import DealProblem, SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> holds("[!H0 0/1!] K2 H0 0/0", three_cards, [[0, 1, 2]])
    True
    """
    formula = checked_formula(formula, problem, set_size)
    world = checked_deal(problem, deal)
    return ask(lambda evaluator: evaluator.truth(formula, world), formula, problem, method, seconds)


def checked_formula(
    formula: Formula | str,
    problem: DealProblem,
    set_size: int | None = None,
    points: tuple[int, ...] | None = None,
    knowers: int | None = None,
) -> Formula:
    """Return a formula, read if it is text; refuse players and cards that do not exist.

    `points` has per player the sets put down, where formulas may speak of them; `knowers` is how
    many hands, the first ones, somebody looks at, if not all: only they know, and are everybody.
    """
    language = Language.of(problem, set_size, points, knowers)
    if isinstance(formula, str):
        formula = parse(formula, language)
        if len(language.everybody) == problem.players:  # then all of it is checked
            return formula
    elif not isinstance(formula, Formula):
        raise InputError(f"formula: {formula!r} is neither a formula nor its text")
    language.check(formula)
    return language.with_everybody(formula)


def ask(
    question: Callable[[Evaluator], T],
    formula: Formula,
    problem: DealProblem,
    method: Method | str = Method.AUTO,
    seconds: float = SECONDS,
) -> T:
    """Put a question about a formula to the evaluator that a method names.

    Raises:
        InputError: the method is unknown, or the time limit is not positive.
        LimitError: too many deals to list, or (`Undecided`) not shown within the time.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, float | Real) or not seconds > 0:
        raise InputError(f"seconds: {seconds!r} is not a positive number")
    method = Method.parse(method)
    seconds = float(min(seconds, MAX_SECONDS))
    deadline = Deadline(seconds)
    if method is Method.EXPLICIT:
        return question(_explicit(problem, deadline))
    if method is Method.SOLVERS or is_plain(formula):
        return question(_by_solvers(problem, deadline))
    from quaternity.epistemic.worlds import MAX_WORLDS, quick_count

    deals = quick_count(problem)
    if deals is None or deals > MAX_WORLDS:
        return question(_by_solvers(problem, deadline))
    if deals <= FEW_WORLDS:
        return question(_explicit(problem, deadline))
    try:
        # The other half is for the list.
        return question(_by_solvers(problem, Deadline(seconds / 2)))
    except LimitError:
        return question(_explicit(problem, deadline))


def _explicit(problem: DealProblem, deadline: Deadline) -> Evaluator:
    from quaternity.epistemic.explicit import ExplicitEvaluator

    return ExplicitEvaluator(problem, deadline)


def _by_solvers(problem: DealProblem, deadline: Deadline) -> Evaluator:
    from quaternity.epistemic.by_solvers import SolverEvaluator

    return SolverEvaluator(problem, deadline)


def is_plain(formula: Formula) -> bool:
    """Return whether knowledge is of hands only, not of knowledge, and nothing is announced."""
    unlike = (logic.Announced, logic.Common)
    return formula.modal_depth < 2 and not any(
        isinstance(node, unlike) for node in formula.subformulas()
    )
