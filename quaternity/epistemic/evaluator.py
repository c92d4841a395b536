"""What every evaluator of formulas can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from quaternity.epistemic.formula import Formula
from solvers.problem import DealProblem
from solvers.verdict import Deal

Said: TypeAlias = tuple[Formula, ...]
"""What was announced so far, in order; each is understood after those before it."""


class Evaluator(Protocol):
    """Answers questions about the deals of one public problem.

    Every method takes what was announced before, and deals in which all of it was true.
    """

    @property
    def problem(self) -> DealProblem:
        """The public information."""

    def truth(self, formula: Formula, deal: Deal, said: Said = ()) -> bool:
        """Whether a formula is true at a deal."""

    def counterexample(
        self, players: Sequence[int], formula: Formula, deal: Deal, said: Said = ()
    ) -> Deal | None:
        """A deal with the same hands of some players (at least one) where a formula is false."""

    def public_counterexample(self, formula: Formula, said: Said = ()) -> Deal | None:
        """A public deal where a formula is false."""

    def way_to_failure(self, formula: Formula, deal: Deal, said: Said = ()) -> list[Deal]:
        """A shortest chain of deals, from a deal to one where a formula is false, or nothing.

        Each deal of the chain is indistinguishable from the one before for some player.
        """


__all__ = ["Evaluator", "Said"]
