"""A picture of some games: who won how often, and how fast the possible deals became fewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quaternity.files.pictures import new_figure, save_figure
from quaternity.kwartet.standing import Mean, Standing, WorldsByGo
from quaternity.workers.seatings import labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST_GAMES = 2
"""The curves end where games of fewer deals than this are still going."""


def plot_standing(path: str, standing: Standing, worlds: Sequence[WorldsByGo]) -> None:
    """Draw sole and tied wins and, where worlds were counted, their mean logarithms by go.

    Args:
        path: ends in .png, .svg or .pdf.
        worlds: may be empty.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    names = labels(standing.strategies)
    figure = new_figure(10.0 if worlds else 5.5, 1.8 + 0.6 * max(4, len(names)))
    if worlds:
        left, right = figure.subplots(1, 2)
        _draw_worlds(right, names, worlds)
    else:
        left = figure.subplots()
    _draw_wins(left, names, standing)
    save_figure(figure, path)


def _draw_wins(axes: Axes, names: Sequence[str], standing: Standing) -> None:
    places = list(range(len(names)))
    sole = [number / standing.games for number in standing.sole_wins]
    tied = [number / standing.games for number in standing.tied_players]
    axes.barh(places, sole, label="won alone")
    axes.barh(places, tied, left=sole, label="tied for the most sets", alpha=0.5)
    axes.set_yticks(places, list(names))
    axes.invert_yaxis()
    axes.set_xlabel(f"share of {standing.games} games")
    axes.legend()


def _draw_worlds(axes: Axes, names: Sequence[str], worlds: Sequence[WorldsByGo]) -> None:
    shown = [one for one in worlds if one.deals >= FEWEST_GAMES] or worlds
    goes = [one.goes for one in shown]

    def draw(name: str, values: Sequence[Mean], width: float) -> None:
        means = [value.mean for value in values]
        (line,) = axes.plot(goes, means, label=name, linewidth=width)
        axes.fill_between(
            goes,
            [value.mean - 2 * value.se for value in values],
            [value.mean + 2 * value.se for value in values],
            color=line.get_color(),
            alpha=0.2,
        )

    draw("everybody", [one.public for one in shown], 2.0)
    for entry, name in enumerate(names):
        draw(name, [one.own[entry] for one in shown], 1.0)
    axes.set_xlabel("goes finished (games still going)")
    axes.set_ylabel("possible deals, mean log10 ± 2 standard errors")
    axes.set_ylim(bottom=0)
    axes.legend()
    axes.grid(alpha=0.3)


__all__ = ["FEWEST_GAMES", "labels", "plot_standing"]
