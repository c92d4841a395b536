"""`compare`: how long each solver takes, and whether all of them are right."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.base.errors import InputError, LimitError
from quaternity.base.plots import check_drawing, check_picture
from quaternity.base.writing import check_may_be_written
from quaternity.cli.app import app
from quaternity.cli.chosen_solvers import (
    MEMORY,
    SECONDS,
    Memory,
    SolverNames,
    check_seconds,
    chosen_solvers,
    guarded,
)
from quaternity.cli.compare_output import Found, document, print_comparison, read_runs, save
from quaternity.cli.compare_requests import (
    BUDGET,
    BUDGET_OF_A_SWEEP,
    CARDS,
    DAMAGE,
    EACH,
    STATES,
    STATES_OF_A_SWEEP,
    Request,
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
from quaternity.cli.status import ExitStatus, Leaving
from quaternity.cli.terminal import progress, warn
from quaternity.game.saved_states import check_directory
from quaternity.workers.pool import open_executor, ordered_map

if TYPE_CHECKING:
    from quaternity.trials.comparison import Measured
    from quaternity.trials.comparison.report import Group
    from quaternity.trials.comparison.runs import Comparison
    from solvers import Solver

MOST_REPEATS = 10_000


@app.command()
def compare(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="States, game records or deal problems; without any, games are "
                       "played."),
    ] = None,
    set_size: MaybeSetSize = None,
    sets: MaybeSets = None,
    players: MaybePlayers = None,
    states: Annotated[
        int | None, typer.Option(help=f"States of games.  [default: {STATES}; in a sweep, a size: "
                                 f"{STATES_OF_A_SWEEP}]")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same states.")] = 0,
    damage: Annotated[
        float | None,
        typer.Option(help="Share of the states, 0..1, that are damaged: of these one half is just "
                     f"possible, the other just not.  [default: {DAMAGE:g}; of files: 0]"),
    ] = None,
    solvers: SolverNames = "all",
    sweep: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="PARAMETER A..B", help="Go through sizes: players, sets or set-size. "
                     "Where cards cannot be shared evenly, there are a few more sets."),
    ] = None,
    repeats: Annotated[
        int | None,
        typer.Option(help="Runs of each solver on each state.  [default: enough for 30 in all]"),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(help="Seconds by the clock of one run, after which the solver gave up. Those "
                     "from elsewhere run in processes of their own, which end then."),
    ] = SECONDS,
    memory: Memory = MEMORY,
    budget: Annotated[
        float | None,
        typer.Option(help="Seconds of one solver in all (in a sweep: at one size); states beyond "
                     f"are left out.  [default: none; in a sweep {BUDGET_OF_A_SWEEP:g}, of "
                     f"families {BUDGET:g}]"),
    ] = None,
    families: Annotated[
        str | None,
        typer.Option(metavar="NAME,NAME,...", help="Instances of families, possible and impossible "
                     "twins, instead of games: all, or names of `quaternity instances`."),
    ] = None,
    cards: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help=f"Sizes of these instances.  [default: {CARDS}]"),
    ] = None,
    each: Annotated[
        int | None,
        typer.Option(help=f"Instances of each family, kind and size.  [default: {EACH}]"),
    ] = None,
    runs: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write one JSON line per run; given as the file, "
                     "it makes all tables again."),
    ] = None,
    page: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="Write one page that needs nothing else: "
                     "tables, cactus plot, profiles, growth, pairs."),
    ] = None,
    workers: Workers = 1,
    dask: Dask = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw costs, a cactus plot and a performance profile: "
                     ".png, .svg or .pdf."),
    ] = None,
    save_to: SaveTo = ".",
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="One line per size and solver.")] = False,
) -> None:  # fmt: skip
    """Time every solver on many states, and check all evidence.

    The states are taken from random games, and a part of them is damaged, so that there are
    possible and impossible ones. Imports are done before the clock starts; making a model and
    solving it are timed apart, in processor time. Every verdict must verify: a deal is counted out,
    a shortage added up, and a solver that gives no shortage is paired with one. Exit status 3 when
    one does not, or a solver crashes, and the smallest such state is saved. A timeout and too much
    memory are shown as such.

    \b
    Examples:
      quaternity compare -s 4 -n 13 -p 4 --states 200 --plot comparison.png
      quaternity compare --sweep sets 2..1000 -p 4 --csv
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
    known = read_runs(files) if files else None
    if known is not None:
        measuring = {"--damage": damage, "--repeats": repeats, "--budget": budget, "--runs": runs}
        _refuse("a file of runs", for_games | for_families | measuring | {"--plot": plot})
        _show_runs(known, page, as_json, as_csv)
        return
    check_seconds("limit", limit)
    if budget is not None:
        check_seconds("budget", budget)
    if damage is not None and not 0 <= damage <= 1:
        raise InputError(f"damage: {damage:g} is not a share, from 0 to 1")
    if repeats is not None and not 1 <= repeats <= MOST_REPEATS:
        raise InputError(f"repeats: {repeats} is out of range 1..{MOST_REPEATS}")
    chosen = guarded(chosen_solvers(solvers), limit, memory, patience=None)
    if files:
        _refuse("files", for_games | for_families)
        request = of_files(files, seed, damage or 0.0, repeats, budget)
    elif families is not None:
        _refuse("families", for_games | {"--damage": damage, "--plot": plot})
        request = of_families(families, cards, each, seed, repeats, budget)
    else:
        _refuse("games", {"--cards": cards, "--each": each})
        base = (set_size, sets, players)
        share = DAMAGE if damage is None else damage
        request = of_games(base, sweep, states, seed, share, repeats, budget)
    with Leaving() as leaving:
        groups, interrupted = _measure(request, limit, chosen, workers, dask)
        found = Found(request, seed, limit, chosen, groups)
        if found.report.smallest_fault is not None:
            leaving.status = ExitStatus.DISAGREE
        elif interrupted:
            leaving.status = ExitStatus.INTERRUPTED
        unsaved = None
        try:
            found.save(runs, page)
        except InputError as error:  # what was measured is to be seen all the same
            unsaved = error
        saved = found.save_fault(save_to)
        if as_json:
            print(json.dumps(found.document() | {"saved": saved, "interrupted": interrupted}))
        elif as_csv:
            print(found.report.csv(), end="")
        else:
            found.print()
        for line in found.report.fault_lines():
            warn(line)
        if saved is not None:
            warn(f"the smallest such state is saved: quaternity check {saved} --solver {solvers}")
        if plot is not None and groups:
            found.report.draw(plot, sweep[0] if sweep else None)
        if interrupted:
            warn("interrupted: this is what was measured so far")
        if unsaved is not None:
            if found.report.smallest_fault is None:
                raise unsaved
            warn(str(unsaved))
        if not leaving.status and not any(one.timings for one in found.report.measured):
            raise LimitError("no solver took any of the states")


def _check_places(
    files: Sequence[str], plot: str | None, runs: str | None, page: str | None, save_to: str
) -> None:
    """Make sure, before long work, that its results can be written, and over nothing else."""
    if plot is not None:
        check_picture(plot)
    for path in (runs, page):
        if path is not None:
            check_may_be_written(path)
    if page is not None:
        check_drawing()
    check_directory(save_to)
    taken = {os.path.realpath(path) for path in files}
    for path in (plot, runs, page):
        # A device, such as /dev/null, keeps nothing that could be lost.
        if path is None or (os.path.exists(path) and not os.path.isfile(path)):
            continue
        if os.path.realpath(path) in taken:
            raise InputError(f"{path}: named twice: it would be written over")
        taken.add(os.path.realpath(path))


def _refuse(what: str, options: Mapping[str, object]) -> None:
    """Refuse options that make no sense with what is compared."""
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name}: not together with {what}")


def _show_runs(known: Comparison, page: str | None, as_json: bool, as_csv: bool) -> None:
    """Make the tables, and the page, of a file of runs again."""
    if as_csv:
        raise InputError("--csv: not of a file of runs, which has a line per run itself")
    save(known, None, page)
    if as_json:
        print(json.dumps(document(known)))
    else:
        print_comparison(known)


def _measure(
    request: Request, limit: float, solvers: list[Solver], workers: int, dask: str | None
) -> tuple[list[Group], bool]:
    """Everything measured, in groups of one size or family; and whether it was interrupted."""
    from quaternity.trials.comparison import measure, measured_states

    works = [replace(work, limit=limit) for work in request.works]
    found: list[list[Measured]] = []  # by piece of work
    total = sum(work.states for work in works)
    try:
        with progress("states", total) as bar:
            if workers == 1 and dask is None:
                # State by state, so that an interrupt loses one at most.
                for work in works:
                    found.append([])
                    for one in measured_states(work, solvers):
                        found[-1].append(one)
                        bar.advance(1, "states")
            else:
                with open_executor(workers, dask) as pool:
                    task = partial(measure, solvers=solvers)
                    for piece in ordered_map(pool, task, works):
                        found.append(piece)
                        bar.advance(len(piece), "states")
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
    return _grouped(request, found), interrupted


def _grouped(request: Request, found: Sequence[Sequence[Measured]]) -> list[Group]:
    """What was measured, by family, or by size where there are several."""
    from quaternity.trials.comparison.report import Group

    measured = [one for piece in found for one in piece]
    if request.of_families:
        families = dict.fromkeys(one.family for one in measured)
        return [
            Group(None, [one for one in measured if one.family == family], family)
            for family in families
        ]
    if len(request.settings) > 1:
        sizes = zip(request.settings, found, strict=False)
        return [Group(size, piece) for size, piece in sizes if piece]
    size = request.settings[0] if request.settings else None
    return [Group(size, measured)] if measured else []
