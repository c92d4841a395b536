"""A campaign finds faults, names the solver and shrinks the problem, and reports nothing else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count, product
from math import ceil
from random import Random

import pytest

from quaternity import Answer, Card, Move, Question, Settings, State
from quaternity.game.state import LegalQuestions
from quaternity.game.state_file import LoadedState, parse_any, problem_of
from quaternity.trials.fuzzing import Finding, Tally, position_fault, run_campaign, running
from quaternity.trials.fuzzing.examples import random_game, random_problem
from quaternity.trials.fuzzing.running import batches
from quaternity.workers.pool import Pool
from solvers import SOLVERS, DealProblem, Solver, Verdict, solve
from solvers.cross_check import judge
from solvers.solver import solver_from_function
from tests.sizes import thorough
from tests.solvers.broken import BROKEN

EXACT = [SOLVERS[name] for name in ("max-flow", "coalitions", "matching")]


def campaign(solvers: list[Solver], examples: int, seed: int = 0) -> tuple[Tally, Finding | None]:
    tally = Tally()
    return tally, run_campaign(solvers, examples=examples, seed=seed, tally=tally)


def read_back(finding: Finding) -> DealProblem:
    loaded = parse_any(finding.state_file)
    return problem_of(loaded.state if isinstance(loaded, LoadedState) else loaded.problem)


def test_the_registered_solvers_have_no_faults() -> None:
    tally, finding = campaign(list(SOLVERS.values()), thorough(10, 30))
    assert finding is None
    assert tally.examples == thorough(10, 30)
    assert tally.games == thorough(1, 3)


def test_both_kinds_of_problems_and_whole_games_are_tried() -> None:
    tally, finding = campaign(EXACT, 200, seed=1)
    counts = tally.counts
    assert finding is None
    assert tally.problems(True) + tally.problems(False) == 180
    assert min(tally.problems(True), tally.problems(False)) >= 40
    assert tally.games == counts["positions"] == 20
    assert counts["candidates"] > 100
    shapes = tally.count_by(lambda shape: (shape.kind, shape.feasible))
    assert set(shapes) >= {("loosened", True), ("spoilt", True), ("spoilt", False), ("game", True)}
    assert ("loosened", False) not in shapes
    assert tally.refused["matching"] > 0
    assert not tally.gave_up


@pytest.mark.parametrize("seed", thorough([1], [1, 2]))
@pytest.mark.parametrize("function", BROKEN, ids=lambda function: function.__name__)
def test_a_deliberately_broken_solver_is_found_with_a_tiny_problem(
    function: Callable[[DealProblem], Verdict], seed: int
) -> None:
    row = solver_from_function("broken", function)
    _, finding = campaign([*EXACT, row], 500, seed)
    assert finding is not None
    assert finding.text.startswith(("broken", "after"))
    problem = read_back(finding)
    assert len(problem.sets) <= 2
    assert problem.cards <= 4
    assert problem.players <= 3
    judgement = judge(problem, [row])
    assert {fault.solver for fault in judgement.faults} == {"broken"}
    assert judgement.in_words() in finding.text


def test_a_seed_gives_the_same_campaign_wherever_it_runs() -> None:
    first = campaign(EXACT, 60, seed=5)
    assert first == campaign(EXACT, 60, seed=5)
    assert first != campaign(EXACT, 60, seed=6)
    pooled = Tally()
    with ThreadPoolExecutor(1) as executor:
        finding = run_campaign(EXACT, examples=60, seed=5, tally=pooled, pool=Pool.around(executor))
    assert (pooled, finding) == first


@pytest.mark.parametrize("examples", [1, 9, 10, 99, 100, 101, 1234])
def test_batches_add_up(examples: int) -> None:
    parts = list(batches(examples, None, seed=3))
    assert sum(batch.examples for batch in parts) == examples
    assert [batch.number for batch in parts] == list(range(len(parts)))


@pytest.mark.parametrize("step", [0.5, 1.0, 2.5, 30.0])
def test_batches_know_the_remaining_time_and_end_with_it(
    step: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock advances by one step whenever it is read."""
    clock = count(100.0, step)
    monkeypatch.setattr(running, "monotonic", lambda: next(clock))
    parts = list(batches(None, 10.0, seed=3))
    assert [batch.seconds for batch in parts] == [
        10.0 - step * number for number in range(len(parts))
    ]
    assert len(parts) == ceil(10.0 / step)
    assert {batch.examples for batch in parts} == {running.BATCH_SIZE}


def test_random_problems_are_small_or_on_the_brink() -> None:
    random = Random(2)
    drawn = [random_problem(random) for _ in range(800)]
    others = [problem for kind, problem in drawn if kind != "brink"]
    brinks = [problem for kind, problem in drawn if kind == "brink"]
    for high, sizes in (
        (4, [problem.players for problem in others]),
        (3, [len(problem.sets) for problem in others]),
        (4, [max((part.size for part in problem.sets), default=0) for problem in others]),
    ):
        assert 0.03 < sum(size > high for size in sizes) / len(sizes) < 0.2, "one in five is larger"
    assert {bool(solve(problem)) for problem in brinks} == {True, False}
    assert max(problem.cards for problem in brinks) >= 40


class ZeroRandom(Random):
    """A generator that ends every game before its first move."""

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return 0


def test_games_of_all_sizes_up_to_twelve_cards_are_drawn() -> None:
    random = ZeroRandom(1)
    drawn = {random_game(random).settings for _ in range(thorough(600, 1000))}
    assert {(settings.set_size, settings.sets, settings.players) for settings in drawn} == {
        (size, sets, players)
        for size, sets, players in product(range(2, 5), range(1, 7), range(2, 5))
        if size * sets <= 12 and size * sets % players == 0
    }


def test_games_have_up_to_twelve_moves() -> None:
    random = Random(1)
    lengths = {len(random_game(random).moves) for _ in range(60)}
    assert min(lengths) == 0
    assert max(lengths) == 12


def test_a_campaign_ends_when_its_time_is_up() -> None:
    tally = Tally()
    assert run_campaign(EXACT, seconds=1e-6, tally=tally) is None
    assert tally.examples == 0
    with pytest.raises(ValueError, match="exactly one"):
        run_campaign(EXACT)
    with pytest.raises(ValueError, match="exactly one"):
        run_campaign(EXACT, seconds=1, examples=1)


def test_an_interrupt_keeps_the_tally() -> None:
    calls: list[DealProblem] = []

    def stops(problem: DealProblem) -> Verdict:
        calls.append(problem)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return EXACT[0](problem)

    tally = Tally()
    with pytest.raises(KeyboardInterrupt):
        run_campaign([solver_from_function("stops", stops)], examples=100, tally=tally)
    assert tally.examples == 9  # the tenth is a game: many calls


# ---------------------------------------------------------------------- engines that are wrong


def fault_of(state: State) -> str:
    fault = position_fault(state, EXACT, Tally())
    return "" if fault is None else fault[0]


Listed = list[tuple[Question, tuple[Answer, ...]]]
Engine = Callable[[Callable[[Listed], Listed]], None]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Return a function that replaces the legal questions of the engine by a changed list."""
    original = LegalQuestions.items

    def replace_questions(change: Callable[[Listed], Listed]) -> None:
        monkeypatch.setattr(LegalQuestions, "items", lambda view: change([*original(view)]))

    return replace_questions


def test_an_engine_that_misses_a_question_is_found(engine: Engine) -> None:
    engine(lambda listed: listed[:-1])
    assert fault_of(State.start()).endswith(
        "is legal according to the evidence, but illegal according to the engine"
    )


def test_a_campaign_exposes_a_wrong_engine_with_a_small_game(engine: Engine) -> None:
    engine(lambda listed: listed[:-1])
    _, finding = campaign(EXACT, 30)
    assert finding is not None
    assert finding.where == "game"
    assert finding.moves == ()
    assert read_back(finding).cards == 2


def test_an_engine_that_allows_too_much_is_found(engine: Engine) -> None:
    state = State.start(Settings(2, 2, 2))
    assert fault_of(state) == ""
    both = (Answer.NO, Answer.YES)
    engine(lambda listed: [(question, both) for question, _ in listed])
    assert fault_of(state).endswith(
        "no' is illegal according to the evidence, but legal according to the engine"
    )


def test_a_set_that_should_have_been_put_down_is_found() -> None:
    # If sets were only put down after a yes, player 2 would keep set 2 and have no question.
    game = State.start(Settings(2, 3, 3))
    for move in (Move.parse("0 asks 1 for 0/1: yes"), Move.parse("0 asks 2 for 1/0: no")):
        before, game = game, game.after(move.question, move.answer)
    assert fault_of(before) == fault_of(game) == ""
    from quaternity.game.transition import problem_after

    question = Question(0, 2, Card(1, 0))
    problem = problem_after(before.problem, 0, 2, *question.card, Answer.NO)
    stuck = State(problem, 2, before.completed, before.set_size)
    assert fault_of(stuck) == "it is the turn of player 2, who has no question to ask"
    patient = State(problem, 0, before.completed, before.set_size)
    assert fault_of(patient) == "player 2 owns all of set 2, but it is not completed"


def test_an_impossible_position_is_found() -> None:
    start = State.start()
    crowded = State(DealProblem((5, 4, 4), start.problem.sets), 0, start.completed, start.set_size)
    assert fault_of(crowded) == "a position reached by legal moves is judged infeasible"
