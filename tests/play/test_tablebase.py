"""Tablebases: what is written is what is probed, and nothing else is taken for one."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from quaternity.errors import InputError
from quaternity.play.coding import Rules
from quaternity.play.solver import Solution, solve
from quaternity.play.tablebase import FORMAT, Tablebase, UnknownState, write_tablebase
from quaternity.question import Answer
from quaternity.settings import Settings, TieBreak
from quaternity.state import State
from tests.play.positions import random_states, with_rule

START = State.start(Settings(3, 3, 3))


@pytest.fixture(scope="module")
def solution() -> Solution:
    """3-3-3, solved."""
    return solve(START)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, solution: Solution) -> Path:
    """Its tablebase."""
    path = tmp_path_factory.mktemp("tablebase") / "with space & sign?.tablebase"
    write_tablebase(path, solution)
    return path


@pytest.fixture
def tablebase(path: Path) -> Iterator[Tablebase]:
    """The same, open."""
    with Tablebase(path) as opened:
        yield opened


def test_probes_say_what_was_solved(tablebase: Tablebase, solution: Solution) -> None:
    assert len(tablebase) == 2122
    assert tablebase.facts() == json.loads(json.dumps(solution.facts()))
    assert tablebase.rules == Rules(3, 3, 3)
    for state in random_states(START, Random(1), 300):
        assert tablebase.standing(state) == solution.standing(state)
        assert tablebase.standing(with_rule(state, TieBreak.FEWEST_SETS))


def test_nothing_is_left_behind(path: Path) -> None:
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_best_question_is_the_quickest_way_to_a_forced_win(tablebase: Tablebase) -> None:
    forced = 0
    for state in random_states(START, Random(2), 300):
        if state.is_over or state.turn is None:
            continue
        length = tablebase.standing(state).forced_length[state.turn]
        prospects = tablebase.prospects(state)
        asked = [question for one in prospects for question in one.alike]
        assert sorted(asked) == sorted(state.legal_questions)
        first = prospects[0]
        for answer, standing in first.after.items():
            assert answer in state.answers(first.question)
            assert standing == tablebase.standing(state.after(first.question, answer))
        after = [standing.forced_length[state.turn] for standing in first.after.values()]
        if length is None:
            assert None in after
        else:
            forced += 1
            assert max(one for one in after if one is not None) == length - 1
            assert None not in after
    assert forced > 50


def test_what_answers_give_away(tablebase: Tablebase) -> None:
    """In some state a player with the choice can hand somebody a forced win, or keep it back."""
    seen = set()
    for state in random_states(START, Random(3), 300):
        if not state.is_over:
            for one in tablebase.prospects(state):
                if len(one.after) == 2:
                    seen.add(tuple(one.after[answer].can_force != () for answer in Answer))
    assert seen == {(False, False), (False, True), (True, False), (True, True)}


def test_states_of_elsewhere_are_refused(tablebase: Tablebase) -> None:
    with pytest.raises(InputError, match="3 sets of 3 and 3 players, not 3 sets of 4 and 3"):
        tablebase.standing(State.start(Settings(4, 3, 3)))
    uneven = State(START.problem._replace(hands=(4, 3, 2)), 0, START.completed, START.set_size)
    with pytest.raises(UnknownState, match="does not follow"):
        tablebase.standing(uneven)


def test_other_files_are_refused(tmp_path: Path, path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Tablebase(tmp_path / "missing")
    text = tmp_path / "text"
    text.write_text("quaternity 1\nset-size 4\n" * 99)
    with pytest.raises(InputError, match="not a tablebase"):
        Tablebase(text)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE letters (text)")
    database.close()
    with pytest.raises(InputError, match="not a tablebase"):
        Tablebase(other)
    newer = tmp_path / "newer"
    newer.write_bytes(path.read_bytes())
    with sqlite3.connect(newer) as database:
        database.execute("UPDATE about SET value = '\"tablebase/9\"' WHERE name = 'format'")
    database.close()
    with pytest.raises(InputError, match=f"'tablebase/9'; this program reads '{FORMAT}'"):
        Tablebase(newer)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE about SET value = '{}' WHERE name = 'rules'",
        "UPDATE about SET value = 'not json' WHERE name = 'states'",
        "DELETE FROM about",
        "DROP TABLE about",
        "UPDATE states SET value = x'00'",
        "UPDATE states SET value = 7",
        "UPDATE states SET value = x'ffffffffffffffffffffff'",
        "UPDATE about SET value = '-4' WHERE name = 'states'",
        "UPDATE about SET value = '1e999' WHERE name = 'states'",
        "UPDATE about SET value = '{\"a\": 1}' WHERE name = 'levels'",
        "UPDATE about SET value = '\"many\"' WHERE name = 'longest_forced'",
        "UPDATE about SET value = '7' WHERE name = 'start'",
        "DELETE FROM about WHERE name = 'questions'",
        "DELETE FROM about WHERE name = 'start'",
        "DROP TABLE states",
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, path: Path, change: str) -> None:
    damaged = tmp_path / "damaged"
    damaged.write_bytes(path.read_bytes())
    with sqlite3.connect(damaged) as database:
        database.execute(change)
    database.close()
    with (
        pytest.raises(InputError, match=r"damaged|not a tablebase|reads"),
        Tablebase(damaged) as opened,
    ):
        opened.standing(START)


def test_a_file_cut_off_is_refused(tmp_path: Path, path: Path) -> None:
    data = path.read_bytes()
    cut = tmp_path / "cut"
    refused = 0
    for size in range(0, len(data), len(data) // 12):
        cut.write_bytes(data[:size])
        try:
            with Tablebase(cut) as opened:
                for state in random_states(START, Random(4), 60):
                    opened.standing(state)
        except InputError:
            refused += 1
    assert refused == 13 - (len(data) % 12 == 0)


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path, solution: Solution) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_tablebase(tmp_path / "missing" / "file", solution)
    (tmp_path / "directory").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        write_tablebase(tmp_path / "directory", solution)
    assert [file.name for file in tmp_path.iterdir()] == ["directory"]


def test_runs_that_write_the_same_file_do_not_disturb_each_other(
    tmp_path: Path, solution: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quaternity.play.tablebase.WRITTEN_AT_ONCE", 1000)
    target = tmp_path / "both"
    write_tablebase(target, solution)
    alone = target.read_bytes()
    said: list[tuple[int, int | None]] = []

    def report(what: str, done: int, total: int | None) -> None:
        assert what == "writing"
        said.append((done, total))
        if len(said) == 1:
            write_tablebase(target, solution)

    write_tablebase(target, solution, report)
    assert said == [(1000, 2122), (2000, 2122), (2122, 2122)]
    assert target.read_bytes() == alone
    assert [file.name for file in tmp_path.iterdir()] == ["both"]
