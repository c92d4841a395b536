"""`compare`: measure the time of every solver, and check the verdicts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.base.text_format import make_printable, with_noun
from quaternity.cli.app import app
from quaternity.cli.compare_output import Output, show_result
from quaternity.cli.exchange import select_families
from quaternity.cli.input_files import open_document, print_warnings
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
    select_solvers,
)
from quaternity.cli.status import terminable
from quaternity.cli.terminal import show_phase, warn
from quaternity.game.record import ImpossibleRecord
from quaternity.game.state_file import ContradictoryState
from quaternity.trials.comparison.plan import (
    BUDGET,
    BUDGET_OF_A_SWEEP,
    CARDS,
    DAMAGE,
    EACH,
    STATES,
    STATES_OF_A_SWEEP,
    RunOptions,
    plan_families,
    plan_games,
    plan_states,
)
from quaternity.trials.comparison.running import ComparisonResult, run_comparison
from quaternity.trials.comparison.runs import read_runs

if TYPE_CHECKING:
    from quaternity.game.state import State
    from solvers import DealProblem

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
        typer.Option(metavar="SHARE", help="Share of the states, from 0 to 1, whose constraints "
                     "are tightened: half of these until a deal only just fits, the others until "
                     f"no deal fits.  [default: {DAMAGE:g}; for files: 0]"),
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
        typer.Option(metavar="SECONDS", help="Maximum total time of each solver, in seconds. In a "
                     "sweep, it applies to each size separately. When it is used up, the remaining "
                     f"states are skipped.  [default: none; {BUDGET_OF_A_SWEEP:g} in a sweep; "
                     f"{BUDGET:g} for families]"),
    ] = None,
    families: Annotated[
        str | None,
        typer.Option(metavar="NAME,NAME,...", help="Measure generated problems of these "
                     "families instead of games: all, or names listed by `quaternity instances`."),
    ] = None,
    cards: Annotated[
        str | None,
        typer.Option(metavar="N,N,...", help="With --families: numbers of cards of the instances. "
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
        typer.Option(metavar="FILE", help="Draw the times of the solvers, a cactus plot and "
                     "a performance profile in this .png, .svg or .pdf file."),
    ] = None,
    save_to: SaveTo = ".",
    wide: Annotated[
        bool, typer.Option("--wide", help="Show all columns, and explain them.")
    ] = False,
    growth: Annotated[
        bool,
        typer.Option("--growth", help="Show the growth law of each solver (its time as a function "
                     "of the number of cards), if one fits the measured times."),
    ] = False,
    as_json: AsJson = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV with a line for each solver and each size or "
                           "family.")
    ] = False,
) -> None:  # fmt: skip
    """Time every solver on many states, and check its answers.

    By default the states come from random games, and the constraints of half of them are tightened,
    which makes some of them impossible. Building a model and solving it are timed separately, in
    processor time without imports.

    Every answer is verified. If a solver finds a deal, the deal is checked against the state. If it
    says that no deal exists, its proof is checked: a shortage, that is, some players must hold more
    cards than they can. For a solver that gives no proof, a built-in solver finds the shortage. If
    an answer is wrong or a solver crashes, the exit status is 3, and the smallest state that shows
    the fault is saved. Runs that exceed a limit of time or memory are counted in the table.

    Examples:
      quaternity compare -s 4 -n 13 -p 4 --states 200 --plot comparison.png
      quaternity compare --sweep sets 2..1000 -p 4 --growth
      quaternity compare state.json game.record --solvers cp-sat,max-flow
      quaternity compare --families php,game --runs runs.jsonl --report report.html
      quaternity compare runs.jsonl
    """
    if as_json and as_csv:
        raise InputError("--json and --csv: choose one")
    files = files or []
    text_format = "json" if as_json else "csv" if as_csv else "tables"
    output = Output(runs, page, plot, save_to, text_format, wide, growth)
    output.check(files)
    for_games: dict[str, object] = {
        "--set-size": set_size, "--sets": sets, "--players": players, "--states": states,
        "--sweep": sweep,
    }  # fmt: skip
    for_families: dict[str, object] = {"--families": families, "--cards": cards, "--each": each}
    comparison = read_runs(files[0]) if len(files) == 1 else None
    if comparison is not None:
        print_warnings(files[0], comparison.warnings)
        measuring = {"--damage": damage, "--repeats": repeats, "--budget": budget, "--runs": runs}
        _refuse("a file of runs", for_games | for_families | measuring)
        show_result(ComparisonResult(comparison), output, solvers)
        return
    _check_numbers(limit, budget, damage, repeats)
    measured_solvers = isolate_solvers(select_solvers(solvers), limit, memory, patience=None)
    options = RunOptions(seed, limit, repeats, budget)
    if files:
        _refuse("files", for_games | for_families)
        described = f"states of {with_noun(len(files), 'file')}"
        plan = plan_states(_positions(files), described, damage or 0.0, options)
    elif families is not None:
        _refuse("families", for_games | {"--damage": damage})
        plan = plan_families(select_families(families), cards, each, options)
    else:
        _refuse("games, only with --families", {"--cards": cards, "--each": each})
        share = DAMAGE if damage is None else damage
        plan = plan_games((set_size, sets, players), sweep, states, share, options)
    # The name of a file may contain characters that cannot be printed.
    command = make_printable(shlex.join(["quaternity", *sys.argv[1:]])).replace("\n", " ")
    with terminable():
        result = run_comparison(
            plan, measured_solvers, command, runs, warn, workers, dask, show_phase
        )
    show_result(result, output, solvers)


def _positions(files: list[str]) -> list[State | DealProblem]:
    """Return the positions stored in the given files.

    If a file is a game record, return every position of the game up to the first illegal move.
    """
    states: list[State | DealProblem] = []
    for path in files:
        try:
            opened = open_document(path)
            game = opened.game
        except ContradictoryState as error:
            warn(
                f"{path}: skipped, because a deal problem cannot express its contradiction: {error}"
            )
            continue
        except ImpossibleRecord as error:
            warn(f"{path}: {error}; only the positions before this move are measured")
            game = error.game
        states += [opened.position] if game is None else game.states
    return states


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
    for name, value in options.items():
        if value is not None:
            raise InputError(f"{name}: cannot be used with {source}")
