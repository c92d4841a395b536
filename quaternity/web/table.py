"""One table: a game that people and programs play move by move, kept before anybody sees it.

A table holds the present position and what was seen of the moves; earlier positions are made again
from the moves when somebody looks at them.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from math import inf
from random import Random
from time import monotonic
from typing import Any, NamedTuple

from quaternity.errors import IllegalMove, InputError, PlayerTimeout, QuaternityError
from quaternity.files.text_record import settings_text
from quaternity.table.match import kept_by_undo
from quaternity.table.protocol import Step
from quaternity.web.refusal import Refusal
from quaternity.web.sight import SeatSight, Sight
from quaternity.web.store import TAKEN_BACK, Entry, Statement, Store
from quaternity.web.streams import Stream, message, send
from quaternity.web.thinking import Thinking

RECENT = 32
"""Of so many versions the position is kept, for moves that were made in an earlier one."""

MOST_ALONE = 2_000
"""Programs make so many moves in a row, until a person moves again."""

GONE_SECONDS = 40.0
"""Who has no stream open and asked for nothing for so long is not there."""

LONGEST_NEWS = 200
"""Who comes back after more events than these is told to look at the table itself."""

OPEN, PERSON, PROGRAM = "open", "person", "program"


class Seat(NamedTuple):
    """Who sits somewhere, and how he shows that it is his seat.

    Attributes:
        kind: `OPEN`, `PERSON` or `PROGRAM`.
        name: of the person or the program.
        person: the name of the person whose seat it is, whoever plays there now.
        token, browser: hashes of what shows that it is his; None where there is no such thing.
        invitation: what invites, or invited, to the seat.
    """

    kind: str
    name: str | None = None
    person: str | None = None
    token: str | None = None
    browser: str | None = None
    invitation: str | None = None

    @property
    def is_held(self) -> bool:
        """Whether it is somebody's, whoever plays there."""
        return self.token is not None or self.browser is not None


class Kept(NamedTuple):
    """What the store has of a table: see `quaternity.web.store`."""

    id: str
    game: str
    head: str
    seed: str
    help: bool
    practice: bool
    archive: bool
    maker: str | None
    again: str | None


class Who(NamedTuple):
    """One who looks at a table.

    Attributes:
        held: the seats that are his.
        maker: whether he made the table.
        looking: the seat from which he looks; None: as a bystander.
    """

    held: tuple[int, ...]
    maker: bool
    looking: int | None


class Table:
    """One table under way or over."""

    def __init__(
        self, kept: Kept, seats: list[Seat], entries: Sequence[Entry], store: Store,
        thinking: Thinking, rules: Any, start: Any,
    ) -> None:  # fmt: skip
        """A table as the store has it; `rules` and `start` are what its head says."""
        self.kept, self.seats, self.rules = kept, seats, rules
        self._seen = [-inf] * len(seats)
        self._store, self._thinking = store, thinking
        self.streams: set[Stream] = set()
        self.again = kept.again
        self.undo: set[int] = set()
        self.notice: str | None = None
        self.start = self.position = start
        self.moves: list[tuple[int, Any]] = []
        self.steps: list[Step] = []
        self._numbers: list[int] = [0]
        """Per version how many moves there were."""
        self._answered: dict[tuple[int, str], int] = {}
        self._recent: OrderedDict[int, Any] = OrderedDict({0: start})
        self.lock = asyncio.Lock()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._alone = 0
        self._positions: list[Any] | None = None
        self.secret = has_secret(rules)
        for entry in entries:
            self._rebuild(entry)

    def _rebuild(self, entry: Entry) -> None:
        if entry.seat == TAKEN_BACK:
            self._forget(int(entry.move))
        else:
            move = self.rules.read(entry.move, self.rules.view(self.position, entry.seat))
            after = self.rules.after(self.position, entry.seat, move)
            self._advance(entry, move, after, self._step(entry.seat, move, after))

    def _step(self, seat: int, move: Any, after: Any) -> Step:
        return Step(seat, tuple(self.rules.events(self.position, seat, move, after)))

    def _advance(self, entry: Entry, move: Any, after: Any, step: Step) -> None:
        """A move that is kept becomes one of the game."""
        self.position = after
        self.moves.append((entry.seat, move))
        self.steps.append(step)
        if entry.id:
            self._answered[entry.seat, entry.id] = entry.version
        self._note_version()

    def _forget(self, count: int) -> None:
        """Moves that were taken back are no part of the game any more."""
        kept = len(self.moves) - count
        self.position = self.positions(kept)[kept]
        del self.moves[kept:], self.steps[kept:]
        self._positions = None
        self._note_version()

    def _note_version(self) -> None:
        self._numbers.append(len(self.moves))
        self._recent[self.version] = self.position
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)

    @property
    def version(self) -> int:
        """The length of the log."""
        return len(self._numbers) - 1

    @property
    def to_act(self) -> Sequence[int]:
        """The seats that may move now."""
        return () if self.kept.archive else self.rules.to_act(self.position)

    @property
    def is_over(self) -> bool:
        """Whether nobody will move any more, and nothing need be hidden."""
        return self.kept.archive or not self.rules.to_act(self.position)

    @property
    def is_quiet(self) -> bool:
        """Whether nobody looks, and nothing is under way."""
        return not (self.streams or self._tasks or self.lock.locked())

    def positions(self, upto: int) -> list[Any]:
        """The positions from the start on, to that after so many moves at least."""
        found = self._positions or [self.start]
        for seat, move in self.moves[len(found) - 1 : upto]:
            found.append(self.rules.after(found[-1], seat, move))
        self._positions = found
        return found

    def forget_positions(self) -> None:
        """Give memory back."""
        self._positions = None

    # ------------------------------------------------------------------ who is there

    def who(self, token: str | None, browser: str | None, asked: int | None = None) -> Who:
        """Who somebody is, by the hashes of what he shows.

        Of several seats he looks from the one that may move, or from the first.

        Args:
            asked: the seat from which he wants to look.

        Raises:
            Refusal: it is not his.
        """
        held = tuple(
            number
            for number, seat in enumerate(self.seats)
            if (token is not None and seat.token == token)
            or (token is None and browser is not None and seat.browser == browser)
        )
        now = monotonic()
        for number in held:
            self._seen[number] = now
        maker = token is None and browser is not None and browser == self.kept.maker
        if asked is not None:
            if asked not in range(len(self.seats)):
                raise Refusal(404, f"there is no seat {asked}")
            if asked not in held and not self.is_over:
                raise Refusal(403, f"seat {asked} is not yours")
            return Who(held, maker, asked)
        acting = [one for one in held if one in self.to_act] if len(held) > 1 else []
        return Who(held, maker, next(iter(acting or held), None))

    def is_present(self, seat: int) -> bool:
        """Whether somebody is in a seat, as far as can be told."""
        there = any(stream.seat == seat for stream in self.streams)
        return there or monotonic() - self._seen[seat] < GONE_SECONDS

    def people(self) -> list[int]:
        """The seats that people play."""
        return [number for number, seat in enumerate(self.seats) if seat.kind == PERSON]

    # ------------------------------------------------------------------ what is shown

    def sight(self, who: Who, at: int | None = None) -> Sight:
        """What somebody may be shown, now or after so many moves."""
        rules, last = self.rules, len(self.moves)
        number = last if at is None else min(max(at, 0), last)
        position = self.position if number == last else self.positions(number)[number]
        over = self.is_over
        streaming = {stream.seat for stream in self.streams}
        seats = tuple(
            SeatSight(
                seat.name,
                seat.kind,
                index in streaming,
                seat.invitation if who.maker and seat.kind == OPEN else None,
            )
            for index, seat in enumerate(self.seats)
        )
        places = rules.places(position)
        return Sight(
            self.kept.id, rules.name, rules, settings_of(rules), self.version, number, last,
            who.looking, who.held, seats,
            () if self.kept.archive else tuple(rules.to_act(position)),
            rules.view(position, who.looking), tuple(self.steps[:number]),
            tuple(rules.points(position)), None if places is None else tuple(places),
            bool(self.kept.help), bool(self.kept.practice) and self.secret,
            tuple(sorted(self._tasks)), tuple(sorted(self.undo)),
            self._store.trouble or self.notice, self.kept.id, self.again,
            self.start if over and self.secret else None,
        )  # fmt: skip

    def record(self, who: Who) -> str:
        """The record of the game; before its end only what somebody may know.

        People are called `you`, as at a terminal, so that it can be played on there.
        """
        rules = self.rules
        names = [
            seat.name or "you" if seat.kind == PROGRAM else "you" for seat in self.seats
        ]  # fmt: skip
        if self.secret and not self.is_over:
            lines = [
                f"{rules.name}, before its end: what is open and what you see yourself",
                *settings_text(rules.settings).splitlines(),
                *rules.show(rules.view(self.position, who.looking)).splitlines(),
                *(event for step in self.steps for event in step.events),
            ]
            return "".join(f"# {line}\n" for line in lines)
        positions = self.positions(len(self.moves))
        lines = [
            rules.record_move(positions[number], seat, move, positions[number + 1])
            for number, (seat, move) in enumerate(self.moves)
        ]
        return "".join((rules.record_start(self.start, names), *lines))

    def listen(self, stream: Stream, last: int | None) -> None:
        """Begin a stream, with what its reader has missed since it saw version `last`.

        It ends with the present version: who has an older one looks at the table.
        """
        stream.left = self._left
        if last is not None and 0 <= self.version - last <= LONGEST_NEWS:
            for version in range(last + 1, self.version + 1):
                stream.put(self._news(version))
        data = {"version": self.version}
        stream.put(message("version", data, self.version))
        self._tell("seats", {})

    def _left(self, stream: Stream) -> None:
        if stream.seat is not None:
            self._tell("seats", {})

    def _news(self, version: int) -> bytes:
        """What happened in an entry of the log; nothing of moves that were taken back."""
        before, number = self._numbers[version - 1], self._numbers[version]
        if number <= before:
            data: dict[str, Any] = {"version": version, "events": [], "taken_back": before - number}
        else:
            present = min(self._numbers[version:]) == number and number <= len(self.steps)
            events = self.steps[number - 1].events if present else ()
            data = {"version": version, "events": [{"text": text} for text in events]}
            if present:
                data["seat"] = self.steps[number - 1].seat
        return message("move", data, version)

    def _tell(self, event: str, data: dict[str, Any]) -> None:
        if self.streams:
            send(self.streams, message(event, data))

    # ------------------------------------------------------------------ what people do

    async def play(self, seat: int, version: int, identity: str, text: str) -> int:
        """Make a move; the version with it. The same identity again: the same answer.

        Where several may act at once, it is judged by what it meant in its version.

        Raises:
            Refusal: it may not be made, or cannot be kept.
        """
        async with self.lock:
            known = self._answered.get((seat, identity)) if identity else None
            if known is not None:
                return known
            acting = self.to_act
            stale = version != self.version
            if stale and len(acting) < 2:
                raise Refusal(409, "the table has moved on", version=self.version)
            if seat not in acting:
                text = "it is not this seat's turn" if acting else "the game is over"
                raise Refusal(409, text, version=self.version)
            return await self._play(seat, identity, self._meant(seat, version, text))

    def _meant(self, seat: int, version: int, text: str) -> Any:
        """The move in a text as it was meant in some version, if it still means that.

        Raises:
            Refusal: it is none, or what it names is gone.
        """
        rules = self.rules
        now = rules.view(self.position, seat)
        if version == self.version:
            try:
                return rules.read(text, now)
            except InputError as error:
                raise Refusal(422, str(error), faults=[str(error)]) from None
        gone = Refusal(409, "what this names is gone", version=self.version)
        if version not in self._recent:
            raise gone
        then = rules.view(self._recent[version], seat)
        try:
            move = rules.read(text, then)
        except InputError as error:
            raise Refusal(422, str(error), faults=[str(error)]) from None
        if rules.faults(now, move) or not rules.still_means(move, then, now):
            raise gone
        return move

    async def _play(self, seat: int, identity: str, move: Any) -> int:
        """Judge a move, keep it, make it and tell of it."""
        try:
            after = self.rules.after(self.position, seat, move)
        except IllegalMove as error:
            raise Refusal(422, str(error), faults=error.faults) from None
        step = self._step(seat, move, after)
        entry = Entry(self.kept.id, self.version + 1, seat, identity, self.rules.write(move))
        ends = () if self.rules.to_act(after) else self._marked_over(True)
        await self._store.write((entry,), ends)
        self._advance(entry, move, after, step)
        self._alone = 0 if self.seats[seat].kind == PERSON else self._alone + 1
        self._changed()
        return self.version

    def _marked_over(self, over: bool) -> tuple[Statement, ...]:
        return (("UPDATE tables SET over = ? WHERE id = ?", (over, self.kept.id)),)

    def _changed(self) -> None:
        """After an entry of the log: tell of it, and let programs think."""
        self.undo.clear()
        self.notice = None
        if self.streams:
            send(self.streams, self._news(self.version))
        self.wake()

    async def agree_to_undo(self, seat: int, version: int, agree: bool) -> int:
        """Agree to take moves back, or no longer; when all people do, that is done.

        Raises:
            Refusal: nothing can be taken back, or not any more, or it cannot be kept.
        """
        async with self.lock:
            if version != self.version:
                raise Refusal(409, "the table has moved on", version=self.version)
            if not self.moves or self.kept.archive:
                raise Refusal(409, "there is nothing to take back", version=self.version)
            if self.is_over and self.secret:
                raise Refusal(409, "the game is over, and all is revealed", version=self.version)
            if self.seats[seat].kind != PERSON:
                raise Refusal(409, "a program plays in this seat", version=self.version)
            (self.undo.add if agree else self.undo.discard)(seat)
            people = self.people()
            if not self.undo.issuperset(people):
                self._tell("undo", {"agreed": sorted(self.undo)})
                return self.version
            positions = self.positions(len(self.moves))
            count = len(self.moves) - kept_by_undo(self.rules, positions, self.moves, people)
            entry = Entry(self.kept.id, self.version + 1, TAKEN_BACK, "", str(count))
            await self._store.write((entry,), self._marked_over(False))
            self._forget(count)
            self._changed()
            return self.version

    async def change_seat(self, seat: int, new: Seat) -> None:
        """Put somebody in a seat, and keep that.

        Raises:
            Refusal: it cannot be kept.
        """
        await self._store.write((), (seat_statement(self.kept.id, seat, new),))
        self.seats[seat] = new
        self.notice = None
        self._alone = 0
        self.undo.clear()
        self.seats_changed()
        self.wake()

    def seats_changed(self) -> None:
        """Tell that somebody else sits somewhere, or plays."""
        self._tell("seats", {})

    # ------------------------------------------------------------------ what programs do

    def wake(self) -> None:
        """Let the programs think that may move now, and nobody else."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks = {}
        if self._alone > MOST_ALONE:
            return
        for seat in self.to_act:
            if self.seats[seat].kind == PROGRAM:
                self._tasks[seat] = asyncio.create_task(self._program(seat))
        self.act_for_absent()

    def act_for_absent(self) -> None:
        """Where several may act: what is done for those who are not there, so that it goes on."""
        acting = self.to_act
        if len(acting) < 2:
            return
        for seat in acting:
            if seat in self._tasks or self.seats[seat].kind == PROGRAM or self.is_present(seat):
                continue
            move = self.rules.for_absent(self.rules.view(self.position, seat))
            if move is not None:
                text = self.rules.write(move)
                self._tasks[seat] = asyncio.create_task(self._move_of(seat, self.version, text))

    async def _program(self, seat: int) -> None:
        """Think about one move, and make it unless the table has moved on."""
        version, name = self.version, self.seats[seat].name or ""
        random = Random(f"{self.kept.seed}/{seat}/{len(self.moves)}")
        view = self.rules.view(self.position, seat)
        try:
            planned = await self._thinking.plan(
                self.rules, name, seat, tuple(self.steps), view, random
            )
        except QuaternityError as error:
            self._tasks.pop(seat, None)
            # No more: what it says may tell what it has in its hand.
            what = "takes too long" if isinstance(error, PlayerTimeout) else "failed"
            self._note(f"{name} in seat {seat} {what}: hand the seat to somebody else")
            return
        if planned is None:
            self._tasks.pop(seat, None)
            self.seats_changed()
            return
        await asyncio.sleep(planned.seconds if len(self.to_act) > 1 else 0)
        await self._move_of(seat, version, self.rules.write(planned.move))

    async def _move_of(self, seat: int, version: int, text: str) -> None:
        """A move that is made for a seat: nothing ends it half way, and what fails is told."""
        self._tasks.pop(seat, None)
        try:
            await self.play(seat, version, "", text)
        except Refusal as error:
            if error.status != 409:
                self._note(f"a move in seat {seat} could not be made")

    def _note(self, text: str) -> None:
        self.notice = text
        self._tell("notice", {"text": text})

    def stop(self) -> None:
        """Let no program think here."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks = {}
        for stream in list(self.streams):
            stream.end()


@cache
def has_secret(rules: Any) -> bool:
    """Whether chance decides at the start of a game what nobody, or not everybody, may see."""
    first = rules.start(Random(0))
    return any(rules.start(Random(seed)) != first for seed in range(1, 9))


def settings_of(rules: Any) -> dict[str, Any]:
    """Settings by name, in values of JSON."""
    return {
        one.name: str(value) if isinstance(value, str) else value
        for one in fields(rules.settings)
        for value in [getattr(rules.settings, one.name)]
    }


def seat_statement(table: str, number: int, seat: Seat) -> Statement:
    """What keeps who sits somewhere."""
    return (
        "INSERT OR REPLACE INTO seats (table_id, seat, kind, name, person, token, browser, "
        "invitation) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (table, number, *seat),
    )


__all__ = ["OPEN", "PERSON", "PROGRAM", "Kept", "Seat", "Table", "Who", "has_secret"]
