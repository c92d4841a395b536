"""Who sits where: everybody everywhere, and beside everybody, equally often."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from quaternity.table.tournament.seatings import labels, seatings


@pytest.mark.parametrize("players", range(2, 14))
def test_everybody_sits_everywhere_equally_often(players: int) -> None:
    found = seatings(players)
    assert len(set(found)) == len(found)
    assert all(sorted(one) == list(range(players)) for one in found)
    where = Counter((entry, seat) for one in found for entry, seat in enumerate(one))
    assert len(where) == players * players
    assert len(set(where.values())) == 1


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7, 8, 11])
def test_any_two_sit_in_any_two_seats_equally_often(players: int) -> None:
    pairs = list(permutations(range(players), 2))
    met = Counter(
        (pair, (one[pair[0]], one[pair[1]])) for one in seatings(players) for pair in pairs
    )
    assert len(met) == len(pairs) ** 2
    assert len(set(met.values())) == 1


def test_a_deal_has_as_many_seatings_as_is_said() -> None:
    numbers = {players: len(seatings(players)) for players in range(2, 15)}
    assert numbers == {
        2: 2, 3: 6, 4: 24, 5: 20, 6: 60, 7: 42, 8: 56, 9: 54, 10: 40, 11: 110, 12: 48, 13: 26,
        14: 28,
    }  # fmt: skip


def test_who_sits_alone_under_a_name_keeps_it() -> None:
    assert labels(["a", "b", "a", "c"]) == ["a 1", "b", "a 2", "c"]


@pytest.mark.parametrize("players", range(2, 5))
def test_few_players_sit_in_all_orders(players: int) -> None:
    assert set(seatings(players)) == set(permutations(range(players)))


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7, 8])
def test_the_first_few_seatings_are_about_even_too(players: int) -> None:
    found = seatings(players)
    for count in range(1, len(found) + 1):
        where = Counter((entry, seat) for one in found[:count] for entry, seat in enumerate(one))
        assert max(where.values()) <= -(-count // players) + 1, count
