"""Seatings: players have all seats, and pairs of players all pairs of seats, equally often."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from quaternity.table.tournament.seatings import labels, seatings


@pytest.mark.parametrize("players", range(2, 15))
def test_every_player_has_every_seat_equally_often(players: int) -> None:
    orders = seatings(players)
    assert len(set(orders)) == len(orders)
    assert all(sorted(order) == list(range(players)) for order in orders)
    counts = Counter((entry, seat) for order in orders for entry, seat in enumerate(order))
    assert len(counts) == players * players
    assert len(set(counts.values())) == 1


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7, 8, 11])
def test_every_two_players_have_every_two_seats_equally_often(players: int) -> None:
    pairs = list(permutations(range(players), 2))
    counts = Counter(
        (pair, (order[pair[0]], order[pair[1]])) for order in seatings(players) for pair in pairs
    )
    assert len(counts) == len(pairs) ** 2
    assert len(set(counts.values())) == 1


def test_the_numbers_of_seatings_are_as_documented() -> None:
    numbers = {players: len(seatings(players)) for players in range(2, 15)}
    assert numbers == {
        2: 2, 3: 6, 4: 24, 5: 20, 6: 60, 7: 42, 8: 56, 9: 54, 10: 40, 11: 110, 12: 48, 13: 26,
        14: 28,
    }  # fmt: skip


def test_only_repeated_names_are_numbered() -> None:
    assert labels(["a", "b", "a", "c"]) == ["a 1", "b", "a 2", "c"]


@pytest.mark.parametrize("players", range(2, 5))
def test_few_players_sit_in_all_orders(players: int) -> None:
    assert set(seatings(players)) == set(permutations(range(players)))


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7, 8])
def test_the_first_few_seatings_are_almost_even(players: int) -> None:
    rows = seatings(players)
    for count in range(1, len(rows) + 1):
        seats = Counter((entry, seat) for row in rows[:count] for entry, seat in enumerate(row))
        assert max(seats.values()) <= -(-count // players) + 1, count
