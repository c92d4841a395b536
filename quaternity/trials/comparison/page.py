"""A comparison as one self-contained page: no script, no link, nothing to install to read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from statistics import median

from quaternity.base.wording import counted
from quaternity.trials.comparison.drawing import growth_svg, pairs_svg, runs_svg
from quaternity.trials.comparison.growth import FAR, Observation, growth
from quaternity.trials.comparison.report import duration
from quaternity.trials.comparison.runs import Comparison
from quaternity.trials.comparison.scores import Times, par2, scores, virtual_best
from solvers.registry import all_solvers

NO_VERDICT = ("timeout", "memory", "gave up", "refused", "left out", "wrong", "crashed")
"""How a run ends without a verdict that stands, in the order in which it is shown."""

SWITCHES = "two models"
"""What stands for the law of a solver that goes about small and large problems in two ways."""

MOST_TOLD = 20
"""Wrong answers and crashes that are told one by one."""

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
    """The page, as HTML. It says what was run and on what, who decided what how fast, how the time
    grows, who was wrong, and what to type to repeat it.

    Raises:
        InputError: matplotlib, which draws the curves, is not installed.

    Cost: seconds, most of them for drawing.
    """
    parts = [
        f"<h1>Solvers compared: {escape(comparison.what)}</h1>",
        *_what_was_run(comparison),
    ]
    if comparison.runs:
        times = comparison.times()
        parts += [
            *_wrong(comparison),
            *_scores(comparison),
            *_kinds(comparison),
            _figure(
                runs_svg(times),
                "Left, the cactus plot: how many instances a solver decides when it may take so "
                "long for each. Right, the performance profile: on which share of all instances it "
                "takes at most so many times as long as the quickest solver there.",
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
    kinds: dict[str, dict[int, Counter[bool | None]]] = {}
    for run in {run.instance: run for run in comparison.runs}.values():
        sizes = kinds.setdefault(run.family or "states", {})
        sizes.setdefault(run.cards, Counter())[run.feasible] += 1
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
    cards = sorted({size for sizes in kinds.values() for size in sizes})
    yield _table(
        "How many instances of so many cards, possible + impossible (+ undecided)",
        ["family", *map(str, cards)],
        [
            [family, *(_kinds_in_words(sizes.get(size, Counter())) for size in cards)]
            for family, sizes in sorted(kinds.items())
        ],
    )


def _kinds_in_words(found: Counter[bool | None]) -> str:
    if not found:
        return "-"
    return f"{found[True]} + {found[False]}" + (f" + {found[None]}" if found[None] else "")


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
    head, *rows = score_rows(comparison)
    yield "<h2>Scores</h2>"
    yield _table(
        "By PAR-2: the mean time, where an instance that was not decided, for whatever reason, "
        "counts twice the limit. Ranks with their 95 % bootstrap interval over instances. The "
        "virtual best solver is whoever is fastest on each instance; a solver contributes what it "
        "would lose without it. Memory is the peak of processes of their own, libraries included.",
        head,
        rows,
    )


def score_rows(comparison: Comparison) -> list[list[str]]:
    """A table, its head first: the scores of every solver, the best first, and how many runs ended
    without a verdict, by how they did; then the virtual best solver.
    """
    times = comparison.times()
    answers: dict[str, Counter[str]] = {solver: Counter() for solver in comparison.versions}
    peaks: dict[str, int] = {}
    for run in comparison.runs:
        answers[run.solver][run.answer] += 1
        if run.memory is not None:
            peaks[run.solver] = max(run.memory, peaks.get(run.solver, 0))
    ended = [one for one in NO_VERDICT if any(found[one] for found in answers.values())]
    table = [
        ["solver", "rank", "PAR-2", "decided", "median", "fastest", "alone", "contributes",
         "memory", *ended, "version"]
    ]  # fmt: skip
    for score in scores(times, comparison.limit, comparison.seed) if comparison.runs else ():
        low, high = score.rank_interval
        decided = [one for one in times[score.solver] if one is not None]
        peak = peaks.get(score.solver)
        table.append(
            [
                score.solver,
                f"{score.rank} ({low} to {high})", duration(score.par2), str(score.decided),
                duration(median(decided) if decided else None), str(score.fastest),
                str(score.alone),
                duration(score.contribution) if score.contribution > 0 else "-",
                "-" if peak is None else f"{peak / 2**20:.0f} MB",
                *(str(answers[score.solver][answer]) for answer in ended),
                comparison.versions[score.solver],
            ]
        )  # fmt: skip
    best = virtual_best(times)
    decided = [one for one in best if one is not None]
    table.append(
        [
            "virtual best", "", duration(par2(best, comparison.limit) if best else None),
            str(len(decided)), duration(median(decided) if decided else None),
            *[""] * (5 + len(ended)),
        ]
    )  # fmt: skip
    return table


def _kinds(comparison: Comparison) -> Iterator[str]:
    """PAR-2 of possible and impossible instances apart, by family."""
    yield "<h2>By kind and family</h2>"
    for feasible in (True, False):
        parts = {
            family: [run for run in comparison.runs if (run.family, run.feasible) == here]
            for here in families(comparison)
            for family in here[:1]
            if here[1] is feasible
        }
        if not parts:
            continue
        times = [replace(comparison, runs=part).times() for part in parts.values()]
        yield _table(
            f"PAR-2 of {_word(feasible)} instances, with how many were decided where not all were",
            ["solver", *(family or "states" for family in parts)],
            [
                [solver, *(_par2_and_decided(one[solver], comparison.limit) for one in times)]
                for solver in comparison.versions
            ],
        )


def _par2_and_decided(own: Sequence[float | None], limit: float) -> str:
    decided = sum(one is not None for one in own)
    share = "" if decided == len(own) else f", {decided}/{len(own)}"
    return f"{duration(par2(own, limit))}{share}"


def _growth(comparison: Comparison) -> Iterator[str]:
    drawn = growth_svg(comparison, comparison.limit)
    if drawn is None:
        return
    yield "<h2>Growth</h2>"
    yield _figure(
        drawn,
        "Median time over the number of cards. Hollow marks: the median run reached a limit.",
    )
    yield (
        "<p>The tables have the median time of each size; a time with &gt; says that the median "
        "run was ended there. The last column is the law that fits best, by likelihood, with the "
        "95 % interval of its exponent; runs that were ended count as longer than that, and small "
        "sizes at which the time is what starting costs are left out. No law is named that the "
        "runs do not support: where the time may as well not grow, or some size is off the line by "
        f"more than a factor of {FAR:g} and than its scatter explains. {SWITCHES.capitalize()}: "
        "the solver models small and large problems in different ways, which no one law describes."
        "</p>"
    )
    for family, feasible in families(comparison):
        rows = growth_rows(comparison, family, feasible)
        yield _table(f"{family or 'states'}, {_word(feasible)}", rows[0], rows[1:])


def families(comparison: Comparison) -> list[tuple[str, bool]]:
    """The families and kinds of the instances, as far as anybody decided them, in order."""
    found = {(run.family, run.feasible) for run in comparison.runs}
    return sorted((family, feasible) for family, feasible in found if feasible is not None)


def _word(feasible: bool) -> str:
    return "possible" if feasible else "impossible"


def growth_rows(comparison: Comparison, family: str, feasible: bool) -> list[list[str]]:
    """A table: the median time of every solver at every size, and how it grows.

    Returns: the head, then a row per solver: its name, a time per size, and the law.
    """
    known = all_solvers()
    here = [run for run in comparison.runs if (run.family, run.feasible) == (family, feasible)]
    sizes = sorted({run.cards for run in here})
    table = [["solver", *(f"{size} cards" for size in sizes), "growth"]]
    for solver in comparison.versions:
        own = [run for run in here if run.solver == solver and (run.decided or run.ended)]
        cells = []
        for size in sizes:
            times = sorted(
                (run.ended, run.seconds if run.decided else comparison.limit)
                for run in own
                if run.cards == size
            )
            ended, seconds = times[len(times) // 2] if times else (False, None)
            cells.append(("> " if ended else "") + duration(seconds))
        fit = growth(
            [
                Observation(run.cards, run.seconds if run.decided else comparison.limit, run.ended)
                for run in own
            ]
        )
        law = "-" if fit is None else fit.sentence()
        if fit is not None and solver in known and known[solver].switches:
            law = SWITCHES
        table.append([solver, *cells, law])
    return table


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
