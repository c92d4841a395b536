"""The terminal screen of a match: the table, and the moves that a person has not seen yet."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from quaternity.cli.deck_option import move_text, table_text
from quaternity.cli.terminal import CLEAR, columns, forget_lines, in_columns, lines, wrap_text
from quaternity.decks.words import DeckWords
from quaternity.table.history import whole_events
from quaternity.table.match import Match

MAX_LISTED_MOVES = 60
"""Maximum number of legal moves that the command `moves` lists."""

MIN_NEWS_LINES = 3
"""Minimum number of lines about recent events below the table. On a small screen, earlier events
are printed above the table."""


class MatchScreen:
    """The screen on which people see a match.

    Attributes:
        looking: the seat that last saw its view, or None at the beginning.
        undo_message: message about undone moves, which is repeated to the next person at the
            terminal.
        dropped_message: message that half-typed text was dropped, or an empty string.
    """

    def __init__(
        self, match: Match[Any, Any, Any], speech: DeckWords,
        remark: Callable[[Match[Any, Any, Any]], str | None],
    ) -> None:  # fmt: skip
        """Start with an empty screen. `remark` returns a remark to print below the table."""
        self.match, self.speech, self._remark = match, speech, remark
        self.looking: int | None = None
        self.undo_message = self.dropped_message = ""
        self._shown = -1
        self._last_seen: dict[int | None, int] = {}
        """Number of moves that had been made when each seat last saw the table."""
        self._news_start = 0
        """Index of the first move in the most recent list of news."""

    def players_text(self) -> str:
        """Return the name of the player in each seat, as text."""
        return ", ".join(f"player {seat} is {name}" for seat, name in enumerate(self.match.names))

    def show(self, seat: int, confirm: Callable[[str], None]) -> None:
        """Show the table and the events since this seat last saw it.

        A position is not shown twice. If another person used the terminal last, `confirm` shows a
        prompt and waits for Enter.
        """
        match = self.match
        alone = self.looking is None and len(match.people) == 1
        if match.rules.hidden and self.looking != seat and not alone:
            self._change_seats(seat, confirm)
        if self._shown != len(match.moves):
            remarks = filter(None, (self._remark(match), self.dropped_message))
            self._show_table(seat, seat, "\n".join(remarks))
        self.looking, self._shown = seat, len(match.moves)
        self.undo_message = self.dropped_message = ""
        self.note_seen(seat)

    def note_seen(self, *seats: int | None) -> None:
        """Note that these seats have now seen all moves."""
        self._last_seen |= dict.fromkeys(seats, len(self.match.moves))

    def repeat(self, seat: int) -> None:
        """Make the next call of `show` show the table again, with the same events."""
        self._shown, self._last_seen[seat] = -1, self._news_start

    def _change_seats(self, seat: int, confirm: Callable[[str], None]) -> None:
        if self.looking is not None and sys.stdout.isatty():
            sys.stdout.write(CLEAR)
            print(self.undo_message, end="\n" if self.undo_message else "")
        self.print_news()
        confirm(f"player {seat} is to move: press Enter to show what player {seat} sees ")
        forget_lines()
        self._shown = -1

    def _show_table(self, view: int | None, seat: int | None, remark: str = "") -> None:
        table = table_text(self.match.rules, self.match.view(view), self.speech)
        news = "\n".join(map(wrap_text, self._news(seat))).splitlines()
        remarks = wrap_text(remark).splitlines()
        beyond = len(table.splitlines()) + len(news) + len(remarks) + 2 - lines()
        # The latest news stays below the table, even if the table alone fills the screen.
        above = int(max(0, min(beyond, len(news) - MIN_NEWS_LINES)))
        print(*news[:above], "", table, *news[above:], *remarks, sep="\n")

    def print_news(self) -> None:
        """Print the events that the last viewer has not seen yet."""
        for text in self._news(self.looking):
            print(wrap_text(text))

    def _news(self, seat: int | None) -> list[str]:
        """Return lines with the events that a seat has not seen yet. Short events share a line.

        If the table was not shown to the seat before, the lines begin with the last move of the
        seat, or with the first move of the game.
        """
        match = self.match
        own_moves = [number for number, (mover, _) in enumerate(match.moves) if mover == seat]
        self._news_start = self._last_seen.get(seat, own_moves[-1] if own_moves else 0)
        news: list[str] = []
        # Leave out an unanswered question, because the table shows it.
        end = len(match.moves) - (not match.rules.is_settled(match.position))
        for _, whole in whole_events(match.steps[self._news_start : end]):
            event = self.speech.say(whole)
            if news and len(news[-1]) + len(event) + 3 <= columns():
                news[-1] += f" · {event}"
            else:
                news.append(event)
        return news

    def print_history(self) -> None:
        """Print a numbered list of the moves so far."""
        last = len(self.match.moves)
        settled = map(self.match.rules.is_settled, self.match.history.positions())
        ends = [place for place, whole in enumerate(settled) if whole or place == last]
        for number, (first, end) in enumerate(pairwise(ends), 1):
            events = (
                self.speech.say(event) for _, event in whole_events(self.match.steps[first:end])
            )
            print(wrap_text(f"{number}. {' · '.join(events)}"))

    def print_moves(self, seat: int) -> None:
        """Print the legal moves of a seat."""
        rules = self.match.rules
        legal = list(rules.moves(self.match.view(seat)))
        print(in_columns([self.move_text(move) for move in legal[:MAX_LISTED_MOVES]]))
        if len(legal) > MAX_LISTED_MOVES:
            print(f"  and {len(legal) - MAX_LISTED_MOVES} more")

    def move_text(self, move: Any) -> str:
        """Return the text of a move, with the card names of the deck."""
        return move_text(self.speech, move, self.match.rules.write(move))

    def print_end(self) -> None:
        """Show the table of a finished game, and print its result."""
        match = self.match
        self._show_table(None, self.looking)
        points = ", ".join(
            f"player {seat}: {score:g}"
            for seat, score in enumerate(match.rules.points(match.position))
        )
        places = match.rules.places(match.position)
        first = [seat for seat, place in enumerate(places or ()) if place == 1]
        result = f"player {first[0]} wins" if len(first) == 1 else "there is no sole winner"
        print(wrap_text(f"the game is over ({points}): {result}"))
