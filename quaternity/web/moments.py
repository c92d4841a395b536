"""The view of a table after each change, for pages that show one change after another."""

from __future__ import annotations

from typing import Any

from quaternity.web.seats import Visitor
from quaternity.web.table_view import TableView


async def sight_after(table: Any, visitor: Visitor, version: int, asked: bool) -> TableView:
    """Return what a visitor may see of a table after the change to a version.

    If a later undo erased this version, the view is that of the next version that exists. The view
    contains nothing that happened later: no votes, notices, links or results.

    Args:
        table: A `quaternity.web.table.Table`.
        asked: Whether the visitor asked for the seat from which the game is seen. Otherwise it is
            the visitor's seat that could act then.
    """
    history, kept, number = table.history, -1, 0
    while (kept, number) != table.history.kept_version(version):
        history = table.history
        kept, number = history.kept_version(version)
        position = history.recent.get(kept)
        if position is None and kept != history.version:
            __, position = await table.moment(number)
    taken_back = history.taken_back(kept)
    if kept == history.version:
        present: TableView = table.sight(visitor)._replace(taken_back=taken_back)
        return present
    acting = table.rules.to_act(position)
    if len(visitor.seats) > 1 and not asked:
        mover = next((seat for seat in visitor.seats if seat in acting), visitor.seats[0])
        visitor = visitor._replace(looking=mover)
    past: TableView = table.sight(visitor, (number, position))
    return past._replace(
        version=kept, last=number, taken_back=taken_back, thinking=(), undo=(), notice=None,
        rematch=None, revealed=past.revealed if past.places is not None else None,
        empty_seats=past.empty_seats if acting else (), takeover_votes={},
        series=() if table.is_over else past.series,
    )  # fmt: skip
