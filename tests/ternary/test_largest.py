"""Largest collections without a three: search and CP-SAT agree, and 54 and 20 are proved."""

from contextlib import suppress
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError, LimitError, SolverFault
from quaternity.ternary import (
    COLLECTION_METHODS,
    WHOLE_DECK,
    Incumbent,
    Rule,
    largest_free,
    largest_in_deck,
    largest_methods,
)
from quaternity.ternary import largest as largest_module
from quaternity.ternary.hyperplane import (
    DIRECTIONS,
    DIRECTIONS_OF_A_PAIR,
    FRAME,
    HYPERPLANE,
    PARABOLOID,
    images,
    must_have_full_hyperplane,
)
from quaternity.ternary.tables import bits_of, cards_in
from tests.agreement import agree
from tests.limits import limited
from tests.sizes import examples, thorough
from tests.ternary.tables import RULES, holds_no_three, most_without_three, tables

BY_METHOD = {
    name: lambda table, rule, name=name: largest_free(table, rule, name)
    for name in COLLECTION_METHODS
}


@given(
    st.tuples(tables(0, 10) | tables(0, 27), RULES)
    | st.tuples(tables(30, 80), st.just(Rule.TRIPLE))
)
@settings(max_examples=examples(600), deadline=None)
def test_methods_agree_on_tables(case: tuple[list[int], Rule]) -> None:
    table, rule = case
    largest = agree(
        BY_METHOD,
        table,
        rule,
        check=lambda found: set(found) <= set(table) and holds_no_three(found, rule),
        answer=len,
    )
    if len(table) <= 10:
        assert len(largest) == most_without_three(table, rule)


@given(tables(3, 20), RULES, st.data())
@settings(max_examples=examples(40))
def test_kept_cards_stay(table: list[int], rule: Rule, data: st.DataObject) -> None:
    cards = sorted(table)
    kept = data.draw(st.lists(st.sampled_from(cards), max_size=4, unique=True))
    kept = [] if not holds_no_three(tuple(kept), rule) else sorted(kept)
    largest = agree(
        {
            name: lambda *arguments, method=method: method.largest(*arguments, Incumbent[int]())
            for name, method in COLLECTION_METHODS.items()
        },
        cards,
        rule,
        kept,
        check=lambda part: set(kept) <= set(part) and holds_no_three(part, rule),
        answer=len,
    )
    assert len(largest) <= len(largest_free(cards, rule))


@given(tables(3, 12), RULES, st.integers(2, 8))
@settings(max_examples=examples(40))
def test_methods_agree_on_all_parts_of_a_size(table: list[int], rule: Rule, size: int) -> None:
    cards = sorted(table)
    kept = cards[:2]
    parts = agree(
        {
            "everything": lambda *_: sorted(
                bits_of(part)
                for part in combinations(cards, size)
                if set(kept) <= set(part) and holds_no_three(part, rule)
            ),
            **{
                name: lambda *arguments, method=method: sorted(method.parts(*arguments))
                for name, method in COLLECTION_METHODS.items()
            },
        },
        cards,
        rule,
        kept,
        size,
    )
    assert len(set(parts)) == len(parts)


@pytest.mark.parametrize(("rule", "size"), [(Rule.TRIPLE, 54), *thorough([], [(Rule.SET, 20)])])
def test_the_largest_collections_of_the_deck(rule: Rule, size: int) -> None:
    proof = agree(
        {name: lambda rule, name=name: largest_in_deck(rule, name) for name in COLLECTION_METHODS},
        rule,
        check=lambda found: holds_no_three(found.cards, rule) and bool(found.reasons),
        answer=lambda found: len(found.cards),
    )
    assert len(proof.cards) == len(set(proof.cards)) == size
    assert len(largest_free(WHOLE_DECK, rule)) == size


def test_the_counting_argument_for_21_cards() -> None:
    # By hand: 2730 pairs over 40 directions: 68.25 each; 8 + 8 + 5 cards make 66, 9 + 9 + 3 75.
    assert DIRECTIONS_OF_A_PAIR * 210 == 2730
    assert DIRECTIONS * 66 < 2730 <= DIRECTIONS * 75
    assert must_have_full_hyperplane(21, 9)
    assert not must_have_full_hyperplane(20, 9)
    assert not must_have_full_hyperplane(21, 10), "nothing says that 10 are in a hyperplane"


def test_a_pair_of_cards_is_together_in_13_of_40_directions() -> None:
    directions = [
        (a, b, c, d)
        for a, b, c, d in ((i // 27, i // 9 % 3, i // 3 % 3, i % 3) for i in range(1, 81))
        if next(digit for digit in (a, b, c, d) if digit) == 1
    ]
    assert len(directions) == DIRECTIONS
    for card in range(1, 81):
        digits = (card // 27, card // 9 % 3, card // 3 % 3, card % 3)
        together = [
            direction
            for direction in directions
            if sum(x * y for x, y in zip(direction, digits, strict=True)) % 3 == 0
        ]
        assert len(together) == DIRECTIONS_OF_A_PAIR


def test_full_caps_of_a_hyperplane_are_all_alike() -> None:
    assert holds_no_three(PARABOLOID, Rule.SET)
    assert not holds_no_three((0, 1, 2), Rule.SET)
    assert len(largest_free(HYPERPLANE, Rule.SET)) == len(PARABOLOID) == 9
    alike = images(PARABOLOID)
    assert all(holds_no_three(tuple(cards_in(cap)), Rule.SET) for cap in list(alike)[::100])
    with_frame = {cap for cap in alike if cap & bits_of(FRAME) == bits_of(FRAME)}
    assert set(largest_methods.parts_by_search(HYPERPLANE, Rule.SET, FRAME, 9)) == with_frame


def test_changes_of_coordinates_reach_every_frame() -> None:
    # 27 * 26 * 24 ordered threes without a SET, 6 orders each.
    assert len(images(FRAME)) == 27 * 26 * 24 // 6


def test_a_wrong_step_of_the_proof_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(largest_module, "PARABOLOID", tuple(range(9)))
    with pytest.raises(SolverFault, match="a step of the proof fails"):
        largest_in_deck(Rule.SET)


@limited("quaternity.ternary.largest_methods", MAX_NODES=10)
def test_the_search_has_a_limit() -> None:
    with pytest.raises(LimitError, match="10 nodes"):
        largest_free(range(30), Rule.SET)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(InputError, match="unknown method 'guess'; choose from search, cp-sat"):
        largest_free([1, 2], Rule.SET, "guess")
    with pytest.raises(InputError, match="unknown method"):
        largest_in_deck(Rule.SET, "")
    with pytest.raises(InputError, match="already on the table"):
        largest_free([1, 1], Rule.SET)


@given(tables(6, 24), RULES, st.integers(1, 60))
@settings(max_examples=examples(60))
def test_bounds_hold_wherever_the_search_ends(table: list[int], rule: Rule, nodes: int) -> None:
    """The largest part is never smaller than the best one found, nor larger than the bound."""
    size, best = len(largest_free(table, rule)), Incumbent[int]()
    with limited("quaternity.ternary.largest_methods", MAX_NODES=nodes), suppress(LimitError):
        largest_free(table, rule, best=best)
        assert best.proved
    assert best.size <= size <= best.bound
    assert holds_no_three(best.found, rule)
    assert set(best.found) <= set(table)


@pytest.mark.parametrize("method", COLLECTION_METHODS)
def test_a_generator_chooses_among_the_largest(method: str) -> None:
    """Even if the first collection, taken card by card, is already a largest one."""

    def choose(seed: int) -> tuple[int, ...]:
        return largest_free(range(3), Rule.SET, method, random=Random(seed))

    assert {choose(seed) for seed in range(20)} == {(0, 1), (0, 2), (1, 2)}
    assert choose(3) == choose(3)
    decks = {largest_in_deck(Rule.TRIPLE, method, random=Random(seed)).cards for seed in (1, 2)}
    assert len(decks) == 2
    assert all(len(deck) == 54 and holds_no_three(deck, Rule.TRIPLE) for deck in decks)


def test_a_trivial_proof_needs_no_time() -> None:
    assert largest_free(range(2), Rule.SET, seconds=1e-9) == (0, 1)
    assert largest_free(range(3), Rule.SET, seconds=10**400) == (0, 1)
