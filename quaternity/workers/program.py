"""External programs that read requests and write answers as JSON, one object per line.

A program must answer each request with exactly one line. Otherwise it is ended, and a
`ProgramFault` is raised. `quaternity.table.programs` defines the requests for games.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from quaternity.base.errors import InputError
from quaternity.base.text_format import make_printable, quote_value
from quaternity.workers.shipping import installed_path
from quaternity.workers.supervisor import MAX_PROCESSES, Child, Overdue, TooManyProcesses

COMMAND_PREFIX = "cmd:"
"""Prefix of the name of a player that is an external program, as in `cmd:./my-player`."""

MAX_LINE_BYTES = 1 << 20
"""Maximum size of a line that a program writes, in bytes."""

MAX_MEMORY_BYTES = 2 << 30
"""Limit for the total memory of a program and the processes that it starts, in bytes."""

QUIT_SECONDS = 0.5
"""Maximum time in seconds for a program to exit after it is asked to quit."""

_DATA = 2 * MAX_MEMORY_BYTES + (1 << 30)


def command_words(name: str) -> tuple[str, ...]:
    """Split a command `cmd:...` into words, and replace the first word by the program's path.

    Raise `InputError` if the text is not a valid command, or the program does not exist.
    """
    text = name.removeprefix(COMMAND_PREFIX)
    if "#" in text or not text.isprintable():
        raise InputError(
            f"player {quote_value(name)}: a command must be one line of text without #"
        )
    try:
        words = list(map(installed_path, shlex.split(text)))
    except ValueError as error:
        raise InputError(f"player {name!r}: {str(error).lower()}") from None
    if not words:
        raise InputError(f"player {name!r}: no program given; expected cmd:PROGRAM ARGUMENTS")
    path = shutil.which(words[0])
    if path is None:
        hint = "" if os.sep in words[0] else " in PATH; for a program in this folder, begin with ./"
        raise InputError(f"player {name!r}: {words[0]} is not an executable program{hint}")
    return os.path.abspath(path), *words[1:]


class ProgramFault(Exception):
    """Error for a program that did not answer a request correctly or that ended.

    Attributes:
        what: The fault as the predicate of a sentence, such as "took too much memory".
        errors: The last part of the program's standard error.
        overdue: Whether the program exceeded the time limit.
        ended: Whether the process ended by itself or was killed by another process.
    """

    def __init__(self, what: str, errors: str, overdue: bool, ended: bool) -> None:
        super().__init__(what, errors, overdue, ended)
        self.what, self.errors, self.overdue, self.ended = what, errors, overdue, ended


class Program:
    """A running program that answers requests.

    The program ends after a fault, and when this object is deleted.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._child = Child(words, keeps_errors=True, isolated=True, data=_DATA)

    @property
    def is_running(self) -> bool:
        """Return whether the program is running, so that it can receive requests."""
        return self._child.is_running

    def ask(self, document: Mapping[str, Any], seconds: float | None) -> dict[str, Any]:
        """Send a document and return the answer.

        Raise `ProgramFault` if the answer is missing, late or not a JSON object, or if the program
        wrote anything besides the answer.
        """
        try:
            self._check_silent()
            line = self._child.exchange(_message(document), _take_line, seconds, MAX_MEMORY_BYTES)
        except Overdue:
            self.fail(f"gave no answer within {seconds:g} s", overdue=True)
        except EOFError:
            self.fail(f"stopped unexpectedly: its process {self._child.ending()}", ended=True)
        except MemoryError:
            self.fail("took too much memory")
        except TooManyProcesses:
            self.fail(f"started more than {MAX_PROCESSES} processes")
        except _LineTooLong:
            self.fail(f"wrote more than {MAX_LINE_BYTES} bytes without a line break")
        after = bytes(self._child.received)
        if after:
            self.fail(f"answered more than once: after {_quote(line)}, it wrote {_quote(after)}")
        try:
            answer = _DECODER.decode(line.decode())
        except (ValueError, RecursionError):
            self.fail(f"wrote {_quote(line)}, which is not valid JSON")
        if not isinstance(answer, dict):
            self.fail(f"wrote {_quote(line)}, which is not a JSON object")
        return answer

    def tell(self, document: Mapping[str, Any]) -> None:
        """Send the program a document that needs no answer. If that fails, end the program."""
        if not self.is_running:
            return
        try:
            self._check_silent()
            self._child.send(_message(document))
        except (EOFError, ProgramFault):
            self.end()

    def fail(self, what: str, overdue: bool = False, ended: bool = False) -> NoReturn:
        """End the program, and raise a `ProgramFault` with the given description."""
        errors = make_printable(self._child.errors())
        self._child.end()
        lines = errors.strip().splitlines()
        more = f"; its standard error ends with {quote_value(lines[-1].strip())}" if lines else ""
        raise ProgramFault(what + more, errors, overdue, ended)

    def quit(self) -> None:
        """Ask the program to exit, and end it if it is still running after `QUIT_SECONDS`."""
        if not self.is_running:
            return
        with suppress(Exception):
            self._child.exchange(b'{"do":"quit"}\n', lambda data: data.clear(), QUIT_SECONDS)
        self.end()

    def end(self) -> None:
        """End the program immediately, with all processes that it started."""
        self._child.end()

    def _check_silent(self) -> None:
        early = self._child.pending()
        if early:
            self.fail(f"wrote {_quote(early)} without being asked")


def _message(document: Mapping[str, Any]) -> bytes:
    return _ENCODER.encode(document).encode() + b"\n"


class _LineTooLong(Exception):
    """Error for a line that is longer than `MAX_LINE_BYTES`."""


def _take_line(data: bytearray) -> bytes | None:
    """Remove and return the first line of the received data, or return None if it is incomplete."""
    end = data.find(b"\n")
    if end < 0 and len(data) <= MAX_LINE_BYTES:
        return None
    if end < 0 or end > MAX_LINE_BYTES:
        raise _LineTooLong
    line = bytes(data[:end])
    del data[: end + 1]
    return line


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


_ENCODER = json.JSONEncoder(separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _quote(data: bytes) -> str:
    return quote_value(data[:200].partition(b"\n")[0].decode(errors="backslashreplace"))
