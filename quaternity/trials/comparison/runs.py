"""Comparisons of solvers, and the files that store their runs, with one JSON object per line.

    {"format": "comparison-runs/1", "what": "...", "seed": 0, "limit": 10.0, "command": "...",
     "machine": "...", "versions": {"cp-sat": "ortools 9.11", ...}, "runs": 480}
    {"instance": "php 52 impossible 0", "family": "php", "cards": 52, ...}
    ...

The first object describes the comparison and the machine, and contains the number of runs. Each
further object is a `Run`. If there are fewer runs or the number is missing, the comparison was
interrupted or the file was cut off. Such a file is read with a warning. Files of older versions
contain the number at the end.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NoReturn

from quaternity.base.errors import InputError
from quaternity.base.picture import Cell, Display, Displayable, heading_cells
from quaternity.base.reading import decode, read_bytes
from quaternity.base.text_format import join_words, quote_value
from quaternity.trials.comparison.run import ANSWERS, NOT_RUN, Run
from quaternity.trials.comparison.scores import Times
from quaternity.trials.comparison.sizes import parse_size_name
from quaternity.trials.comparison.summary import Row, rows_of, times_of

FORMAT = "comparison-runs/1"

MAX_RUNS = 2_000_000
"""Maximum number of runs of solvers in a file."""

MAX_FILE_BYTES = 1 << 30
"""Maximum size of a file of runs, in bytes. Each run takes about 400 bytes."""


@dataclass(frozen=True)
class Comparison(Displayable):
    """Runs of a comparison, and the information needed to repeat it.

    Attributes:
        description: Description of the instances.
        seed: Random seed of the instances and of the bootstrap intervals.
        limit: Time limit of one run, in seconds.
        command: The command that repeats the comparison.
        versions: Version of each solver, in the order of the solvers.
        runs: The runs of all solvers on all instances.
        warnings: Warnings about the file from which the runs were read.
        plan: Hash of the planned tasks, to recognize comparisons with the same plan, or an empty
            string.
        finished: Whether the comparison was completed.
    """

    description: str
    seed: int
    limit: float
    command: str
    machine: str
    versions: Mapping[str, str]
    runs: Sequence[Run]
    warnings: tuple[str, ...] = field(default=(), compare=False)
    plan: str = ""
    finished: bool = True

    @cached_property
    def instances(self) -> dict[str, Run]:
        """One run on each problem (instance), by the name of the problem."""
        return {run.instance: run for run in self.runs}

    @property
    def times(self) -> Times:
        """Each solver's median seconds for each problem, or None if a run did not decide it."""
        return times_of(self.runs, self.versions)

    @cached_property
    def rows(self) -> list[Row]:
        """A row of statistics for each solver, sorted by rank if there are problem families."""
        rows = rows_of(self.runs, list(self.versions), self.limit, self.seed)
        return rows if self.of_games else sorted(rows, key=lambda row: (row.rank, row.solver))

    @cached_property
    def families(self) -> dict[str, Comparison]:
        """Mapping from each family of problems, or size of games, to a comparison of its runs."""
        parts: dict[str, list[Run]] = {}
        for run in self.runs:
            parts.setdefault(run.family, []).append(run)
        return {family: replace(self, runs=runs) for family, runs in parts.items()}

    @cached_property
    def labelled(self) -> Comparison:
        """The same comparison, but the names of external solvers contain their versions."""
        labels = {
            name: name if text.split(" ")[0] in ("", "quaternity") else f"{name} ({text})"
            for name, text in self.versions.items()
        }
        runs = [replace(run, solver=labels[run.solver]) for run in self.runs]
        versions = {labels[name]: version for name, version in self.versions.items()}
        return replace(self, runs=runs, versions=versions)

    @property
    def of_games(self) -> bool:
        """Whether all instances come from games or files, and not from problem families."""
        return all(not name or parse_size_name(name) for name in self.families)

    @property
    def faults(self) -> list[Run]:
        """Runs with a wrong or unproved verdict or a crash."""
        return [run for run in self.runs if run.at_fault]

    def of_kind(self, feasible: bool) -> Comparison:
        """Return the comparison with only the runs on feasible, or only infeasible, problems."""
        return replace(self, runs=[run for run in self.runs if run.feasible is feasible])

    def picture(self) -> Display:
        """Return a table of the solvers, sorted by PAR-2 score (mean time with a penalty)."""
        table = [heading_cells("solver", "rank", "PAR-2 (s)", "decided", "fastest", "alone")]
        for row in sorted(self.rows, key=lambda row: (row.rank, row.solver)):
            low, high = row.rank_interval
            cells = (f"{row.rank} ({low}-{high})", f"{row.par2:.3g}", row.decided, row.fastest)
            table.append(
                [*heading_cells(row.solver), *(Cell(str(text)) for text in (*cells, row.alone))]
            )
        limit = f"limit {self.limit:g} s per run, {self.machine}"
        return Display(f"Solvers on {self.description}", (limit,), table)

    def text(self) -> str:
        """Return the comparison as the text of a file, which `parse_runs` can read."""
        head: dict[str, Any] = {
            "format": FORMAT, "what": self.description, "seed": self.seed, "limit": self.limit,
            "command": self.command, "machine": self.machine, "versions": dict(self.versions),
        }  # fmt: skip
        if self.plan:
            head["plan"] = self.plan
        if self.finished:
            head["runs"] = len(self.runs)
        return json.dumps(head, ensure_ascii=False) + "\n" + run_lines(self.runs)


def machine() -> str:
    """Return one line about this machine: processor, number of cores, system and Python."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            name = next(
                (line.split(":", 1)[1].strip() for line in file if "model name" in line), name
            )
    except OSError:
        pass  # not Linux
    return (
        f"{name}, {os.cpu_count()} cores, {platform.system()}, "
        f"{platform.python_implementation()} {platform.python_version()}"
    )


def run_lines(runs: Iterable[Run]) -> str:
    """Return the lines of a file that contain the given runs."""
    return "".join(json.dumps(asdict(run), ensure_ascii=False) + "\n" for run in runs)


def is_runs_file(text: str) -> bool:
    """Return whether the first line of a text declares the format of a file of runs."""
    return f'"{FORMAT.split("/")[0]}/' in text[:200].split("\n", 1)[0]


def read_runs(path: str) -> Comparison | None:
    """Return the comparison in a file of runs, or None if the file is of another kind.

    Raise `InputError` if the file is damaged. The message names the file.
    """
    try:
        if not os.path.isfile(path):  # A pipe can be read only once.
            return None
        with open(path, "rb") as file:
            if not is_runs_file(file.read(200).decode("utf-8", "replace")):
                return None
        size = os.path.getsize(path)
    except (OSError, ValueError):
        return None  # The function that reads other kinds of files reports the error.
    try:
        return parse_runs(decode(read_bytes(path, min(size, MAX_FILE_BYTES))))
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(f"{path}: ") else f"{path}: {text}") from error


def parse_runs(text: str) -> Comparison:
    """Parse the text of a file of runs.

    Raise `InputError` if the text is not a file of runs or a value is invalid. The message names
    the line and the value.
    """
    lines = text.split("\n")
    warnings = []
    cut_off = lines.pop()
    if cut_off:
        warnings.append(f"line {len(lines) + 1} is incomplete and was ignored")
    if not 1 <= len(lines) <= MAX_RUNS + 2:
        raise InputError(f"expected 1 to {MAX_RUNS + 2} complete lines, not {len(lines)}")
    head = _Row(lines[0], 1)
    if head.text("format") != FORMAT:
        raise InputError(f"line 1: format: must be {FORMAT!r}, not {head.text('format')!r}")
    versions = head.value("versions", dict)
    for name, version in versions.items():
        if not isinstance(version, str) or not (name + version).isprintable():
            head.fail("versions", f"{quote_value(name)}: a version must be a printable string")
    limit = head.seconds("limit")
    if not limit:
        head.fail("limit", "must be a number of seconds > 0, not 0")
    body, counting = lines[1:], head
    # This is an older file.
    if body and set((last := _Row(body[-1], len(lines))).values) == {"runs"}:
        counting = last
        body.pop()
    count = counting.number("runs") if "runs" in counting.values else None
    if count is not None and count < len(body):
        counting.fail("runs", f"is {count}, but the file has {len(body)} runs")
    if count != len(body):
        warnings.append("the end of the file is missing: the comparison was interrupted")
    return Comparison(
        head.text("what"), head.number("seed", negative=True), limit,
        head.text("command"), head.text("machine"), versions, _runs(body, versions),
        tuple(warnings), head.text("plan") if "plan" in head.values else "", count == len(body),
    )  # fmt: skip


def _runs(lines: Sequence[str], versions: Mapping[str, str]) -> list[Run]:
    runs: list[Run] = []
    rows: set[tuple[str, str, int]] = set()
    instances: dict[str, tuple[object, ...]] = {}
    for number, line in enumerate(lines, 2):
        row = _Row(line, number)
        run = _run(row, versions)
        about = run.family, run.cards, run.players, run.feasible
        if instances.setdefault(run.instance, about) != about:
            row.fail("instance", f"{run.instance!r} has other data in an earlier line")
        rows.add((run.instance, run.solver, run.round))
        if len(rows) <= len(runs):
            row.fail("round", f"{run.round} of {run.solver} is already in an earlier line")
        runs.append(run)
    return runs


def _run(row: _Row, versions: Mapping[str, str]) -> Run:
    row.check_keys([f.name for f in fields(Run)])
    answer = row.choice("answer", ANSWERS)
    decided = answer in ("feasible", "infeasible")
    feasible = row.choice("feasible", (True, False, None))
    solver = row.text("solver")
    if solver not in versions:
        row.fail("solver", f"must be one of the solvers in line 1, not {solver!r}")
    if decided and feasible is not (answer == "feasible"):
        row.fail("answer", f"{answer!r} contradicts the value of feasible, {json.dumps(feasible)}")
    evidence = row.choice("evidence", ("deal", "shortage", "paired", None))
    allowed = {"feasible": ("deal",), "infeasible": ("shortage", "paired")}.get(answer, (None,))
    if evidence not in allowed:
        row.fail("evidence", f"{evidence!r} is not allowed for the answer {answer!r}")
    if not decided and not all(row.values[x] is None for x in ("build", "solve")):
        row.fail("solve", f"build and solve must be null for the answer {answer!r}")
    return Run(
        row.text("instance"), row.text("family"), row.number("cards"), row.number("players"),
        feasible, solver, row.number("round"), answer, evidence,
        row.seconds("build") if decided else None, row.seconds("solve") if decided else None,
        None if answer in NOT_RUN else row.seconds("seconds"),
        None if row.values["memory"] is None else row.number("memory"),
        None if row.values["text"] is None else row.text("text"),
    )  # fmt: skip


class _Row:
    """A JSON object on one line of a file. Its error messages name the line and the value."""

    def __init__(self, line: str, number: int) -> None:
        self.place = f"line {number}"
        try:
            self.values: dict[str, Any] = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"{self.place}: not valid JSON: {quote_value(line)}") from None
        if not isinstance(self.values, dict):
            raise InputError(f"{self.place}: {quote_value(self.values)} is not a JSON object")

    def fail(self, key: str, why: str) -> NoReturn:
        raise InputError(f"{self.place}: {key}: {why}")

    def check_keys(self, keys: Sequence[str]) -> None:
        if set(self.values) != set(keys):
            odd = sorted(set(self.values) ^ set(keys))
            raise InputError(
                f"{self.place}: missing or unknown: {quote_value(join_words(odd), str)}; a run "
                f"has the keys {join_words(keys)}"
            )

    def value(self, key: str, kind: type) -> Any:
        value = self.values.get(key)
        if type(value) is not kind:
            self.fail(key, f"must be of type {kind.__name__}, not {quote_value(value)}")
        return value

    def text(self, key: str) -> str:
        text: str = self.value(key, str)
        if not text.isprintable():
            self.fail(key, f"{quote_value(text)} has unprintable characters")
        return text

    def number(self, key: str, negative: bool = False) -> int:
        number: int = self.value(key, int)
        if not (negative or number >= 0) or abs(number) > 2**63:
            self.fail(key, f"{quote_value(number)} is out of range")
        return number

    def seconds(self, key: str) -> float:
        seconds = self.values.get(key)
        if (
            isinstance(seconds, bool)
            or not isinstance(seconds, int | float)
            or not 0 <= seconds <= 1e12
        ):
            self.fail(key, f"must be a number of seconds, not {quote_value(seconds)}")
        return float(seconds)

    def choice(self, key: str, allowed: Sequence[Any]) -> Any:
        choice = self.values.get(key)
        if not any(type(choice) is type(a) and choice == a for a in allowed):
            words = join_words([json.dumps(x) for x in allowed])
            self.fail(key, f"must be one of {words}, not {quote_value(choice)}")
        return choice
