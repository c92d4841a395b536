"""Generation of puzzles from seeds. Two independent methods check the answers of each puzzle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from random import Random
from typing import Protocol

from quaternity.base.deadline import Deadline
from quaternity.base.errors import InputError, LimitError, SolverFault
from quaternity.base.plugins import PLACE, load_place
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_int
from quaternity.puzzles.puzzle import LEVELS, MAX_SEED, VERSION, Puzzle

MAX_ATTEMPTS = 20_000
"""Maximum number of positions tried to make one puzzle. All levels need only a few hundred."""


class PuzzleKind(Protocol):
    """A protocol for classes that make and check one kind of puzzle, created without arguments."""

    def attempt(self, random: Random, level: int, wish: float) -> Puzzle | None:
        """Return a puzzle about a random position, or None if the position contains no puzzle.

        `level` is the wanted level, from 1 to 5, but the puzzle may have another level. `wish` is a
        random number from 0 to 1, with which a class may choose a variant of the puzzle, such as
        one with the answer "no".
        """

    def answers_again(self, puzzle: Puzzle) -> set[str]:
        """Return the right answers, found by another method than `attempt`, to check a puzzle."""


KINDS = {
    "possible": "quaternity.puzzles.dealing:Possible",
    "owner": "quaternity.puzzles.dealing:Owner",
    "force": "quaternity.puzzles.forcing:Force",
    "trace": "quaternity.puzzles.kwartet_puzzles:Trace",
    "knows": "quaternity.puzzles.kwartet_puzzles:Knows",
    "sets": "quaternity.puzzles.set_puzzles:Sets",
    "quarto": "quaternity.puzzles.quarto_puzzles:Quarto",
}
"""Import path of the class for each kind of puzzle, by the name of the kind."""


@cache
def _kind(name: str) -> PuzzleKind:
    try:
        made: Callable[[], PuzzleKind] = load_place(
            KINDS.get(name, name), in_working_directory=name not in KINDS
        )
        return made()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # external code may raise any exception
        raise InputError(f"kind {name!r} cannot be loaded: {quote_value(error)}") from error


def make(kind: str, seed: int = 0, level: int = 2, seconds: float | None = None) -> Puzzle:
    """Generate the puzzle for a kind, a seed and a level.

    Most kinds take a few milliseconds. Level 5 of `force` and `knows` takes up to a second.

    Args:
        kind: One of `KINDS`, or your own class as `package.module:name` (see `PuzzleKind`).
        seconds: Time limit in seconds, or None for no limit.

    Raises:
        InputError: If there is no such kind, level or seed.
        LimitError: If no puzzle was found within the time limit or `MAX_ATTEMPTS` attempts.
        SolverFault: If the two methods find different answers.

    >>> puzzle = make("sets", seed=1, level=1)
    >>> puzzle.check(puzzle.answers[0])
    CheckResult(right=True, because='')
    """
    if not isinstance(kind, str) or (kind not in KINDS and not PLACE.fullmatch(kind)):
        raise InputError(f"unknown kind {quote_value(kind)}: choose from {', '.join(KINDS)}")
    if as_int(level, "level", LEVELS[0]) not in LEVELS:
        raise InputError(f"level: must be from {LEVELS[0]} to {LEVELS[-1]}, not {level}")
    if as_int(seed, "seed", 0) > MAX_SEED:
        raise InputError(f"seed: must be from 0 to {MAX_SEED}, not {seed}")
    maker, deadline = _kind(kind), Deadline(seconds)
    wish = Random(f"{VERSION}/{kind}/{level}/{seed}").random()
    for number in range(MAX_ATTEMPTS):
        deadline.remaining()
        random = Random(f"{VERSION}/{kind}/{level}/{seed}/{number}")
        puzzle = maker.attempt(random, level, wish)
        if puzzle is not None and puzzle.level == level:
            puzzle = replace(puzzle, kind=kind, seed=seed)
            check_answers(maker, puzzle)
            return puzzle
    raise LimitError(f"{MAX_ATTEMPTS:,} attempts gave no puzzle of kind {kind} and level {level}")


def check_answers(maker: PuzzleKind, puzzle: Puzzle) -> None:
    """Raise SolverFault if a second method finds other answers than those in the puzzle."""
    again = maker.answers_again(puzzle)
    if again != set(puzzle.answers):
        raise SolverFault(
            f"puzzle {puzzle.kind} {puzzle.level} {puzzle.seed}: one method finds "
            f"{sorted(puzzle.answers)}, the other method finds {sorted(again)}"
        )


DAILY = (("sets", 1), ("possible", 2), ("quarto", 2), ("trace", 3), ("owner", 4))
"""The five puzzles of each day, as pairs (kind, level). They are in order of difficulty."""


def daily(day: date | None = None) -> tuple[Puzzle, ...]:
    """Return the five puzzles of a day, which are the same for all users.

    By default, this is the current day in UTC.

    Raises:
        InputError: If `day` is not a date.
    """
    day = datetime.now(UTC).date() if day is None else day
    if not isinstance(day, date):
        raise InputError(f"day: expected a datetime.date, not {quote_value(day)}")
    seed = int(day.strftime("%Y%m%d"))
    return tuple(make(kind, seed, level) for kind, level in DAILY)
