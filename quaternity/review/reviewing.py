"""The review of a game: what each move was worth, what decided it, and everybody's chances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from random import Random
from typing import Any, NamedTuple

from quaternity.base.deadline import Deadline
from quaternity.base.errors import LimitError, SolverTimeout
from quaternity.base.plain_values import checked_seconds, whole
from quaternity.base.sentences import Kind, Sentence, Words, document, facts
from quaternity.base.wording import counted, percent
from quaternity.review.chances import CURVE, WEIGHING, Chances, Point
from quaternity.review.judge import Judge, Worth
from quaternity.review.played import Played
from quaternity.table.games import registration

FORMAT = "review/1"
MAX_REVIEW_SECONDS = 3600.0
WORKING = 0.85
"""Share of the time limit that is spent on the review; the rest is for starting, reading and
writing."""
MOMENTS, CANDIDATES = 3, 6
"""Moves that are said to have decided a game, and that are looked at for it."""

CHANCE = Kind("chance", "The chance of a yes was {chance}.")
ONLY = Kind("only", "Only {answer} was possible.")
BETTER = Kind(
    "better",
    "In imagined games '{best}' wins {better}, this move {played}; the difference is known to "
    "{error}.",
)
CHANGED = Kind("changed", "The chances of {who:player} went from {before} to {after}.")
POINTS = Kind("points", "{who:player} scored on the way to the first place: {points} now.")
LEADS = Kind("leads", "{who:player} took the lead for good: {points} now.")
TIME_WAS_UP = Kind("time_was_up", "The time was up before this was complete: {what}.")
LOOKING = Kind("looking", "what could be known at each move")
PROVING = Kind("proving", "where the end is certain")
IMAGINING = Kind("imagining", "everybody's chances")
COMPARING = Kind("comparing", "what moves were worth beside others")
SOME_CHANCES = Kind(
    "some_chances", "Chances are not known after {missing} of {all} positions; more seconds help."
)
NOT_DRAWN = Kind("not_drawn", "Hands of so many players are not drawn in time: no chances.")
TOO_LARGE = Kind("too_large", "Some positions have more deals than are counted in time.")
NOT_COMPARED = Kind("not_compared", "Moves not compared with others: {count}; more seconds help.")


class ReviewedMove(NamedTuple):
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
    mistake: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """What can be said of it besides its events."""
        if self.chance is None or any(facts(event).get("forced") for event in self.events):
            return self.notes
        if 0 < self.chance < 1:
            return (CHANCE(chance=percent(self.chance)), *self.notes)
        return (ONLY(answer="yes" if self.chance else "no"), *self.notes)


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
        moments: at most three, in the order of play; none if the chances are not complete.
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
    def is_timed_out(self) -> bool:
        """Whether the clock ended the work: another run may find more."""
        return any(isinstance(a, Sentence) and a.kind == TIME_WAS_UP for a in self.unfinished)

    @property
    def mistakes(self) -> tuple[ReviewedMove, ...]:
        """The moves beside which another one is better, beyond what chance explains."""
        return tuple([move for move in self.moves if move.mistake])

    def document(self) -> dict[str, Any]:
        """Return the review as JSON."""
        values = {part.name: _plain(getattr(self, part.name)) for part in fields(self)}
        return {"format": FORMAT} | values

    def __str__(self) -> str:
        return "\n".join(self._lines(Words(self.names)))

    def _lines(self, words: Words) -> Iterator[str]:
        count = counted(self.moves[-1].number if self.moves else 0, "move")
        whose = "" if self.seat is None else f", for {words.player(self.seat)}"
        partly = ", as far as was looked at" if self.unfinished else ""
        yield f"{registration(self.game).title}, {count}{whose}"
        yield (
            f"\nWhat decided it{partly}"
            if self.moments
            else "\nNo move is known to have decided it."
        )
        for moment in self.moments:
            yield f"  move {moment.number}: {words.say(moment.lines[0])}"
            yield from (f"    {words.say(line)}" for line in moment.lines[1:])
        yield "\nMove by move"
        for number, group in groupby(self.moves, key=lambda move: move.number):
            whole_move = list(group)  # a question comes with its answer
            mark = "  mistake" if any(move.mistake for move in whole_move) else ""
            yield f"  {number}. {'; '.join(map(words.say, whole_move[-1].events))}{mark}"
            for move in whole_move:
                yield from (f"    {words.say(line)}" for line in move.lines)
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


def _plain(value: Any) -> Any:
    """Return a part of a review as JSON has it."""
    if isinstance(value, Sentence):
        return document(value)
    if isinstance(value, Worth):
        return _plain(value._replace(note=None)._asdict() | {"by": value.by and str(value.by)})
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def review(
    record_text: str | bytes,
    seat: int | None = None,
    seconds: float = 10.0,
    seed: int = 0,
    patience: float = 1.0,
) -> Review:
    """Return the review of a record of any game.

    Args:
        seat: whose own review it is: of a hidden game it uses only what the seat saw.
        seconds: the longest that it may take; what was not finished is said.
        seed: of the imagined games. The same seed and seconds give the same review, unless the
            clock ended the work.
        patience: factor by which the wall-clock time may exceed the seconds before the clock ends
            the work, so that a busy machine gives the same review as an idle one.

    Raises:
        InputError: it is no record, has no such seat, or has too many moves.

    Cost: half of the seconds, or less.
    """
    deadline = Deadline(WORKING * min(checked_seconds(seconds), MAX_REVIEW_SECONDS), patience)
    game = Played(record_text, seat)
    made: type[Judge] = registration(game.rules.name).part("review") or Judge
    return _Reviewer(game, made(game.rules, deadline), whole(seed, "seed")).made()


class _Reviewer:
    """The work on one review, until its time is up."""

    def __init__(self, game: Played, judge: Judge, seed: int) -> None:
        self.game, self.judge, self.seed, self.deadline = game, judge, seed, judge.deadline
        self.chances = Chances(game, judge, seed)
        self.notes: dict[int, list[Sentence]] = {}
        self.yes: dict[int, float | None] = {}
        self.worth: dict[int, Worth] = {}
        self.decided: dict[int, int] = {}
        self.is_complete = False
        """Whether the time was sufficient to find the moves that decided the game."""
        self.unfinished: list[Sentence] = []
        self.weighing = WEIGHING * self.deadline.seconds
        # Whose moves are looked at: in a seat's own review its own ones.
        self.mine = [at for at, (mover, _) in enumerate(game.moves) if game.seat in (None, mover)]

    def made(self) -> Review:
        game = self.game
        for what, step in (
            (LOOKING(), self._look),
            (PROVING(), self._prove),
            (IMAGINING(), self._imagine),
            (COMPARING(), self._weigh),
        ):
            try:
                self.deadline.left()
                step()
            except SolverTimeout:
                self.unfinished.append(TIME_WAS_UP(what=what))
        moves = [self._move(index) for index in range(len(game.moves))]
        moments = tuple(self._moments(moves) if self.is_complete else ())
        return Review(
            game.rules.name, game.rules.seats, game.seat, tuple(game.names),
            game.result is not None, tuple(moves),
            tuple(map(self.chances.point, game.settled)), moments,
            game.fault, tuple(game.warnings), tuple(self.unfinished), self.judge.player, self.seed,
        )  # fmt: skip

    def _look(self) -> None:
        beyond = False
        for index, (seat, move) in enumerate(self.game.moves):
            self.deadline.left()
            if not self.game.may_see(seat):
                continue
            try:
                self.notes[index] = self.judge.notes(self.game, index)
                self.yes[index] = self.judge.chance(self.game.view(index, seat), move)
            except LimitError as error:
                if isinstance(error, SolverTimeout):
                    raise
                beyond = True
        if beyond:
            self.unfinished.append(TOO_LARGE())

    def _prove(self) -> None:
        game, exact = self.game, self.chances.exact
        if game.rules.hidden:
            return
        for index in reversed(game.settled):
            self.deadline.left()
            if index not in exact and (end := self.judge.exact(game.position(index))):
                exact[index] = end
        for index in self.mine:
            self.deadline.left()
            (seat, move), before = game.moves[index], game.position(index)
            worth = self.judge.worth(before, seat, move, game.position(index + 1))
            if worth is not None:
                self.worth[index] = worth

    def _imagine(self) -> None:
        if self.game.own and not self.judge.draws:
            self.unfinished.append(NOT_DRAWN())
            self.is_complete = True
            return
        if not self.chances.imagine(CURVE * self.deadline.seconds):
            # Where there are too few games for a curve, moves cannot be compared at all.
            work, self.weighing = self.weighing, 0.0
            self.chances.imagine(work)
        points = [self.chances.point(at) for at in self.game.settled]
        missing = sum(point.chances is None for point in points)
        if self.chances.beyond and TOO_LARGE() not in self.unfinished:
            self.unfinished.append(TOO_LARGE())
        if missing > len(self.chances.beyond):
            self.unfinished.append(SOME_CHANCES(missing=missing, all=len(points)))
            return
        self._decide()
        self.is_complete = True

    def _decide(self) -> None:
        """Find the moves with the largest changes, each confirmed by other games."""
        ends = [at for at in range(len(self.game.moves)) if self.game.around(at)[1] == at + 1]
        swings = [(x, at) for at in ends if (x := self.chances.swing(*self.game.around(at)))]
        for (_, who, old, new), at in sorted(swings, key=lambda x: (-x[0][0], x[1]))[:CANDIDATES]:
            if len(self.decided) == MOMENTS:
                break
            if self.chances.confirms(self.game.around(at)[0], at + 1, who, new > old):
                self.decided[at] = who

    def _weigh(self) -> None:
        """Compare moves with what the judge advises, first where more depended on them."""
        game, left_out = self.game, 0
        if type(self.judge).advice is Judge.advice or (game.rules.hidden and not self.judge.draws):
            return  # there is nothing to compare with, or no hands to compare by
        beyond = self.chances.beyond
        open_moves = [
            at for at in self.mine if at not in self.worth and game.around(at)[0] not in beyond
        ]
        swings = {at: self.chances.swing(*game.around(at)) or (0.0,) for at in open_moves}
        for index in sorted(open_moves, key=lambda at: (-swings[at][0], -at)):
            self.deadline.left()
            if self.weighing <= 0:
                left_out += 1
                continue
            seat, move = game.moves[index]
            random = Random(f"{self.seed}/review/{index}/advice")
            view = game.view(index, seat)
            self.weighing -= self.judge.advising
            advised = self.judge.advice(view, random)
            if advised is not None and advised != move and not game.rules.faults(view, advised):
                self.worth[index], work = self.chances.weigh(index, advised)
                self.weighing -= work
        if left_out:
            self.unfinished.append(NOT_COMPARED(count=left_out))

    def _move(self, index: int) -> ReviewedMove:
        game, worth = self.game, self.worth.get(index)
        (seat, move), notes = game.moves[index], list[str](self.notes.get(index, ()))
        if worth is not None and worth.mistake:
            notes.append(worth.note or _better(worth))
        return ReviewedMove(
            game.numbers[index], seat, game.rules.write(move), game.events[index],
            self.yes.get(index), tuple(notes), worth, worth is not None and worth.mistake,
        )  # fmt: skip

    def _moments(self, moves: list[ReviewedMove]) -> Iterator[Moment]:
        """Yield the moves with the largest changes, else those that brought the winner points.

        Of these first the one that brought the lead for good, then the last ones.
        """
        game, chosen = self.game, dict[int, Sentence]()
        for at, who in self.decided.items():
            old, new = (self.chances.known(x)[who].mean for x in (game.around(at)[0], at + 1))
            chosen[at] = CHANGED(who=who, before=percent(old, 0), after=percent(new, 0))
        even = 1 / game.rules.seats  # where all share the first place, no points led to it
        first = [seat for seat, part in enumerate(game.result or ()) if part > even]
        leading, scored = dict[int, int](), dict[int, int]()
        for at in (at for at in range(len(moves)) if game.around(at)[1] == at + 1):
            old, new = game.points[at], game.points[at + 1]
            for seat in [seat for seat in first if new[seat] > old[seat]]:
                scored[at] = seat
            leads = [seat for seat in first if _leads(new, seat)]
            if not leads:
                leading.clear()
            elif leads[0] not in leading.values():
                leading = {at: leads[0]}
        for at, seat in ({**leading, **dict(sorted(scored.items(), reverse=True))}).items():
            if len(chosen) < MOMENTS and at not in chosen:
                kind = LEADS if at in leading else POINTS
                chosen[at] = kind(who=seat, points=f"{game.points[at + 1][seat]:g}")
        for at, text in sorted(chosen.items()):
            whole_move = [move for move in moves[: at + 1] if move.number == moves[at].number]
            notes = [note for move in whole_move for note in move.notes]
            lines = (*moves[at].events, text, *notes)
            yield Moment(moves[at].number, whole_move[0].seat, lines)


def _leads(points: Sequence[float], seat: int) -> bool:
    return all(points[seat] > other for at, other in enumerate(points) if at != seat)


def _better(worth: Worth) -> Sentence:
    played, best, error = (percent(x or 0.0, 0) for x in (worth.played, worth.best, worth.error))
    return BETTER(best=worth.by, better=best, played=played, error=error)
