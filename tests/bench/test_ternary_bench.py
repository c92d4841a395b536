"""SET: the two methods of each question against one another, in one run."""

from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import pytest

from quaternity.ternary import (
    CARDS,
    WHOLE_DECK,
    Rule,
    count_free,
    counting_by_layers,
    largest_free,
    largest_in_deck,
    most_disjoint,
    partition,
)

Race = Callable[..., float]
Pace = Callable[..., float]


def random_tables(size: int, number: int) -> list[list[int]]:
    random = Random(size)
    return [random.sample(range(CARDS), size) for _ in range(number)]


@pytest.mark.bench
@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize(
    ("search", "size"),
    [*product([largest_free], [12, 27, 36]), *product([most_disjoint], [12, 36, 72])],
)
def test_searches_in_a_table(race: Race, search: Any, size: int, rule: Rule) -> None:
    tables = random_tables(size, 5)
    race(
        f"{search.__name__} of {size} cards, {rule}: search, CP-SAT",
        lambda: [search(table, rule, "search") for table in tables],
        lambda: [search(table, rule, "cp-sat") for table in tables],
        per=len(tables),
        rounds=3,
    )


@pytest.mark.bench
@pytest.mark.parametrize("rule", Rule)
def test_partition_of_the_deck(race: Race, rule: Rule) -> None:
    random = Random(1)
    ratio = race(
        f"random partition of the deck, {rule}: search, CP-SAT",
        lambda: partition(WHOLE_DECK, rule, random, "search"),
        lambda: partition(WHOLE_DECK, rule, random, "cp-sat"),
        goal=2,
    )
    assert ratio > 1, "safe decks are made by search because it is faster"


@pytest.mark.bench
@pytest.mark.parametrize("rule", Rule)
def test_proof_for_the_deck(race: Race, rule: Rule) -> None:
    race(
        f"largest of the deck proved, {rule}: search, CP-SAT",
        lambda: largest_in_deck(rule, "search"),
        lambda: largest_in_deck(rule, "cp-sat"),
        rounds=3,
    )


@pytest.mark.bench
def test_both_proofs_by_both_methods(pace: Pace) -> None:
    pace(
        "20 and 54 proved by both methods",
        lambda: [largest_in_deck(rule, name) for rule in Rule for name in ("search", "cp-sat")],
        goal="5 s",
        rounds=3,
    )


@pytest.mark.bench
@pytest.mark.parametrize("n", [12, counting_by_layers.MAX_TABLE_CARDS])
def test_counting(pace: Pace, n: int) -> None:
    def count() -> None:
        counting_by_layers.kinds.cache_clear()
        counting_by_layers.count.cache_clear()
        count_free(n, Rule.TRIPLE)

    pace(f"tables of {n} without a triple", count, goal="2 s", rounds=3)
