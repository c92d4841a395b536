"""One row per run: what the tables of a comparison are made of, in a file that can be kept.

    {"format": "comparison-runs/1", "what": "...", "seed": 0, "limit": 10.0, "command": "...",
     "machine": "...", "versions": {"cp-sat": "ortools 9.11", ...}}
    {"instance": "php 52 impossible 0", "family": "php", "cards": 52, ...}
    ...
    {"runs": 480}

The first line says what was compared and on what, every further line is a `Run`, and the last one
counts them: without it the file was cut off, by a crash or by hand, and what is left is read with a
warning.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from statistics import median
from typing import Any, Literal, NoReturn, get_args

from quaternity.base.errors import InputError
from quaternity.base.picture import Cell, Picture, Shown, heads
from quaternity.base.wording import listed, shown
from quaternity.trials.comparison.measuring import Measured
from quaternity.trials.comparison.scores import Times, scores

FORMAT = "comparison-runs/1"

Answer = Literal[
    "feasible", "infeasible", "timeout", "memory", "gave up", "refused", "left out", "wrong",
    "crashed",
]  # fmt: skip
"""How a run ended: either verdict; one of two limits of ours; a limit of its own; a problem that it
does not take; not run, its budget being spent; a verdict that is not so; anything else."""

ANSWERS: tuple[str, ...] = get_args(Answer)

MOST_RUNS = 2_000_000
"""Most rows that are read."""

MOST_BYTES = 1 << 30
"""Largest file that is read: one row takes about 400 bytes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One solver on one instance, once.

    Attributes:
        instance: its name, the same for all solvers.
        family: of the instance; empty for states of games and files.
        cards, players: its size.
        feasible: what is so, by evidence that verified; None where nobody had any.
        solver: its name.
        round: which run of this solver on this instance, from 0.
        answer: how it ended.
        evidence: what proved it: `deal`, `shortage` of its own, or `paired` with a shortage of
            another solver; None without a verdict.
        build, solve: seconds of processor time of both steps; None where it did not answer.
        seconds: what the run cost; for one that was ended, the time it had.
        memory: bytes it needed at most beyond those before it; None where nobody looked.
        text: why, where it did not answer.
    """

    instance: str
    family: str
    cards: int
    players: int
    feasible: bool | None
    solver: str
    round: int
    answer: Answer
    evidence: Literal["deal", "shortage", "paired"] | None
    build: float | None
    solve: float | None
    seconds: float
    memory: int | None = None
    text: str | None = None

    @property
    def decided(self) -> bool:
        """Whether it gave a verdict that stands."""
        return self.answer in ("feasible", "infeasible")

    @property
    def ended(self) -> bool:
        """Whether it gave up at a limit, its own or ours."""
        return self.answer in ("timeout", "memory", "gave up")


@dataclass(frozen=True, slots=True)
class Comparison(Shown):
    """All runs, and what is needed to make them again.

    Attributes:
        what: which instances, in words.
        seed: of the instances and of every bootstrap.
        limit: seconds of one run.
        command: what was typed.
        machine: what it ran on.
        versions: of each solver, in the order in which they are shown.
        runs: the rows.
        warnings: what was odd about the file they were read from.
    """

    what: str
    seed: int
    limit: float
    command: str
    machine: str
    versions: Mapping[str, str]
    runs: Sequence[Run]
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def picture(self) -> Picture:
        """The solvers by PAR-2, the best first."""
        rows = [heads("solver", "rank", "PAR-2 (s)", "decided", "fastest", "alone")]
        for one in scores(self.times(), self.limit, self.seed) if self.runs else ():
            low, high = one.rank_interval
            told = (f"{one.rank} ({low}-{high})", f"{one.par2:.3g}", one.decided, one.fastest)
            rows.append([*heads(one.solver), *(Cell(str(text)) for text in (*told, one.alone))])
        limit = f"{self.limit:g} s for a run, {self.machine}"
        return Picture(f"Solvers on {self.what}", (limit,), rows)

    def instances(self, feasible: bool | None = None) -> list[str]:
        """The names of the instances, each once: all, or those of one kind."""
        wanted = (run for run in self.runs if feasible is None or run.feasible is feasible)
        return list(dict.fromkeys(run.instance for run in wanted))

    def times(self, feasible: bool | None = None) -> Times:
        """Per solver its median seconds on every instance, None where not every run decided it.

        Args:
            feasible: only instances of that kind.
        """
        found: dict[tuple[str, str], list[float | None]] = {}
        for run in self.runs:
            seconds = run.seconds if run.decided else None
            found.setdefault((run.solver, run.instance), []).append(seconds)
        names = self.instances(feasible)
        return {
            solver: [_middle(found.get((solver, name), [None])) for name in names]
            for solver in self.versions
        }

    def text(self) -> str:
        """The file."""
        head = {
            "format": FORMAT, "what": self.what, "seed": self.seed, "limit": self.limit,
            "command": self.command, "machine": self.machine, "versions": dict(self.versions),
        }  # fmt: skip
        rows: Iterable[dict[str, Any]] = (asdict(run) for run in self.runs)
        lines = [head, *rows, {"runs": len(self.runs)}]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _middle(times: Sequence[float | None]) -> float | None:
    decided = [one for one in times if one is not None]
    return median(decided) if len(decided) == len(times) else None


def runs_of(measured: Sequence[Measured], family: str = "") -> Iterator[Run]:
    """The rows of what was measured: every solver on every state, in that order of states.

    Args:
        family: of states that belong to none; they are named after it and numbered.
    """
    for number, one in enumerate(measured):
        name = one.name or f"{family or 'state'} {number}"
        base = partial(Run, name, one.family or family, one.cards, one.players, one.feasible)
        bad = {fault.solver: fault for fault in one.faults}
        for solver in dict.fromkeys(
            [*one.timings, *one.refused, *one.gave_up, *one.left_out, *bad]
        ):
            spent = one.spent.get(solver, 0.0)
            if solver in bad:
                answer: Answer = "wrong" if bad[solver].kind == "wrong" else "crashed"
                yield base(solver, 0, answer, None, None, None, spent, None, bad[solver].text)
            elif solver in one.refused:
                yield base(solver, 0, "refused", None, None, None, 0.0, None, one.refused[solver])
            elif solver in one.gave_up:
                kind = one.limits.get(solver, "gave up")
                limit: Answer = "timeout" if kind == "timeout" else "gave up"
                limit = "memory" if kind == "memory" else limit
                yield base(solver, 0, limit, None, None, None, spent, None, one.gave_up[solver])
            elif solver in one.left_out:
                yield base(solver, 0, "left out", None, None, None, 0.0, None, "its time was over")
            else:
                yield from _answers(base, solver, one)


def _answers(base: Callable[..., Run], solver: str, one: Measured) -> Iterator[Run]:
    """The rows of a solver that answered, and rightly as far as anybody knows."""
    for turn, run in enumerate(one.timings[solver]):
        evidence = "deal" if one.feasible else "paired" if solver in one.paired else "shortage"
        answer = "feasible" if one.feasible else "infeasible"
        if one.feasible is None:
            yield base(
                solver, turn, "gave up", None, None, None, run.total, run.peak, "no evidence"
            )
        else:
            yield base(
                solver, turn, answer, evidence, run.build, run.solve, run.total, run.peak, None
            )


def machine() -> str:
    """This machine in a line: processor, number of cores, system and Python."""
    import os

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


def is_runs_file(text: str) -> bool:
    """Whether a text says of itself that it holds runs."""
    return f'"{FORMAT.split("/")[0]}/' in text[:200].split("\n", 1)[0]


def parse_runs(text: str) -> Comparison:
    """Read a file of runs.

    Raises:
        InputError: it is none, or a value is not what it must be; names the line and the value.
    """
    lines = text.split("\n")
    warnings = []
    cut_off = lines.pop()
    if cut_off:
        warnings.append(f"line {len(lines) + 1} is cut off and left out")
    if not 1 <= len(lines) <= MOST_RUNS + 2:
        raise InputError(f"{len(lines)} whole lines: a file of runs has 1 to {MOST_RUNS + 2}")
    head = _Row(lines[0], 1)
    if head.text("format") != FORMAT:
        raise InputError(f"line 1: format: {head.text('format')!r}, not {FORMAT!r}")
    versions = head.value("versions", dict)
    for name, version in versions.items():
        if not isinstance(version, str) or not (name + version).isprintable():
            head.refuse("versions", f"{shown(name)}: a version is a text that can be printed")
    limit = head.seconds("limit")
    if not limit:
        head.refuse("limit", "0 is no time")
    last = _Row(lines[-1], len(lines)) if len(lines) > 1 else None
    body = lines[1:]
    if last is not None and set(last.values) == {"runs"}:
        body = lines[1:-1]
        if last.number("runs") != len(body):
            raise InputError(
                f"line {len(lines)}: runs: {last.values['runs']}, but {len(body)} are there"
            )
    else:
        warnings.append("the end is missing: the comparison was interrupted")
    return Comparison(
        head.text("what"), head.number("seed", negative=True), limit,
        head.text("command"), head.text("machine"), versions, _runs(body, versions),
        tuple(warnings),
    )  # fmt: skip


def _runs(lines: Sequence[str], versions: Mapping[str, str]) -> list[Run]:
    """The rows, from line 2 on, that say the same of each instance, and nothing twice."""
    runs: list[Run] = []
    rows: set[tuple[str, str, int]] = set()
    instances: dict[str, tuple[object, ...]] = {}
    for number, line in enumerate(lines, 2):
        row = _Row(line, number)
        run = _run(row, versions)
        about = run.family, run.cards, run.players, run.feasible
        if instances.setdefault(run.instance, about) != about:
            row.refuse("instance", f"{run.instance!r} is another one in a line before")
        rows.add((run.instance, run.solver, run.round))
        if len(rows) <= len(runs):
            row.refuse("round", f"{run.round} of {run.solver} is in a line before")
        runs.append(run)
    return runs


def _run(row: _Row, versions: Mapping[str, str]) -> Run:
    row.only([one.name for one in fields(Run)])
    answer = row.choice("answer", ANSWERS)
    decided = answer in ("feasible", "infeasible")
    feasible = row.choice("feasible", (True, False, None))
    solver = row.text("solver")
    if solver not in versions:
        row.refuse("solver", f"{solver!r} is not among those of line 1")
    if decided and feasible is not (answer == "feasible"):
        row.refuse("answer", f"{answer!r}, but feasible is {json.dumps(feasible)}")
    evidence = row.choice("evidence", ("deal", "shortage", "paired", None))
    allowed = {"feasible": ("deal",), "infeasible": ("shortage", "paired")}.get(answer, (None,))
    if evidence not in allowed:
        row.refuse("evidence", f"{evidence!r} for the answer {answer!r}")
    if not decided and not all(row.values[one] is None for one in ("build", "solve")):
        row.refuse("solve", f"a time for the answer {answer!r}")
    return Run(
        row.text("instance"), row.text("family"), row.number("cards"), row.number("players"),
        feasible, solver, row.number("round"), answer, evidence,
        row.seconds("build") if decided else None, row.seconds("solve") if decided else None,
        row.seconds("seconds"),
        None if row.values["memory"] is None else row.number("memory"),
        None if row.values["text"] is None else row.text("text"),
    )  # fmt: skip


class _Row:
    """A line as JSON; every refusal names the line and the value."""

    def __init__(self, line: str, number: int) -> None:
        self.place = f"line {number}"
        try:
            self.values: dict[str, Any] = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"{self.place}: no JSON: {shown(line)}") from None
        if not isinstance(self.values, dict):
            raise InputError(f"{self.place}: {shown(self.values)} is not an object")

    def refuse(self, key: str, why: str) -> NoReturn:
        raise InputError(f"{self.place}: {key}: {why}")

    def only(self, keys: Sequence[str]) -> None:
        if set(self.values) != set(keys):
            odd = sorted(set(self.values) ^ set(keys))
            raise InputError(
                f"{self.place}: {shown(listed(odd), str)}: a run has exactly {listed(keys)}"
            )

    def value(self, key: str, kind: type) -> Any:
        found = self.values.get(key)
        if type(found) is not kind:
            self.refuse(key, f"{shown(found)} is not what it should be ({kind.__name__})")
        return found

    def text(self, key: str) -> str:
        found: str = self.value(key, str)
        if not found.isprintable():
            self.refuse(key, f"{shown(found)} has characters that cannot be printed")
        return found

    def number(self, key: str, negative: bool = False) -> int:
        found: int = self.value(key, int)
        if not (negative or found >= 0) or abs(found) > 2**63:
            self.refuse(key, f"{shown(found)} is out of range")
        return found

    def seconds(self, key: str) -> float:
        found = self.values.get(key)
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1e12:
            self.refuse(key, f"{shown(found)} is not a number of seconds")
        return float(found)

    def choice(self, key: str, allowed: Sequence[Any]) -> Any:
        found = self.values.get(key)
        if not any(type(found) is type(one) and found == one for one in allowed):
            words = listed([json.dumps(one) for one in allowed])
            self.refuse(key, f"{shown(found)} is none of {words}")
        return found
