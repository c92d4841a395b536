"""Solution of a game: tablebase, certificate, and outcomes if all players play for themselves."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import InputError, LimitError
from quaternity.base.progress import Phase, quiet_phase
from quaternity.perfect.keys.canonical import Rules, canonical
from quaternity.perfect.solving.certifying import write_certificate
from quaternity.perfect.solving.chance import (
    AnyChanceResult,
    FairDrawResult,
    any_chance,
    fair_draws,
)
from quaternity.perfect.solving.estimate import is_larger
from quaternity.perfect.solving.max_n import MaxNResult, max_n_result
from quaternity.perfect.solving.solver import game_graph, remove_working_files, solve
from quaternity.perfect.tablebase import Tablebase, write_tablebase
from quaternity.workers.pool import open_executor

if TYPE_CHECKING:
    from pathlib import Path

    from quaternity.game.state import State
    from quaternity.perfect.solving.game_facts import GameFacts
    from quaternity.perfect.solving.graph import GameGraph
    from quaternity.perfect.solving.state_value import StateValue

Outcomes = MaxNResult | FairDrawResult | AnyChanceResult


@dataclass(frozen=True, slots=True)
class SolvingTask:
    """A game to solve, and the results to write.

    Attributes:
        state: the state from which the game is solved.
        tablebase: the path of the tablebase, or None to write none.
        certificate: the path of the certificate, or None to write none.
        max_states: the maximum number of states, or None for no limit.
        wish: the objective of every player in `outcomes_for_all`: `points` (as many sets as
            possible), `win`, or None if these outcomes are not needed.
        ties: how players then choose between equally good moves: `coin` for a fair draw, `chance`
            for any probabilities, or None for all choices without chance.
        workers, dask: the processes that solve the game (see `open_executor`).
    """

    state: State
    tablebase: Path | None = None
    certificate: str | None = None
    max_states: int | None = None
    wish: str | None = None
    ties: str | None = None
    workers: int = 1
    dask: str | None = None

    @property
    def work(self) -> Path | None:
        """The directory from which an interrupted run continues, or None without a tablebase."""
        path = self.tablebase
        return None if path is None else path.with_name(path.name + ".work")

    @property
    def has_work(self) -> bool:
        """Whether an interrupted run has left a directory to continue from."""
        return self.work is not None and self.work.exists()


@dataclass(frozen=True, slots=True)
class SolvedGame:
    """The results of solving a game from a state.

    Attributes:
        facts: the rules and sizes of the game.
        standing: which wins the players can force, reach or prevent from the state.
        tablebase, certificate: the paths of these files, or None.
        seconds: the time of the computation, or None if the result was read from its tablebase.
        outcomes: the outcomes if all players pursue the same goal, or None.
        graph: the graph of the game, or None if the result was read from its tablebase.
    """

    facts: GameFacts
    standing: StateValue
    tablebase: str | None
    certificate: str | None
    seconds: float | None
    outcomes: Outcomes | None = None
    graph: GameGraph | None = field(default=None, compare=False, repr=False)

    def document(self) -> dict[str, Any]:
        """Return the results as a dictionary of plain values for JSON."""
        document = self.facts.document() | self.standing.document()
        for name in ("tablebase", "certificate", "seconds"):
            document[name] = getattr(self, name)
        if self.outcomes is not None:
            document["everybody"] = self.outcomes.document()
        return document


def solve_game(task: SolvingTask, phase: Phase = quiet_phase) -> SolvedGame:
    """Solve a game, write its tablebase and its certificate, and return the results.

    Raises:
        InputError: If a file cannot be written, or if the outcomes depend on chance.
        LimitError: If the game has too many states. The work so far is kept in `task.work`.
    """
    state, limit = task.state, task.max_states
    if limit is not None and not task.has_work and is_larger(state, limit, Random(0)):
        raise LimitError(
            f"random games show that the game has more than {limit:,} states; "
            "to allow more, use --most-states"
        )
    began = time.perf_counter()
    with phase("solving", None) as report, open_executor(task.workers, task.dask) as pool:
        solution = solve(state, pool, task.work, limit, report)
    if task.certificate is not None:
        wish = None if task.ties else task.wish
        with phase("writing", len(solution.graph)) as report:
            write_certificate(task.certificate, solution, state, wish, report)
    if task.tablebase is not None:
        with phase("writing", len(solution.graph)) as report:
            write_tablebase(task.tablebase, solution, report)
    path = None if task.tablebase is None else str(task.tablebase)
    results = solution.facts, solution.standing(state), path, task.certificate
    return SolvedGame(*results, time.perf_counter() - began, graph=solution.graph)


def read_solved_game(state: State, path: Path) -> SolvedGame:
    """Return the `SolvedGame` of a state, read from the tablebase of an earlier run.

    Raises:
        InputError: If the tablebase was solved from another state, is for another game, or cannot
            be read.
    """
    with Tablebase(path) as tablebase:
        tablebase.check_rules(Rules.of(state))
        if tablebase.about["start"] != canonical(state).key.hex():
            raise InputError(
                f"{path} already exists and solves another state; "
                "`quaternity analyse --oracle` reads it"
            )
        return SolvedGame(tablebase.facts, tablebase.standing(state), str(path), None, None)


def remove_work(task: SolvingTask) -> None:
    """Remove the working files of a solved game. Raise `InputError` if they cannot be removed."""
    if task.work is not None:
        remove_working_files(task.state, task.work)


def outcomes_for_all(
    task: SolvingTask, solved: SolvedGame, phase: Phase = quiet_phase
) -> Outcomes | None:
    """Return the outcomes of the game if every player pursues the objective `task.wish`.

    The result is None if the task has no objective.

    Raises:
        InputError: If the game need not end, or if it involves chance and `task.ties` is None.
        LimitError: If the game has too many states or outcomes.
    """
    state, wish = task.state, task.wish
    if wish is None:
        return None
    if task.ties is None:
        graph = solved.graph if solved.graph is not None else _walk(task, solved, phase)
        return max_n_result(graph, state, wish)
    with phase("ties", solved.facts.states) as report:
        if task.ties == "coin":
            return FairDrawResult(wish, fair_draws(state, wish, report))
        return AnyChanceResult(wish, any_chance(state, wish, report))


def _walk(task: SolvingTask, solved: SolvedGame, phase: Phase) -> GameGraph:
    states, limit = solved.facts.states, task.max_states
    if limit is not None and states > limit:
        raise LimitError(
            f"--everybody visits all {states:,} states, but the limit is {limit:,}; raise the "
            "limit with --most-states, or remove it with --no-limit"
        )
    with phase("walking", None) as report, open_executor(task.workers, task.dask) as pool:
        return game_graph(task.state, pool, None, report)
