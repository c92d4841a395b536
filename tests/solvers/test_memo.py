"""Memos stay within their budget."""

import gc
import tracemalloc
from collections.abc import Callable
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.memo import Memo
from solvers import DealProblem, SetConstraint, coalition_tables
from solvers.coalition_tables import LaneLayout
from solvers.factor_product import Product, program
from solvers.reduced_problem import reduce_problem
from solvers.set_counts import SetCounts
from tests.limits import limited
from tests.sizes import examples
from tests.solvers.plain_counting import count_by_remaining_hands


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), st.integers(0, 11))))
@settings(max_examples=examples(1000))
def test_memos_share_a_budget_and_forget_everything_when_it_is_spent(
    stores: list[tuple[int, int, int]],
) -> None:
    """A result larger than the whole budget is not kept, and displaces no other."""
    Memo.clear_all()
    memos, used = (Memo[int, int](), Memo[int, int]()), 0
    kept: tuple[dict[tuple[int], int], ...] = ({}, {})
    with limited("quaternity.base.memo", MAX_MEMO_BYTES=10):
        for which, key, size in stores:
            if used + size > 10 >= size:
                used = 0
                kept = ({}, {})
            assert memos[which].store((key,), size, size) == size
            if size <= 10:
                used += size
                kept[which][key,] = size
            assert (memos, Memo.used_bytes()) == (kept, used)
    Memo.clear_all()


def test_a_value_is_computed_once() -> None:
    calls = []

    def multiply(number: int, times: int) -> tuple[int, int]:
        calls.append(number)
        return number * times, 4

    results = Memo[int, int, int](multiply)
    assert [results[number, 2] for number in (1, 2, 1)] == [2, 4, 2]
    assert calls == [1, 2]
    with pytest.raises(KeyError):
        Memo[int, int, int]()[1, 2]


def measure_growth(function: Callable[[], object]) -> int:
    """Return how many more bytes are in use after a call whose result is discarded."""
    gc.freeze()  # existing objects are not traversed again
    tracemalloc.start()
    try:
        function()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def set_of(layout: LaneLayout, size: int, first: int) -> SetConstraint:
    """Return a set with many kinds of owners. Sets with different `first` are never alike."""
    numbers = range(first + 1, first + 1 + size)
    owners = sorted(number % layout.everybody + 1 for number in numbers)
    return SetConstraint(owners, [0] * layout.players, [size] * layout.players)


@pytest.mark.parametrize("size", [4, 300, 5_000])
def test_estimates_grow_with_the_size_of_a_set(size: int) -> None:
    """Cached tables take no more memory than estimated, whether a set is small or large."""
    layout = LaneLayout(10, 32)

    def fill() -> None:
        for first in range(10):
            layout.table(*set_of(layout, size, first))

    Memo.clear_all()
    assert 0 < measure_growth(fill) < 1.2 * Memo.used_bytes() + 20_000
    assert len(coalition_tables.cached_tables) == 10


@pytest.mark.parametrize(
    ("players", "size", "kinds"), [(4, 4, 1), (4, 4, 3), (6, 6, 2), (8, 4, 2), (2, 400, 3)]
)
def test_ways_of_sets_are_estimated_in_full(players: int, size: int, kinds: int) -> None:
    """The estimate includes chances and the programs for every player left out, computed later."""
    everybody = (1 << players) - 1
    fewer = [everybody & ~(1 << player) for player in range(1, kinds)]
    owners = tuple(sorted([everybody] * (size - len(fewer)) + fewer))
    kept = []

    def fill() -> None:
        ways = SetCounts(owners, (1,) + (0,) * (players - 1), (size,) * players)
        assert ways.tails
        assert ways.card_weights()
        for implied in range(players):
            program(ways, tuple(player for player in range(players) if player != implied))
        kept.append(ways)

    assert 0 < measure_growth(fill) < 1.15 * kept[0].size


def test_orders_of_hands_do_not_multiply_the_programs() -> None:
    """All orders in which hands can grow share the same few programs."""
    bound = SetConstraint.of([range(4)] * 4, players=4, high=[3] * 4)
    sizes = (1, 2, 4, 5)
    for hands in permutations(sizes):
        rest = reduce_problem(DealProblem(hands, [bound] * 3))
        assert rest is not None
        product = Product(rest)
        assert product.count() == count_by_remaining_hands(DealProblem(hands, [bound] * 3))
        (factor,) = product.nonconstant
    assert 1 <= len(factor.programs) <= 4
