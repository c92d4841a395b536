"""A comparison as one self-contained page: no script, no link, nothing to install to read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from statistics import median

from quaternity.trials.comparison.drawing import growth_svg, pairs_svg, runs_svg
from quaternity.trials.comparison.growth import Observation, growth
from quaternity.trials.comparison.report import duration
from quaternity.trials.comparison.runs import Comparison, Run
from quaternity.trials.comparison.scores import Times, par2, scores, virtual_best
from solvers.wording import counted

MOST_TOLD = 20
"""Wrong answers and crashes that are told one by one."""

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --paper: #fff; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .3rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: right; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; }
figure { margin: 1rem 0; background: var(--paper); color: #000; padding: .5rem; }
figure svg { width: 100%; height: auto; min-width: 40rem; }
code, pre { background: #8882; padding: .1rem .3rem; white-space: pre-wrap; }
strong.wrong::before { content: "\\26A0 "; }
@media print { .wide { overflow: visible; } figure, table { break-inside: avoid; } }
"""


def page(comparison: Comparison) -> str:
    """The page, as HTML. It says what was run and on what, who decided what how fast, how the time
    grows, who was wrong, and what to type to repeat it.

    Raises:
        InputError: matplotlib, which draws the curves, is not installed.

    Cost: seconds, most of them for drawing.
    """
    times = comparison.times()
    parts = [
        f"<h1>Solvers compared: {escape(comparison.what)}</h1>",
        *_what_was_run(comparison),
        *_wrong(comparison),
        *_scores(comparison),
        *_kinds(comparison),
        _figure(
            runs_svg(times),
            "Left, the cactus plot: how many instances a solver decides when it may take so long "
            "for each. Right, the performance profile: on which share of all instances it takes at "
            "most so many times as long as the quickest solver there.",
        ),
        *_growth(comparison),
        *_pairs(comparison, times),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Solvers compared: {escape(comparison.what)}</title>\n<style>{_STYLE}</style>\n"
        "</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _what_was_run(comparison: Comparison) -> Iterator[str]:
    kinds: dict[tuple[str, int], Counter[bool | None]] = {}
    for run in {run.instance: run for run in comparison.runs}.values():
        kinds.setdefault((run.family or "-", run.cards), Counter())[run.feasible] += 1
    for text in comparison.warnings:
        yield f"<p><strong class=wrong>{escape(text)}</strong></p>"
    yield (
        f"<p>{counted(len(comparison.runs), 'run')} of "
        f"{counted(len(comparison.versions), 'solver')} on "
        f"{counted(len(comparison.instances()), 'instance')}, each ended after "
        f"{duration(comparison.limit)}, on {escape(comparison.machine)}. Times are processor time. "
        "Every deal was counted out and every shortage added up.</p>"
    )
    yield f"<p>To repeat it:</p><pre>{escape(comparison.command)}</pre>"
    yield _table(
        "What was run",
        ["family", "cards", "possible", "impossible", "undecided"],
        [
            [family, str(cards), str(found[True]), str(found[False]), str(found[None])]
            for (family, cards), found in sorted(kinds.items())
        ],
    )


def _wrong(comparison: Comparison) -> Iterator[str]:
    bad = [run for run in comparison.runs if run.answer in ("wrong", "crashed")]
    if not bad:
        return
    yield "<h2>Wrong answers and crashes</h2><ul>"
    for run in bad[:MOST_TOLD]:
        yield (
            f"<li><strong class=wrong>{escape(run.solver)}</strong> on {escape(run.instance)}: "
            f"{escape(run.text or run.answer)}</li>"
        )
    yield "</ul>"
    if len(bad) > MOST_TOLD:
        yield f"<p>And {len(bad) - MOST_TOLD} more.</p>"


def _scores(comparison: Comparison) -> Iterator[str]:
    times = comparison.times()
    if not comparison.runs:
        return
    answers: dict[str, Counter[str]] = {solver: Counter() for solver in comparison.versions}
    peaks: dict[str, int] = {}
    for run in comparison.runs:
        answers[run.solver][run.answer] += 1
        if run.memory is not None:
            peaks[run.solver] = max(run.memory, peaks.get(run.solver, 0))
    ended = [
        answer
        for answer in ("timeout", "memory", "gave up", "refused", "left out", "wrong", "crashed")
        if any(found[answer] for found in answers.values())
    ]
    rows = []
    for score in scores(times, comparison.limit, comparison.seed):
        low, high = score.rank_interval
        decided = [one for one in times[score.solver] if one is not None]
        peak = peaks.get(score.solver)
        rows.append(
            [
                score.solver, comparison.versions[score.solver],
                f"{score.rank} ({low} to {high})", duration(score.par2), str(score.decided),
                duration(median(decided)) if decided else "-", str(score.fastest),
                str(score.alone), duration(score.contribution),
                "-" if peak is None else f"{peak / 2**20:.0f} MB",
                *(str(answers[score.solver][answer]) for answer in ended),
            ]
        )  # fmt: skip
    best = virtual_best(times)
    decided = [one for one in best if one is not None]
    rows.append(
        [
            "virtual best", "", "", duration(par2(best, comparison.limit)), str(len(decided)),
            duration(median(decided)) if decided else "-", "", "", "", "", *("" for _ in ended),
        ]
    )  # fmt: skip
    yield "<h2>Scores</h2>"
    yield _table(
        "By PAR-2: the mean time, where an instance that was not decided, for whatever reason, "
        "counts twice the limit. Ranks with their 95 % bootstrap interval over instances. The "
        "virtual best solver is whoever is fastest on each instance; a solver contributes what it "
        "would lose without it. Memory is the peak of processes of their own, libraries included.",
        [
            "solver", "version", "rank", "PAR-2", "decided", "median", "fastest", "alone",
            "contributes", "memory", *ended,
        ],
        rows,
    )  # fmt: skip


def _kinds(comparison: Comparison) -> Iterator[str]:
    """Possible and impossible instances apart, of every family."""
    families = sorted({run.family for run in comparison.runs})
    head, columns = ["solver"], []
    for family in families:
        part = [run for run in comparison.runs if run.family == family]
        for feasible, word in ((True, "possible"), (False, "impossible")):
            some = [run for run in part if run.feasible is feasible]
            if some:
                head.append(f"{family} {word}".strip())
                columns.append(_part(comparison, some).times())
    yield "<h2>By family and kind</h2>"
    yield _table(
        "PAR-2, and in parentheses how many instances were decided.",
        head,
        [
            [solver, *(_par2_and_decided(times[solver], comparison.limit) for times in columns)]
            for solver in comparison.versions
        ],
    )


def _par2_and_decided(own: Sequence[float | None], limit: float) -> str:
    return f"{duration(par2(own, limit))} ({sum(one is not None for one in own)} of {len(own)})"


def _growth(comparison: Comparison) -> Iterator[str]:
    drawn = growth_svg(comparison, comparison.limit)
    if drawn is None:
        return
    yield "<h2>Growth</h2>"
    yield _figure(
        drawn,
        "Median time over the number of cards. Hollow marks: the median run reached the limit.",
    )
    yield _table(
        "The law that fits best, by likelihood; runs that reached the limit count as longer than "
        "it. In parentheses the 95 % interval of the exponent.",
        ["solver", "family", "kind", "from cards", "runs", "at the limit", "growth"],
        list(growth_rows(comparison)),
    )


def growth_rows(comparison: Comparison) -> Iterator[list[str]]:
    """Per solver, family and kind how its time grows, where the sizes say something."""
    kinds = sorted({(run.family, run.feasible is True) for run in comparison.runs})
    for solver in comparison.versions:
        for family, feasible in kinds:
            runs = [
                Observation(
                    run.cards, run.seconds if run.decided else comparison.limit, not run.decided
                )
                for run in comparison.runs
                if (run.solver, run.family, run.feasible is True) == (solver, family, feasible)
                and (run.decided or run.answer in ("timeout", "memory"))
            ]
            fit = growth(runs)
            if fit is not None:
                kind = "possible" if feasible else "impossible"
                yield [
                    solver, family or "-", kind, str(fit.smallest), str(fit.runs), str(fit.ended),
                    fit.sentence(),
                ]  # fmt: skip


def _pairs(comparison: Comparison, times: Times) -> Iterator[str]:
    """The best of all against the next, and against those who contribute most."""
    if len(times) < 2:
        return
    ranked = scores(times, comparison.limit, comparison.seed)
    best = ranked[0].solver
    others = [score.solver for score in ranked[1:]]
    pairs = [(best, other) for other in others[:5]]
    yield "<h2>Pairs</h2>"
    yield _figure(
        pairs_svg(times, pairs, comparison.limit),
        f"A mark for every instance: above the line {best} was faster. At the edge: not decided.",
    )


def _part(comparison: Comparison, runs: Sequence[Run]) -> Comparison:
    return Comparison(
        comparison.what, comparison.seed, comparison.limit, comparison.command, comparison.machine,
        comparison.versions, runs,
    )  # fmt: skip


def _figure(svg: str, caption: str) -> str:
    drawn = svg.replace("<svg", f'<svg role="img" aria-label="{escape(caption)}"', 1)
    return (
        f"<figure><div class=wide>{drawn}</div><figcaption>{escape(caption)}</figcaption></figure>"
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
        f"<div class=wide tabindex=0><table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
    )


__all__ = ["growth_rows", "page"]
