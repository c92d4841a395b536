"""The score of a series: a chain of rematches between the same players.

Each game of a series has a separate table. In the database, a series is called an evening.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from itertools import groupby
from typing import NamedTuple

from quaternity.web.store import Store


class Score(NamedTuple):
    """The numbers of games that a player has played, won and tied in a series of rematches.

    A game with several winners counts as a tie for each of them, and as a win for nobody. `seat` is
    the seat of a program at the table that shows the score. It is None for a person.
    """

    name: str
    games: int = 0
    wins: int = 0
    ties: int = 0
    seat: int | None = None


def evening_score(store: Store, first: str, table: str) -> tuple[Score, ...]:
    """Return the scores of all players in a series of rematches, the best player first.

    `first` is the id of the first table of the series, and `table` the id of the table that shows
    the scores. Two seats belong to the same person if they have the same token or, without a token,
    the same cookie or else the same name. A program moves to the next seat in each rematch, as all
    players do.
    """
    rows = store.read(
        "SELECT tables.id, places, seat, COALESCE(token, browser), person, name "
        "FROM tables JOIN seats ON table_id = id WHERE id = ? OR evening = ? "
        "ORDER BY tables.rowid, seat",
        first,
        first,
    )
    tables = [list(seats) for _, seats in groupby(rows, key=lambda row: row[0])]
    now = next((number for number, seats in enumerate(tables) if seats[0][0] == table), 0)
    scores: dict[Hashable, Score] = {}
    for number, seats in enumerate(tables):
        places = json.loads(seats[0][1] or "[]")
        shared = places.count(1) > 1
        for (_, _, seat, owner, person, program), place in zip(seats, places, strict=False):
            seat_now = None if person or owner else (seat + now - number) % len(seats)
            player = owner or person or (program, seat_now)
            score = scores.get(player, Score(""))
            scores[player] = Score(
                person or program or "",
                score.games + 1,
                score.wins + (place == 1 and not shared),
                score.ties + (place == 1 and shared),
                seat_now,
            )
    return tuple(sorted(scores.values(), key=lambda score: (-score.wins, -score.ties, score.name)))
