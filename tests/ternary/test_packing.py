"""Disjoint threes: search and CP-SAT agree, on partitions of tables and of the deck, too."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError, LimitError
from quaternity.ternary import (
    CARDS,
    PACKING_METHODS,
    WHOLE_DECK,
    Incumbent,
    Rule,
    checksum,
    digits_of,
    is_triple,
    most_disjoint,
    partition,
    third,
)
from quaternity.ternary.checksum import excludes
from quaternity.ternary.tables import bits_of
from quaternity.ternary.triples import Triple
from tests.agreement import agree
from tests.limits import limited
from tests.sizes import examples, thorough
from tests.ternary.tables import CARD, RULES, most_disjoint_threes, tables

PACKINGS = {
    name: lambda table, rule, name=name: most_disjoint(table, rule, name)
    for name in PACKING_METHODS
}
PARTITION = {
    name: lambda table, rule, name=name: partition(table, rule, None, name)
    for name in PACKING_METHODS
}


def is_packing(threes: tuple[Triple, ...] | None, table: list[int], rule: Rule) -> bool:
    """Return whether these are disjoint threes of the table, in order."""
    cards = [card for three in threes or () for card in three]
    return (
        len(set(cards)) == len(cards)
        and set(cards) <= set(table)
        and all(is_triple(*three, rule) for three in threes or ())
        and list(threes or ()) == sorted(threes or ())
    )


@st.composite
def splittable_tables(draw: st.DrawFn, rule: Rule, threes: int) -> list[int]:
    """Draw a table made of disjoint threes; it may have other partitions, too."""
    random = Random(draw(st.integers(0, 10**6)))
    deck = partition(WHOLE_DECK, rule, random)
    assert deck is not None
    return [card for three in random.sample(deck, threes) for card in three]


@given(tables(0, 16) | tables(0, 24) | tables(30, 72), RULES)
@settings(max_examples=examples(1000), deadline=None)
def test_methods_agree_on_tables(table: list[int], rule: Rule) -> None:
    packing = agree(
        PACKINGS, table, rule, check=lambda found: is_packing(found, table, rule), answer=len
    )
    if len(table) <= 16:
        assert len(packing) == most_disjoint_threes(table, rule)
    assert len(table) % 3 == 0 or partition(table, rule) is None


@given(RULES, st.data(), st.integers(1, 7), st.booleans())
@settings(deadline=None)
def test_methods_agree_on_partitions(
    rule: Rule, data: st.DataObject, threes: int, spoilt: bool
) -> None:
    table = data.draw(splittable_tables(rule, threes))
    if spoilt:
        others = [card for card in range(CARDS) if card not in table]
        table[0] = data.draw(st.sampled_from(others))
    threes_found = agree(
        PARTITION,
        table,
        rule,
        check=lambda parts: is_packing(parts, table, rule),
        answer=lambda parts: None if parts is None else len(parts),
    )
    whole = len(most_disjoint(table, rule)) == threes
    assert (threes_found is not None) == whole
    if not spoilt:
        assert whole


@pytest.mark.parametrize("rule", Rule)
def test_the_deck_falls_into_27_threes(rule: Rule) -> None:
    threes = agree(
        PARTITION,
        list(WHOLE_DECK),
        rule,
        check=lambda parts: is_packing(parts, list(WHOLE_DECK), rule),
        answer=lambda parts: len(parts or ()),
    )
    assert threes is not None
    assert len(threes) == 27


@pytest.mark.parametrize("method", PACKING_METHODS)
def test_a_generator_decides_the_partition(method: str) -> None:
    seeds = thorough((1, 1, 2), (1, 1, 2, 3))
    by_seed = [partition(WHOLE_DECK, Rule.SET, Random(seed), method) for seed in seeds]
    assert by_seed[0] == by_seed[1]
    assert len(set(by_seed)) == thorough(2, 3)
    assert all(is_packing(threes, list(WHOLE_DECK), Rule.SET) for threes in by_seed)
    assert partition(WHOLE_DECK, Rule.SET, None, method) == partition(
        WHOLE_DECK, Rule.SET, None, method
    )


@given(tables(2, 2))
def test_a_set_has_the_checksum_0(two: list[int]) -> None:
    assert checksum([*two, third(*two)]) == 0


@given(tables(0, 81), CARD)
def test_a_checksum_is_a_sum(table: list[int], card: int) -> None:
    sums = zip(digits_of(checksum(table)), digits_of(card), strict=True)
    assert list(digits_of(checksum([*table, card]))) == [(x + y) % 3 for x, y in sums]


@given(tables(3, 15), RULES)
def test_checksums_never_exclude_a_possible_packing(table: list[int], rule: Rule) -> None:
    largest = most_disjoint_threes(table, rule)
    for count in range(largest + 1):
        assert not excludes(bits_of(table), count, checksum(table), rule)
    assert excludes(bits_of(table), len(table) // 3 + 1, checksum(table), rule)


@pytest.mark.parametrize("method", PACKING_METHODS)
def test_a_generator_chooses_among_the_packings(method: str) -> None:
    """The record `best` has the returned threes, for every seed."""
    answers = set()
    for seed in range(12):
        best: Incumbent[Triple] = Incumbent()
        packing = most_disjoint([0, 1, 2, 3, 6], Rule.SET, method, random=Random(seed), best=best)
        assert set(packing) == set(best.found)
        answers.add(packing)
    assert answers == {((0, 1, 2),), ((0, 3, 6),)}


@limited("quaternity.ternary.packing", MAX_NODES=3)
def test_the_search_has_a_limit() -> None:
    with pytest.raises(LimitError, match="3 nodes"):
        partition(WHOLE_DECK, Rule.SET)


def test_wrong_arguments_are_named() -> None:
    for ask in (most_disjoint, partition):
        with pytest.raises(InputError, match="already on the table"):
            ask([1, 1], Rule.SET)
    with pytest.raises(InputError, match="unknown method 'guess'; choose from search, cp-sat"):
        most_disjoint([1], Rule.SET, "guess")
    with pytest.raises(InputError, match="unknown method"):
        partition([1], Rule.SET, None, "guess")
