"""Perfect play: solving, two workers against one, probing, and what the bots cost.

The cost grows as follows. Solving is linear in the number of answers, which grows quickly with the
sizes (2,122 states for 3-3-3, 114,339 for 4-3-3). The memory of generation is bounded; the values
take about 10 + 4 P bytes per state.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from shutil import rmtree

import numpy as np
import pytest

from quaternity.base.progress import quiet
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.forcing import ForcedWinSearch
from quaternity.perfect.keys.arrays import key_array
from quaternity.perfect.keys.canonical import Rules, canonical, coding
from quaternity.perfect.solving.graph import MAX_EXPANDED_STATES
from quaternity.perfect.solving.graph_files import temporary_directory
from quaternity.perfect.solving.retrograde import BLOCK_STATES, Games, Words, solve_graph
from quaternity.perfect.solving.solver import game_graph, solve
from quaternity.perfect.successors.many_states import expand, expand_singly
from quaternity.perfect.tablebase import Tablebase, write_tablebase
from quaternity.workers.pool import open_executor
from tests.perfect.positions import all_keys, random_states
from tests.perfect.test_forcing import midgame
from tests.table.planted import make_bot

pytestmark = pytest.mark.bench

WHOLE_RUN = """
import sys, time
start = time.perf_counter()
from quaternity.cli.app import run
run(["solve", "-s", sys.argv[1], "-n", "3", "-p", "3", "--no-limit", "--json"])
seconds = time.perf_counter() - start
from tests.bench.peak import peak_bytes
print(f"{seconds:.2f} s, {peak_bytes() / 2**20:.0f} MiB", file=sys.stderr)
"""


@pytest.mark.parametrize(("set_size", "goal"), [(3, "1 s"), (4, "60 s, 1024 MiB")])
def test_solving(set_size: int, goal: str, note: Callable[[str, str, str], None]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WHOLE_RUN, str(set_size)],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    figures = done.stderr.strip().splitlines()[-1]
    note(f"solve {set_size}-3-3 from the command line, start-up included", figures, goal)


def test_two_workers(tmp_path: Path, race: Callable[..., float]) -> None:
    start = State.start(Settings(5, 3, 3))
    runs = 0

    def by(workers: int) -> Callable[[], None]:
        def run() -> None:
            nonlocal runs
            runs += 1
            with open_executor(workers) as pool:
                solve(start, pool, tmp_path / str(runs))
            rmtree(tmp_path / str(runs))

        return run

    race("solve 5-3-3: two workers against one", by(2), by(1), rounds=1, goal=1.6)


def test_strata_against_all_questions_again(race: Callable[..., float]) -> None:
    """Compute the values of a game by strata, and by steps over all of it until nothing changes."""
    graph = game_graph(State.start(Settings(4, 3, 3)))
    games = Games(3)
    ends, winners = graph.ends()
    start = np.zeros(len(graph), games.word)
    start[graph.discovery[ends]] = games.won[winners]

    def by_repetition() -> None:
        words, before = start.copy(), None
        while before is None or (before != words).any():
            before = words.copy()
            for stratum in graph.strata(BLOCK_STATES)[::-1]:
                for block in stratum():
                    Words(games, words, block).step()

    def by_strata() -> None:
        with temporary_directory({}) as work:
            solve_graph(graph, work, quiet)

    race(
        "values of 4-3-3 per question: strata against all again and again", by_strata,
        by_repetition, per=graph.questions, rounds=3, goal=2,
    )  # fmt: skip


def test_arrays_against_single_states(race: Callable[..., float]) -> None:
    start = State.start(Settings(4, 3, 3))
    code = coding(Rules.of(start))
    keys = key_array(
        code, all_keys(code, canonical(start).key, MAX_EXPANDED_STATES)[:MAX_EXPANDED_STATES]
    )
    race(
        "expand 4-3-3: arrays against one state at a time",
        lambda: expand((code.rules, keys)),
        lambda: expand_singly(code, keys),
        per=len(keys), rounds=3, goal=5,
    )  # fmt: skip


def test_probing(tmp_path: Path, pace: Callable[..., float]) -> None:
    start = State.start(Settings(4, 3, 3))
    path = tmp_path / "4-3-3.tablebase"
    write_tablebase(path, solve(start))
    states = list(random_states(start, Random(1), 2000))
    with Tablebase(path) as tablebase:

        def probe() -> None:
            for state in states:
                tablebase.standing(state)

        pace("one probe, 4-3-3", probe, per=len(states), goal="50 µs")
        some = [state for state in states if not state.is_over][:300]

        def prospects() -> None:
            for state in some:
                tablebase.prospects(state)

        pace("all questions and answers of a state probed, 4-3-3", prospects, per=len(some))


@pytest.mark.parametrize("name", ["random", "informed", "search"])
def test_questions_of_bots(name: str, pace: Callable[..., float]) -> None:
    bot = make_bot(name, Random(1))
    states = [
        state
        for state in random_states(State.start(Settings(4, 3, 3)), Random(2), 40)
        if not state.is_over
    ]

    def ask() -> None:
        for state in states:
            bot.ask(state)

    pace(f"one question by the {name} bot, 4-3-3, warm", ask, per=len(states), rounds=3)


@pytest.mark.parametrize(
    ("sizes", "least", "most", "goal"),
    [((4, 4, 4), 8, 60, "90 %"), ((4, 13, 4), 40, 40, "50 %")],
    ids=str,
)
def test_one_question_instead_of_all_states(
    sizes: tuple[int, int, int], least: int, most: int, goal: str, note: Callable[..., None]
) -> None:
    """Can a random player force a win, in positions of random play?"""
    decided = won = 0
    slowest = 0.0
    for seed in range(60):
        state = midgame(Settings(*sizes), seed, least, most)
        forcing = ForcedWinSearch(state, Random(seed).randrange(4))
        began = time.process_time()
        decided += forcing.search(60) is not None
        slowest = max(slowest, time.process_time() - began)
        won += bool(forcing.can_force)
    name = "-".join(map(str, sizes))
    figures = f"{decided} of 60 within a minute, {won} of them yes, {slowest:.1f} s at most"
    note(f"can a player force a win, {name}", figures, goal)
