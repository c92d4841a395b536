"""Terminal dialogue for a match of any game between people and programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from quaternity.base.errors import IllegalMove, InputError, LimitError, NotUnderstood, PlayerFault
from quaternity.base.text_format import with_noun
from quaternity.cli.deck_option import refusal_text
from quaternity.cli.match_screen import MatchScreen
from quaternity.cli.terminal import HalfTyped, ask, thinking, warn, wrap_text
from quaternity.decks.deck import PLAIN
from quaternity.decks.words import DeckWords
from quaternity.table.games import registration
from quaternity.table.history import MAX_PROGRAM_MOVES
from quaternity.table.journal import MatchJournal
from quaternity.table.match import ChosenMove, Match
from quaternity.table.players import YOU, make_player

QUIT = ("quit", "exit", "q")

WORDS = ("help", "rules", "state", "moves", "hint", "history", "undo", "seat")
"""Names of the commands that users can type in every game. The commands that quit are in `QUIT`."""

COMMANDS = """\
Also:    help   rules   state (the table again)   moves (the legal moves)
         hint (what the strongest program would do)   history   undo
         seat 1 NAME (hand a seat to a program, or to you)   quit"""


class _Quit(Exception):
    """Raised when the user quits or the input ends."""


Word = Callable[["MatchSession", int, str], Iterable[str]]
"""Function that executes a command. It takes the session, the seat and the argument of the command,
and returns the lines to print."""


@dataclass(frozen=True, slots=True)
class GameWords:
    """The texts and commands that a game adds to the terminal.

    Attributes:
        rules: the rules, in about ten lines.
        forms: how to type a move, in a line or two.
        marks: the meaning of the marks in the table, in a line or two.
        words: the help text and the function of each command, by name. The help text is empty for
            commands that all games have.
        remark: function that takes the match and returns a remark to print below the table, or
            None.
        advice: function that takes the view and the move and returns a text to append to a hint.
        outdated: function that returns whether a move of a program changed the meaning of
            half-typed text. It takes the text, and the views before and after the move.
        bystander_marks: the meaning of the marks for viewers who see no hand, or an empty string if
            it is the same as `marks`.
        formula_lines: function that returns lines about the truth of a formula. It takes the rules,
            the positions, the moves, the formula, and whether a reason is wanted.
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
    """A match between people and programs, played at one terminal."""

    def __init__(
        self, match: Match[Any, Any, Any], words: GameWords, journal: MatchJournal | None,
        speech: DeckWords | None = None,
    ) -> None:  # fmt: skip
        """Start a session. `speech` writes the names of cards. By default, cards are numbers."""
        self.match, self.words, self.journal = match, words, journal
        self.speech = DeckWords(PLAIN) if speech is None else speech
        self.screen = MatchScreen(match, self.speech, words.remark)
        self.refused: tuple[int, Any] | None = None
        """The last refused move, as a pair (number of moves made before it, move). None if a move
        has been accepted since."""
        self.typed = ""
        """Text that the user had half typed when a program moved."""
        self.clock = -1, 0.0
        """Number of moves made, and the time (of `monotonic`) when the table first showed them."""
        if journal is not None:
            match.keep = journal.add

    def run(self) -> None:
        """Play until the game is over, the user quits or the input ends."""
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
        print(wrap_text(f"{self.match.rules.name}: {self.screen.players_text()}"))
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
        self.screen.print_end()

    def so_far(self) -> str:
        """Return the number of moves so far, and how to resume the match, as text."""
        resuming = f"; --record {self.journal.path} resumes it" if self.journal is not None else ""
        return f"after {with_noun(self.match.history.whole_moves, 'move')}{resuming}"

    # ------------------------------------------------------------------ moves

    def _turn(self) -> bool:
        match = self.match
        acting = match.rules.to_act(match.position)
        people = [a for a in acting if a in match.people]
        # If several people may act at once, the person who saw the table last keeps the terminal.
        looking = self.screen.looking
        seat = looking if looking in people else next(iter(people), None)
        if seat is not None:
            # Show the table before the programs think, so that the person can already type. A
            # complete line takes precedence over the move of a program.
            self.screen.show(seat, self._confirm)
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
                self.screen.print_news()
                self.screen.note_seen(looking)
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
        """Delete the half-typed text if another player's move has changed its meaning."""
        text = self.typed.strip()
        command = any(word.startswith(text) for word in (*WORDS, *QUIT, *self.words.words))
        if not command and self.words.outdated(text, before, now):
            self.typed = ""
            self.screen.dropped_message = (
                f"the typed text {text!r} was deleted, because the table has changed"
            )

    def _seconds_left(self, planned: ChosenMove[Any]) -> float:
        """Return the seconds until a program moves. Typing does not delay the move."""
        return max(0.0, planned.seconds - (monotonic() - self.clock[1]))

    def _move(self, line: str, seat: int) -> None:
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
        """Play the answer if the user typed it after the question, as in "0 asks 1 for 0/2: no"."""
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

        Raise `_Quit` if the input has ended. Without a terminal, time never runs out: an empty line
        lets a program move.
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

    def _confirm(self, prompt: str) -> None:
        while line := self._read(prompt, None):
            if line.lower() in QUIT:
                raise _Quit
            print("press Enter first, or type quit")

    def _command(self, line: str, seat: int) -> bool:
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
            self.screen.repeat(seat)
        elif word == "moves":
            self.screen.print_moves(seat)
        elif word == "hint":
            self._hint(seat)
        elif word == "history":
            self.screen.print_history()
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

    def _hint(self, seat: int) -> None:
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
            text = f"{self.screen.move_text(move)}{self.words.advice(view, move)}"
            print(wrap_text(f"{name} would play: {text}"))

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
        self.screen.note_seen(*range(match.rules.seats))
        self.screen.undo_message = (
            f"{with_noun(before - match.history.whole_moves, 'move')} taken back"
        )
        print(self.screen.undo_message)

    def _hand_over(self, argument: str) -> None:
        """Execute the command `seat 1 NAME`, which hands a seat to another player."""
        number, _, name = argument.strip().partition(" ")
        rules = self.match.rules
        try:
            if number not in map(str, range(rules.seats)) or not name.strip():
                last = rules.seats - 1
                raise InputError(
                    f"seat {argument!r}: type, for example, 'seat {last} {YOU}'; "
                    f"seats are 0..{last}"
                )
            self.match.hand_over(int(number), name.strip())
        except InputError as error:
            print(wrap_text(str(error)))
            return
        print(wrap_text(self.screen.players_text()))
        if self.journal is not None:
            self.journal.note_seats(self.match)
