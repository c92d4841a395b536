"""Ways to deal a single set, grouped by the number of cards that each player gets.

A *count vector* contains the number of cards of the set that each player gets. The *ways* of a
count vector are the deals of the set with these numbers. Cards with the same possible owners (the
same owner mask) are interchangeable and form a *class*. Counting works with classes instead of
single cards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, factorial
from operator import add, ge, le, sub
from typing import Any

from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.base.errors import LimitError
from quaternity.base.memo import Memo, bytes_of
from solvers.problem import SetConstraint, players_in


def vector_bound(constraint: SetConstraint) -> int:
    """Return an upper bound on the number of ways to split a set between the players."""
    return comb(constraint.size + constraint.players - 1, constraint.players - 1)


def count_vectors(constraint: SetConstraint) -> dict[Vector, int]:
    """Return all splits of a set between the players, with their numbers of deals.

    A key of the dictionary says how many cards each player gets (a count vector). Its value is the
    number of deals with this split. The order of the keys is always the same.

    Raises:
        LimitError: If a card takes more than 20 * `MAX_VECTORS` steps.

    >>> dict(count_vectors(SetConstraint.of([[0, 1], [0, 1]], players=2, low=[1, 0])))
    {(2, 0): 1, (1, 1): 2}
    """
    ways: Mapping[Vector, int] = {(0,) * constraint.players: 1}
    for mask in constraint.owners:
        ways = _merge(ways, class_vectors(mask, 1, constraint.high), constraint.high)
    return _at_least(ways, constraint.low)


def assign_owners(owners: Sequence[int], counts: Sequence[int]) -> tuple[int, ...]:
    """Return an owner for each card such that player p gets `counts[p]` cards.

    `owners` contains, for each card, the bit mask of the players who may own it. The counts must be
    possible. The running time is linear in cards x players^2.
    """
    # Each card is given to a player who has room. If necessary, other players first pass cards on
    # to each other (an augmenting path over players).
    room = list(counts)
    players = range(len(room))
    owner = [-1] * len(owners)
    # holding[p][mask]: the cards with this owner mask that player p has now.
    holding: list[dict[int, list[int]]] = [{} for _ in room]
    # passing[p][q]: the owner masks of the cards that player p has and player q may own. The
    # dictionary is used as an ordered set.
    passing: list[list[dict[int, None]]] = [[{} for _ in players] for _ in players]
    for card, mask in enumerate(owners):
        previous: dict[int, tuple[int, int]] = dict.fromkeys(players_in(mask), (-1, mask))
        queue = list(previous)
        for player in queue:
            if room[player]:
                break
            for other in players:
                if other not in previous and passing[player][other]:
                    previous[other] = (player, next(iter(passing[player][other])))
                    queue.append(other)
        else:
            raise ValueError(f"no deal gives the players {list(counts)} cards of this set")
        room[player] -= 1
        while True:
            giver, moved_mask = previous[player]
            cards = holding[player].setdefault(moved_mask, [])
            if not cards:
                for other in players_in(moved_mask):
                    passing[player][other][moved_mask] = None
            if giver < 0:
                cards.append(card)
                owner[card] = player
                break
            giver_cards = holding[giver][moved_mask]
            cards.append(giver_cards.pop())
            owner[cards[-1]] = player
            if not giver_cards:
                for other in players_in(moved_mask):
                    del passing[giver][other][moved_mask]
            player = giver
    return tuple(owner)


MAX_VECTORS = 50_000
"""Maximum number of count vectors of a set. A count vector says how many cards of the set each
player gets. Merging two lists of count vectors may take at most 20 times this number of steps."""

Vector = tuple[int, ...]


def class_vectors(mask: int, size: int, high: Vector) -> dict[Vector, int]:
    """Count the ways to deal `size` interchangeable cards, by how many cards each player gets.

    `mask` is the bit mask of the players who may own these cards. Each player p gets at most
    `high[p]` cards. A key of the dictionary has the number of cards for each player.

    >>> class_vectors(0b101, 2, high=(9, 9, 1))
    {(2, 0, 0): 1, (1, 0, 1): 2}
    """
    ways: dict[Vector, int] = {}
    owners = players_in(mask)
    vector = [0] * len(high)

    def assign(position: int, remaining: int, number: int) -> None:
        player = owners[position]
        if position == len(owners) - 1:
            if remaining <= high[player]:
                vector[player] = remaining
                ways[tuple(vector)] = number
                vector[player] = 0
            return
        for count in range(min(remaining, high[player]), -1, -1):
            vector[player] = count
            assign(position + 1, remaining - count, number * comb(remaining, count))
        vector[player] = 0

    if owners:
        assign(0, size, 1)
    elif not size:
        ways[tuple(vector)] = 1
    return ways


def _merge(
    first: Mapping[Vector, int],
    second: Mapping[Vector, int],
    high: Vector,
    deadline: Deadline = NO_DEADLINE,
) -> dict[Vector, int]:
    """Count the ways to deal two groups of cards together, by how many cards each player gets."""
    if len(first) * len(second) > 20 * MAX_VECTORS:
        raise LimitError(
            f"counting a set needs {len(first)} x {len(second)} steps: "
            f"the limit is {20 * MAX_VECTORS}"
        )
    merged: dict[Vector, int] = {}
    for vector, number in deadline.iterate(first.items()):
        for other, times in second.items():
            total = tuple(map(add, vector, other))
            if all(map(le, total, high)):
                merged[total] = merged.get(total, 0) + number * times
    return merged


def _at_least(ways: Mapping[Vector, int], low: Vector) -> dict[Vector, int]:
    return {vector: number for vector, number in ways.items() if all(map(ge, vector, low))}


class SetCounts:
    """Numbers of ways to deal a set in which each card has at least two possible owners.

    The ways are counted for each *count vector*, which says how many cards each player gets.

    Attributes:
        classes: sorted pairs (owner mask, number of cards). An owner mask has a bit for each player
            who may own the cards.
        low, high: the bounds of each player.
        vectors: the possible count vectors minus `base`, in a fixed order.
        weights: the number of ways to deal the set with each vector.
        tails: for each class i, the count vectors of all cards from class i on, with their numbers
            of ways. Vectors that exceed `high` are omitted.
        base: the minimum count of each player over all vectors, or zeros if there is no vector.
        programs: the cached results of `solvers.factor_product.program` for this factor, by
            `places`.
        size: the approximate memory that the object takes, in bytes.

    Raises:
        LimitError: If there may be more than `MAX_VECTORS` count vectors, or if merging them takes
            too many steps.
        SolverTimeout: If the deadline has passed.
    """

    def __init__(
        self, owners: Vector, low: Vector, high: Vector, deadline: Deadline = NO_DEADLINE
    ) -> None:
        sizes: dict[int, int] = {}
        for mask in sorted(owners):
            sizes[mask] = sizes.get(mask, 0) + 1
        self.classes = tuple(sizes.items())
        self.low, self.high = low, high
        _check_listing(self.classes, high)
        self._groups = [class_vectors(mask, size, high) for mask, size in self.classes]
        tails: list[dict[Vector, int]] = [{tuple([0] * len(high)): 1}]
        for group in reversed(self._groups):
            tails.append(_merge(group, tails[-1], high, deadline))
        self.tails = tails[::-1]
        ways = _at_least(self.tails[0], low)
        self.base = tuple(map(min, zip(*ways, strict=True))) if ways else tuple([0] * len(low))
        self.vectors = tuple(tuple(map(sub, vector, self.base)) for vector in ways)
        self.weights = tuple(ways.values())
        self._full_vectors = tuple(ways)
        self.programs: dict[tuple[int, ...], Any] = {}
        self._card_weights: dict[int, dict[int, Vector]] | None = None
        owned = sum(mask.bit_count() for mask in sizes)
        numbers = 15 * len(low) + 2 * owned
        self.size = bytes_of(30 + 9 * len(ways), numbers * len(ways))

    @property
    def is_single_card(self) -> bool:
        """Return whether the set is one card that each of its possible owners can get."""
        mask, size = self.classes[0]
        return len(self.classes) == size == 1 and len(self.vectors) == mask.bit_count()

    def card_weights(self, deadline: Deadline = NO_DEADLINE) -> dict[int, dict[int, Vector]]:
        """Count the ways to deal the set in which a given player owns a given card.

        The entry `[mask][player]` is for a card that the players in the bit mask may own. It is a
        tuple with a number for each count vector in `vectors`. The result is cached.
        """
        if self._card_weights is not None:
            return self._card_weights
        weights: dict[int, dict[int, Vector]] = {}
        for own_index, (mask, _) in enumerate(self.classes):
            without = {tuple([0] * len(self.high)): 1}
            for index, (other, size) in enumerate(self.classes):
                group = class_vectors(other, size - (index == own_index), self.high)
                without = _merge(group, without, self.high, deadline)
            weights[mask] = {
                player: tuple(
                    without.get((*v[:player], v[player] - 1, *v[player + 1 :]), 0)
                    for v in self._full_vectors
                )
                for player in players_in(mask)
            }
        self._card_weights = weights
        return weights

    def deal(self, number: int, way: int) -> tuple[int, ...]:
        """Return the owners of the cards, sorted by possible owners, in one deal.

        Args:
            number: the index of the count vector in `vectors`.
            way: the index of the deal among those with this vector, less than the weight of the
                vector. Different indices give different deals.
        """
        remaining = self._full_vectors[number]
        owners: list[int] = []
        for group, rests in zip(self._groups, self.tails[1:], strict=True):
            for vector, ways in group.items():
                after = tuple(map(sub, remaining, vector))
                deals = ways * rests.get(after, 0)
                if way < deals:
                    way, arrangement = divmod(way, ways)
                    owners += nth_arrangement(vector, arrangement)
                    remaining = after
                    break
                way -= deals
        return tuple(owners)


def nth_arrangement(counts: Sequence[int], number: int) -> list[int]:
    """Return an arrangement of a multiset in which player p occurs `counts[p]` times.

    `number` is the index of the arrangement in lexicographic order.

    >>> [nth_arrangement([2, 1], number) for number in range(3)]
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    remaining = list(counts)
    size = sum(remaining)
    ways = factorial(size)
    for count in remaining:
        ways //= factorial(count)
    row = []
    for length in range(size, 0, -1):
        for player, count in enumerate(remaining):
            ways_with_player = ways * count // length
            if number < ways_with_player:
                row.append(player)
                remaining[player] -= 1
                ways = ways_with_player
                break
            number -= ways_with_player
    return row


def _check_listing(classes: Sequence[tuple[int, int]], high: Sequence[int]) -> None:
    for mask, size in classes:
        bound = 1
        owners = players_in(mask)
        for player in owners[1:]:
            bound *= 1 + min(size, high[player])
        bound = min(bound, comb(size + len(owners) - 1, len(owners) - 1))
        if bound > MAX_VECTORS:
            raise LimitError(
                f"the players can share a set in up to {bound} ways: "
                f"the limit for counting is {MAX_VECTORS}"
            )


_WAYS: Memo[Vector, Vector, Vector, SetCounts] = Memo()


def set_counts(
    owners: Vector, low: Vector, high: Vector, deadline: Deadline = NO_DEADLINE
) -> SetCounts:
    """Return the `SetCounts` of a set from the cache, or create it.

    `owners` must be sorted.
    """
    key = (owners, low, high)
    ways = _WAYS.get(key)
    if ways is None:
        ways = SetCounts(*key, deadline)
        _WAYS.store(key, ways, ways.size)
    return ways
