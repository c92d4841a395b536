"""The contents of the drawings of a comparison, read back from the drawings."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from quaternity.base.text_table import table_lines
from quaternity.trials.comparison import drawing
from quaternity.trials.comparison.page import page
from quaternity.trials.comparison.report import (
    COLUMNS,
    VIRTUAL_BEST,
    counts,
    document,
    duration,
    growth_parts,
    growth_rows,
    kinds,
    legend,
    remarks,
    row_table,
)
from quaternity.trials.comparison.run import Answer, Run
from quaternity.trials.comparison.runs import Comparison, parse_runs
from quaternity.trials.comparison.scores import cactus, performance_profile
from tests.limits import limited
from tests.sizes import examples, thorough

pytest.importorskip("matplotlib")

SOLVERS = ("flow", "sat", "matching", "cp")
LIMIT = 10.0


@st.composite
def comparisons(draw: st.DrawFn, sized: bool = False) -> Comparison:
    """Draw runs of some solvers on some families and sizes; with `sized`, on several game sizes."""
    solvers = SOLVERS[: draw(st.integers(1, 4))]
    families = draw(st.sampled_from([("php",), ("php", "chain"), ("4-13-4",), ("",)]))
    if sized:
        place = draw(st.sampled_from([0, 1, 2]))
        sizes = draw(st.sampled_from([(2, 3), (2, 15), (2, 16), (2, 5, 17)]))
        families = tuple(
            "-".join(str(size if place == at else 4 + (at == 1) * size) for at in range(3))
            for size in sizes
        )
    runs = []
    for family in families:
        for cards in draw(st.sampled_from([(12,), (12, 20), (12, 52, 104)])):
            for number, feasible in enumerate(draw(st.sampled_from([(True,), (True, False)]))):
                name = f"{family} {cards} {number}"
                runs += [run_of(draw, name, family, cards, feasible, solver) for solver in solvers]
    return Comparison("x", 1, LIMIT, "", "m", dict.fromkeys(solvers, "1"), runs)


def run_of(draw: st.DrawFn, name: str, family: str, cards: int, feasible: bool, solver: str) -> Run:
    verdict: Answer = "feasible" if feasible else "infeasible"
    answer: Answer = draw(st.sampled_from([verdict, verdict, "timeout", "refused", "left out"]))
    decided = answer == verdict
    seconds = draw(st.floats(0.001, 9)) if decided else LIMIT if answer == "timeout" else None
    return Run(
        name, family, cards, 3, feasible, solver, 0, answer,
        ("deal" if feasible else "shortage") if decided else None,
        seconds / 4 if decided and seconds else None,
        3 * seconds / 4 if decided and seconds else None, seconds,
        draw(st.sampled_from([None, 50 << 20, 7 << 20])), None if decided else "why",
    )  # fmt: skip


def figure_of(draw: Callable[..., object], *arguments: Any) -> Any:
    """Return the figure that a function draws, or None; no file is written."""
    figures: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "svg_of", figures.append)
        patch.setattr(drawing, "save_figure", lambda figure, path: figures.append(figure))
        draw(*arguments)
    return figures[0] if figures else None


def panels(figure: Any) -> list[Any]:
    """Return the visible panels; check that everything drawn in them can be seen."""
    shown = [axes for axes in figure.axes if axes.axison]
    for axes in shown:
        for line in axes.lines:
            for values, (start, end) in (
                (line.get_xdata(), axes.get_xlim()), (line.get_ydata(), axes.get_ylim())
            ):  # fmt: skip
                low, high = min(start, end), max(start, end)
                assert all(low * 0.999 <= value <= high * 1.001 for value in values), axes
        assert figure.get_figheight() >= 3
    figure.canvas.draw()
    boxes = [axes.get_position() for axes in shown]
    assert all(box.width > 0.1 and box.height > 0.1 for box in boxes), "nothing is squeezed"
    return shown


def points(line: Any) -> list[tuple[float, float]]:
    return list(zip(map(float, line.get_xdata()), map(float, line.get_ydata()), strict=True))


def is_hollow(line: Any) -> bool:
    return bool(line.get_markerfacecolor() == "white")


@given(comparisons())
@settings(max_examples=examples(100))
def test_growth_has_a_panel_for_each_kind_with_the_medians_of_each_solver(
    comparison: Comparison,
) -> None:
    figure = figure_of(drawing.growth_svg, comparison)
    measured = [run for run in comparison.runs if run.decided or run.ended]
    wanted = sorted({(run.family, run.feasible is True) for run in measured})
    if not wanted or len({run.cards for run in comparison.runs}) == 1:
        assert figure is None
        return
    shown = panels(figure)
    assert len(shown) == len(wanted)
    assert len({(axes.get_subplotspec().rowspan.start) for axes in shown}) == -(-len(wanted) // 3)
    for axes, (family, feasible) in zip(shown, wanted, strict=True):
        kind = "possible" if feasible else "impossible"
        assert axes.get_title() == f"{family or 'states'}, {kind}"
        solid = [line for line in axes.lines if not is_hollow(line)]
        hollow = [line for line in axes.lines if is_hollow(line)]
        for solver, line, ended in zip(comparison.versions, solid, hollow, strict=True):
            own = {
                run.cards: run.seconds for run in measured
                if (run.family, run.feasible, run.solver) == (family, feasible, solver)
            }  # fmt: skip
            assert line.get_label() == solver
            assert points(line) == sorted(own.items())
            assert points(ended) == [(size, LIMIT) for size in sorted(own) if own[size] == LIMIT]
            first, step = line.get_markevery()
            assert first < max(1, len(own))
            assert step >= 1
        assert axes.get_xscale() == axes.get_yscale() == "log"
        cards = sorted({run.cards for run in comparison.runs})
        assert [text.get_text() for text in axes.get_xticklabels()] == list(map(str, cards))


@given(comparisons(), st.integers(1, 5))
@settings(max_examples=examples(100))
def test_pairs_have_a_mark_for_every_instance(comparison: Comparison, number: int) -> None:
    names = list(comparison.versions)
    pairs = [(first, other) for first in names for other in names if first < other][:number]
    if not pairs:
        return
    figure = figure_of(drawing.pairs_svg, comparison.times, pairs, LIMIT)
    shown = panels(figure)
    assert len(shown) == len(pairs)
    assert len({axes.get_subplotspec().rowspan.start for axes in shown}) == -(-len(pairs) // 3)
    for axes, (first, other) in zip(shown, pairs, strict=True):
        marks, level = axes.lines
        times = (comparison.times[name] for name in (first, other))
        assert points(marks) == [
            (LIMIT if left is None else left, LIMIT if right is None else right)
            for left, right in zip(*times, strict=True)
        ]
        assert all(x == y for x, y in points(level))
        low, high = points(level)[0][0], points(level)[-1][0]
        assert all(low < part <= high for point in points(marks) for part in point)
        assert axes.get_xlabel() == f"{first}: seconds"
        assert axes.get_ylabel() == f"{other}: seconds"


def check_run_curves(axes: Sequence[Any], comparison: Comparison) -> None:
    """Check both curves of every solver that decided any instance against their computation."""
    cactus_axes, profile_axes = axes
    lines = {line.get_label(): line for line in cactus_axes.lines}
    curves = {name: cactus(own) for name, own in comparison.times.items()}
    assert {name: points(line) for name, line in lines.items()} == {
        name: curve for name, curve in curves.items() if curve
    }
    profiles = performance_profile(comparison.times)
    edge = profile_axes.get_xlim()
    assert edge[0] == 1
    assert edge[1] >= 2
    assert profile_axes.get_ylim()[0] == 0
    for line, (name, curve) in zip(profile_axes.lines, profiles.items(), strict=True):
        assert line.get_label() == name
        if curve:
            (_, begin), *steps, (last, share) = points(line)
            assert (begin, steps, share) == (0, curve, curve[-1][1])
            assert last > max(corner[0] for own in profiles.values() for corner in own)
        else:
            assert not points(line)


@given(comparisons())
@settings(max_examples=examples(100))
def test_both_curves_of_runs_are_drawn_as_computed(comparison: Comparison) -> None:
    check_run_curves(panels(figure_of(drawing.runs_svg, comparison.times)), comparison)


@given(st.booleans().flatmap(comparisons))
@settings(max_examples=examples(100))
def test_a_comparison_shows_its_costs_by_size_if_sizes_differ(comparison: Comparison) -> None:
    assume(any(run.decided for run in comparison.runs))
    figure = figure_of(drawing.draw_comparison, "x.svg", comparison, "title")
    costs, *others = panels(figure)
    check_run_curves(others, comparison)
    sizes = [tuple(map(int, name.split("-"))) for name in comparison.families if "-" in name]
    if len(sizes) > 1:
        differing = [len(set(column)) > 1 for column in zip(*sizes, strict=True)]
        axis = "set-size" if differing[0] else "players" if differing[2] else "sets"
        assert costs.get_xlabel() == axis
        place = ("set-size", "sets", "players").index(axis)
        swept = [size[place] for size in sizes]
        assert costs.get_xscale() == ("log" if max(swept) >= 8 * min(swept) else "linear")
        labels = [text.get_text() for text in costs.get_xticklabels()]
        assert labels == [f"{size}" for size in swept]
        parts = list(zip(swept, comparison.families.values(), strict=True))
        wanted = []
        for solver in comparison.versions:
            rows = [
                (size, row) for size, part in parts for row in part.rows
                if row.solver == solver and row.median is not None
            ]  # fmt: skip
            if rows:
                wanted.append([(size, row.median) for size, row in rows])
                partly = [(s, row) for s, row in rows if row.gave_up or row.skipped or row.left_out]
                wanted.append([(size, row.median) for size, row in partly])
        assert [points(line) for line in costs.lines] == wanted
        assert [is_hollow(line) for line in costs.lines] == [False, True] * (len(wanted) // 2)
    else:
        known = [row for row in comparison.rows if row.median is not None]
        assert [text.get_text() for text in costs.get_yticklabels()] == [
            result.solver for result in known
        ]
        for place, row in enumerate(known):
            intervals = [line for line in costs.lines if line.get_linewidth() == 6]
            spans = {tuple(map(float, line.get_xdata())) for line in intervals}
            assert spans == {result.interval for result in known if result.interval is not None}
            own = [line for line in costs.lines if round(line.get_ydata()[0]) == place]
            values = [x for line in own for x, _ in points(line)]
            assert {row.median, row.p95, row.build, row.solve} <= set(values)
            letters = {line.get_marker(): points(line) for line in own}
            assert letters["$b$"][0][0] == row.build
            assert letters["$s$"][0][0] == row.solve
            assert letters["$b$"][0][1] == letters["$s$"][0][1] < place


# ---------------------------------------------------------------------- words and tables


@given(st.floats(1e-8, 999))
@settings(max_examples=examples(1000))
def test_a_duration_has_three_digits_and_is_accurate(seconds: float) -> None:
    for exact in (seconds, 999.5e-6, 999.4999e-6, 999.5e-3, 99.95e-6, 9.995e-3, 9.995, 99, 99.95):
        number, unit = duration(exact).split()
        scale = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}[unit]
        assert float(number) * scale == pytest.approx(exact, rel=0.0051, abs=0.0051e-6)
        assert len(number.replace(".", "")) == 3
        assert float(number) < 1000


@given(st.booleans().flatmap(comparisons))
@settings(max_examples=examples(200))
def test_remarks_about_a_comparison_follow_from_its_runs(comparison: Comparison) -> None:
    text = " ".join(remarks(comparison))
    times = comparison.times
    ranked = [own for own in times.values() if any(seconds is not None for seconds in own)]
    common = sum(None not in column for column in zip(*ranked, strict=True))
    meaning = dict(legend(comparison, row_table(comparison))).get("ratio", "")
    assert ("name fewer" in meaning) == (len(ranked) > 1 and not common)
    assert ("the fastest, on the" in meaning) == (len(ranked) > 1 and common > 0)
    assert ("that decided any" in meaning) == (
        len(ranked) > 1 and common > 0 and len(ranked) < len(times)
    )
    assert ("No verdict was given." in text) == (not ranked)
    of_games = all(name == "" or "-" in name for name in comparison.families)
    possible = {run.instance for run in comparison.runs if run.feasible}
    whole = {run.instance for run in comparison.runs}
    noun = "state" if of_games else "instance"
    share = round(100 * (len(whole) - len(possible)) / len(whole))
    assert counts(comparison) == (
        f"{len(whole)} {noun}{'s' * (len(whole) != 1)}: {len(possible)} feasible, "
        f"{len(whole) - len(possible)} infeasible ({share} %)"
    )


@given(st.booleans().flatmap(comparisons))
@settings(max_examples=examples(200))
def test_the_usual_table_is_narrow_and_a_legend_explains_the_columns_shown(
    comparison: Comparison,
) -> None:
    versions = dict.fromkeys(comparison.versions, "pycryptosat 5.11.21.123")
    comparison = replace(comparison, versions=versions).labelled
    usual, wide = (row_table(comparison, wide=wide) for wide in (False, True))
    names = [column.name for column in COLUMNS]
    for table in (usual, wide):
        assert table[0] == [name for name in names if name in table[0]]
        meanings = legend(comparison, table)
        assert [name for name, _ in meanings] == table[0][1:] + [VIRTUAL_BEST] * (table is wide)
        assert all(meaning and "{" not in meaning for _, meaning in meanings)
    lines = [f"{name:<10}{meaning}" for name, meaning in legend(comparison, usual)]
    assert max(map(len, [*lines, *table_lines(usual[0], usual[1:])])) <= 100
    whole = {line[0]: dict(zip(wide[0], line, strict=True)) for line in wide[1:]}
    assert sorted(line[0] for line in usual[1:]) == sorted(comparison.versions)
    for line in usual[1:]:
        assert line == [whole[line[0]][name] for name in usual[0]]
    assert {"solver", "decided", "wrong", "median", "p95", "building", "solving"} <= {*usual[0]}
    assert ("ratio" in usual[0]) == (sum(row.decided > 0 for row in comparison.rows) > 1)


@pytest.mark.parametrize("sizes", [3, 4, 6, 7, 30])
@pytest.mark.parametrize("power", [0, 2])
@pytest.mark.parametrize("family", ["php", "4-13-4", "{}-3-3"])
def test_growth_is_shown_only_of_sizes_that_follow_a_law(
    sizes: int, power: int, family: str
) -> None:
    """The sizes of a sweep, which are a family each, follow it together."""
    cards = [12 * size for size in range(1, sizes + 1)]
    runs = [
        Run(f"{size}", family.format(size // 3), size, 3, True, "flow", 0, "feasible", "deal", 0.1,
            0.2, size**power * 1e-6)
        for size in cards
    ]  # fmt: skip
    comparison = Comparison("x", 1, LIMIT, "", "m", {"flow": "1"}, runs)
    parts = list(growth_parts(comparison))
    assert bool(parts) == (sizes >= 4 and power > 0)
    for name, feasible, (head, row) in parts:
        assert (name, feasible) == ("all sizes" if "{" in family else family, True)
        assert len(head) == len(row) == min(sizes, 6) + 2
        assert [head[1], head[-2]] == ["12 cards", f"{cards[-1]} cards"]
        assert row[-1].startswith("size^2.0")
    laws = [row["law"] for row in document(comparison)["growth"]]
    assert laws == [rows[1][-1] for *_, rows in parts]


@given(comparisons())
@settings(max_examples=examples(200))
def test_a_table_has_the_figures_of_every_solver(comparison: Comparison) -> None:
    head, *body = row_table(comparison, wide=True)
    for line in body[:-1]:
        cells = dict(zip(head, line, strict=True))
        own = [run for run in comparison.runs if run.solver == cells["solver"]]
        decided = [run.cost for run in own if run.decided]
        peak = max((run.memory for run in own if run.memory is not None), default=None)
        if "peak" in head:
            assert cells["peak"] == ("-" if peak is None else f"{peak >> 20} MB")
        else:
            assert all(run.memory is None for run in comparison.runs)
        assert cells["total"] == duration(sum(decided) if decided else None)
        assert cells["decided"] == str(len(decided))
        (row,) = (row for row in comparison.rows if row.solver == cells["solver"])
        low, high = row.rank_interval
        assert cells["rank"] == f"{row.rank} ({low} to {high})"
        assert int(cells.get("timeout", "0")) == sum(run.answer == "timeout" for run in own)
        for name, part in (("building", 0.25), ("solving", 0.75)):
            assert cells[name] == duration(median(decided) * part if decided else None)


@given(st.booleans().flatmap(comparisons))
@settings(max_examples=examples(200))
def test_a_written_comparison_is_read_back(comparison: Comparison) -> None:
    """Wherever the file ends, complete lines are read, and a truncated line is reported."""
    text = comparison.text()
    assert parse_runs(text) == comparison
    ends = [match.end() for match in re.finditer("\n", text)]
    for lines in (1, len(ends) // 2, len(ends) - 1):
        for more in (0, 1, 5):
            read = parse_runs(text[: ends[lines - 1] + more])
            assert read.runs == comparison.runs[: lines - 1]
            interrupted = "the end of the file is missing: the comparison was interrupted"
            cut = [f"line {lines + 1} is incomplete and was ignored"] * (more > 0)
            assert read.warnings == (*cut, interrupted)
    with limited("quaternity.trials.comparison.runs", MAX_RUNS=len(comparison.runs) - 1):
        assert parse_runs(text) == comparison
    with limited("quaternity.trials.comparison.runs", MAX_RUNS=len(comparison.runs) - 2):
        many = f"^expected 1 to {len(ends) - 1} complete lines, not {len(ends)}$"
        with pytest.raises(InputError, match=many):
            parse_runs(text)


@given(st.booleans().flatmap(comparisons))
@settings(max_examples=examples(200))
def test_a_document_names_the_size_of_each_part(comparison: Comparison) -> None:
    written = document(comparison)
    sizes = {part["family"]: part for part in written.get("sizes", ())}
    for family, part in sizes.items():
        numbers = [part[name] for name in ("set_size", "sets", "players")]
        assert numbers == (list(map(int, family.split("-"))) if "-" in family else [None] * 3)


@given(comparisons())
@settings(max_examples=examples(60))
def test_a_page_counts_the_instances_of_every_family_and_size(comparison: Comparison) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "svg_of", lambda figure: "<svg/>")
        html = page(comparison)
    table = next(part for part in html.split("<figure>") if "Number of instances" in part)
    head, *rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr>")[1:]]
    assert head == ["family", *map(str, sorted({run.cards for run in comparison.runs}))]
    for family, *counted in rows:
        for size, entry in zip(map(int, head[1:]), counted, strict=True):
            instances = {
                (run.instance, run.feasible) for run in comparison.runs
                if (run.family or "states", run.cards) == (family, size)
            }  # fmt: skip
            possible = sum(feasible is True for _, feasible in instances)
            assert entry == (f"{possible} + {len(instances) - possible}" if instances else "-")
    families = {run.family or "states" for run in comparison.runs}
    assert [row[0] for row in rows] == sorted(families)


@given(comparisons())
@settings(max_examples=examples(200))
def test_a_row_of_growth_has_the_median_of_every_size(comparison: Comparison) -> None:
    for family, feasible in kinds(comparison):
        runs = [run for run in comparison.runs if (run.family, run.feasible) == (family, feasible)]
        sizes = sorted({run.cards for run in runs})
        head, *rows = growth_rows(comparison, family, feasible)
        assert head == ["solver", *(f"{size} cards" for size in sizes), "growth"]
        for solver, row in zip(comparison.versions, rows, strict=True):
            own = {run.cards: run for run in runs if run.solver == solver}
            assert row == [solver, *(cell(own[size]) for size in sizes), "-"]


def cell(run: Run) -> str:
    if run.answer in ("refused", "left out"):
        return "-"
    return ("> " if run.ended else "") + duration(run.seconds)


@pytest.mark.parametrize("ending", thorough(["pdf"], ["svg", "png", "pdf"]))
def test_a_comparison_is_drawn_into_a_file(ending: str, tmp_path: Path) -> None:
    runs = [
        Run("a", "php", 12, 3, True, "flow", 0, "feasible", "deal", 0.1, 0.2, 0.3),
        Run("b", "php", 20, 3, True, "flow", 0, "timeout", None, None, None, 10.0, None, "why"),
    ]
    comparison = Comparison("x", 1, LIMIT, "", "m", {"flow": "1"}, runs)
    drawing.draw_comparison(str(tmp_path / f"x.{ending}"), comparison, "title")
    data = (tmp_path / f"x.{ending}").read_bytes()
    assert data.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])
