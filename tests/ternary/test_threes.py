"""Pairs, the third card, correct triples and SETs; and the mistakes in the text."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.ternary import (
    CARDS,
    Rule,
    all_triples,
    digits_of,
    is_pair,
    is_triple,
    pairs_table,
    partner,
    partners,
    third,
    triples,
    triples_through,
)
from tests.agreement import agree
from tests.ternary.slips import (
    SUM_OF_A_TRIPLE,
    printed_mod_3,
    printed_partners,
    threes_with_sum,
)
from tests.ternary.tables import CARD, RULES, belongs, tables


def test_1296_ordered_and_648_unordered_pairs() -> None:
    table = pairs_table()
    assert sum(map(len, table)) == 1296 == 6**4
    assert sum(1 for a, b in combinations(range(CARDS), 2) if is_pair(a, b)) == 648
    assert all(len(set(row)) == 16 for row in table)


@given(CARD)
def test_a_partner_shares_no_attribute(card: int) -> None:
    assert partners(card) == tuple(
        other
        for other in range(CARDS)
        if all(x != y for x, y in zip(digits_of(card), digits_of(other), strict=True))
    )
    assert set(pairs_table()[card]) == set(partners(card))


@given(CARD, st.integers(0, 15))
def test_k_and_15_minus_k_exchange_the_other_two_cards(card: int, k: int) -> None:
    b, c = partner(card, k), partner(card, 15 - k)
    assert is_triple(card, b, c, Rule.TRIPLE)
    assert third(card, b) == c
    assert c in partners(card), "the third card is among the partners"


def test_k_from_0_to_7_gives_the_triples_and_to_15_the_pairs() -> None:
    for card in range(CARDS):
        triples_by_k = {
            frozenset((card, partner(card, k), partner(card, 15 - k))) for k in range(8)
        }
        assert triples_by_k == {frozenset(three) for three in triples_through(card, Rule.TRIPLE)}
        assert len(triples_by_k) == 8
        assert len({partner(card, k) for k in range(16)}) == 16


@pytest.mark.parametrize(
    ("rule", "all_of_them", "through"), [("triple", 216, 8), ("set", 1080, 40)]
)
def test_numbers_of_threes(rule: str, all_of_them: int, through: int) -> None:
    threes = all_triples(Rule(rule))
    assert len(threes) == all_of_them
    assert set(threes) == {
        three for three in combinations(range(CARDS), 3) if belongs(three, Rule(rule))
    }
    assert all(len(triples_through(card, Rule(rule))) == through for card in range(CARDS))


def test_every_correct_triple_is_a_set() -> None:
    assert set(all_triples(Rule.TRIPLE)) < set(all_triples(Rule.SET))


@given(tables(2, 2))
def test_two_cards_determine_the_third(two: list[int]) -> None:
    a, b = two
    completing = [c for c in range(CARDS) if c not in two and is_triple(a, b, c, Rule.SET)]
    assert completing == [third(a, b)]
    correct = [c for c in range(CARDS) if c not in two and is_triple(a, b, c, Rule.TRIPLE)]
    assert correct == ([third(a, b)] if is_pair(a, b) else [])


@given(tables(0, 81), RULES)
def test_triples_of_a_table_by_pairs_and_by_all_threes(table: list[int], rule: Rule) -> None:
    threes = agree(
        {
            "by the third card": triples,
            "from the list of all": lambda cards, rule: tuple(
                three for three in all_triples(rule) if set(three).issubset(cards)
            ),
        },
        table,
        rule,
    )
    assert all(belongs(three, rule) for three in threes)
    assert list(threes) == sorted(threes)


def test_wrong_values_are_named() -> None:
    with pytest.raises(InputError, match="two different cards, not 5 twice"):
        third(5, 5)
    with pytest.raises(InputError, match="card: 81"):
        third(5, 81)
    with pytest.raises(InputError, match="already on the table"):
        is_triple(1, 2, 1, Rule.SET)
    with pytest.raises(InputError, match=re.escape("0..15")):
        partner(5, 16)
    with pytest.raises(InputError, match="unknown rule 'both': choose from triple, set"):
        Rule("both")


def test_mistake_1_the_printed_remainder() -> None:
    assert [printed_mod_3(x) for x in (1, 2, 3, 4)] == [2, 1, 0, 1]
    assert [x % 3 for x in (1, 2, 3, 4)] == [1, 2, 0, 1]


def test_mistake_1_the_printed_formulas_hold_in_128_of_648_cases() -> None:
    def correct(card: int, b: int, c: int) -> bool:
        return len({card, b, c}) == 3 and is_triple(card, b, c, Rule.TRIPLE)

    cases = [(card, k) for card in range(CARDS) for k in range(8)]
    assert len(cases) == 648
    assert sum(correct(card, *printed_partners(card, k)) for card, k in cases) == 128
    assert all(correct(card, partner(card, k), partner(card, 15 - k)) for card, k in cases)


def test_mistake_3_the_sum_120_is_necessary_and_not_sufficient() -> None:
    with_sum = threes_with_sum(SUM_OF_A_TRIPLE)
    assert with_sum == tuple(three for three in combinations(range(CARDS), 3) if sum(three) == 120)
    assert len(with_sum) == 800
    kinds = [(is_triple(*three, Rule.TRIPLE), is_triple(*three, Rule.SET)) for three in with_sum]
    assert kinds.count((True, True)) == 216 == len(all_triples(Rule.TRIPLE))
    assert kinds.count((False, True)) == 184
    assert kinds.count((False, False)) == 400
    assert (0, 42, 78) in with_sum
    assert not is_triple(0, 42, 78, Rule.SET)
    assert sum(sum(three) == 120 for three in all_triples(Rule.SET)) == 400


def test_mistake_3_the_sum_120_suffices_for_two_cards_that_form_a_pair() -> None:
    for a, b, c in threes_with_sum():
        if is_pair(a, b) or is_pair(a, c) or is_pair(b, c):
            assert is_triple(a, b, c, Rule.TRIPLE)
