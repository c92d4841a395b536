"""The door through which commands open files: what each is, where it came from, what is wrong.

What is wrong with a file names it; what is only odd about it is told, and the command goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.reading import read_bytes
from quaternity.cli.terminal import warn_about
from quaternity.game.game import Game
from quaternity.game.record import ImpossibleRecord, ParsedRecord
from quaternity.game.state import State
from quaternity.game.state_file import (
    ContradictoryState,
    LoadedProblem,
    LoadedState,
    problem_of,
    read_any_document,
)
from quaternity.kwartet.log import parse_any_log
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.seen import SeenLog
from quaternity.table.games import rules_of_record
from solvers import DealProblem

IMPOSSIBLE = (ContradictoryState, ImpossibleRecord)
"""What a file raises that is well formed, but whose state or game cannot be."""


class Opened:
    """A state, a record of Quaternity or a deal problem, and the file it was read from."""

    def __init__(self, path: str, document: LoadedState | ParsedRecord | LoadedProblem) -> None:
        self.path, self.document = path, document

    @property
    def record(self) -> ParsedRecord | None:
        """The record, if it is one, whether it was played by the rules or not."""
        return self.document if isinstance(self.document, ParsedRecord) else None

    @cached_property
    def game(self) -> Game | None:
        """The game of a record, or None; raises `ImpossibleRecord` if a move breaks the rules."""
        return None if self.record is None else self.record.replay()

    @property
    def given(self) -> State | DealProblem:
        """The state, the last position of a record, or the deal problem. Raises as `game`."""
        if isinstance(self.document, LoadedProblem):
            return self.document.problem
        if isinstance(self.document, LoadedState):
            return self.document.state
        assert self.game is not None
        return self.game.state

    @property
    def state(self) -> State:
        """The state, or the last position of a record. Raises as `game`.

        Raises:
            InputError: it is a deal problem.
        """
        if isinstance(self.given, State):
            return self.given
        raise InputError(
            f"{self.path}: a deal problem, which is the state of no game: no turn, no rules"
        )

    @property
    def problem(self) -> DealProblem:
        """The deal problem of what is given. Raises as `game`."""
        return problem_of(self.given)


def open_document(path: str) -> Opened:
    """Open a state, a record of Quaternity or a deal problem (`-`: standard input).

    Raises:
        InputError: unreadable, malformed, or none of these; names the file.
        ContradictoryState: a state that contradicts itself about a completed set.
    """
    with named(path):
        document = read_any_document(path)
    tell_oddities(path, document.warnings)
    return Opened(path, document)


def open_record(path: str) -> tuple[Any, Any]:
    """Open a record of any game (`-`: standard input): its rules, and the game played back.

    Raises:
        InputError: unreadable, no record, or a game against the rules; names the file.
    """
    with named(path):
        data = read_bytes(path)
        rules = rules_of_record(data)
        replay = rules.replay(data)
    tell_oddities(path, replay.warnings)
    return rules, replay


def open_log(path: str) -> GameLog | SeenLog:
    """Open a log of Kwartet with all hands, or one as a seat saw it (`-`: standard input).

    Raises:
        InputError: unreadable, no log, or a game against the rules; names the file.
    """
    with named(path):
        log = parse_any_log(read_bytes(path))
    tell_oddities(path, log.warnings)
    return log


@contextmanager
def named(path: str) -> Iterator[None]:
    """Name the file in what is wrong with it."""
    try:
        yield
    except InputError as error:
        text = str(error)
        if text.startswith(f"{path}: "):
            raise
        raise InputError(f"{path}: {text}") from error


def tell_oddities(path: str, warnings: Iterable[str]) -> None:
    """Tell what is odd about a file."""
    for text in warnings:
        warn_about(path, text)
