"""Foreign players, such as `tests.table.misbehaving:Fails`, that misbehave at random moments."""

from __future__ import annotations

import os
import sys
from random import Random
from time import sleep
from typing import Any

from quaternity.base.errors import InputError


class Harmless:
    """A player that makes random moves, and calls `act` at random moments."""

    def __init__(self, rules: Any, argument: str | None) -> None:
        self.rules = rules

    def choose(self, view: Any, random: Random) -> Any:
        if random.random() < 0.03:
            self.act()
        return random.choice(list(self.rules.moves(view)))

    def act(self) -> None:
        pass


class Fails(Harmless):
    def act(self) -> None:
        raise ValueError("no idea")


class Slow(Harmless):
    """A player that takes half a second for a move."""

    def choose(self, view: Any, random: Random) -> Any:
        sleep(0.5)
        return super().choose(view, random)


class NeverMoves(Harmless):
    def choose(self, view: Any, random: Random) -> Any:
        raise ValueError("not today")


class Picky(Harmless):
    """A player that accepts only games of two players."""

    def __init__(self, rules: Any, argument: str | None = None) -> None:
        super().__init__(rules, argument)
        if rules.seats != 2:
            raise InputError("picky: for two players only")


class Exits(Harmless):
    def act(self) -> None:
        sys.exit(0)


class Crashes(Harmless):
    def act(self) -> None:
        os._exit(0)


class Loops(Harmless):
    def act(self) -> None:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class Prints(Harmless):
    def act(self) -> None:
        print("this is no JSON")  # noqa: T201  # as players may
        os.write(1, b"nor is this\n")


class Remembers(Harmless):
    """A player that observes all moves, and checks that none is missing."""

    def __init__(self, rules: Any, argument: str | None) -> None:
        super().__init__(rules, argument)
        self.heard: list[Any] = []

    def observe(self, step: Any) -> None:
        self.heard.append(step)

    def choose(self, view: Any, random: Random) -> Any:
        placed = sum(piece is not None for piece in view.board.cells)
        assert len(self.heard) == placed + (view.in_hand is not None), self.heard
        assert all(step.events for step in self.heard)
        return super().choose(view, random)
