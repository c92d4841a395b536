"""One game of Kwartet at a terminal, for one person or several in turn.

What a person is shown is made from the `View` of the seat on turn alone: the real hands are kept
here only to answer requests, and to be written to the log.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from random import Random

from quaternity.cli.chances import chance_lines
from quaternity.cli.kwartet_table import (
    hand_text,
    history_lines,
    knowledge_table,
    legend,
    points_text,
    score_table,
)
from quaternity.cli.session import quiet_input
from quaternity.cli.terminal import console, warn
from quaternity.errors import LimitError
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.hint import hint
from quaternity.kwartet.journal import KwartetJournal
from quaternity.kwartet.position import Position
from quaternity.kwartet.requests import Event, IllegalRequest
from quaternity.kwartet.seats import YOU, request_by
from quaternity.kwartet.view import View
from quaternity.workers.foreign import Sitting
from solvers.counting import chances
from solvers.wording import counted, percent

HELP = """\
Ask:     1 0/2   or   1 0 2   or   1 for 0/2      player 1, have you card 2 of set 0?
Also:    state     show the table again
         chances   who has each card with what chance, in percent
         hint      the request with the best chance
         history   all requests so far
         help      this text
         quit      leave the game
You may ask an opponent for a card of a set of which you hold a card. If he has it you get it and
ask again; if not, the turn passes. All four cards of a set are a point."""

MOST_REQUESTS = 100_000
"""A game is given up after so many requests in a row without a person on turn."""

_CLEAR = "\x1b[H\x1b[2J\x1b[3J"
_ASK = re.compile(
    r"(?:\d+\s+asks\s+)?(\d{1,9})(?:\s+for)?\s+(\d{1,9})\s*[/\s]\s*(\d{1,9})", re.ASCII
)


class _Quit(Exception):
    """The person leaves, or the input ended."""


class KwartetSession:
    """A game between people and strategies at one terminal."""

    def __init__(
        self,
        position: Position,
        events: Sequence[Event],
        names: tuple[str, ...],
        journal: KwartetJournal | None,
        seed: str,
        move_seconds: float | None = None,
    ) -> None:
        """Start from any position.

        Args:
            position: of the game now.
            events: the requests that led to it.
            names: per player `you` or a strategy.
            journal: where every request is written, if anywhere.
            seed: of the strategies' chance. A decision depends on it and on the number of requests
                before it only, so a resumed game goes on as it would have.
            move_seconds: see `quaternity.kwartet.seats.request_by`.
        """
        self.position = position
        self.events = list(events)
        self.names = names
        self.journal = journal
        self.seed = seed
        self.move_seconds = move_seconds
        self.output = console()
        self.people = [seat for seat, name in enumerate(names) if name == YOU]
        self.looking: int | None = None

    def run(self) -> None:
        """Play until the game is over, the person leaves or the input ends."""
        quiet_input()
        alone = 0
        try:
            while not self.position.public.is_over:
                if self.position.public.turn in self.people:
                    self.human_request()
                    alone = 0
                else:
                    alone += 1
                    if alone > MOST_REQUESTS:
                        raise LimitError(
                            f"no person was on turn for {MOST_REQUESTS} requests: the game is "
                            "given up"
                        )
                    self.strategy_request()
        except _Quit:
            print(f"the game ends here, {self.so_far()}")
            return
        except KeyboardInterrupt:
            print()
            warn(f"interrupted {self.so_far()}")
            raise
        print(f"all sets are put down after {counted(len(self.events), 'request')}")
        print(points_text(self.position.public))

    @property
    def view(self) -> View:
        """What the seat on turn sees."""
        return self.position.view(self.position.public.turn, self.events)

    def so_far(self) -> str:
        """How far the game came, and what resumes it."""
        kept = f"; {self.journal.path} resumes it" if self.journal is not None else ""
        return f"after {counted(len(self.events), 'request')}{kept}"

    # ------------------------------------------------------------------ requests

    def strategy_request(self) -> None:
        """A request of a seat that a strategy plays."""
        name = self.names[self.position.public.turn]
        chance = Random(f"{self.seed}/{len(self.events)}")
        view = self.view
        question = request_by(name, view, chance, self.move_seconds)
        try:
            self.play(question)
        except IllegalRequest as error:
            raise Sitting("strategy", name, view.seat).breaks_rules(error) from error

    def human_request(self) -> None:
        """Let the person on turn see and type until there is a legal request; play it."""
        self.hand_over()
        view = self.view
        self.show(view)
        requests = len(self.events)
        while len(self.events) == requests:
            line = self.read(f"player {view.seat} asks> ")
            if not line or self.command(line, view):
                continue
            question = parsed(line, view)
            if question is None:
                print(
                    f"{line!r} is not understood: a request is for example 1 0/2 or 1 0 2, "
                    "an opponent and a card; help"
                )
                continue
            faults = view.faults(question)
            for fault in faults:
                print(f"{question} is not allowed: {fault}")
            if not faults:
                self.play(question)

    def play(self, question: Question) -> None:
        """Make a legal request: on disk first, then on the table."""
        position, event = self.position.ask(question)
        if self.journal is not None:
            self.journal.add(event)
        self.position = position
        self.events.append(event)
        print(event)

    def hand_over(self) -> None:
        """Before another person may look, the hand of the one before goes, and Enter is awaited."""
        view = self.view
        before, self.looking = self.looking, view.seat
        if before == view.seat or len(self.people) == 1:
            return
        if before is not None and sys.stdout.isatty():
            sys.stdout.write(_CLEAR)
            for line in history_lines(view, since(view)):
                print(line)
        self.read(f"player {view.seat} is on turn: Enter shows the hand of player {view.seat} ")

    # ------------------------------------------------------------------ reading and showing

    def read(self, prompt: str) -> str:
        """A line, trimmed; leaves at the end of input."""
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            raise _Quit from None
        except UnicodeDecodeError:
            return "?"

    def command(self, line: str, view: View) -> bool:
        """Obey a command; False when the line is none."""
        word = line.lower()
        if word in ("quit", "exit", "q"):
            raise _Quit
        if word in ("help", "?", "h"):
            print(HELP)
        elif word == "state":
            self.show(view)
        elif word == "chances":
            self.show_chances(view)
        elif word == "hint":
            print(hint_text(view))
        elif word == "history":
            for told in history_lines(view):
                print(told)
            if not view.events:
                print("nothing was asked yet")
        else:
            return False
        return True

    def show(self, view: View) -> None:
        """Score, knowledge and hand."""
        self.output.print(score_table(view.public, self.names, view.seat))
        self.output.print(knowledge_table(view))
        print(legend(view))
        print(hand_text(view))

    def show_chances(self, view: View) -> None:
        """Per card and player the chance in percent; `#` is certain, `.` impossible."""
        try:
            table = chances(view.problem)
        except LimitError as error:
            print(f"no chances yet: {error}")
            return
        print("chances in percent; # is certain, . is impossible")
        for line in chance_lines(table, self.output.width):
            print(line)


def since(view: View) -> int:
    """The number of the first event after a seat's last request before those of the others."""
    events = view.events
    for number in range(len(events), 0, -1):
        if events[number - 1].question.asker == view.seat:
            return number - 1
    return 0


def parsed(line: str, view: View) -> Question | None:
    """The request in a line, legal or not; None when there is none.

    >>> from quaternity.kwartet.position import Position
    >>> from quaternity.kwartet.settings import KwartetSettings
    >>> start = Position.start(KwartetSettings(2, 2), ((7, 1), (8, 14)))
    >>> [str(parsed(line, start.view(0))) for line in ("1 0/3", "1 0 3", "0 asks 1 for 0/3", "1")]
    ['0 asks 1 for 0/3', '0 asks 1 for 0/3', '0 asks 1 for 0/3', 'None']
    """
    match = _ASK.fullmatch(line)
    if match is None:
        return None
    asked, index, number = (int(text) for text in match.groups())
    return Question(view.seat, asked, Card(index, number))


def hint_text(view: View) -> str:
    """Advice in words: what `exact` would ask, and with what chance."""
    try:
        question, chance = hint(view)
    except LimitError as error:
        return f"no hint yet: {error}"
    if chance in (0, 1):
        likely = "certain" if chance else "impossible: there is no better request"
    else:
        likely = percent(chance)
    return f"hint: {question.asked} {question.card} ({likely})"


__all__ = ["HELP", "MOST_REQUESTS", "KwartetSession", "hint_text", "parsed", "since"]
