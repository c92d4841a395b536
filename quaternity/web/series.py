"""The score of a series: a chain of rematches between the same players.

Each game of a series has a separate table. In the database, a series is called an evening.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import NamedTuple

from quaternity.web.store import Store


class Score(NamedTuple):
    """How many games a player has played, won and tied in a series of rematches.

    A game with several winners counts as a tie for each of them, and as a win for nobody.
    """

    name: str
    games: int = 0
    wins: int = 0
    ties: int = 0


def evening_score(store: Store, first: str) -> tuple[Score, ...]:
    """Return the scores of the players in the finished games of a series, the best player first.

    A series is a chain of rematches. `first` is the id of its first table. Two seats belong to the
    same player if they have the same token. If they have no token, the cookie is compared, or else
    the name.
    """
    rows = store.read(
        "SELECT tables.id, places, seat, COALESCE(token, browser, name), COALESCE(person, name) "
        "FROM tables JOIN seats ON table_id = id WHERE (id = ? OR evening = ?) "
        "AND places IS NOT NULL ORDER BY tables.rowid, seat",
        first,
        first,
    )
    scores: dict[str, Score] = {}
    for _, seats in groupby(rows, key=lambda row: row[0]):
        table_rows = list(seats)
        places = json.loads(table_rows[0][1])
        shared = places.count(1) > 1
        for _, _, seat, identity, name in table_rows:
            score = scores.get(identity, Score(name))
            first_place = places[seat] == 1
            scores[identity] = Score(
                name,
                score.games + 1,
                score.wins + (first_place and not shared),
                score.ties + (first_place and shared),
            )
    return tuple(sorted(scores.values(), key=lambda score: (-score.wins, -score.ties, score.name)))
