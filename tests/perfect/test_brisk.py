"""Solved brisk games: they are finite, and not mistaken for games with hopeless questions."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import InputError
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect import tablebase as tablebase_module
from quaternity.perfect.forcing import ForcedWinSearch, cannot_escape_rings
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import Key, KeyCodec, Rules, canonical, coding
from quaternity.perfect.solving.solver import Solution, solve
from quaternity.perfect.stalling import stalling_questions
from quaternity.perfect.successors.one_state import choices
from quaternity.perfect.tablebase import Tablebase, write_tablebase
from tests.perfect.positions import all_keys, random_states, relabel
from tests.sizes import thorough

START = State.start(Settings(3, 3, 3, brisk=True))


@pytest.fixture(scope="module")
def solution() -> Solution:
    """Return the solution of brisk 3-3-3."""
    return solve(START)


@pytest.mark.parametrize(
    ("sizes", "states", "questions", "answers", "longest"),
    [
        ((2, 3, 3), 13, 15, 21, 3),
        ((3, 2, 3), 75, 162, 190, 4),
        ((3, 3, 3), 1_335, 4_618, 5_652, 7),
        ((2, 6, 3), 215, 381, 499, 6),
        ((2, 4, 4), 1_079, 2_339, 3_345, 4),
        pytest.param((3, 4, 3), 26_894, 124_481, 155_387, 9, marks=pytest.mark.slow),
        pytest.param((2, 6, 4), 78_631, 260_982, 389_269, 8, marks=pytest.mark.slow),
        pytest.param((4, 3, 3), 87_379, 510_702, 712_266, 12, marks=pytest.mark.slow),
        pytest.param((2, 5, 5), 91_775, 299_503, 435_229, 5, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_sizes(
    sizes: tuple[int, int, int], states: int, questions: int, answers: int, longest: int
) -> None:
    start = State.start(Settings(*sizes, brisk=True))
    solved = solve(start)
    graph = solved.graph
    assert (len(graph), graph.questions, graph.answers) == (states, questions, answers)
    assert solved.facts.longest_forced == longest
    standing = solved.standing(start)
    assert (standing.can_force, standing.can_win) == ((), (*range(start.players),))
    assert not any(standing.can_prevent)


def measure(code: KeyCodec, key: Key) -> tuple[int, int, int]:
    """Return the measure that decreases with every move, as in the proof of the guide.

    It has the possible owners of the cards, the sets in play, and the cards that the asker lacks.
    """
    parts = code.parts(key)
    sets = [code.book.by_number(number) for number in parts.kinds]
    chance = parts.place == code.rules.players
    lacks = code.cards + 1 if chance else code.cards - parts.hands[0]
    return sum([mask.bit_count() - 1 for kind in sets for mask in kind.masks]), len(sets), lacks


@pytest.mark.parametrize(
    ("sizes", "tie_break", "limit"),
    [
        ((2, 3, 3), TieBreak.FIRST_IN_ORDER, 10**6),
        ((3, 2, 3), TieBreak.FIRST_IN_ORDER, 10**6),
        ((3, 3, 3), TieBreak.FIRST_IN_ORDER, thorough(200, 10**6)),
        ((2, 4, 4), TieBreak.MIN_SETS, 10**6),
        ((4, 3, 3), TieBreak.FIRST_IN_ORDER, thorough(100, 3_000)),
    ],
    ids=str,
)
def test_every_move_decreases_the_measure(
    sizes: tuple[int, int, int], tie_break: TieBreak, limit: int
) -> None:
    """Therefore every game ends; and the player to move always has a question."""
    start = State.start(Settings(*sizes, tie_break, brisk=True))
    code = coding(Rules.of(start))
    for key in all_keys(code, canonical(start).key, limit)[:limit]:
        options, before = choices(code, key), measure(code, key)
        assert bool(options) == bool(code.parts(key).kinds)
        for _, replies in options:
            assert all(measure(code, reply.key) < before for reply in replies)


def test_keys_do_not_depend_on_names_but_on_rules() -> None:
    random = Random(1)
    for state in random_states(START, Random(2), 60):
        other, _ = relabel(state, random)
        assert canonical(other).key == canonical(state).key
        rules = Rules.of(state)
        assert coding(rules).state(canonical(state).key).brisk
        assert rules != Rules.of(replace(state, brisk=False))
        assert Rules.of_document(rules.document()) == rules
    assert "brisk" not in Rules(3, 3, 3).document()


def test_nobody_can_wait_and_searches_agree_with_the_solution(solution: Solution) -> None:
    code = coding(solution.graph.rules)
    assert not any(cannot_escape_rings(code, key) for key in key_bytes(solution.graph.keys[::10]))
    won = 0
    for state in random_states(START, Random(5), thorough(30, 300)):
        for player in range(3):
            assert stalling_questions(state, player) is None
            forcing = ForcedWinSearch(state, player)
            assert forcing.search() == (player in solution.standing(state).can_force)
            assert forcing.check()[1]
            assert forcing.line()[1] is None
            won += bool(forcing.can_force)
    assert won > 5


def test_a_tablebase_or_working_directory_belongs_to_one_game(
    tmp_path: Path, solution: Solution
) -> None:
    path, plain = tmp_path / "brisk.tablebase", replace(START, brisk=False)
    write_tablebase(path, solution)
    with Tablebase(path) as tablebase:
        assert tablebase.rules == Rules(3, 3, 3, brisk=True)
        for state in random_states(START, Random(1), 60):
            assert tablebase.standing(state) == solution.standing(state)
        with pytest.raises(
            InputError, match=r"and 3 players, brisk, not for 3 sets of 3 and 3 player"
        ):
            tablebase.standing(plain)
        with pytest.raises(InputError, match="players, brisk, not"):
            tablebase.check_settings(Settings(3, 3, 3))
    small = State.start(Settings(2, 3, 3, brisk=True))
    solve(small, directory=tmp_path / "work")
    with pytest.raises(InputError, match="work"):
        solve(replace(small, brisk=False), directory=tmp_path / "work")


def test_a_tablebase_can_be_left_open_at_the_very_end_of_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tablebase(tmp_path / "file", solve(State.start(Settings(2, 2, 2))))
    tablebase: Any = Tablebase(tmp_path / "file")
    monkeypatch.setattr(tablebase_module, "os", None)
    tablebase.__del__()
