"""`watch`: step forward and back through a recorded game of any kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.cli.app import app
from quaternity.cli.deck_option import DeckName, deck_words, table_text
from quaternity.cli.input_files import open_record
from quaternity.cli.match import words_of
from quaternity.cli.terminal import CLEAR, ask, wrap_text

HELP = """\
Enter, n   next step                b       back
a number   to that step             q       quit
s          show the step again"""

KNOWLEDGE_HELP = "k 2        what player 2 knows"

FORMULA_HELP = """\
know F     whether formula F is true, given what the view shows
why F      the reason, or two deals in which F differs"""


@app.command()
def watch(
    file: Annotated[
        str, typer.Argument(metavar="RECORD", help="A record of any game; - is standard input.")
    ],
    seat: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT", help="Show what this seat sees.  [default: what everybody sees]"
        ),
    ] = None,
    step: Annotated[
        int, typer.Option(metavar="N", min=0, help="Begin at this step; 0 is the start.")
    ] = 0,
    deck: DeckName = None,
) -> None:
    """Watch a recorded game of any kind, step by step.

    Enter or n shows the next step, b the previous one, a number goes to that step, and q quits. If
    input or output is piped, all steps are printed. (kwartet watch also shows all hands, and counts
    the possible deals.)

    Example: quaternity watch my.game --seat 0
    """
    rules, replay = open_record(file)
    if seat is not None and not 0 <= seat < rules.seats:
        raise InputError(f"--seat {seat} is out of range 0..{rules.seats - 1}")
    speech = deck_words(deck, rules.settings)
    last = len(replay.moves)
    if step > last:
        raise InputError(f"--step {step} is out of range 0..{last}")

    def show(number: int) -> None:
        print(f"step {number} of {last}")
        if number:
            mover, move = replay.moves[number - 1]
            for event in rules.events(
                replay.positions[number - 1], mover, move, replay.positions[number]
            ):
                print(wrap_text(speech.say(event)))
        view = rules.view(replay.positions[number], seat)
        print(table_text(rules, view, speech))

    words, tell = words_of(rules.name), None
    marks = words.bystander_marks if seat is None and words.bystander_marks else words.marks
    lines_of = words.formula_lines
    if lines_of is not None:

        def tell(text: str, number: int, why: bool) -> Iterable[str]:
            lines = lines_of(
                rules, replay.positions[: number + 1], replay.moves[:number], speech.read(text), why
            )
            return map(speech.say, lines)

    viewer = Viewer(show, last, step, marks=marks, tell=tell)
    if file == "-":
        viewer.print_all()
    else:
        viewer.play()


class Viewer:
    """A recorded game, shown one step at a time."""

    def __init__(
        self,
        show_step: Callable[[int], None],
        last: int,
        step: int = 0,
        show_knowledge: Callable[[str, int], None] | None = None,
        marks: str = "",
        tell: Callable[[str, int, bool], Iterable[str]] | None = None,
    ) -> None:
        """Set up a viewer that first shows the given step of a game.

        Args:
            show_step: function that takes the number of a step and prints the step. Step 0 is the
                start.
            last: the number of the last step.
            show_knowledge: function that prints what a player knows. It takes the player, as the
                user typed it, and the number of a step.
            marks: the meaning of the marks in a step.
            tell: function that returns lines about the truth of a formula. It takes the formula,
                the number of a step, and whether a reason is wanted.
        """
        self.show_step, self.last, self.step = show_step, last, step
        self.show_knowledge, self.marks, self.formula_lines = show_knowledge, marks, tell

    def play(self) -> None:
        """Step through the game with commands in a terminal. If there is none, print all steps."""
        if is_interactive():
            self.run()
        else:
            self.print_all()

    def print_all(self) -> None:
        """Print all steps from the current one on."""
        for step in range(self.step, self.last + 1):
            self.show_step(step)
            if step < self.last:
                print()

    def run(self) -> None:
        """Read and execute commands until the user quits or the input ends."""
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
        self.show()
        knows = "" if self.show_knowledge is None else "k P, "
        while True:
            try:
                line = ask(f"Enter next, b back, a number, {knows}help, q> ")
            except EOFError:
                print()
                return
            if line.lower() in ("q", "quit", "exit"):
                return
            self.obey(line)

    def obey(self, line: str) -> None:
        """Execute a command, or print all commands if the line is not a command."""
        word, _, argument = line.partition(" ")
        word = word.lower()
        if word in ("", "n", "next"):
            self.go(self.step + 1)
        elif word in ("b", "back"):
            self.go(self.step - 1)
        elif line.isascii() and line.isdigit():
            self.go_to(line)
        elif self.show_knowledge is not None and (
            word == "k" or (word[:1] == "k" and word[1:].isdigit())
        ):
            self.show_knowledge(word[1:] or argument.strip(), self.step)
        elif word in ("s", "state"):
            self.show()
        elif word in ("know", "why") and self.formula_lines is not None:
            for text in self.formula_lines(line[len(word) :].strip(), self.step, word == "why"):
                print(wrap_text(text))
        elif word in ("help", "h", "?"):
            self.help()
        else:
            print(f"{line!r} is not understood; type one of these commands:")
            self.help()

    def help(self) -> None:
        """Print the available commands."""
        knowledge = KNOWLEDGE_HELP if self.show_knowledge is not None else ""
        formulas = FORMULA_HELP if self.formula_lines is not None else ""
        print("\n".join(filter(None, [HELP, knowledge, formulas])))
        if self.marks:
            print(wrap_text(self.marks))

    def go(self, step: int) -> None:
        """Show a step, or print that there is no such step."""
        if step < 0:
            print("this is the start: there is nothing before it")
        elif step > self.last:
            print(f"this is the end, after {self.last} steps: b goes back, q quits")
        else:
            self.step = step
            self.show()

    def go_to(self, digits: str) -> None:
        """Go to the step with the number in `digits`."""
        # A number of more than nine digits is out of range, and may be too long to convert.
        digits = digits.lstrip("0") or "0"
        if len(digits) > 9 or int(digits) > self.last:
            print(f"there is no step {digits}: steps are 0..{self.last}")
        else:
            self.go(int(digits))

    def show(self) -> None:
        """Show the current step, after clearing the screen of a terminal."""
        if sys.stdout.isatty():
            sys.stdout.write(CLEAR)
        self.show_step(self.step)


def is_interactive() -> bool:
    """Return whether both input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()
