"""Plots of a comparison: times, growth, cactus plots, performance profiles and pairs of solvers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from quaternity.base.plots import (
    COLOURS,
    Style,
    default_style,
    new_figure,
    plain_label,
    save_figure,
    svg_of,
)
from quaternity.trials.comparison.runs import Comparison
from quaternity.trials.comparison.scores import (
    MIN_SECONDS,
    Curve,
    Times,
    cactus,
    performance_profile,
)
from quaternity.trials.comparison.sizes import parse_size_name
from quaternity.trials.comparison.summary import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@default_style()
def draw_comparison(path: str, comparison: Comparison, title: str) -> None:
    """Draw a picture with the solvers' times, a cactus plot and a performance profile.

    The cactus plot shows how many problems each solver decides in a given time. If the comparison
    contains games of several sizes, the times are plotted against the size. `path` must end in
    .png, .svg or .pdf. Raise `InputError` if matplotlib is missing or the file cannot be written.
    """
    figure = new_figure(15, 5)
    axes = figure.subplots(1, 3)
    figure.suptitle(title)
    sizes = [parse_size_name(family) for family in comparison.families]
    swept = [size for size in sizes if size is not None]
    styles = _styles(comparison.versions)
    if len(swept) > 1 and len(swept) == len(sizes):
        # The number of sets may also change in a sweep over the set size or the number of players,
        # so it is considered last.
        place = next((place for place in (0, 2) if len({size[place] for size in swept}) > 1), 1)
        parts = comparison.families.values()
        rows = [(float(size[place]), part.rows) for size, part in zip(swept, parts, strict=True)]
        _draw_growth(axes[0], rows, styles, ("set-size", "sets", "players")[place])
    else:
        _draw_medians(axes[0], [row for row in comparison.rows if row.median is not None], styles)
    _draw_runs(axes[1], axes[2], comparison.times)
    save_figure(figure, path)


@default_style()
def runs_svg(times: Times) -> str:
    """Return an SVG that shows how many problems each solver decides in a given time.

    A second plot, the performance profile, compares each time with that of the fastest solver.
    """
    figure = new_figure(11, 4.5 + 0.05 * len(times))
    cactus_axes, profile_axes = figure.subplots(1, 2)
    _draw_runs(cactus_axes, profile_axes, times)
    if legend := cactus_axes.get_legend():
        legend.remove()
    figure.legend(*cactus_axes.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    return svg_of(figure)


@default_style()
def growth_svg(comparison: Comparison) -> str | None:
    """Return an SVG that plots the time of each solver against the size of the problem.

    The possible and the impossible problems of each family have separate panels. Each marker is the
    median time at one size. A hollow marker at the time limit means that the median run was
    stopped. Return None if there are fewer than two sizes or no runs to plot.
    """
    drawn = [run for run in comparison.runs if run.decided or run.ended]
    kinds = sorted({(run.family, run.feasible is True) for run in drawn})
    limit = comparison.limit
    if not kinds or len({run.cards for run in comparison.runs}) < 2:
        return None
    rows = -(-len(kinds) // 3)
    figure = new_figure(11, 3.2 * rows + 0.5 + 0.05 * len(comparison.versions))
    axes = figure.subplots(rows, min(3, len(kinds)), squeeze=False, sharey=True)
    styles = _styles(comparison.versions)
    times: dict[tuple[str, bool, str], dict[int, list[float]]] = {}
    for run in drawn:
        curve = times.setdefault((run.family, run.feasible is True, run.solver), {})
        seconds = max(run.cost, MIN_SECONDS) if run.decided else limit
        curve.setdefault(run.cards, []).append(seconds)
    for panel, (family, feasible) in zip(axes.flat, kinds, strict=False):
        for number, (name, style) in enumerate(styles.items()):
            by_size = times.get((family, feasible, name), {})
            # The longer of two runs is taken as their median, which is also done in the tables.
            points = [
                (size, sorted(by_size[size])[len(by_size[size]) // 2]) for size in sorted(by_size)
            ]
            panel.plot(
                [size for size, _ in points], [seconds for _, seconds in points],
                color=style.colour, marker=style.marker, markersize=4, linewidth=1,
                label=plain_label(name),
                # Every curve gets at least one marker.
                markevery=(number % max(1, min(3, len(points))), 3),
            )  # fmt: skip
            ended = [size for size, seconds in points if seconds >= limit]
            panel.plot(
                ended, [limit] * len(ended), style.marker, color=style.colour,
                markerfacecolor="white", markersize=4, zorder=3,
            )  # fmt: skip
        sizes = sorted({run.cards for run in comparison.runs})
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xticks(sizes, [str(size) for size in sizes], fontsize=7)
        panel.minorticks_off()
        panel.set_title(
            plain_label(f"{family or 'states'}, {'possible' if feasible else 'impossible'}")
        )
        panel.set_xlabel("cards")
        panel.grid(alpha=0.3)
    for panel in list(axes.flat)[len(kinds) :]:
        panel.set_axis_off()
    for row in axes:
        row[0].set_ylabel("seconds")
    handles, names = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=6)
    return svg_of(figure)


@default_style()
def pairs_svg(times: Times, pairs: Sequence[tuple[str, str]], limit: float) -> str:
    """Return an SVG that compares pairs of solvers: scatter plots of their seconds per problem."""
    figure = new_figure(11, 3.8 * -(-len(pairs) // 3))
    axes = figure.subplots(-(-len(pairs) // 3), 3, squeeze=False)
    lowest = min((o for own in times.values() for o in own if o), default=limit / 10) / 2
    for panel, (first, other) in zip(axes.flat, pairs, strict=False):
        points = [
            [limit if p is None else max(p, lowest) for p in pair]
            for pair in zip(times[first], times[other], strict=True)
        ]
        panel.plot([x for x, _ in points], [y for _, y in points], "x", color=COLOURS[0], alpha=0.6)
        panel.plot([lowest, limit], [lowest, limit], color="#777777", linewidth=1)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlim(lowest, 1.5 * limit)
        panel.set_ylim(lowest, 1.5 * limit)
        panel.set_title(plain_label(f"{first} and {other}"))
        panel.set_xlabel(plain_label(f"{first}: seconds"))
        panel.set_ylabel(plain_label(f"{other}: seconds"))
        panel.grid(alpha=0.3)
    for panel in list(axes.flat)[len(pairs) :]:
        panel.set_axis_off()
    return svg_of(figure)


def _styles(solvers: Iterable[str]) -> dict[str, Style]:
    return {solver: Style(number) for number, solver in enumerate(solvers)}


def _draw_medians(axes: Axes, rows: Sequence[Row], styles: Mapping[str, Style]) -> None:
    for place, row in enumerate(rows):
        style = styles[row.solver]
        if row.median is None or row.p95 is None:
            continue
        axes.plot([row.median, row.p95], [place, place], color=style.colour, alpha=0.35, zorder=1)
        if row.interval is not None:
            axes.plot(row.interval, [place, place], color=style.colour, linewidth=6, alpha=0.5)
        axes.plot(row.median, place, style.marker, color=style.colour, markersize=8)
        axes.plot(row.p95, place, "|", color=style.colour, markersize=14)
        for seconds, letter in ((row.build, "b"), (row.solve, "s")):
            if seconds:
                axes.plot(seconds, place - 0.28, marker=f"${letter}$", color=style.colour)
    axes.set_yticks(range(len(rows)), [plain_label(row.solver) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.set_xlabel("seconds per state")
    axes.set_title("median (bar: 95 % interval), |: 95th percentile,\nb: building, s: solving")
    axes.grid(axis="x", alpha=0.3)


def _draw_growth(
    axes: Axes, sizes: Sequence[tuple[float, Sequence[Row]]], styles: Mapping[str, Style], axis: str
) -> None:
    for name, style in styles.items():
        cells = [
            (size, row) for size, rows in sizes for row in rows
            if row.solver == name and row.median is not None
        ]  # fmt: skip
        if not cells:
            continue
        axes.plot(
            [size for size, _ in cells],
            [row.median for _, row in cells if row.median is not None],
            marker=style.marker, color=style.colour, label=plain_label(name),
        )  # fmt: skip
        partly = [(size, row) for size, row in cells if row.skipped + row.gave_up + row.left_out]
        axes.plot(
            [size for size, _ in partly],
            [row.median for _, row in partly if row.median is not None],
            style.marker, color=style.colour, markerfacecolor="white", zorder=3,
        )  # fmt: skip
        certain = [(size, row.interval) for size, row in cells if row.interval is not None]
        axes.fill_between(
            [size for size, _ in certain],
            [interval[0] for _, interval in certain],
            [interval[1] for _, interval in certain],
            color=style.colour, alpha=0.2, linewidth=0,
        )  # fmt: skip
    values = [size for size, _ in sizes]
    if len(values) > 1 and values[-1] / values[0] >= 8:
        axes.set_xscale("log")
    axes.set_xticks(values, [f"{value:g}" for value in values])
    axes.minorticks_off()
    axes.set_yscale("log")
    axes.set_xlabel(axis)
    axes.set_ylabel("seconds per state")
    axes.set_title("time by size: median and 95 % interval\n(hollow: not all states were decided)")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def _draw_runs(cactus_axes: Axes, profile_axes: Axes, times: Times) -> None:
    styles = _styles(times)
    for name, own in times.items():
        _draw_curve(cactus_axes, cactus(own), styles[name], name)
    cactus_axes.set_yscale("log")
    cactus_axes.set_xlabel("instances decided")
    cactus_axes.set_ylabel("time limit per instance (s)")
    cactus_axes.set_title("cactus plot: lower and further right is better")
    cactus_axes.grid(alpha=0.3)
    if any(cactus(own) for own in times.values()):
        cactus_axes.legend(fontsize=8)
    profiles = performance_profile(times)
    worst = max((curve[-1][0] for curve in profiles.values() if curve), default=1.0) * 1.3
    for name, curve in profiles.items():
        steps = [(1.0, 0.0), *curve, (worst, curve[-1][1])] if curve else []
        style = styles[name]
        profile_axes.step(
            [ratio for ratio, _ in steps], [share for _, share in steps],
            where="post", color=style.colour, label=plain_label(name), marker=style.marker,
            markevery=max(1, len(steps) // 6), markersize=5,
        )  # fmt: skip
    profile_axes.set_xscale("log")
    profile_axes.set_xlim(1, max(worst, 2))
    profile_axes.set_ylim(0, 1.03)
    profile_axes.set_xlabel("time relative to the fastest solver on each instance")
    profile_axes.set_ylabel("share of instances")
    profile_axes.set_title("performance profile: higher is better")
    profile_axes.grid(alpha=0.3)


def _draw_curve(axes: Axes, curve: Curve, style: Style, name: str) -> None:
    if curve:
        axes.plot(
            [x for x, _ in curve], [max(y, MIN_SECONDS) for _, y in curve],
            color=style.colour, marker=style.marker, label=plain_label(name),
            markevery=max(1, len(curve) // 12), markersize=5,
        )  # fmt: skip
