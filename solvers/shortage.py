r"""Certificates of infeasibility: proofs that no deal exists, which are easy to check.

The main certificate is a *shortage*, also called a coalition inequality. It says that a group A of
players (the *coalition*) cannot hold as many cards as its hands need. For each set s, it names a
group X_s of players (the *witness*), which may overlap A. The coalition can hold at most this
number of cards:

    sum over s of  r_s(X_s) + high_s(A \ X_s) - low_s(X_s \ A)

Here r_s(X) is the number of cards of s that at least one player in X may own, and low_s and high_s
are the sums of the players' bounds. Members of A outside X_s hold at most their upper bounds. All
players in X_s together hold at most r_s(X_s) cards. Players in X_s outside A hold at least their
lower bounds of these cards, which are subtracted from r_s(X_s). If the sum is less than the number
of cards in the hands of A, no deal exists.

Suppose that no lower bound exceeds its upper bound, and that the hands add up to the number of
cards. Then every infeasible problem has a shortage (Hoffman's circulation theorem; also Frank and
Tardos on generalised polymatroids).

Three simpler kinds of certificates follow directly from the hands and bounds, without a search. A
certificate can also be expressed as an English sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import gt
from typing import TypeAlias

from quaternity.base.picture import Cell, Display, Displayable, heading_cells
from quaternity.base.sentences import PLAIN, Message, MessageTemplate
from quaternity.base.validation import validate_arguments
from solvers.problem import DealProblem, SetConstraint, mask_of, players_in

CARDS = MessageTemplate("cards", "{count:cards}")
NONE = MessageTemplate("none", "none")
ONLY = MessageTemplate("only", "only {count}")
AT_LEAST = MessageTemplate("at_least", "at least {count}")
AT_MOST = MessageTemplate("at_most", "at most {count}")
BECAUSE = MessageTemplate("because", "{that} ({why})")
ALL_OF = MessageTemplate("all_of", "{parts:listed}")
OF_SETS = MessageTemplate("of_sets", "{amount} of {sets:sets}")
OF_EACH = MessageTemplate("of_each", "{amount} each of {sets:sets}")
SHARE = MessageTemplate("share", "{parts:parts}")
SHARE_IN_ALL = MessageTemplate("share", "{parts:parts}: {total} in all")
TOO_FEW_PLACES = MessageTemplate(
    "too_few_places", "the hands hold {hands:cards} in all, but {deal:cards} must be dealt"
)
TOO_FEW_CARDS = MessageTemplate(
    "too_few_cards", "the hands hold {hands:cards} in all, but {can} can be dealt"
)
ONLY_CARDS, NO_CARDS = (
    MessageTemplate("only", "only {count:cards}"),
    MessageTemplate("none", "no cards"),
)
CROSSED_BOUNDS = MessageTemplate(
    "crossed_bounds",
    "{who:player} must hold at least {least:cards} of {set:set}, but may hold at most {most}",
)
CROWDED_HAND = MessageTemplate("crowded_hand", "{who:player} holds {amount}, but must hold {share}")
SHORT = MessageTemplate("short", "{who:players} must hold {amount}, but can have {share}")
KEEPS = MessageTemplate("keeps", "{who:players} keeps at least {least}")
EACH_KEEP = MessageTemplate("keeps", "{who:players} each keep at least {least}")
MAY_HAVE = MessageTemplate("may_have", "{who:players} may have {most}")
EACH_MAY_HAVE = MessageTemplate("may_have", "{who:players} may have {most} each")
CARDS_OF = MessageTemplate("cards_of", "{count:cards} of {set:set}")
TOO_MANY_KEPT = MessageTemplate(
    "too_many_kept", "{who:players} must hold at least {least}, but the set has only {most}"
)
TOO_FEW_OWNED = MessageTemplate(
    "too_few_owned", "{who:players} must hold at least {least}, but can have {most}"
)
NOBODY = MessageTemplate("nobody", "nobody may own card {card:card}")
NO_OWNER = MessageTemplate("no_owner", "card {card:card} can have no owner")
UNPLACED = MessageTemplate("unplaced", "{some} of the {size} cards of {set:set} can have an owner")


def in_parts(kind: MessageTemplate, amounts: Iterable[tuple[int, int, str]], total: int) -> Message:
    """Return a message that lists the number of cards of each set.

    Sets with equal numbers and reasons share one part of the message. If there are several sets,
    the message also states `total`. `amounts` consists of tuples (set, number, reason or "").

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


def _amount(kind: MessageTemplate, count: int) -> Message:
    return kind(count=count) if count else NONE()


def _because(claim: str, why: str) -> str:
    return BECAUSE(that=claim, why=why) if why else claim


@dataclass(frozen=True, slots=True)
class TooManyCards(Displayable):
    """Proof that no deal exists: there are more cards than all hands together can hold."""

    def picture(self) -> Display:
        """Return a display of this proof, in words that do not depend on the problem."""
        return Display("Impossible: there are more cards than places in all hands together")

    @validate_arguments(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Return whether this is a valid proof that no deal satisfies the problem.

        The running time is linear in the number of players and sets.
        """
        return sum(problem.hands) < problem.cards

    @validate_arguments(problem=DealProblem)
    def in_words(self, problem: DealProblem) -> str:
        """Return the proof as a sentence about the given problem."""
        return TOO_FEW_PLACES(hands=sum(problem.hands), deal=problem.cards)


@dataclass(frozen=True, slots=True)
class CrossedBounds(Displayable):
    """Proof that no deal exists: a player's minimum for a set is above the player's maximum."""

    player: int
    set_index: int

    def picture(self) -> Display:
        """Return a display of this proof, in words that do not depend on the problem."""
        place = f"player {self.player} in set {self.set_index}"
        return Display(f"Impossible: the minimum of {place} is above the maximum")

    @validate_arguments(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Return whether this is a valid proof that no deal satisfies the problem."""
        if not (0 <= self.player < problem.players and 0 <= self.set_index < len(problem.sets)):
            return False
        constraint = problem.sets[self.set_index]
        return constraint.low[self.player] > constraint.high[self.player]

    @validate_arguments(problem=DealProblem)
    def in_words(self, problem: DealProblem) -> str:
        """Return the proof as a sentence about the given problem."""
        constraint = problem.sets[self.set_index]
        low, high = constraint.low[self.player], constraint.high[self.player]
        return CROSSED_BOUNDS(who=self.player, set=self.set_index, least=low, most=high)


@dataclass(frozen=True, slots=True)
class CrowdedHand(Displayable):
    """Proof that no deal exists: a player's minimums for all sets add up to more than the hand."""

    player: int

    def picture(self) -> Display:
        """Return a display of this proof, in words that do not depend on the problem."""
        return Display(f"Impossible: the minimums of player {self.player} exceed the hand")

    @validate_arguments(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Return whether this is a valid proof that no deal satisfies the problem.

        The running time is linear in the number of sets.
        """
        if not 0 <= self.player < problem.players:
            return False
        return sum(self._minimums(problem)) > problem.hands[self.player]

    def _minimums(self, problem: DealProblem) -> Iterable[int]:
        return (constraint.low[self.player] for constraint in problem.sets)

    @validate_arguments(problem=DealProblem)
    def in_words(self, problem: DealProblem, amount: str | None = None) -> str:
        """Return the proof as a sentence about the given problem.

        The text `amount`, if given, replaces the size of the hand in the sentence.
        """
        parts = ((index, low, "") for index, low in enumerate(self._minimums(problem)) if low)
        share = in_parts(AT_LEAST, parts, sum(self._minimums(problem)))
        hand = amount or CARDS(count=problem.hands[self.player])
        return CROWDED_HAND(who=self.player, amount=hand, share=share)


def coalition_bound(constraint: SetConstraint, coalition: int, witness: int) -> int:
    """Return an upper bound on the number of cards of one set that a coalition can hold.

    The coalition and the witness are groups of players, given as bit masks. The bound is the term
    for this set in the formula of the module docstring, where the groups are called A and X_s. The
    running time is linear in the number of cards of the set and the number of players.
    """
    bound = sum(1 for mask in constraint.owners if mask & witness)
    for player in players_in(coalition & ~witness):
        bound += constraint.high[player]
    for player in players_in(witness & ~coalition):
        bound -= constraint.low[player]
    return bound


@dataclass(frozen=True, slots=True)
class Shortage(Displayable):
    """Proof that no deal exists: a group of players cannot hold as many cards as it must hold.

    The module docstring has a formula for the number of cards that a group can hold.

    Attributes:
        coalition: the bit mask of the group (A in the formula), or 0 if the minimums of a single
            set are too large.
        witnesses: for each set s, the bit mask of the players in the witness (X_s in the formula).
    """

    coalition: int
    witnesses: tuple[int, ...]

    @classmethod
    def of(cls, players: Iterable[int], witnesses: Iterable[Iterable[int]]) -> Shortage:
        """Create a shortage from player numbers instead of bit masks.

        >>> Shortage.of([0, 2], [[0], [1, 2]])
        Shortage.of([0, 2], [[0], [1, 2]])
        """
        return cls(mask_of(players), tuple([mask_of(witness) for witness in witnesses]))

    def picture(self) -> Display:
        """Return a display of the proof: the group, and a table with the witness for each set."""
        rows = [heading_cells("set", "witness")]
        for index, witness in enumerate(self.witnesses):
            rows.append([Cell(str(index)), Cell(PLAIN.players(players_in(witness)))])
        coalition = PLAIN.players(players_in(self.coalition))
        return Display(f"Impossible: {coalition} must hold more cards than they can get", (), rows)

    def __repr__(self) -> str:
        witnesses = [list(players_in(witness)) for witness in self.witnesses]
        return f"Shortage.of({list(players_in(self.coalition))}, {witnesses})"

    @validate_arguments(problem=DealProblem)
    def holds(self, problem: DealProblem) -> bool:
        """Return whether this is a valid proof that no deal satisfies the problem.

        The running time is linear in the number of cards plus players x sets.
        """
        all_players = (1 << problem.players) - 1
        masks = (self.coalition, *self.witnesses)
        if len(self.witnesses) != len(problem.sets) or any(m < 0 or m > all_players for m in masks):
            return False
        return self._required_cards(problem) > sum(self._bounds(problem))

    def _required_cards(self, problem: DealProblem) -> int:
        return sum(problem.hands[player] for player in players_in(self.coalition))

    def _bounds(self, problem: DealProblem) -> list[int]:
        return [
            coalition_bound(constraint, self.coalition, witness)
            for constraint, witness in zip(problem.sets, self.witnesses, strict=True)
        ]

    @validate_arguments(problem=DealProblem)
    def in_words(self, problem: DealProblem, amount: str | None = None) -> str:
        """Return the proof as a sentence about the given problem.

        `amount` is a text for the number of cards in the hands that the sentence is about. The
        default is the number of cards of the `crowded_player`, or else of the coalition.
        """
        must, bounds = self._required_cards(problem), self._bounds(problem)
        for index, bound in enumerate(bounds):
            if bound < 0:
                # The minimums of players outside the coalition already exceed the number of cards
                # in the set.
                return self._minimums_in_words(problem, index)
        if self.coalition == (1 << problem.players) - 1:
            if must > problem.cards:
                cards = ONLY_CARDS(count=problem.cards) if problem.cards else NO_CARDS()
                return TOO_FEW_CARDS(hands=must, can=cards)
            return self._unplaced_in_words(problem, bounds)
        amounts: list[tuple[int, int, str]] = []
        for index, (bound, witness) in enumerate(zip(bounds, self.witnesses, strict=True)):
            if problem.sets[index].size:
                # For a single player, "may have at most N" would only repeat "at most N".
                capped = self.coalition & ~witness if self.coalition.bit_count() > 1 else 0
                why = self._why(problem.sets[index], witness, capped)
                amounts.append((index, bound, why))
        player, total = self.crowded_player(problem), sum(bounds)
        if player is not None:
            needed = [
                constraint.size - bound
                for constraint, bound in zip(problem.sets, bounds, strict=True)
            ]
            share = ((index, count, "") for index, count in enumerate(needed) if count)
            return CROWDED_HAND(
                who=player,
                amount=amount or CARDS(count=problem.hands[player]),
                share=in_parts(AT_LEAST, share, sum(needed)),
            )
        has_parts = total or any(why for _, _, why in amounts)
        return SHORT(
            who=players_in(self.coalition),
            amount=amount or CARDS(count=must),
            share=in_parts(AT_MOST, amounts, total) if has_parts else NONE(),
        )

    @validate_arguments(problem=DealProblem)
    def crowded_player(self, problem: DealProblem) -> int | None:
        """Return the player that `in_words` is about, or None if it is about the coalition.

        If there is only one player outside the coalition, the sentence may be about this player:
        their hand is too small for the cards that the coalition cannot hold.
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
        """Return, in words, the bounds that limit the group's cards of a set, or "" for none."""
        minimums: dict[int, list[int]] = {}
        for player in players_in(witness & ~self.coalition):
            minimums.setdefault(constraint.low[player], []).append(player)
        reasons = [
            (KEEPS if len(players) == 1 else EACH_KEEP)(who=players, least=low)
            for low, players in minimums.items()
            if low
        ]
        maximums: dict[int, list[int]] = {}
        for player in players_in(capped):
            if not constraint.bound_is_loose(player):
                maximums.setdefault(constraint.high[player], []).append(player)
        for high, players in maximums.items():
            may_have = EACH_MAY_HAVE if high and len(players) > 1 else MAY_HAVE
            reasons.append(may_have(who=players, most=_amount(AT_MOST, high)))
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
        reason = self._why(constraint, self.witnesses[index], 0) if len(players) > 1 else ""
        cards = _because(CARDS_OF(count=needed, set=index), reason)
        if ownable == constraint.size:
            return TOO_MANY_KEPT(who=players, least=cards, most=ownable)
        return TOO_FEW_OWNED(who=players, least=cards, most=_amount(ONLY, ownable))

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
        placed = _amount(ONLY, bound)
        return _because(UNPLACED(some=placed, size=constraint.size, set=index), why)


Certificate: TypeAlias = Shortage | TooManyCards | CrossedBounds | CrowdedHand
"""A proof that no deal exists. Each type of proof has the methods `holds(problem)` and
`in_words(problem)`."""


def copy_certificate(value: object) -> Certificate | None:
    """Return a copy of a solver's proof that no deal exists.

    The result is None if the value does not have exactly one of the four types of `Certificate`.
    The copy contains only exact `int` and `tuple` objects, so checking it runs no code of the
    solver.
    """
    if type(value) is Shortage:
        coalition = getattr(value, "coalition", None)
        witnesses = getattr(value, "witnesses", None)
        if type(witnesses) is not tuple or type(coalition) is not int:
            return None
        return Shortage(coalition, witnesses) if all(type(x) is int for x in witnesses) else None
    if type(value) is TooManyCards:
        return TooManyCards()
    if type(value) is CrowdedHand:
        player = getattr(value, "player", None)
        return CrowdedHand(player) if type(player) is int else None
    if type(value) is CrossedBounds:
        player, index = getattr(value, "player", None), getattr(value, "set_index", None)
        if type(player) is int and type(index) is int:
            return CrossedBounds(player, index)
    return None


def simple_certificate(problem: DealProblem) -> Certificate | None:
    """Return a proof that no deal exists, if it follows directly from the hands and bounds.

    There is such a proof if a player's minimum for a set is above the maximum, the hand sizes do
    not add up to the number of cards, or a player's minimums add up to more than the hand size.
    Otherwise, return None. The running time is linear in players x sets.
    """
    hands, sets = problem
    for index, (_, lows, highs) in enumerate(sets):
        if any(map(gt, lows, highs)):
            return CrossedBounds(list(map(gt, lows, highs)).index(True), index)
    places, cards = sum(hands), problem.cards
    if places < cards:
        return TooManyCards()
    if places > cards:
        everybody = (1 << problem.players) - 1
        return Shortage(everybody, (everybody,) * len(sets))
    minimums = map(sum, zip(*[lows for _, lows, _ in sets], strict=True))
    crowded = list(map(gt, minimums, hands))
    return CrowdedHand(crowded.index(True)) if True in crowded else None
