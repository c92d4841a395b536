"""Stepping through a logged game of Kwartet."""

from __future__ import annotations

from quaternity.cli.kwartet_steps import show_knowledge, show_step
from quaternity.cli.session import quiet_input
from quaternity.cli.terminal import console
from quaternity.kwartet.log import GameLog

HELP = """\
Enter, n   next step                b       back
a number   to that step             k 2     what player 2 knows now
s          show the step again      q       quit"""


class Viewer:
    """A logged game, one step on the screen at a time."""

    def __init__(self, log: GameLog, seat: int | None, step: int, worlds: bool) -> None:
        """Start at a step; `seat` and `worlds` as in `show_step`."""
        self.log = log
        self.seat = seat
        self.step = step
        self.worlds = worlds
        self.output = console()

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.log.events)

    def print_all(self) -> None:
        """Print the steps from the first one on, one after the other."""
        for step in range(self.step, self.last + 1):
            show_step(self.output, self.log, step, self.seat, self.worlds)
            if step < self.last:
                print()

    def run(self) -> None:
        """Obey what is typed until somebody quits or the input ends."""
        quiet_input()
        self.show()
        while True:
            try:
                line = input("Enter next, b back, a number, k P, q> ").strip().lower()
            except EOFError:
                print()
                return
            if line in ("q", "quit", "exit"):
                return
            self.obey(line)

    def obey(self, line: str) -> None:
        """Do what a line says, or say what can be typed."""
        word, _, rest = line.partition(" ")
        if word in ("", "n", "next"):
            self.go(self.step + 1)
        elif word in ("b", "back"):
            self.go(self.step - 1)
        elif line.isascii() and line.isdigit():
            self.jump(line)
        elif word == "k" or (word[:1] == "k" and word[1:].isdigit()):
            self.knowledge(word[1:] or rest.strip())
        elif word in ("s", "state"):
            self.show()
        elif word in ("help", "h", "?"):
            print(HELP)
        else:
            print(f"{line!r} is not understood; what can be typed is:")
            print(HELP)

    def go(self, step: int) -> None:
        """Show a step, or say that there is none."""
        if step < 0:
            print("this is the deal: there is nothing before it")
        elif step > self.last:
            print(f"this is the end of the log, after {self.last} steps: b goes back, q quits")
        else:
            self.step = step
            self.show()

    def jump(self, digits: str) -> None:
        """To the step with a number."""
        # More digits than the last step's are out of range, however many they are.
        digits = digits.lstrip("0") or "0"
        if len(digits) > 9 or int(digits) > self.last:
            print(f"there is no step {digits}: steps are 0..{self.last}")
        else:
            self.go(int(digits))

    def knowledge(self, player: str) -> None:
        """What a player knows, if that may be seen."""
        last = self.log.settings.players - 1
        if not player and self.seat is not None:
            player = str(self.seat)
        if not (player.isascii() and player.isdigit()) or not 0 <= int(player[:9]) <= last:
            print(f"k wants a player 0..{last}, for example k 0")
        elif self.seat is not None and int(player) != self.seat:
            print(f"only what player {self.seat} sees is shown")
        else:
            show_knowledge(self.output, self.log, self.step, int(player))

    def show(self) -> None:
        """The step, on a clean screen when that is a terminal."""
        if self.output.is_terminal:
            self.output.clear()
        show_step(self.output, self.log, self.step, self.seat, self.worlds)


__all__ = ["HELP", "Viewer"]
