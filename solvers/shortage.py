r"""Proofs that nothing can be dealt: small sums that anyone can check, and a sentence for each.

The main form is the coalition inequality. For a coalition A of players and, per set s, any set X_s
of players, A holds at most

    sum over s of  r_s(X_s) + high_s(A \ X_s) - low_s(X_s \ A)

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
from quaternity.base.sentences import Kind, Sentence
from solvers.problem import DealProblem, SetConstraint, mask_of, players_in

CARDS = Kind("cards", "{count:cards}")
NONE = Kind("none", "none")
ONLY = Kind("only", "only {count}")
AT_LEAST = Kind("at_least", "at least {count}")
AT_MOST = Kind("at_most", "at most {count}")
BECAUSE = Kind("because", "{that} ({why})")
ALL_OF = Kind("all_of", "{parts:listed}")
OF_SETS = Kind("of_sets", "{amount} of {sets:sets}")
OF_EACH = Kind("of_each", "{amount} each of {sets:sets}")
SHARE = Kind("share", "{parts:parts}")
SHARE_IN_ALL = Kind("share", "{parts:parts}: {total} in all")
TOO_FEW_PLACES = Kind(
    "too_few_places", "the hands hold {hands:cards} in all, but {deal:cards} must be dealt"
)
TOO_FEW_CARDS = Kind("too_few_cards", "the hands hold {hands:cards} in all, but {can} can be dealt")
ONLY_CARDS, NO_CARDS = Kind("only", "only {count:cards}"), Kind("none", "no cards")
CROSSED_BOUNDS = Kind(
    "crossed_bounds",
    "{who:player} must hold at least {least:cards} of {set:set}, but may hold at most {most}",
)
CROWDED_HAND = Kind("crowded_hand", "{who:player} holds {amount}, but must hold {share}")
SHORT = Kind("short", "{who:players} must hold {amount}, but can have {share}")
KEEPS = Kind("keeps", "{who:players} keeps at least {least}")
EACH_KEEP = Kind("keeps", "{who:players} each keep at least {least}")
MAY_HAVE = Kind("may_have", "{who:players} may have {most}")
EACH_MAY_HAVE = Kind("may_have", "{who:players} may have {most} each")
CARDS_OF = Kind("cards_of", "{count:cards} of {set:set}")
TOO_MANY_KEPT = Kind(
    "too_many_kept", "{who:players} must hold at least {least}, which has only {most}"
)
TOO_FEW_OWNED = Kind(
    "too_few_owned", "{who:players} must hold at least {least}, but can have {most}"
)
NOBODY = Kind("nobody", "nobody may own card {card:card}")
NO_OWNER = Kind("no_owner", "card {card:card} can have no owner")
UNPLACED = Kind("unplaced", "{some} of the {size} cards of {set:set} can have an owner")


def in_parts(kind: Kind, amounts: Iterable[tuple[int, int, str]], total: int) -> Sentence:
    """Return amounts per set with their reasons; name sets that are alike together.

    `amounts` are (set, how many, reason or ""); `total` is stated if there is more than one set.

    >>> in_parts(AT_MOST, [(0, 3, "player 1 keeps at least 1"), (1, 0, "")], 3)
    'at most 3 of set 0 (player 1 keeps at least 1), none of set 1: 3 in all'
    >>> in_parts(AT_MOST, [(0, 3, ""), (2, 3, "")], 6)
    'at most 3 each of sets 0 and 2: 6 in all'
    """
    alike: dict[tuple[int, str], list[int]] = {}
    for index, count, reason in amounts:
        alike.setdefault((count, reason), []).append(index)
    parts: list[str] = []
    for (count, reason), sets in alike.items():
        of_sets = OF_EACH if len(sets) > 1 and count else OF_SETS
        parts.append(_because(of_sets(sets=sets, amount=_amount(kind, count)), reason))
    several = sum(map(len, alike.values())) > 1
    return SHARE_IN_ALL(parts=parts, total=total or NONE()) if several else SHARE(parts=parts)


def _amount(kind: Kind, count: int) -> Sentence:
    return kind(count=count) if count else NONE()


def _because(that: str, why: str) -> str:
    return BECAUSE(that=that, why=why) if why else that


@dataclass(frozen=True, slots=True)
class TooFewPlaces:
    """There are more cards than the hands together hold."""

    @takes(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Return whether this proves the problem infeasible. Cost: players + sets."""
        return sum(problem.hands) < problem.cards

    @takes(problem=DealProblem)
    def in_words(self, problem: DealProblem) -> str:
        """State the proof for this problem as a sentence."""
        return TOO_FEW_PLACES(hands=sum(problem.hands), deal=problem.cards)


@dataclass(frozen=True, slots=True)
class CrossedBounds:
    """One player must hold more cards of one set than that player may."""

    player: int
    set_index: int

    @takes(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Return whether this proves the problem infeasible. Cost: constant."""
        if not (0 <= self.player < problem.players and 0 <= self.set_index < len(problem.sets)):
            return False
        constraint = problem.sets[self.set_index]
        return constraint.low[self.player] > constraint.high[self.player]

    @takes(problem=DealProblem)
    def in_words(self, problem: DealProblem) -> str:
        """State the proof for this problem as a sentence."""
        constraint = problem.sets[self.set_index]
        least, most = constraint.low[self.player], constraint.high[self.player]
        return CROSSED_BOUNDS(who=self.player, set=self.set_index, least=least, most=most)


@dataclass(frozen=True, slots=True)
class CrowdedHand:
    """The minimums of one player add up to more than the hand."""

    player: int

    @takes(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Return whether this proves the problem infeasible. Cost: sets."""
        if not 0 <= self.player < problem.players:
            return False
        return sum(self._minimums(problem)) > problem.hands[self.player]

    def _minimums(self, problem: DealProblem) -> Iterable[int]:
        return (constraint.low[self.player] for constraint in problem.sets)

    @takes(problem=DealProblem)
    def in_words(self, problem: DealProblem, amount: str | None = None) -> str:
        """State the proof for this problem as a sentence; `amount` as in `Shortage.in_words`."""
        parts = ((index, low, "") for index, low in enumerate(self._minimums(problem)) if low)
        share = in_parts(AT_LEAST, parts, sum(self._minimums(problem)))
        hand = amount or CARDS(count=problem.hands[self.player])
        return CROWDED_HAND(who=self.player, amount=hand, share=share)


def most_cards(constraint: SetConstraint, coalition: int, witness: int) -> int:
    """Bound the cards of one set that a coalition holds, by the inequality above.

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
        """Return whether this proves the problem infeasible. Cost: cards + players x sets."""
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
        """State the proof as a sentence; `amount` replaces the number of cards to be held.

        It is that of the players who are short, or of the one whom they crowd (see `crowds`).
        """
        must, bounds = self._must(problem), self._bounds(problem)
        for index, bound in enumerate(bounds):
            if bound < 0:
                # The others' minimums alone are more than there is.
                return self._minimums_in_words(problem, index)
        if self.coalition == (1 << problem.players) - 1:
            if must > problem.cards:
                can = ONLY_CARDS(count=problem.cards) if problem.cards else NO_CARDS()
                return TOO_FEW_CARDS(hands=must, can=can)
            return self._unplaced_in_words(problem, bounds)
        amounts: list[tuple[int, int, str]] = []
        for index, (bound, witness) in enumerate(zip(bounds, self.witnesses, strict=True)):
            if problem.sets[index].size:
                # That one player has at most so many needs no reason "may have at most so many".
                capped = self.coalition & ~witness if self.coalition.bit_count() > 1 else 0
                why = self._why(problem.sets[index], witness, capped)
                amounts.append((index, bound, why))
        player, total = self.crowds(problem), sum(bounds)
        if player is not None:
            least = [one.size - bound for one, bound in zip(problem.sets, bounds, strict=True)]
            share = ((index, count, "") for index, count in enumerate(least) if count)
            return CROWDED_HAND(
                who=player,
                amount=amount or CARDS(count=problem.hands[player]),
                share=in_parts(AT_LEAST, share, sum(least)),
            )
        some = total or any(why for _, _, why in amounts)
        return SHORT(
            who=players_in(self.coalition),
            amount=amount or CARDS(count=must),
            share=in_parts(AT_MOST, amounts, total) if some else NONE(),
        )

    @takes(problem=DealProblem)
    def crowds(self, problem: DealProblem) -> int | None:
        """Return the player of whom the sentence speaks, if it is the only one outside.

        What several others cannot have must all lie with that one, and is too much for the hand.
        """
        outside = players_in((1 << problem.players) - 1 & ~self.coalition)
        if len(outside) != 1 or self.coalition.bit_count() < 2:
            return None
        capped = any(
            not constraint.bound_is_loose(player)
            for constraint, witness in zip(problem.sets, self.witnesses, strict=True)
            for player in players_in(self.coalition & ~witness)
        )
        return None if capped or sum(problem.hands) != problem.cards else outside[0]

    def _why(self, constraint: SetConstraint, witness: int, capped: int) -> str:
        """Say what keeps the coalition's share small besides owners: bounds of `capped`, too."""
        kept: dict[int, list[int]] = {}
        for player in players_in(witness & ~self.coalition):
            kept.setdefault(constraint.low[player], []).append(player)
        reasons = [
            (KEEPS if len(players) == 1 else EACH_KEEP)(who=players, least=least)
            for least, players in kept.items()
            if least
        ]
        limits: dict[int, list[int]] = {}
        for player in players_in(capped):
            if not constraint.bound_is_loose(player):
                limits.setdefault(constraint.high[player], []).append(player)
        for most, players in limits.items():
            may_have = EACH_MAY_HAVE if most and len(players) > 1 else MAY_HAVE
            reasons.append(may_have(who=players, most=_amount(AT_MOST, most)))
        return ALL_OF(parts=reasons) if reasons else ""

    def _minimums_in_words(self, problem: DealProblem, index: int) -> str:
        constraint = problem.sets[index]
        players = [
            player
            for player in players_in(self.witnesses[index] & ~self.coalition)
            if constraint.low[player]
        ]
        needed = sum(constraint.low[player] for player in players)
        ownable = sum(1 for mask in constraint.owners if mask & mask_of(players))
        each = self._why(constraint, self.witnesses[index], 0) if len(players) > 1 else ""
        least = _because(CARDS_OF(count=needed, set=index), each)
        if ownable == constraint.size:
            return TOO_MANY_KEPT(who=players, least=least, most=ownable)
        return TOO_FEW_OWNED(who=players, least=least, most=_amount(ONLY, ownable))

    def _unplaced_in_words(self, problem: DealProblem, bounds: list[int]) -> str:
        index = next(
            index
            for index, (constraint, bound) in enumerate(zip(problem.sets, bounds, strict=True))
            if bound < constraint.size
        )
        constraint, bound = problem.sets[index], bounds[index]
        for card, mask in enumerate(constraint.owners):
            if not mask:
                return NOBODY(card=(index, card))
        witness = self.witnesses[index]
        why = self._why(constraint, witness, self.coalition & ~witness)
        if constraint.size == 1:
            return _because(NO_OWNER(card=(index, 0)), why)
        some = _amount(ONLY, bound)
        return _because(UNPLACED(some=some, size=constraint.size, set=index), why)


Certificate: TypeAlias = Shortage | TooFewPlaces | CrossedBounds | CrowdedHand
"""A proof of infeasibility. All have `holds(problem)` and `in_words(problem)`."""


def plain_certificate(value: object) -> Certificate | None:
    """Copy a proof out of whatever a solver gave; give None if it is no proof.

    The copy is of exactly one of the four types and made of exact numbers: judging it runs no code
    of the giver, and it cannot change between two looks.
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
    """Prove without search: crossed bounds, hands that do not add up, or a crowded hand.

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
