"""Solved games: golden numbers, a plain solver, a checker, and interrupted or failing runs."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from quaternity.base.errors import InputError, LimitError
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import Rules, canonical, coding
from quaternity.perfect.solving.solver import Solution, game_graph, remove_working_files, solve
from quaternity.perfect.successors.many_states import Expander
from quaternity.workers.pool import Pool, SerialExecutor, open_executor
from solvers.problem import DealProblem, SetConstraint
from tests.limits import limited
from tests.perfect.checker import Claim, forced_lengths
from tests.perfect.plain_solver import Game, PlainSolution
from tests.perfect.positions import random_states, state_of
from tests.sizes import thorough

OPEN = SetConstraint([0b110, 0b110], [0, 0, 0], [2, 2, 2])
"""A set of two cards that players 1 and 2 may share in any way."""


class Interrupted(Exception):
    """Simulates a keyboard interrupt."""


def start_of(
    set_size: int, sets: int, players: int, tie_break: TieBreak = TieBreak.FIRST_IN_ORDER
) -> State:
    """Return the start of a game."""
    return State.start(Settings(set_size, sets, players, tie_break))


@pytest.fixture(scope="module")
def small() -> Solution:
    """Return the solution of 3-3-3."""
    return solve(start_of(3, 3, 3))


def claim(solution: Solution) -> Claim:
    """Return the forced lengths by a solution."""
    return lambda state: solution.standing(state).forced_length


@pytest.mark.parametrize(
    ("sizes", "states", "questions", "answers", "longest"),
    [
        ((2, 2, 2), 3, 2, 2, 2),
        ((4, 4, 2), 25, 43, 43, 8),
        ((2, 3, 3), 15, 26, 32, 3),
        ((3, 2, 3), 91, 335, 373, 4),
        ((3, 3, 3), 2_122, 12_724, 14_688, 6),
        ((2, 6, 3), 247, 704, 824, 7),
        pytest.param((4, 3, 3), 114_339, 1_009_166, 1_304_434, 9, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_sizes(
    sizes: tuple[int, int, int], states: int, questions: int, answers: int, longest: int
) -> None:
    done = list[int]()

    def report(what: str, now: int, total: int | None) -> None:
        if what.startswith("level"):
            done.append(now)

    solution = solve(start_of(*sizes), report=report)
    graph = solution.graph
    assert (len(graph), graph.questions, graph.answers) == (states, questions, answers)
    assert solution.facts.longest_forced == longest
    assert sum(graph.levels) == states
    # A level is reported when it begins and when it ends.
    assert done == sorted(done)
    assert done[-1] == states


def test_a_graph_without_values_equals_that_of_the_solution() -> None:
    graph = game_graph(start_of(2, 3, 3))
    assert key_bytes(graph.keys) == key_bytes(solve(start_of(2, 3, 3)).graph.keys)


def test_more_than_256_orders_of_players() -> None:
    """Six players have more orders than 256, even if a level leads to few states or none."""
    hands, either = [1, 1, 0, 0, 0, 0], SetConstraint([0b11, 0b11], [0] * 6, [2] * 6)
    last = State(DealProblem(hands, [either]), 0, (None,), 2)
    solution = solve(last)
    assert solution.graph.levels == (1, 1)
    assert solution.standing(last).forced_length == (1, *[None] * 5)


@pytest.mark.parametrize(
    "sizes",
    [(2, 2, 2), (3, 2, 2), (2, 4, 2), (2, 2, 4), (2, 3, 3), *thorough([], [(3, 2, 3)])],
    ids=str,
)
@pytest.mark.parametrize("brisk", [False, True], ids=["plain", "brisk"])
def test_values_are_those_of_a_plain_solver(sizes: tuple[int, int, int], brisk: bool) -> None:
    plain = PlainSolution(Game(*sizes, brisk))
    check_values(plain, solve(replace(start_of(*sizes), brisk=brisk)))


@pytest.mark.parametrize("brisk", thorough([True], [False, True]))
def test_values_of_late_positions_are_those_of_a_plain_solver(brisk: bool) -> None:
    """Compare positions of 3-3-3 with few possible deals."""
    solution = solve(replace(start_of(3, 3, 3), brisk=brisk))
    game, random, seen = Game(3, 3, 3, brisk), Random(11), 0
    start = game.start()
    for _ in range(thorough(3, 20) if brisk else 3):
        position = start
        while position.turn is not None and len(position.deals) > 8:
            answers = random.choice([*game.questions(position).values()])
            position = random.choice([*answers.values()])
        plain = PlainSolution(game, position)
        seen += len(plain.moves)
        check_values(plain, solution)
    assert seen > 50


def check_values(plain: PlainSolution, solution: Solution) -> None:
    """Compare all values of all positions of the plain solver."""
    everybody = frozenset(range(plain.game.players))
    forced = {player: plain.forced_wins(player, frozenset([player])) for player in everybody}
    possible = {player: plain.forced_wins(player, everybody) for player in everybody}
    against = {
        (player, other): plain.forced_wins(other, everybody - {player})
        for player in everybody
        for other in everybody - {player}
    }
    for position in plain.moves:
        standing = solution.standing(state_of(plain.game, position))
        for player in everybody:
            assert standing.forced_length[player] == forced[player].get(position)
            assert (player in standing.can_force) == (position in forced[player])
            assert (player in standing.can_win) == (position in possible[player])
            for other in everybody - {player}:
                prevents = position not in against[player, other]
                assert (other in standing.can_prevent[player]) == prevents


def test_every_forced_win_of_a_small_game_is_checked(small: Solution) -> None:
    code = coding(small.graph.rules)
    wins = [0, 0, 0]
    for key in key_bytes(small.graph.keys[:: thorough(4, 1)]):
        state = code.state(key)
        claimed = claim(small)(state)
        assert forced_lengths(state, claim(small)) == claimed
        for player, length in enumerate(claimed):
            wins[player] += length is not None
    # Role 0 is to move; wins of the others are ends and forced lines to them.
    assert wins == thorough([314, 1, 1], [1258, 6, 2])


@pytest.mark.parametrize("tie_break", TieBreak)
def test_four_players_are_checked_too(tie_break: TieBreak) -> None:
    start = start_of(2, 4, 4, tie_break=tie_break)
    solution = solve(start)
    assert len(solution.graph) == {"first-in-order": 2_746, "fewest-sets": 206}[tie_break]
    checked = 0
    for state in random_states(start, Random(7), 200):
        claimed = claim(solution)(state)
        lengths = forced_lengths(state, claim(solution))
        for length, expected in zip(lengths, claimed, strict=True):
            if tie_break is TieBreak.FIRST_IN_ORDER:
                assert length == expected
            elif expected is not None:
                # Chance counts as an opponent, but the game's actual draw may be favourable.
                assert length is not None
                assert length <= expected
        checked += set(claimed) != {None}
    assert checked > 20


def test_any_state_can_be_solved(small: Solution) -> None:
    for state in random_states(start_of(3, 3, 3), Random(9), thorough(3, 12)):
        part = solve(state)
        assert part.standing(state) == small.standing(state)
        assert len(part.graph) <= len(small.graph)
    with pytest.raises(
        InputError, match="some of the states cannot be reached from the state that was solved"
    ):
        part.standing(start_of(3, 3, 3))


def test_processes_give_the_same(tmp_path: Path, small: Solution) -> None:
    with open_executor(workers=2) as pool:
        other = solve(start_of(3, 3, 3), pool, tmp_path / "work")
    assert (other.graph.keys == small.graph.keys).all()
    assert len(other.graph.portions) == len(small.graph.portions)
    for portion, expected in zip(other.graph.portions, small.graph.portions, strict=True):
        for name, column in portion._asdict().items():
            assert np.array_equal(column, getattr(expected, name)), name
    for name in ("can_force", "can_win", "can_prevent", "length"):
        assert np.array_equal(getattr(small.values, name), getattr(other.values, name))


@limited("quaternity.perfect.solving.graph", MERGE_BYTES=4 * 512)
def test_merging_in_pieces_gives_the_same(small: Solution) -> None:
    other = solve(start_of(3, 3, 3))
    assert (other.graph.keys == small.graph.keys).all()
    assert other.graph.levels == small.graph.levels


@pytest.mark.parametrize(("block", "threads"), [(1, 1), (50, 3)])
def test_strata_in_pieces_give_the_same(small: Solution, block: int, threads: int) -> None:
    """Join portions that begin and end within strata, and settle them one by one or at once."""
    with (
        limited("quaternity.perfect.solving.graph", MAX_EXPANDED_STATES=32),
        limited("quaternity.perfect.solving.retrograde", BLOCK_STATES=block),
    ):
        pool = Pool.around(SerialExecutor(), in_flight=1)
        pool.threads = threads
        other = solve(start_of(3, 3, 3), pool)
        strata = [blocks() for blocks in other.graph.strata(block)]
        assert max(map(len, strata)) > 1
        assert sum(len(part.states) for blocks in strata for part in blocks) == 2_122 - 3
        for name in ("can_force", "can_win", "can_prevent", "length"):
            assert np.array_equal(getattr(other.values, name), getattr(small.values, name)), name


@pytest.mark.parametrize("sizes", [(3, 2, 3), (2, 3, 3)], ids=str)
def test_states_one_by_one_give_the_same(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int, int]
) -> None:
    """Equivalent roles are ordered differently, so only the values are compared."""
    at_once = solve(start_of(*sizes))
    monkeypatch.setattr(Expander, "fault", lambda _: "not today")
    one_by_one = solve(start_of(*sizes))
    for name in ("can_force", "can_win", "can_prevent", "length"):
        assert np.array_equal(getattr(at_once.values, name), getattr(one_by_one.values, name)), name


@pytest.mark.parametrize("steps", [2, 3, 5])
@limited("quaternity.perfect.solving.retrograde", SAVE_SECONDS=0)
def test_a_run_interrupted_repeatedly_can_be_resumed(
    tmp_path: Path, small: Solution, steps: int
) -> None:

    def interrupted_at(count: int) -> bool:
        left = count

        def report(what: str, done: int, total: int | None) -> None:
            nonlocal left
            left -= what != "numbering"  # numbering starts from the beginning
            if left < 0:
                raise Interrupted

        try:
            solve(start_of(3, 3, 3), directory=tmp_path / "work", report=report)
        except Interrupted:
            return True
        return False

    interruptions = 0
    while interrupted_at(steps):
        interruptions += 1
        assert interruptions < 100, "nothing is gained"
    assert interruptions >= 8
    other = solve(start_of(3, 3, 3), directory=tmp_path / "work")
    assert (other.graph.keys == small.graph.keys).all()
    for name in ("can_force", "can_win", "can_prevent", "length"):
        assert np.array_equal(getattr(small.values, name), getattr(other.values, name))


def test_a_directory_belongs_to_one_game(tmp_path: Path) -> None:
    solve(start_of(2, 3, 3), directory=tmp_path / "work")
    with pytest.raises(InputError, match="another computation"):
        solve(start_of(3, 2, 3), directory=tmp_path / "work")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="not empty"):
        solve(start_of(2, 3, 3), directory=tmp_path / "other")
    (tmp_path / "work" / "about.json").write_text(json.dumps({"format": "older"}))
    with pytest.raises(InputError, match="older"):
        solve(start_of(2, 3, 3), directory=tmp_path / "work")


def test_a_directory_is_used_by_one_run_at_a_time(tmp_path: Path) -> None:
    work, tried = tmp_path / "work", 0

    def meanwhile(what: str, done: int, total: int | None) -> None:
        nonlocal tried
        for another in (solve, remove_working_files):
            with pytest.raises(InputError, match="in use by another run"):
                another(start_of(3, 2, 3), directory=work)
        tried += 1

    first = solve(start_of(3, 2, 3), directory=work, report=meanwhile)
    assert tried
    assert len(first.graph) == len(solve(start_of(3, 2, 3), directory=work).graph) == 91
    remove_working_files(start_of(3, 2, 3), work)
    assert not work.exists()


def test_too_many_states_are_given_up() -> None:
    with pytest.raises(LimitError, match="more than 500 states"):
        solve(start_of(3, 3, 3), max_states=500)


def test_finished_states_have_a_solution() -> None:
    state = start_of(2, 1, 2)
    while not state.is_over:
        question, answers = next(iter(state.legal_questions.items()))
        state = state.after(question, answers[0])
    solution = solve(state)
    assert len(solution.graph) == 1
    assert solution.standing(state).forced_length == (0, None)
    assert canonical(state).key == bytes(solution.graph.keys.astype(">u8").tobytes())
    assert Rules.of(state) == solution.graph.rules
