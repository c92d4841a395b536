"""A picture of a tournament: how often each bot won, and the ratings."""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.files.pictures import new_figure, save_figure
from quaternity.perfect.ratings import Measured, Table


def plot_tournament(path: str, bots: Sequence[str], table: Table) -> None:
    """Draw shares of sole wins and ratings with their standard errors.

    Args:
        path: ends in .png, .svg or .pdf.

    Raises:
        InputError: matplotlib is not installed, or the file cannot be written.
    """
    figure = new_figure(8.0, 1.8 + 0.5 * len(bots))
    left, right = figure.subplots(1, 2, sharey=True)
    places = list(range(len(bots)))
    shares = [record.share for record in table.records]
    left.barh(places, [one.mean for one in shares], xerr=_errors(shares), capsize=3)
    left.set_yticks(places, list(bots))
    left.invert_yaxis()
    left.set_xlabel("share of games won alone, ± a standard error")
    left.set_xlim(0, 1)
    rated = [record.rating or Measured(0.0, None) for record in table.records]
    where = [place for place, record in enumerate(table.records) if record.rating]
    right.errorbar(
        [rated[place].mean for place in where],
        where,
        xerr=_errors([rated[place] for place in where]),
        fmt="o",
        capsize=3,
    )
    right.set_xlabel("rating, ± a standard error")
    right.grid(alpha=0.3)
    save_figure(figure, path)


def _errors(values: Sequence[Measured]) -> list[float]:
    return [one.error or 0.0 for one in values]


__all__ = ["plot_tournament"]
