"""Coalition tables: for every coalition of players, the most cards it can hold, in one integer.

For one set and a coalition A let f(A) be the most cards of the set that A can hold (the minimum of
the inequality in `solvers.shortage` over its witness). The vectors "how many cards of the set each
player gets" are the integer points of the base polytope of f, a polymatroid; sums of such polytopes
have the sum of the rank functions and keep integrality (Edmonds; Frank and Tardos; Fujishige,
*Submodular Functions and Optimization*). Hence a problem is feasible iff every set is possible on
its own, the hands add up, and for every coalition  h(A) <= sum over sets of f(A).

A table is the 2^P numbers f(A) packed into the *lanes* of one Python integer: lane A holds f(A),
and the top bit of every lane is left free as a guard. Adding tables adds all their lanes; "every
lane of x is at least the lane of y" is one subtraction from x with the guards set, and one mask.

Cost: a table takes P passes, each about twenty operations on an integer of 2^P lanes; the memory
of a table is 2^P lanes of 1, 2 or 4 bytes. It doubles with every player, up to `MAX_PLAYERS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from threading import Lock
from weakref import WeakValueDictionary

from quaternity.base.memo import Memo, bytes_of
from solvers.problem import DealProblem, SetConstraint, players_in

MAX_PLAYERS = 12
"""Maximum number of players for which a table is made; it has 4096 lanes then."""

MEETINGS_KEPT = 8
"""Most players for which the lanes of every owner mask are kept: 256 masks, at most 0.5 MiB."""

FEW_MASKS = 8
"""Up to this number of distinct owner masks, cards are added mask by mask."""

IMPOSSIBLE = -1
"""Stands for the table of a set that no deal fits."""

Looks = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""A set without the order of its cards: the owner masks, ascending, and the bounds."""


def looks_of(constraint: SetConstraint) -> Looks:
    """Return what sets that differ only in the order of their cards have in common."""
    return tuple(sorted(constraint.owners)), constraint.low, constraint.high


class _Meetings(dict[int, int]):
    """Lanes by owner mask, made when first looked up; kept while players are few."""

    def __init__(self, member: Sequence[int]) -> None:
        super().__init__()
        self.member = member

    def __missing__(self, mask: int) -> int:
        lanes = 0
        for player in players_in(mask):
            lanes |= self.member[player]
        if len(self.member) <= MEETINGS_KEPT:
            self[mask] = lanes
        return lanes


class Lanes:
    """The layout of packed tables: one lane per coalition, `width` bits each.

    Attributes:
        bits: of all lanes together.
        ones: 1 in every lane.
        guard: the top bit of every lane.
        member: per player p, 1 in every lane whose coalition contains p.
        meeting: per owner mask, 1 in every lane whose coalition shares a player with it.
        everybody: the coalition of all players; the number of lanes less one.
    """

    __slots__ = (
        "__weakref__", "_absent", "_end_ones", "_ends", "_inside", "_no_minimum", "_outside",
        "bits", "everybody", "guard", "meeting", "member", "ones", "players",
        "width",
    )  # fmt: skip

    def __init__(self, players: int, width: int) -> None:
        self.players, self.width = players, width
        self.everybody = (1 << players) - 1
        self.bits = width << players
        every_bit = (1 << self.bits) - 1
        self.ones = every_bit // ((1 << width) - 1)
        self.guard = self.ones << (width - 1)
        low_lane = (1 << width) - 1
        self.member = []
        for player in range(players):
            # 2^player lanes without the player, as many with, and so on.
            span = width << player
            run = ((1 << span) - 1) // low_lane << span
            self.member.append(run * (every_bit // ((1 << 2 * span) - 1)))
        # All bits of the lanes with, and without, a player.
        self._inside = [member * low_lane for member in self.member]
        self.meeting = _Meetings(self.member)
        self._absent = [self.ones - member for member in self.member]
        self._outside = [absent * low_lane for absent in self._absent]
        # The guards of these lanes.
        self._no_minimum = [absent << (width - 1) for absent in self._absent]
        # Nobody's and everybody's lane: 1 in each, and all their bits.
        self._end_ones = 1 | 1 << self.everybody * width
        self._ends = self._end_ones * low_lane

    def packed_hands(self, hands: Sequence[int]) -> int:
        """Return per lane the cards in the hands of its coalition."""
        return sum([hand * self.member[player] for player, hand in enumerate(hands) if hand])

    def meetings(self, owners: tuple[int, ...]) -> int:
        """Return per lane how many of the cards a player of its coalition may own.

        Cost: an addition per distinct mask; where they are many, a lane per card and P passes.
        """
        meeting = self.meeting
        if len(owners) <= FEW_MASKS:
            return sum([meeting[mask] for mask in owners])
        counts = Counter(owners)
        if len(counts) <= FEW_MASKS:
            return sum([number * meeting[mask] for mask, number in counts.items()])
        # Every card starts in the lane of the players who cannot own it, and goes on to all lanes
        # within: the coalitions that it does not meet.
        step, everybody = self.width // 8, self.everybody
        lanes = bytearray(step << self.players)
        for mask, number in counts.items():
            first = step * (everybody ^ mask)
            lanes[first : first + step] = number.to_bytes(step, "little")
        missed = int.from_bytes(lanes, "little")
        for player in range(self.players):
            missed += (missed & self._inside[player]) >> (self.width << player)
        return self.ones * len(owners) - missed

    def lane(self, packed: int, coalition: int) -> int:
        """Return one number of a packed table."""
        return packed >> (coalition * self.width) & ((1 << self.width) - 1)

    def table(self, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]) -> int:
        """Return the packed f of one set, or `IMPOSSIBLE` if no deal of the set exists; kept.

        `owners` must be sorted, so that sets that differ in the order of cards share a table.
        """
        return kept_tables[self, owners, low, high]

    def made_table(
        self, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
    ) -> int:
        """Make a `table` without looking it up."""
        size = len(owners)
        if sum(low) > size or any(a > b for a, b in zip(low, high, strict=True)):
            return IMPOSSIBLE
        ranks = self.meetings(owners)
        if min(high, default=0) >= size:
            return self.settling(low, size)(ranks)
        # Shifted up by `size`, so that no lane goes below 0 on the way.
        packed = ranks + self.ones * size
        ones, guard, top = self.ones, self.guard, self.width - 1
        # Lanes are indexed by the witness X at first; each pass turns one player's bit from
        # "in X" to "in A", keeping the smaller of the two ways.
        for player in range(self.players):
            shift = self.width << player
            without = packed & self._outside[player]
            within = (packed & self._inside[player]) >> shift
            lane_ones = ones - self.member[player]
            first = within - low[player] * lane_ones if low[player] else within
            second = without + min(high[player], size) * lane_ones
            keep = ((without | guard) - first) & guard
            smaller = without ^ ((without ^ first) & (keep - (keep >> top)))
            keep = ((second | guard) - within) & guard
            packed = smaller | (second ^ ((second ^ within) & (keep - (keep >> top)))) << shift
        if self.lane(packed, 0) != size or self.lane(packed, self.everybody) != 2 * size:
            return IMPOSSIBLE
        return packed - ones * size

    def settling(self, low: Sequence[int], size: int) -> Callable[[int], int]:
        """Return a function that turns ranks into the table of a set with these minimums.

        The ranks are packed: per coalition, the cards that somebody in it may own (see `meeting`).
        The function gives the table, or `IMPOSSIBLE`. No upper bound may matter.

        Only minimums cost a pass: a coalition loses what a player outside it must hold and does not
        add to it. A player without bounds changes nothing, since the rank grows with its argument
        by no more than the number of cards. If the minimums add up to `size`, no pass is needed:
        the set is possible iff every coalition can own what it must hold (Hall), and then holds
        exactly that.
        """
        held, guard = sum(low), self.guard
        if held > size:
            return _impossible
        if held == size:
            counts = self.packed_hands(low)
            return lambda ranks: counts if (ranks + guard - counts) & guard == guard else IMPOSSIBLE
        top, lift = self.width - 1, self.ones * size
        passes = [
            (self._outside[player], self.width << player, minimums + least * self._absent[player])
            for player, (least, minimums) in enumerate(zip(low, self._no_minimum, strict=True))
            if least
        ]
        ends, right = self._ends, size * self._end_ones + (size << self.everybody * self.width)

        def settled(ranks: int) -> int:
            # Shifted up by `size`, so that no lane goes below 0 on the way.
            packed = ranks + lift
            for outside, shift, minimums in passes:
                short = minimums + (packed & outside) - (packed >> shift & outside)
                keep = short & guard
                packed -= short & (keep - (keep >> top))
            return packed - lift if packed & ends == right else IMPOSSIBLE

        return settled

    def tight(self, ranks: int, counts: int) -> int | None:
        """Return 1 in each lane that can own no more than it must hold; None if one cannot.

        Args:
            ranks: as for `settling`.
            counts: packed, the cards that every coalition must hold; they are all cards of the set.

        Such a set stays possible when fewer players may own a card iff no tight coalition that
        could own the card loses it.
        """
        spare = ranks + self.guard - counts
        if not self.fits(spare):
            return None
        return ((spare - self.ones) & self.guard ^ self.guard) >> (self.width - 1)

    def table_of(self, constraint: SetConstraint) -> int:
        """Return the packed table of a set with its cards in any order, or `IMPOSSIBLE`."""
        return self.table(*looks_of(constraint))

    def slack(self, tables: Iterable[int], hands: Sequence[int]) -> int:
        """Return per lane what the sets can hold beyond the hands, with every guard set.

        `tables` are those of all sets, none of them impossible. The problem is feasible iff the
        hands add up to the cards and `fits` accepts the result.
        """
        return (sum(tables) | self.guard) - self.packed_hands(hands)

    def fits(self, slack: int) -> bool:
        """Return whether no coalition must hold more than it can."""
        return slack & self.guard == self.guard

    def feasible_slack(self, tables: Sequence[int], hands: Sequence[int], cards: int) -> int | None:
        """Return the slack of a feasible problem; None when the problem is infeasible.

        `tables` may contain `IMPOSSIBLE`; `cards` counts those of all sets together.
        """
        if IMPOSSIBLE in tables or sum(hands) != cards:
            return None
        slack = self.slack(tables, hands)
        return slack if self.fits(slack) else None

    def first_violated(self, slack: int) -> int | None:
        """Return the smallest coalition (as a number) whose lane lost its guard bit, or None."""
        lost = ~slack & self.guard
        if not lost:
            return None
        return ((lost & -lost).bit_length() - 1) // self.width


@Memo
def kept_tables(
    layout: Lanes, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
) -> tuple[int, int]:
    """Return the table of a set, and the bytes of it, its key and its place in the memo."""
    size = bytes_of(5, len(owners) + 2 * layout.players, layout.everybody, layout.bits)
    return layout.made_table(owners, low, high), size


_MAKING = Lock()
_LAYOUTS: WeakValueDictionary[tuple[int, int], Lanes] = WeakValueDictionary()


@lru_cache(maxsize=16)
def lanes(players: int, largest: int) -> Lanes:
    """Return the layout for a number of players and for lane values up to `largest`.

    At most 16 layouts are kept, each with the cache of its tables.
    """
    width = next(width for width in (8, 16, 32, 64) if largest < 1 << (width - 1))
    with _MAKING:
        layout = _LAYOUTS.get((players, width))
        if layout is None:
            layout = _LAYOUTS[players, width] = Lanes(players, width)
        return layout


def lanes_for(players: int, cards: int, largest_set: int) -> Lanes:
    """Return the layout for problems of up to `cards` cards, sets of up to `largest_set`.

    Sums of tables reach the number of cards; making a table passes through three times its set.
    """
    width = next(w for w in (8, 16, 32, 64) if max(cards + 1, 4 * largest_set) < 1 << (w - 1))
    return lanes(players, (1 << (width - 1)) - 1)


def lanes_of(problem: DealProblem) -> Lanes:
    """Return the layout that fits a problem."""
    largest = cards = 0
    for constraint in problem.sets:
        size = len(constraint.owners)
        cards += size
        if size > largest:
            largest = size
    return lanes_for(len(problem.hands), cards, largest)


def tightest_witness(constraint: SetConstraint, coalition: int) -> int:
    """Return a witness X that minimizes the coalition inequality of one set.

    Cost: that of `Lanes.meetings` and P additions to 2^P wide lanes, then a look at every lane.
    """
    layout = lanes(constraint.players, 1 << 60)
    packed = layout.ones * sum(constraint.low) + layout.meetings(constraint.owners)
    for player in range(constraint.players):
        if coalition >> player & 1:
            # A bound beyond the set must lose against the player's own cards, never tie.
            most = min(constraint.high[player], constraint.size + 1)
            packed += most * (layout.ones - layout.member[player])
        else:
            packed -= constraint.low[player] * layout.member[player]
    in_bytes = packed.to_bytes(layout.bits // 8, "little")
    values = memoryview(in_bytes).cast("Q").tolist()
    return values.index(min(values))


def _impossible(ranks: int) -> int:
    del ranks
    return IMPOSSIBLE


class Kind:
    """Sets that are equal up to the order of their cards, with what is prepared about them."""

    __slots__ = ("layout", "looks", "table")

    def __init__(self, layout: Lanes, looks: Looks) -> None:
        self.layout = layout
        self.looks = looks
        self.table = layout.table(*looks)

    @property
    def constraint(self) -> SetConstraint:
        """Return the set of this kind whose owner masks ascend."""
        return SetConstraint.trusted(*self.looks)

    def cuts(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Give per distinct owner mask, ascending, the table for each owner of one such card."""
        owners, low, high = self.looks
        for mask in sorted(set(owners)):
            others = list(owners)
            others.remove(mask)
            yield (
                mask,
                [
                    (player, self.layout.table(tuple(sorted([*others, 1 << player])), low, high))
                    for player in players_in(mask)
                ],
            )
