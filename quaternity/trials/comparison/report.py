"""Reports of a comparison: tables, sentences, a JSON document and CSV."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from statistics import median
from typing import Any, NamedTuple

from quaternity.base.text_format import with_noun
from quaternity.trials.comparison.growth import NO_LAW, Observation, growth
from quaternity.trials.comparison.run import Run
from quaternity.trials.comparison.runs import Comparison
from quaternity.trials.comparison.scores import par2, virtual_best
from quaternity.trials.comparison.sizes import parse_size_name
from quaternity.trials.comparison.summary import Row
from solvers.registry import all_solvers

MAX_FAULTS = 10
"""Maximum number of faults (wrong answers and crashes) that are listed individually."""

TWO_MODELS = "two models"
"""Text that replaces the growth law in a table if a solver uses one model for small problems and
another model for large problems."""

MAX_GROWTH_SIZES = 6
"""Maximum number of problem sizes in a table that shows how the times of solvers grow."""


class Column(NamedTuple):
    """A column of the table of solvers.

    Attributes:
        meaning: an explanation for the legend, with the placeholders "instance", "limit" and
            "ratio".
        is_wide: whether only the wide table contains the column.
        is_seldom: whether the column is left out if it is empty.
    """

    name: str
    meaning: str
    cell: Callable[[Row], str]
    is_wide: bool = True
    is_seldom: bool = False


COLUMNS = (
    Column("solver", "", lambda row: row.solver, False),
    Column("decided", "{instance}s that the solver decided correctly; the times are for these only",
           lambda row: str(row.decided), False),
    Column("feasible", "feasible {instance}s among these", lambda row: str(row.feasible)),
    Column("infeasible", "infeasible {instance}s among these", lambda row: str(row.infeasible)),
    Column("skipped", "{instance}s that the solver refused", lambda row: str(row.skipped)),
    Column("timeout", "{instance}s not decided within the limit of {limit:g} s",
           lambda row: str(row.timeouts), is_seldom=True),
    Column("memory", "{instance}s on which the memory limit was reached",
           lambda row: str(row.memory_outs), is_seldom=True),
    Column("gave up", "{instance}s on which the solver reached a limit of its own",
           lambda row: str(row.gave_up - row.timeouts - row.memory_outs), is_seldom=True),
    Column("left out", "{instance}s not tried, because the time budget of the solver was used up",
           lambda row: str(row.left_out), is_seldom=True),
    Column("crash", "{instance}s on which the solver crashed", lambda row: str(row.crashes),
           False, True),
    Column("wrong", "{instance}s with a wrong or unproved verdict",
           lambda row: str(row.faults - row.crashes), False),
    Column("median", "median processor time of building the model and solving it",
           lambda row: duration(row.median), False),
    Column("95 % interval", "95 % interval of the median",
           lambda row: " .. ".join(map(duration, row.interval)) if row.interval else "-"),
    Column("p95", "95 % of the times are at most this", lambda row: duration(row.p95), False),
    Column("total", "sum of the times", lambda row: duration(row.total)),
    Column("building", "median time of building the model", lambda row: duration(row.build), False),
    Column("solving", "median time of solving it", lambda row: duration(row.solve), False),
    Column("ratio", "{ratio}", lambda row: "-" if row.ratio is None else f"{row.ratio:.2f}", False),
    Column("rank", "rank by PAR-2, with its 95 % interval",
           lambda row: f"{row.rank} ({row.rank_interval[0]} to {row.rank_interval[1]})"),
    Column("PAR-2", "mean time; each {instance} that was not decided counts as twice the limit of "
           "{limit:g} s", lambda row: duration(row.par2)),
    Column("fastest", "{instance}s that no solver decided faster", lambda row: str(row.fastest)),
    Column("alone", "{instance}s that no other solver decided", lambda row: str(row.alone),
           is_seldom=True),
    Column("contributes", "increase of the PAR-2 of the virtual best (the fastest solver on each "
           "{instance}) without this solver",
           lambda row: duration(row.contribution) if row.contribution > 0 else "-",
           is_seldom=True),
    Column("peak", "maximum memory of a separate process, libraries included",
           lambda row: "-" if row.peak is None else f"{row.peak / 2**20:.0f} MB", is_seldom=True),
)  # fmt: skip

VIRTUAL_BEST = "virtual best"


def headline(comparison: Comparison) -> str:
    """Return a line with the number of problems, a description of them, and the random seed."""
    return f"{counts(comparison)} ({comparison.description}, seed {comparison.seed})"


def counts(comparison: Comparison) -> str:
    """Return in words how many problems are feasible, infeasible and undecided."""
    numbers = _numbers(comparison)
    feasible, infeasible, total = numbers["feasible"], numbers["infeasible"], numbers["states"]
    text = f"{_instances(comparison, total)}: {feasible} feasible, {infeasible} infeasible"
    if total:
        text += f" ({round(100 * infeasible / total)} %)"
    return text + (f", {numbers['undecided']} undecided" if numbers["undecided"] else "")


def _instances(comparison: Comparison, number: int) -> str:
    return with_noun(number, "state" if comparison.of_games else "instance")


def row_table(
    comparison: Comparison, rows: Sequence[Row] | None = None, wide: bool = False
) -> list[list[str]]:
    """Return a table of the solvers as rows of text. The first row is the header.

    The last row of a wide table shows the virtual best solver: on each instance, it takes the time
    of the fastest solver.
    """
    rows = comparison.rows if rows is None else rows
    if not rows:
        return [["solver"]]
    cells = [
        {column.name: column.cell(row) for column in COLUMNS if wide or not column.is_wide}
        for row in rows
    ]
    if wide:
        best = virtual_best(comparison.times)
        decided = [seconds for seconds in best if seconds is not None]
        cells.append(
            dict.fromkeys(cells[0], "")
            | {"solver": VIRTUAL_BEST, "PAR-2": duration(par2(best, comparison.limit))}
            | {
                "decided": str(len(decided)),
                "median": duration(median(decided) if decided else None),
            }
        )
    seldom = {column.name for column in COLUMNS if column.is_seldom}
    head = [
        name
        for name in cells[0]
        if name not in seldom or any(line[name] not in ("0", "-", "") for line in cells)
    ]
    if sum(row.decided > 0 for row in rows) < 2:
        head.remove("ratio")
    return [head, *([line[name] for name in head] for line in cells)]


def legend(comparison: Comparison, table: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the name and meaning of each column of a table that `row_table` has made."""
    instance = "state" if comparison.of_games else "instance"
    ranked = [row for row in comparison.rows if row.decided]
    common = ranked[0].common if ranked else 0
    ratio = f"none: no {instance} was decided by all solvers; name fewer solvers"
    if common:
        all_of = with_noun(len(ranked), "solver")
        if len(ranked) < len(comparison.rows):
            all_of = "solvers that decided any"
        of = f"{_instances(comparison, common)} decided by all {all_of}"
        ratio = f"median relative to the fastest, on the {of}"
    meanings = [
        (column.name, column.meaning.format(instance=instance, limit=comparison.limit, ratio=ratio))
        for column in COLUMNS[1:]
        if column.name in table[0]
    ]
    if table[-1][0] == VIRTUAL_BEST:
        meanings.append((VIRTUAL_BEST, f"the fastest solver on each {instance}"))
    return meanings


def kinds(comparison: Comparison) -> list[tuple[str, bool]]:
    """Return the sorted pairs (family, feasible) of all instances whose feasibility is known."""
    pairs = {(run.family, run.feasible) for run in comparison.instances.values()}
    return sorted((family, feasible) for family, feasible in pairs if feasible is not None)


def kind_name(family: str, feasible: bool) -> str:
    """Return a name for the possible or the impossible instances of a family.

    >>> kind_name("php", True), kind_name("", False)
    ('php, possible', 'states, impossible')
    """
    return f"{family or 'states'}, {'possible' if feasible else 'impossible'}"


def growth_rows(comparison: Comparison, family: str, feasible: bool) -> list[list[str]]:
    """Return a table of how each solver's time grows with the size of the instances.

    A row contains the solver's median time at every size, and its growth law. The first row is the
    header.
    """
    switching = {name for name, solver in all_solvers().items() if solver.changes_model}
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
        if fit is not None and solver in switching:
            law = TWO_MODELS
        table.append([solver, *cells, law])
    return table


def growth_parts(comparison: Comparison) -> Iterator[tuple[str, bool, list[list[str]]]]:
    """Yield a tuple (family, feasible, table) for each group of instances that shows a growth law.

    A group consists of the possible (feasible) or the impossible instances of a family. Games of
    different sizes count as one family. The table is that of `growth_rows`, with at most
    `MAX_GROWTH_SIZES` sizes.
    """
    if comparison.of_games and len(comparison.families) > 1:
        runs = [replace(run, family="all sizes") for run in comparison.runs]
        comparison = replace(comparison, runs=runs)
    for family, feasible in kinds(comparison):
        table = growth_rows(comparison, family, feasible)
        if any(row[-1] not in ("-", NO_LAW, TWO_MODELS) for row in table[1:]):
            sizes = len(table[0]) - 2
            step = max(1, (sizes - 1) / (MAX_GROWTH_SIZES - 1))
            places = [1 + round(step * number) for number in range(min(sizes, MAX_GROWTH_SIZES))]
            yield family, feasible, [[row[place] for place in (0, *places, -1)] for row in table]


def remarks(comparison: Comparison) -> Iterator[str]:
    """Yield a sentence about all verdicts, and a line for each solver that gave up or refused."""
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
            "All verdicts agree, and all are verified; "
            f"no solver decided {_instances(comparison, undecided)}."
        )
    else:
        yield "All verdicts agree, and all are verified."
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


def fault_lines(comparison: Comparison) -> list[str]:
    """Return a line for each wrong verdict or crash.

    If there are more than `MAX_FAULTS`, the last line has the number of the others.
    """
    lines = [f"{run.instance}: {run.solver} {run.text or run.answer}" for run in comparison.faults]
    if len(lines) > MAX_FAULTS:
        lines[MAX_FAULTS:] = [f"and {len(lines) - MAX_FAULTS} more"]
    return lines


def document(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as a JSON object. Times are in seconds."""
    numbers = {name: number for number, name in enumerate(comparison.instances)}
    table: dict[str, Any] = {
        "what": comparison.description,
        "seed": comparison.seed,
        "limit": comparison.limit,
        "machine": comparison.machine,
        "instances": len(comparison.instances),
        **_numbers(comparison),
        "solvers": [_figures(comparison, row) for row in comparison.rows],
        "growth": [
            {"family": family, "feasible": feasible, "solver": row[0], "law": row[-1]}
            for family, feasible, rows in growth_parts(comparison)
            for row in rows[1:]
        ],
        "faults": [
            {"state": numbers[run.instance], "instance": run.instance, "solver": run.solver,
             "version": comparison.versions[run.solver], "text": run.text}
            for run in comparison.faults
        ],
    }  # fmt: skip
    if any(comparison.families):
        table["sizes"] = [
            _size(family)
            | _numbers(part)
            | {"solvers": [_figures(part, row) for row in part.rows], "family": family}
            for family, part in comparison.families.items()
        ]
    return table


def csv_text(comparison: Comparison) -> str:
    """Return the comparison as CSV, with a line for each solver on each family or size.

    If there are several families or sizes, lines with the family "all" cover all of them. The
    columns are keys of `document`. Times are in seconds, and empty if nothing was measured.
    """
    parts = dict(comparison.families)
    if len(parts) > 1:
        parts["all"] = comparison
    lines = [
        {"family": family, **_size(family), "states": len(part.instances), **_figures(part, row)}
        for family, part in parts.items()
        for row in part.rows
    ]
    text = io.StringIO()
    keys = [key for field in fields(Row)[1:] for key in _keys(field.name)]
    head = ["family", *_size(""), "states", "solver", "version", *keys]
    writer = csv.DictWriter(text, head, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def _figures(comparison: Comparison, row: Row) -> dict[str, Any]:
    figures: dict[str, Any] = {"solver": row.solver, "version": comparison.versions[row.solver]}
    for name, value in asdict(row).items():
        keys = _keys(name)
        figures |= zip(keys, (value or (None, None)) if len(keys) == 2 else (value,), strict=True)
    return figures


def _keys(name: str) -> tuple[str, ...]:
    return (f"{name}_low", f"{name}_high") if name.endswith("interval") else (name,)


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
    size = parse_size_name(family) or (None, None, None)
    return dict(zip(("set_size", "sets", "players"), size, strict=True))
