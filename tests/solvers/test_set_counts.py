"""Single sets: count vectors, and cards handed out by them."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import SetConstraint, players_in
from solvers.set_counts import assign_owners, count_vectors
from tests.sizes import examples


@given(st.integers(1, 4), st.data())
@settings(max_examples=examples(200))
def test_cards_can_be_handed_out_by_every_count_vector_and_no_other(
    players: int, data: st.DataObject
) -> None:
    masks = st.integers(1, (1 << players) - 1)
    owners = data.draw(st.lists(masks, max_size=6))
    size = len(owners)
    dealt = Counter(
        tuple(deal.count(player) for player in range(players))
        for deal in product(*map(players_in, owners))
    )
    assert count_vectors(SetConstraint(owners, [0] * players, [size] * players)) == dealt
    for counts in product(range(size + 1), repeat=players):
        if counts in dealt:
            deal = assign_owners(owners, counts)
            assert tuple(map(deal.count, range(players))) == counts
            assert all(mask >> player & 1 for mask, player in zip(owners, deal, strict=True))
        elif sum(counts) == size:
            with pytest.raises(ValueError, match="no deal gives the players"):
                assign_owners(owners, counts)


def test_cards_of_very_many_kinds_are_handed_out() -> None:
    """4,083 kinds of cards, each of which at least two players may have, in reverse order."""
    owners = [mask for mask in range(4095, 0, -1) if mask & (mask - 1)]
    counts = [len(owners) // 12 + (player < len(owners) % 12) for player in range(12)]
    deal = assign_owners(owners, counts)
    assert [deal.count(player) for player in range(12)] == counts
    assert all(mask >> player & 1 for mask, player in zip(owners, deal, strict=True))
