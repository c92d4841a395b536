"""Coalition tables: the maximum number of cards that each group of players can hold.

A *coalition* is a group of players. The table of one set of cards contains, for each coalition A,
the maximum number f(A) of cards of the set that A can hold. Let h(A) be the number of cards in the
hands of A. A problem is feasible if and only if three conditions are met: every set can be dealt by
itself, the hands add up to the number of cards, and for each coalition A, h(A) is at most the sum
of f(A) over all sets. (The possible numbers of cards of the players form the base polytope of the
polymatroid f. Sums of such polytopes are integral: Edmonds; Frank and Tardos; Fujishige,
*Submodular Functions and Optimization*.)

A table packs the 2^P numbers f(A), for P players, into one Python integer. A *lane* is a group of
adjacent bits. Lane A contains f(A), and its top bit is kept free as a guard bit. Adding two tables
adds all their lanes at once. To test whether each lane of x is at least the same lane of y, set the
guard bits of x, subtract y, and check that all guard bits are still set.

Cost: computing a table takes P passes, each with about twenty operations on an integer of 2^P
lanes. A lane takes 1, 2 or 4 bytes. Time and memory double with each player, up to `MAX_PLAYERS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import mul
from threading import Lock
from weakref import WeakValueDictionary

from quaternity.base.memo import Memo, bytes_of
from solvers.problem import DealProblem, SetConstraint, players_in

MAX_PLAYERS = 12
"""Maximum number of players for coalition tables. With 12 players, a table has 4096 numbers."""

MAX_CACHED_MASK_PLAYERS = 8
"""Maximum number of players for which the integers of `LaneLayout.intersecting` are cached. For 8
players, there are 256 integers, which take at most 0.5 MiB."""

MAX_SEPARATE_MASKS = 8
"""Maximum number of different owner masks in a set for which `ownable_counts` loops over the masks.
An owner mask is the bit mask of the players who may own a card."""

IMPOSSIBLE = -1
"""Value that replaces the coalition table of a set if the cards of the set cannot be dealt."""

ShapeKey = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Cache key of a set, as a tuple: the sorted bit masks of the cards' possible owners, the minimums
of the players, and their maximums."""


def shape_key(constraint: SetConstraint) -> ShapeKey:
    """Return a cache key for a set. The order of the cards does not matter."""
    return tuple(sorted(constraint.owners)), constraint.low, constraint.high


class _IntersectingLanes(dict[int, int]):
    def __init__(self, member: Sequence[int]) -> None:
        super().__init__()
        self.member = member

    def __missing__(self, mask: int) -> int:
        lanes = 0
        for player in players_in(mask):
            lanes |= self.member[player]
        if len(self.member) <= MAX_CACHED_MASK_PLAYERS:
            self[mask] = lanes
        return lanes


class LaneLayout:
    """Layout of an integer that stores one number for each group of players (coalition).

    The number of a coalition is stored in `width` adjacent bits, called a lane.

    Attributes:
        bits: the total number of bits of all lanes.
        ones: an integer with 1 in each lane.
        guard: an integer in which the top bit of each lane is set, and no other bit.
        member: for each player, an integer with 1 in each lane whose coalition contains the player.
        intersecting: for each owner mask (bit mask of the players who may own a card), an integer
            with 1 in each lane whose coalition contains at least one of these players.
        everybody: the bit mask of all players. It is also the number of the last lane.
    """

    __slots__ = (
        "__weakref__", "_absent", "_end_ones", "_ends", "_inside", "_no_minimum", "_outside",
        "bits", "everybody", "guard", "intersecting", "member", "ones", "players",
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
            # Runs of 2^player lanes without the player alternate with runs of 2^player lanes with
            # the player.
            span = width << player
            run = ((1 << span) - 1) // low_lane << span
            self.member.append(run * (every_bit // ((1 << 2 * span) - 1)))
        # For each player, all bits of the lanes with (inside) and without (outside) the player.
        self._inside = [member * low_lane for member in self.member]
        self.intersecting = _IntersectingLanes(self.member)
        self._absent = [self.ones - member for member in self.member]
        self._outside = [absent * low_lane for absent in self._absent]
        # For each player, the guard bits of the lanes without the player.
        self._no_minimum = [absent << (width - 1) for absent in self._absent]
        # Two integers in which the lanes of the empty and the full coalition are 1, or all their
        # bits are set.
        self._end_ones = 1 | 1 << self.everybody * width
        self._ends = self._end_ones * low_lane

    def packed_hands(self, hands: Sequence[int]) -> int:
        """Return the total hand size of each group of players, packed into one integer."""
        return sum(map(mul, hands, self.member))

    def ownable_counts(self, owners: tuple[int, ...]) -> int:
        """Return how many cards each group of players may own, packed into one integer.

        A card counts if at least one player of the group may own it. `owners` contains, for each
        card, the bit mask of the players who may own it.
        """
        meeting = self.intersecting
        if len(owners) <= MAX_SEPARATE_MASKS:
            return sum([meeting[mask] for mask in owners])
        counts = Counter(owners)
        if len(counts) <= MAX_SEPARATE_MASKS:
            return sum([number * meeting[mask] for mask, number in counts.items()])
        # Count each card in the lane of the coalition of all players who cannot own it. Then add
        # the number of this lane to the lanes of all subsets of the coalition, because nobody in a
        # subset may own the card either.
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
        """Return the number that `packed` contains for a group of players (a bit mask)."""
        return packed >> (coalition * self.width) & ((1 << self.width) - 1)

    def table(self, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]) -> int:
        """Return the maximum number of cards of a set that each group of players can hold.

        The numbers are packed into one integer, the table of the set. The result is `IMPOSSIBLE` if
        the set cannot be dealt. Tables are cached. `owners` must be sorted, so that the order of
        the cards does not matter.
        """
        return cached_tables[self, owners, low, high]

    def compute_table(
        self, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
    ) -> int:
        """Compute the result of the method `table` without using the cache."""
        size = len(owners)
        if sum(low) > size or any(a > b for a, b in zip(low, high, strict=True)):
            return IMPOSSIBLE
        ranks = self.ownable_counts(owners)
        if min(high, default=0) >= size:
            return self.table_function(low, size)(ranks)
        # Add `size` to each lane, so that no lane becomes negative during the passes.
        packed = ranks + self.ones * size
        ones, guard, top = self.ones, self.guard, self.width - 1
        # At first, the number of a lane is the bit mask of a group X of players, the witness of a
        # bound (see `tightest_witness`). Each pass changes the meaning of one player's bit from "in
        # X" to "in the coalition A", and takes the smaller bound of both choices.
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

    def table_function(self, low: Sequence[int], size: int) -> Callable[[int], int]:
        """Return a function that converts the result of `ownable_counts` to the table of a set.

        A table contains the maximum number of cards of the set that each group of players can hold
        (see `table`), and is `IMPOSSIBLE` if the set cannot be dealt. The set has `size` cards and
        the minimums `low`. Its maximums must not restrict the deals.
        """
        # Only players with a minimum need a pass. Adding such a player to the witness improves the
        # bound if the minimum exceeds the additional rank. A player without a minimum changes
        # nothing, because the rank is monotone and grows by at most `size`. If the minimums add up
        # to `size`, no pass is needed. The set can then be dealt if and only if each coalition may
        # own as many cards as it must hold (Hall's theorem), and it holds exactly this number.
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
        ends, expected_ends = (
            self._ends,
            size * self._end_ones + (size << self.everybody * self.width),
        )

        def table_from_ranks(ranks: int) -> int:
            # Add `size` to each lane, so that no lane becomes negative during the passes.
            packed = ranks + lift
            for outside, shift, minimums in passes:
                short = minimums + (packed & outside) - (packed >> shift & outside)
                keep = short & guard
                packed -= short & (keep - (keep >> top))
            return packed - lift if packed & ends == expected_ends else IMPOSSIBLE

        return table_from_ranks

    def table_of(self, constraint: SetConstraint) -> int:
        """Return the coalition table of a set (see `table`)."""
        return self.table(*shape_key(constraint))

    def slack(self, tables: Iterable[int], hands: Sequence[int]) -> int:
        """Return how many more cards each group of players could hold, packed into one integer.

        This slack is the maximum number of cards that the group can hold, minus the total size of
        its hands. The bit `guard` of the group's lane is 0 if the slack is negative, and otherwise
        1. `tables` are the tables of all sets, and none is `IMPOSSIBLE`. The problem is feasible if
        and only if the hands add up to the number of cards and `fits` is true.
        """
        return (sum(tables) | self.guard) - self.packed_hands(hands)

    def fits(self, slack: int) -> bool:
        """Return whether no group of players has a negative slack (see `slack`)."""
        return slack & self.guard == self.guard

    def feasible_slack(self, tables: Sequence[int], hands: Sequence[int], cards: int) -> int | None:
        """Return the result of `slack`, or None if the problem is infeasible.

        `tables` are the tables of all sets, which may be `IMPOSSIBLE`. `cards` is the total number
        of cards in all sets.
        """
        if IMPOSSIBLE in tables or sum(hands) != cards:
            return None
        guard = self.guard
        slack = (sum(tables) | guard) - sum(map(mul, hands, self.member))
        return slack if slack & guard == guard else None

    def first_violated(self, slack: int) -> int | None:
        """Return the bit mask of the first group of players that must hold more cards than it can.

        The result is None if there is no such group. `slack` is the result of the method `slack`.
        """
        negative = ~slack & self.guard
        if not negative:
            return None
        return ((negative & -negative).bit_length() - 1) // self.width


@Memo
def cached_tables(
    layout: LaneLayout, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
) -> tuple[int, int]:
    """Return the table of a set (see `LaneLayout.table`), and its size in the cache in bytes."""
    size = bytes_of(5, len(owners) + 2 * layout.players, layout.everybody, layout.bits)
    return layout.compute_table(owners, low, high), size


_LAYOUT_LOCK = Lock()
_LAYOUTS: WeakValueDictionary[tuple[int, int], LaneLayout] = WeakValueDictionary()


@lru_cache(maxsize=16)
def get_layout(players: int, largest: int) -> LaneLayout:
    """Return the `LaneLayout` that packs a number from 0 to `largest` for each group of players.

    The cache keeps up to 16 layouts, each with its tables.
    """
    width = next(width for width in (8, 16, 32, 64) if largest < 1 << (width - 1))
    with _LAYOUT_LOCK:
        layout = _LAYOUTS.get((players, width))
        if layout is None:
            layout = _LAYOUTS[players, width] = LaneLayout(players, width)
        return layout


@lru_cache(maxsize=256)
def layout_for(players: int, cards: int, largest_set: int) -> LaneLayout:
    """Return the most compact `LaneLayout` that suffices for problems of this size.

    `cards` is the number of all cards, and `largest_set` the number of cards in the largest set.
    """
    # Sums of tables are at most the number of cards. Intermediate values in the computation of a
    # table are at most three times the size of its set.
    width = next(w for w in (8, 16, 32, 64) if max(cards + 1, 4 * largest_set) < 1 << (w - 1))
    return get_layout(players, (1 << (width - 1)) - 1)


def layout_of(problem: DealProblem) -> LaneLayout:
    """Return the most compact `LaneLayout` that suffices for a problem."""
    largest = cards = 0
    for constraint in problem.sets:
        size = len(constraint.owners)
        cards += size
        if size > largest:
            largest = size
    return layout_for(len(problem.hands), cards, largest)


def tightest_witness(constraint: SetConstraint, coalition: int) -> int:
    """Return the group of players that gives the best bound on what a coalition can hold.

    Each group, called a witness, gives an upper bound on the number of cards of the set that the
    coalition can hold (see `solvers.shortage.coalition_bound`). Groups are bit masks of players.
    """
    layout = get_layout(constraint.players, 1 << 60)
    packed = layout.ones * sum(constraint.low) + layout.ownable_counts(constraint.owners)
    for player in range(constraint.players):
        if coalition >> player & 1:
            # Replace a bound above the size of the set by size + 1. Then a witness that contains
            # the player is still strictly better.
            bound = min(constraint.high[player], constraint.size + 1)
            packed += bound * (layout.ones - layout.member[player])
        else:
            packed -= constraint.low[player] * layout.member[player]
    in_bytes = packed.to_bytes(layout.bits // 8, "little")
    values = memoryview(in_bytes).cast("Q").tolist()
    return values.index(min(values))


def _impossible(ranks: int) -> int:
    del ranks
    return IMPOSSIBLE


class SetShape:
    """A set without the order of its cards, with its coalition table (`LaneLayout.table`)."""

    __slots__ = ("key", "layout", "table")

    def __init__(self, layout: LaneLayout, looks: ShapeKey) -> None:
        self.layout = layout
        self.key = looks
        self.table = layout.table(*looks)

    @property
    def constraint(self) -> SetConstraint:
        """Return the set as a constraint, with the cards sorted by their possible owners."""
        return SetConstraint.unchecked(*self.key)

    def single_owner_tables(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield the coalition tables of the set after one card has been given to a player.

        Each item is a pair: an owner mask (the bit mask of the players who may own a card), and a
        list of pairs (player, table). This is the table of the set if the player must own a card
        with this mask. Masks and players are in ascending order.
        """
        owners, low, high = self.key
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
