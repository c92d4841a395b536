"""Run a Python player as a separate program that uses the protocol `quaternity-player 1`.

    from quaternity.arena import run

    class First:
        def __init__(self, new):
            self.seat = new["seat"]

        def choose(self, asked):
            return asked["moves"][0]

    run(First)

If this program is saved as `first.py`, the name of the player is `cmd:python first.py` in commands.
The page `quaternity guide arena` describes the messages `new` and `asked`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol


class Player(Protocol):
    """A player for one game. The message `new` describes the game and is passed to the constructor.

    A player may also have a string `name`, a list `wants` of the fields that it needs in requests
    for a move, and a method `end(outcome)`.
    """

    def choose(self, asked: dict[str, Any]) -> str | int | dict[str, Any] | None:
        """Return a move as a string, an action as an int, None to wait, or an answer as a dict."""


def run(player: Callable[[dict[str, Any]], Player]) -> None:
    """Answer the messages on standard input until `quit`. Each game gets a new player.

    Output that the player prints goes to standard error, because standard output is reserved for
    answers.
    """
    answers = os.dup(1)
    os.dup2(2, 1)
    # With binary input and unbuffered output, a move costs only two system calls.
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
