"""The exception `HttpError`, which becomes an error response, and messages of frequent errors."""

from __future__ import annotations

from typing import Any

from quaternity.base.errors import QuaternityError
from quaternity.base.sentences import MessageTemplate

NO_TABLE = "there is no such table"
FAILED = "the server failed; its log has the details"
BAD_NAME = MessageTemplate("bad_name", "name: must have 1 to {most} printable characters")
BAD_LINE = MessageTemplate("bad_line", "text: must have 1 to {most} printable characters")
TRIED_OFTEN = MessageTemplate("tried_often", "you have tried this move {most} times already")
LONG_QUESTION = MessageTemplate("long_question", "the question has more than {most} characters")
ONLY_HOST = MessageTemplate(
    "only_host",
    "only the host can do that: the person who made the table, or the first player present",
)
NO_SEAT = MessageTemplate("no_seat", "there is no seat {seat}")
NOT_YOURS = MessageTemplate("not_yours", "this seat is not yours")
NOT_ABSENT = MessageTemplate(
    "was_here", "this player was here in the last two minutes: ask them to hand the seat over"
)
WOULD_SHOW_HAND = MessageTemplate(
    "would_see", "a person cannot take this seat, because they would see the program's cards"
)
CANNOT_AGREE = MessageTemplate(
    "cannot_agree", "{name:called} has left the seat to a program and cannot agree"
)
WAIT_FOR = MessageTemplate("wait_for", "it is not this seat's turn: wait for {names:all_called}")
TOO_OFTEN = MessageTemplate(
    "too_often", "more than {most} such requests per minute: try again later"
)
TOO_MANY_TABLES = MessageTemplate(
    "many_kept", "this server already stores {kept} tables and accepts no more"
)
NOT_SAVED = MessageTemplate(
    "not_kept",
    "nothing can be saved now ({error}): your action was not carried out; try again later",
)
NO_ANSWER = "the database does not answer"
WRONG_SEATS = MessageTemplate("wrong_seats", "seats: this game has {play} players, not {named}")


class HttpError(QuaternityError):
    """Error that the server reports to the client with an HTTP status and a JSON object.

    Attributes:
        status: The HTTP status, such as 404.
        more: Entries that the JSON object contains in addition to the message.
        retry_after: Seconds after which the client may send the request again. None if the response
            does not contain this number.
    """

    def __init__(self, status: int, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status, self.more = status, more
        self.retry_after: int | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The JSON object of the response, with the message as its entry `error`."""
        return {"error": str(self), **self.more}

    @property
    def headers(self) -> dict[str, str]:
        """The HTTP headers that this error adds to the response."""
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
