"""`watch`: forward and back through a recorded game of any kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from quaternity.base.errors import InputError
from quaternity.cli.app import app
from quaternity.cli.chosen_deck import DeckName, deck_words, table_text
from quaternity.cli.match import words_of
from quaternity.cli.opening import open_record
from quaternity.cli.terminal import CLEAR, ask, folded

HELP = """\
Enter, n   next step                b       back
a number   to that step             q       quit
s          show the step again"""

KNOWLEDGE_HELP = "k 2        what player 2 knows"

FORMULA_HELP = """\
know F     whether a formula is true, as far as is shown
why F      why, or deals that differ in it"""


@app.command()
def watch(
    file: Annotated[
        str, typer.Argument(metavar="RECORD", help="A record of any game; - is standard input.")
    ],
    seat: Annotated[
        int | None, typer.Option(help="Show what this seat sees; without it, what everybody sees.")
    ] = None,
    step: Annotated[int, typer.Option(min=0, help="Start at this step; 0 is the start.")] = 0,
    deck: DeckName = None,
) -> None:
    """Watch a recorded game of any of the four, step by step.

    Enter or n goes on, b goes back, a number goes to that step, q quits. If input or output is
    piped, all steps are printed. (kwartet watch also shows all hands, and counts possible deals.)

    Example: quaternity watch my.game --seat 0
    """
    rules, replay = open_record(file)
    if seat is not None and not 0 <= seat < rules.seats:
        raise InputError(f"--seat {seat} is out of range 0..{rules.seats - 1}")
    speech = deck_words(deck, rules.settings)
    last = len(replay.moves)
    if step > last:
        raise InputError(f"--step {step} is out of range 0..{last}")

    def show(at: int) -> None:
        print(f"step {at} of {last}")
        if at:
            by, move = replay.moves[at - 1]
            for event in rules.events(replay.positions[at - 1], by, move, replay.positions[at]):
                print(folded(speech.say(event)))
        view = rules.view(replay.positions[at], seat)
        print(table_text(rules, view, speech))

    words, tell = words_of(rules.name), None
    marks = words.bystander_marks if seat is None and words.bystander_marks else words.marks
    lines_of = words.formula_lines
    if lines_of is not None:

        def tell(text: str, at: int, why: bool) -> Iterable[str]:
            lines = lines_of(
                rules, replay.positions[: at + 1], replay.moves[:at], speech.read(text), why
            )
            return map(speech.say, lines)

    viewer = Viewer(show, last, step, marks=marks, tell=tell)
    if file == "-":
        viewer.print_all()
    else:
        viewer.play()


class Viewer:
    """A recorded game, one step on the screen at a time."""

    def __init__(
        self,
        show_step: Callable[[int], None],
        last: int,
        step: int = 0,
        show_knowledge: Callable[[str, int], None] | None = None,
        marks: str = "",
        tell: Callable[[str, int, bool], Iterable[str]] | None = None,
    ) -> None:
        """Start at a step.

        Args:
            show_step: prints a step by its number; 0 is the start.
            last: the number of the last one.
            show_knowledge: prints what a player, as typed, knows at a step.
            marks: what the marks of a step mean.
            tell: says what is known of a formula at a step, and why where that is wanted.
        """
        self.show_step, self.last, self.step = show_step, last, step
        self.show_knowledge, self.marks, self.tell = show_knowledge, marks, tell

    def play(self) -> None:
        """Obey somebody at a terminal; print all steps when nobody sits there."""
        if interactive():
            self.run()
        else:
            self.print_all()

    def print_all(self) -> None:
        """Print the steps from the first one on, one after the other."""
        for step in range(self.step, self.last + 1):
            self.show_step(step)
            if step < self.last:
                print()

    def run(self) -> None:
        """Obey what is typed until somebody quits or the input ends."""
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
        """Do what a line says, or say what can be typed."""
        word, _, argument = line.partition(" ")
        word = word.lower()
        if word in ("", "n", "next"):
            self.go(self.step + 1)
        elif word in ("b", "back"):
            self.go(self.step - 1)
        elif line.isascii() and line.isdigit():
            self.jump(line)
        elif self.show_knowledge is not None and (
            word == "k" or (word[:1] == "k" and word[1:].isdigit())
        ):
            self.show_knowledge(word[1:] or argument.strip(), self.step)
        elif word in ("s", "state"):
            self.show()
        elif word in ("know", "why") and self.tell is not None:
            for text in self.tell(line[len(word) :].strip(), self.step, word == "why"):
                print(folded(text))
        elif word in ("help", "h", "?"):
            self.help()
        else:
            print(f"{line!r} is not understood; what can be typed is:")
            self.help()

    def help(self) -> None:
        """Print what can be typed."""
        known = KNOWLEDGE_HELP if self.show_knowledge is not None else ""
        asked = FORMULA_HELP if self.tell is not None else ""
        print("\n".join(filter(None, [HELP, known, asked])))
        if self.marks:
            print(folded(self.marks))

    def go(self, step: int) -> None:
        """Show a step, or say that there is none."""
        if step < 0:
            print("this is the start: there is nothing before it")
        elif step > self.last:
            print(f"this is the end, after {self.last} steps: b goes back, q quits")
        else:
            self.step = step
            self.show()

    def jump(self, digits: str) -> None:
        """Go to the step with a number."""
        # More digits than the last step's are out of range, however many they are.
        digits = digits.lstrip("0") or "0"
        if len(digits) > 9 or int(digits) > self.last:
            print(f"there is no step {digits}: steps are 0..{self.last}")
        else:
            self.go(int(digits))

    def show(self) -> None:
        """Show the step, on a clean screen when that is a terminal."""
        if sys.stdout.isatty():
            sys.stdout.write(CLEAR)
        self.show_step(self.step)


def interactive() -> bool:
    """Return whether somebody sits there: input and output are a terminal's."""
    return sys.stdin.isatty() and sys.stdout.isatty()
