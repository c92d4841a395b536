"""What `compare` tells: tables of states, or of single runs with scores and growth; files."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quaternity.base.errors import InputError
from quaternity.base.reading import decode, read_bytes
from quaternity.base.text_table import table_lines
from quaternity.base.wording import counted, printable
from quaternity.base.writing import write_text
from quaternity.cli.chosen_solvers import saved_or_shown
from quaternity.cli.compare_requests import Request
from quaternity.cli.terminal import say, warn, width
from solvers.registry import SOLVERS, VARIANTS
from solvers.rivals import RIVALS

if TYPE_CHECKING:
    from quaternity.trials.comparison.report import Group
    from quaternity.trials.comparison.runs import Comparison
    from solvers import Solver


def comparison_of(
    groups: Sequence[Group], what: str, seed: int, limit: float, solvers: Iterable[Solver]
) -> Comparison:
    """The single runs of what was measured, with what is needed to repeat them."""
    from quaternity.trials.comparison.runs import Comparison, machine, runs_of

    runs = [run for group in groups for run in runs_of(group.measured, group.name)]
    # What cannot be printed may stand in the name of a file.
    command = printable(shlex.join(["quaternity", *sys.argv[1:]])).replace("\n", " ")
    versions = {solver.name: _version(solver) for solver in solvers}
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

    Raises:
        InputError: one cannot be written, or the page cannot be drawn.
    """
    if runs is not None:
        write_text(runs, comparison.text())
    if page is not None:
        from quaternity.trials.comparison.page import page as made

        write_text(page, made(comparison))


def read_runs(files: Sequence[str]) -> Comparison | None:
    """The comparison that a single file holds, if it is a file of runs.

    Raises:
        InputError: it is one and is damaged.
    """
    from quaternity.trials.comparison.runs import MOST_BYTES, is_runs_file, parse_runs

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
    try:
        comparison = parse_runs(decode(read_bytes(files[0], min(size, MOST_BYTES))))
    except InputError as error:
        raise InputError(f"{files[0]}: {str(error).removeprefix(f'{files[0]}: ')}") from None
    for warning in comparison.warnings:
        warn(f"{files[0]}: {warning}")
    return comparison


def document(comparison: Comparison) -> dict[str, Any]:
    """Scores and growth as one JSON object. Times are in seconds."""
    from quaternity.trials.comparison.page import families, growth_rows
    from quaternity.trials.comparison.scores import scores

    found = scores(comparison.times(), comparison.limit, comparison.seed) if comparison.runs else []
    return {
        "what": comparison.what,
        "seed": comparison.seed,
        "limit": comparison.limit,
        "machine": comparison.machine,
        "instances": len(comparison.instances()),
        "solvers": [score._asdict() for score in found],
        "growth": [
            {"family": family, "feasible": feasible, "solver": row[0], "law": row[-1]}
            for family, feasible in families(comparison)
            for row in growth_rows(comparison, family, feasible)[1:]
        ],
        "faults": [
            {"instance": run.instance, "solver": run.solver, "text": run.text}
            for run in comparison.runs
            if run.answer in ("wrong", "crashed")
        ],
    }


def print_comparison(comparison: Comparison) -> None:
    """Scores, then how the time of every solver grows, as tables that fit the terminal."""
    for line in _lines(comparison):
        print(line)
    print()
    say(
        "PAR-2 is the mean time, where an instance that was not decided counts twice the limit "
        f"of {comparison.limit:g} s. Ranks with their 95 % interval over instances. Fastest and "
        "alone count the instances that a solver decided before all others, or no other did. "
        "The virtual best is whoever is fastest on each; a solver contributes what that would "
        "lose without it. Times are processor time; > says that the median run was ended there. "
        "No law: the runs support none; two models: small and large problems are modelled in "
        "different ways, which no one law describes.",
        0,
    )


def _lines(comparison: Comparison) -> Iterator[str]:
    from quaternity.trials.comparison.page import families, growth_rows, score_rows

    yield f"{counted(len(comparison.instances()), 'instance')}: {comparison.what}"
    yield ""
    head, *rows = score_rows(comparison)
    rows = [row[:-1] for row in [head, *rows]]  # versions are for the page
    yield from table_lines(rows[0], rows[1:], width())
    for family, feasible in families(comparison):
        yield ""
        yield f"{family or 'states'}, {'possible' if feasible else 'impossible'}"
        head, *rows = growth_rows(comparison, family, feasible)
        yield from table_lines(head, rows, width())


class Found:
    """What was measured, and the ways to tell it."""

    def __init__(
        self,
        request: Request,
        seed: int,
        limit: float,
        solvers: Sequence[Solver],
        groups: Sequence[Group],
    ) -> None:
        from quaternity.trials.comparison.report import Report

        self.request, self.seed, self.limit, self.solvers = request, seed, limit, solvers
        self.report = Report(request.what, seed, [one.name for one in solvers], groups)

    @property
    def runs(self) -> Comparison:
        """The same, run by run."""
        return comparison_of(
            self.report.groups, self.request.what, self.seed, self.limit, self.solvers
        )

    def save(self, runs: str | None, page: str | None) -> None:
        """Write the file of runs and the page, where they are wanted."""
        if runs is not None or page is not None:
            save(self.runs, runs, page)

    def save_fault(self, directory: str) -> str | None:
        """Keep the smallest state with a wrong verdict; gives the name of its file."""
        if self.report.smallest_fault is None:
            return None
        return saved_or_shown(directory, self.report.smallest_fault)

    def document(self) -> dict[str, Any]:
        """Everything as one JSON object."""
        return document(self.runs) if self.request.of_families else self.report.document()

    def print(self) -> None:
        """The tables, for people."""
        if self.request.of_families:
            print_comparison(self.runs)
            return
        say(self.report.headline())
        for group in self.report.groups:
            print()
            for line in self.report.table(group, width()):
                print(line)
        if len(self.report.groups) > 1:
            print()
            print("over all sizes")
            for line in self.report.table(None, width()):
                print(line)
        if self.report.measured:
            print()
            for line in self.report.remarks():
                say(line, 0)
