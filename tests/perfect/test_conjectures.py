"""Theorems and conjectures of the guide about games of all sizes, checked on solved games."""

import pytest

from quaternity.base.errors import LimitError
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.keys.canonical import Rules, canonical, coding
from quaternity.perfect.solving.solver import Solution, solve
from quaternity.perfect.stalling import stalling_questions
from quaternity.perfect.successors.one_state import choices
from tests.perfect.positions import from_hands, hands_of
from tests.sizes import thorough

Sizes = tuple[int, int, int]

SOLVED: list[tuple[Sizes, bool]] = [
    ((3, 1, 3), False), ((6, 1, 3), False), ((9, 1, 3), True), ((12, 1, 3), True),
    ((3, 2, 3), False), ((6, 2, 3), True),
    ((2, 3, 3), False), ((3, 3, 3), False), ((4, 3, 3), True), ((5, 3, 3), True),
    ((3, 4, 3), True), ((3, 5, 3), True),
    ((2, 6, 3), False), ((2, 9, 3), True), ((2, 12, 3), True), ((2, 15, 3), True),
    ((4, 1, 4), False), ((2, 4, 4), False), ((2, 6, 4), True), ((2, 5, 5), True),
]  # fmt: skip
"""Sizes of games that can be won, and whether solving takes a second or more."""


def params(sizes: list[tuple[Sizes, bool]]) -> list[object]:
    """Return the sizes as test parameters, marked if they are slow."""
    return [pytest.param(s, id=str(s), marks=[pytest.mark.slow] * slow) for s, slow in sizes]


@pytest.mark.parametrize("size", range(2, thorough(4, 6)))
@pytest.mark.parametrize("sets", range(1, thorough(4, 6)))
def test_all_games_of_two_players_have_one_length_and_result(size: int, sets: int) -> None:
    for hand in range(1, size * sets):
        state = from_hands(size, sets, (hand, size * sets - hand))
        won = min(hand, sets)
        code = coding(Rules.of(state))
        level = {canonical(state).key}
        for _ in range(size * won - hand):
            assert all(code.parts(key).kinds for key in level)
            level = {
                reply.key
                for key in level
                for choice in choices(code, key)
                for reply in choice.replies
            }
        ends = [code.parts(key) for key in level]
        assert all(not parts.kinds for parts in ends)
        assert {max(parts.points) for parts in ends} == {max(won, sets - won)}
        standing = solve(state).standing(state)
        assert (0 in standing.can_force) == (won > sets / 2)
        assert (1 in standing.can_force) == (won < sets / 2)


@pytest.mark.parametrize("sizes", params(SOLVED))
def test_the_longest_forced_win_and_who_can_prevent(sizes: Sizes) -> None:
    size, sets, players = sizes
    start = State.start(Settings(*sizes))
    solution = solve(start)
    longest, standing = longest_forced(solution), solution.standing(start)
    assert standing.can_force == ()
    assert standing.can_win == tuple(range(players))
    assert standing.can_prevent == ((),) * players
    if players == 3:
        assert longest == (sets if sets <= 3 else sets + 1) * (size - 1)
    elif sets <= 2:
        assert longest <= sets * (size - 1)


def longest_forced(solution: Solution) -> int:
    """Return the number of moves of the longest forced win of any state."""
    longest = solution.facts.longest_forced
    assert isinstance(longest, int)
    return longest


@pytest.mark.parametrize(
    "sizes", params([((2, 2, 4), False), ((2, 3, 6), True), ((3, 2, 6), True)])
)
def test_with_one_card_each_nobody_can_win(sizes: Sizes) -> None:
    assert not solve(State.start(Settings(*sizes))).values.can_win.any()


@pytest.mark.parametrize(
    "sizes",
    params([((2, 2, 3), False), ((2, 3, 3), False), ((3, 2, 3), False), ((2, 4, 3), True)])
    + params([((4, 2, 3), True), ((3, 3, 3), True), ((2, 5, 3), True), ((2, 6, 3), True)])
    + params([((4, 1, 3), False), ((5, 1, 3), True), ((2, 3, 4), True), ((5, 2, 3), True)]),
)
def test_uneven_starts(sizes: Sizes) -> None:
    """Nobody can force a win there either, but a player can prevent the win of another."""
    size, sets, players = sizes
    prevented, longest = [], 0
    for hands in hands_of(size * sets, players):
        start = from_hands(size, sets, hands)
        solution = solve(start)
        standing = solution.standing(start)
        assert standing.can_force == ()
        longest = max(longest, solution.facts.longest_forced or 0)
        can_win = set(standing.can_win)
        prevented += [hands for others in standing.can_prevent if set(others) & can_win]
    assert longest <= (sets if sets <= 5 else sets + 1) * (size - 1)
    assert prevented == {
        (2, 3, 3): [(1, 2, 3)],
        (2, 4, 3): [(1, 3, 4)],
        (2, 5, 3): [(1, 3, 6), (1, 4, 5)],
        (2, 6, 3): [(1, 4, 7), (1, 5, 6)],
    }.get(sizes, [])


@pytest.mark.parametrize(
    "sizes",
    params([((2, 2, 3), False), ((2, 3, 3), False), ((3, 2, 3), False), ((2, 2, 4), False)]),
)
def test_a_player_without_cards_cannot_win_or_help_to_force_a_win(sizes: Sizes) -> None:
    """Check theorems 2 and 3 with an additional player, who has no cards."""
    size, sets, players = sizes
    for hands in [*hands_of(size * sets, players)][:: thorough(3, 1)]:
        for place in range(1, players + 1):
            start = from_hands(size, sets, (*hands[:place], 0, *hands[place:]))
            standing = solve(start).standing(start)
            assert standing.can_force == ()
            assert place not in standing.can_win
            assert not {*standing.can_prevent[place]} & {*standing.can_win}
    for hand in range(1, size * sets):
        start = from_hands(size, sets, (hand, 0, size * sets - hand))
        won = min(hand, sets)
        forced = () if 2 * won == sets else (0 if 2 * won > sets else 2,)
        assert solve(start).standing(start).can_force == forced


def test_many_players_are_refused() -> None:
    with pytest.raises(LimitError, match="at most 12 players, not 13"):
        stalling_questions(State.start(Settings(2, 13, 13)), 1)
