"""The output of `compare`, and the files that keep it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from quaternity.base.reading import decode, read_bytes
from quaternity.base.text_table import table_lines
from quaternity.base.wording import printable
from quaternity.base.writing import write_text
from quaternity.cli.opening import named, tell_oddities
from quaternity.cli.terminal import say, width
from quaternity.trials.comparison import Comparison, Run
from quaternity.trials.comparison.page import page as page_of
from quaternity.trials.comparison.report import (
    counts,
    growth_rows,
    headline,
    kind_name,
    kinds,
    remarks,
    row_table,
    tells_growth,
)
from quaternity.trials.comparison.runs import MOST_BYTES, is_runs_file, machine, parse_runs
from solvers.judgement import OURSELVES
from solvers.registry import SOLVERS, VARIANTS
from solvers.rivals import RIVALS

if TYPE_CHECKING:
    from solvers import Solver


def comparison_of(
    runs: Sequence[Run], what: str, seed: int, limit: float, solvers: Iterable[Solver]
) -> Comparison:
    """Keep runs together with what is needed to repeat them."""
    # What cannot be printed may stand in the name of a file.
    command = printable(shlex.join(["quaternity", *sys.argv[1:]])).replace("\n", " ")
    versions = {solver.name: _version(solver) for solver in solvers}
    if any(run.solver == OURSELVES for run in runs):
        versions[OURSELVES] = "at fault itself"
    return Comparison(what, seed, limit, command, machine(), versions, runs)


def _version(solver: Solver) -> str:

    if solver.name in RIVALS:
        rival = RIVALS[solver.name]
        return f"{rival.package} {rival.version}"
    if solver.name not in SOLVERS and solver.name not in VARIANTS:
        return "from elsewhere"
    try:
        return f"quaternity {version('quaternity')}"
    except PackageNotFoundError:
        return "quaternity"


def save(comparison: Comparison, runs: str | None, page: str | None) -> None:
    """Write the file of runs and the page, where they are wanted.

    Raises `InputError` if they cannot be written, or the page cannot be drawn.
    """
    if runs is not None:
        write_text(runs, comparison.text())
    if page is not None:
        write_text(page, page_of(comparison))


def read_runs(files: Sequence[str]) -> Comparison | None:
    """Return the comparison that a single file of runs holds; `InputError` if it is damaged."""
    if len(files) != 1:
        return None
    path = Path(files[0])
    try:
        if not path.is_file():  # what is read from a pipe nobody could read again
            return None
        with path.open("rb") as file:
            if not is_runs_file(file.read(200).decode("utf-8", "replace")):
                return None
        size = path.stat().st_size
    except (OSError, ValueError):
        return None  # whoever reads it as something else says so
    with named(files[0]):
        comparison = parse_runs(decode(read_bytes(files[0], min(size, MOST_BYTES))))
    tell_oddities(files[0], comparison.warnings)
    return comparison


def print_comparison(comparison: Comparison) -> None:
    """Print the figures of every solver, by size too, and how its time grows, to fit a terminal."""
    say(headline(comparison))
    if not comparison.runs:
        return
    by_size = comparison.of_games and len(comparison.families) > 1
    for family, part in comparison.families.items() if by_size else ():
        print(f"\n{family or 'states'}: {counts(part)}")
        _print_table(row_table(part))
    print("\nover all sizes" if by_size else "")
    _print_table(row_table(comparison))
    for family, feasible in kinds(comparison) if tells_growth(comparison) else ():
        print(f"\n{kind_name(family, feasible)}")
        _print_table(growth_rows(comparison, family, feasible))
    print()
    for line in remarks(comparison):
        say(line, 0)


def _print_table(table: Sequence[Sequence[str]]) -> None:
    print("\n".join(table_lines(table[0], table[1:], width())))
