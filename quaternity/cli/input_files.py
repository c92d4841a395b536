"""Input files of the commands: states, records, deal problems and logs.

Every error message names the file. If a file has faults but can be read, they are printed as
warnings.
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
from quaternity.kwartet.seat_log import SeatLog
from quaternity.table.games import rules_of_record
from solvers import DealProblem

IMPOSSIBLE_ERRORS = (ContradictoryState, ImpossibleRecord)
"""Exceptions for a well-formed file with impossible content: a state that contradicts itself, or a
record with an illegal move."""


class InputDocument:
    """A file that contains a state, a record of Quaternity or a deal problem.

    All properties except `record` raise `ImpossibleRecord` if a move in a record breaks the rules.
    """

    def __init__(self, path: str, document: LoadedState | ParsedRecord | LoadedProblem) -> None:
        self.path, self.document = path, document

    @property
    def record(self) -> ParsedRecord | None:
        """The record, whose moves may break the rules, or None if the file is not a record."""
        return self.document if isinstance(self.document, ParsedRecord) else None

    @cached_property
    def game(self) -> Game | None:
        """The game of the record, or None if the file is not a record."""
        return None if self.record is None else self.record.replay()

    @property
    def position(self) -> State | DealProblem:
        """The state, the last position of the record, or the deal problem."""
        if isinstance(self.document, LoadedProblem):
            return self.document.problem
        if isinstance(self.document, LoadedState):
            return self.document.state
        assert self.game is not None
        return self.game.state

    @property
    def state(self) -> State:
        """The state, or the last position of the record.

        Raise `InputError` if the file contains a deal problem.
        """
        if isinstance(self.position, State):
            return self.position
        raise InputError(
            f"{self.path}: contains a deal problem, not a game state (it has no turn and no rules)"
        )

    @property
    def problem(self) -> DealProblem:
        """The position as a deal problem, which says which cards each player may have."""
        return problem_of(self.position)


def open_document(path: str) -> InputDocument:
    """Open a state, a record of Quaternity or a deal problem. `-` is standard input.

    Raises:
        InputError: If the file cannot be read, is malformed or has another format.
        ContradictoryState: If a state contradicts itself about a completed set.
    """
    with prefix_errors(path):
        document = read_any_document(path)
    print_warnings(path, document.warnings)
    return InputDocument(path, document)


def open_record(path: str) -> tuple[Any, Any]:
    """Open a record of any game, and return its rules and the replayed game. `-` is standard input.

    Raise `InputError` if the file cannot be read, is not a record, or its game breaks the rules.
    """
    with prefix_errors(path):
        data = read_bytes(path)
        rules = rules_of_record(data)
        replay = rules.replay(data)
    print_warnings(path, replay.warnings)
    return rules, replay


def open_log(path: str) -> GameLog | SeatLog:
    """Open a log of Kwartet with all hands, or with what one seat saw. `-` is standard input.

    Raise `InputError` if the file cannot be read, is not a log, or its game breaks the rules.
    """
    with prefix_errors(path):
        log = parse_any_log(read_bytes(path))
    print_warnings(path, log.warnings)
    return log


@contextmanager
def prefix_errors(path: str) -> Iterator[None]:
    """Add the name of the file to the message of an `InputError` that the `with` block raises."""
    try:
        yield
    except InputError as error:
        text = str(error)
        if text.startswith(f"{path}: "):
            raise
        raise InputError(f"{path}: {text}") from error


def print_warnings(path: str, warnings: Iterable[str]) -> None:
    """Print the warnings about a file."""
    for text in warnings:
        warn_about(path, text)
