"""One set on its own: its count vectors, and cards handed out by one of them.

A *count vector* says how many cards of the set each player gets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb

from solvers.problem import SetConstraint, players_in


def vector_bound(constraint: SetConstraint) -> int:
    """An upper bound on the number of count vectors of a set: C(size + P - 1, P - 1)."""
    return comb(constraint.size + constraint.players - 1, constraint.players - 1)


def count_vectors(constraint: SetConstraint) -> Mapping[tuple[int, ...], int]:
    """All count vectors within owners and bounds, each with its number of ways to deal the set.

    Cost: (number of cards) x (number of vectors) x (owners per card).

    >>> dict(count_vectors(SetConstraint.of([[0, 1], [0, 1]], players=2, low=[1, 0])))
    {(2, 0): 1, (1, 1): 2}
    """
    ways: dict[tuple[int, ...], int] = {(0,) * constraint.players: 1}
    high = constraint.high
    for mask in constraint.owners:
        grown: dict[tuple[int, ...], int] = {}
        owners = players_in(mask)
        for vector, number in ways.items():
            for player in owners:
                if vector[player] < high[player]:
                    after = (*vector[:player], vector[player] + 1, *vector[player + 1 :])
                    grown[after] = grown.get(after, 0) + number
        ways = grown
    low = constraint.low
    return {
        vector: number
        for vector, number in ways.items()
        if all(count >= least for count, least in zip(vector, low, strict=True))
    }


def hand_out(owners: Sequence[int], counts: Sequence[int]) -> tuple[int, ...]:
    """Give each card one of its owners so that player p gets `counts[p]` cards.

    The counts must be possible. Each card goes to somebody with room, if need be at the end of a
    chain in which players pass on other cards (augmenting paths over players).
    Cost: cards x players^2, however many the distinct owner masks are.
    """
    room = list(counts)
    players = range(len(room))
    owner = [-1] * len(owners)
    # holding[p][mask]: the cards of that owner mask now with p.
    holding: list[dict[int, list[int]]] = [{} for _ in room]
    # passing[p][q]: the owner masks of cards with p that q may have (used as an ordered set).
    passing: list[list[dict[int, None]]] = [[{} for _ in players] for _ in players]
    for card, mask in enumerate(owners):
        came: dict[int, tuple[int, int]] = dict.fromkeys(players_in(mask), (-1, mask))
        queue = list(came)
        for player in queue:
            if room[player]:
                break
            for other in players:
                if other not in came and passing[player][other]:
                    came[other] = (player, next(iter(passing[player][other])))
                    queue.append(other)
        else:
            raise ValueError(f"counts {list(counts)} are not possible")
        room[player] -= 1
        while True:
            giver, moved = came[player]
            cards = holding[player].setdefault(moved, [])
            if not cards:
                for other in players_in(moved):
                    passing[player][other][moved] = None
            if giver < 0:
                cards.append(card)
                owner[card] = player
                break
            left = holding[giver][moved]
            cards.append(left.pop())
            owner[cards[-1]] = player
            if not left:
                for other in players_in(moved):
                    del passing[giver][other][moved]
            player = giver
    return tuple(owner)


__all__ = ["count_vectors", "hand_out", "vector_bound"]
