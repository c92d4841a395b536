"""Output of the command `compare`: tables, HTML pages and files of runs."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from quaternity.base.append_file import AppendOnlyFile
from quaternity.base.errors import InputError
from quaternity.base.reading import decode, read_bytes
from quaternity.base.text_format import make_printable, with_noun
from quaternity.base.text_table import table_lines
from quaternity.base.writing import write_text
from quaternity.cli.input_files import prefix_errors, print_warnings
from quaternity.cli.terminal import red, say, warn, width
from quaternity.game.settings import Settings
from quaternity.game.state_file import any_text
from quaternity.trials.comparison import Comparison, InstanceRuns, MeasuringTask, Run, Series
from quaternity.trials.comparison.growth import MIN_SIZES
from quaternity.trials.comparison.page import page as page_of
from quaternity.trials.comparison.report import (
    TWO_MODELS,
    counts,
    growth_parts,
    headline,
    kind_name,
    legend,
    remarks,
    row_table,
)
from quaternity.trials.comparison.runs import (
    MAX_FILE_BYTES,
    is_runs_file,
    machine,
    parse_runs,
    run_lines,
)
from solvers.cross_check import OWN_CHECKS
from solvers.registry import solver_version

if TYPE_CHECKING:
    from solvers import Solver


def comparison_of(
    runs: Sequence[Run],
    source: str,
    seed: int,
    limit: float,
    solvers: Iterable[Solver],
    works: Sequence[MeasuringTask],
    finished: bool = False,
) -> Comparison:
    """Return a comparison that contains the runs and everything needed to repeat them."""
    # The name of a file may contain characters that cannot be printed.
    command = make_printable(shlex.join(["quaternity", *sys.argv[1:]])).replace("\n", " ")
    versions = {solver.name: solver_version(solver.name) for solver in solvers}
    if any(run.solver == OWN_CHECKS for run in runs):
        versions[OWN_CHECKS] = "checks of evidence"
    lists = [w.source for w in works if not isinstance(w.source, Settings | Series)]
    texts = [any_text(state) for state in chain.from_iterable(lists)]
    plan = sha256(repr((works, texts)).encode()).hexdigest()[:16]
    return Comparison(
        source, seed, limit, command, machine(), versions, runs, plan=plan, finished=finished
    )


WIDTH = 100
"""Maximum width of tables without `--wide` in piped output, in characters."""

SHARED_ATTRIBUTES = ("plan", "machine", "versions")
"""Attributes of a comparison that must be unchanged if an interrupted comparison in a file is
continued."""


class KeptRuns:
    """The runs of a comparison, which are written to a file as soon as they are measured.

    Attributes:
        runs: the runs read from an interrupted comparison with the same plan, followed by the runs
            that were added.
    """

    def __init__(self, path: str | None, comparison: Comparison) -> None:
        """Read the runs of an interrupted comparison if the file contains one.

        `comparison` is the new comparison, without runs.

        Raises:
            InputError: If the file is damaged, or contains an interrupted comparison with another
                plan, machine or versions.
        """
        self.runs: list[Run] = []
        self._file: AppendOnlyFile | None = None
        # Only a regular file is written run by run. A pipe or a device is written in one step at
        # the end.
        grows = path is not None and (os.path.isfile(path) or not os.path.exists(path))
        self._path = path if grows else None
        self._comparison = comparison
        earlier = None if self._path is None else read_runs([self._path])
        if self._path is None or earlier is None or earlier.finished or not earlier.runs:
            return
        if any(getattr(earlier, key) != getattr(comparison, key) for key in SHARED_ATTRIBUTES):
            raise InputError(
                f"{path}: contains an interrupted comparison with other states, options, solvers "
                "or versions, or from another machine; finish it, delete it, or name another "
                "file"
            )
        # Measure the last instance again, because a crash may have cut off its runs.
        last = earlier.runs[-1].instance
        self.runs = [run for run in earlier.runs if run.instance != last]
        kept = with_noun(len({run.instance for run in self.runs}), "state")
        warn(f"{path}: continued after {kept}")

    def add(self, measured: InstanceRuns) -> None:
        """Add the runs of one instance and append them to the file. Warn if writing fails."""
        self.runs += measured.runs
        if self._path is None:
            return
        try:
            if self._file is None:
                earlier = self.runs[: -len(measured.runs)]
                write_text(self._path, replace(self._comparison, runs=earlier).text())
                self._file = AppendOnlyFile(self._path)
            self._file.append(run_lines(measured.runs), with_noun(len(measured.runs), "run"))
        except InputError as error:
            warn(str(error))
            self._path = None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def save(comparison: Comparison, runs: str | None, page: str | None) -> None:
    """Write the file of runs and the HTML page, if their paths are given.

    Raises `InputError` if a file cannot be written, or if the page cannot be drawn.
    """
    if runs is not None:
        write_text(runs, comparison.text())
    if page is not None:
        write_text(page, page_of(comparison.labelled))


def read_runs(files: Sequence[str]) -> Comparison | None:
    """Return the comparison in a file of runs.

    Returns None unless `files` contains exactly one path and it names a file of runs. Raises
    `InputError` if the file is damaged.
    """
    if len(files) != 1:
        return None
    path = Path(files[0])
    try:
        if not path.is_file():  # A pipe can be read only once.
            return None
        with path.open("rb") as file:
            if not is_runs_file(file.read(200).decode("utf-8", "replace")):
                return None
        size = path.stat().st_size
    except (OSError, ValueError):
        return None  # The function that reads other kinds of files reports the error.
    with prefix_errors(files[0]):
        comparison = parse_runs(decode(read_bytes(files[0], min(size, MAX_FILE_BYTES))))
    print_warnings(files[0], comparison.warnings)
    return comparison


def print_comparison(comparison: Comparison, wide: bool, growth: bool) -> None:
    """Print a table of all solvers with a legend and, if `growth`, how their times grow."""
    comparison = comparison.labelled
    say(headline(comparison))
    if not comparison.runs:
        return

    def show(part: Comparison) -> list[list[str]]:
        """Print and return a table. On a terminal, the lines of faulty solvers are red."""
        table = row_table(part, wide=wide)
        faulty = tuple(f"{run.solver}  " for run in part.faults)
        for line in table_lines(table[0], table[1:], width() or (None if wide else WIDTH)):
            print(red(line) if line.startswith(faulty) else line)
        return table

    by_size = comparison.of_games and len(comparison.families) > 1
    for family, part in comparison.families.items() if by_size else ():
        print(f"\n{family or 'states'}: {counts(part)}")
        show(part)
    print("\nover all sizes" if by_size else "")
    meanings = legend(comparison, show(comparison))
    print()
    indent = max(len(name) for name, _ in meanings) + 2
    for name, meaning in meanings:
        say(f"{name:<{indent}}{meaning}", indent)
    if growth:
        _print_growth(comparison)
    print()
    summary, *reasons = remarks(comparison)
    print(red(summary) if comparison.faults else summary)
    for line in reasons:
        say(line, 0)


def _print_growth(comparison: Comparison) -> None:
    note = f"No growth is shown, because no growth law fits the times at {MIN_SIZES} or more sizes."
    for family, feasible, table in growth_parts(comparison):
        print(f"\n{kind_name(family, feasible)}: median time by size, and the growth law")
        print("\n".join(table_lines(table[0], table[1:], width())))
        note = (
            "'>': the median run was stopped at a limit. 'no law': the runs support no growth law. "
            f"'{TWO_MODELS}': the solver models small and large problems in different ways."
        )
    print()
    say(note, 0)
