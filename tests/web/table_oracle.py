"""A naive model of a table in the browser: who sits where, the moves, the votes and the clock.

It shares only the reading of settings with `quaternity.web`. It replays the game from its start.
It knows only what players see: tokens, revisions and stores do not occur.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import QuaternityError
from quaternity.table.games import rules_class
from quaternity.web.forms import read_settings

OPEN, PERSON, PROGRAM = "open", "person", "program"


class Game(NamedTuple):
    """A game with its settings, and with a clock of some seconds and an increment, or without."""

    name: str
    settings: dict[str, Any]
    seats: int
    clock: tuple[int, int] | None = None


class Chair:
    """A seat: its kind, its owner (a number), and whether the owner is ready."""

    def __init__(self, kind: str, owner: int | None = None) -> None:
        self.kind, self.owner = kind, owner
        self.ready, self.saved = True, 0.0


class Refused(Exception):
    """Raised for an action that the table must refuse."""


def require(*conditions: bool) -> None:
    """Refuse an action unless all conditions hold."""
    if not all(conditions):
        raise Refused


class Oracle:
    """The expected table. Each action raises `Refused`, or changes the table.

    Attributes:
        absent: The people who have been away for a long time.
        used: Seconds that the player to move has used.
        limit: Seconds that the player to move had when the clock began to run, or None.
    """

    def __init__(self, game: Game, kinds: list[str], seed: int) -> None:
        self.game, self.seed = game, seed
        self.rules: Any = rules_class(game.name)(read_settings(game.name, game.settings))
        self.chairs = [Chair(kind, number if kind == PERSON else None)
                       for number, kind in enumerate(kinds)]  # fmt: skip
        self.begun = OPEN not in kinds
        self.moves: list[tuple[int, str]] = []
        self.version = 0
        self.undo: set[int] = set()
        self.takeovers: dict[int, set[int]] = {}
        self.absent: set[int] = set()
        self.used: float = 0.0
        self.limit: float | None = None
        self._replayed: tuple[Any, list[Any]] = None, []
        self._run_clock()

    # ------------------------------------------------------------------ questions

    def positions(self) -> list[Any]:
        """Return all positions of the game."""
        key = self.rules, tuple(self.moves)
        if self._replayed[0] != key:
            positions = [self.rules.start(Random(f"{self.seed}/deal"))]
            for seat, text in self.moves:
                now = positions[-1]
                move = self.rules.read(text, self.rules.view(now, seat))
                positions.append(self.rules.after(now, seat, move))
            self._replayed = key, positions
        return self._replayed[1]

    @property
    def position(self) -> Any:
        """The current position."""
        return self.positions()[-1]

    @property
    def to_act(self) -> list[int]:
        """The seats that may move."""
        return list(self.rules.to_act(self.position)) if self.begun else []

    @property
    def over(self) -> bool:
        """Return whether the game is over."""
        return not self.rules.to_act(self.position)

    @property
    def people(self) -> set[int]:
        """The seats in which people play."""
        return {number for number, chair in enumerate(self.chairs) if chair.kind == PERSON}

    @property
    def hides(self) -> bool:
        """Return whether hands are hidden now."""
        return bool(self.rules.hidden) and self.begun and not self.over

    def seat_of(self, person: int) -> int | None:
        """Return the seat that a person owns."""
        owners = [chair.owner for chair in self.chairs]
        return owners.index(person) if person in owners else None

    def own_seat(self, person: int) -> int:
        """Return the seat that a person owns. Refuse an action of people without a seat."""
        seat = self.seat_of(person)
        if seat is None:
            raise Refused
        return seat

    def present(self, seat: int) -> bool:
        """Return whether a person plays in a seat and has not been away."""
        return self.chairs[seat].kind == PERSON and self.chairs[seat].owner not in self.absent

    def is_host(self, seat: int) -> bool:
        """Return whether the player of a seat is the first person present."""
        return next(filter(self.present, range(len(self.chairs))), None) == seat

    def clock_left(self) -> list[float]:
        """Return the seconds left for each seat. Empty without a clock."""
        if self.game.clock is None:
            return []
        left = [self.game.clock[0] + chair.saved for chair in self.chairs]
        if self.clock_runs and self.limit is not None:
            left[self.to_act[0]] = max(0.0, self.limit - self.used)
        return left

    def pass_time(self, seconds: float) -> None:
        """Let time pass, which a running clock counts."""
        if self.clock_runs:
            self.used += seconds

    def _run_clock(self) -> None:
        if self.clock_runs and self.limit is None and self.game.clock is not None:
            self.limit = self.game.clock[0] + self.chairs[self.to_act[0]].saved

    @property
    def clock_runs(self) -> bool:
        """Return whether a clock is running."""
        acting = self.to_act
        return (
            self.game.clock is not None
            and len(acting) == 1
            and self.chairs[acting[0]].kind == PERSON
        )

    # ------------------------------------------------------------------ before the game

    def join(self, person: int, wanted: int | None) -> int:
        """A newcomer takes a seat by the link of the table."""
        free = [number for number, chair in enumerate(self.chairs) if chair.kind == OPEN]
        require(not self.begun, bool(free), wanted is None or wanted in free)
        return self.sit(person, free[0] if wanted is None else wanted)

    def sit(self, person: int, seat: int) -> int:
        """A newcomer takes an open seat."""
        require(seat < len(self.chairs) and self.chairs[seat].kind == OPEN)
        self.change(seat, Chair(PERSON, person))
        return seat

    def ready(self, person: int, ready: bool) -> None:
        """A player is ready, or not."""
        seat = self.own_seat(person)
        require(not self.begun)
        self.chairs[seat].ready = ready
        self.change(seat, self.chairs[seat])

    def leave(self, person: int) -> None:
        """A player leaves before the game."""
        seat = self.own_seat(person)
        require(not self.begun)
        self.change(seat, Chair(OPEN))

    def start(self, person: int, fill: str | None) -> None:
        """The host starts the game. Programs fill the open seats, or these are left out."""
        seat = self.own_seat(person)
        require(not self.begun, self.is_host(seat))
        if fill == "nobody":
            left = [chair for chair in self.chairs if chair.kind != OPEN]
            if len(left) < len(self.chairs):
                name = next((n for n in ("players", "seats") if n in self.game.settings), "")
                require(bool(left), bool(name))
                settings = self.game.settings | {name: len(left)}
                try:
                    chosen = read_settings(self.game.name, settings)
                except QuaternityError:
                    raise Refused from None
                self.rules = rules_class(self.game.name)(chosen)
                self.chairs = left
        for chair in self.chairs:
            if chair.kind == OPEN:
                chair.kind = PROGRAM
        self._begin()

    def _begin(self) -> None:
        self.begun = True
        for chair in self.chairs:
            chair.ready = True
        self._turn()

    def _turn(self) -> None:
        self.used, self.limit = 0.0, None
        self._run_clock()

    def change(self, seat: int, chair: Chair) -> None:
        """A seat has a new player: all votes end, and perhaps the game begins."""
        self.chairs[seat] = chair
        self._run_clock()
        self.undo, self.takeovers = set(), {}
        is_full = all(c.kind != OPEN and (c.ready or c.kind == PROGRAM) for c in self.chairs)
        if not self.begun and is_full:
            self._begin()

    # ------------------------------------------------------------------ the game

    def move(self, person: int, version: int, text: str) -> int:
        """A player moves. Return the new version."""
        seat = self.own_seat(person)
        acting = self.to_act
        require(self.begun, seat in acting, version == self.version)
        require(len(acting) < 2 or all(self.chairs[other].kind != OPEN for other in acting))
        if self.clock_runs and self.game.clock is not None:
            seconds, increment = self.game.clock
            saved = self.clock_left()[seat] - seconds + increment
            self.chairs[seat].saved = min(max(0.0, saved), 9.0 * seconds)
        self.moves.append((seat, text))
        return self._note_version()

    def _note_version(self) -> int:
        self.undo, self.takeovers = set(), {}
        self.version += 1
        self._turn()
        return self.version

    def vote(self, person: int, version: int, agree: bool) -> int:
        """A player agrees to an undo, or no longer. Return the version."""
        seat = self.own_seat(person)
        leavers = [c for c in self.chairs if c.kind == PROGRAM and c.owner is not None]
        require(version == self.version, bool(self.moves), self.chairs[seat].kind == PERSON)
        require(not (self.over and self.game.name in ("kwartet", "set")))  # all is revealed
        require(not (self.rules.hidden and leavers))
        undo = self.undo | {seat} if agree else self.undo - {seat}
        if not undo >= self.people:
            self.undo = undo
            return self.version
        kept, positions = len(self.moves), self.positions()
        while True:
            kept -= 1
            is_answer = not self.rules.is_settled(positions[kept])
            asker = self.moves[kept - 1][0] if is_answer else None
            if not kept or (self.moves[kept][0] in self.people and asker not in self.people):
                break
        del self.moves[kept:]
        return self._note_version()

    # ------------------------------------------------------------------ seats

    def hand_over(self, person: int, seat: int, player: str) -> bool:
        """A player gives a seat away. Return whether it is open now."""
        own = self.own_seat(person)
        require(seat < len(self.chairs))
        chair, is_own, is_host = self.chairs[seat], own == seat, self.is_host(own)
        require(self.begun or is_own or is_host)
        is_away = chair.owner is None or is_own or chair.owner in self.absent
        if player == "me":
            require(is_own)
            chair.kind = PERSON
            self._replace(seat, PERSON, chair.owner)
        elif player == "open":
            if chair.owner is None:
                others = [c.owner for c in self.chairs if c.owner not in (None, person)]
                require(not (chair.kind == PROGRAM and self.hides and others))
            else:
                require(is_away)
                if not self._agree(seat, own, is_host):
                    return False
            self._replace(seat, OPEN, None)
            return True
        else:
            require(is_away, chair.owner is None or is_own or is_host)
            self._replace(seat, PROGRAM, chair.owner)
        return False

    def _replace(self, seat: int, kind: str, owner: int | None) -> None:
        before = self.chairs[seat]
        chair = Chair(kind, owner)
        chair.saved = before.saved if kind != OPEN else 0.0
        chair.ready = before.ready if kind != OPEN else True
        self.change(seat, chair)

    def _agree(self, seat: int, own: int, is_host: bool) -> bool:
        """Return whether the seat of an absent player may be given away after one more vote."""
        if not self.hides:
            require(is_host or own == seat)
            return True
        voters = {other for other in self.people if other != seat and self.present(other)}
        require(not voters <= {own})
        agreed = self.takeovers.get(seat, set()) | {own}
        if agreed >= voters:
            return True
        self.takeovers[seat] = agreed
        return False

    def rematch(self, person: int) -> list[tuple[str, int | None, float]]:
        """A player wants a rematch. Return kind, owner and saved seconds of each of its seats."""
        seat = self.own_seat(person)
        require(self.begun, self.over or self.people <= {seat})
        seats = [(chair.kind, chair.owner, 0.0) for chair in self.chairs]
        return [seats[-1], *seats[:-1]]
