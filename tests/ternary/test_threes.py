"""Pairs, the third card, correct triples and SETs; and the mistakes in the text."""

import re
from collections import Counter
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
    index_of,
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
    with pytest.raises(InputError, match=r"card: must be a card 0\.\.80, not 81"):
        third(5, 81)
    with pytest.raises(InputError, match="already on the table"):
        is_triple(1, 2, 1, Rule.SET)
    with pytest.raises(InputError, match=re.escape("0..15")):
        partner(5, 16)
    with pytest.raises(InputError, match="unknown rule 'both': choose from triple, set"):
        Rule("both")


def test_mistakes_of_the_text() -> None:
    """The docstring of the package lists them."""

    def printed_partners(card: int, k: int) -> tuple[int, int]:
        bits = [k >> 3 - place & 1 for place in range(4)]
        digits = [*zip(digits_of(card), bits, strict=True)]
        sums = [x + bit + 1 for x, bit in digits], [x + 2 - bit for x, bit in digits]
        b, c = ([abs(3 - x) for x in part] for part in sums)
        return index_of((b[0], b[1], b[2], b[3])), index_of((c[0], c[1], c[2], c[3]))

    cases = [(card, k) for card in range(CARDS) for k in range(8)]
    wrong = [(card, *printed_partners(card, k)) for card, k in cases]
    assert sum(len({*three}) == 3 and is_triple(*three, Rule.TRIPLE) for three in wrong) == 128
    right = [(card, partner(card, k), partner(card, 15 - k)) for card, k in cases]
    assert all(is_triple(*three, Rule.TRIPLE) for three in right)

    with_sum = [three for three in combinations(range(CARDS), 3) if sum(three) == 120]
    kinds = [(is_triple(*three, Rule.TRIPLE), is_triple(*three, Rule.SET)) for three in with_sum]
    assert Counter(kinds) == {(True, True): 216, (False, True): 184, (False, False): 400}
    for three in with_sum:
        if any(is_pair(a, b) for a, b in combinations(three, 2)):
            assert is_triple(*three, Rule.TRIPLE)
