"""Balanced seatings of a tournament, in which all players get equally good seats and neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from math import gcd

Seating = tuple[int, ...]
"""Type of a tuple with the seat of each player of the tournament."""

_GENERATORS: dict[int, tuple[Seating, ...]] = {
    # These maps are x + 1, 4x and -1/x modulo 5, where 5 stands for infinity. They generate PSL(2,
    # 5).
    6: ((1, 2, 3, 4, 0, 5), (0, 4, 3, 2, 1, 5), (5, 4, 2, 3, 1, 0)),
    # These maps are x + 1 and ax in the field of 8 elements, with a * a * a = a + 1. The bits of a
    # number are the coefficients.
    8: ((1, 0, 3, 2, 5, 4, 7, 6), (0, 2, 4, 6, 3, 1, 7, 5)),
}

_MAX_BALANCED_PLAYERS = 12
"""Maximum number of players for which the seatings also vary each player's neighbours. With more
players, all players move on by one seat from each seating to the next. In the second half of the
seatings, they sit in reverse order."""


@lru_cache(maxsize=32)
def seatings(players: int) -> tuple[Seating, ...]:
    """Return the seatings in which a tournament plays each deal.

    A seating is a tuple with the seat of each player. Each player is in each seat equally often.
    Except with 9, 10 or 12 players, each pair of players is in each pair of seats equally often.
    The first n seatings are about as balanced as possible, for every n.

    The computation takes up to 0.3 s (for 11 players). The result is cached.
    """
    everybody = tuple(range(players))
    if players <= 4:
        remaining = sorted(permutations(everybody))
    elif players in _GENERATORS:
        remaining = _group(everybody, _GENERATORS[players])
    else:
        factors = [e for e in everybody if gcd(e, players) == 1]
        if players > _MAX_BALANCED_PLAYERS:
            factors = [1, players - 1]
        remaining = [
            tuple([(factor * entry + shift) % players for entry in everybody])
            for factor in factors
            for shift in everybody
        ]
        if players > _MAX_BALANCED_PLAYERS:
            return tuple(remaining)
    # Greedily choose the seating whose seats have occurred least often so far. Ties are broken by
    # the neighbours that have occurred least often.
    chosen: list[Seating] = []
    sat, met = Counter[tuple[int, int]](), Counter[tuple[int, int, int]]()
    while remaining:
        best = min(
            remaining,
            key=lambda seating: (
                sum(sat[fact] for fact in enumerate(seating)),
                sum(met[fact] for fact in _distances(seating)),
            ),
        )
        remaining.remove(best)
        chosen.append(best)
        sat.update(enumerate(best))
        met.update(_distances(best))
    return tuple(chosen)


def _group(unit: Seating, generators: Sequence[Seating]) -> list[Seating]:
    elements, pending = {unit}, [unit]
    while pending:
        element = pending.pop()
        for other in generators:
            product = tuple(other[place] for place in element)
            if product not in elements:
                elements.add(product)
                pending.append(product)
    return sorted(elements)


def _distances(seating: Seating) -> list[tuple[int, int, int]]:
    size = len(seating)
    return [
        (player, other, (seating[other] - seating[player]) % size)
        for player, other in permutations(range(size), 2)
    ]


def labels(names: Sequence[str]) -> list[str]:
    """Return a distinct label for each name. Equal names are followed by different numbers."""
    seen = Counter[str]()
    labelled = []
    for name in names:
        seen[name] += 1
        labelled.append(f"{name} {seen[name]}" if names.count(name) > 1 else name)
    return labelled
