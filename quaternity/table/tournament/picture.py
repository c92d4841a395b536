"""Plots of a tournament: shares of wins, ratings, and the possible deals left after each turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quaternity.base.plots import (
    COLOURS,
    Style,
    default_style,
    new_figure,
    plain_label,
    save_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from quaternity.table.tournament.scores import Measured, Table, WorldsByGo

MIN_DEALS = 2
"""Minimum number of deals with unfinished games at a point of a curve. Points with fewer such deals
are left out, unless all points have fewer."""


@default_style()
def draw_table(
    path: str, players: Sequence[str], table: Table, worlds: Sequence[WorldsByGo] = ()
) -> None:
    """Plot how often each player of a tournament won alone or tied for the win.

    A second panel shows how many deals are still possible after each turn, if `worlds` is given.
    Otherwise it shows ratings, if there are any.

    Args:
        path: file to write, with a name that ends in .png, .svg or .pdf.
        players: names of the players.
        table: scores of the players in the tournament.
        worlds: mean numbers of possible deals after each turn.
    """
    rated = any(record.rating for record in table.records)
    figure = new_figure(10.0 if worlds or rated else 5.5, 1.8 + 0.6 * max(4, len(players)))
    bars, *right = figure.subplots(1, 1 + bool(worlds or rated), squeeze=False)[0]
    places = list(range(len(players)))
    shares = [record.share for record in table.records]
    sole = [share.mean for share in shares]
    tied = [record.tied / max(1, record.games) for record in table.records]
    bars.barh(
        places, sole, xerr=_errors(shares), capsize=3, color=COLOURS[5],
        label="won alone, with 95 % intervals",
    )  # fmt: skip
    bars.barh(places, tied, left=sole, color=COLOURS[4], hatch="//", label="tied for the win")
    bars.set_yticks(places, [plain_label(name) for name in players])
    bars.invert_yaxis()
    bars.set_xlim(0, 1)
    bars.set_title("shares of wins")
    bars.set_xlabel(f"share of {table.games} games")
    bars.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=8)
    if worlds:
        _draw_worlds(right[0], players, worlds)
    elif rated:
        _draw_ratings(right[0], [record.rating for record in table.records])
    save_figure(figure, path)


def _draw_ratings(axes: Axes, ratings: Sequence[Measured | None]) -> None:
    rated = [(rating, place) for place, rating in enumerate(ratings) if rating is not None]
    values, places = zip(*rated, strict=True)
    means = [value.mean for value in values]
    axes.errorbar(means, places, xerr=_errors(values), fmt="o", capsize=3, color=COLOURS[0])
    axes.set_ylim(len(ratings) - 0.5, -0.5)
    axes.set_yticks([])
    axes.set_title("ratings")
    axes.set_xlabel("rating, with 95 % intervals")
    axes.grid(alpha=0.3)


def _draw_worlds(axes: Axes, names: Sequence[str], worlds: Sequence[WorldsByGo]) -> None:
    shown = [world for world in worlds if world.deals >= MIN_DEALS] or worlds
    goes = [s.goes for s in shown]

    def draw(name: str, values: Sequence[Measured], style: Style) -> None:
        means, errors = [value.mean for value in values], _errors(values)
        axes.plot(
            goes, means, label=plain_label(name), color=style.colour, marker=style.marker,
            markersize=5, markevery=max(1, len(goes) // 12),
        )  # fmt: skip
        axes.fill_between(
            goes,
            [mean - error for mean, error in zip(means, errors, strict=True)],
            [mean + error for mean, error in zip(means, errors, strict=True)],
            color=style.colour,
            alpha=0.2,
        )

    draw("everybody", [x.public for x in shown], Style(2 * len(COLOURS) - 1))
    for entry, name in enumerate(names):
        draw(name, [y.own[entry] for y in shown], Style(entry))
    axes.set_title("possible deals, given each player's knowledge")
    axes.set_xlabel("completed turns (only games that are not over)")
    axes.set_ylabel("possible deals, mean log10 with 95 % intervals")
    axes.set_ylim(bottom=0)
    axes.legend()
    axes.grid(alpha=0.3)


def _errors(values: Sequence[Measured]) -> list[float]:
    return [value.margin or 0.0 for value in values]
