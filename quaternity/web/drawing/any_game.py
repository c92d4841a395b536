"""Page of a game that has no drawing module: the position as text, and the moves as buttons."""

from __future__ import annotations

from itertools import islice
from typing import Any

from quaternity.web.table_view import TableView

COLUMNS = 60
"""Width of the text that shows the table, in characters."""

MAX_BUTTONS = 100
"""Maximum number of legal moves for which a page has buttons."""


def part(sight: TableView) -> dict[str, Any]:
    """Return values for the HTML template: the position as text, and the visitor's legal moves.

    The value `more` is true if moves are missing because there are more than `MAX_BUTTONS`.
    """
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
