"""The fast engine: legal questions, `after`, perft, memory, and how the cost grows.

The cost grows as follows. A table has 2^P lanes, so the cost of a set doubles with every player
once lanes outweigh Python's own overhead (from about seven players on). More cards mean more
sets, each with one subtraction and one test, so the cost is linear in the number of sets.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from quaternity.game.legal import questions_by_solver
from quaternity.game.question import Answer, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.insight.perft import perft
from solvers import SOLVERS

pytestmark = pytest.mark.bench

Move = tuple[State, Question, Answer]
GOALS = {(4, 13, 4): "40 µs", (4, 3, 3): "12 µs", (4, 6, 6): "40 µs"}


def random_game(settings: Settings, random: Random, most: int = 400) -> list[Move]:
    """Return the states of a random game, each with the move made in it."""
    state, moves = State.start(settings), list[Move]()
    while not state.is_over and len(moves) < most:
        question, answers = random.choice(list(state.legal_questions.items()))
        moves.append((state, question, random.choice(answers)))
        state = state.after(question, moves[-1][2])
    return moves


def sample(settings: Settings, games: int, warm: int = 30) -> list[Move]:
    """Return states of random games, after other games have warmed the caches."""
    for seed in range(warm):
        random_game(settings, Random(-1 - seed))
    return [move for seed in range(games) for move in random_game(settings, Random(seed))]


def iterate(moves: list[Move]) -> None:
    """List every legal question with its answers in every state, but not from its own cache."""
    for state, _, _ in moves:
        object.__setattr__(state, "_legal", None)
        for _question, _answers in state.legal_questions.items():
            pass


def first_visits(settings: Settings, games: int) -> float:
    """Return the mean seconds to list the legal questions of a state for the first time."""
    seconds, states = 0.0, 0
    for seed in range(games):
        random, state = Random(10**6 + seed), State.start(settings)
        for _ in range(400):
            if state.is_over:
                break
            start = time.perf_counter()
            for _pair in state.legal_questions.items():
                pass
            seconds += time.perf_counter() - start
            states += 1
            question, answers = random.choice(list(state.legal_questions.items()))
            state = state.after(question, random.choice(answers))
    return seconds / states


@pytest.mark.parametrize("size", GOALS, ids=str)
def test_legal_questions(
    size: tuple[int, int, int], note: Callable[..., None], pace: Callable[..., float]
) -> None:
    """Other games have warmed the caches; the states are new at first, and then known."""
    settings, name = Settings(*size), "-".join(map(str, size))
    for seed in range(500):
        random_game(settings, Random(-1 - seed))
    first = first_visits(settings, 100)
    note(f"legal questions, {name}, new states", f"{first * 1e6:.1f} µs", GOALS[size])
    moves = sample(settings, 20, warm=0)
    pace(f"legal questions, {name}, states seen before", lambda: iterate(moves), per=len(moves))


def test_after(pace: Callable[..., float]) -> None:
    moves = sample(Settings(4, 13, 4), 20)

    def play() -> None:
        for state, question, answer in moves:
            state.after(question, answer)

    pace("after, 4-13-4", play, per=len(moves), goal="25 µs")


FIRST_GAME = """
import json, sys, time
from random import Random
from quaternity import Settings, State
from tests.bench.test_engine_bench import iterate, random_game
script = json.loads(sys.argv[1])
from quaternity import Move
state = State.start(Settings(4, 13, 4))
start = time.perf_counter()
for text in script:
    for pair in state.legal_questions.items():
        pass
    move = Move.parse(text)
    state = state.after(move.question, move.answer)
print((time.perf_counter() - start) / len(script))
"""


def in_own_process(code: str, *arguments: str) -> str:
    """Return the output of a new Python process."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    ).stdout  # fmt: skip


def test_first_game_of_a_process(note: Callable[..., None]) -> None:
    script = []
    for _, question, answer in random_game(Settings(4, 13, 4), Random(99)):
        script.append(f"{question}: {answer}")
    seconds = float(in_own_process(FIRST_GAME, json.dumps(script)))
    note("first game of a process, a state, 4-13-4", f"{seconds * 1e6:.0f} µs", "300 µs")


def test_against_one_matching_per_answer(race: Callable[..., float]) -> None:
    moves = sample(Settings(4, 13, 4), 2)[::40]
    matching = SOLVERS["matching"]

    def rival() -> None:
        for state, _, _ in moves:
            questions_by_solver(state.problem, state.turn or 0, matching)

    race(
        "legal questions, 4-13-4, against one matching per answer",
        lambda: iterate(moves), rival, per=len(moves), rounds=3, goal=50,
    )  # fmt: skip


def test_coalitions_against_max_flow(race: Callable[..., float]) -> None:
    problems = [state.problem for state, _, _ in sample(Settings(4, 13, 4), 3)][::5]

    def run(name: str) -> Callable[[], None]:
        solver = SOLVERS[name]

        def all_of_them() -> None:
            for problem in problems:
                solver(problem)

        return all_of_them

    race(
        "one check, 4-13-4: coalitions against max-flow",
        run("coalitions"), run("max-flow"), per=len(problems), goal=2,
    )  # fmt: skip


@pytest.mark.parametrize(("name", "goal"), [("cp-sat", 1), ("max-flow", 0)])
def test_building_a_model_against_solving_it(
    name: str, goal: int, race: Callable[..., float]
) -> None:
    problems = [state.problem for state, _, _ in sample(Settings(4, 13, 4), 3, warm=0)][::25]
    prepare, rounds = SOLVERS[name].prepare, 7

    def build() -> None:
        for problem in problems:
            prepare(problem)

    def solve() -> None:
        for run in next(models):
            run()

    # A model is solved once; `race` calls both functions once before it measures.
    models = iter([[prepare(problem) for problem in problems] for _ in range(rounds + 1)])
    race(
        f"{name} at 4-13-4: building the model against solving it",
        build, solve, per=len(problems), rounds=rounds, goal=goal,
    )  # fmt: skip


@pytest.mark.parametrize(("depth", "goal"), [(3, "0.2 s"), (4, "5 s")])
def test_perft(depth: int, goal: str, pace: Callable[..., float]) -> None:
    state = State.start(Settings(4, 3, 3))
    pace(
        f"perft 4-3-3 to depth {depth}",
        lambda: perft(state, depth),
        rounds=1,
        goal=goal,
        warm=False,
    )


def test_one_table_of_six_players(pace: Callable[..., float]) -> None:
    from solvers.coalition_tables import LaneLayout

    layout = LaneLayout(6, 8)
    make = layout.compute_table

    def tables() -> None:
        for low in range(3):
            make((63, 63, 63, 7), (low, 0, 0, 0, 0, 0), (4,) * 6)

    pace("the table of one set, 6 players, made", tables, per=3, goal="below 1 ms")


def test_cost_over_players_and_cards(pace: Callable[..., float], note: Callable[..., None]) -> None:
    def cost(settings: Settings, label: str) -> float:
        moves = sample(settings, 1, warm=1)[:60]
        return pace(f"legal questions, {label}", lambda: iterate(moves), per=len(moves), rounds=3)

    by_players = {
        players: cost(Settings(4, 3 * players, players), f"12 cards a player, {players} players")
        for players in range(2, 13)
    }
    by_cards = {
        4 * sets: cost(Settings(4, sets, 4), f"4 players, {4 * sets} cards")
        for sets in (3, 6, 13, 25, 50, 100)
    }
    note("cost curves, drawn", draw({"players": by_players, "cards": by_cards}))


def draw(curves: dict[str, dict[int, float]]) -> str:
    """Draw cost over size into .benchmarks/, and return the file's name."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, (name, curve) in zip(figure.subplots(1, len(curves)), curves.items(), strict=True):
        axes.plot(list(curve), [1e6 * seconds for seconds in curve.values()], marker="o")
        axes.set_xlabel(name)
        axes.set_ylabel("µs a state")
        axes.set_yscale("log")
        if name == "cards":
            axes.set_xscale("log")
        axes.grid(alpha=0.3)
    figure.suptitle("all legal questions of a state")
    path = Path(".benchmarks") / "legal-questions.svg"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)
    return str(path)


PEAKS = """
import json
from random import Random
from quaternity import Settings
from tests.bench.peak import peak_bytes
from tests.bench.test_engine_bench import random_game
sizes = [Settings(4, 13, 4), Settings(4, 3, 3), Settings(4, 6, 6), Settings(3, 8, 6)]
positions, seed, peaks = 0, 0, []
for target in (10_000, 250_000, 500_000, 1_000_000):
    while positions < target:
        positions += len(random_game(sizes[seed % 4], Random(seed)))
        seed += 1
    peaks.append((positions, peak_bytes()))
print(json.dumps(peaks))
"""


def test_memory_stays_flat(note: Callable[..., None]) -> None:
    """The process plays a million positions of random games and does nothing else."""
    peaks = json.loads(in_own_process(PEAKS))
    marks = [f"{positions // 1000}k: {peak / 2**20:.0f} MiB" for positions, peak in peaks]
    note("peak memory by number of positions", ", ".join(marks), "flat")
