"""The chat at a table and the score of its series, kept in memory for the pages of the table.

A series is a chain of rematches between the same players. Bystanders have a separate chat.
"""

from __future__ import annotations

from contextlib import suppress

from quaternity.web.chat import LINES_SHOWN, Line, check_reaction, lines
from quaternity.web.core import TableState
from quaternity.web.feed import TableFeed
from quaternity.web.http_errors import HttpError
from quaternity.web.seats import Visitor
from quaternity.web.series import Score, evening_score
from quaternity.web.store import Store


class TableTalk:
    """The chat at a table, and the players' scores in its series of rematches.

    They are kept in memory for the pages of the table.

    Attributes:
        score: The scores of the players in the series, as last read. Empty if the table belongs to
            no series, or if the scores have not been read.
    """

    def __init__(self, store: Store, feed: TableFeed) -> None:
        self.score: tuple[Score, ...] = ()
        self._store, self._feed = store, feed
        self._is_scored = False
        self._lines: dict[bool, tuple[Line, ...]] = {False: (), True: ()}

    def forget_score(self) -> None:
        """Forget the scores, which may have changed. The next page reads them again."""
        self._is_scored, self.score = False, ()

    def shown_lines(self, visitor: Visitor) -> tuple[Line, ...]:
        """Return the chat lines that a visitor's page shows, as they were last read."""
        return self._lines[not visitor.seats]

    async def read_shown(self, state: TableState) -> None:
        """Read the latest chat lines and scores from the store, for the pages of the table.

        If the store cannot be read, the pages continue to show the earlier lines and scores.
        """
        name, first, has_chat = state.id, state.stored.evening, state.stored.options.chat
        wants_score = first is not None and not self._is_scored

        def read() -> None:
            if has_chat:
                for watching in (False, True):
                    shown = lines(self._store, name, watching)[-LINES_SHOWN:]
                    self._lines[watching] = tuple(shown)
            if first is not None and wants_score:
                self.score, self._is_scored = evening_score(self._store, first, name), True

        if (has_chat or wants_score) and not self._store.trouble:
            with suppress(HttpError):
                await self._store.run_read(read)

    async def lines(self, state: TableState, visitor: Visitor, after: int = 0) -> list[Line]:
        """Return the chat lines with numbers greater than `after` that a visitor may read.

        The result is empty if the table has no chat.

        Raises `HttpError` if the store cannot be read.
        """
        if not state.stored.options.chat:
            return []
        return await self._store.run_read(lines, self._store, state.id, not visitor.seats, after)

    def react(self, state: TableState, seat: int | None, name: str, reaction: str) -> None:
        """Send a reaction, which is an emoji, to all visitors of the table. It is not stored.

        `seat` and `name` belong to the sender. `seat` is None if the sender is a bystander.

        Raises `HttpError` if the reaction is not one of `chat.REACTIONS`.
        """
        # Do not show the name of a bystander, because a bystander can choose any name.
        public_name = None if seat is None else name
        data = {"seat": seat, "name": public_name, "reaction": check_reaction(reaction)}
        self._feed.send_everywhere("reaction", data, state.revision)
