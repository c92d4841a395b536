"""The score of a series: a chain of rematches between the same players.

Each game of a series has a separate table. In the database, a series is called an evening.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from quaternity.web.store import Store


class Score(NamedTuple):
    """The numbers of games that a player has played, won and tied in a series of rematches.

    A game with several winners counts as a tie for each of them, and as a win for nobody. `seat` is
    the player's seat at the table that shows the score. It is None if the player has left.
    """

    name: str
    games: int = 0
    wins: int = 0
    ties: int = 0
    seat: int | None = None
    is_program: bool = False


def evening_score(store: Store, first: str, table: str) -> tuple[Score, ...]:
    """Return the scores of all players in a series of rematches, the best player first.

    A series is a chain of rematches. `first` is the id of its first table, and `table` the id of
    the table that shows the scores. Two seats belong to the same person if they have the same
    token. If they have no token, the cookie is compared, or else the name. Two seats belong to the
    same program if it joined the series at the same seat (see `seats.Seat.origin`).
    """
    rows = store.read(
        "SELECT id, places, seat, COALESCE(token, browser, person), COALESCE(person, name), "
        "COALESCE(origin, table_id || '/' || seat) FROM tables JOIN seats ON table_id = id "
        "WHERE id = ? OR evening = ? ORDER BY tables.rowid, seat",
        first,
        first,
    )
    present = {
        owner or origin: (name, seat) for at, _, seat, owner, name, origin in rows if at == table
    }
    scores: dict[str, Score] = {}
    for _, text, seat, owner, name, origin in rows:
        places = json.loads(text or "[]")
        if not places:
            continue
        player = owner or origin
        score, is_first = scores.get(player, Score("")), places[seat : seat + 1] == [1]
        shown, current = present.get(player, (name, None))
        scores[player] = Score(
            shown or "",
            score.games + 1,
            score.wins + (is_first and places.count(1) == 1),
            score.ties + (is_first and places.count(1) > 1),
            current,
            not owner,
        )
    return tuple(sorted(scores.values(), key=lambda score: (-score.wins, -score.ties, score.name)))
