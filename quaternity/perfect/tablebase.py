"""Tablebases: files that contain the values of a solved game, for lookups in microseconds.

The file begins with three lines of text: the version of the format; a description as JSON (rules,
sizes, the state from which the game was solved, the length of the file); and a checksum of both.
Then follow blocks of rows, with a row for each canonical state. A row contains the key of the state
and its value, and rows are in the order of the keys. A value consists of these fields:

- one byte with a bit for each role that can force a win;
- one byte with a bit for each role that can win;
- for each role, one byte with a bit for each other role whose win it can prevent;
- for each role, the number of moves of its forced win (two bytes, big-endian).

The index at the end of the file contains the first key of every block, then the checksum of every
block. All checksums are CRC-32. Opening a file reads and verifies its index. A block is verified
when a lookup first needs it. If the file is replaced while it is open, the old file stays in use.
If the file is changed in place, no damaged block is used.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from struct import Struct
from struct import error as struct_error
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from quaternity.base.errors import InputError, LimitError
from quaternity.base.progress import Report, quiet
from quaternity.base.writing import replace_file
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.perfect.keys.canonical import Key, Rules, canonical
from quaternity.perfect.keys.kinds import Roles
from quaternity.perfect.solving.game_facts import GameFacts
from quaternity.perfect.solving.state_value import StateValue, Worth

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from quaternity.game.settings import Settings
    from quaternity.game.state import State
    from quaternity.perfect.solving.solver import Solution

FORMAT = "quaternity-tablebase/2"
"""First line of a file: the name and the version of the file format."""

BLOCK_STATES = 256
"""Number of states in a block of a new file. With smaller blocks, lookups are slightly faster, but
opening a file is slower."""

MAX_CACHED_BLOCKS = 4096
"""Maximum number of verified blocks that an open tablebase caches. A block takes about 5 kB."""

MAX_CACHED_VALUES = 4096
"""Maximum number of decoded values that are cached. Each takes about 1 kB with its roles."""

WRITE_BATCH = 1 << 16
"""Number of states written at a time, which is a multiple of `BLOCK_STATES`."""

MAX_HEAD_BYTES = 1 << 16
"""Maximum size of the three lines at the beginning of a file, in bytes."""

_PARSE_ERRORS = (ValueError, KeyError, TypeError, ArithmeticError, RecursionError, struct_error)
"""Exceptions that parsing a file may raise if its checksum is right but it is not a tablebase."""


class UnknownState(LimitError):
    """Error for a state that is not in a tablebase, because the solved state cannot lead to it."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """A question, its equivalents, and the values of the states after each answer.

    Attributes:
        alike: all equivalent questions, which are for interchangeable cards of the same set.
        after: for each legal answer, the value of the state after it.
        worst, best: the worst and the best result for the asking player (see `StateValue.worth`).
    """

    question: Question
    alike: tuple[Question, ...]
    after: dict[Answer, StateValue]
    worst: Worth
    best: Worth

    def document(self) -> dict[str, Any]:
        """Return the question and the values after its answers as plain values for JSON."""
        return {
            "asked": self.question.asked,
            "set": self.question.card.set_index,
            "cards": [question.card.number for question in self.alike],
            "after": {str(answer): value.document() for answer, value in self.after.items()},
        }


class PositionReport(NamedTuple):
    """The value of a position, and the values after each question, with the best question first."""

    standing: StateValue
    prospects: Sequence[Prospect]

    def document(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        questions = [prospect.document() for prospect in self.prospects]
        return self.standing.document() | {"questions": questions}


class Tablebase:
    """A solved game in a file that is open for reading. It is a context manager.

    Attributes:
        about: the description in the file.
        facts: the rules and sizes of the game, and its longest forced win.

    Raises:
        InputError: If the file cannot be read, is not a tablebase, or has another version.
    """

    _close_file = staticmethod(os.close)
    # Keep this function in the class, because `os` may be gone from the module at interpreter exit.

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self._file = _open(self.path)
        try:
            place, self.about = _about(self.path, self._file)
            self.facts = GameFacts.of_document(self.about)
            self.rules = self.facts.rules
            self._index = _Index.of(self.path, self._file, place, self.about)
            bytes.fromhex(self.about["start"])
        except BaseException as error:
            self.close()
            if isinstance(error, _PARSE_ERRORS) and not isinstance(error, InputError):
                raise InputError(
                    f"{path}: this is not a tablebase, or it is damaged ({error})"
                ) from error
            raise
        reading = self._file, self.path, self._index
        self._block = lru_cache(MAX_CACHED_BLOCKS)(lambda number: _verified_block(*reading, number))

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, -1
        if file >= 0:
            self._close_file(file)

    def __del__(self) -> None:
        # A bot keeps its tablebase open until the bot is deleted.
        if hasattr(self, "_file"):
            self.close()

    def __len__(self) -> int:
        return int(self.about["states"])

    def check_rules(self, rules: Rules) -> None:
        """Raise an `InputError` if the tablebase is for a game with other rules."""
        if rules != self.rules:
            raise InputError(
                f"{self.path} is a tablebase for {_in_words(self.rules)}, "
                f"not for {_in_words(rules)}"
            )

    def check_settings(self, settings: Settings) -> None:
        """Raise an `InputError` if the tablebase is not for a game with these settings."""
        self.check_rules(Rules.of(settings))

    def standing(self, state: State) -> StateValue:
        """Return the wins that the players can force, reach or prevent from a state.

        This takes about 20 microseconds.

        Raises:
            InputError: If the state belongs to another game or has no canonical form.
            UnknownState: If the state is not in the tablebase.
        """
        rules = Rules.of(state)
        if rules != self.rules:
            self.check_rules(rules)
        key, roles = canonical(state)
        return self._standing(key, roles)

    def _standing(self, key: Key, roles: Roles) -> StateValue:
        value = self._index.find(key, self._block)
        if value is None:
            raise UnknownState(
                f"{self.path} does not contain this state: "
                f"it cannot follow from the state that was solved"
            )
        try:
            return _standing_of(roles, value)
        except IndexError as error:
            raise InputError(
                f"{self.path}: not a tablebase (a value names an unknown player)"
            ) from error

    def report(self, state: State) -> PositionReport:
        """Return the value of a position and of all its questions.

        The possible errors are the same as for `prospects`.
        """
        return PositionReport(self.standing(state), self.prospects(state))

    def prospects(self, state: State) -> list[Prospect]:
        """Return all questions of the player to move with the values after their answers.

        The best question comes first. Questions are ranked by their worst answer, and questions
        with equal worst answers by their best answer. If the player to move can force a win, the
        first question is on the shortest way to the win.

        Raises:
            InputError, UnknownState: If `standing` raises it for a state after an answer.
        """
        asker = state.turn
        prospects = []
        for asked, set_index, cards, answers in state.legal_questions.groups():
            assert asker is not None, "a legal question must have an asker"
            alike = tuple(
                Question.trusted(asker, asked, Card.unchecked(set_index, card)) for card in cards
            )
            after = {answer: self.standing(state.after(alike[0], answer)) for answer in answers}
            worths = [standing.worth(asker) for standing in after.values()]
            prospects.append(Prospect(alike[0], alike, after, min(worths), max(worths)))
        return sorted(prospects, key=lambda p: (p.worst, p.best), reverse=True)


def write_tablebase(path: str | Path, solution: Solution, report: Report = quiet) -> None:
    """Write the values of a solved game to a file, and report the progress.

    The file is written completely or not at all.

    Raises:
        InputError: If the file cannot be written.
    """
    with replace_file(path) as part, part.open("wb") as file:
        text = _text(about := _about_solution(solution))
        file.write(text)
        keys, checksums = [], []
        for first in range(0, len(solution.graph), WRITE_BATCH):
            rows = _rows(solution, slice(first, first + WRITE_BATCH))
            for place in range(0, len(rows), BLOCK_STATES):
                block = rows[place : place + BLOCK_STATES].tobytes()
                keys.append(block[: about["key"]])
                checksums.append(crc32(block))
                file.write(block)
            report("writing", first + len(rows), len(solution.graph))
        index = b"".join(keys) + Struct(f">{len(checksums)}I").pack(*checksums)
        file.write(index)
        file.seek(0)
        file.write(_text(about | {"index": f"{crc32(index):08x}"}))


def _about_solution(solution: Solution) -> dict[str, Any]:
    # The checksum of the index is filled in later.
    from quaternity.perfect.keys.arrays import key_bytes

    graph = solution.graph
    [start] = key_bytes(graph.keys[graph.start : graph.start + 1])
    about = {"program": "quaternity", "start": start.hex()} | solution.facts.document()
    sizes = {"key": len(start), "block": BLOCK_STATES, "length": 0, "index": "0" * 8}
    rows = len(graph) * (len(start) + _layout(graph.rules.players).size)
    rows += -(-len(graph) // BLOCK_STATES) * (len(start) + 4)
    # The text contains the length of the file, which depends on the length of the text.
    while (length := len(_text(about | sizes)) + rows) != sizes["length"]:
        sizes["length"] = length
    return about | sizes


def _text(about: dict[str, Any]) -> bytes:
    lines = f"{FORMAT}\n{json.dumps(about)}\n".encode()
    return lines + b"%08x\n" % crc32(lines)


def _rows(solution: Solution, part: slice) -> NDArray[Any]:
    import numpy as np

    values, keys = solution.values, solution.graph.keys[part]
    if keys.dtype.kind == "u":
        keys = keys.astype(">u8")
    columns = (
        np.ascontiguousarray(keys).view(np.uint8),
        values.can_force[part],
        values.can_win[part],
        values.can_prevent[part],
        values.length[part].astype(">u2").view(np.uint8),
    )
    return np.concatenate([column.reshape(len(keys), -1) for column in columns], axis=1)


def _layout(players: int) -> Struct:
    return Struct(f">BB{players}B{players}H")


@lru_cache(MAX_CACHED_VALUES)
def _standing_of(roles: Roles, value: bytes) -> StateValue:
    """Return the value that bytes of the file encode. `roles[role]` is the real player."""
    players = len(roles)
    force, win, *per_role = _layout(players).unpack(value)
    return StateValue.of_roles(roles, force, win, per_role[:players], per_role[players:])


class _Index(NamedTuple):
    """The index of a tablebase file, which gives the location of the rows.

    Attributes:
        keys: the first key of every block.
        checksums: the checksums of the blocks.
        key: size of a key, in bytes.
        row: size of a row, in bytes.
        block: size of a block, in bytes. The last block may be shorter.
        first, end: offsets of the first byte of the blocks, and of the first byte after the blocks.
    """

    keys: list[Key]
    checksums: tuple[int, ...]
    key: int
    row: int
    block: int
    first: int
    end: int

    @classmethod
    def of(cls, path: str, file: int, first: int, about: dict[str, Any]) -> _Index:
        """Return the verified index of a file. `first` is the offset of the first block of rows."""
        key, states = about["key"], about["states"]
        row = key + _layout(about["rules"]["players"]).size
        blocks = -(-states // about["block"])
        end = first + states * row
        # Check the length first, so that a text that claims many states cannot exhaust the memory.
        fits = end + blocks * (key + 4) == about["length"]
        data = _bytes(path, file, end, about["length"] - end) if fits else b""
        if not fits or f"{crc32(data):08x}" != about["index"]:
            raise _damage_error(path, "in its index")
        return cls(
            [data[place : place + key] for place in range(0, blocks * key, key)],
            Struct(f">{blocks}I").unpack(data[blocks * key :]),
            key,
            row,
            about["block"] * row,
            first,
            end,
        )

    def find(self, key: Key, block_of: Callable[[int], bytes]) -> bytes | None:
        number = bisect_right(self.keys, key) - 1
        if number < 0:
            return None
        block, size, row = block_of(number), self.key, self.row
        row_number = bisect_left(
            range(len(block) // row), key, key=lambda at: block[at * row : at * row + size]
        )
        place = row_number * row + size
        return block[place : place + row - size] if block[place - size : place] == key else None


def _verified_block(file: int, path: str, index: _Index, number: int) -> bytes:
    place = index.first + number * index.block
    data = _bytes(path, file, place, min(index.block, index.end - place))
    if crc32(data) != index.checksums[number]:
        raise _damage_error(path, f"bytes {place} to {place + len(data)}")
    return data


def _damage_error(path: str, where: str) -> InputError:
    return InputError(
        f"{path}: the tablebase is damaged ({where}); delete it and solve the game again"
    )


def _bytes(path: str, file: int, place: int, length: int) -> bytes:
    try:
        parts = []
        while length and (data := os.pread(file, length, place)):
            parts.append(data)
            place, length = place + len(data), length - len(data)
        return b"".join(parts)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _open(path: str) -> int:
    if not os.path.isfile(path):
        raise InputError(f"{path}: {'not a file' if os.path.exists(path) else 'no such file'}")
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _about(path: str, file: int) -> tuple[int, dict[str, Any]]:
    # Return the length of the text at the beginning of a file, and the description in it.
    data = _bytes(path, file, 0, MAX_HEAD_BYTES)
    if data.startswith(b"SQLite format 3\0") and data[68:72] == b"Quat":
        raise InputError(
            f"{path}: old tablebase format without checksums; delete the file and rebuild it: "
            f"`quaternity solve --out {path}` with the same game options (players, sets, set size)"
        )
    first, _, after = data.partition(b"\n")
    if not first.startswith(FORMAT[: -len("2")].encode()):
        raise InputError(f"{path}: not a tablebase")
    if first != FORMAT.encode():
        version = first.decode(errors="backslashreplace")
        raise InputError(
            f"{path}: the tablebase has the format {version!r}; this program reads {FORMAT!r}"
        )
    second, _, after = after.partition(b"\n")
    lines = first + b"\n" + second + b"\n"
    if after[:9] != b"%08x\n" % crc32(lines):
        raise _damage_error(path, "in its first lines")
    about: dict[str, Any] = json.loads(second)
    length = os.fstat(file).st_size
    if length != about["length"]:
        raise _damage_error(path, f"{length} bytes instead of {about['length']}")
    return len(lines) + 9, about


def _in_words(rules: Rules) -> str:
    words = f"{rules.sets} sets of {rules.set_size} and {rules.players} players"
    if rules.players > 3:
        words = f"{words} under {rules.tie_break}"
    return f"{words}, brisk" if rules.brisk else words
