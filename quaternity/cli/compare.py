"""`compare`: measure the time of every solver, and check its verdicts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.base.errors import InputError, LimitError, QuaternityError
from quaternity.base.plots import check_drawing, check_picture
from quaternity.base.writing import check_writable
from quaternity.cli.app import app
from quaternity.cli.compare_output import (
    KeptRuns,
    comparison_of,
    print_comparison,
    read_runs,
    save,
)
from quaternity.cli.compare_requests import (
    BUDGET,
    BUDGET_OF_A_SWEEP,
    CARDS,
    DAMAGE,
    EACH,
    STATES,
    STATES_OF_A_SWEEP,
    of_families,
    of_files,
    of_games,
)
from quaternity.cli.options import (
    AsJson,
    Dask,
    MaybePlayers,
    MaybeSets,
    MaybeSetSize,
    SaveTo,
    Workers,
)  # fmt: skip
from quaternity.cli.solver_options import (
    MEMORY,
    SECONDS,
    Memory,
    SolverNames,
    check_seconds,
    isolate_solvers,
    save_or_print,
    select_solvers,
)
from quaternity.cli.status import ExitStatus, ExitWithStatus, reason_of, status_of, terminable
from quaternity.cli.terminal import progress, warn
from quaternity.game.saved_states import check_directory
from quaternity.trials.comparison import (
    InstanceRuns,
    MeasuringTask,
    iter_measurements,
    remaining_tasks,
    report,
)
from quaternity.trials.comparison.drawing import draw_comparison
from quaternity.workers.pool import open_executor

if TYPE_CHECKING:
    from solvers import Solver

MAX_REPEATS = 10_000


@app.command()
def compare(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Files of states, game records or deal problems, or "
                       "one file written by --runs.  [default: states of random games]"),
    ] = None,
    set_size: MaybeSetSize = None,
    sets: MaybeSets = None,
    players: MaybePlayers = None,
    states: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of states from random games.  [default: "
                     f"{STATES}; in a sweep, {STATES_OF_A_SWEEP} per size]"),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Random seed; the same seed gives the same states.")
    ] = 0,
    damage: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Share of the states that are damaged, from 0 to 1. "
                     "Half of the damaged states are barely possible, the others barely "
                     f"impossible.  [default: {DAMAGE:g}; for files: 0]"),
    ] = None,
    solvers: SolverNames = "all",
    sweep: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="PARAMETER A..B", help="Measure games of several sizes, by varying "
                     "players, sets or set-size from A to B. If the cards cannot be shared "
                     "evenly, a few sets are added."),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of runs of each solver on each state.  [default: "
                     "enough for 30 runs in all]"),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="Time limit per run, in wall-clock seconds. "
                     "External solvers run in separate processes, which are terminated at the "
                     "limit."),
    ] = SECONDS,
    memory: Memory = MEMORY,
    budget: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Total time of each solver, in seconds; in a "
                     "sweep, for each size. When it is used up, the remaining states are "
                     f"skipped.  [default: none; in a sweep {BUDGET_OF_A_SWEEP:g}, for families "
                     f"{BUDGET:g}]"),
    ] = None,
    families: Annotated[
        str | None,
        typer.Option(metavar="NAME,NAME,...", help="Measure generated instances of these "
                     "families instead of games: all, or names listed by `quaternity instances`."),
    ] = None,
    cards: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="Sizes of the instances with --families, in cards. "
                     f" [default: {CARDS}]"),
    ] = None,
    each: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of possible instances, and of impossible "
                     f"instances, for each family and size.  [default: {EACH}]"),
    ] = None,
    runs: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a JSON line to this file after each run. If the "
                     "command is interrupted, the same command continues the measurements. "
                     "quaternity compare FILE prints the tables again."),
    ] = None,
    page: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="Write a self-contained HTML page with "
                     "tables, plots, growth laws and comparisons of pairs of solvers."),
    ] = None,
    workers: Workers = 1,
    dask: Dask = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw costs, a cactus plot and a performance profile "
                     "in this .png, .svg or .pdf file."),
    ] = None,
    save_to: SaveTo = ".",
    wide: Annotated[
        bool, typer.Option("--wide", help="Show all columns, and explain them.")
    ] = False,
    growth: Annotated[
        bool,
        typer.Option("--growth", help="Show how the times grow with the number of cards, if they "
                     "follow a growth law."),
    ] = False,
    as_json: AsJson = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV with a line for each solver and each size or "
                           "family.")
    ] = False,
) -> None:  # fmt: skip
    """Time every solver on many states, and check its evidence.

    By default the states come from random games, and half of them are damaged, which makes some of
    them impossible. Building a model and solving it are timed separately, in processor time without
    imports.

    Every verdict is verified: a deal is checked against the state, and a shortage is added up. A
    solver without evidence is paired with a built-in solver, which finds the shortage. If a verdict
    is wrong or a solver crashes, the exit status is 3, and the smallest state that shows the fault
    is saved. Runs that exceed a limit of time or memory are counted in the table.

    Examples:
      quaternity compare -s 4 -n 13 -p 4 --states 200 --plot comparison.png
      quaternity compare --sweep sets 2..1000 -p 4 --growth
      quaternity compare state.json game.record --solvers cp-sat,max-flow
      quaternity compare --families php,game --runs runs.jsonl --report report.html
      quaternity compare runs.jsonl
    """
    if as_json and as_csv:
        raise InputError("--json and --csv: choose one")
    _check_places(files or [], plot, runs, page, save_to)
    for_games: dict[str, object] = {
        "--set-size": set_size, "--sets": sets, "--players": players, "--states": states,
        "--sweep": sweep,
    }  # fmt: skip
    for_families: dict[str, object] = {"--families": families, "--cards": cards, "--each": each}
    text, stopped = None, None
    comparison = read_runs(files) if files else None
    if comparison is not None:
        measuring = {"--damage": damage, "--repeats": repeats, "--budget": budget, "--runs": runs}
        _refuse("a file of runs", for_games | for_families | measuring)
    else:
        _check_numbers(limit, budget, damage, repeats)
        measured_solvers = isolate_solvers(select_solvers(solvers), limit, memory, patience=None)
        if files:
            _refuse("files", for_games | for_families)
            request = of_files(files, seed, damage or 0.0, repeats, budget)
        elif families is not None:
            _refuse("families", for_games | {"--damage": damage})
            request = of_families(families, cards, each, seed, repeats, budget)
        else:
            _refuse("games", {"--cards": cards, "--each": each})
            base = (set_size, sets, players)
            share = DAMAGE if damage is None else damage
            request = of_games(base, sweep, states, seed, share, repeats, budget)
        works = [replace(work, limit=limit) for work in request.works]
        about = request.description, seed, limit, measured_solvers, works
        with closing(KeptRuns(runs, comparison_of([], *about))) as kept:
            left = list(remaining_tasks(works, kept.runs))
            measured, stopped = _measure(left, measured_solvers, workers, dask, kept.add)
        order = {name: place for place, name in enumerate(chain(*(work.names for work in works)))}
        kept.runs.sort(key=lambda run: order[run.instance])
        comparison = comparison_of(kept.runs, *about, finished=stopped is None)
        text = _smallest_fault(measured)
    with ExitWithStatus() as leaving:
        if comparison.faults:
            leaving.status = ExitStatus.DISAGREE
        elif stopped is not None:
            leaving.status = status_of(stopped)
        unsaved = None
        try:
            save(comparison, runs, page)
        except InputError as error:  # Print the measurements before raising this error.
            unsaved = error
        saved = None if text is None else save_or_print(save_to, text)
        if as_json:
            ending = {"saved": saved, "interrupted": stopped is not None}
            print(json.dumps(report.document(comparison) | ending))
        elif as_csv:
            print(report.csv_text(comparison), end="")
        else:
            print_comparison(comparison, wide, growth)
        for line in report.fault_lines(comparison.labelled):
            warn(line)
        if saved is not None:
            warn(f"smallest example saved; show it: quaternity check {saved} --solver {solvers}")
        if plot is not None and comparison.runs:
            draw_comparison(plot, comparison.labelled, report.headline(comparison))
        if stopped is not None:
            rest = "" if runs is None else "; repeat the command to measure the rest"
            warn(f"{reason_of(stopped)}: these are the measurements so far{rest}")
        if unsaved is not None:
            if not comparison.faults:
                raise unsaved
            warn(str(unsaved))
        if not leaving.status and comparison.runs and not any(r.decided for r in comparison.rows):
            raise LimitError("no solver decided any of the states")


def _check_places(
    files: Sequence[str], plot: str | None, runs: str | None, page: str | None, save_to: str
) -> None:
    """Check that the results can be written, and that no two paths name the same file."""
    if plot is not None:
        check_picture(plot)
    for path in (runs, page):
        if path is not None:
            check_writable(path)
    if page is not None:
        check_drawing()
    check_directory(save_to)
    taken = {os.path.realpath(path) for path in files}
    for path in (plot, runs, page):
        # A device, such as /dev/null, has no content that could be lost.
        if path is None or (os.path.exists(path) and not os.path.isfile(path)):
            continue
        if os.path.realpath(path) in taken:
            raise InputError(f"{path}: is named twice, so one output would overwrite another file")
        taken.add(os.path.realpath(path))


def _check_numbers(
    limit: float, budget: float | None, damage: float | None, repeats: int | None
) -> None:
    check_seconds("limit", limit)
    if budget is not None:
        check_seconds("budget", budget)
    if damage is not None and not 0 <= damage <= 1:
        raise InputError(f"damage: must be from 0 to 1, not {damage:g}")
    if repeats is not None and not 1 <= repeats <= MAX_REPEATS:
        raise InputError(f"repeats: {repeats} is out of range 1..{MAX_REPEATS}")


def _refuse(source: str, options: Mapping[str, object]) -> None:
    """Raise `InputError` if an option is set that cannot be used with this source of states."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name}: cannot be used with {source}")


def _measure(
    works: Sequence[MeasuringTask],
    solvers: list[Solver],
    workers: int,
    dask: str | None,
    keep: Callable[[InstanceRuns], None],
) -> tuple[list[InstanceRuns], BaseException | None]:
    """Measure all tasks. Return the measurements, and the error that stopped them early, or None.

    Each measurement is passed to `keep` immediately. If nothing was measured, the error is raised
    instead of returned, unless it is an interrupt.
    """
    measured: list[InstanceRuns] = []
    with terminable(), progress("states", sum(w.states - w.done for w in works)) as bar:
        try:
            with open_executor(workers, dask) as pool:
                pool.prepare([s.name for s in solvers], partial(list, solvers))
                for state in iter_measurements(works, solvers, pool):
                    keep(state)
                    measured.append(state)
                    bar.advance(1, "states")
        except (KeyboardInterrupt, QuaternityError, OSError, MemoryError) as error:
            if not measured and not isinstance(error, KeyboardInterrupt):
                raise
            return measured, error
    return measured, None


def _smallest_fault(measured: Sequence[InstanceRuns]) -> str | None:
    """Return the smallest state that shows a fault, as the text of a state file, or None."""
    faulty = [
        (runs[0].cards, runs[0].players, len(text), text)
        for runs, text in ((m.runs, m.text) for m in measured)
        if text is not None
    ]
    return min(faulty)[-1] if faulty else None
