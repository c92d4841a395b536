"""A comparison as tables and sentences, as a JSON document and as CSV. Nothing is printed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from statistics import median
from typing import Any

from quaternity.base.wording import counted
from quaternity.trials.comparison.growth import Observation, growth
from quaternity.trials.comparison.run import Run
from quaternity.trials.comparison.runs import Comparison
from quaternity.trials.comparison.scores import par2, virtual_best
from quaternity.trials.comparison.sizes import size_named
from quaternity.trials.comparison.summary import Row
from solvers.registry import all_solvers

MAX_FAULTS = 10
"""Maximum number of faults listed individually."""

SWITCHES = "two models"
"""Entry instead of a growth law for a solver that models small and large problems differently."""

SELDOM = (
    "timeout", "memory", "gave up", "left out", "crash", "wrong", "alone", "contributes", "peak",
)  # fmt: skip
"""Columns that are shown only if one of their values is not zero or missing."""


def headline(comparison: Comparison) -> str:
    """Return a heading: the numbers of instances, what was compared, and the seed."""
    return f"{counts(comparison)} ({comparison.what}, seed {comparison.seed})"


def counts(comparison: Comparison) -> str:
    """Describe how many instances are feasible and infeasible, with the share of the latter."""
    numbers = _numbers(comparison)
    feasible, infeasible, total = numbers["feasible"], numbers["infeasible"], numbers["states"]
    text = f"{_instances(comparison, total)}: {feasible} feasible, {infeasible} infeasible"
    if total:
        text += f" ({round(100 * infeasible / total)} %)"
    return text + (f", {numbers['undecided']} undecided" if numbers["undecided"] else "")


def _instances(comparison: Comparison, number: int) -> str:
    return counted(number, "state" if comparison.of_games else "instance")


def row_table(comparison: Comparison, rows: Sequence[Row] | None = None) -> list[list[str]]:
    """Return a table with its header first: a row for each solver, then the virtual best."""
    rows = comparison.rows if rows is None else rows
    if not rows:
        return [["solver"]]
    times = comparison.times
    best = virtual_best(times)
    decided = [seconds for seconds in best if seconds is not None]
    cells = [_cells(row) for row in rows]
    cells.append(
        dict.fromkeys(cells[0], "")
        | {"solver": "virtual best", "PAR-2": duration(par2(best, comparison.limit))}
        | {"decided": str(len(decided)), "median": duration(median(decided) if decided else None)}
    )
    head = [
        name
        for name in cells[0]
        if name not in SELDOM or any(line[name] not in ("0", "-", "") for line in cells)
    ]
    return [head, *([line[name] for name in head] for line in cells)]


def _cells(row: Row) -> dict[str, str]:
    interval = "-"
    if row.interval is not None:
        interval = " .. ".join(map(duration, row.interval))
    return {
        "solver": row.solver,
        "rank": f"{row.rank} ({row.rank_interval[0]} to {row.rank_interval[1]})",
        "PAR-2": duration(row.par2),
        "feasible": str(row.feasible),
        "infeasible": str(row.infeasible),
        "skipped": str(row.skipped),
        "timeout": str(row.timeouts),
        "memory": str(row.memory_outs),
        "gave up": str(row.gave_up - row.timeouts - row.memory_outs),
        "left out": str(row.left_out),
        "crash": str(row.crashes),
        "wrong": str(row.faults - row.crashes),
        "median": duration(row.median),
        "95 % interval": interval,
        "p95": duration(row.p95),
        "total": duration(row.total),
        "building": duration(row.build),
        "solving": duration(row.solve),
        f"ratio on {row.common}": "-" if row.ratio is None else f"{row.ratio:.2f}",
        "decided": str(row.decided),
        "fastest": str(row.fastest),
        "alone": str(row.alone),
        "contributes": duration(row.contribution) if row.contribution > 0 else "-",
        "peak": "-" if row.peak is None else f"{row.peak / 2**20:.0f} MB",
    }


def kinds(comparison: Comparison) -> list[tuple[str, bool]]:
    """Return the families and kinds of all decided instances, sorted."""
    pairs = {(run.family, run.feasible) for run in comparison.instances.values()}
    return sorted((family, feasible) for family, feasible in pairs if feasible is not None)


def kind_name(family: str, feasible: bool) -> str:
    """Return the name of a family and kind of instances.

    >>> kind_name("php", True), kind_name("", False)
    ('php, possible', 'states, impossible')
    """
    return f"{family or 'states'}, {'possible' if feasible else 'impossible'}"


def growth_rows(comparison: Comparison, family: str, feasible: bool) -> list[list[str]]:
    """Return a table with its header first: each solver's median time at every size, and law."""
    known = all_solvers()
    runs = [run for run in comparison.runs if (run.family, run.feasible) == (family, feasible)]
    sizes = sorted({run.cards for run in runs})
    table = [["solver", *(f"{size} cards" for size in sizes), "growth"]]
    for solver in comparison.versions:
        own = [
            Observation(run.cards, run.cost if run.decided else comparison.limit, run.ended)
            for run in runs
            if run.solver == solver and (run.decided or run.ended)
        ]
        cells = []
        for size in sizes:
            times = sorted((run.ended, run.seconds) for run in own if run.size == size)
            ended, seconds = times[len(times) // 2] if times else (False, None)
            cells.append(("> " if ended else "") + duration(seconds))
        fit = growth(own)
        law = "-" if fit is None else fit.sentence()
        if fit is not None and solver in known and known[solver].switches:
            law = SWITCHES
        table.append([solver, *cells, law])
    return table


def remarks(comparison: Comparison) -> Iterator[str]:
    """Yield sentences that explain the tables, and say whether all verdicts verified."""
    instance = "state" if comparison.of_games else "instance"
    yield (
        f"Times are processor time of the solver, on the {instance}s that it decided. Building "
        "and solving are the medians of the two steps."
    )
    ranked = [row for row in comparison.rows if row.decided]
    if len(ranked) > 1 and ranked[0].common:
        yield (
            "The ratio compares a solver's median to that of the fastest solver, on the "
            f"{_instances(comparison, ranked[0].common)} that all {len(ranked)} solvers"
            f"{' that decided any' if len(ranked) < len(comparison.rows) else ''} decided."
        )
    elif len(ranked) > 1:
        yield (
            f"No {instance} was decided by all solvers, so there is no ratio: choose fewer solvers."
        )
    yield (
        f"PAR-2 is the mean time; an undecided {instance} counts as twice the limit of "
        f"{comparison.limit:g} s. Ranks are given with their 95 % interval over {instance}s. "
        f"Fastest: {instance}s on which no other solver was faster; alone: {instance}s that no "
        f"other solver decided. The virtual best uses the fastest solver on each {instance}; a "
        "solver contributes the PAR-2 that the virtual best would lose without it."
    )
    if tells_growth(comparison):
        yield (
            "> means that the median run was stopped at that time. No law: the runs do not support "
            f"one. {SWITCHES.capitalize()}: small and large problems are modelled in different "
            "ways, which a single law cannot describe."
        )
    faulty = {run.instance for run in comparison.faults}
    total = len(comparison.instances)
    undecided = _numbers(comparison)["undecided"]
    if faulty:
        have = "has" if len(faulty) == 1 else "have"
        wrong = any(run.answer == "wrong" for run in comparison.faults)
        fault = "a wrong verdict" if wrong else "a crash"
        yield f"{len(faulty)} of {_instances(comparison, total)} {have} {fault}."
    elif not any(row.decided for row in comparison.rows):
        yield "No verdict was given."
    elif undecided:
        yield (
            f"All verdicts agree and verify; no solver decided {_instances(comparison, undecided)}."
        )
    else:
        yield "All verdicts agree, and every one of them verifies."
    yield from _reasons(comparison.runs)


def _reasons(runs: Sequence[Run]) -> Iterator[str]:
    reasons: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        if run.text is not None and (run.ended or run.answer == "refused"):
            word = "gave up" if run.ended else "skipped"
            reasons.setdefault((run.solver, word), set()).add(run.text)
    for (solver, word), texts in reasons.items():
        more = " (among other reasons)" if len(texts) > 1 else ""
        yield f"{solver} {word}: {min(texts, key=len)}{more}"


def tells_growth(comparison: Comparison) -> bool:
    """Return whether to show how the times grow: for families, or for games of a single size."""
    sizes = {run.cards for run in comparison.instances.values()}
    return not comparison.of_games or (len(comparison.families) == 1 and len(sizes) > 1)


def fault_lines(comparison: Comparison) -> list[str]:
    """Return a line for each wrong verdict or crash, at most `MAX_FAULTS`, and how many remain."""
    lines = [f"{run.instance}: {run.solver} {run.text or run.answer}" for run in comparison.faults]
    if len(lines) > MAX_FAULTS:
        lines[MAX_FAULTS:] = [f"and {len(lines) - MAX_FAULTS} more"]
    return lines


def document(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as a JSON object. Times are in seconds."""
    numbers = {name: number for number, name in enumerate(comparison.instances)}
    table: dict[str, Any] = {
        "what": comparison.what,
        "seed": comparison.seed,
        "limit": comparison.limit,
        "machine": comparison.machine,
        "instances": len(comparison.instances),
        **_numbers(comparison),
        "solvers": [asdict(row) for row in comparison.rows],
        "growth": [
            {"family": family, "feasible": feasible, "solver": row[0], "law": row[-1]}
            for family, feasible in kinds(comparison)
            for row in growth_rows(comparison, family, feasible)[1:]
        ],
        "faults": [
            {"state": numbers[run.instance], "instance": run.instance, "solver": run.solver,
             "text": run.text}
            for run in comparison.faults
        ],
    }  # fmt: skip
    if any(comparison.families):
        table["sizes"] = [
            _size(family)
            | _numbers(part)
            | {"solvers": [asdict(row) for row in part.rows], "family": family}
            for family, part in comparison.families.items()
        ]
    return table


def csv_text(comparison: Comparison) -> str:
    """Return the comparison as CSV, with a line for each family or size and each solver.

    Times are in seconds, and empty if nothing was measured. An interval takes two columns, one for
    each end.
    """
    text = io.StringIO()
    names = [field.name for field in fields(Row)]
    head = [
        column
        for name in names
        for column in ([f"{name}_low", f"{name}_high"] if name.endswith("interval") else [name])
    ]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["set_size", "sets", "players", "states", *head, "family"])
    for family, part in comparison.families.items():
        for row in part.rows:
            values: list[object] = []
            for name in names:
                value = getattr(row, name)
                values += (value or (None, None)) if name.endswith("interval") else [value]
            about = [*_size(family).values(), len(part.instances)]
            writer.writerow([*about, *values, family])
    return text.getvalue()


def duration(seconds: float | None) -> str:
    """Format a time with three digits, in a suitable unit.

    >>> duration(0.00001234), duration(0.5), duration(12.3456), duration(None)
    ('12.3 µs', '500 ms', '12.3 s', '-')
    """
    if seconds is None:
        return "-"
    scale, unit = next(
        (pair for pair in ((1e-6, "µs"), (1e-3, "ms")) if seconds < 999.5 * pair[0]), (1.0, "s")
    )
    value = seconds / scale
    digits = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{digits}f} {unit}"


def _numbers(comparison: Comparison) -> dict[str, int]:
    met = Counter(run.feasible for run in comparison.instances.values())
    return {
        "states": met.total(),
        "feasible": met[True],
        "infeasible": met[False],
        "undecided": met[None],
    }


def _size(family: str) -> dict[str, int | None]:
    size = size_named(family) or (None, None, None)
    return dict(zip(("set_size", "sets", "players"), size, strict=True))
