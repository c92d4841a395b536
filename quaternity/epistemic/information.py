"""What players can tell: the deals that fit the public record and the hands they see.

The public information is a deal problem; a *world* is a deal that satisfies it. Two worlds are
indistinguishable for a player iff the player's hand is the same in both, so a player's *information
set* is the public problem with that hand fixed: again a deal problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quaternity.errors import InputError
from solvers.problem import DealProblem, SetConstraint, mask_of
from solvers.verdict import Deal, deal_faults


def information_set(problem: DealProblem, deal: Deal, players: Iterable[int]) -> DealProblem:
    """The deals that some players, laying their hands together, cannot tell from this one.

    With one player that is the player's information set; with none, the problem itself.
    Cost: cards.
    """
    seen = mask_of(players)
    if not seen:
        return problem
    sets = []
    for constraint, owner in zip(problem.sets, deal.owner, strict=True):
        masks = tuple(
            [
                1 << who if seen >> who & 1 else mask & ~seen
                for mask, who in zip(constraint.owners, owner, strict=True)
            ]
        )
        sets.append(SetConstraint.trusted(masks, constraint.low, constraint.high))
    return DealProblem.trusted(problem.hands, tuple(sets))


def same_hands(first: Deal, second: Deal, players: Iterable[int]) -> bool:
    """Whether all these players hold the same cards in both deals."""
    return all(first.hand(player) == second.hand(player) for player in players)


def checked_deal(problem: DealProblem, owner: Deal | Sequence[Sequence[int]]) -> Deal:
    """A deal, held against the public problem.

    Raises:
        InputError: it is not one of the problem's deals; the message says everything that is wrong.
    """
    deal = owner if isinstance(owner, Deal) else Deal(tuple(tuple(cards) for cards in owner))
    faults = deal_faults(problem, deal.owner)
    if faults:
        raise InputError(f"the deal does not fit the public record: {'; '.join(faults)}")
    return deal


__all__ = ["checked_deal", "information_set", "same_hands"]
