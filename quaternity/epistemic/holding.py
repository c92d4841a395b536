"""One door to the truth of a formula, whichever way finds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from quaternity.epistemic.deadline import Deadline, Undecided
from quaternity.epistemic.formula import (
    Announced,
    Common,
    Distributed,
    Everywhere,
    Formula,
    Knows,
    Unknown,
)
from quaternity.epistemic.grammar import parse
from quaternity.epistemic.information import checked_deal
from quaternity.epistemic.language import Language
from quaternity.epistemic.propositional import is_propositional
from quaternity.errors import InputError, LimitError
from solvers.problem import DealProblem
from solvers.verdict import Deal

SECONDS = 60.0
"""Default time limit of one question."""

FEW_WORLDS = 20_000
"""With at most so many deals, listing them is quicker than asking about knowledge of knowledge."""


class Method(StrEnum):
    """How the truth of a formula is found.

    `AUTO`: by the solvers where knowledge is not nested or the deals are many, else explicitly;
    and explicitly where the solvers do not decide and the deals can be listed.
    """

    AUTO = "auto"
    EXPLICIT = "explicit"
    SOLVERS = "solvers"

    @classmethod
    def parse(cls, text: str) -> Method:
        """Read a name.

        Raises:
            InputError: unknown; lists the known ones.
        """
        try:
            return cls(text)
        except ValueError:
            known = ", ".join(cls)
            raise InputError(f"method {text!r} is unknown; known are {known}") from None


def holds(
    formula: Formula | str,
    problem: DealProblem,
    deal: Deal | Sequence[Sequence[int]],
    method: Method | str = Method.AUTO,
    seconds: float = SECONDS,
    set_size: int | None = None,
) -> bool:
    """Whether a formula is true at a deal of a public problem.

    Args:
        formula: a formula, or its text.
        problem: the public information; a set out of play is a constraint without cards.
        deal: the real deal, `[set][card]` a player.
        method: see `Method`.
        seconds: time limit of the solvers.
        set_size: cards of a set that is out of play; by default as many as the largest set has.

    Raises:
        InputError: the formula cannot be read or names what does not exist, the deal does not fit
            the problem, or the method is unknown.
        LimitError: too many deals to list, or (`Undecided`) not shown within the time.

    >>> from solvers import DealProblem, SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> deal = [[0, 1, 2]]
    >>> holds("K2 H0 0/0", three_cards, deal)
    False
    >>> holds("[!H0 0/1!] K2 H0 0/0", three_cards, deal)
    True
    """
    language = Language.of(problem, set_size)
    if isinstance(formula, str):
        formula = parse(formula, language)
    else:
        language.check(formula)
    world = checked_deal(problem, deal)
    if not seconds > 0:
        raise InputError(f"seconds: {seconds!r} is not a positive number")
    return METHODS[Method.parse(method)](formula, problem, world, seconds)


def _by_solvers(formula: Formula, problem: DealProblem, deal: Deal, seconds: float) -> bool:
    from quaternity.epistemic.by_solvers import Evaluator

    return Evaluator(problem, Deadline(seconds)).truth(formula, deal)


def _explicitly(formula: Formula, problem: DealProblem, deal: Deal, seconds: float) -> bool:
    from quaternity.epistemic.explicit import holds_explicitly

    del seconds
    return holds_explicitly(formula, problem, deal)


def _either_way(formula: Formula, problem: DealProblem, deal: Deal, seconds: float) -> bool:
    if is_plain(formula):
        return _by_solvers(formula, problem, deal, seconds)
    from quaternity.epistemic.worlds import MAX_WORLDS
    from solvers.counting import count_deals

    try:
        deals = count_deals(problem)
    except LimitError:
        deals = MAX_WORLDS + 1
    if deals <= FEW_WORLDS:
        return _explicitly(formula, problem, deal, seconds)
    try:
        return _by_solvers(formula, problem, deal, seconds)
    except Undecided:
        if deals > MAX_WORLDS:
            raise
        return _explicitly(formula, problem, deal, seconds)


def is_plain(formula: Formula) -> bool:
    """Whether knowledge is of hands only, not of knowledge, and nothing is announced."""
    for node in formula.subformulas():
        match node:
            case Announced() | Common():
                return False
            case Knows(_, part) | Distributed(_, part) | Everywhere(part):
                if not is_propositional(part):
                    return False
            case Unknown() | _:
                pass
    return True


METHODS: dict[Method, Callable[[Formula, DealProblem, Deal, float], bool]] = {
    Method.AUTO: _either_way,
    Method.EXPLICIT: _explicitly,
    Method.SOLVERS: _by_solvers,
}

__all__ = ["FEW_WORLDS", "METHODS", "SECONDS", "Method", "holds", "is_plain"]
