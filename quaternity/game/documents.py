"""One door for the two kinds of files: what a file is shows in its content, not in its name."""

from __future__ import annotations

from quaternity.errors import InputError
from quaternity.files.reading import decode, read_bytes
from quaternity.game.record import FIRST_LINE, ParsedRecord, parse_record
from quaternity.game.state_file import LoadedState, parse_state


def read_document(path: str) -> LoadedState | ParsedRecord:
    """Read a state file or a game record (`-`: standard input).

    Raises:
        InputError: unreadable, malformed, or neither of the two.
        ContradictoryState: a state that contradicts itself about a completed set.
    """
    data = read_bytes(path)
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return parse_state(decode(data))
    if start.startswith((b"#", FIRST_LINE.split()[0].encode())):
        return parse_record(data)
    if not start:
        raise InputError("the file is empty")
    raise InputError(f"neither a state (a JSON object) nor a record (first line {FIRST_LINE!r})")


__all__ = ["read_document"]
