"""One game at a terminal: reads what people type, answers, and keeps the journal."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from quaternity.cli.board import owners_table, players_table
from quaternity.cli.oracle import oracle_lines
from quaternity.cli.terminal import console, warn
from quaternity.errors import InputError, LimitError
from quaternity.game.cards import Card
from quaternity.game.faults import IllegalMove, question_faults
from quaternity.game.game import Game
from quaternity.game.journal import Journal
from quaternity.game.question import Answer, Move, Question
from quaternity.game.state import State
from quaternity.insight.explanation import Explanation, explain
from quaternity.perfect.bots.bot import SeatedBot
from solvers.wording import counted, listed

if TYPE_CHECKING:
    from quaternity.perfect.bots.bot import Bot
    from quaternity.perfect.tablebase import Tablebase

HELP = """\
Ask:     1 0 2   or   1 for 0/2      player 1, have you card 2 of set 0?
Answer:  y, yes or 1;   n, no or 0
Also:    questions   the questions that may be asked now
         why         why was the last question or answer refused or forced?
         why 1 0 2   the same for any question
         state       show the table again
         undo        take back the last answer
         oracle      who can force or prevent what, and the best questions (with --oracle)
         help        this text
         quit        leave the game"""

MOST_BOT_MOVES = 100_000
"""A game among bots only is given up after so many moves."""

_ASK = re.compile(
    r"(?:(\d{1,9})\s+asks\s+)?(\d{1,9})(?:\s+for)?\s+(\d{1,9})\s*[/\s]\s*(\d{1,9})", re.ASCII
)


class _Quit(Exception):
    """The player leaves, or the input ended."""


class NamedBot(NamedTuple):
    """A bot with the name it was asked for by."""

    name: str
    bot: Bot


class Session:
    """A game between people and bots at one terminal."""

    def __init__(
        self,
        game: Game,
        journal: Journal | None,
        bots: dict[int, NamedBot],
        tablebase: Tablebase | None = None,
    ) -> None:
        self.game = game
        self.journal = journal
        self.bots = bots
        self.tablebase = tablebase
        # What was refused or forced last, with the game it was refused or forced in.
        self.puzzle: tuple[Game, Question] | None = None
        self.output = console()

    @property
    def state(self) -> State:
        """The state now."""
        return self.game.state

    def run(self) -> None:
        """Play until the game is over, somebody quits or the input ends."""
        quiet_input()
        if self.state.players == 2 and not self.game.moves:
            print("With two players every answer is a forced yes: player 0 never loses the turn.")
        self.show()
        try:
            while not self.state.is_over:
                if self.state.turn in self.bots:
                    self.bot_move()
                else:
                    self.human_move()
        except _Quit:
            print(f"the game ends here, {self.so_far()}")
            return
        except KeyboardInterrupt:
            print()
            warn(f"interrupted {self.so_far()}")
            raise
        self.announce_end()

    def so_far(self) -> str:
        """How far the game came, and what resumes it."""
        kept = f"; {self.journal.path} resumes it" if self.journal is not None else ""
        return f"after {counted(len(self.game.moves), 'move')}{kept}"

    # ------------------------------------------------------------------ moves

    def bot_move(self) -> None:
        """A move of a seat that the program plays."""
        if len(self.bots) == self.state.players and len(self.game.moves) >= MOST_BOT_MOVES:
            raise LimitError(f"the game is not over after {MOST_BOT_MOVES} moves")
        turn = self.state.turn
        assert turn is not None, "a game knows whose turn it is"
        question, answers = self.seated(turn).ask(self.state)
        print(question)
        self.settle(question, answers)

    def seated(self, seat: int) -> SeatedBot:
        """The bot of a seat, with whom to blame for what it does."""
        name, bot = self.bots[seat]
        return SeatedBot(name, seat, bot)

    def human_move(self) -> None:
        """Ask the player on turn until there is a question, then settle its answer."""
        moves = len(self.game.moves)
        question = None
        while question is None:
            line = self.read(f"player {self.state.turn} asks> ")
            if not line:
                continue
            if self.command(line):
                if len(self.game.moves) != moves:
                    return
                continue
            question = self.asked(line)
        self.settle(question, self.state.answers(question))

    def settle(self, question: Question, answers: tuple[Answer, ...]) -> None:
        """Find the answer to a legal question, and play it."""
        if len(answers) == 1:
            answer = answers[0]
            print(f"player {question.asked} must say {answer}")
            self.puzzle = self.game, question
        elif question.asked in self.bots:
            answer = self.seated(question.asked).answer(self.state, question, answers)
            print(f"player {question.asked} says {answer}")
        else:
            told = self.human_answer(question)
            if told is None:
                return
            answer = told
        self.play(Move(question, answer))

    def human_answer(self, question: Question) -> Answer | None:
        """The answer of a player with a choice; None when the question was taken back."""
        while True:
            line = self.read(f"player {question.asked}, do you have {question.card}? ")
            if line.lower().split()[:1] == ["undo"]:
                print("the question is taken back")
                return None
            try:
                return Answer.parse(line)
            except InputError as error:
                if line and not self.command(line):
                    print(error)

    def play(self, move: Move) -> None:
        """Make a move: on disk first, then on the table."""
        before = self.state
        game = self.game.play(move)
        if self.journal is not None:
            self.journal.add(move)
        self.game = game
        for index, owner in enumerate(self.state.completed):
            if owner is not None and before.completed[index] is None:
                print(f"player {owner} completes set {index}")
        earlier = self.game.repeats()
        if earlier is not None:
            print(
                f"this is the position after {counted(earlier, 'move')} again: nothing was learnt"
            )
        self.show()

    def undo(self) -> None:
        """Take back the last answer, and those of the program's seats before it."""
        if not self.game.moves:
            print("there is nothing to take back")
            return
        game = self.game.undo()
        while game.moves and game.state.turn in self.bots:
            game = game.undo()
        if self.journal is not None:
            self.journal.rewrite(game)
        self.game = game
        self.puzzle = None
        self.show()

    # ------------------------------------------------------------------ reading

    def read(self, prompt: str) -> str:
        """A line, trimmed; leaves at the end of input."""
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            raise _Quit from None
        except UnicodeDecodeError:
            return "?"

    def command(self, line: str) -> bool:
        """Obey a command; False when the line is none."""
        word, _, rest = line.lower().partition(" ")
        if word in ("quit", "exit", "q"):
            raise _Quit
        if word in ("help", "?", "h"):
            print(HELP)
        elif word == "questions":
            self.show_questions()
        elif word == "state":
            self.show()
        elif word == "undo":
            self.undo()
        elif word == "oracle":
            self.consult()
        elif word == "why":
            self.why(rest.strip())
        else:
            return False
        return True

    def parsed(self, line: str) -> Question | None:
        """The question in a line, legal or not; None, with an explanation, when there is none."""
        match = _ASK.fullmatch(line.strip())
        turn = self.state.turn
        if match is None or turn is None:
            print(f"{line!r} is not understood: a question is for example 1 0 2 or 1 for 0/2; help")
            return None
        asker = turn if match[1] is None else int(match[1])
        asked, set_index, number = (int(match[group]) for group in (2, 3, 4))
        return Question(asker, asked, Card(set_index, number))

    def asked(self, line: str) -> Question | None:
        """The legal question in a line; None, with an explanation, when there is none."""
        question = self.parsed(line)
        if question is None:
            return None
        try:
            self.state.answers(question)
        except IllegalMove as error:
            self.puzzle = self.game, question
            print(error)
            return None
        return question

    # ------------------------------------------------------------------ showing

    def show(self) -> None:
        """The table: hands, points, who may own what."""
        names = {seat: named.name for seat, named in self.bots.items()}
        self.output.print(players_table(self.state, names))
        self.output.print(owners_table(self.state))

    def show_questions(self) -> None:
        """The legal questions, cards with equal answers together."""
        for asked, set_index, cards, answers in self.state.legal_questions.groups():
            names = listed(Card(set_index, number) for number in cards)
            forced = f"  (must say {answers[0]})" if len(answers) == 1 else ""
            print(f"  {asked} for {names}{forced}")

    def why(self, line: str) -> None:
        """Explain what the last refusal or forced answer, or any question, rests on."""
        if line:
            asked = self.parsed(line)
            if asked is None:
                return
            self.puzzle = self.game, asked
        if self.puzzle is None:
            print("nothing was refused or forced yet; why 1 0 2 explains a question")
            return
        game, question = self.puzzle
        state = game.state
        if question not in state.legal_questions:
            faults = question_faults(state, question)
            explanation = self.explained(game, question, None) if len(faults) == 1 else None
            for fault in faults if explanation is None else [explanation.reason]:
                print(f"{question} is refused: {fault}")
        else:
            answers = state.answers(question)
            if len(answers) == 2:
                print(f"{question}: both answers are possible")
                return
            other = Answer(not answers[0])
            explanation = self.explained(game, question, other)
            assert explanation is not None, "an impossible answer fits no deal"
            print(f"{question}: {other} is impossible: {explanation.reason}")
        if explanation is not None and explanation.moves:
            print("  this rests on these moves, and on none of the others:")
            for index in explanation.moves:
                print(f"    move {index + 1}: {game.moves[index]}")
        elif explanation is not None:
            print("  no earlier move matters: it was impossible from the start")

    def explained(
        self, game: Game, question: Question, answer: Answer | None
    ) -> Explanation | None:
        """Why no deal fits a question or an answer, when the deal problem forbids it."""
        completed, (set_index, number) = game.state.completed, question.card
        known = 0 <= set_index < len(completed) and 0 <= number < game.state.set_size
        if not known or completed[set_index] is not None:
            return None
        return explain(game, question, answer)

    def consult(self) -> None:
        """What the tablebase knows about the position."""
        if self.tablebase is None:
            print("there is no tablebase: start with --oracle FILE (see quaternity solve)")
            return
        try:
            for line in oracle_lines(self.tablebase, self.state):
                print(line)
        except LimitError as error:
            print(error)

    def announce_end(self) -> None:
        """Points and winner."""
        points = ", ".join(
            f"player {player}: {count}" for player, count in enumerate(self.state.points)
        )
        winner = self.state.winner
        who = "nobody wins" if winner is None else f"player {winner} wins"
        print(f"all sets are completed ({points}): {who}")


def quiet_input() -> None:
    """Let undecodable bytes on standard input arrive as question marks."""
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


__all__ = ["HELP", "MOST_BOT_MOVES", "Session", "quiet_input"]
