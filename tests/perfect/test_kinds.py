"""Kinds of sets: their numbers and their closure."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import LimitError
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.keys.arrays import key_array, key_bytes
from quaternity.perfect.keys.canonical import KeyCodec, Rules, canonical, closed_kinds, coding
from quaternity.perfect.keys.kinds import KindBook, kind_book, multiset_of_rank, multiset_rank
from quaternity.perfect.successors.many_states import Expander
from quaternity.trials.strategies import states
from solvers.coalition_tables import layout_for
from solvers.filtering import FILTERS
from tests.limits import limited
from tests.perfect.positions import all_keys
from tests.sizes import thorough


@given(st.lists(st.integers(0, 40), max_size=8).map(sorted))
def test_a_rank_determines_its_multiset(values: list[int]) -> None:
    assert multiset_of_rank(multiset_rank(values), len(values)) == tuple(values)


@pytest.mark.parametrize(("set_size", "players"), [(2, 2), (3, 2), (2, 3), (3, 3), (2, 4)])
def test_every_kind_has_one_number(set_size: int, players: int) -> None:
    book = kind_book(set_size, layout_for(players, set_size * players, set_size))
    forms = set()
    for number in range(1, book.total + 1):
        kind = book.by_number(number)
        assert kind.number == number
        assert kind is book.kind(kind.masks[::-1], kind.low)
        forms.add((kind.masks, kind.low))
    assert len(forms) == book.total


def test_names_can_be_changed_and_changed_back() -> None:
    book = kind_book(3, layout_for(3, 9, 3))
    random = Random(1)
    for _ in range(200):
        kind = book.by_number(random.randint(1, book.total))
        roles = tuple(random.sample(range(3), 3))
        back = tuple(roles.index(player) for player in range(3))
        assert kind.rename(roles).rename(back) is kind
        assert [kind.rename(roles).low[role] for role in range(3)] == [kind.low[p] for p in roles]


@settings(deadline=None)
@given(states())
def test_closing_agrees_with_the_filters(state: State) -> None:
    kinds = iter(closed_kinds(coding(Rules.of(state)), state))
    for name, closed in FILTERS.items():
        for row in closed(state.problem).sets:
            if row.size and name == "tables":
                kind = next(kinds)
                assert (kind.masks, kind.low) == (tuple(sorted(row.owners)), row.low)
    assert next(kinds, None) is None


def test_evicted_kinds_are_recomputed_identically() -> None:
    size, limit = thorough((2, 8), (3, 20))
    start = State.start(Settings(size, 3 * (4 - size), 3))
    rules, key = Rules.of(start), canonical(start).key
    keys = sorted(set(all_keys(coding(rules), key)))
    level = key_array(coding(rules), keys)
    plain = Expander(coding(rules)).expand(level)

    code = KeyCodec(rules)
    code.book = KindBook(size, code.book.layout)
    with limited("quaternity.perfect.keys.kinds", MAX_CACHED_KINDS=limit):
        seen = set()
        for reached in all_keys(code, key):
            assert reached in keys
            seen |= set(code.parts(reached).kinds)
        again = Expander(code).expand(level)
        assert key_bytes(again.keys) == key_bytes(plain.keys)
        assert again.counts.tolist() == plain.counts.tolist()
        assert again.outcomes.tolist() == plain.outcomes.tolist()
        assert len(code.book._by_form) <= limit < len(seen)


def test_too_many_players_and_too_many_kinds_are_refused() -> None:
    # The numbers of sets of 22 cards for five players have 65 bits.
    with pytest.raises(LimitError, match="too many for 64 bits"):
        coding(Rules.of(Settings(22, 5, 5)))
    with pytest.raises(LimitError, match="at most 7 players, not 8"):
        coding(Rules.of(Settings(2, 8, 8)))
