"""HTML page of a comparison, in one file without scripts or links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from quaternity.base.text_format import with_noun
from quaternity.trials.comparison.drawing import growth_svg, pairs_svg, runs_svg
from quaternity.trials.comparison.growth import MAX_DEVIATION_FACTOR
from quaternity.trials.comparison.report import (
    TWO_MODELS,
    duration,
    growth_rows,
    kind_name,
    kinds,
    legend,
    remarks,
    row_table,
)
from quaternity.trials.comparison.runs import Comparison
from quaternity.trials.comparison.scores import par2

MAX_LISTED_FAULTS = 20
"""Maximum number of wrong answers and crashes that the page of a comparison lists."""

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --paper: #fff; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
h1 { overflow-wrap: anywhere; }
tbody th { position: sticky; left: 0; background: Canvas; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .5rem; text-align: right; }
td, tbody th { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; }
figure { margin: 1rem 0; }
figure.drawn { background: var(--paper); color: #000; padding: .5rem; }
figure svg { width: 100%; height: auto; min-width: 40rem; }
code, pre { background: #8882; padding: .1rem .3rem; white-space: pre-wrap; }
strong.wrong::before { content: "\\26A0 "; }
@media print { .wide { overflow: visible; } figure, table { break-inside: avoid; } }
"""


def page(comparison: Comparison) -> str:
    """Return the HTML page of a comparison, with faults, scores, plots and growth laws.

    Drawing the plots takes several seconds. Raise `InputError` if matplotlib, which draws the
    plots, is not installed.
    """
    parts = [f"<h1>Solvers compared: {escape(comparison.description)}</h1>", *_overview(comparison)]
    if comparison.runs:
        parts += [
            *_fault_list(comparison),
            *_scores(comparison),
            *_kind_tables(comparison),
            _figure(
                runs_svg(comparison.times),
                "Left: the cactus plot shows how many instances a solver decides within a time "
                "limit per instance. Right: the performance profile shows the share of instances "
                "that a solver decides within a multiple of the fastest solver's time.",
            ),
            *_growth(comparison),
            *_pairs(comparison),
        ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Solvers compared: "
        f"{escape(comparison.description)}</title>\n<style>{_STYLE}</style>\n"
        "</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _overview(comparison: Comparison) -> Iterator[str]:
    sizes: dict[str, dict[int, Counter[bool | None]]] = {}
    for run in comparison.instances.values():
        family = sizes.setdefault(run.family or "states", {})
        family.setdefault(run.cards, Counter())[run.feasible] += 1
    for text in comparison.warnings:
        yield f"<p><strong class=wrong>{escape(text)}</strong></p>"
    yield (
        f"<p>{with_noun(len(comparison.runs), 'run')} of "
        f"{with_noun(len(comparison.versions), 'solver')} on "
        f"{with_noun(len(comparison.instances), 'instance')}, with a limit of "
        f"{duration(comparison.limit)} per run, on {escape(comparison.machine)}. Times are "
        "processor time. Every verdict was checked by its deal or by a shortage.</p>"
    )
    yield f"<p>To repeat the comparison:</p><pre>{escape(comparison.command)}</pre>"
    cards = sorted({run.cards for run in comparison.instances.values()})
    yield _table(
        "Number of instances by number of cards: possible + impossible (+ undecided)",
        ["family", *map(str, cards)],
        [
            [family, *(_kind_counts(own.get(size, Counter())) for size in cards)]
            for family, own in sorted(sizes.items())
        ],
    )


def _kind_counts(kinds: Counter[bool | None]) -> str:
    if not kinds:
        return "-"
    return f"{kinds[True]} + {kinds[False]}" + (f" + {kinds[None]}" if kinds[None] else "")


def _fault_list(comparison: Comparison) -> Iterator[str]:
    bad = comparison.faults
    if not bad:
        return
    yield "<h2>Wrong answers and crashes</h2><ul>"
    for run in bad[:MAX_LISTED_FAULTS]:
        yield (
            f"<li><strong class=wrong>{escape(run.solver)}</strong> on {escape(run.instance)}: "
            f"{escape(run.text or run.answer)}</li>"
        )
    yield "</ul>"
    if len(bad) > MAX_LISTED_FAULTS:
        yield f"<p>And {len(bad) - MAX_LISTED_FAULTS} more.</p>"


def _scores(comparison: Comparison) -> Iterator[str]:
    rows = sorted(comparison.rows, key=lambda row: (row.rank, row.solver))
    head, *lines = table = row_table(comparison, rows, wide=True)
    versions = [*(comparison.versions[row.solver] for row in rows), ""]
    yield "<h2>Scores</h2>"
    yield _table(
        "By rank",
        [*head, "version"],
        [[*line, version] for line, version in zip(lines, versions, strict=True)],
    )
    meanings = legend(comparison, table)
    yield "<dl>"
    yield from (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in meanings)
    yield "</dl>"
    for remark in remarks(comparison):
        yield f"<p>{escape(remark)}</p>"


def _kind_tables(comparison: Comparison) -> Iterator[str]:
    """Yield a table of scores for the possible instances, and one for the impossible instances.

    A table has a row for each solver and a column for each family. The score is PAR-2: the mean
    time, where an undecided instance counts as twice the time limit.
    """
    yield "<h2>By kind and family</h2>"
    for feasible in (True, False):
        families = comparison.of_kind(feasible).families
        if not families:
            continue
        times = [families[name].times for name in sorted(families)]
        kind = "possible" if feasible else "impossible"
        yield _table(
            f"PAR-2 of {kind} instances (mean time; an undecided instance counts as twice the "
            "limit), with the number decided if not all were",
            ["solver", *(name or "states" for name in sorted(families))],
            [
                [solver, *(_par2_and_decided(own[solver], comparison.limit) for own in times)]
                for solver in comparison.versions
            ],
        )


def _par2_and_decided(own: Sequence[float | None], limit: float) -> str:
    decided = sum(o is not None for o in own)
    share = "" if decided == len(own) else f", {decided}/{len(own)}"
    return f"{duration(par2(own, limit))}{share}"


def _growth(comparison: Comparison) -> Iterator[str]:
    drawn = growth_svg(comparison)
    if drawn is None:
        return
    yield "<h2>Growth</h2>"
    yield _figure(
        drawn,
        "Median time over the number of cards. Hollow markers: the median run reached a limit.",
    )
    yield (
        "<p>The tables show the median time at each size; &gt; means that the median run was "
        "stopped at that time. The last column is the law that fits best, by likelihood, with the "
        "95 % interval of its exponent. Runs that were stopped count as longer than their time, "
        "and small sizes, at which the time is mostly overhead, are left out. No law: the runs do "
        "not support one, since the time may not grow at all, or is off the line at some size by "
        f"more than a factor of {MAX_DEVIATION_FACTOR:g} and more than the scatter explains. "
        f"{TWO_MODELS.capitalize()}: the solver uses a different model for large problems than for "
        "small problems, so a single law cannot describe its times.</p>"
    )
    for family, feasible in kinds(comparison):
        rows = growth_rows(comparison, family, feasible)
        yield _table(kind_name(family, feasible), rows[0], rows[1:])


def _pairs(comparison: Comparison) -> Iterator[str]:
    best, *others = sorted(comparison.rows, key=lambda row: (row.rank, row.solver))
    if not others:
        return
    pairs = [(best.solver, other.solver) for other in others[:5]]
    yield "<h2>Pairs</h2>"
    yield _figure(
        pairs_svg(comparison.times, pairs, comparison.limit),
        f"Each marker is an instance. Above the line, {best.solver} was faster. At the limit, a "
        "solver did not decide the instance.",
    )


def _figure(svg: str, caption: str) -> str:
    drawn = svg.replace("<svg", f'<svg role="img" aria-label="{escape(caption)}"', 1)
    return (
        f"<figure class=drawn><div class=wide tabindex=0>{drawn}</div>"
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "\n".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f"<figure><figcaption>{escape(caption)}</figcaption><div class=wide tabindex=0><table>"
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div></figure>"
    )
