"""A program that is asked in lines of JSON, one object a line, and answers so.

It knows no game: `quaternity.table.programs` says what is asked. Whatever the program does other
than answer what it was asked, once, ends it, and is a `ProgramFault`.
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
from quaternity.base.wording import printable, shown
from quaternity.workers.child import MAX_PROCESSES, Child, Overdue, TooManyProcesses
from quaternity.workers.shipping import installed_path

COMMAND = "cmd:"
"""What the name of a player begins with that is a command."""

MAX_LINE_BYTES = 1 << 20
"""Maximum size of an answer, in bytes."""

MEMORY = 2 << 30
"""Memory limit of a program and all processes that it started together, in bytes."""

QUIT_SECONDS = 0.5
"""Seconds that a program has to exit when it is told to."""

_DATA = 2 * MEMORY + (1 << 30)


def command_words(name: str) -> tuple[str, ...]:
    """Return the words of a command `cmd:...`, the first one as the path of a program.

    Raises:
        InputError: it is no command, or there is no such program.
    """
    text = name.removeprefix(COMMAND)
    if "#" in text or not text.isprintable():
        raise InputError(f"player {shown(name)}: a command is one line of text, without #")
    try:
        words = list(map(installed_path, shlex.split(text)))
    except ValueError as error:
        raise InputError(f"player {name!r}: {str(error).lower()}") from None
    if not words:
        raise InputError(f"player {name!r}: names no program; expected cmd:PROGRAM ARGUMENTS")
    path = shutil.which(words[0])
    if path is None:
        where = "" if os.sep in words[0] else ", neither here by ./ nor in PATH"
        raise InputError(f"player {name!r}: {words[0]} is no program that can be run{where}")
    return os.path.abspath(path), *words[1:]


class ProgramFault(Exception):
    """A program did something else than it was asked for, or it ended.

    Attributes:
        what: what it did, a predicate.
        errors: the end of its standard error.
        ended: whether its process ended by itself, or by somebody else.
    """

    def __init__(self, what: str, errors: str, overdue: bool, ended: bool) -> None:
        super().__init__(what, errors, overdue, ended)
        self.what, self.errors, self.overdue, self.ended = what, errors, overdue, ended


class Program:
    """A process that answers; ended with this object at the latest, and after a fault."""

    def __init__(self, words: Sequence[str]) -> None:
        self._child = Child(words, keeps_errors=True, isolated=True, data=_DATA)

    @property
    def is_running(self) -> bool:
        """Return whether it can be asked."""
        return self._child.is_running

    def ask(self, document: Mapping[str, Any], seconds: float | None) -> dict[str, Any]:
        """Return the answer to a document.

        Raises:
            ProgramFault: there is none, or another one than an object, or it takes too long.
        """
        try:
            self._check_silent()
            line = self._child.exchange(_message(document), _line, seconds, MEMORY)
        except Overdue:
            self.fail(f"gave no answer within {seconds:g} s", overdue=True)
        except EOFError:
            self.fail(f"ended its process, which {self._child.ending()}", ended=True)
        except MemoryError:
            self.fail("took too much memory")
        except TooManyProcesses:
            self.fail(f"started more than {MAX_PROCESSES} processes")
        except _NoEnd:
            self.fail(f"wrote {MAX_LINE_BYTES} bytes and more without the end of a line")
        after = bytes(self._child.received)
        if after:
            self.fail(f"answered more than it was asked: after {_quoted(line)} {_quoted(after)}")
        try:
            answer = _DECODER.decode(line.decode())
        except (ValueError, RecursionError):
            self.fail(f"wrote {_quoted(line)}, which is no JSON")
        if not isinstance(answer, dict):
            self.fail(f"wrote {_quoted(line)}, which is no object")
        return answer

    def tell(self, document: Mapping[str, Any]) -> None:
        """Send a document that wants no answer; a program that does not read it is ended."""
        if not self.is_running:
            return
        try:
            self._check_silent()
            self._child.send(_message(document))
        except (EOFError, ProgramFault):
            self.end()

    def fail(self, what: str, overdue: bool = False, ended: bool = False) -> NoReturn:
        """End the program, and raise what it did."""
        errors = printable(self._child.errors())
        self._child.end()
        lines = errors.strip().splitlines()
        more = f"; its standard error ends with {shown(lines[-1].strip())}" if lines else ""
        raise ProgramFault(what + more, errors, overdue, ended)

    def quit(self) -> None:
        """Tell the program to leave, and end what has not left soon."""
        if not self.is_running:
            return
        with suppress(Exception):
            self._child.exchange(b'{"do":"quit"}\n', lambda data: data.clear(), QUIT_SECONDS)
        self.end()

    def end(self) -> None:
        """End it at once, with all that it started."""
        self._child.end()

    def _check_silent(self) -> None:
        early = self._child.pending()
        if early:
            self.fail(f"wrote {_quoted(early)} without being asked")


def _message(document: Mapping[str, Any]) -> bytes:
    return _ENCODER.encode(document).encode() + b"\n"


class _NoEnd(Exception):
    """A line has no end."""


def _line(data: bytearray) -> bytes | None:
    """Take the first line out of what was received."""
    end = data.find(b"\n")
    if end < 0 and len(data) <= MAX_LINE_BYTES:
        return None
    if end < 0 or end > MAX_LINE_BYTES:
        raise _NoEnd
    line = bytes(data[:end])
    del data[: end + 1]
    return line


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


_ENCODER = json.JSONEncoder(separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _quoted(data: bytes) -> str:
    return shown(data[:200].partition(b"\n")[0].decode(errors="backslashreplace"))
