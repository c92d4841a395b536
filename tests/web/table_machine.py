"""A machine that acts at a table at random, and compares the table with `table_oracle.Oracle`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import islice
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.web.table_oracle import OPEN, PERSON, PROGRAM, Game, Oracle, Refused

T = TypeVar("T")

GAMES = [
    Game("quaternity", {"set_size": 2, "sets": 2, "players": 2}, 2, (60, 5)),
    Game("quaternity", {"set_size": 2, "sets": 3, "players": 3}, 3),
    Game("kwartet", {"players": 3, "sets": 3}, 3),
    Game("quarto", {}, 2, (30, 40)),
    Game("set", {"seats": 3}, 3),
]

PEOPLE = range(4)
"""The people who may come to a table."""

visitors = st.sampled_from(PEOPLE)

choices = st.integers(0, 8)
"""Which person acts: mostly a player at the table."""

seats = st.integers(0, 2)


class Driver(ABC):
    """A table that a machine acts at.

    Every action returns its answer, or raises `Refused`. People are numbers; the driver keeps
    their tokens.
    """

    @abstractmethod
    def make(self, game: Game, kinds: list[str], seed: int) -> dict[int, Any]:
        """Make a table, at which people 0, 1, ... have the seats of the kind `PERSON`.

        Return the links of the open seats.
        """

    @abstractmethod
    def act(self, person: int, action: str, **sent: Any) -> Any:
        """Have a person do something."""

    @abstractmethod
    def look(self, person: int | None) -> dict[str, Any]:
        """Return what a person, or a bystander, sees. The person does not count as present."""

    @abstractmethod
    def leave_alone(self, seat: int) -> bool:
        """Let the player of a seat be away for a long time. Return whether this was possible."""

    @abstractmethod
    def pass_time(self, seconds: float) -> None:
        """Let time pass for the clock."""

    def restart(self) -> bool:
        """Restart the server, if there is one. Return whether all people count as present."""
        return False

    def close(self) -> bool:
        """End the server, if there is one. Return whether there was one."""
        return False


class TableMachine(RuleBasedStateMachine):
    """Random actions at a table. A subclass says which driver is used.

    Attributes:
        tolerance: Seconds by which clocks may differ.
    """

    tolerance = 1e-6
    driver: Driver
    oracle: Oracle

    def make_driver(self) -> Driver:
        """Return the driver of a new machine."""
        raise NotImplementedError

    @initialize(
        game=st.sampled_from(GAMES), seed=st.integers(0, 9), data=st.data(),
        start=st.booleans(),
    )  # fmt: skip
    def begin(self, game: Game, seed: int, data: st.DataObject, start: bool) -> None:
        kinds = st.sampled_from([PERSON, PERSON, PERSON, PROGRAM, *([] if start else [OPEN] * 4)])
        drawn = [PERSON, *(data.draw(kinds) for _ in range(game.seats - 1))]
        self.driver = self.make_driver()
        self.links = self.driver.make(game, drawn, seed)
        self.oracle = Oracle(game, drawn, seed)
        self.is_followed = False
        self.sent: list[tuple[int, int, dict[str, Any], int]] = []

    def teardown(self) -> None:
        if hasattr(self, "driver"):
            self.driver.close()

    def both(self, person: int, expect: Callable[[], T], action: str, **sent: Any) -> T | None:
        """Act at the table and at the oracle, which must agree. Return the oracle's answer."""
        self.oracle.absent.discard(person)
        try:
            expected = expect()
        except Refused:
            try:
                answer = self.driver.act(person, action, **sent)
            except Refused:
                return None
            raise AssertionError(f"{action} {sent} by {person} was accepted: {answer}") from None
        self.answer = self.driver.act(person, action, **sent)
        return expected

    def person(self, choice: int) -> int:
        """Return the person of a choice."""
        owners = [chair.owner for chair in self.oracle.chairs if chair.owner is not None]
        return choice % len(PEOPLE) if choice > 6 or not owners else owners[choice % len(owners)]

    # ------------------------------------------------------------------ before the game

    @rule(person=visitors, wanted=st.none() | seats)
    def join(self, person: int, wanted: int | None) -> None:
        if self.oracle.seat_of(person) is None and (wanted or 0) < len(self.oracle.chairs):
            seat = self.both(person, lambda: self.oracle.join(person, wanted), "join", seat=wanted)
            assert seat is None or self.answer == seat

    @rule(choice=choices, ready=st.booleans())
    def set_ready(self, choice: int, ready: bool) -> None:
        person = self.person(choice)
        self.both(person, lambda: self.oracle.ready(person, ready), "ready", ready=ready)

    @rule(choice=choices)
    def leave(self, choice: int) -> None:
        person = self.person(choice)
        seat = self.oracle.seat_of(person)
        self.both(person, lambda: self.oracle.leave(person), "leave")
        if seat is not None and not self.oracle.begun:
            self.links.pop(seat, None)

    @rule(choice=choices, fill=st.sampled_from([PROGRAM, "nobody"]))
    def start(self, choice: int, fill: str) -> None:
        person = self.person(choice)
        self.both(person, lambda: self.oracle.start(person, fill), "start", fill=fill)
        if fill == "nobody" and self.oracle.begun:
            self.links = {}  # the seats may have other numbers now

    # ------------------------------------------------------------------ the game

    @precondition(lambda self: self.oracle.to_act)
    @rule(data=st.data(), late=st.integers(0, 9), stranger=st.integers(0, 9))
    def move(self, data: st.DataObject, late: int, stranger: int) -> None:
        seat = data.draw(st.sampled_from(self.oracle.to_act))
        rules, view = self.oracle.rules, self.oracle.rules.view(self.oracle.position, seat)
        texts = [rules.write(move) for move in islice(rules.moves(view), 30)]
        person = data.draw(visitors) if stranger == 0 else self.oracle.chairs[seat].owner
        is_late = late == 0 and len(self.oracle.to_act) == 1
        if person is None or not texts:
            return
        own = self.oracle.seat_of(person)
        if own is not None and own != seat and own in self.oracle.to_act:
            return  # the text may be illegal there
        text = data.draw(st.sampled_from(texts))
        number = sum(at == own for _, at, _, _ in self.sent)  # every seat counts its moves from 0
        sent = {"version": self.oracle.version - is_late, "text": text, "id": f"m{number}"}
        version = self.both(
            person, lambda: self.oracle.move(person, sent["version"], text), "move", **sent
        )
        if version is not None:
            assert self.answer == version
            self.sent.append((person, seat, sent, version))

    @rule(data=st.data(), count=st.integers(2, 6))
    def play(self, data: st.DataObject, count: int) -> None:
        """The players make several moves in a row."""
        for _ in range(count if self.oracle.begun else 0):
            if self.oracle.to_act:
                self.move(data, late=1, stranger=1)

    @precondition(lambda self: self.sent)
    @rule(data=st.data(), text=st.sampled_from([None, "nonsense"]))
    def repeat(self, data: st.DataObject, text: str | None) -> None:
        """A move whose answer was lost is sent again, and is not made again."""
        person, seat, sent, version = data.draw(st.sampled_from(self.sent))
        if self.oracle.seat_of(person) == seat:
            self.oracle.absent.discard(person)
            again = sent | ({"text": text} if text else {})
            assert self.driver.act(person, "move", **again) == version

    @rule(choice=choices, agree=st.booleans(), late=st.integers(0, 9))
    def vote(self, choice: int, agree: bool, late: int) -> None:
        person = self.person(choice)
        version = self.oracle.version + (late == 0)
        expected = self.both(
            person, lambda: self.oracle.vote(person, version, agree), "undo",
            version=version, agree=agree,
        )  # fmt: skip
        assert expected is None or self.answer == expected

    @precondition(lambda self: self.sent)
    @rule()
    def take_back(self) -> None:
        """All people agree to take the last moves back."""
        for choice in range(sum(chair.owner is not None for chair in self.oracle.chairs)):
            self.vote(choice, agree=True, late=1)

    # ------------------------------------------------------------------ seats

    @rule(choice=choices, seat=seats, player=st.sampled_from(["me", "open", PROGRAM]))
    def hand_over(self, choice: int, seat: int, player: str) -> None:
        person = self.person(choice)
        opened = self.both(
            person, lambda: self.oracle.hand_over(person, seat, player), "hand-over",
            seat=seat, player=player,
        )  # fmt: skip
        if opened is not None:
            assert (self.answer is not None) == opened
            if opened:
                self.links[seat] = self.answer

    @precondition(lambda self: self.links)
    @rule(person=visitors, data=st.data())
    def follow_link(self, person: int, data: st.DataObject) -> None:
        seat = data.draw(st.sampled_from(sorted(self.links)))
        if self.oracle.seat_of(person) is None:
            link = self.links[seat]
            self.both(person, lambda: self.oracle.sit(person, seat), "sit", link=link)

    @rule(choice=choices, way=st.sampled_from(["link", "code"]))
    def change_device(self, choice: int, way: str) -> None:
        """A person takes the seat to another device; the old token is worthless."""

        person = self.person(choice)

        def moves() -> None:
            seat = self.oracle.own_seat(person)
            chair = self.oracle.chairs[seat]
            kept = self.oracle.chairs[seat]
            if way == "link" or not self.is_followed:
                chair.kind = PERSON  # a code leads to the latest table of a series instead
            self.oracle.change(seat, kept)

        self.both(person, moves, "device", way=way)

    @rule(seat=seats)
    def be_away(self, seat: int) -> None:
        if seat < len(self.oracle.chairs):
            owner = self.oracle.chairs[seat].owner
            if self.driver.leave_alone(seat) and owner is not None:
                self.oracle.absent.add(owner)

    @precondition(lambda self: self.oracle.begun)
    @rule(
        choice=choices, seat=seats, player=st.sampled_from(["open", "open", PROGRAM]),
        all_come=st.booleans(),
    )  # fmt: skip
    def take_over(self, choice: int, seat: int, player: str, all_come: bool) -> None:
        """A person gives the seat of another one away, who has been away."""
        for number in range(len(self.oracle.people) if all_come else 0):
            self.vote(number, agree=False, late=1)
        self.be_away(seat)
        self.hand_over(choice, seat, player)

    @rule(seconds=st.floats(0, 50))
    def pass_time(self, seconds: float) -> None:
        self.driver.pass_time(seconds)
        self.oracle.pass_time(seconds)

    @rule(data=st.data())
    def restart(self, data: st.DataObject) -> None:
        if self.driver.restart():
            self.oracle.absent.clear()
            if self.sent:
                self.repeat(data, None)

    @rule(choice=choices)
    def rematch(self, choice: int) -> None:
        person = self.person(choice)
        seats = self.both(person, lambda: self.oracle.rematch(person), "again")
        if seats is not None and not self.is_followed:
            self.is_followed = True  # later calls return the same table, whatever has happened here
            assert [tuple(seat) for seat in self.answer["seats"]] == seats

    # ------------------------------------------------------------------ what people see

    @invariant()
    def all_see_what_they_may(self) -> None:
        if not hasattr(self, "oracle"):
            return
        oracle = self.oracle
        position = oracle.position if oracle.begun else None
        for person in (*PEOPLE, None):
            seat = None if person is None else oracle.seat_of(person)
            state = self.driver.look(person)
            assert state["seat"] == seat
            assert state["begun"] == oracle.begun
            assert state["version"] == oracle.version
            assert [s["kind"] for s in state["seats"]] == [c.kind for c in oracle.chairs]
            if not oracle.begun:
                ready = [chair.ready for chair in oracle.chairs]
                assert [s["ready"] for s in state["seats"]] == ready
                assert state["view"] is None
                continue
            assert list(state["to_act"]) == oracle.to_act
            assert state["view"] == oracle.rules.view_json(oracle.rules.view(position, seat))
            assert list(state["undo"]) == sorted(oracle.undo)
            assert (state["outcome"] is None) == (not oracle.over)
            votes = {at: sorted(agreed) for at, agreed in oracle.takeovers.items()}
            assert {int(at): list(agreed) for at, agreed in state["votes"].items()} == votes
            for left, expected in zip(state["left"], oracle.clock_left(), strict=True):
                assert abs(left - expected) <= self.tolerance
