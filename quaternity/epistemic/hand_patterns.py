"""What the hands that players see can look like, set by set, and what each look proves.

To know that something is impossible is to see a hand that leaves some coalition of the other
players short of cards (see `solvers.shortage`). What the coalition can hold is a sum over sets, and
the share of one set depends only on the *pattern* in which the seen hands lie in it. So the
smallest total that any deal can bring about is a dynamic programme over sets, whose state is the
cards dealt so far: often it shows at once that nobody could ever know such a thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TypeAlias

from quaternity.cards import Card
from quaternity.epistemic.propositional import Case
from solvers.coalition_tables import lanes_for
from solvers.problem import DealProblem, SetConstraint, mask_of, players_in

MAX_OTHERS = 6
"""With more players whose hands are not seen, their coalitions are not listed."""
MAX_OPTIONS = 4_000
"""With more (counts, pattern) pairs, a set's patterns are not listed."""
MAX_BOUND_WORK = 30_000_000
"""With more steps, smallest totals are not looked for."""

Pattern: TypeAlias = tuple[int, ...]
"""Per card of a set the seen player who holds it, or -1."""
Counts: TypeAlias = tuple[int, ...]
"""Per player the number of cards of a set."""


def set_options(constraint: SetConstraint, seen: int) -> set[tuple[Counts, Pattern]] | None:
    """Every pattern of some players' hands in a set, with the counts that it can come with.

    Args:
        seen: bit mask of the players whose cards the pattern shows.

    None when there are more than `MAX_OPTIONS`.
    """
    found: set[tuple[Counts, Pattern]] = {((0,) * constraint.players, ())}
    for mask in constraint.owners:
        grown = set()
        for counts, pattern in found:
            for player in players_in(mask):
                if counts[player] < constraint.high[player]:
                    more = (*counts[:player], counts[player] + 1, *counts[player + 1 :])
                    grown.add((more, (*pattern, player if seen >> player & 1 else -1)))
        if len(grown) > MAX_OPTIONS:
            return None
        found = grown
    return {
        (counts, pattern)
        for counts, pattern in found
        if all(count >= low for count, low in zip(counts, constraint.low, strict=True))
    }


class HandPatterns:
    """The patterns of some players' hands in the deals of a problem.

    Attributes:
        problem: the deals that are meant.
        public: the public problem that the deals belong to.
        seen: the players whose hands are seen.
        coalitions: bit masks of the coalitions of other players; the empty one comes first, and
            falls short only where a pattern leaves no way to deal a set.
    """

    def __init__(self, problem: DealProblem, public: DealProblem, seen: tuple[int, ...]) -> None:
        self.problem, self.public, self.seen = problem, public, seen
        self._seen = mask_of(seen)
        others = [player for player in range(public.players) if player not in seen]
        self.coalitions = [
            mask_of(player for bit, player in enumerate(others) if number >> bit & 1)
            for number in range(1 << min(len(others), MAX_OTHERS))
        ]
        self._many = len(others) > MAX_OTHERS
        largest = max((one.size for one in public.sets), default=0)
        self._layout = lanes_for(public.players, public.cards, largest) if not self._many else None
        self._provable: dict[object, list[int]] = {}
        self._tables: dict[tuple[int, Pattern, tuple[int, ...]], list[int] | None] = {}

    @cached_property
    def options(self) -> list[set[tuple[Counts, Pattern]]] | None:
        """Per set its counts and patterns, or None where they are too many to list."""
        if self._many:
            return None
        listed = []
        for constraint in self.problem.sets:
            options = set_options(constraint, self._seen)
            if options is None:
                return None
            listed.append(options)
        return listed

    def patterns(self, index: int) -> list[Pattern]:
        """The patterns in one set, ascending."""
        assert self.options is not None
        return sorted({pattern for _, pattern in self.options[index]})

    def shares(self, index: int, pattern: Pattern, case: Case) -> list[int] | None:
        """Per coalition, the most cards of a set it can hold in a case, beside a pattern.

        None where the pattern leaves no way to deal the set in that case.
        """
        constraint = self.public.sets[index]
        allowed = tuple(
            owners & case.get(Card(index, number), owners)
            for number, owners in enumerate(constraint.owners)
        )
        key = (index, pattern, allowed)
        if key not in self._tables:
            self._tables[key] = self._shares(constraint, pattern, allowed)
        return self._tables[key]

    def _shares(
        self, constraint: SetConstraint, pattern: Pattern, allowed: Sequence[int]
    ) -> list[int] | None:
        assert self._layout is not None
        rest = []
        for who, mask in zip(pattern, allowed, strict=True):
            if who < 0:
                rest.append(mask & ~self._seen)
            elif not mask >> who & 1:
                return None
        low, high = (
            tuple(0 if self._seen >> player & 1 else bound for player, bound in enumerate(bounds))
            for bounds in (constraint.low, constraint.high)
        )
        table = self._layout.table(tuple(sorted(rest)), low, high)
        if table < 0:
            return None
        return [self._layout.lane(table, coalition) for coalition in self.coalitions]

    def hand(self, coalition: int) -> int:
        """The cards that a coalition must hold."""
        return sum(self.public.hands[player] for player in players_in(coalition))

    def provable(self, case: Case) -> list[int] | None:
        """The coalitions (as numbers into `coalitions`) that some deal leaves short in a case.

        Where that is too much work to find out, some coalitions may be listed that none does.
        None when the patterns are too many to list.

        Cost: per set one look at its patterns; then, unless that settles it, (counts of the set) x
        (states of the hands) x (coalitions left), in NumPy.
        """
        if self.options is None:
            return None
        key = self._alike(case)
        if key not in self._provable:
            self._provable[key] = self._short_ones(case)
        return self._provable[key]

    def _alike(self, case: Case) -> object:
        """Equal for cases that differ only in the names of cards and sets."""
        rows = []
        for index, (inner, outer) in enumerate(
            zip(self.problem.sets, self.public.sets, strict=True)
        ):
            cards = [
                (mine, wide, wide & case.get(Card(index, number), wide))
                for number, (mine, wide) in enumerate(zip(inner.owners, outer.owners, strict=True))
            ]
            rows.append((sorted(cards), inner.low, inner.high, outer.low, outer.high))
        return repr(sorted(rows))

    def _short_ones(self, case: Case) -> list[int]:
        assert self.options is not None
        cheapest = [self._cheapest(index, case) for index in range(len(self.options))]
        if not all(cheapest):
            return []
        hands = [self.hand(coalition) for coalition in self.coalitions]
        # First without regard to hands, which is quick and mostly enough.
        totals = [0] * len(hands)
        for options in cheapest:
            for number, shares in enumerate(zip(*options.values(), strict=True)):
                totals[number] += min(shares)
        chosen = [number for number, hand in enumerate(hands) if totals[number] < hand]
        if not chosen:
            return []
        steps = [
            {counts: [shares[number] for number in chosen] for counts, shares in options.items()}
            for options in cheapest
        ]
        least = smallest_totals(self.problem.hands, len(chosen), steps)
        if least is None:
            return chosen
        return [
            number for number, total in zip(chosen, least, strict=True) if total < hands[number]
        ]

    def _cheapest(self, index: int, case: Case) -> Mapping[Counts, list[int]]:
        """Per counts of a set, for each coalition the smallest share over the patterns."""
        assert self.options is not None
        cheapest: dict[Counts, list[int]] = {}
        for counts, pattern in self.options[index]:
            shares = self.shares(index, pattern, case) or [self.never] * len(self.coalitions)
            if counts in cheapest:
                shares = list(map(min, cheapest[counts], shares))
            cheapest[counts] = shares
        return cheapest

    @property
    def never(self) -> int:
        """The share of a set that cannot be dealt: so little that every coalition falls short."""
        return -self.public.cards - 1


def smallest_totals(
    hands: Counts, number: int, steps: Sequence[Mapping[Counts, Sequence[int]]]
) -> list[int] | None:
    """For each of some costs, the smallest sum over sets, one option each, that fills the hands.

    Args:
        number: of costs.
        steps: per set and counts (its cards per player), the costs.

    None when that is too much work. Where no options fill the hands, a sum is very large.
    """
    import numpy as np

    # Certain cards are taken out, so that the table of hands stays small.
    bases = [tuple(map(min, zip(*options, strict=True))) for options in steps]
    room = [hand - sum(base[player] for base in bases) for player, hand in enumerate(hands)]
    far = 1 << 28
    if min(room) < 0:
        return [far] * number
    # One player's cards follow from those of the others.
    left_out = max(range(len(room)), key=room.__getitem__)
    axes = [player for player in range(len(room)) if player != left_out]
    shape = tuple(room[player] + 1 for player in axes)
    if prod(shape) * number * sum(map(len, steps)) > MAX_BOUND_WORK:
        return None
    totals = np.full((number, *shape), far, dtype=np.int32)
    totals.reshape(number, -1)[:, 0] = 0
    whole = slice(None)
    for options, base in zip(steps, bases, strict=True):
        after = np.full_like(totals, far)
        for counts, costs in options.items():
            added = [counts[player] - base[player] for player in axes]
            if any(more >= size for more, size in zip(added, shape, strict=True)):
                continue
            comes: list[slice] = [slice(0, s - a) for a, s in zip(added, shape, strict=True)]
            goes: list[slice] = [slice(a, None) for a in added]
            column = np.array(costs, dtype=np.int32).reshape(number, *[1 for _ in shape])
            reached = after[(whole, *goes)]
            np.minimum(reached, totals[(whole, *comes)] + column, out=reached)
        totals = after
    return [int(total) for total in totals.reshape(number, -1)[:, -1]]


__all__ = ["MAX_OTHERS", "HandPatterns", "Pattern", "set_options", "smallest_totals"]
