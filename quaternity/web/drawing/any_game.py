"""Drawing of games that have no drawing module: the table as text, and the moves as buttons."""

from __future__ import annotations

from itertools import islice
from typing import Any

from quaternity.web.table_view import TableView

COLUMNS = 60
MAX_BUTTONS = 100


def part(sight: TableView) -> dict[str, Any]:
    """Return the values of the template: the table as text, and the visitor's legal moves."""
    rules, acting = (
        sight.rules,
        not sight.empty_seats and sight.seat in {*sight.to_act} & {*sight.own_seats},
    )
    legal = rules.moves(sight.view) if acting else ()
    moves = [rules.write(move) for move in islice(legal, MAX_BUTTONS + 1)]
    return {
        "table": rules.show(sight.view, COLUMNS),
        "moves": moves[:MAX_BUTTONS],
        "more": len(moves) > MAX_BUTTONS,
    }
