"""The search for one player's forced win, compared with solved games and played out."""

from itertools import permutations
from random import Random

import pytest

from quaternity.base.errors import InputError, SolverFault
from quaternity.game.question import Answer
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.game.transition import out_of_play
from quaternity.perfect.forcing import (
    ForcedWinSearch,
    cannot_escape_rings,
    is_known_lost,
    known_result,
)
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import Rules, canonical, coding, symmetric_roles
from quaternity.perfect.solving.solver import solve
from quaternity.perfect.stalling import stalling_questions
from solvers.problem import DealProblem, SetConstraint
from tests.perfect.positions import random_states
from tests.sizes import thorough

SIZES = [
    (3, 3, 3, TieBreak.FIRST_IN_ORDER),
    (2, 4, 4, TieBreak.FIRST_IN_ORDER),
    (2, 4, 4, TieBreak.MIN_SETS),
]


def midgame(settings: Settings, seed: int, min_moves: int, max_moves: int) -> State:
    """Return a state of random play that is not over."""
    random = Random(seed)
    moves, unfinished = random.randint(min_moves, max_moves) + 1, State.start(settings)
    for state in random_states(unfinished, random, moves):
        if state.is_over:
            break
        unfinished = state
    return unfinished


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_the_answer_agrees_with_the_solved_game(sizes: tuple[int, int, int, TieBreak]) -> None:
    start = State.start(Settings(*sizes))
    solution = solve(start)
    won = 0
    for state in random_states(start, Random(5), thorough(18, 300)):
        standing = solution.standing(state)
        for player in range(state.players):
            forcing = ForcedWinSearch(state, player)
            assert forcing.search() == (player in standing.can_force)
            came_through, whole = forcing.check()
            assert whole
            assert came_through <= forcing.states
            won += bool(forcing.can_force)
    assert won > thorough(2, 5)


@pytest.mark.parametrize("sizes", [*SIZES[:2], (2, 6, 3, TieBreak.FIRST_IN_ORDER)], ids=str)
def test_a_line_ends_as_stated(sizes: tuple[int, int, int, TieBreak]) -> None:
    """It ends with a win, a repeated position, or a position in which a win is impossible."""
    repeated = 0
    for start in random_states(State.start(Settings(*sizes)), Random(8), thorough(24, 200)):
        for player in range(start.players):
            forcing = ForcedWinSearch(start, player)
            won = forcing.search()
            moves, again = forcing.line()
            states = [start]
            for question, answer in moves:
                assert answer in states[-1].answers(question)
                states.append(states[-1].after(question, answer))
            end = states[-1]
            assert won == (end.is_over and end.winner == player)
            if again is None:
                assert end.is_over or is_known_lost(end, player)
            else:
                first, last = canonical(states[again]), canonical(end)
                assert again < len(moves)
                assert first.key == last.key
                assert first.roles.index(player) == last.roles.index(player)
                repeated += 1
            # Once the opponents can wait, they do; if they need not, the line ends.
            for place, state in enumerate(states):
                if not won and is_known_lost(state, player):
                    assert [question for question, _ in moves[place:]] == (
                        stalling_questions(state, player) or []
                    )
                    assert {answer for _, answer in moves[place:]} <= {Answer.NO}
                    break
    assert repeated > 10


@pytest.mark.parametrize("brisk", [False, True], ids=["plain", "brisk"])
@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 4, 4), (2, 6, 3), (2, 5, 5)], ids=str)
def test_keys_show_positions_lost_at_sight(sizes: tuple[int, int, int], brisk: bool) -> None:
    """Positions and keys agree; and a player without a card of a set cannot win it."""
    start = State.start(Settings(*sizes, brisk=brisk))
    code = coding(Rules.of(start))
    lost = [0, 0]
    for state in random_states(start, Random(9), thorough(60, 600)):
        key, roles = canonical(state)
        open_sets = [row.owners for row in state.filtered_problem().sets if row.owners]
        for player in range(state.players):
            sight = known_result(code, (key, roles.index(player)))
            assert is_known_lost(state, player) == (sight is False)
            others = [points for other, points in enumerate(state.points) if other != player]
            possible = state.points[player] + len(open_sets)
            without = [owners for owners in open_sets if not any(m >> player & 1 for m in owners)]
            if possible - len(without) <= max(others):
                assert sight is False
                lost[possible > max(others)] += 1
    assert min(lost) > 3, lost


def test_chance_draws_the_worst_asker_for_the_player() -> None:
    def constraint(low: list[int], *owners: list[int]) -> SetConstraint:
        return SetConstraint([sum(1 << p for p in cards) for cards in owners], low, [2] * 4)

    sets = [
        out_of_play(4),
        constraint([1, 0, 0, 1], [0], [3]),
        constraint([1, 0, 0, 0], [0], [1, 3]),
        constraint([0, 0, 1, 0], [2], [1, 3]),
    ]
    done = (2, None, None, None)
    for seed in range(4):  # the seed decides who is drawn in this game
        state = State(
            DealProblem([2, 1, 1, 2], sets), 0, done, 2, TieBreak.MIN_SETS, seed, brisk=True
        )
        forcing = ForcedWinSearch(state, 0)
        assert forcing.search() is False
        assert forcing.check()[1]
        assert forcing.line()[0]


CAUGHT = {
    (2, 3, 3): (2, 7),
    (3, 2, 3): (18, 47),
    (3, 3, 3): (580, 863),
    (2, 6, 3): (41, 122),
    (2, 4, 4): (1_888, 2_463),
    (3, 4, 3): (15_924, 22_867),
    (4, 3, 3): (70_389, 77_620),
}
"""The number of states in which the player to move cannot force a win: those recognised as caught,
and all of them, as in the guide."""


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(sizes, marks=[pytest.mark.slow] * (all_of > 2_000))
        for sizes, (_, all_of) in CAUGHT.items()
    ],
    ids=str,
)
def test_a_caught_player_cannot_force_a_win(sizes: tuple[int, int, int]) -> None:
    solution = solve(State.start(Settings(*sizes)))
    code = coding(solution.graph.rules)
    is_caught = [cannot_escape_rings(code, key) for key in key_bytes(solution.graph.keys)]
    cannot = solution.values.can_force & 1 == 0
    assert cannot[is_caught].all()
    ends, _ = solution.graph.ends()
    assert (sum(is_caught), cannot.sum() - cannot[ends].sum()) == CAUGHT[sizes]


@pytest.mark.parametrize("seed", range(thorough(3, 24)))
@pytest.mark.parametrize(
    ("sizes", "min_moves", "max_moves"), [((4, 4, 4), 8, 60), ((4, 13, 4), 40, 40)], ids=str
)
def test_large_games_are_answered(
    sizes: tuple[int, int, int], min_moves: int, max_moves: int, seed: int
) -> None:
    state = midgame(Settings(*sizes), seed, min_moves, max_moves)
    forcing = ForcedWinSearch(state, seed % 4)
    assert forcing.search(600) is not None
    assert forcing.check(0.1)[0] > 0
    moves, again = forcing.line()
    for move in moves:
        state = state.after(*move)
    if forcing.can_force:
        assert state.winner == seed % 4
        assert again is None
    elif again is None:
        assert state.is_over or is_known_lost(state, seed % 4)


def test_nobody_forces_a_win_from_the_start_of_52_cards() -> None:
    start = State.start(Settings(4, 13, 4))
    for player in range(4):
        forcing = ForcedWinSearch(start, player)
        assert forcing.search() is False
        assert forcing.check()[1]
        assert forcing.line()[1] is not None


def test_a_strategy_that_does_not_hold_is_found() -> None:
    start = State.start(Settings(3, 3, 3))
    solution = solve(start)
    faults = 0
    for state in random_states(start, Random(6), 60):
        for player in range(3):
            if state.is_over or solution.standing(state).can_force == (player,):
                continue
            forcing = ForcedWinSearch(state, player)
            forcing.search()
            for node in forcing.graph.nodes.values():
                node.won = True
            with pytest.raises(SolverFault):
                forcing.check()
            faults += 1
    assert faults > 50


def test_an_unfinished_search_has_no_answer() -> None:
    state = midgame(Settings(4, 4, 4), 43, 8, 60)
    forcing = ForcedWinSearch(state, 0)
    assert forcing.search(0) is None
    with pytest.raises(InputError, match=r"player 4 is out of range 0\.\.3"):
        ForcedWinSearch(state, 4)


@pytest.mark.parametrize("tie_break", TieBreak, ids=str)
def test_roles_are_equivalent_if_players_can_be_renamed(tie_break: TieBreak) -> None:
    start = State.start(Settings(2, 4, 4, tie_break))
    code = coding(Rules.of(start))
    alike = 0
    for state in random_states(start, Random(3), 60):
        key, roles = canonical(state)
        smallest = symmetric_roles(code, key)
        held = [player for player, hand in enumerate(state.hands) if hand]
        ordered = code.rules.order_matters(state.hands)
        same = {role: {role} for role in range(4)}
        for names in permutations(range(4)):
            if ordered and [names[player] for player in held] != held:
                continue
            sets = [range(row.size) for row in state.problem.sets]
            renamed = State(
                state.problem.relabelled(names, range(4), sets),
                names[state.turn or 0],
                tuple(None if owner is None else names[owner] for owner in state.completed),
                2,
                tie_break,
            )
            if canonical(renamed).key == key:
                for role, player in enumerate(canonical(renamed).roles):
                    same[role].add(roles.index(names.index(player)))
        for role in range(4):
            alike += smallest[role] != role
            assert smallest[role] in same[role]
            assert {smallest[other] for other in same[role]} == {smallest[role]}
    assert alike > 10
