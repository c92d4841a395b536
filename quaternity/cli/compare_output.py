"""Output of the command `compare`: tables, HTML pages, saved runs, and reports of faults."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quaternity.base.errors import InputError, LimitError
from quaternity.base.plots import check_drawing, check_picture
from quaternity.base.text_table import table_lines
from quaternity.base.writing import check_writable, write_text
from quaternity.cli.solver_options import save_or_print
from quaternity.cli.status import ExitStatus, ExitWithStatus, reason_of, status_of
from quaternity.cli.terminal import red, say, warn, width
from quaternity.game.saved_states import check_directory
from quaternity.trials.comparison import Comparison
from quaternity.trials.comparison.drawing import draw_comparison
from quaternity.trials.comparison.growth import MIN_SIZES
from quaternity.trials.comparison.page import page as page_of
from quaternity.trials.comparison.report import (
    TWO_MODELS,
    counts,
    csv_text,
    fault_lines,
    growth_parts,
    headline,
    kind_name,
    legend,
    remarks,
    row_table,
)
from quaternity.trials.comparison.running import ComparisonResult

WIDTH = 100
"""Maximum width of tables without `--wide`, in characters, if the output is not a terminal."""


@dataclass(frozen=True, slots=True)
class Output:
    """The outputs that the options of `compare` select.

    Attributes:
        runs: the path of the file of runs, or None for no file.
        page: the path of the HTML page, or None for no page.
        plot: the path of the picture, or None for no picture.
        save_to: the folder in which an instance that shows a fault is saved.
        text_format: `json`, `csv` or `tables`.
        wide: whether the tables have all columns.
        growth: whether to show how the times grow.
    """

    runs: str | None
    page: str | None
    plot: str | None
    save_to: str
    text_format: str
    wide: bool
    growth: bool

    def check(self, files: Sequence[str]) -> None:
        """Check that all outputs can be written, and that no two paths name the same file."""
        if self.plot is not None:
            check_picture(self.plot)
        for path in (self.runs, self.page):
            if path is not None:
                check_writable(path)
        if self.page is not None:
            check_drawing()
        check_directory(self.save_to)
        taken = {os.path.realpath(path) for path in files}
        for path in (self.plot, self.runs, self.page):
            # A device, such as /dev/null, has no content that could be lost.
            if path is None or (os.path.exists(path) and not os.path.isfile(path)):
                continue
            if os.path.realpath(path) in taken:
                raise InputError(f"{path}: is named twice; name a different file for each output")
            taken.add(os.path.realpath(path))


def show_result(result: ComparisonResult, output: Output, solvers: str) -> None:
    """Print a comparison, write its files, and exit with a status that shows whether it succeeded.

    `solvers` is the value of the option `--solvers`.
    """
    comparison, stopped = result.comparison, result.stopped
    with ExitWithStatus() as leaving:
        if comparison.faults:
            leaving.status = ExitStatus.DISAGREE
        elif stopped is not None:
            leaving.status = status_of(stopped)
        unsaved = None
        try:
            _save(comparison, output)
        except InputError as error:  # Print the measurements before raising this error.
            unsaved = error
        if result.fault is not None:
            result = replace(result, saved=save_or_print(output.save_to, result.fault))
        _print(result, output)
        for line in fault_lines(comparison.labelled):
            warn(line)
        if result.saved is not None:
            command = f"quaternity check {result.saved} --solver {solvers}"
            warn(f"the smallest example of the fault is saved; to see it: {command}")
        if output.plot is not None and comparison.runs:
            draw_comparison(output.plot, comparison.labelled, headline(comparison))
        if stopped is not None:
            rest = "" if output.runs is None else "; repeat the command to measure the rest"
            warn(f"{reason_of(stopped)}: these are the measurements so far{rest}")
        if unsaved is not None:
            if not comparison.faults:
                raise unsaved
            warn(str(unsaved))
        if not leaving.status and comparison.runs and not any(r.decided for r in comparison.rows):
            raise LimitError(
                "no solver decided any of the states; raise --limit, --memory or --budget,"
                " or use smaller states"
            )


def _save(comparison: Comparison, output: Output) -> None:
    if output.runs is not None:
        write_text(output.runs, comparison.text())
    if output.page is not None:
        write_text(output.page, page_of(comparison.labelled))


def _print(result: ComparisonResult, output: Output) -> None:
    if output.text_format == "json":
        print(json.dumps(result.document()))
    elif output.text_format == "csv":
        print(csv_text(result.comparison), end="")
    else:
        _print_tables(result.comparison, output.wide, output.growth)


def _print_tables(comparison: Comparison, wide: bool, growth: bool) -> None:
    comparison = comparison.labelled
    say(headline(comparison))
    if not comparison.runs:
        return

    def show(part: Comparison) -> list[list[str]]:
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
    note = f"No growth law is shown: no formula fits the times at {MIN_SIZES} or more sizes."
    for family, feasible, table in growth_parts(comparison):
        print(f"\n{kind_name(family, feasible)}: median time by size, and the growth law")
        print("\n".join(table_lines(table[0], table[1:], width())))
        note = (
            "'>': the median run was stopped at a limit. 'no law fits': no formula describes "
            f"the times. '{TWO_MODELS}': the solver uses a different model for large problems than "
            "for small problems."
        )
    print()
    say(note, 0)
