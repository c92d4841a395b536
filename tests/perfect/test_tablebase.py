"""Tablebases: probes give the written values, and other files are refused."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from zlib import crc32

import pytest

from quaternity.base.errors import InputError
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.arrays import key_bytes
from quaternity.perfect.keys.canonical import Rules, coding
from quaternity.perfect.solving.solver import Solution, solve
from quaternity.perfect.tablebase import FORMAT, Tablebase, UnknownState, write_tablebase
from tests.limits import limited
from tests.perfect.positions import random_states, with_rule

START = State.start(Settings(3, 3, 3))


@pytest.fixture(scope="module")
def solution() -> Solution:
    """Return the solution of 3-3-3."""
    return solve(START)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, solution: Solution) -> Path:
    """Return the path of its tablebase."""
    path = tmp_path_factory.mktemp("tablebase") / "with space & sign?.tablebase"
    write_tablebase(path, solution)
    return path


@pytest.fixture
def tablebase(path: Path) -> Iterator[Tablebase]:
    """Yield the same tablebase, open."""
    with Tablebase(path) as opened:
        yield opened


def test_probes_agree_with_the_solution(tablebase: Tablebase, solution: Solution) -> None:
    assert len(tablebase) == 2122
    assert tablebase.facts == solution.facts
    assert tablebase.rules == Rules(3, 3, 3)
    for state in random_states(START, Random(1), 300):
        assert tablebase.standing(state) == solution.standing(state)
        assert tablebase.standing(with_rule(state, TieBreak.MIN_SETS))


def test_the_best_question_is_the_quickest_way_to_a_forced_win(tablebase: Tablebase) -> None:
    forced = 0
    for state in random_states(START, Random(2), 300):
        if state.is_over or state.turn is None:
            continue
        length = tablebase.standing(state).forced_length[state.turn]
        prospects = tablebase.prospects(state)
        asked = [question for prospect in prospects for question in prospect.alike]
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
            assert max(moves for moves in after if moves is not None) == length - 1
            assert None not in after
    assert forced > 50


def test_states_of_other_games_are_refused(tablebase: Tablebase) -> None:
    with pytest.raises(InputError, match="3 sets of 3 and 3 players, not for 3 sets of 4 and 3"):
        tablebase.standing(State.start(Settings(4, 3, 3)))
    uneven = State(START.problem._replace(hands=(4, 3, 2)), 0, START.completed, START.set_size)
    with pytest.raises(UnknownState, match="cannot follow"):
        tablebase.standing(uneven)


def _lines(path: Path, **changed: object) -> bytes:
    """Return the head of a tablebase, changed, with its checksum."""
    _, text, _ = path.read_bytes().split(b"\n", 2)
    about = json.loads(text) | changed
    about = {name: value for name, value in about.items() if value != "left out"}
    lines = f"{FORMAT}\n{json.dumps(about)}\n".encode()
    return lines + b"%08x\n" % crc32(lines)


def test_other_files_are_refused(tmp_path: Path, path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Tablebase(tmp_path / "missing")
    with pytest.raises(InputError, match="not a file"):
        Tablebase(tmp_path)
    other = tmp_path / "other"
    first = bytearray(b"SQLite format 3\0".ljust(100, b"\0"))
    first[68:72] = b"Quat"
    for data, why in (
        (b"quaternity 1\nset-size 4\n" * 99, "not a tablebase"),
        (b"", "not a tablebase"),
        (b"SQLite format 3\0".ljust(100, b"\0"), "not a tablebase"),
        (bytes(first), "old tablebase format without checksums; delete the file and rebuild it"),
        (
            b"quaternity-tablebase/9\n{}\n",
            f"'quaternity-tablebase/9'; this program reads '{FORMAT}'",
        ),
    ):
        other.write_bytes(data)
        with pytest.raises(InputError, match=why):
            Tablebase(other)


@pytest.mark.parametrize(
    "changed",
    [
        {"rules": {}},
        {"rules": "left out"},
        {"states": "many"},
        {"states": -4},
        {"states": float("inf")},
        {"states": 2121},
        {"rules": Rules(3, 3, 3).document() | {"players": "3"}},
        {"levels": {"a": 1}},
        {"levels": [1, -1]},
        {"longest_forced": "many"},
        {"longest_forced": -1},
        {"questions": -1},
        {"questions": 1.0},
        {"answers": True},
        {"start": 7},
        {"start": "left out"},
        {"questions": "left out"},
        {"block": 0},
        {"key": 0},
        {"key": 10**15},
        {"index": 0},
        {"length": 10**15},
    ],
    ids=str,
)
def test_inconsistent_heads_are_refused(
    tmp_path: Path, path: Path, changed: dict[str, object]
) -> None:
    text = _lines(path)
    data = path.read_bytes()
    assert data.startswith(text)
    rows = data[len(text) :]
    changed = {"length": len(_lines(path, **changed)) + len(rows)} | changed
    (tmp_path / "other").write_bytes(_lines(path, **changed) + rows)
    with pytest.raises(InputError, match="damaged"):
        Tablebase(tmp_path / "other")


def test_no_memory_is_allocated_for_missing_states(tmp_path: Path, path: Path) -> None:
    """The checksum of empty data is not accepted as an index."""
    lines = _lines(path, states=10**6, index="00000000")
    (tmp_path / "other").write_bytes(lines + path.read_bytes()[len(lines) :])
    with pytest.raises(InputError, match="its index"):
        Tablebase(tmp_path / "other")


def test_a_value_of_missing_players_is_refused(tmp_path: Path) -> None:
    solution = solve(State.start(Settings(2, 3, 3)))
    solution.values.can_win[:] = 0xFF
    write_tablebase(tmp_path / "other", solution)
    with Tablebase(tmp_path / "other") as opened, pytest.raises(InputError, match="unknown player"):
        opened.standing(State.start(Settings(2, 3, 3)))


@limited("quaternity.perfect.tablebase", BLOCK_STATES=4)
def test_no_damage_gives_a_wrong_answer(tmp_path: Path) -> None:
    """Change every byte of a small tablebase in two ways, and try every length."""
    start = State.start(Settings(2, 3, 3))
    solution = solve(start)
    whole, other = tmp_path / "whole", tmp_path / "other"
    write_tablebase(whole, solution)
    data = whole.read_bytes()
    code = coding(solution.graph.rules)
    keys = key_bytes(solution.graph.keys)
    states = [code.state(key) for key in keys]
    with Tablebase(whole) as opened:
        right = [opened.standing(state) for state in states]
    assert len(right) == 15  # in four blocks

    def probe() -> None:
        with Tablebase(other) as opened:
            assert opened.facts == solution.facts
            for state, standing in zip(states, right, strict=True):
                assert opened.standing(state) == standing

    refused = pytest.raises(InputError, match=str(other))
    with other.open("wb+", buffering=0) as file:
        file.write(data)
        for place, byte in enumerate(data):
            os.pwrite(file.fileno(), bytes([byte ^ (0xFF if place % 2 else 1 << place % 8)]), place)
            with refused:
                probe()
            os.pwrite(file.fileno(), bytes([byte]), place)
        probe()
        for more in (b"\0", b"\n", data):
            os.pwrite(file.fileno(), more, len(data))
            with refused:
                probe()
        for length in reversed(range(len(data))):
            os.truncate(file.fileno(), length)
            with refused:
                probe()


def test_a_file_that_changes_while_it_is_open(tmp_path: Path, path: Path) -> None:
    state = START
    file = tmp_path / "file"
    file.write_bytes(path.read_bytes())
    with Tablebase(file) as opened:
        file.rename(tmp_path / "aside")
        file.write_bytes(b"another")  # replaced; the open file is unchanged
        assert opened.standing(state).can_win == (0, 1, 2)
    file.write_bytes(path.read_bytes())
    with Tablebase(file) as opened:
        os.truncate(file, 1000)
        with pytest.raises(InputError, match=r"file: the tablebase is damaged \(bytes"):
            opened.standing(state)


def test_probes_come_from_any_thread(tablebase: Tablebase) -> None:
    states = list(random_states(START, Random(8), 100))
    with ThreadPoolExecutor(4) as executor:
        standings = list(executor.map(tablebase.standing, states))
    assert standings == [tablebase.standing(state) for state in states]


@limited("quaternity.perfect.tablebase", MAX_CACHED_BLOCKS=1)
def test_few_blocks_in_memory_give_the_same(path: Path, tablebase: Tablebase) -> None:
    with Tablebase(path) as frugal:
        for state in random_states(START, Random(9), 60):
            assert frugal.standing(state) == tablebase.standing(state)


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path, solution: Solution) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_tablebase(tmp_path / "missing" / "file", solution)
    (tmp_path / "directory").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        write_tablebase(tmp_path / "directory", solution)
    assert [file.name for file in tmp_path.iterdir()] == ["directory"]


@limited("quaternity.perfect.tablebase", WRITE_BATCH=1024)
def test_runs_that_write_the_same_file_do_not_disturb_each_other(
    tmp_path: Path, solution: Solution
) -> None:
    target = tmp_path / "both"
    write_tablebase(target, solution)
    alone = target.read_bytes()
    reports: list[tuple[int, int | None]] = []

    def report(what: str, done: int, total: int | None) -> None:
        assert what == "writing"
        reports.append((done, total))
        if len(reports) == 1:
            write_tablebase(target, solution)

    write_tablebase(target, solution, report)
    assert reports == [(1024, 2122), (2048, 2122), (2122, 2122)]
    assert target.read_bytes() == alone
    assert [file.name for file in tmp_path.iterdir()] == ["both"]
