"""Execution of a planned comparison. An interrupted comparison continues from its file of runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from quaternity.base.append_file import AppendOnlyFile
from quaternity.base.errors import InputError, QuaternityError
from quaternity.base.progress import Phase, quiet_phase
from quaternity.base.text_format import with_noun
from quaternity.base.writing import write_text
from quaternity.trials.comparison import report as reports
from quaternity.trials.comparison.measuring import (
    InstanceRuns,
    MeasuringTask,
    iter_measurements,
    remaining_tasks,
)
from quaternity.trials.comparison.runs import Comparison, read_runs, run_lines
from quaternity.workers.pool import open_executor

if TYPE_CHECKING:
    from quaternity.trials.comparison.plan import ComparisonPlan
    from quaternity.trials.comparison.run import Run
    from solvers import Solver

SHARED_ATTRIBUTES = ("plan", "machine", "versions")
"""Attributes of a comparison that must not change when an interrupted comparison is continued."""

Warn = Callable[[str], None]
"""Function that takes the text of a warning and shows it."""


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """A comparison, and how its measurements ended.

    Attributes:
        fault: the smallest instance that shows a fault, as the text of a file, or None if no fault
            was found.
        saved: the path of the file to which the instance was saved, or None if it was not saved.
        stopped: the error or interrupt that ended the measurements early, or None.
    """

    comparison: Comparison
    fault: str | None = None
    saved: str | None = None
    stopped: BaseException | None = None

    def document(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        ending = {"saved": self.saved, "interrupted": self.stopped is not None}
        return reports.document(self.comparison) | ending


def run_comparison(
    plan: ComparisonPlan, solvers: Sequence[Solver], command: str, path: str | None, warn: Warn,
    workers: int = 1, dask: str | None = None, phase: Phase = quiet_phase,
) -> ComparisonResult:  # fmt: skip
    """Measure the solvers on all problems of a plan.

    An error or interrupt ends the measurements early, and is part of the result. If nothing was
    measured, an error is raised.

    Args:
        command: the command that repeats the comparison.
        path: the file to which the runs are written. If it contains an interrupted comparison with
            the same plan, this comparison is continued.
        warn: function that takes the warnings about this file.
        workers, dask: see `open_executor`.
    """
    begun = plan.comparison([], solvers, command)
    with closing(KeptRuns(path, begun, warn)) as kept:
        tasks = list(remaining_tasks(plan.tasks, kept.runs))
        measured, stopped = _measure(tasks, solvers, workers, dask, kept.add, phase)
    names = chain.from_iterable(task.names for task in plan.tasks)
    order = {name: place for place, name in enumerate(names)}
    kept.runs.sort(key=lambda run: order[run.instance])
    comparison = plan.comparison(kept.runs, solvers, command, finished=stopped is None)
    return ComparisonResult(comparison, _smallest_fault(measured), stopped=stopped)


class KeptRuns:
    """The runs of a comparison, which are written to a file as soon as they are measured.

    Attributes:
        runs: the runs read from an interrupted comparison with the same plan, followed by the runs
            that were added.
    """

    def __init__(self, path: str | None, comparison: Comparison, warn: Warn) -> None:
        """Read the runs of an interrupted comparison if the file contains one.

        `comparison` is the new comparison, without runs. Raise `InputError` if the file is damaged
        or of another kind, or contains an interrupted comparison with another plan, machine or
        versions.
        """
        self.runs: list[Run] = []
        self._file: AppendOnlyFile | None = None
        # Only a regular file is written run by run. A pipe or a device is written in one step at
        # the end.
        grows = path is not None and (os.path.isfile(path) or not os.path.exists(path))
        self._path = path if grows else None
        self._comparison, self._warn = comparison, warn
        earlier = None if self._path is None else read_runs(self._path)
        if earlier is None:
            if path is not None and os.path.isfile(path) and os.path.getsize(path):
                raise InputError(
                    f"{path}: not a file of runs, so it is not overwritten; delete it, or name "
                    "another file"
                )
            return
        for text in earlier.warnings:
            warn(f"{path}: {text}")
        if earlier.finished or not earlier.runs:
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
        """Add the runs on one problem and append them to the file. Warn if writing fails."""
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
            self._warn(str(error))
            self._path = None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _measure(
    tasks: Sequence[MeasuringTask], solvers: Sequence[Solver], workers: int, dask: str | None,
    keep: Callable[[InstanceRuns], None], phase: Phase,
) -> tuple[list[InstanceRuns], BaseException | None]:  # fmt: skip
    measured: list[InstanceRuns] = []
    with phase("states", sum(task.states - task.done for task in tasks)) as report:
        try:
            with open_executor(workers, dask) as pool:
                pool.prepare([s.name for s in solvers], partial(list, solvers))
                for state in iter_measurements(tasks, solvers, pool):
                    keep(state)
                    measured.append(state)
                    report("states", len(measured), None)
        except (KeyboardInterrupt, QuaternityError, OSError, MemoryError) as error:
            if not measured and not isinstance(error, KeyboardInterrupt):
                raise
            return measured, error
    return measured, None


def _smallest_fault(measured: Sequence[InstanceRuns]) -> str | None:
    faulty = [
        (runs[0].cards, runs[0].players, len(text), text)
        for runs, text in measured
        if text is not None
    ]
    return min(faulty)[-1] if faulty else None
