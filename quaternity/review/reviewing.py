"""Review of a recorded game: values of moves, decisive moves, and each seat's chance to win."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from math import inf
from random import Random
from typing import Any, NamedTuple

from quaternity.base.deadline import Deadline
from quaternity.base.errors import InputError, LimitError, SolverTimeout
from quaternity.base.sentences import Message, MessageTemplate, Wording, document, message_data
from quaternity.base.text_format import percent, quote_value, with_noun
from quaternity.base.validation import as_int, check_seconds
from quaternity.game.question import Answer, Question
from quaternity.game.sentences import question_sentence
from quaternity.review.chances import (
    COMPARISON_MILLISECONDS,
    CURVE_MILLISECONDS,
    PlayoutEstimate,
    Point,
)
from quaternity.review.judge import Judge, MoveValue
from quaternity.review.recorded_game import RecordedGame
from quaternity.table.games import registration

FORMAT = "review/1"
MAX_REVIEW_SECONDS = 3600.0
WORK_SHARE = 0.85
"""Fraction of the time limit that is available for the review itself. The rest is reserved for
starting the review, and for reading and writing."""
MAX_MOMENTS, MAX_CANDIDATES, MAX_NOTES = 3, 6, 4
"""Maximum number of decisive moves that a review names, maximum number of moves that it examines to
find them, and maximum number of cards that the notes about one move mention."""

CHANCE = MessageTemplate("chance", "The chance of a yes was {chance:percent}.")
ONLY = MessageTemplate("only", "Only '{answer}' was possible.")
BETTER = MessageTemplate(
    "better",
    "In simulated games, '{best}' wins {better:percent} and this move {played:percent}; the "
    "standard error of the difference is {error:percent}.",
)
CHANGED = MessageTemplate(
    "changed", "The chances of {who:player} went from {before:percent} to {after:percent}."
)
POINTS = MessageTemplate(
    "points", "{who:player} scored, now has {points}, and takes first place in the end."
)
LEADS = MessageTemplate("leads", "{who:player} took the lead for good, with a score of {points}.")
TIME_WAS_UP = MessageTemplate("time_was_up", "Time ran out before this was complete: {what}.")
LOOKING = MessageTemplate("looking", "what could be known at each move")
PROVING = MessageTemplate("proving", "positions whose outcome is certain")
IMAGINING = MessageTemplate("imagining", "everybody's chances")
COMPARING = MessageTemplate("comparing", "the comparison of moves with others")
SOME_CHANCES = MessageTemplate(
    "some_chances",
    "There was not enough time to find the chances for {missing} of {all} positions.",
)
NOT_DRAWN = MessageTemplate(
    "not_drawn", "The chances are unknown: there are too many players to deal random hands in time."
)
TOO_LARGE = MessageTemplate(
    "too_large", "Some positions have more deals than can be counted in time."
)
NOT_COMPARED = MessageTemplate("not_compared", "Moves that there was no time to compare: {count}.")


class ReviewedMove(NamedTuple):
    """A move of the reviewed game, with its notes and its value.

    Attributes:
        number: The number of the move, counted from 1. An answer has the number of its question.
        chance: The chance that the answer is yes, given the asker's information, or None if the
            move is not a request or the chance is not known.
        notes: Sentences about facts that the player did not use, and about the result of a better
            move.
        worth: The value compared with another move, or None if the moves were not compared.
    """

    number: int
    seat: int
    text: str
    events: tuple[str, ...]
    chance: float | None
    notes: tuple[str, ...]
    worth: MoveValue | None
    mistake: bool

    @property
    def lines(self) -> tuple[str, ...]:
        """Sentences about the chance that the answer is yes, and about the value of the move."""
        if self.chance is None or any(message_data(event).get("forced") for event in self.events):
            return self.notes
        if 0 < self.chance < 1:
            return (CHANCE(chance=self.chance), *self.notes)
        return (ONLY(answer=Answer.YES if self.chance else Answer.NO), *self.notes)


class Moment(NamedTuple):
    """A decisive move, with sentences about how it decided the game."""

    number: int
    seat: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Review:
    """The review of a recorded game. `str` converts it to text, and `document` to JSON.

    Attributes:
        seat: The review uses only the information of this seat. None means all information.
        over: Whether the game was played to its end.
        curve: Each seat's chances after each move, and the result at the end. A question and its
            answer are one move here.
        moments: At most three decisive moves, in the order of play. There are none if any chances
            are not known.
        fault: Reason why the record is invalid after these moves, or an empty string if it is
            valid.
        unfinished: Sentences about the parts of the review that were not completed in time.
        imagined_by: The program that played the simulated games.
    """

    game: str
    seats: int
    seat: int | None
    names: tuple[str, ...]
    over: bool
    moves: tuple[ReviewedMove, ...]
    curve: tuple[Point, ...]
    moments: tuple[Moment, ...]
    fault: str
    warnings: tuple[str, ...]
    unfinished: tuple[str, ...]
    imagined_by: str
    seed: int

    @property
    def is_timed_out(self) -> bool:
        """Whether the time limit stopped the review. If so, another run may find more."""
        return any(isinstance(a, Message) and a.kind == TIME_WAS_UP for a in self.unfinished)

    @property
    def mistakes(self) -> tuple[ReviewedMove, ...]:
        """Moves for which another move is known to be better."""
        return tuple([move for move in self.moves if move.mistake])

    def document(self) -> dict[str, Any]:
        """Return the review as a JSON document."""
        values = {part.name: _plain(getattr(self, part.name)) for part in fields(self)}
        return {"format": FORMAT} | values

    def __repr__(self) -> str:
        return f"<Review of {self.game}, {len(self.moves)} moves>"

    def __str__(self) -> str:
        return "\n".join(self._lines(Wording(self.names)))

    def _lines(self, words: Wording) -> Iterator[str]:
        count = with_noun(self.moves[-1].number if self.moves else 0, "move")
        whose = "" if self.seat is None else f", for {words.player(self.seat)}"
        yield f"{registration(self.game).title}, {count}{whose}"
        yield (
            "\nWhat decided the game"
            if self.moments
            else "\nNo move is known to have decided the game."
        )
        for moment in self.moments:
            yield f"  move {moment.number}: {words.say(moment.lines[0])}"
            yield from (f"    {words.say(line)}" for line in moment.lines[1:])
        yield "\nMove by move"
        for number, group in groupby(self.moves, key=lambda move: move.number):
            whole_move = list(group)  # A question and its answer are shown together.
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
            yield f"\nThe record is not valid after these moves: {self.fault}"
        if self.unfinished:
            yield "\nNot finished"
            yield from (f"  {line}" for line in self.unfinished)


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        return document(value)
    if isinstance(value, MoveValue):
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
        seat: If the game has hidden cards, the review uses only what this seat saw. None means that
            the review may use all information.
        seconds: Time limit in seconds. The review says what was not completed in time.
        seed: Seed of the simulated games. The same seed and seconds give the same review, unless
            the time limit ended the work.
        patience: Factor by which the elapsed time may exceed the time limit. With a larger factor,
            a busy machine gives the same review as an idle one.

    Raises:
        InputError: If the text is not a record, the game has no such seat or too many moves, or a
            number is invalid.

    Usually, a review takes at most half of `seconds`.
    """
    if not isinstance(patience, int | float) or not 0 < patience < inf:
        raise InputError(f"patience: must be a number > 0, not {quote_value(patience)}")
    deadline = Deadline(WORK_SHARE * min(check_seconds(seconds), MAX_REVIEW_SECONDS), patience)
    game = RecordedGame(record_text, seat)
    made: type[Judge] = registration(game.rules.name).part("review") or Judge
    return _Reviewer(game, made(game.rules, deadline), as_int(seed, "seed")).run()


class _Reviewer:
    """Creator of a review. It makes the parts one after another, and stops at the time limit."""

    def __init__(self, game: RecordedGame, judge: Judge, seed: int) -> None:
        self.game, self.judge, self.seed, self.deadline = game, judge, seed, judge.deadline
        self.chances = PlayoutEstimate(game, judge, seed)
        self.notes: dict[int, list[Message]] = {}
        self.yes: dict[int, float | None] = {}
        self.worth: dict[int, MoveValue] = {}
        self.decisive: dict[int, int] = {}
        self.is_complete = False
        """Whether all chances are known, so that the moves that decided the game were found."""
        self.unfinished: list[Message] = []
        self.weighing = COMPARISON_MILLISECONDS * self.deadline.seconds
        # A seat's own review examines only this seat's moves.
        self.examined_moves = [
            at for at, (mover, _) in enumerate(game.moves) if game.seat in (None, mover)
        ]

    def run(self) -> Review:
        game = self.game
        for title, step in (
            (LOOKING(), self._find_notes),
            (PROVING(), self._prove),
            (IMAGINING(), self._imagine),
            (COMPARING(), self._weigh),
        ):
            try:
                self.deadline.remaining()
                step()
            except SolverTimeout:
                self.unfinished.append(TIME_WAS_UP(what=title))
        moves = [self._move(index) for index in range(len(game.moves))]
        moments = tuple(self._moments(moves) if self.is_complete else ())
        return Review(
            game.rules.name, game.rules.seats, game.seat, tuple(game.names),
            game.result is not None, tuple(moves),
            tuple(map(self.chances.point, game.settled)), moments,
            game.fault, tuple(game.warnings), tuple(self.unfinished), self.judge.player, self.seed,
        )  # fmt: skip

    def _find_notes(self) -> None:
        beyond = False
        for index, (seat, move) in enumerate(self.game.moves):
            self.deadline.remaining()
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
            self.deadline.remaining()
            if index not in exact and (end := self.judge.exact(game.position(index))):
                exact[index] = end
        for index in self.examined_moves:
            self.deadline.remaining()
            (seat, move), before = game.moves[index], game.position(index)
            worth = self.judge.move_value(before, seat, move, game.position(index + 1))
            if worth is not None:
                self.worth[index] = worth

    def _imagine(self) -> None:
        if self.game.own and not self.judge.draws:
            self.unfinished.append(NOT_DRAWN())
            return
        if not self.chances.simulate(CURVE_MILLISECONDS * self.deadline.seconds):
            # There are too few games for the chances of all positions, so moves are not compared.
            work, self.weighing = self.weighing, 0.0
            self.chances.simulate(work)
        points = [self.chances.point(at) for at in self.game.settled]
        missing = sum(point.chances is None for point in points)
        if self.chances.too_large and TOO_LARGE() not in self.unfinished:
            self.unfinished.append(TOO_LARGE())
        if missing > len(self.chances.too_large):
            self.unfinished.append(SOME_CHANCES(missing=missing, all=len(points)))
        if not missing:
            self._decide()
            self.is_complete = True

    def _decide(self) -> None:
        ends = [at for at in range(len(self.game.moves)) if self.game.around(at)[1] == at + 1]
        swings = [(x, at) for at in ends if (x := self.chances.swing(*self.game.around(at)))]
        for (_, seat, old, new), at in sorted(swings, key=lambda x: (-x[0][0], x[1]))[
            :MAX_CANDIDATES
        ]:
            if len(self.decisive) == MAX_MOMENTS:
                break
            if self.chances.confirms(self.game.around(at)[0], at + 1, seat, new > old):
                self.decisive[at] = seat

    def _weigh(self) -> None:
        """Store in `worth` how each move compares with the move that the judge advises.

        The moves that changed the players' chances of winning most are compared first.
        """
        game, left_out = self.game, 0
        if type(self.judge).advice is Judge.advice or (game.rules.hidden and not self.judge.draws):
            return  # The judge gives no advice, or cannot draw the hands for a comparison.
        beyond = self.chances.too_large
        open_moves = [
            at
            for at in self.examined_moves
            if at not in self.worth and game.around(at)[0] not in beyond
        ]
        swings = {at: self.chances.swing(*game.around(at)) or (0.0,) for at in open_moves}
        for index in sorted(open_moves, key=lambda at: (-swings[at][0], -at)):
            self.deadline.remaining()
            if self.weighing <= 0:
                left_out += 1
                continue
            seat, move = game.moves[index]
            random = Random(f"{self.seed}/review/{index}/advice")
            view = game.view(index, seat)
            self.weighing -= self.judge.advice_cost
            advised = self.judge.advice(view, random)
            if advised is not None and advised != move and not game.rules.faults(view, advised):
                self.worth[index], work = self.chances.compare_move(index, advised)
                self.weighing -= work
        if left_out:
            self.unfinished.append(NOT_COMPARED(count=left_out))

    def _move(self, index: int) -> ReviewedMove:
        game, worth = self.game, self.worth.get(index)
        (seat, move), notes = game.moves[index], list[str](self.notes.get(index, ()))
        reason = list[str]()
        if worth is not None and worth.mistake:
            # The fact that explains the better move comes first.
            notes.sort(key=lambda note: not is_about(note, worth.by))
            reason.append(worth.note or _better(worth))
        return ReviewedMove(
            game.numbers[index], seat, game.rules.write(move), game.events[index],
            self.yes.get(index), (*notes[:MAX_NOTES], *reason), worth,
            worth is not None and worth.mistake,
        )  # fmt: skip

    def _moments(self, moves: list[ReviewedMove]) -> Iterator[Moment]:
        """Yield the decisive moves in order of play.

        These are the moves that changed a seat's chance most, and further moves by which a winner
        took the lead or scored.
        """
        game, chosen = self.game, dict[int, Message]()
        for at, seat in self.decisive.items():
            old, new = (self.chances.chances_at(x)[seat].mean for x in (game.around(at)[0], at + 1))
            chosen[at] = CHANGED(who=seat, before=float(old), after=float(new))
        even = 1 / game.rules.seats  # A tie of all seats has no winner.
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
            if len(chosen) < MAX_MOMENTS and at not in chosen:
                kind = LEADS if at in leading else POINTS
                chosen[at] = kind(who=seat, points=f"{game.points[at + 1][seat]:g}")
        for at, text in sorted(chosen.items()):
            whole_move = [move for move in moves[: at + 1] if move.number == moves[at].number]
            notes = [note for move in whole_move for note in move.notes]
            lines = (*moves[at].events, text, *notes)
            yield Moment(moves[at].number, whole_move[0].seat, lines)


def is_about(note: str, move: Any) -> bool:
    """Return False if a note is about another card than the one for which a move asks."""
    card = message_data(note).get("card")
    return card is None or card == getattr(move, "card", None)


def _leads(points: Sequence[float], seat: int) -> bool:
    return all(points[seat] > other for at, other in enumerate(points) if at != seat)


def _better(worth: MoveValue) -> Message:
    move = question_sentence(worth.by) if isinstance(worth.by, Question) else worth.by
    return BETTER(
        best=move, better=worth.best, played=worth.played or 0.0, error=worth.error or 0.0
    )
