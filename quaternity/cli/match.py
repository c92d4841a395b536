"""Terminal dialogue for a match of any game between people and programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from time import monotonic
from typing import Any

from quaternity.base.errors import (
    IllegalMove,
    InputError,
    LimitError,
    NotUnderstood,
    PlayerFault,
)
from quaternity.base.text_format import with_noun
from quaternity.cli.deck_option import move_text, refusal_text, table_text
from quaternity.cli.terminal import (
    CLEAR,
    HalfTyped,
    ask,
    columns,
    forget_lines,
    in_columns,
    lines,
    thinking,
    warn,
    wrap_text,
)
from quaternity.decks.deck import PLAIN
from quaternity.decks.words import DeckWords
from quaternity.table.games import registration
from quaternity.table.history import MAX_PROGRAM_MOVES, whole_events
from quaternity.table.journal import MatchJournal
from quaternity.table.match import ChosenMove, Match
from quaternity.table.players import YOU, make_player

MAX_LISTED_MOVES = 60
"""Maximum number of legal moves that the command `moves` lists."""

MIN_NEWS_LINES = 3
"""Minimum number of lines of the latest news that are printed below the table. If the screen is too
small, earlier news is printed above it."""

QUIT = ("quit", "exit", "q")

WORDS = ("help", "rules", "state", "moves", "hint", "history", "undo", "seat")
"""Names of the commands that every game has, besides moves and the words in `QUIT`."""

COMMANDS = """\
Also:    help   rules   state (the table again)   moves (the legal moves)
         hint (what the strongest program would do)   history   undo
         seat 1 NAME (hand a seat to a program, or to you)   quit"""


class _Quit(Exception):
    """Raised when the user quits or the input ends."""


Word = Callable[["MatchSession", int, str], Iterable[str]]
"""Type of the function of a command. It takes the session, the seat and the argument, and returns
lines to print."""


@dataclass(frozen=True, slots=True)
class GameWords:
    """The texts and commands that a game adds to the terminal.

    Attributes:
        rules: the rules, in about ten lines.
        forms: how to type a move, in a line or two.
        marks: the meaning of the marks in the table, in a line or two.
        words: mapping from the name of a command to its help text and its function. The help text
            is empty if all games have the command.
        remark: function that takes the match and returns a remark to print below the table, or
            None.
        advice: function that takes the view and the move and returns a text to append to a hint.
        outdated: function that takes half-typed text and the views before and after a program's
            move, and returns whether the text has changed its meaning.
        bystander_marks: the meaning of the marks for viewers who see no hand. Empty if it is the
            same as `marks`.
        formula_lines: function that takes the rules, the positions, the moves, a formula and
            whether a reason is wanted, and returns lines about what is known about the formula.
    """

    rules: str
    forms: str
    marks: str = ""
    words: Mapping[str, tuple[str, Word]] = field(default_factory=dict)
    remark: Callable[[Match[Any, Any, Any]], str | None] = lambda match: None
    advice: Callable[[Any, Any], str] = lambda view, move: ""
    outdated: Callable[[str, Any, Any], bool] = lambda text, before, now: False
    bystander_marks: str = ""
    formula_lines: Callable[[Any, Any, Any, str, bool], Iterable[str]] | None = None


def words_of(game: str) -> GameWords:
    """Return the texts and commands of a game, or minimal ones if the game registers none."""
    registered = registration(game)
    words = registered.part("words")
    if words is not None:
        game_words: GameWords = words()
        return game_words
    return GameWords(
        registered.text or registered.title, "Move:    type moves to see the legal moves"
    )


class MatchSession:
    """A match between people and programs at one terminal."""

    def __init__(
        self, match: Match[Any, Any, Any], words: GameWords, journal: MatchJournal | None,
        speech: DeckWords | None = None,
    ) -> None:  # fmt: skip
        """Start a session. `speech` names the cards in sentences; by default, cards are numbers."""
        self.match, self.words, self.journal = match, words, journal
        self.speech = DeckWords(PLAIN) if speech is None else speech
        self.looking: int | None = None
        self.refused: tuple[int, Any] | None = None
        """The number of moves made before the last refused move, and this move. None if no move has
        been refused since the last accepted move."""
        self.shown = -1
        self.last_seen: dict[int | None, int] = {}
        """Number of moves that had been made when each seat last saw the table."""
        self.news_start = 0
        """Number of moves made before the first move in the news that was shown last."""
        self.undo_message = ""
        """Message about moves that were taken back, repeated to the next person at the terminal."""
        self.typed = ""
        """Text that the user had half typed when a program moved."""
        self.dropped_message = ""
        """Message that half-typed text was dropped, or an empty string."""
        self.clock = -1, 0.0
        """Number of moves made, and the time at which the table was first shown after the last of
        them."""
        if journal is not None:
            match.keep = journal.add

    def run(self) -> None:
        """Play until the game is over, the user quits or the input ends."""
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
        print(wrap_text(f"{self.match.rules.name}: {self._players_text()}"))
        if self.words.marks:
            print(wrap_text(self.words.marks))
        print("type a move, or one of: help, rules, quit")
        alone = 0
        try:
            while self.match.rules.to_act(self.match.position):
                alone = 0 if self._turn() else alone + 1
                if alone > MAX_PROGRAM_MOVES:
                    raise LimitError(
                        f"stopped, because no person had a turn for {MAX_PROGRAM_MOVES} moves"
                    )
        except _Quit:
            print(f"the game ends here, {self.so_far()}")
            return
        except KeyboardInterrupt:
            print()
            warn(f"interrupted {self.so_far()}")
            raise
        except PlayerFault:
            warn(f"the game stops {self.so_far()}")
            raise
        self._end()

    def so_far(self) -> str:
        """Return a text with the number of moves so far, and how to resume the match."""
        resuming = f"; --record {self.journal.path} resumes it" if self.journal is not None else ""
        return f"after {with_noun(self.match.history.whole_moves, 'move')}{resuming}"

    # ------------------------------------------------------------------ moves

    def _turn(self) -> bool:
        """Handle the turn of a person or a program. Return whether it was a person's turn."""
        match = self.match
        acting = match.rules.to_act(match.position)
        people = [a for a in acting if a in match.people]
        # If several people may act at once, the person who saw the table last keeps the terminal.
        seat = self.looking if self.looking in people else next(iter(people), None)
        if seat is not None:
            # Show the table before the programs think, so that the person can already type. A
            # complete line takes precedence over the move of a program.
            self._show(seat)
            if self.clock[0] != len(match.moves):
                self.clock = len(match.moves), monotonic()
        name = f"player {acting[0]} ({match.names[acting[0]]})"
        with nullcontext() if people else thinking(name):
            planned = match.next_program()
        if seat is None:
            if planned is None:
                raise LimitError("every program waits, so the game cannot continue")
            match.play(planned.seat, planned.move)
            if not match.people and sys.stdout.isatty() and match.rules.is_settled(match.position):
                # Only programs play, so show every move to the onlooker as it is made.
                self._print_news(self.looking)
                self.last_seen[self.looking] = len(match.moves)
            return False
        line = self._read(
            f"player {seat}> ", None if planned is None else self._seconds_left(planned)
        )
        if line is None or (not line and planned is not None):
            assert planned is not None, "waiting must end with a planned move of a program"
            before = match.view(seat)
            match.play(planned.seat, planned.move)
            self._drop_outdated(before, match.view(seat))
        elif not line and len(acting) > 1:
            print("no program is waiting to move: type a move")
        elif line and not self._command(line, seat):
            self._move(line, seat)
        return True

    def _drop_outdated(self, before: Any, now: Any) -> None:
        """Drop half-typed text whose meaning has changed. Keep any other text."""
        text = self.typed.strip()
        command = any(word.startswith(text) for word in (*WORDS, *QUIT, *self.words.words))
        if not command and self.words.outdated(text, before, now):
            self.typed, self.dropped_message = (
                "",
                f"the typed text {text!r} was deleted, because the table has changed",
            )

    def _seconds_left(self, planned: ChosenMove[Any]) -> float:
        """Return the seconds until a program moves. Typing does not delay the move."""
        return max(0.0, planned.seconds - (monotonic() - self.clock[1]))

    def _move(self, line: str, seat: int) -> None:
        """Make the move that a line describes, or print the reason why it cannot be made."""
        rules = self.match.rules
        # Also accept a line of a record: "1 place it on H1V1, hand over B".
        acting = [str(t) for t in rules.to_act(self.match.position) if t in self.match.people]
        try:
            line = self.speech.read(line)
            head, _, text = line.partition(" ")
            try:
                move = rules.read(line, self.match.view(seat))
            except InputError as error:
                if head not in acting:
                    raise
                try:
                    move = rules.read(text, self.match.view(int(head)))
                except InputError:
                    raise error from None  # Report the error of the whole line.
                seat = int(head)
        except InputError as error:
            more = f"{self.speech.suggest_card(line)} (or type help)"
            print(wrap_text(f"{error}{more if isinstance(error, NotUnderstood) else ''}"))
            return
        try:
            self.refused = len(self.match.moves), move
            self.match.play(seat, move)
            self.refused = None
            if ":" in line and not rules.is_settled(self.match.position):
                self._answer(line)
        except IllegalMove as error:
            print(wrap_text(refusal_text(self.speech, error)))

    def _answer(self, line: str) -> None:
        """Give the answer if the line of the question contains one: "0 asks 1 for 0/2: no"."""
        (answerer,) = self.match.rules.to_act(self.match.position)
        if answerer in self.match.people:
            try:
                answer = self.match.rules.read(line, self.match.view(answerer))
            except InputError as error:
                print(wrap_text(str(error)))
            else:
                self.match.play(answerer, answer)

    # ------------------------------------------------------------------ reading

    def _read(self, prompt: str, seconds: float | None) -> str | None:
        """Return a typed line without surrounding whitespace, or None if time runs out.

        Raises `_Quit` if the input has ended. Only a terminal has a time limit: with piped input, a
        program moves after an empty line.
        """
        typed, self.typed = self.typed, ""
        try:
            return ask(prompt, seconds, typed)
        except HalfTyped as half:
            print()
            self.typed = half.text
            return None
        except EOFError:
            print()
            raise _Quit from None
        except UnicodeDecodeError:
            return "?"

    def _command(self, line: str, seat: int) -> bool:
        """Execute a command. Return False if the line is not a command."""
        word, _, argument = line.partition(" ")
        word = word.lower()
        if word in QUIT:
            raise _Quit
        if word in self.words.words:
            try:
                for text in self.words.words[word][1](
                    self, seat, self.speech.read(argument.strip())
                ):
                    print(wrap_text(self.speech.say(text), 4))
            except InputError as error:
                print(wrap_text(str(error)))
        elif word in ("help", "?"):
            self._help()
        elif word == "rules":
            print(wrap_text(" ".join(f"{self.words.rules} {self.words.marks}".split()), 0))
        elif word == "state":
            self.shown, self.last_seen[seat] = -1, self.news_start
        elif word == "moves":
            self._list_moves(seat)
        elif word == "hint":
            self._hint(seat)
        elif word == "history":
            self._list_history()
        elif word == "undo":
            self._undo()
        elif word == "seat":
            self._hand_over(argument)
        else:
            return False
        return True

    def _help(self) -> None:
        words = self.words.words.items()
        more = [f"         {word:<8} {text}" for word, (text, _) in words if text]
        if self.speech.deck.sets:
            more.insert(
                0,
                f"Cards:   {self.speech.card((0, 0))} is 0/0; type either; quote names with "
                'blanks, such as "ice cream"',
            )
        print(wrap_text("\n".join([self.words.forms, *more, COMMANDS]), 9))

    def _list_moves(self, seat: int) -> None:
        rules = self.match.rules
        legal = list(rules.moves(self.match.view(seat)))
        print(in_columns([self._move_text(move) for move in legal[:MAX_LISTED_MOVES]]))
        if len(legal) > MAX_LISTED_MOVES:
            print(f"  and {len(legal) - MAX_LISTED_MOVES} more")

    def _hint(self, seat: int) -> None:
        """Print the move that the strongest program of this game would make."""
        rules = self.match.rules
        name = registration(rules.name).strongest
        random = self.match.history.chance(self.match.seed, "hint")
        view = self.match.view(seat)
        try:
            with thinking(f"{name} (Ctrl-C cancels the hint)"):
                move = make_player(rules, name).choose(view, random)
        except (LimitError, KeyboardInterrupt) as error:
            print(wrap_text(f"no hint: {str(error) or 'cancelled'}"))
            return
        if move is None:
            print(f"{name} would wait")
        else:
            print(
                wrap_text(
                    f"{name} would play: {self._move_text(move)}{self.words.advice(view, move)}"
                )
            )

    def _move_text(self, move: Any) -> str:
        return move_text(self.speech, move, self.match.rules.write(move))

    def _undo(self) -> None:
        match = self.match
        if not match.moves:
            print("there is nothing to take back")
            return
        # A question that has not been answered yet counts as a move.
        before = match.history.whole_moves + (not match.rules.is_settled(match.position))
        match.undo()
        if self.journal is not None:
            self.journal.rewrite(match)
        self.last_seen = dict.fromkeys(range(match.rules.seats), len(match.moves))
        self.undo_message = f"{with_noun(before - match.history.whole_moves, 'move')} taken back"
        print(self.undo_message)

    def _hand_over(self, argument: str) -> None:
        """Execute the command `seat 1 NAME`, which hands a seat to another player."""
        number, _, name = argument.strip().partition(" ")
        rules = self.match.rules
        try:
            if number not in map(str, range(rules.seats)) or not name.strip():
                last = rules.seats - 1
                raise InputError(
                    f"seat {argument!r}: type for example seat {last} {YOU}; seats are 0..{last}"
                )
            self.match.hand_over(int(number), name.strip())
        except InputError as error:
            print(wrap_text(str(error)))
            return
        print(wrap_text(self._players_text()))
        if self.journal is not None:
            self.journal.note_seats(self.match)

    # ------------------------------------------------------------------ showing

    def _players_text(self) -> str:
        return ", ".join(f"player {seat} is {name}" for seat, name in enumerate(self.match.names))

    def _show(self, seat: int) -> None:
        """Show each position once: the table, and the news since this seat last saw it."""
        match = self.match
        alone = self.looking is None and len(match.people) == 1
        if match.rules.hidden and self.looking != seat and not alone:
            self._change_seats(seat)
        if self.shown != len(match.moves):
            remarks = filter(None, (self.words.remark(match), self.dropped_message))
            self._show_table(seat, seat, "\n".join(remarks))
        self.looking, self.shown, self.undo_message, self.dropped_message = (
            seat,
            len(match.moves),
            "",
            "",
        )
        self.last_seen[seat] = len(match.moves)

    def _change_seats(self, seat: int) -> None:
        """Hide the table, and wait until the next player sits at the terminal."""
        if self.looking is not None and sys.stdout.isatty():
            sys.stdout.write(CLEAR)
            print(self.undo_message, end="\n" if self.undo_message else "")
        self._print_news(self.looking)
        prompt = f"player {seat} is to move: press Enter to show what player {seat} sees "
        while line := self._read(prompt, None):
            if line.lower() in QUIT:
                raise _Quit
            print("press Enter first, or type quit")
        forget_lines()
        self.shown = -1

    def _show_table(self, view: int | None, seat: int | None, remark: str | None = None) -> None:
        """Show the table, with the news for a seat below it, or above it if there is no room."""
        table = table_text(self.match.rules, self.match.view(view), self.speech)
        news = "\n".join(map(wrap_text, self._news(seat))).splitlines()
        remarks = wrap_text(remark or "").splitlines()
        beyond = len(table.splitlines()) + len(news) + len(remarks) + 2 - lines()
        # The latest news stays below the table, even if the table alone fills the screen.
        above = int(max(0, min(beyond, len(news) - MIN_NEWS_LINES)))
        print(*news[:above], "", table, *news[above:], *remarks, sep="\n")

    def _print_news(self, seat: int | None) -> None:
        for text in self._news(seat):
            print(wrap_text(text))

    def _news(self, seat: int | None) -> list[str]:
        """Return the events since a seat last saw the table or moved, in as few lines as fit."""
        match = self.match
        own_moves = [number for number, (mover, _) in enumerate(match.moves) if mover == seat]
        self.news_start = self.last_seen.get(seat, own_moves[-1] if own_moves else 0)
        news: list[str] = []
        # Leave out an unanswered question, because the table shows it.
        end = len(match.moves) - (not match.rules.is_settled(match.position))
        for _, whole in whole_events(match.steps[self.news_start : end]):
            event = self.speech.say(whole)
            if news and len(news[-1]) + len(event) + 3 <= columns():
                news[-1] += f" · {event}"
            else:
                news.append(event)
        return news

    def _list_history(self) -> None:
        """Print a numbered list of the moves so far."""
        last = len(self.match.moves)
        settled = map(self.match.rules.is_settled, self.match.history.positions())
        ends = [place for place, whole in enumerate(settled) if whole or place == last]
        for number, (first, end) in enumerate(pairwise(ends), 1):
            events = (
                self.speech.say(event) for _, event in whole_events(self.match.steps[first:end])
            )
            print(wrap_text(f"{number}. {' · '.join(events)}"))

    def _end(self) -> None:
        match = self.match
        self._show_table(None, self.looking)
        points = ", ".join(
            f"player {seat}: {score:g}"
            for seat, score in enumerate(match.rules.points(match.position))
        )
        places = match.rules.places(match.position)
        first = [seat for seat, place in enumerate(places or ()) if place == 1]
        result = f"player {first[0]} wins" if len(first) == 1 else "nobody wins alone"
        print(wrap_text(f"the game is over ({points}): {result}"))
