"""Proofs that nothing can be dealt: small sums that anyone can check, and a sentence for each.

The main form is the coalition inequality. For a coalition A of players and, per set s, any set X_s
of players, A holds at most

    sum over s of  r_s(X_s) + high_s(A \\ X_s) - low_s(X_s \\ A)

cards, where r_s(X) is the number of cards of s that somebody in X may own: the members of A outside
X_s have at most their upper bounds, and of the r_s(X_s) cards of X_s the others of X_s keep at
least their lower bounds. When that is less than the hands of A, no deal exists. By Hoffman's
circulation theorem (equivalently: the rank of a sum of generalised polymatroids, Frank and Tardos)
an infeasible problem with low <= high and as many places as cards always has such a coalition.
Three plainer forms need no search: one look at hands and bounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from quaternity.base.plain_values import takes
from quaternity.base.wording import counted, in_parts, listed, named
from solvers.problem import DealProblem, SetConstraint, mask_of, players_in


@dataclass(frozen=True, slots=True)
class TooFewPlaces:
    """There are more cards than the hands together hold."""

    @takes(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Whether this proves the problem infeasible. Cost: players + sets."""
        return sum(problem.hands) < problem.cards

    @takes(problem=DealProblem)
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

    @takes(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Whether this proves the problem infeasible. Cost: constant."""
        if not (0 <= self.player < problem.players and 0 <= self.set_index < len(problem.sets)):
            return False
        constraint = problem.sets[self.set_index]
        return constraint.low[self.player] > constraint.high[self.player]

    @takes(problem=DealProblem)
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

    @takes(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Whether this proves the problem infeasible. Cost: sets."""
        if not 0 <= self.player < problem.players:
            return False
        return sum(self._minimums(problem)) > problem.hands[self.player]

    def _minimums(self, problem: DealProblem) -> Iterable[int]:
        return (constraint.low[self.player] for constraint in problem.sets)

    @takes(problem=DealProblem)
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

    @takes(problem=DealProblem)
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

    @takes(problem=DealProblem)
    def in_words(self, problem: DealProblem, amount: str | None = None) -> str:
        """The proof as a sentence about this problem.

        Args:
            amount: how many cards the coalition must hold, where it is not to be said plainly.
        """
        must, bounds = self._must(problem), self._bounds(problem)
        for index, bound in enumerate(bounds):
            if bound < 0:
                # The others' minimums alone are more than there is.
                return self._minimums_in_words(problem, index)
        if self.coalition == (1 << problem.players) - 1:
            if must > problem.cards:
                can = f"only {counted(problem.cards, 'card')}" if problem.cards else "no cards"
                return f"the hands hold {counted(must, 'card')} in all, but {can} can be dealt"
            return self._unplaced_in_words(problem, bounds)
        amounts: list[tuple[int, str, str]] = []
        for index, (bound, witness) in enumerate(zip(bounds, self.witnesses, strict=True)):
            if problem.sets[index].size:
                # That one player has at most so many needs no reason "may have at most so many".
                capped = self.coalition & ~witness if self.coalition.bit_count() > 1 else 0
                why = self._why(problem.sets[index], witness, capped)
                amounts.append((index, f"at most {bound}" if bound else "none", why))
        total = sum(bounds)
        have = in_parts(amounts, total) if total or any(why for _, _, why in amounts) else "none"
        who = named("player", players_in(self.coalition))
        return f"{who} must hold {amount or counted(must, 'card')}, but can have {have}"

    def _why(self, constraint: SetConstraint, witness: int, capped: int) -> str:
        """What, besides the owners, keeps the coalition's share of one set small.

        Args:
            capped: the players whose upper bounds shall be named.
        """
        kept: dict[int, list[int]] = {}
        for player in players_in(witness & ~self.coalition):
            kept.setdefault(constraint.low[player], []).append(player)
        reasons = [
            f"{named('player', players)} {'keeps' if len(players) == 1 else 'each keep'} "
            f"at least {least}"
            for least, players in kept.items()
            if least
        ]
        limits: dict[int, list[int]] = {}
        for player in players_in(capped):
            if not constraint.bound_is_loose(player):
                limits.setdefault(constraint.high[player], []).append(player)
        reasons += [
            f"{named('player', players)} may have "
            f"{f'at most {most}' if most else 'none'}{' each' if most and len(players) > 1 else ''}"
            for most, players in limits.items()
        ]
        return listed(reasons)

    def _minimums_in_words(self, problem: DealProblem, index: int) -> str:
        constraint = problem.sets[index]
        players = [
            player
            for player in players_in(self.witnesses[index] & ~self.coalition)
            if constraint.low[player]
        ]
        needed = sum(constraint.low[player] for player in players)
        ownable = sum(1 for mask in constraint.owners if mask & mask_of(players))
        must = f"{named('player', players)} must hold at least {counted(needed, 'card')}"
        if ownable == constraint.size:
            return f"{must} of set {index}, which has only {ownable}"
        return f"{must} of set {index}, but can have {f'only {ownable}' if ownable else 'none'}"

    def _unplaced_in_words(self, problem: DealProblem, bounds: list[int]) -> str:
        index = next(
            index
            for index, (one, bound) in enumerate(zip(problem.sets, bounds, strict=True))
            if bound < one.size
        )
        constraint, bound = problem.sets[index], bounds[index]
        for card, mask in enumerate(constraint.owners):
            if not mask:
                return f"nobody may own card {index}/{card}"
        witness = self.witnesses[index]
        why = self._why(constraint, witness, self.coalition & ~witness)
        reason = f" ({why})" if why else ""
        if constraint.size == 1:
            return f"card {index}/0 can have no owner{reason}"
        some = f"only {bound}" if bound else "none"
        return f"{some} of the {constraint.size} cards of set {index} can have an owner{reason}"


Certificate: TypeAlias = Shortage | TooFewPlaces | CrossedBounds | CrowdedHand
"""A proof of infeasibility. All have `holds(problem)` and `in_words(problem)`."""


def plain_certificate(value: object) -> Certificate | None:
    """A proof copied out of whatever a solver gave, or None where it is none.

    The copy is of exactly one of the four types and made of exact numbers, so nothing of the giver
    is run when it is judged, and nothing changes between two looks at it.
    """
    if type(value) is Shortage:
        coalition = getattr(value, "coalition", None)
        witnesses = getattr(value, "witnesses", None)
        if type(witnesses) is not tuple or type(coalition) is not int:
            return None
        return Shortage(coalition, witnesses) if all(type(x) is int for x in witnesses) else None
    if type(value) is TooFewPlaces:
        return TooFewPlaces()
    if type(value) is CrowdedHand:
        player = getattr(value, "player", None)
        return CrowdedHand(player) if type(player) is int else None
    if type(value) is CrossedBounds:
        player, index = getattr(value, "player", None), getattr(value, "set_index", None)
        if type(player) is int and type(index) is int:
            return CrossedBounds(player, index)
    return None


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
            return CrowdedHand(player)
    return None
