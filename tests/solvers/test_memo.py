"""Memos stay within their budget."""

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import permutations

import pytest

from quaternity.base.memo import Memo
from solvers import DealProblem, SetConstraint, coalition_tables
from solvers.coalition_tables import LaneLayout
from solvers.factor_product import Product, program
from solvers.reduced_problem import reduce_problem
from solvers.set_counts import SetCounts
from tests.limits import limited
from tests.solvers.plain_counting import count_by_remaining_hands


@pytest.fixture
def small() -> Iterator[None]:
    """Set a budget of ten bytes, and begin with empty memos."""
    Memo.clear_all()
    with limited("quaternity.base.memo", MAX_MEMO_BYTES=10):
        yield


@pytest.mark.usefixtures("small")
def test_all_memos_forget_everything_when_the_budget_of_all_is_spent() -> None:
    first, second = Memo[str, int](), Memo[str, int]()
    assert first.store(("a",), 1, size=6) == 1
    second.store(("b",), 2, size=4)
    assert ([*first], [*second], Memo.used_bytes()) == ([("a",)], [("b",)], 10)
    assert second.store(("c",), 3, size=1) == 3
    assert ([*first], [*second], Memo.used_bytes()) == ([], [("c",)], 1)


@pytest.mark.usefixtures("small")
def test_a_result_above_the_budget_is_not_kept_and_displaces_no_other() -> None:
    results = Memo[str, int]()
    results.store(("a",), 1, size=5)
    assert results.store(("b",), 2, size=11) == 2
    assert dict(results) == {("a",): 1}
    results.store(("c",), 3, size=5)
    assert dict(results) == {("a",): 1, ("c",): 3}
    assert Memo.used_bytes() == 10


@pytest.mark.usefixtures("small")
def test_a_value_is_computed_once_until_it_is_forgotten() -> None:
    calls = []

    def multiply(number: int, times: int) -> tuple[int, int]:
        calls.append(number)
        return number * times, 4

    results = Memo[int, int, int](multiply)
    assert [results[number, 2] for number in (1, 2, 1, 3, 1)] == [2, 4, 2, 6, 2]
    assert calls == [1, 2, 3, 1]
    assert Memo.used_bytes() == 8
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
