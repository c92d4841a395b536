"""`fuzz`: search for a disagreement between solvers on random problems and games."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.cli.app import app
from quaternity.cli.options import AsJson, Dask, SaveTo, Workers
from quaternity.cli.solver_options import (
    MEMORY,
    SECONDS,
    Limit,
    SolverNames,
    check_seconds,
    isolate_solvers,
    save_or_print,
    select_solvers,
)
from quaternity.cli.status import ExitStatus, ExitWithStatus, reason_of, status_of, terminable
from quaternity.cli.terminal import progress, say, warn
from quaternity.game.saved_states import check_directory
from solvers.registry import solver_label

if TYPE_CHECKING:
    from quaternity.trials.fuzzing import Finding, Tally
    from quaternity.trials.fuzzing.campaign import CampaignResult

EXAMPLES = 1000
MAX_EXAMPLES = 10**9
MAX_FUZZ_SECONDS = 10**7


@app.command()
def fuzz(
    seconds: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Duration in seconds, instead of a number of "
                     "examples."),
    ] = None,
    examples: Annotated[
        int | None,
        typer.Option(
            metavar="N", help=f"Number of problems and games to test.  [default: {EXAMPLES}]"
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", help="Random seed; the same seed draws the same examples.")
    ] = 0,
    solvers: SolverNames = "all",
    limit: Limit = SECONDS,
    workers: Workers = 1,
    dask: Dask = None,
    save_to: SaveTo = ".",
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Test all solvers on random problems and games.

    Nine out of ten examples are deal problems: can the cards be dealt? Some of them are only just
    impossible. All verdicts must agree, and each is verified. Every tenth example is a game. In its
    last position, the solvers must find the same legal questions and answers as the engine. If
    there is a disagreement, the problem is made as small as possible, explained in a sentence and
    saved as a state file. The exit status is then 3.

    Examples:
      quaternity fuzz --seconds 600 --workers 2
      quaternity fuzz --examples 500 --seed 7 --solvers my-solver,max-flow
    """
    from quaternity.trials.fuzzing.campaign import fuzz_solvers

    _check_budget(seconds, examples)
    check_seconds("limit", limit)
    tested_solvers = isolate_solvers(select_solvers(solvers), limit, MEMORY)
    check_directory(save_to)
    if seconds is None and examples is None:
        examples = EXAMPLES
    with terminable(), _show_progress(examples, seconds) as show:
        result = fuzz_solvers(tested_solvers, seed, examples, seconds, workers, dask, show)
    finding = result.finding
    if finding is not None:
        result = replace(result, saved=save_or_print(save_to, finding.state_file))
    with ExitWithStatus() as leaving:
        if finding is not None:
            leaving.status = ExitStatus.DISAGREE
        elif result.stopped is not None:
            leaving.status = status_of(result.stopped)
        print(json.dumps(result.document())) if as_json else _print_summary(result)
        if finding is not None:
            _print_finding(finding, result.saved, solvers)
        elif result.stopped is not None:
            warn(f"{reason_of(result.stopped)}: no disagreement so far")


def _check_budget(seconds: float | None, examples: int | None) -> None:
    if seconds is not None and examples is not None:
        raise InputError("--seconds and --examples: choose one")
    if seconds is not None and not (math.isfinite(seconds) and 0 < seconds <= MAX_FUZZ_SECONDS):
        raise InputError(f"seconds: must be > 0 and <= {MAX_FUZZ_SECONDS}, not {seconds:g}")
    if examples is not None and not 1 <= examples <= MAX_EXAMPLES:
        raise InputError(f"examples: {examples} is out of range 1..{MAX_EXAMPLES}")


@contextmanager
def _show_progress(
    examples: int | None, seconds: float | None
) -> Iterator[Callable[[Tally], None]]:
    start, shown = monotonic(), 0.0
    description, total = ("seconds", seconds) if examples is None else ("examples", float(examples))
    with progress(description, total) as bar:

        def show(tally: Tally) -> None:
            nonlocal shown
            reached = monotonic() - start if examples is None else tally.examples
            bar.advance(reached - shown, _kinds(tally))
            shown = reached

        yield show


def _kinds(tally: Tally) -> str:
    return (
        f"{tally.problems(True)} feasible, {tally.problems(False)} infeasible, {tally.games} games"
    )


def _print_summary(result: CampaignResult) -> None:
    tally, names = result.tally, result.solvers
    feasible, infeasible = tally.problems(True), tally.problems(False)
    say(f"{', '.join(map(solver_label, names))}: {result.seconds:.1f} s, seed {result.seed}")
    say(
        f"{feasible + infeasible} problems: {feasible} feasible, {infeasible} infeasible; "
        f"{tally.games} games, with {tally.counts['candidates']} pairs of question and answer"
    )
    for aspect, counts in tally.coverage().items():
        if counts:
            row = "; ".join(f"{name}: {count}" for name, count in counts.items())
            say(f"{aspect.replace('_', ' ')}: {row}")
    for words, counter in (("refused", tally.refused), ("gave up on", tally.gave_up)):
        for name in names:
            if counter[name]:
                say(
                    f"{solver_label(name)} {words} {counter[name]} problems and positions; "
                    "only the other solvers were compared on these"
                )


def _print_finding(finding: Finding, saved: str | None, solvers: str) -> None:
    warn(f"a test of a {finding.where} found a disagreement: {finding.text}")
    if finding.moves:
        warn(f"after {'; '.join(finding.moves)}")
    if saved is not None:
        warn(f"the state is saved; to see it: quaternity check {saved} --solver {solvers}")
