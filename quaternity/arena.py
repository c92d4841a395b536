"""Run a player in Python as a program of its own, which speaks `quaternity-player 1`.

    from quaternity.arena import run

    class First:
        def __init__(self, new):
            self.seat = new["seat"]

        def choose(self, asked):
            return asked["moves"][0]

    run(First)

Seat it as `cmd:python first.py`; `quaternity guide arena` says what `new` and `asked` have.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol


class Player(Protocol):
    """A player for one game, made of the message `new`.

    It may have `name`, a text; `wants`, what it is told when it is to choose; and `end(outcome)`.
    """

    def choose(self, asked: dict[str, Any]) -> str | int | dict[str, Any] | None:
        """Return a move as text, an action as number, None to wait, or a whole answer."""


def run(player: Callable[[dict[str, Any]], Player]) -> None:
    """Answer everything that comes, with a player made for every game, until told to quit.

    What the player prints goes to standard error: answers alone may go to standard output.
    """
    answers = os.dup(1)
    os.dup2(2, 1)
    # A line is read by as few calls as can be: a move costs two of them.
    with (
        suppress(BrokenPipeError),
        open(0, "rb", closefd=False) as questions,
        open(answers, "wb", buffering=0) as out,
    ):
        _answer_all(player, questions, out)


def _answer_all(player: Callable[[dict[str, Any]], Player], questions: Any, out: Any) -> None:
    sitting: Any = None
    for line in questions:
        asked = json.loads(line)
        match asked["do"]:
            case "new":
                sitting = player(asked)
                name = str(getattr(sitting, "name", type(sitting).__name__))
                wants: Sequence[str] = getattr(sitting, "wants", ("view", "moves"))
                answer: Any = {"ready": name, "wants": list(wants)}
            case "choose":
                answer = sitting.choose(asked)
                if not isinstance(answer, dict):
                    kind = "move" if isinstance(answer, str) else "action"
                    answer = {"wait": True} if answer is None else {kind: answer}
            case "end":
                getattr(sitting, "end", lambda outcome: None)(asked["outcome"])
                continue
            case _:
                return
        out.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
