"""The score of a series of games, which the same people play one after another.

Each game of a series has a separate table.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import NamedTuple

from quaternity.web.store import Store


class Score(NamedTuple):
    """The number of games, wins and ties of a player in a series.

    A game with several winners counts as a tie for each winner, not as a win.
    """

    name: str
    games: int = 0
    wins: int = 0
    ties: int = 0


def evening_score(store: Store, first: str) -> tuple[Score, ...]:
    """Return the score of the finished games of a series. The best player comes first.

    `first` is the id of the first table of the series. A person is identified by the hash of a
    token or cookie, and a program by its name.
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
