"""Tables without a three: by layers, by search, by transfer matrices, and published counts."""

import re
from itertools import combinations
from math import comb, perm

import pytest

from quaternity.base.errors import InputError
from quaternity.ternary import (
    CARDS,
    MAX_CARDS_WITHOUT_THREE,
    WHOLE_DECK,
    Rule,
    count_free,
    counting_by_layers,
    triples,
)
from quaternity.ternary.counting import TABLES_WITHOUT_SET, TABLES_WITHOUT_TRIPLE
from quaternity.ternary.hyperplane import FRAME
from quaternity.ternary.largest_methods import parts_by_search
from tests.sizes import only_thorough
from tests.ternary.transfer_matrices import evaluate

SET_COUNTS = {
    7: 2144076480, 8: 14587567020, 9: 77541824880, 10: 318294370368, 11: 991227481920,
    12: 2284535476080, 13: 3764369026080, 14: 4217827554720, 15: 2970003246912,
    16: 1141342138404, 17: 176310866160, 18: 6482268000, 19: 13646880, 20: 682344,
}  # fmt: skip


def count_by_search(n: int, rule: Rule) -> int:
    """Count the tables of n cards without a three: list only those that have certain cards.

    All cards are equivalent, and so are all ordered threes of cards that are not a SET: a change
    of coordinates maps any of them to any other.
    """
    some, alike = ((0,), CARDS) if rule is Rule.TRIPLE else (FRAME, CARDS * 80 * 78)
    listed = sum(1 for _ in parts_by_search(WHOLE_DECK, rule, some, n))
    tables, rest = divmod(alike * listed, perm(n, len(some)))
    assert rest == 0
    return tables


@pytest.mark.parametrize("n", range(1, 5))
def test_layers_and_search_agree(n: int) -> None:
    assert counting_by_layers.count(n) == count_by_search(n, Rule.TRIPLE)


@pytest.mark.parametrize("n", [3, 4, 5, pytest.param(6, marks=only_thorough)])
def test_recorded_counts_of_small_tables_found_again(n: int) -> None:
    assert TABLES_WITHOUT_SET[n] == count_by_search(n, Rule.SET)


@pytest.mark.slow
def test_a_published_count_found_again() -> None:
    assert count_by_search(7, Rule.SET) == SET_COUNTS[7]


@pytest.mark.parametrize("rule", Rule)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_counts_of_the_smallest_tables_by_trying_all(n: int, rule: Rule) -> None:
    free = sum(not triples(table, rule) for table in combinations(range(CARDS), n))
    assert count_free(n, rule).free == free


def test_probabilities_of_twelve_cards() -> None:
    game, text = count_free(12, Rule.SET), count_free(12, Rule.TRIPLE)
    assert game.tables == text.tables == 70_724_320_184_700
    assert game.free == 2_284_535_476_080
    assert text.free == 39_478_773_647_088
    assert round(game.probability, 4) == 0.0323
    assert round(text.probability, 4) == 0.5582


def test_the_published_counts_of_tables_without_a_set() -> None:
    assert {n: free for n, free in TABLES_WITHOUT_SET.items() if n > 6} == SET_COUNTS
    assert sorted(TABLES_WITHOUT_SET) == list(range(1, 21))
    for n in range(1, CARDS + 1):
        answer = count_free(n, Rule.SET)
        assert answer.tables == comb(CARDS, n)
        assert answer.free == SET_COUNTS.get(n, answer.free if n < 7 else 0)


def test_the_largest_tables_without_a_triple_miss_a_value() -> None:
    assert sorted(TABLES_WITHOUT_TRIPLE) == list(range(1, 55))
    others = {n: count_free(n, Rule.TRIPLE).free - 12 * comb(54, n) for n in range(45, 55)}
    assert all(others[n] == 0 for n in range(49, 55))
    assert all(others[n] > 0 for n in range(45, 49))
    assert others[48] == 1377


@pytest.mark.parametrize(
    "n",
    [
        *range(1, 15),
        *(pytest.param(n, marks=only_thorough) for n in (15, 16)),
        *(pytest.param(n, marks=pytest.mark.slow) for n in (17, 18, 19)),
    ],
)
def test_recorded_counts_found_again_by_layers(n: int) -> None:
    assert counting_by_layers.count(n) == TABLES_WITHOUT_TRIPLE[n]


@pytest.mark.slow
def test_all_counts_found_again_by_transfer_matrices() -> None:
    # If one number were wrong, at most 54 of the four million values would not show it.
    prime, t = 4_194_301, 1_618_033
    by_size = [1, *(count_free(n, Rule.TRIPLE).free for n in range(1, CARDS + 1))]
    value = sum(free * pow(t, n, prime) for n, free in enumerate(by_size)) % prime
    assert evaluate(t, prime) == value


@pytest.mark.parametrize("rule", Rule)
def test_every_card_is_in_as_many_free_tables(rule: Rule) -> None:
    # All cards are equivalent, so each has the same number of places on free tables.
    for n in range(1, CARDS + 1):
        assert count_free(n, rule).free * n % CARDS == 0


@pytest.mark.parametrize("rule", Rule)
def test_a_free_table_stays_free_without_a_card(rule: Rule) -> None:
    # Each free table of n + 1 cards gives n + 1 of n cards, each of these at most 81 - n times.
    for n in range(1, CARDS):
        fewer, more = count_free(n, rule).free, count_free(n + 1, rule).free
        assert more * (n + 1) <= fewer * (CARDS - n)
        assert (fewer > 0) == (n <= MAX_CARDS_WITHOUT_THREE[rule])


def test_kinds_of_parts_of_a_layer() -> None:
    for size in range(6):
        kinds = counting_by_layers.kinds(size)
        assert sum(alike for _, alike in kinds) == comb(counting_by_layers.LAYER_CARDS, size)
        assert all(len(cards) == size for cards, _ in kinds)
        assert all(1296 % alike == 0 for _, alike in kinds)
    # Two cards of a layer share 2, 1 or 0 of three digits: 27 cards with 6, 12 and 8 such others.
    assert sorted(alike for _, alike in counting_by_layers.kinds(2)) == [
        27 * 6 // 2,
        27 * 8 // 2,
        27 * 12 // 2,
    ]


@pytest.mark.parametrize("n", [0, 82, -1, True, 12.0, "12", None])
def test_a_table_has_1_to_81_cards(n: object) -> None:
    for rule in Rule:
        with pytest.raises(InputError, match=re.escape("1..81")):
            count_free(n, rule)  # type: ignore[arg-type]  # the wrong type is the point
