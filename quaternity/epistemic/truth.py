"""Evaluation of formulas: by listing all deals, with constraint solvers, or with both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TypeVar

from quaternity.base.errors import InputError, LimitError
from quaternity.base.validation import MAX_SECONDS
from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Deadline, Evaluator, validate_deal
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.grammar import parse
from quaternity.epistemic.language import Language
from quaternity.game.settings import NamedChoice
from solvers.problem import DealProblem
from solvers.verdict import Deal

T = TypeVar("T")

DEFAULT_SECONDS = 60.0
"""Default time limit of an evaluation, in seconds."""

MAX_QUICK_WORLDS = 20_000
"""Maximum number of deals that `EvaluationMethod.AUTO` lists to evaluate a formula about knowledge
of knowledge. If there are more deals, it calls a solver, which is faster."""


class EvaluationMethod(NamedChoice):
    """Method to evaluate a formula: `AUTO`, `EXPLICIT` (list all deals) or `SOLVERS`.

    `AUTO` uses the solvers if there are many deals, or if the formula is simple (see `is_plain`).
    Otherwise it lists the deals. If the solvers do not decide within half of the time, it lists the
    deals if possible.
    """

    @classmethod
    def _noun(cls) -> str:
        return "method"

    AUTO = "auto"
    EXPLICIT = "explicit"
    SOLVERS = "solvers"


def evaluate(
    formula: Formula | str,
    problem: DealProblem,
    deal: Deal | Sequence[Sequence[int]],
    method: EvaluationMethod | str = EvaluationMethod.AUTO,
    seconds: float = DEFAULT_SECONDS,
    set_size: int | None = None,
) -> bool:
    """Return whether a formula about the players' hands and knowledge is true in a deal.

    Args:
        formula: A formula, or its text.
        problem: The public information. The constraint of a set that is out of play has no cards.
        deal: The real deal. `deal[set][card]` is the player who holds the card.
        seconds: Time limit in seconds. It is checked between steps, so it may be exceeded a little.
        set_size: Number of cards of a set that is out of play. The default is the size of the
            largest set.

    Raises:
        InputError: If the formula cannot be parsed or names something that does not exist, if the
            deal does not satisfy the problem, or if the method is unknown.
        LimitError: If there are too many deals to list, or (as `Undecided`) if time runs out.

    >>> from solvers import DealProblem, SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> evaluate("[!H0 0/1!] K2 H0 0/0", three_cards, [[0, 1, 2]])
    True
    """
    formula = validate_formula(formula, problem, set_size)
    world = validate_deal(problem, deal)
    return with_evaluator(
        lambda evaluator: evaluator.truth(formula, world), formula, problem, method, seconds
    )


def validate_formula(
    formula: Formula | str,
    problem: DealProblem,
    set_size: int | None = None,
    points: tuple[int, ...] | None = None,
    knowers: int | None = None,
) -> Formula:
    """Parse a formula if it is text, check its players and cards, and return it.

    `points` is the number of completed sets of each player, or None if formulas may not mention it.
    Only the first `knowers` players can know something, and "all players" in a formula means these
    players. By default, these are all players.
    """
    language = Language.of(problem, set_size, points, knowers)
    if isinstance(formula, str):
        formula = parse(formula, language)
        # In this case, the parser has checked everything.
        if len(language.all_knowers) == problem.players:
            return formula
    elif not isinstance(formula, Formula):
        raise InputError(f"formula: must be a formula or its text, not {formula!r}")
    language.check(formula)
    return language.with_knowers(formula)


def with_evaluator(
    question: Callable[[Evaluator], T],
    formula: Formula,
    problem: DealProblem,
    method: EvaluationMethod | str = EvaluationMethod.AUTO,
    seconds: float = DEFAULT_SECONDS,
) -> T:
    """Call the function `question` with an evaluator of formulas, and return its result.

    The evaluator is for the deals of `problem`. If the method is `AUTO`, `formula` and `problem`
    decide which kind of evaluator is used.

    Raises:
        InputError: If the method is unknown, or the time limit is not positive.
        LimitError: If there are too many deals to list, or (as `Undecided`) if time runs out.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, float | Real) or not seconds > 0:
        raise InputError(f"seconds: must be a number > 0, not {seconds!r}")
    method = EvaluationMethod.parse(method)
    seconds = float(min(seconds, MAX_SECONDS))
    deadline = Deadline(seconds)
    if method is EvaluationMethod.EXPLICIT:
        return question(_explicit_evaluator(problem, deadline))
    if method is EvaluationMethod.SOLVERS or is_plain(formula):
        return question(_solver_evaluator(problem, deadline))
    from quaternity.epistemic.worlds import MAX_WORLDS, quick_count

    deals = quick_count(problem)
    if deals is None or deals > MAX_WORLDS:
        return question(_solver_evaluator(problem, deadline))
    if deals <= MAX_QUICK_WORLDS:
        return question(_explicit_evaluator(problem, deadline))
    try:
        # The other half of the time is reserved for listing the deals.
        return question(_solver_evaluator(problem, Deadline(seconds / 2)))
    except LimitError:
        return question(_explicit_evaluator(problem, deadline))


def _explicit_evaluator(problem: DealProblem, deadline: Deadline) -> Evaluator:
    from quaternity.epistemic.explicit_evaluator import ExplicitEvaluator

    return ExplicitEvaluator(problem, deadline)


def _solver_evaluator(problem: DealProblem, deadline: Deadline) -> Evaluator:
    from quaternity.epistemic.solver_evaluator import SolverEvaluator

    return SolverEvaluator(problem, deadline)


def is_plain(formula: Formula) -> bool:
    """Return whether a formula contains no nested knowledge, common knowledge or announcement."""
    unlike = (logic.Announcement, logic.Common)
    return formula.modal_depth < 2 and not any(
        isinstance(node, unlike) for node in formula.subformulas()
    )
