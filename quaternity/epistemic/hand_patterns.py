"""Possible shapes of the hands that players see, set by set, and what each shape proves.

To know that something is impossible is to see a hand that leaves a coalition of the other players
short of cards (see `solvers.shortage`). The number of cards that the coalition can hold is a sum
over sets, and the share of one set depends only on the *pattern* in which the seen hands lie in it.
So the smallest total over all deals can be computed by dynamic programming over sets, whose state
is the cards dealt so far. It often shows at once that nobody could ever know such a thing.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias

from quaternity.epistemic.propositional import Case
from quaternity.game.cards import Card
from solvers.coalition_tables import layout_for
from solvers.problem import DealProblem, SetConstraint, mask_of, players_in

if TYPE_CHECKING:
    from quaternity.epistemic.smallest_totals import Numbers, Options

MAX_OTHERS = 7
"""Maximum number of players with unseen hands for which coalitions are listed."""
MAX_OPTIONS = 4_000
"""Maximum number of (counts, pattern) pairs of a set for which its patterns are listed."""
MAX_WORK = 1e8
"""Maximum number of steps of the search for the smallest totals."""

Pattern: TypeAlias = tuple[int, ...]
"""For each card of a set, the seen player who holds it, or -1."""
Counts: TypeAlias = tuple[int, ...]
"""For each player, the number of cards of a set."""


def set_options(constraint: SetConstraint, seen: int) -> set[tuple[Counts, Pattern]] | None:
    """Return every pattern of the seen hands in a set, with the counts that it can have.

    `seen` is a bit mask of players. Return None if there are more than `MAX_OPTIONS`.
    """
    options: set[tuple[Counts, Pattern]] = {((0,) * constraint.players, ())}
    for mask in constraint.owners:
        grown = set()
        for counts, pattern in options:
            for player in players_in(mask):
                if counts[player] < constraint.high[player]:
                    more = (*counts[:player], counts[player] + 1, *counts[player + 1 :])
                    grown.add((more, (*pattern, player if seen >> player & 1 else -1)))
        if len(grown) > MAX_OPTIONS:
            return None
        options = grown
    return {
        (counts, pattern)
        for counts, pattern in options
        if all(count >= low for count, low in zip(counts, constraint.low, strict=True))
    }


class HandPatterns:
    """The patterns of some players' hands in the deals of a problem.

    Attributes:
        public: The public problem that the deals belong to.
        coalitions: Bit masks of coalitions of other players. The first one is empty; it stands for
            the patterns that leave no way to deal a set. The others are checked only with other
            patterns.
    """

    def __init__(self, problem: DealProblem, public: DealProblem, seen: tuple[int, ...]) -> None:
        self.problem, self.public, self.seen = problem, public, seen
        self._seen = mask_of(seen)
        others = [player for player in range(public.players) if player not in seen]
        self.coalitions = [
            mask_of(player for bit, player in enumerate(others) if number >> bit & 1)
            for number in range(1 << min(len(others), MAX_OTHERS))
        ]
        self._has_too_many = len(others) > MAX_OTHERS
        largest = max((constraint.size for constraint in public.sets), default=0)
        self._layout = (
            layout_for(public.players, public.cards, largest) if not self._has_too_many else None
        )
        self._provable: dict[object, list[int]] = {}
        # A case restricts few sets, so the results for the other sets are reused in the next case.
        self._shares = cache(self._new_shares)
        self._costs = cache(self._new_costs)

    @cached_property
    def options(self) -> list[set[tuple[Counts, Pattern]]] | None:
        """The (counts, pattern) pairs of each set, or None if there are too many."""
        if self._has_too_many:
            return None
        listed = []
        for constraint in self.problem.sets:
            options = set_options(constraint, self._seen)
            if options is None:
                return None
            listed.append(options)
        return listed

    def patterns(self, index: int) -> list[Pattern]:
        """Return the patterns in one set, in ascending order."""
        assert self.options is not None
        return sorted({pattern for _, pattern in self.options[index]})

    def shares(self, index: int, pattern: Pattern, case: Case) -> list[int] | None:
        """Return for each coalition the maximum number of cards of a set that it can hold.

        The case restricts the owners, and the seen hands have the given pattern. Return None if the
        set cannot be dealt so.
        """
        return self._shares(index, pattern, self._allowed_owners(index, case))

    def _allowed_owners(self, index: int, case: Case) -> tuple[int, ...]:
        if all(card.set_index != index for card in case):
            return self.public.sets[index].owners
        return tuple(
            [
                owners & case.get(Card.unchecked(index, number), owners)
                for number, owners in enumerate(self.public.sets[index].owners)
            ]
        )

    def _new_shares(
        self, index: int, pattern: Pattern, allowed: tuple[int, ...]
    ) -> list[int] | None:
        assert self._layout is not None
        constraint, unseen = self.public.sets[index], []
        for holder, mask in zip(pattern, allowed, strict=True):
            if holder < 0:
                unseen.append(mask & ~self._seen)
            elif not mask >> holder & 1:
                return None
        low, high = (
            tuple(0 if self._seen >> player & 1 else bound for player, bound in enumerate(bounds))
            for bounds in (constraint.low, constraint.high)
        )
        table = self._layout.table(tuple(sorted(unseen)), low, high)
        if table < 0:
            return None
        return [self._layout.lane(table, coalition) for coalition in self.coalitions]

    def required_cards(self, coalition: int) -> int:
        """Return the number of cards that a coalition must hold."""
        return sum(self.public.hands[player] for player in players_in(coalition))

    def provable_coalitions(self, case: Case) -> list[int] | None:
        """Return the coalitions that some deal leaves short in a case, as indices of `coalitions`.

        If the exact answer would take too much work, the result may contain coalitions that no deal
        leaves short. Return None if there are too many patterns.

        Cost: one pass over the patterns of each set; then, unless that decides it, (counts of the
        set) x (states of the hands) x (remaining coalitions) for each set, in NumPy.
        """
        if self.options is None:
            return None
        key = self._case_key(case)
        if key not in self._provable:
            self._provable[key] = self._short_coalitions(case)
        return self._provable[key]

    def _case_key(self, case: Case) -> object:
        """Return a key that is equal for cases that differ only in the names of cards and sets."""
        rows = []
        for index, (inner, outer) in enumerate(
            zip(self.problem.sets, self.public.sets, strict=True)
        ):
            cards = [
                (narrow, wide, wide & case.get(Card.unchecked(index, number), wide))
                for number, (narrow, wide) in enumerate(
                    zip(inner.owners, outer.owners, strict=True)
                )
            ]
            rows.append((sorted(cards), inner.low, inner.high, outer.low, outer.high))
        return repr(sorted(rows))

    def _short_coalitions(self, case: Case) -> list[int]:
        from quaternity.epistemic.smallest_totals import lower_bounds, smallest_totals

        assert self.options is not None
        if not all(self.options):
            return []
        allowed = [self._allowed_owners(index, case) for index in range(len(self.options))]
        steps = [self._costs(index, owners) for index, owners in enumerate(allowed)]
        needed = [self.required_cards(coalition) for coalition in self.coalitions]
        # First ignore the sizes of hands, which is quick and usually sufficient.
        least = lower_bounds(steps)
        chosen = [number for number, hand in enumerate(needed) if least[number] < hand]
        if not chosen:
            return []
        hands = self.problem.hands
        totals = smallest_totals(hands, [step.with_kinds(chosen) for step in steps], MAX_WORK)
        if totals is None:
            return chosen
        return [
            number for number, total in zip(chosen, totals, strict=True) if total < needed[number]
        ]

    def _new_costs(self, index: int, allowed: tuple[int, ...]) -> Options:
        """Return, for each counts of a set, each coalition's smallest share over the patterns."""
        import numpy as np

        from quaternity.epistemic.smallest_totals import Options

        assert self.options is not None
        # If a set cannot be dealt, the empty coalition falls short and the others do not.
        nothing = [-1, *[self.public.cards + 1] * (len(self.coalitions) - 1)]
        costs = {
            pattern: np.array(self._shares(index, pattern, allowed) or nothing, dtype=np.int32)
            for pattern in self.patterns(index)
        }
        cheapest: dict[Counts, Numbers] = {}
        for counts, pattern in self.options[index]:
            before = cheapest.get(counts)
            now = costs[pattern]
            cheapest[counts] = now if before is None else np.minimum(before, now)
        return Options(np.array(list(cheapest), dtype=np.int32), np.stack(list(cheapest.values())))


@lru_cache(maxsize=64)
def hand_patterns(problem: DealProblem, public: DealProblem, seen: tuple[int, ...]) -> HandPatterns:
    """Return the patterns of some hands; a cache keeps them for further questions."""
    return HandPatterns(problem, public, seen)
