"""Proofs of infeasibility that need no search: one look at hands and bounds."""

from collections.abc import Iterable
from dataclasses import dataclass

from solvers.problem import DealProblem
from solvers.wording import counted, in_parts


@dataclass(frozen=True, slots=True)
class TooFewPlaces:
    """There are more cards than the hands together hold."""

    def holds(self, problem: DealProblem) -> bool:
        """Whether this proves the problem infeasible. Cost: players + sets."""
        return sum(problem.hands) < problem.cards

    def in_words(self, problem: DealProblem) -> str:
        """The proof as a sentence about this problem."""
        return (
            f"the hands hold {counted(sum(problem.hands), 'card')} in all, "
            f"but {counted(problem.cards, 'card')} must be dealt"
        )


@dataclass(frozen=True, slots=True)
class CrossedBounds:
    """One player must hold more cards of one set than that player may."""

    player: int
    set_index: int

    def holds(self, problem: DealProblem) -> bool:
        """Whether this proves the problem infeasible. Cost: constant."""
        if not (0 <= self.player < problem.players and 0 <= self.set_index < len(problem.sets)):
            return False
        constraint = problem.sets[self.set_index]
        return constraint.low[self.player] > constraint.high[self.player]

    def in_words(self, problem: DealProblem) -> str:
        """The proof as a sentence about this problem."""
        constraint = problem.sets[self.set_index]
        return (
            f"player {self.player} must hold at least "
            f"{counted(constraint.low[self.player], 'card')} of set {self.set_index}, "
            f"but may hold at most {constraint.high[self.player]}"
        )


@dataclass(frozen=True, slots=True)
class CrowdedHand:
    """The minimums of one player add up to more than the hand."""

    player: int

    def holds(self, problem: DealProblem) -> bool:
        """Whether this proves the problem infeasible. Cost: sets."""
        if not 0 <= self.player < problem.players:
            return False
        return sum(self._minimums(problem)) > problem.hands[self.player]

    def _minimums(self, problem: DealProblem) -> Iterable[int]:
        return (constraint.low[self.player] for constraint in problem.sets)

    def in_words(self, problem: DealProblem, amount: str | None = None) -> str:
        """The proof as a sentence about this problem; `amount` as in `Shortage.in_words`."""
        parts = (
            (index, f"at least {low}", "")
            for index, low in enumerate(self._minimums(problem))
            if low
        )
        return (
            f"player {self.player} holds {amount or counted(problem.hands[self.player], 'card')}, "
            f"but must hold {in_parts(parts, sum(self._minimums(problem)))}"
        )


__all__ = ["CrossedBounds", "CrowdedHand", "TooFewPlaces"]
