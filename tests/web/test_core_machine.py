"""The core of a table agrees with a naive model, whatever people do at the table."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import settings

from quaternity import web
from quaternity.web.actor import LiveTable
from quaternity.web.clock import Clock
from quaternity.web.core import Attendance, GameBegun, SeatsChanged, TableState, apply, decide
from quaternity.web.documents import document
from quaternity.web.game_commands import Rematch, Start, check_start
from quaternity.web.http_errors import HttpError
from quaternity.web.move_commands import LeaveToProgram, Move, VoteUndo
from quaternity.web.new_table import rules_with
from quaternity.web.seat_commands import (
    ChangeOwner,
    HandOver,
    Join,
    Leave,
    Reclaim,
    SetCode,
    SetReady,
)
from quaternity.web.seating import new_state, record_head
from quaternity.web.seats import (
    Caller,
    Deal,
    Options,
    Owner,
    Seat,
    StoredTable,
    Visitor,
    hash_token,
)
from quaternity.web.view import view_table
from tests.sizes import thorough
from tests.web.table_machine import Driver, TableMachine
from tests.web.table_oracle import OPEN, PERSON, PROGRAM, Game, Refused


class CoreDriver(Driver):
    """A table that consists of its core alone: a state, and a time."""

    def __init__(self) -> None:
        self.now, self.count = 1000.0, 0
        self.tokens: dict[int, str] = {}
        self.away: set[int] = set()
        self.state: TableState
        self.rematch: dict[str, Any] = {}

    def draw(self) -> str:
        """Return a new token."""
        self.count += 1
        return f"token {self.count}"

    def make(self, game: Game, kinds: list[str], seed: int) -> dict[int, Any]:
        rules = rules_with(game.name, game.settings, game.seats)
        waits, deal = OPEN in kinds, str(seed)
        clock = None if game.clock is None else json.dumps(Clock(*game.clock))
        chairs = []
        for number, kind in enumerate(kinds):
            if kind == PERSON:
                self.tokens[number] = self.draw()
                owner = Owner(hash_token(self.tokens[number]))
                chairs.append(Seat(PERSON, "somebody", "somebody", owner))
            elif kind == PROGRAM:
                chairs.append(Seat(PROGRAM, "random"))
            else:
                chairs.append(Seat(OPEN, invitation=self.draw()))
        stored = StoredTable(
            "table", game.name,
            Deal(record_head(rules, "" if waits else deal), deal, deal if waits else None),
            Options(True, True, False, "plain", False, clock), invitation="the link",
        )  # fmt: skip
        self.state = new_state(stored, rules, "" if waits else deal, tuple(chairs), self.now)
        return {n: seat.invitation for n, seat in enumerate(chairs) if seat.kind == OPEN}

    def caller(self, person: int | None) -> Caller:
        """Return the credentials of a person."""
        token = None if person is None else self.tokens.get(person)
        return Caller(None if token is None else hash_token(token))

    def attendance(self) -> Attendance:
        """Return who is present and who is absent."""
        people = set(self.state.people)
        return Attendance(frozenset(people - self.away), frozenset(self.away))

    def act(self, person: int, action: str, **sent: Any) -> Any:
        visitor = self.state.visitor(self.caller(person))
        if visitor.looking is not None:
            self.away.discard(visitor.looking)
        try:
            return self.decide(person, action, sent)
        except HttpError:
            raise Refused from None

    def submit(self, command: Any) -> Any:
        """Decide on a command, and apply its events."""
        events, answer = decide(self.state, command, self.now)
        before = self.state
        self.state = apply(before, *events)
        for event in events:
            if isinstance(event, SeatsChanged):
                people = {n for n, seat in event.seats.items() if seat.kind == PERSON}
                self.away -= people
            if isinstance(event, GameBegun):
                self.away = {new for new, old in enumerate(event.numbers) if old in self.away}
        return answer

    def decide(self, person: int, action: str, sent: dict[str, Any]) -> Any:
        state, visitor = self.state, self.state.visitor(self.caller(person))
        if action in ("join", "sit"):
            invitation, token = sent.get("link", "the link"), self.draw()
            command = Join(invitation, sent.get("seat"), None, Caller(), token, "-", self.draw())
            ticket = self.submit(command)
            self.tokens[person] = token
            return ticket.seat
        seat = visitor.looking
        if seat is None:
            raise Refused
        token_hash = state.seats[seat].token
        match action:
            case "ready":
                return self.submit(SetReady(seat, token_hash, sent["ready"], self.draw()))
            case "leave":
                return self.submit(Leave(seat, token_hash, self.draw()))
            case "start":
                check_start(state, visitor, self.attendance())
                return self.submit(Start(sent["fill"], "random", self.draw()))
            case "move":
                return self.submit(
                    Move(seat, token_hash, sent["version"], sent["id"], sent["text"])
                )
            case "undo":
                return self.submit(VoteUndo(seat, token_hash, sent["version"], sent["agree"]))
            case "hand-over":
                tokens, draws = state.tokens(seat), (self.draw(), self.draw())
                wanted = sent["seat"], sent["player"], visitor, tokens, self.attendance()
                return self.submit(HandOver(*wanted, *draws))
            case "device":
                return self.change_device(person, seat, sent["way"])
        assert action == "again"
        invitations = tuple(self.draw() for _ in state.seats)
        draws4 = (self.draw(), self.draw(), self.draw(), self.draw())
        before = self.state
        events, _ = decide(before, Rematch(visitor, *draws4, invitations), self.now)
        if not events:
            return self.rematch
        self.state = apply(before, *events)
        owners = {hash_token(token): number for number, token in self.tokens.items()}
        table: TableState = cast("Any", events[0]).table
        self.rematch = {
            "seats": [(s.kind, owners.get(s.token or ""), s.pace.saved) for s in table.seats]
        }
        return self.rematch

    def change_device(self, person: int, seat: int, way: str) -> None:
        token, now = self.draw(), self.state.seats[seat].token or ""
        if way == "link":
            command: Reclaim | ChangeOwner = Reclaim(now, "hash of the link", Caller(), token)
        else:
            code = self.draw()
            self.submit(SetCode(seat, now, code))
            command = Reclaim(code, None, Caller(), token)
            if self.rematch:  # the code restores the seat there, and changes only the owner here
                owner = Owner(hash_token(token), None, code)
                command = ChangeOwner(now, owner)
        self.submit(command)
        self.tokens[person] = token

    def look(self, person: int | None) -> dict[str, Any]:
        visitor = self.state.visitor(self.caller(person))
        table: Any = SimpleNamespace(
            state=self.state, attendance=self.attendance, notice=None, uptime=lambda: self.now,
            programs=SimpleNamespace(tasks={}), presence=SimpleNamespace(streaming=set),
            talk=SimpleNamespace(score=(), shown_lines=lambda visitor: ()),
        )  # fmt: skip
        view = view_table(cast("LiveTable", table), visitor)
        return document(view, "") | {"votes": view.takeover_votes, "left": view.times_left}

    def leave_alone(self, seat: int) -> bool:
        self.away.add(seat)
        return True

    def pass_time(self, seconds: float) -> None:
        self.now += seconds


class CoreMachine(TableMachine):
    """Random actions on the core of a table."""

    def make_driver(self) -> Driver:
        return CoreDriver()


TestCore = CoreMachine.TestCase
TestCore.settings = settings(
    max_examples=thorough(125, 5000), stateful_step_count=thorough(40, 60), deadline=None
)


CORE = ("core", "move_commands", "seat_commands", "game_commands", "seating", "versioned_history",
        "changes")  # fmt: skip
IMPURE = {"asyncio", "threading", "time", "datetime", "secrets", "sqlite3", "psycopg", "starlette"}


@pytest.mark.parametrize("name", CORE)
def test_the_core_has_no_clock_no_store_and_no_random_tokens(name: str) -> None:
    tree = ast.parse(Path(web.__path__[0], f"{name}.py").read_text())
    imported = {
        module.partition(".")[0]
        for node in ast.walk(tree)
        for module in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import)
            else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not imported & IMPURE
    assert not names & {"new_token", "new_code", "Store", "LiveTable"}


def make_first_move(table: CoreDriver) -> None:
    """Make the first legal move at a table of Quarto."""
    (seat,), rules, version = table.state.to_act, table.state.rules, table.state.version
    text = rules.write(next(iter(rules.moves(table.state.history.position))))
    table.submit(Move(seat, table.state.seats[seat].token, version, f"{version}", text))


def test_a_program_plays_for_a_player_who_has_not_come_to_the_rematch() -> None:
    table = CoreDriver()
    table.make(Game("quarto", {}, 2), [PERSON, PERSON], 1)
    while table.state.to_act:
        make_first_move(table)
    rematch = Rematch(Visitor((0,), False, 0), "a", "b", "c", "d", ("", ""))
    events, _ = decide(table.state, rematch, 0.0)
    table.state = cast("Any", events[0]).table
    table.submit(Start(None, "random", "deal"))
    seats = [(seat.kind, seat.is_held) for seat in table.state.seats]
    assert seats == [(PROGRAM, True), (PERSON, True)]


def test_a_program_takes_over_only_in_the_turn_whose_clock_ran_out() -> None:
    table = CoreDriver()
    table.make(Game("quarto", {}, 2, (60, 0)), [PERSON, PERSON], 1)
    late = table.state.due
    assert late is not None
    for _ in range(2):
        table.now += 1
        make_first_move(table)
    assert table.state.to_act == (0,)
    table.submit(LeaveToProgram(0, late))
    assert table.state.seats[0].kind == PERSON
    table.submit(LeaveToProgram(0, cast(float, table.state.due)))
    assert table.state.seats[0].kind == PROGRAM
