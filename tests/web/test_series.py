"""Scores of a series of rematches, which follow the players through all changes of seats."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.ternary.rules import SetRules, SetSettings
from quaternity.web.core import Attendance, GameEnded, RematchMade, TableState, apply
from quaternity.web.game_commands import NOBODY, Rematch, Start
from quaternity.web.migrations import MIGRATIONS
from quaternity.web.seat_commands import HandOver
from quaternity.web.seating import new_state, record_head
from quaternity.web.seats import (
    OPEN,
    PERSON,
    PROGRAM,
    Deal,
    Options,
    Owner,
    Seat,
    StoredTable,
    Visitor,
    default_name,
)
from quaternity.web.series import Score, evening_score
from quaternity.web.store import Store
from quaternity.web.table_rows import event_statements, new_table_statements
from tests.sizes import examples

PROGRAMS = ("easy", "patient")


class Database:
    """The tables of a store in memory, which executes statements at once."""

    def __init__(self) -> None:
        self.database = sqlite3.connect(":memory:")

    def migrate(self, first: int, end: int) -> None:
        for script in MIGRATIONS[first:end]:
            self.database.executescript(script)

    def read(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.database.execute(text, values).fetchall()

    def scores(self, table: str) -> tuple[Score, ...]:
        return evening_score(cast("Store", self), "0", table)


def seat_of(player: str) -> Seat:
    """Return the seat of a program, or of a person, whose name then is also the token."""
    if player.startswith(PROGRAMS):
        return Seat(PROGRAM, player.partition(" ")[0])
    return Seat(PERSON, player, player, Owner(player))


def first_table(players: list[str]) -> TableState:
    rules = SetRules(SetSettings(seats=len(players)))
    stored = StoredTable(
        "0", "set", Deal(record_head(rules, "1"), "1"), Options(False, False, False, "plain")
    )
    return new_state(stored, rules, "1", tuple(map(seat_of, players)), 0.0)


def rematch(state: TableState, name: str) -> TableState:
    """Return the table of a rematch that all people have asked for."""
    visitor = Visitor(tuple(state.people), False, None)
    command = Rematch(visitor, name, "1", "1", "i", ("i",) * len(state.seats))
    (event,), _ = command.decide(state, 0.0)
    assert isinstance(event, RematchMade)
    return event.table


class Series:
    """A series of rematches, with a plain list of the players in the order of their seats."""

    def __init__(self, players: list[str]) -> None:
        self.players, self.store = players, Database()
        self.games, self.wins, self.ties = Counter[str](), Counter[str](), Counter[str]()
        self.store.migrate(0, len(MIGRATIONS))
        self.state = first_table(players)
        self.statements = new_table_statements(self.state)

    def rematch(self, leaving: list[str], fill: str) -> None:
        """Begin the next game, in which some players are missing or replaced by a program."""
        self.state = state = rematch(self.state, str(int(self.state.id) + 1))
        self.statements = new_table_statements(state)
        self.players = [self.players[-1], *self.players[:-1]]
        seats = [
            Seat(OPEN) if player in leaving else seat
            for player, seat in zip(self.players, state.seats, strict=True)
        ]
        stored = state.stored._replace(deal=state.stored.deal._replace(waiting=""))
        state = state._replace(stored=stored, seats=tuple(seats))
        for event in Start(fill, fill, "1").decide(state, 0.0).events:
            self.statements += event_statements(state, event)
            self.state = apply(state, event)
        if fill == NOBODY:
            self.players = [player for player in self.players if player not in leaving]
        for player in leaving if fill != NOBODY else ():
            self.players[self.players.index(player)] = f"{fill} instead of {player}"

    def end(self, places: list[int] | None, is_deleted: bool) -> None:
        """Store the table with the places of the players. None means that the game is not over."""
        ended = GameEnded(None if places is None else tuple(places))
        for text, values in [*self.statements, *event_statements(self.state, ended)]:
            self.store.read(text, *values)
        if is_deleted:
            self.store.read("DELETE FROM seats WHERE table_id = ?", self.state.id)
            self.store.read("DELETE FROM tables WHERE id = ?", self.state.id)
        elif places:
            winners = [p for p, place in zip(self.players, places, strict=True) if place == 1]
            self.games.update(self.players)
            (self.wins if len(winners) == 1 else self.ties).update(winners)

    def scores(self) -> list[Score]:
        """Return the expected scores."""
        seats = {name: seat for seat, name in enumerate(self.players)}
        return [
            Score(
                name.split()[0], games, self.wins[name], self.ties[name], seats.get(name),
                name.startswith(PROGRAMS),
            )
            for name, games in self.games.items()
        ]  # fmt: skip


@given(st.data())
@settings(max_examples=examples(1000), deadline=None)
def test_scores_follow_the_players_of_a_series(data: st.DataObject) -> None:
    """People leave before a rematch, programs join, and some of the earlier tables are deleted."""
    names = data.draw(st.lists(st.sampled_from(PROGRAMS), min_size=1, max_size=4))
    programs = [f"{name} {number}" for number, name in enumerate(names)]
    series = Series(data.draw(st.permutations(["Ann", "Bob", "Cem", *programs])))
    last = data.draw(st.integers(0, 4))
    for number in range(last + 1):
        if number:
            present = [name for name in ["Ann", "Bob"] if name in series.players]
            leaving = [name for name in present if data.draw(st.booleans())]
            series.rematch(leaving, data.draw(st.sampled_from([NOBODY, *PROGRAMS])))
        others = len(series.players) - 1
        places = data.draw(st.lists(st.integers(1, 4), min_size=others, max_size=others))
        places = data.draw(st.permutations([1, *places]))
        is_over, is_deleted = data.draw(st.booleans()), data.draw(st.booleans())
        series.end(places if is_over else None, is_deleted and number < last)
    scores = series.store.scores(series.state.id)
    assert Counter(scores) == Counter(series.scores())
    ranks = [(-score.wins, -score.ties, score.name) for score in scores]
    assert ranks == sorted(ranks)


def test_scores_name_people_without_names_by_their_present_seats() -> None:
    series = Series(["Ann", "Bob"])
    seats = tuple(
        seat._replace(name=default_name(number), person=default_name(number))
        for number, seat in enumerate(series.state.seats)
    )
    series.state = series.state._replace(seats=seats)
    series.statements = new_table_statements(series.state)
    series.end([1, 2], is_deleted=False)
    series.rematch([], "easy")
    series.end(None, is_deleted=False)
    expected = (Score("player 1", 1, 1, 0, 1), Score("player 0", 1, 0, 0, 0))
    assert series.store.scores(series.state.id) == expected


@pytest.mark.parametrize(("program", "games"), [("easy", [2, 2]), ("patient", [1, 1, 2])])
def test_only_the_same_program_continues_a_score(program: str, games: list[int]) -> None:
    series = Series(["Ann", "easy 0"])
    series.end([2, 1], is_deleted=False)
    series.rematch([], "easy")
    visitor = Visitor((1,), True, None)
    attendance = Attendance(frozenset({1}), frozenset())
    swap = HandOver(0, program, visitor, {1: "Ann"}, attendance, "i", "1")
    for event in swap.decide(series.state, 0.0).events:
        series.statements += event_statements(series.state, event)
        series.state = apply(series.state, event)
    series.end([2, 1], is_deleted=False)
    scores = series.store.scores(series.state.id)
    assert sorted(score.games for score in scores) == games
    assert [score.wins for score in scores if score.name == "easy"] == [1]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_older_tables_keep_the_scores_of_their_programs(size: int) -> None:
    """All players have moved to the next seat in each game, and no table is missing."""
    store = Database()
    store.migrate(0, len(MIGRATIONS) - 1)
    winners = [0, 1, 0, 0, size - 1, 1, 0]
    for number, winner in enumerate(winners):
        places = json.dumps([1 + (seat != (winner + number) % size) for seat in range(size)])
        store.read(
            "INSERT INTO tables (id, game, head, seed, help, practice, archive, evening, places) "
            "VALUES (?, 'set', '', '', 0, 0, 0, ?, ?)",
            str(number), "0" if number else None, places,
        )  # fmt: skip
        for seat in range(size):
            insert = "INSERT INTO seats (table_id, seat, kind, name) VALUES (?, ?, ?, ?)"
            store.read(insert, str(number), seat, PROGRAM, "easy")
    store.migrate(len(MIGRATIONS) - 1, len(MIGRATIONS))
    last, wins = len(winners) - 1, Counter(winners)
    assert {score.seat: score for score in store.scores(str(last))} == {
        (player + last) % size: Score(
            "easy", last + 1, wins[player], 0, (player + last) % size, is_program=True
        )
        for player in range(size)
    }
