"""Solver for whole games: compute which wins the players can force, reach or prevent.

The results are computed for every state that can follow a given start.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import InputError, LimitError
from quaternity.base.progress import Report, quiet
from quaternity.perfect.keys.canonical import Rules, canonical
from quaternity.perfect.solving.game_facts import GameFacts
from quaternity.perfect.solving.graph import GameGraph, generate, portion_size
from quaternity.perfect.solving.graph_files import WorkDirectory, temporary_directory
from quaternity.perfect.solving.retrograde import Values, solve_graph
from quaternity.perfect.solving.state_value import NEVER, StateValue
from quaternity.workers.pool import Pool, SerialExecutor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quaternity.game.state import State

FORMAT = "quaternity-solve/4"
"""Version of the format of working directories. Only the same version can resume a run."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A solved game: the graph of all its states, and the value of each state."""

    graph: GameGraph
    values: Values

    @property
    def facts(self) -> GameFacts:
        """The rules and sizes of the game, and its longest forced win."""
        graph, length = self.graph, self.values.length
        forced = length[length != NEVER]
        longest = int(forced.max()) if len(forced) else None
        sizes = len(graph), graph.questions, graph.answers, tuple(graph.levels)
        return GameFacts(graph.rules, *sizes, longest)

    def standing(self, state: State) -> StateValue:
        """Return the wins that the players can force, reach or prevent from a state.

        Raises:
            InputError: If the state cannot follow from the state that was solved.
        """
        key, roles = canonical(state)
        [number] = self.graph.numbers([key])
        values = self.values
        prevent, length = values.can_prevent[number].tolist(), values.length[number].tolist()
        return StateValue.of_roles(
            roles, int(values.can_force[number]), int(values.can_win[number]), prevent, length
        )


def solve(
    state: State,
    pool: Pool | None = None,
    directory: str | Path | None = None,
    max_states: int | None = None,
    report: Report = quiet,
) -> Solution:
    """Solve a game: find which wins the players can force, reach or prevent in all its states.

    The result contains all states that can follow from a start.

    Args:
        state: the state at the start.
        pool: processes that help (`quaternity.workers.pool.open_executor`). By default, this
            process does all the work.
        directory: keeps the working files, so that an interrupted run can resume. By default, the
            directory is temporary.
        max_states: number of canonical states above which the run stops.
        report: function that is called with the progress.

    Raises:
        LimitError: If there are more than `max_states` states, more players than canonical states
            allow, or no space for the working files.
        InputError: If the state has no canonical form, or the directory belongs to another
            computation or is in use by another run.

    >>> from quaternity import Settings, State
    >>> solution = solve(State.start(Settings(set_size=3, sets=2, players=3)))
    >>> len(solution.graph), solution.graph.questions
    (91, 335)
    >>> solution.standing(State.start(Settings(set_size=3, sets=2, players=3))).can_win
    (0, 1, 2)
    """
    pool = pool or Pool.around(SerialExecutor(), in_flight=1)
    with _graph(state, pool, directory, max_states, report) as (graph, work):
        return Solution(graph, solve_graph(graph, work, report, pool.threads))


def game_graph(
    state: State, pool: Pool | None = None, max_states: int | None = None, report: Report = quiet
) -> GameGraph:
    """Return the graph of all states that can follow from a state, without their values."""
    pool = pool or Pool.around(SerialExecutor(), in_flight=1)
    with _graph(state, pool, None, max_states, report) as (graph, _):
        return graph


@contextmanager
def _graph(
    state: State, pool: Pool, directory: str | Path | None, max_states: int | None, report: Report
) -> Iterator[tuple[GameGraph, WorkDirectory]]:
    """Open a working directory, generate the graph of the game in it, and yield both."""
    rules, start = Rules.of(state), canonical(state).key
    about = _about(rules, start)
    try:
        with (
            temporary_directory(about)
            if directory is None
            else WorkDirectory(Path(directory), about)
        ) as work:
            yield generate(rules, start, work, pool, max_states, report), work
    except OSError as error:
        where = gettempdir() if directory is None else directory
        raise LimitError(f"cannot write the working files in {where}: {error}") from error


def remove_working_files(state: State, directory: str | Path) -> None:
    """Remove the directory in which a game was solved from a state, if it exists.

    Raises:
        InputError: If the directory contains something else, is in use, or cannot be removed.
    """
    path = Path(directory)
    try:
        if path.exists():
            with WorkDirectory(path, _about(Rules.of(state), canonical(state).key)) as work:
                work.remove()
    except OSError as error:
        raise InputError(f"{path} cannot be removed: {error.strerror or error}") from error


def _about(rules: Rules, start: bytes) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "rules": rules.document(),
        "start": start.hex(),
        "portion": portion_size(rules),
    }
