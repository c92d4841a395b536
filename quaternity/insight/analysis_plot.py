"""Plots of an analysis: a heat map of probabilities, and the number of deals after each move."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10, nan

from quaternity.base.plots import Style, default_style, new_figure, picture_format, save_figure
from quaternity.insight.analysis import Analysis


@default_style()
def plot_analysis(path: str, analysis: Analysis, curve: Sequence[int | None] = ()) -> None:
    """Draw a heat map of the probabilities of an analysis, and save it as an image file.

    Args:
        path: the image file, whose name ends in .png, .svg or .pdf.
        curve: the numbers of deals after 0, 1, 2 … moves, which are drawn below the heat map. None
            stands for an unknown number.

    Raises:
        InputError: If matplotlib is not installed, or the file cannot be written.
    """
    picture_format(path)
    cards = [chances for chance in analysis.chances for chances in chance]
    sizes = [len(c) for c in analysis.chances]
    players = len(analysis.counts)
    width = max(6.0, min(24.0, 1.5 + 0.24 * len(cards)))
    heights = [1.0 + 0.35 * players, 3.0] if curve else [1.0 + 0.35 * players]
    figure = new_figure(width, sum(heights) + 0.8)
    axes = figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    heat = axes[0]
    image = heat.imshow(
        [[chances[player] for chances in cards] for player in range(players)],
        cmap="viridis", vmin=0, vmax=1, aspect="auto", interpolation="nearest",
    )  # fmt: skip
    start = 0
    middles = []
    for size in sizes:
        if start:
            heat.axvline(start - 0.5, color="white", linewidth=1.5)
        middles.append(start + (size - 1) / 2)
        start += size
    heat.set_xticks(middles, [str(index) for index in range(len(sizes))])
    heat.set_yticks(range(players), [f"player {player}" for player in range(players)])
    heat.set_xlabel("set")
    heat.set_title(
        f"chance that a player owns a card ({format_count(analysis.deals)})", fontsize=11
    )
    figure.colorbar(image, ax=heat, pad=0.01)
    if curve:
        heights = [nan if deals is None else log10(deals) for deals in curve]
        style = Style(0)
        axes[1].plot(
            range(len(curve)), heights, color=style.colour, marker=style.marker, markersize=4,
            markevery=max(1, len(curve) // 40),
        )  # fmt: skip
        axes[1].set_title("possible deals after each move", fontsize=11)
        axes[1].set_xlabel("moves")
        axes[1].set_ylabel("log10 of the number of deals")
        axes[1].set_ylim(bottom=0)
        axes[1].grid(alpha=0.3)
    save_figure(figure, path)


def format_count(deals: int) -> str:
    """Return a number of deals as text that fits in a title.

    >>> format_count(1), format_count(34650), format_count(10**5000)
    ('1 deal', '34,650 deals', 'about 10^5000 deals')
    """
    if deals < 10**40:
        return f"{deals:,} deal{'s' * (deals != 1)}"
    return f"about 10^{log10(deals):.0f} deals"
