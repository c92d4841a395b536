"""Proofs that nothing can be dealt: small sums that anyone can check, and a sentence for each.

The main form is the coalition inequality. For a coalition A of players and, per set s, any set X_s
of players, A holds at most

    sum over s of  r_s(X_s) + high_s(A \\ X_s) - low_s(X_s \\ A)

cards, where r_s(X) is the number of cards of s that somebody in X may own: the members of A outside
X_s have at most their upper bounds, and of the r_s(X_s) cards of X_s the others of X_s keep at
least their lower bounds. When that is less than the hands of A, no deal exists. By Hoffman's
circulation theorem (equivalently: the rank of a sum of generalised polymatroids, Frank and Tardos)
an infeasible problem with low <= high and as many places as cards always has such a coalition.
"""

from dataclasses import dataclass
from typing import TypeAlias

from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.wording import counted, listed, named


def most_cards(constraint: SetConstraint, coalition: int, witness: int) -> int:
    """Upper bound on the cards of one set that a coalition holds, by the inequality above.

    Both arguments are bit masks. Cost: cards + players of the set.
    """
    bound = sum(1 for mask in constraint.owners if mask & witness)
    for player in players_in(coalition & ~witness):
        bound += constraint.high[player]
    for player in players_in(witness & ~coalition):
        bound -= constraint.low[player]
    return bound


@dataclass(frozen=True, slots=True)
class Shortage:
    """A coalition that must hold more cards than it can have.

    Attributes:
        coalition: bit mask of the players A; empty when some set fails by its minimums alone.
        witnesses: per set, the bit mask X_s of the inequality.
    """

    coalition: int
    witnesses: tuple[int, ...]

    def holds(self, problem: DealProblem) -> bool:
        """Whether this proves the problem infeasible. Cost: cards + players x sets."""
        everybody = (1 << problem.players) - 1
        masks = (self.coalition, *self.witnesses)
        if len(self.witnesses) != len(problem.sets) or any(m < 0 or m > everybody for m in masks):
            return False
        return self._must(problem) > sum(self._bounds(problem))

    def _must(self, problem: DealProblem) -> int:
        return sum(problem.hands[player] for player in players_in(self.coalition))

    def _bounds(self, problem: DealProblem) -> list[int]:
        return [
            most_cards(constraint, self.coalition, witness)
            for constraint, witness in zip(problem.sets, self.witnesses, strict=True)
        ]

    def in_words(self, problem: DealProblem) -> str:
        """The proof as a sentence about this problem."""
        if not self.coalition:
            return self._minimums_in_words(problem)
        must, bounds = self._must(problem), self._bounds(problem)
        everybody = (1 << problem.players) - 1
        if self.coalition == everybody:
            if must > problem.cards:
                return (
                    f"the hands hold {counted(must, 'card')} in all, "
                    f"but only {counted(problem.cards, 'card')} can be dealt"
                )
            return self._unplaced_in_words(problem, bounds)
        who = named("player", players_in(self.coalition))
        if must == 0 or sum(bounds) < 0 or len(problem.sets) == 0:
            return f"{who} must hold {counted(must, 'card')}, but can have {sum(bounds)} at most"
        groups: dict[tuple[int, str], list[int]] = {}
        for index, (bound, witness) in enumerate(zip(bounds, self.witnesses, strict=True)):
            if problem.sets[index].size:
                why = self._why(problem.sets[index], witness)
                groups.setdefault((bound, why), []).append(index)
        parts = [
            f"of {named('set', sets)} at most {bound}{' each' if len(sets) > 1 else ''}{why}"
            for (bound, why), sets in groups.items()
        ]
        return (
            f"{who} must hold {counted(must, 'card')}, but can have {', '.join(parts)}: "
            f"{sum(bounds)} in all"
        )

    def _why(self, constraint: SetConstraint, witness: int) -> str:
        """What, besides the owners, keeps the coalition's share of one set small."""
        kept: dict[int, list[int]] = {}
        for player in players_in(witness & ~self.coalition):
            kept.setdefault(constraint.low[player], []).append(player)
        reasons = [
            f"{named('player', players)} {'keeps' if len(players) == 1 else 'each keep'} "
            f"at least {least}"
            for least, players in kept.items()
            if least
        ]
        capped: dict[int, list[int]] = {}
        for player in players_in(self.coalition & ~witness):
            capped.setdefault(constraint.high[player], []).append(player)
        reasons += [
            f"{named('player', players)} {'has' if len(players) == 1 else 'each have'} "
            f"at most {most}"
            for most, players in capped.items()
            if most
        ]
        return f" ({listed(reasons)})" if reasons else ""

    def _minimums_in_words(self, problem: DealProblem) -> str:
        for index, (constraint, witness) in enumerate(
            zip(problem.sets, self.witnesses, strict=True)
        ):
            if most_cards(constraint, 0, witness) < 0:
                players = players_in(witness)
                needed = sum(constraint.low[player] for player in players)
                ownable = sum(1 for mask in constraint.owners if mask & witness)
                return (
                    f"{named('player', players)} must hold at least "
                    f"{counted(needed, 'card')} of set {index}, but only "
                    f"{ownable} of its {counted(constraint.size, 'card')} can be theirs"
                )
        return "the minimums of some set are more than its cards"

    def _unplaced_in_words(self, problem: DealProblem, bounds: list[int]) -> str:
        for index, (constraint, bound) in enumerate(zip(problem.sets, bounds, strict=True)):
            if bound < constraint.size:
                for card, mask in enumerate(constraint.owners):
                    if not mask:
                        return f"nobody may own card {index}/{card}"
                why = self._why(constraint, self.witnesses[index])
                return (
                    f"only {bound} of the {counted(constraint.size, 'card')} of set {index} "
                    f"can have an owner{why}"
                )
        return "some cards can have no owner"


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


Certificate: TypeAlias = Shortage | TooFewPlaces | CrossedBounds
"""A proof of infeasibility. All have `holds(problem)` and `in_words(problem)`."""


def plain_shortage(problem: DealProblem) -> Certificate | None:
    """A proof that needs no search: crossed bounds, hands that do not add up, crowded hands.

    Returns None when none of these is the case; then low <= high everywhere, the hands hold exactly
    the cards, and nobody's minimums exceed the own hand. Cost: players x sets.
    """
    for index, constraint in enumerate(problem.sets):
        for player, (low, high) in enumerate(zip(constraint.low, constraint.high, strict=True)):
            if low > high:
                return CrossedBounds(player, index)
    everybody = (1 << problem.players) - 1
    places, cards = sum(problem.hands), problem.cards
    if places < cards:
        return TooFewPlaces()
    if places > cards:
        return Shortage(everybody, (everybody,) * len(problem.sets))
    for player, hand in enumerate(problem.hands):
        if sum(constraint.low[player] for constraint in problem.sets) > hand:
            # The others must hold what this player has no room for, and cannot.
            return Shortage(everybody & ~(1 << player), (everybody,) * len(problem.sets))
    return None


__all__ = [
    "Certificate",
    "CrossedBounds",
    "Shortage",
    "TooFewPlaces",
    "most_cards",
    "plain_shortage",
]
