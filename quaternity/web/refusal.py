"""Error responses, and the messages of frequent ones."""

from __future__ import annotations

from typing import Any

from quaternity.base.errors import QuaternityError
from quaternity.base.sentences import Kind

NO_TABLE = "there is no such table"
FAILED = "the server failed; its log has the details"
BAD_NAME = Kind("bad_name", "name: must have 1 to {most} printable characters")
BAD_LINE = Kind("bad_line", "text: must have 1 to {most} printable characters")
LONG_QUESTION = Kind("long_question", "the question has more than {most} characters")
ONLY_HOST = Kind(
    "only_host",
    "only the host can do that: the person who made the table, or the first player present",
)
NO_SEAT = Kind("no_seat", "there is no seat {seat}")
NOT_YOURS = Kind("not_yours", "seat {seat} is not yours")
WAS_HERE = Kind(
    "was_here",
    "the player in seat {seat} was here in the last two minutes: ask them to hand the seat over",
)
WOULD_SEE = Kind("would_see", "a person who took seat {seat} would see what the program holds")
CANNOT_AGREE = Kind("cannot_agree", "{name:called} has left the seat to a program and cannot agree")
WAIT_FOR = Kind("wait_for", "it is not this seat's turn: wait for {names:all_called}")
TOO_OFTEN = Kind("too_often", "at most {most} such requests per minute: try again later")
MANY_KEPT = Kind("many_kept", "this server already stores {kept} tables and accepts no more")
NOT_KEPT = Kind("not_kept", "nothing can be saved now ({error}): your action was not carried out")
SILENT = "the database does not answer"
WRONG_SEATS = Kind("wrong_seats", "seats: {named} given, but {play} players play this game")

MAX_QUOTED_CHARS = 40
"""Maximum number of characters of the sent text that an error message quotes."""


def quoted(text: str) -> str:
    """Return the beginning of a sent text, quoted for an error message."""
    return repr(text[:MAX_QUOTED_CHARS])


class Refusal(QuaternityError):
    """An error response: HTTP status, message, and further entries (`more`) of its document.

    `retry_after` is the number of seconds after which the client may send the request again, or
    None.
    """

    def __init__(self, status: int, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status, self.more = status, more
        self.retry_after: int | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document of the response."""
        return {"error": str(self), **self.more}

    @property
    def headers(self) -> dict[str, str]:
        """The additional headers of the response."""
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
