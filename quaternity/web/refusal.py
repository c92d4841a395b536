"""The answer to a request that is refused."""

from __future__ import annotations

from typing import Any

from quaternity.base.errors import QuaternityError
from quaternity.base.sentences import Kind

NO_TABLE = "there is no such table"
FAILED = "the server failed: its log says more"
BAD_NAME = Kind("bad_name", "name: 1 to {most} characters that can be printed")
BAD_LINE = Kind("bad_line", "text: 1 to {most} characters that can be printed")
LONG_QUESTION = Kind("long_question", "the question has more than {most} characters")
ONLY_HOST = Kind("only_host", "only who made the table can do that, or the first who is there")
NO_SEAT = Kind("no_seat", "there is no seat {seat}")
NOT_YOURS = Kind("not_yours", "seat {seat} is not yours")
WAS_HERE = Kind(
    "was_here",
    "seat {seat} belongs to somebody who was here two minutes ago: ask them to hand it over",
)
WOULD_SEE = Kind("would_see", "whoever comes to seat {seat} would see what it has")
CANNOT_AGREE = Kind("cannot_agree", "{name:called} has left the seat to a program and cannot agree")
WAIT_FOR = Kind("wait_for", "it is not this seat's turn: wait for {names:all_called}")
TOO_OFTEN = Kind("too_often", "at most {most} such requests a minute: try again later")
MANY_KEPT = Kind("many_kept", "{kept} tables are kept here, and no more")
NOT_KEPT = Kind("not_kept", "nothing can be kept now ({error}): it was not played")
SILENT = "the database does not answer"
WRONG_SEATS = Kind("wrong_seats", "seats: {named} are named, {play} play")

MAX_QUOTED_CHARS = 40
"""Maximum number of characters of the sent text that an error message quotes."""


def quoted(text: str) -> str:
    """Return the beginning of what was sent, as a refusal names it."""
    return repr(text[:MAX_QUOTED_CHARS])


class Refusal(QuaternityError):
    """A refused request: the status of HTTP, and further entries (`more`) of the answer.

    `retry_after` has the seconds after which it may be sent again, where that helps.
    """

    def __init__(self, status: int, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status, self.more = status, more
        self.retry_after: int | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The answer."""
        return {"error": str(self), **self.more}

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer."""
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
