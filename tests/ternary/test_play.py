"""Safe decks, complete games, and chains."""

from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.ternary import (
    PACKING_METHODS,
    WHOLE_DECK,
    Rule,
    Table,
    chain,
    is_triple,
    play_out,
    safe_deck,
    shuffled_deck,
)
from quaternity.ternary.players import slow
from quaternity.ternary.rules import SetRules, SetSettings
from tests.sizes import thorough
from tests.ternary.tables import CARD, RULES, belongs


@given(st.integers(0, 2**32), RULES, st.sampled_from([3, 6, 9, 12, 15, 81]))
def test_a_safe_deck_holds_against_any_choice(seed: int, rule: Rule, size: int) -> None:
    random = Random(seed)
    deck = safe_deck(random, rule)
    for choose in (min, max, lambda threes: threes[len(threes) // 2]):
        game = play_out(deck, rule, random, size=size, choose=choose)
        assert not game.got_stuck
        assert sorted([*(card for three in game.taken for card in three), *game.left]) == list(
            WHOLE_DECK
        )
        assert all(is_triple(*three, rule) for three in game.taken)


@pytest.mark.parametrize("method", PACKING_METHODS)
@pytest.mark.parametrize("rule", Rule)
def test_a_safe_deck_is_dealt_three_by_three(rule: Rule, method: str) -> None:
    decks = [safe_deck(Random(seed), rule, method) for seed in (5, 5, 6)]
    for deck in decks:
        assert sorted(deck) == list(WHOLE_DECK)
        assert all(belongs(deck[start : start + 3], rule) for start in range(0, 81, 3))
    assert decks[0] == decks[1] != decks[2]


def test_a_shuffled_deck_gets_stuck_at_once_in_most_games_of_the_text() -> None:
    random = Random(7)
    games = [play_out(shuffled_deck(random), Rule.TRIPLE, random) for _ in range(1000)]
    at_once = sum(not game.taken for game in games)
    # 55.82 % of all tables of 12 (see counting); three standard deviations are 47 games.
    assert 558 - 47 < at_once < 558 + 47
    assert all(len(game.left) == 12 and game.undealt == 69 for game in games if not game.taken)


def test_the_real_game_with_random_choices() -> None:
    random = Random(8)
    decks = [shuffled_deck(random) for _ in range(thorough(500, 1500))]
    games = [play_out(deck, Rule.SET, random, extra=True) for deck in decks]
    assert not any(game.got_stuck for game in games)
    blank = sum(game.blanks for game in games) / sum(game.looks for game in games)
    assert abs(blank - 0.0665) < 0.006
    left = Counter(len(game.left) for game in games)
    assert set(left) <= {0, 6, 9, 12, 15, 18}
    for cards, share in ((0, 0.0122), (6, 0.4682), (9, 0.4450), (12, 0.0738)):
        assert abs(left[cards] / len(games) - share) < 0.04
    # Three cards left would be a SET themselves, because all sums of digits are 0.
    assert left[3] == 0


def test_places_on_the_table_are_shuffled_at_every_deal() -> None:
    random = Random(3)
    table = Table.start(safe_deck(random, Rule.SET), random)
    newest = set(table.deck[:3])
    first, second, last, *_ = table.places
    less = table.take((first, second, last))
    after = [less.deal(3, Random(seed)) for seed in range(200)]
    places = Counter(
        place for now in after for place, card in enumerate(now.places) if card in newest
    )
    assert set(places) == set(range(12))
    assert max(places.values()) < 2 * min(places.values())


def test_wrong_games_are_refused() -> None:
    deck = shuffled_deck(Random(1))
    for size in (0, 2, 13, 84, -3):
        with pytest.raises(InputError, match="multiple of 3"):
            Table.start(deck, Random(1), size)
    with pytest.raises(InputError, match="already on the table"):
        play_out((*deck, deck[0]), Rule.SET, Random(1))
    table = Table.start(deck, Random(1))
    with pytest.raises(InputError, match="not on the table"):
        table.take((deck[-1], deck[-2], deck[-3]))
    with pytest.raises(InputError, match="unknown method"):
        safe_deck(Random(1), Rule.SET, "guess")


@given(st.integers(0, 2**32), RULES, st.none() | CARD)
def test_a_chain_goes_on_from_its_last_card(seed: int, rule: Rule, start: int | None) -> None:
    links = list(islice(chain(Random(seed), rule, start), 40))
    assert len(links) == 40, "it never ends"
    assert start is None or links[0][0] == start
    assert all(is_triple(*link, rule) for link in links)
    for before, after in pairwise(links):
        assert before[2] == after[0]
        assert set(before) != set(after)
    assert links == list(islice(chain(Random(seed), rule, start), 40))


def test_a_chain_reaches_all_cards() -> None:
    for rule in Rule:
        seen = {card for link in islice(chain(Random(2), rule), 500) for card in link}
        assert seen == set(WHOLE_DECK)


def test_a_chain_starts_at_a_card() -> None:
    with pytest.raises(InputError, match="81"):
        chain(Random(1), Rule.SET, 81)


def test_a_program_is_ten_times_faster_once_all_others_agree() -> None:
    rules = SetRules(SetSettings(seats=3))
    player, view = slow(rules, "40"), rules.view(rules.start(Random(1)), 0)
    agreed: tuple[set[int], ...] = (set(), {1}, {1, 2})
    delays = [player.delay(replace(view, agreed=frozenset(seats)), Random(2)) for seats in agreed]
    assert delays[0] == delays[1] == pytest.approx(10 * delays[2])
