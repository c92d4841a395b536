"""`fuzz`: search for a disagreement between solvers on random problems and games."""

from __future__ import annotations

import json
import math
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quaternity.base.errors import InputError, WorkersLost
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
from quaternity.workers.pool import open_executor
from solvers.registry import solver_label, solver_version

if TYPE_CHECKING:
    from quaternity.trials.fuzzing import Finding, Tally

EXAMPLES = 1000
MAX_EXAMPLES = 10**9
MAX_FUZZ_SECONDS = 10**7
CARD_RANGE_ENDS = (4, 8, 12, 20, 36, 52, 144)
"""Upper limits of the ranges into which the report groups examples by their number of cards."""


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

    Nine of ten examples are deal problems, feasible or barely infeasible. All verdicts must agree,
    and each is verified. Every tenth example is a game. In its last position, the solvers must find
    the same legal questions and answers as the engine. If there is a disagreement, the problem is
    made as small as possible, explained in a sentence and saved as a state file. The exit status is
    then 3.

    Examples:
      quaternity fuzz --seconds 600 --workers 2
      quaternity fuzz --examples 500 --seed 7 --solvers my-solver,max-flow
    """
    from quaternity.trials.fuzzing import Tally, run_campaign

    _check_budget(seconds, examples)
    check_seconds("limit", limit)
    tested_solvers = isolate_solvers(select_solvers(solvers), limit, MEMORY)
    check_directory(save_to)
    if seconds is None and examples is None:
        examples = EXAMPLES
    tally, start = Tally(), monotonic()
    campaign = partial(
        run_campaign, tested_solvers, examples=examples, seconds=seconds, seed=seed, tally=tally
    )
    finding, stopped = _run(campaign, tally, examples, seconds, workers, dask)
    saved = None
    if finding is not None:
        saved = save_or_print(save_to, finding.state_file)
    spent = monotonic() - start
    names = [solver.name for solver in tested_solvers]
    with ExitWithStatus() as leaving:
        if finding is not None:
            leaving.status = ExitStatus.DISAGREE
        elif stopped is not None:
            leaving.status = status_of(stopped)
        if as_json:
            print(
                json.dumps(
                    _document(tally, finding, saved, seed, spent, stopped is not None, names)
                )
            )
        else:
            _print_summary(tally, names, seed, spent)
        if finding is not None:
            _print_finding(finding, saved, solvers)
        elif stopped is not None:
            warn(f"{reason_of(stopped)}: no disagreement so far")


def _check_budget(seconds: float | None, examples: int | None) -> None:
    if seconds is not None and examples is not None:
        raise InputError("--seconds and --examples: choose one")
    if seconds is not None and not (math.isfinite(seconds) and 0 < seconds <= MAX_FUZZ_SECONDS):
        raise InputError(f"seconds: must be > 0 and <= {MAX_FUZZ_SECONDS}, not {seconds:g}")
    if examples is not None and not 1 <= examples <= MAX_EXAMPLES:
        raise InputError(f"examples: {examples} is out of range 1..{MAX_EXAMPLES}")


def _run(
    campaign: partial[Finding | None],
    tally: Tally,
    examples: int | None,
    seconds: float | None,
    workers: int,
    dask: str | None,
) -> tuple[Finding | None, BaseException | None]:
    """Run a campaign. Return its finding or None, and the error that stopped it early or None."""
    start, shown = monotonic(), 0.0
    description, total = ("seconds", seconds) if examples is None else ("examples", float(examples))
    try:
        with (
            terminable(),
            progress(description, total) as bar,
            open_executor(workers, dask) as pool,
        ):

            def show() -> None:
                nonlocal shown
                reached = monotonic() - start if examples is None else tally.examples
                bar.advance(reached - shown, _kinds(tally))
                shown = reached

            tested_solvers = campaign.args[0]
            pool.prepare([s.name for s in tested_solvers], partial(list, tested_solvers))
            shared = workers > 1 or dask is not None
            return campaign(pool=pool if shared else None, on_progress=show), None
    except (KeyboardInterrupt, WorkersLost) as error:
        return None, error


def _kinds(tally: Tally) -> str:
    return (
        f"{tally.problems(True)} feasible, {tally.problems(False)} infeasible, {tally.games} games"
    )


def _coverage(tally: Tally) -> dict[str, dict[str, int]]:
    """Return the number of examples by kind and verdict, by players, and by cards."""
    by_players = tally.count_by(lambda shape: shape.players)
    by_cards = tally.count_by(
        lambda shape: next(upper_end for upper_end in CARD_RANGE_ENDS if shape.cards <= upper_end)
    )
    by_kind = tally.count_by(lambda shape: (shape.kind, shape.feasible))
    return {
        "kinds": {
            kind if kind == "game" else f"{kind}, {'feasible' if feasible else 'infeasible'}": count
            for (kind, feasible), count in sorted(by_kind.items(), reverse=True)
        },
        "players": {str(players): count for players, count in sorted(by_players.items())},
        "cards_up_to": {str(upper_end): count for upper_end, count in sorted(by_cards.items())},
    }


def _document(
    tally: Tally,
    finding: Finding | None,
    saved: str | None,
    seed: int,
    seconds: float,
    interrupted: bool,
    names: list[str],
) -> dict[str, Any]:
    return {
        "seed": seed,
        "solvers": names,
        "versions": {name: solver_version(name) for name in names},
        "examples": tally.examples,
        "feasible": tally.problems(True),
        "infeasible": tally.problems(False),
        "games": tally.games,
        "positions": tally.counts["positions"],
        "candidates": tally.counts["candidates"],
        "covered": _coverage(tally),
        "refused": dict(tally.refused),
        "gave_up": dict(tally.gave_up),
        "seconds": round(seconds, 3),
        "interrupted": interrupted,
        "finding": None
        if finding is None
        else {
            "where": finding.where,
            "text": finding.text,
            "moves": list(finding.moves),
            "state": json.loads(finding.state_file),
            "saved": saved,
        },
    }


def _print_summary(tally: Tally, names: list[str], seed: int, seconds: float) -> None:
    feasible, infeasible = tally.problems(True), tally.problems(False)
    say(f"{', '.join(map(solver_label, names))}: {seconds:.1f} s, seed {seed}")
    say(
        f"{feasible + infeasible} problems: {feasible} feasible, {infeasible} infeasible; "
        f"{tally.games} games, with {tally.counts['candidates']} pairs of question and answer"
    )
    for aspect, counts in _coverage(tally).items():
        if counts:
            row = "; ".join(f"{name}: {count}" for name, count in counts.items())
            say(f"{aspect.replace('_', ' ')}: {row}")
    for words, counter in (("refused", tally.refused), ("gave up on", tally.gave_up)):
        for name in names:
            if counter[name]:
                say(
                    f"{solver_label(name)} {words} {counter[name]} problems and positions, on "
                    "which only the other solvers were compared"
                )


def _print_finding(finding: Finding, saved: str | None, solvers: str) -> None:
    warn(f"there is a disagreement in a {finding.where}: {finding.text}")
    if finding.moves:
        warn(f"after {'; '.join(finding.moves)}")
    if saved is not None:
        warn(f"state saved; show it: quaternity check {saved} --solver {solvers}")
