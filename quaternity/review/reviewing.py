"""The review of a game: what each move was worth, what decided it, and everybody's chances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from random import Random
from typing import Any, NamedTuple

from quaternity.base.deadline import Deadline
from quaternity.base.errors import LimitError, SolverTimeout
from quaternity.base.plain_values import checked_seconds, whole
from quaternity.base.sentences import Kind, Sentence, Words, document
from quaternity.base.wording import counted, percent
from quaternity.review.chances import CURVE, GAMES, WEIGHING, Chances, Point
from quaternity.review.judge import Judge, Worth
from quaternity.review.played import Played, record_bytes
from quaternity.table.games import registration

FORMAT = "review/1"
MOST_SECONDS = 3600.0
MOMENTS = 3

CHANCE = Kind("chance", "The chance of a yes was {chance}.")
BETTER = Kind(
    "better",
    "In imagined games '{best}' wins {better}, this move {played} (the difference is known to "
    "{error}).",
)
FELL = Kind("fell", "The chances of {who:player} fell from {before} to {after}.")
ROSE = Kind("rose", "The chances of {who:player} rose from {before} to {after}.")
POINTS = Kind("points", "{who:player} came to {points} on the way to the first place.")


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move and what can be said of it.

    Attributes:
        number: of the question or move, from 1; an answer has that of its question.
        chance: of a yes, as who asked could know it; None where it is no request, or not known.
        notes: what could be known and was not used, and what a better move would have done.
        worth: what it was worth beside another move; None where nobody compared it.
    """

    number: int
    seat: int
    text: str
    events: tuple[str, ...]
    chance: float | None
    notes: tuple[str, ...]
    worth: Worth | None


class Moment(NamedTuple):
    """A move that decided the game, with sentences that say how."""

    number: int
    seat: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """A game as it looks when it is over. `str` says it in words, `document` in JSON.

    Attributes:
        seat: whose own review it is; None for the whole truth.
        over: whether the game was played to its end.
        curve: each seat's chances after each whole move; who won at the end of a game.
        moments: at most three, in the order of play.
        fault: what breaks the rules after these moves; empty where nothing does.
        unfinished: sentences on what was not done within the time.
        imagined_by: the program that played imagined games.
    """

    game: str
    seats: int
    seat: int | None
    names: tuple[str, ...]
    over: bool
    moves: tuple[ReviewedMove, ...] = field(repr=False)
    curve: tuple[Point, ...] = field(repr=False)
    moments: tuple[Moment, ...]
    fault: str
    warnings: tuple[str, ...]
    unfinished: tuple[str, ...]
    imagined_by: str
    seed: int

    @property
    def mistakes(self) -> tuple[ReviewedMove, ...]:
        """The moves that were surely worse than another one."""
        return tuple([move for move in self.moves if move.worth and move.worth.mistake])

    def document(self) -> dict[str, Any]:
        """Return the review as JSON."""
        return {
            "format": FORMAT, "game": self.game, "seats": self.seats, "seat": self.seat,
            "names": list(self.names), "over": self.over, "seed": self.seed,
            "imagined_by": self.imagined_by,
            "moves": [
                {
                    "number": move.number, "seat": move.seat, "text": move.text,
                    "events": [document(event) for event in move.events],
                    "chance": move.chance, "notes": [document(note) for note in move.notes],
                    "worth": _worth_document(move.worth),
                }
                for move in self.moves
            ],
            "mistakes": [
                {"number": move.number, "seat": move.seat, "text": move.text}
                for move in self.mistakes
            ],
            "moments": [
                {"number": at.number, "seat": at.seat, "lines": [document(x) for x in at.lines]}
                for at in self.moments
            ],
            "curve": [
                {
                    "after": point.after, "error": point.error, "exact": point.exact,
                    "chances": None if point.chances is None else list(point.chances),
                }
                for point in self.curve
            ],
            "fault": self.fault, "warnings": list(self.warnings),
            "unfinished": list(self.unfinished),
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(self._lines(Words(self.names)))

    def _lines(self, words: Words) -> Iterator[str]:
        count = self.moves[-1].number if self.moves else 0
        whose = "" if self.seat is None else f", for {words.player(self.seat)}"
        yield f"{registration(self.game).title}, {counted(count, 'move')}{whose}"
        nothing = "\nNo move is known to have decided it."
        partly = ", as far as was looked at" if self.unfinished else ""
        yield f"\nWhat decided it{partly}" if self.moments else nothing
        for at in self.moments:
            yield f"  move {at.number}: {words.say(at.lines[0])}"
            yield from (f"    {words.say(line)}" for line in at.lines[1:])
        yield "\nMove by move"
        for number, group in groupby(self.moves, key=lambda move: move.number):
            whole_move = list(group)  # a question comes with its answer
            mark = "  mistake" if any(m.worth and m.worth.mistake for m in whole_move) else ""
            yield f"  {number}. {'; '.join(map(words.say, whole_move[-1].events))}{mark}"
            for move in whole_move:
                if move.chance is not None and 0 < move.chance < 1:
                    yield f"    {CHANCE(chance=percent(move.chance))}"
                yield from (f"    {words.say(note)}" for note in move.notes)
        yield "\nChances after each move"
        for point in self.curve:
            if point.chances is not None:
                row = "  ".join(f"{100 * chance:3.0f} %" for chance in point.chances)
                error = "" if point.exact else f"  (to {percent(point.error, 0)})"
                yield f"  {point.after:>4}  {row}{error}"
        if self.fault:
            yield f"\nThe record goes no further: {self.fault}"
        if self.unfinished:
            yield "\nNot finished"
            yield from (f"  {line}" for line in self.unfinished)


def _worth_document(worth: Worth | None) -> dict[str, Any] | None:
    if worth is None:
        return None
    return {
        "kind": "exact" if worth.exact else "imagined", "played": worth.played, "best": worth.best,
        "by": None if worth.by is None else str(worth.by), "error": worth.error,
        "mistake": worth.mistake,
    }  # fmt: skip


def review(
    record_text: str | bytes, seat: int | None = None, seconds: float = 10.0, seed: int = 0
) -> Review:
    """Return the review of a record of any game.

    Args:
        seat: whose own review it is: of a hidden game it uses only what the seat saw.
        seconds: the longest that it may take; what was not finished is said.
        seed: of the imagined games. The same seed and seconds give the same review, unless the
            clock ended the work.

    Raises:
        InputError: it is no record, has no such seat, or has too many moves.

    Cost: half of the seconds, or less; a game of 60 moves of 4-13-4 takes some five seconds.
    """
    deadline = Deadline(min(checked_seconds(seconds), MOST_SECONDS))
    game = Played(record_bytes(record_text), seat)
    made: type[Judge] = registration(game.rules.name).part("review") or Judge
    return _Reviewer(game, made(game.rules), whole(seed, "seed"), deadline).review()


class _Reviewer:
    """The work on one review, until its time is up."""

    def __init__(self, game: Played, judge: Judge, seed: int, deadline: Deadline) -> None:
        self.game, self.judge, self.seed, self.deadline = game, judge, seed, deadline
        self.chances = Chances(game, judge, seed, deadline)
        self.notes: dict[int, list[Sentence]] = {}
        self.yes: dict[int, float] = {}
        self.worth: dict[int, Worth] = {}
        self.unfinished: list[str] = []
        self.compares = True

    def review(self) -> Review:
        game = self.game
        steps = (
            ("what could be known at each move", self._look),
            ("where the end is certain", self._prove),
            ("everybody's chances", self._imagine),
            ("what moves were worth beside others", self._weigh),
        )
        for what, step in steps:
            try:
                step()
            except SolverTimeout:
                self.unfinished.append(f"The time was up before this was complete: {what}.")
        moves = [self._move(index) for index in range(len(game.moves))]
        return Review(
            game.rules.name, game.rules.seats, game.seat, tuple(game.names),
            game.result is not None, tuple(moves),
            tuple(map(self.chances.point, game.settled)), self._moments(moves),
            game.fault, tuple(game.warnings), tuple(self.unfinished), self.judge.player, self.seed,
        )  # fmt: skip

    def _look(self) -> None:
        game = self.game
        for index, (seat, move) in enumerate(game.moves):
            seconds = self.deadline.left()
            if not game.may_see(seat):
                continue
            try:
                chance = self.judge.chance(game.view(index, seat), move, seconds)
            except SolverTimeout:
                raise
            except LimitError:
                chance = None
            if chance is not None:
                self.yes[index] = chance
            self.notes[index] = self.judge.notes(game, index)

    def _prove(self) -> None:
        game = self.game
        self.chances.find_exact()
        for index, (seat, move) in enumerate(game.moves if game.is_open else ()):
            self.deadline.left()
            if game.seat in (None, seat):
                worth = self.judge.worth(game.position(index), seat, move, game.position(index + 1))
                if worth is not None:
                    self.worth[index] = worth

    def _imagine(self) -> None:
        self.deadline.left()
        seconds = self.deadline.seconds
        if self.chances.imagine(CURVE * seconds):
            return
        # With too few games for a curve, moves cannot be compared at all.
        self.compares = False
        if not self.chances.imagine(WEIGHING * seconds):
            missing = sum(self.chances.point(at).chances is None for at in self.game.settled)
            self.unfinished.append(
                f"Chances were estimated after some moves only, not after {missing} of "
                f"{len(self.game.settled)}; more seconds give more."
            )

    def _weigh(self) -> None:
        """Compare moves with what the judge advises, first where more depended on them."""
        game, work = self.game, WEIGHING * self.deadline.seconds * self.compares
        open_moves = [
            index for index, (seat, _) in enumerate(game.moves)
            if index not in self.worth and game.may_see(seat) and game.seat in (None, seat)
        ]  # fmt: skip
        left_out = 0
        for index in sorted(open_moves, key=self._importance):
            self.deadline.left()
            if work <= 0:
                left_out += 1
                continue
            seat, move = game.moves[index]
            random = Random(f"{self.seed}/review/{index}/advice")
            view = game.view(index, seat)
            advised = self.judge.advice(view, random)
            if advised is None or advised == move or advised not in self.judge.rules.moves(view):
                continue
            worth, cost = self.chances.weigh(index, advised, 4 * GAMES)
            work -= cost
            self.worth[index] = worth
        if left_out:
            self.unfinished.append(
                f"{counted(left_out, 'move')} were not compared with others; more seconds compare "
                "more."
            )

    def _importance(self, index: int) -> tuple[float, int]:
        """Return what sorts moves: the largest change of chances first, then the latest."""
        before, after = self._around(index)
        swing = None if after is None else self.chances.swing(before, after)
        return (-abs(swing[2] - swing[1]) if swing else 0.0, -index)

    def _around(self, index: int) -> tuple[int, int | None]:
        return self.game.settled_before(index), self.game.settled_after(index + 1)

    def _move(self, index: int) -> ReviewedMove:
        game, worth = self.game, self.worth.get(index)
        seat, _ = game.moves[index]
        notes: list[str] = [*self.notes.get(index, ())]
        chance = self.yes.get(index)
        if worth is not None and worth.mistake:
            notes.append(worth.text or self._better(worth))
        return ReviewedMove(
            game.numbers[index], seat, game.texts[index], game.events[index], chance,
            tuple(notes), worth,
        )  # fmt: skip

    def _better(self, worth: Worth) -> Sentence:
        assert worth.played is not None, "imagined games have a result"
        return BETTER(
            best=worth.by, better=percent(worth.best, 0), played=percent(worth.played, 0),
            error=percent(worth.error, 0),
        )  # fmt: skip

    def _moments(self, moves: Sequence[ReviewedMove]) -> tuple[Moment, ...]:
        """Return the moves with the largest changes, else the last ones that brought points."""
        game = self.game
        changes: list[tuple[float, int, Sentence]] = []
        for index in range(len(moves)):
            before, after = self._around(index)
            if after != index + 1:
                continue  # a question's moment is that of its answer
            swing = self.chances.swing(before, after)
            if swing is not None:
                who, old, new = swing
                kind = ROSE if new > old else FELL
                text = kind(who=who, before=percent(old, 0), after=percent(new, 0))
                changes.append((-abs(new - old), index, text))
        chosen = {index: text for _, index, text in sorted(changes)[:MOMENTS]}
        winners = [seat for seat, part in enumerate(game.result or ()) if part]
        for index in reversed(range(len(moves))):
            for seat in winners:
                if (
                    len(chosen) < MOMENTS
                    and game.points[index + 1][seat] > game.points[index][seat]
                ):
                    points = counted(int(game.points[index + 1][seat]), "point")
                    chosen.setdefault(index, POINTS(who=seat, points=points))
        return tuple([self._moment(moves, index, chosen[index]) for index in sorted(chosen)])

    def _moment(self, moves: Sequence[ReviewedMove], index: int, text: Sentence) -> Moment:
        whole_move = [move for move in moves[: index + 1] if move.number == moves[index].number]
        notes = [note for move in whole_move for note in move.notes]
        lines = (*moves[index].events, text, *notes)
        return Moment(moves[index].number, whole_move[0].seat, lines)
