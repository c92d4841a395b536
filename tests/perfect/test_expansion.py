"""Expanding many states at once gives the same as expanding each of them."""

from collections import Counter
from itertools import islice
from random import Random

import numpy as np
import pytest

from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.arrays import (
    Keys,
    contains,
    from_words,
    key_array,
    key_bytes,
    to_words,
)
from quaternity.perfect.keys.canonical import Key, KeyCodec, Rules, canonical, coding
from quaternity.perfect.keys.kinds import role_orders
from quaternity.perfect.solving.graph import IDLE, OPEN
from quaternity.perfect.successors.many_states import Expander, Expansion, expand_singly
from quaternity.perfect.successors.one_state import Choice, choices
from tests.agreement import agree
from tests.limits import limited
from tests.perfect.by_state import choices_by_state
from tests.perfect.positions import all_keys, random_states
from tests.sizes import thorough

FIRST, MIN_SETS = TieBreak


def questions(result: Expansion, players: int) -> list[Counter[tuple[object, ...]]]:
    """Return the questions of each state, unordered, with the keys that answers lead to."""
    # Equivalent roles may come in any order, so only keys are compared here; tests of the solver
    # check the orders.
    keys, orders = key_bytes(result.keys), len(role_orders(players)[0])
    led = [keys[outcome // orders] for outcome in result.outcomes.tolist()]
    groups, states = result.counts.shape
    counters = [Counter[tuple[object, ...]]() for _ in range(states)]
    owners = np.repeat(np.tile(np.arange(states), groups), result.counts.ravel())
    single = int(result.counts[:OPEN].sum())
    idle = int(result.counts[IDLE].sum())
    for row, (owner, asked) in enumerate(zip(owners.tolist(), result.asked.tolist(), strict=True)):
        if row < single:
            answers = [None, led[row]] if result.is_yes[row] else [led[row], None]
        else:
            answers = [led[row], led[row + len(owners) - single]]
        counters[owner][row < idle, asked, *answers] += 1
    assert len(led) == 2 * len(owners) - single
    return counters


def count_questions(options: list[Choice]) -> Counter[tuple[object, ...]]:
    """Return the questions, unordered."""
    return Counter(
        (asked, *((reply.answer, reply.key) for reply in replies)) for asked, replies in options
    )


@pytest.mark.parametrize(
    ("sizes", "tie_break", "limit"),
    [
        ((2, 2, 2), FIRST, 10**6),
        ((3, 4, 2), FIRST, 10**6),
        ((2, 3, 3), FIRST, 10**6),
        ((3, 2, 3), FIRST, 10**6),
        ((3, 3, 3), FIRST, 10**6),
        ((2, 6, 3), FIRST, 10**6),
        ((2, 4, 4), FIRST, 700),
        ((2, 4, 4), MIN_SETS, 10**6),
        ((2, 6, 4), MIN_SETS, 700),
        ((3, 4, 4), FIRST, 300),
        ((4, 3, 3), FIRST, 700),
        ((2, 5, 5), FIRST, 150),
        ((2, 5, 5), MIN_SETS, 300),
        ((4, 13, 4), FIRST, 60),
    ],
    ids=str,
)
@pytest.mark.parametrize("brisk", [False, True], ids=["plain", "brisk"])
def test_fast_and_plain_expansion_agree(
    sizes: tuple[int, int, int], tie_break: TieBreak, limit: int, brisk: bool
) -> None:
    start = State.start(Settings(*sizes, tie_break=tie_break, brisk=brisk))
    code = coding(Rules.of(start))
    keys = all_keys(code, canonical(start).key, min(limit, thorough(20, limit)))
    assert Expander.fault(code) is None
    for key in keys[: thorough(4, 200)]:
        agree({"kinds": choices, "states": choices_by_state}, code, key, answer=count_questions)
    check_expansion(code, keys)
    # Also from the start to the end of games.
    moves = thorough(30, 400) // (1 + start.sets // 7 * 4)
    late = [canonical(state).key for state in random_states(start, Random(4), moves)]
    check_expansion(code, sorted({*late}))


def check_expansion(code: KeyCodec, keys: list[Key]) -> None:
    """Compare states expanded at once, and one by one."""

    def apart(keys: Keys) -> Expansion:
        return expand_singly(code, keys)

    @limited("quaternity.perfect.successors.many_states", QUESTION_BITS=1)
    def at_once_by_ranks(keys: Keys) -> Expansion:
        return Expander(code).expand(keys)

    agree(
        {"at once": Expander(code).expand, "by ranks": at_once_by_ranks, "one by one": apart},
        key_array(code, keys),
        answer=lambda result: (key_bytes(result.keys), questions(result, code.rules.players)),
    )


MAX_SET_SIZES = {2: 18, 3: 9, 4: 6, 5: 2}
"""Size of the largest sets whose kinds fit in arrays, by number of players."""


@pytest.mark.parametrize("players", MAX_SET_SIZES)
def test_the_largest_sets_that_fit_are_expanded_correctly(players: int) -> None:
    def code_of(size: int) -> KeyCodec:
        return coding(Rules.of(State.start(Settings(size, players, players))))

    fit = [size for size in range(2, 21) if Expander.fault(code_of(size)) is None]
    assert fit == [*range(2, MAX_SET_SIZES[players] + 1)]
    start = canonical(State.start(Settings(fit[-1], players, players))).key
    keys = all_keys(code_of(fit[-1]), start, 300)
    check_expansion(code_of(fit[-1]), keys[:: max(1, len(keys) // thorough(12, 100))])


@pytest.mark.parametrize(
    ("sizes", "tie_break"), [((2, 6, 6), FIRST), ((2, 6, 6), MIN_SETS), ((3, 5, 5), FIRST)], ids=str
)
def test_many_players_by_kinds_and_by_states(
    sizes: tuple[int, int, int], tie_break: TieBreak
) -> None:
    start = State.start(Settings(*sizes, tie_break=tie_break))
    code = coding(Rules.of(start))
    for key in all_keys(code, canonical(start).key, 60)[: thorough(10, 60)]:
        agree({"kinds": choices, "states": choices_by_state}, code, key, answer=count_questions)


def test_the_reason_is_given_if_a_state_does_not_fit_in_words() -> None:
    for sizes, why in (
        ((3, 6, 6), "players"), ((4, 13, 4), None), ((5, 40, 4), "8 bits"), ((3, 5, 5), "64 bits")
    ):  # fmt: skip
        fault = Expander.fault(coding(Rules.of(State.start(Settings(*sizes)))))
        assert (fault is None) if why is None else (fault is not None and why in fault), fault


@pytest.mark.parametrize("sizes", [(4, 3, 3), (3, 4, 4), (4, 4, 4)], ids=str)
def test_keys_in_arrays_keep_their_order(sizes: tuple[int, int, int]) -> None:
    start = State.start(Settings(*sizes))
    code = coding(Rules.of(start))
    keys = list(islice(all_keys(code, canonical(start).key, 200), 200))
    array = key_array(code, keys)
    assert array.dtype == (np.uint64 if code.words == 1 else f"S{8 * code.words}")
    assert key_bytes(array) == keys
    assert key_bytes(from_words(to_words(array))) == keys
    array.sort()
    assert key_bytes(array) == sorted(keys)
    assert contains(array[::2], array).tolist() == [place % 2 == 0 for place in range(len(keys))]
