"""What is kept stays within its budget."""

import gc
import tracemalloc
from collections.abc import Callable
from itertools import permutations

import pytest

from solvers import DealProblem, SetConstraint
from solvers.coalition_tables import Lanes
from solvers.factor_product import Product, program
from solvers.memo import Memo
from solvers.residue import residue
from solvers.set_ways import SetWays
from tests.solvers.plain_counting import count_by_remaining_hands


def test_everything_is_forgotten_when_the_budget_is_spent() -> None:
    memo: Memo[str, int] = Memo(budget=10)
    assert memo.keep("a", 1, size=6) == 1
    memo.keep("b", 2, size=4)
    assert memo.entries == {"a": 1, "b": 2}
    assert memo.spent == 10
    assert memo.keep("c", 3, size=1) == 3
    assert memo.entries == {"c": 3}
    assert memo.spent == 1


def test_a_result_above_the_budget_is_not_kept_and_costs_no_other() -> None:
    memo: Memo[str, int] = Memo(budget=10)
    memo.keep("a", 1, size=5)
    assert memo.keep("b", 2, size=11) == 2
    assert memo.entries == {"a": 1}
    memo.keep("c", 3, size=5)
    assert memo.entries == {"a": 1, "c": 3}
    assert memo.spent == 10


def test_a_result_of_the_whole_budget_is_kept() -> None:
    memo: Memo[str, int] = Memo(budget=10)
    assert memo.keep("all", 1, size=10) == 1
    assert (memo.entries, memo.spent) == ({"all": 1}, 10)


def test_what_grows_spends_the_budget_too() -> None:
    memo: Memo[str, int] = Memo(budget=10)
    memo.keep("a", 1, size=5)
    memo.charge(5)
    assert memo.entries == {"a": 1}
    memo.charge(1)
    assert not memo.entries
    assert not memo.spent


def test_forgetting_keeps_the_dictionary() -> None:
    memo: Memo[str, int] = Memo(budget=10)
    entries = memo.entries
    memo.keep("a", 1, size=5)
    memo.forget()
    assert memo.entries is entries
    assert not entries
    assert not memo.spent


def taken(function: Callable[[], object]) -> int:
    """How many more bytes are in use after a call; its result is thrown away."""
    gc.freeze()  # what is there is not looked through again
    tracemalloc.start()
    try:
        function()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def set_of(layout: Lanes, size: int, first: int) -> SetConstraint:
    """Cards of many kinds of owners; sets of different `first` are never alike."""
    numbers = range(first + 1, first + 1 + size)
    owners = sorted(number % layout.everybody + 1 for number in numbers)
    return SetConstraint(owners, [0] * layout.players, [size] * layout.players)


@pytest.mark.parametrize("size", [4, 300, 5_000])
def test_estimates_grow_with_the_size_of_a_set(size: int) -> None:
    """Kept tables take no more than estimated, whether a set is small or large."""
    layout = Lanes(10, 32)

    def fill() -> None:
        for first in range(10):
            layout.table(*set_of(layout, size, first))

    assert 0 < taken(fill) < 1.2 * layout._tables.spent + 20_000
    assert len(layout._tables.entries) == 10


def test_tables_of_large_sets_stay_within_the_budget() -> None:
    layout = Lanes(2, 32)
    layout._tables.budget = 1_000_000
    for size in range(9_000, 9_040):
        assert layout.table((3,) * size, (0, 0), (size, size)) > 0
        assert 0 < layout._tables.spent <= 1_000_000
    assert len(layout._tables.entries) < 15


@pytest.mark.parametrize(
    ("players", "size", "kinds"), [(4, 4, 1), (4, 4, 3), (6, 6, 2), (8, 4, 2), (2, 400, 3)]
)
def test_ways_of_sets_are_estimated_in_full(players: int, size: int, kinds: int) -> None:
    """With all that is made later: chances, and the programs for every player left out."""
    everybody = (1 << players) - 1
    fewer = [everybody & ~(1 << player) for player in range(1, kinds)]
    owners = tuple(sorted([everybody] * (size - len(fewer)) + fewer))
    kept = []

    def fill() -> None:
        ways = SetWays(owners, (1,) + (0,) * (players - 1), (size,) * players)
        assert ways.tails
        assert ways.card_weights()
        for implied in range(players):
            program(ways, tuple(player for player in range(players) if player != implied))
        kept.append(ways)

    assert 0 < taken(fill) < 1.15 * kept[0].size


def test_orders_of_hands_do_not_multiply_what_is_kept() -> None:
    """Of every order in which hands can grow, the same few programs."""
    bound = SetConstraint.of([range(4)] * 4, players=4, high=[3] * 4)
    sizes = (1, 2, 4, 5)
    for hands in permutations(sizes):
        rest = residue(DealProblem(hands, [bound] * 3))
        assert rest is not None
        product = Product(rest)
        assert product.count() == count_by_remaining_hands(DealProblem(hands, [bound] * 3))
        (factor,) = product.moving
    assert 1 <= len(factor.programs) <= 4
