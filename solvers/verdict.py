"""Verdicts on deal problems, and the short independent check that every one of them must pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from solvers.problem import DealProblem
from solvers.shortage import Certificate


@dataclass(frozen=True, slots=True)
class Deal:
    """One owner for every card: `owner[set][card]` is a player."""

    owner: tuple[tuple[int, ...], ...]

    def hand(self, player: int) -> tuple[tuple[int, int], ...]:
        """The cards of a player as (set, card), ascending."""
        return tuple(
            (index, card)
            for index, owners in enumerate(self.owner)
            for card, who in enumerate(owners)
            if who == player
        )

    def __repr__(self) -> str:
        players = sorted({who for owners in self.owner for who in owners})
        hands = (
            f"{player}: {' '.join(f'{index}/{card}' for index, card in self.hand(player))}"
            for player in players
        )
        return f"<Deal {'; '.join(hands)}>"


@dataclass(frozen=True, slots=True)
class Feasible:
    """Some deal satisfies the problem; here is one."""

    deal: Deal

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Infeasible:
    """No deal satisfies the problem; here is why, where the solver can say.

    `shortage` is None for a solver that proves by exhaustion; `solvers.certify` supplies one.
    """

    shortage: Certificate | None = None

    def __bool__(self) -> bool:
        return False


Verdict: TypeAlias = Feasible | Infeasible


def deal_faults(problem: DealProblem, owner: Sequence[Sequence[int]]) -> list[str]:
    """Everything that is wrong with a deal; empty when it satisfies the problem.

    Args:
        owner: `owner[set][card]`, a player.

    Cost: cards + players x sets.
    """
    if [len(cards) for cards in owner] != [one.size for one in problem.sets]:
        return ["the deal has not one owner for every card"]
    faults = []
    held = [0] * problem.players
    for index, (constraint, cards) in enumerate(zip(problem.sets, owner, strict=True)):
        counts = [0] * problem.players
        for card, (mask, who) in enumerate(zip(constraint.owners, cards, strict=True)):
            if not 0 <= who < problem.players or not mask >> who & 1:
                faults.append(f"card {index}/{card} cannot belong to player {who}")
            else:
                counts[who] += 1
        for player, count in enumerate(counts):
            held[player] += count
            if not constraint.low[player] <= count <= constraint.high[player]:
                faults.append(
                    f"player {player} has {count} of set {index}, not between "
                    f"{constraint.low[player]} and {constraint.high[player]}"
                )
    for player, (count, hand) in enumerate(zip(held, problem.hands, strict=True)):
        if count != hand:
            faults.append(f"player {player} has {count} cards, not {hand}")
    return faults


def verify(problem: DealProblem, verdict: Verdict) -> bool:
    """Check a verdict by the evidence it carries, independently of every solver.

    A deal is counted out against the problem; a shortage is added up. An `Infeasible` without
    evidence is not verified: False. Cost: cards + players x sets.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])
    >>> verify(problem, Feasible(Deal(((0, 1),))))
    True
    >>> verify(problem, Feasible(Deal(((1, 1),))))
    False
    """
    if isinstance(verdict, Feasible):
        return not deal_faults(problem, verdict.deal.owner)
    return verdict.shortage is not None and verdict.shortage.holds(problem)


__all__ = ["Deal", "Feasible", "Infeasible", "Verdict", "deal_faults", "verify"]
