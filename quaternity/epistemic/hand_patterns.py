"""Test whether some players, who see their own hands, can be sure that a case is false.

A case restricts the owners of some cards. A *coalition* is a group of players. By the coalition
theorem (see `solvers.shortage`), a case is impossible iff the hands of some coalition are larger
than the number of cards that it can hold. So the seen hands exclude the case iff this is true of a
coalition of the other players. The *pattern* of a set says which of its cards are in which seen
hand. It determines how many cards of the set a coalition can hold. Dynamic programming over the
sets finds the smallest total for any seen hands. It often shows at once that no hands exclude the
case.
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
"""Maximum number of players with unseen hands. If there are more, no patterns are listed."""
MAX_OPTIONS = 4_000
"""Maximum length of the list of all ways to deal the cards of one set."""
MAX_WORK = 1e8
"""Maximum number of steps of the search for the fewest cards that a group of players can hold. If
the search would take more steps, it is skipped."""

Pattern: TypeAlias = tuple[int, ...]
"""A tuple that says which cards of a set are in the seen hands. For each card, it contains the
player who is seen to hold it, or -1 if no seen hand contains it."""
Counts: TypeAlias = tuple[int, ...]
"""A tuple that contains, for each player, the number of cards of one set in the player's hand."""


def set_options(constraint: SetConstraint, seen: int) -> set[tuple[Counts, Pattern]] | None:
    """Return the ways to deal the cards of a set, as pairs (counts, pattern).

    The counts say how many cards each player gets. The pattern says which cards are in which of the
    seen hands. `seen` is a bit mask of the players with these hands. Return None if there are more
    than `MAX_OPTIONS` pairs.
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
    """All ways in which the cards of each set can be distributed among the seen hands.

    A pattern describes such a way for one set (see `Pattern`).

    Attributes:
        public: The problem with the public information, to which the unseen hands must fit.
        coalitions: Bit masks of all groups of players whose hands are not seen, beginning with the
            empty group. The empty group also represents patterns with which a set cannot be dealt.
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
        # A case restricts the owners in only a few sets, so the results for the other sets can be
        # reused for the next case.
        self._shares = cache(self._new_shares)
        self._costs = cache(self._new_costs)

    @cached_property
    def options(self) -> list[set[tuple[Counts, Pattern]]] | None:
        """The ways to deal each set (see `set_options`), or None if there are too many."""
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
        """Return all ways to distribute the cards of a set among the hands that are seen."""
        assert self.options is not None
        return sorted({pattern for _, pattern in self.options[index]})

    def shares(self, index: int, pattern: Pattern, case: Case) -> list[int] | None:
        """Return the maximum number of cards of a set that each of the `coalitions` can hold.

        A coalition is a group of players. The pattern says which cards are in the seen hands, and
        `case` restricts the owners of some cards. Return None if the set cannot be dealt.
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
        """Return how many cards a group of players holds. The group is a bit mask."""
        return sum(self.public.hands[player] for player in players_in(coalition))

    def provable_coalitions(self, case: Case) -> list[int] | None:
        """Return the groups of players that can prove, for some seen hands, that a case is false.

        A group proves this if its hands are larger than the number of cards that it can own in the
        case. This number depends on the hands of the players `seen`. The result contains the index
        in `coalitions` of each group that proves it for at least one choice of these hands. If an
        exact answer would take too much work, the result may contain further groups. Return None
        if there are too many patterns.
        """
        if self.options is None:
            return None
        key = self._case_key(case)
        if key not in self._provable:
            self._provable[key] = self._short_coalitions(case)
        return self._provable[key]

    def _case_key(self, case: Case) -> object:
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
        # A first bound ignores the sizes of hands. It is quick to compute and usually sufficient.
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
        import numpy as np

        from quaternity.epistemic.smallest_totals import Options

        assert self.options is not None
        # If a pattern makes the set impossible, the empty coalition is short of cards and the
        # others are not.
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
    """Return the `HandPatterns` for the hands of the players `seen`. The results are cached.

    The seen hands are hands in a deal of `problem`. The unseen hands must fit `public`.
    """
    return HandPatterns(problem, public, seen)
