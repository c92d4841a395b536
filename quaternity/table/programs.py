"""External programs as players. They communicate in the protocol `quaternity-player 1`.

A program can be written in any language. It reads one JSON object per line, and answers each
request for a move with one line (see `quaternity guide arena`). Views and moves have the same form
as in the JSON API of the web server. A program receives only what the player in its seat may know.
"""

from __future__ import annotations

import atexit
from collections import defaultdict
from collections.abc import Hashable, Mapping
from itertools import islice
from math import isfinite
from random import Random
from threading import Lock
from time import monotonic
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.plugins import load_place
from quaternity.base.sentences import document
from quaternity.base.text_format import quote_value
from quaternity.table.games import registration
from quaternity.table.protocol import Step
from quaternity.table.setting_fields import settings_of
from quaternity.workers.isolated_calls import EXTERNAL_MOVE_SECONDS, MAX_MOVE_SECONDS
from quaternity.workers.program import Program, ProgramFault, command_words

PROTOCOL = 1
MAX_SENT_MOVES = 500
"""Maximum number of legal moves in a request to a program. Further moves are left out."""

WANTS = ("view", "moves", "events", "numbers", "mask")
"""Names of the optional fields of a request for a move. A program asks for the fields it needs."""

ANSWERS = ("move", "action", "wait", "delay")
MAX_IDLE_PROGRAMS = 64
"""Maximum number of idle processes that are kept for later games."""


class ProgramPlayer:
    """A player that is an external program. Its process may have played other games before.

    `name` is `cmd:COMMAND`. If the last word is `:TEXT`, it is the argument of the player and not a
    part of the command.

    Raises:
        InputError: If there is no such program.
        ProgramFault: If the program does not answer a message correctly.
    """

    def __init__(self, rules: Any, name: str) -> None:
        self._rules, self._words = rules, command_words(name)
        self._argument: str | None = None
        if self._words[-1].startswith(":"):
            self._words, self._argument = self._words[:-1], self._words[-1][1:]
        self._program: Program | None = None
        self._seat, self._seed = 0, ""
        self._key: Hashable = None
        self.seconds: float = EXTERNAL_MOVE_SECONDS
        self.wants: tuple[str, ...] = WANTS[:2]
        self._version, self._events, self._delay = 0, list[Any](), 0.0

    def sit(self, seat: int, seed: str, seconds: float | None, key: Hashable = None) -> None:
        """Assign a seat, a random seed and a time limit to the program.

        Args:
            seed: the seed that the program gets.
            seconds: time limit for a move, in seconds. None stands for `EXTERNAL_MOVE_SECONDS`.
            key: the process of an earlier game is reused if that game had the same key. None always
                starts a new process.
        """
        self._seat, self._seed, self._key = seat, seed, key
        self.seconds = EXTERNAL_MOVE_SECONDS if seconds is None else seconds

    def begin(self) -> Program:
        """Tell the program that a new game begins, and return the program.

        Start the program, or reuse a process whose game has ended. If the game has begun already,
        do nothing.
        """
        if self._program is not None:
            return self._program
        rules = self._rules
        self._program = program = _take_idle(self._words, self._key)
        ready = program.ask(
            {
                "do": "new", "protocol": PROTOCOL, "game": rules.name,
                "settings": settings_of(rules), "seat": self._seat, "seats": rules.seats,
                "seed": self._seed, "argument": self._argument,
            },
            max(self.seconds, EXTERNAL_MOVE_SECONDS),
        )  # fmt: skip
        wants = ready.get("wants", self.wants)
        if not isinstance(ready.get("ready"), str):
            program.fail(f"answered 'new' with {quote_value(ready)}; expected a string in 'ready'")
        if not isinstance(wants, list | tuple) or not all(want in WANTS for want in wants):
            program.fail(
                f"answered 'new' with the wants {quote_value(wants)}; expected a list of "
                f"{', '.join(WANTS)}"
            )
        self.wants = tuple(wants)
        return program

    def observe(self, step: Step) -> None:
        """Store the public events of a move, to send them with the next request for a move."""
        self._version += 1
        self._events += step.events

    def choose(self, view: Any, random: Random) -> Any:
        """Ask the program for a move, and return the move, which may be illegal.

        Return None if the program prefers not to move yet.
        """
        del random  # The program has received its own seed.
        rules, program = self._rules, self.begin()
        message: dict[str, Any] = {
            "do": "choose",
            "version": self._version,
            "seconds": self.seconds,
        }
        if "view" in self.wants:
            message["view"] = rules.view_json(view)
        if "moves" in self.wants:
            moves = list(islice(rules.moves(view), MAX_SENT_MOVES + 1))
            message["moves"] = [rules.write(move) for move in moves[:MAX_SENT_MOVES]]
            if len(moves) > MAX_SENT_MOVES:
                message["more"] = True
        if "events" in self.wants:
            message["events"] = [document(event) for event in self._events]
        if "numbers" in self.wants:
            message["numbers"] = list(encoder_of(rules).numbers(view))
        if "mask" in self.wants:
            message["mask"] = list(encoder_of(rules).mask(view))
        self._events.clear()
        start = monotonic()
        answer = program.ask(message, self.seconds)
        may_wait = not rules.faults(view, None)
        self._delay = monotonic() - start if may_wait else 0.0
        return self._parse_answer(program, answer, view)

    def delay(self, view: Any, random: Random) -> float:
        """Return how many seconds to wait before the chosen move is made.

        The program may state this delay in its answer. If it does not, the result is the time that
        the answer took, or 0 if the player was not allowed to wait.
        """
        del view, random
        return self._delay

    def leave(self, outcome: Mapping[str, Any] | None = None) -> None:
        """Tell the program that the game has ended, with its outcome.

        `outcome` is None if the game was not finished. If possible, the process is kept for a later
        game. Otherwise, it is asked to quit.
        """
        program, self._program = self._program, None
        if program is not None:
            program.tell({"do": "end", "outcome": outcome})
            _release(self._words, self._key, program)

    def end(self) -> None:
        """Kill the process of the program immediately."""
        if self._program is not None:
            self._program.end()

    def _parse_answer(self, program: Program, answer: Mapping[str, Any], view: Any) -> Any:
        kinds = [kind for kind in ANSWERS[:3] if kind in answer]
        if len(kinds) != 1 or not all(key in ANSWERS for key in answer):
            program.fail(
                f"gave {quote_value(dict(answer))}; expected one of move, action or wait, and "
                f"optionally "
                "delay"
            )
        delay = answer.get("delay", self._delay)
        if not _is_number(delay) or not 0 <= delay <= MAX_MOVE_SECONDS:
            program.fail(
                f"gave a delay of {quote_value(delay)}; expected 0 to {MAX_MOVE_SECONDS} seconds"
            )
        self._delay = float(delay)
        (kind,), value = kinds, answer[kinds[0]]
        try:
            if kind == "wait" and value is True:
                return None
            if kind == "move" and isinstance(value, str):
                return self._rules.read(value, view)
            if kind == "action" and isinstance(value, int) and not isinstance(value, bool):
                encoded = encoder_of(self._rules)
                mask = encoded.mask(view)
                if not (0 <= value < len(mask) and mask[value]):
                    raise InputError("this action is not legal: its mask is 0")
                return encoded.move(value, view)
            raise InputError("move must be a string, action a whole number, and wait true")
        except InputError as error:
            program.fail(f"gave {kind} {quote_value(value)}: {error}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def encoder_of(rules: Any) -> Any:
    """Return the encoder of a game, which represents its views and moves as numbers.

    The encoder is a `quaternity.environments.episode.Encoded`. The encoder of the last game is
    cached.
    """
    if rules not in _encoded:
        encoded_class = registration(rules.name).part("encoded") or load_place(
            "quaternity.environments.plain_encoded:PlainEncoded"
        )
        _encoded.clear()
        _encoded[rules] = encoded_class(rules)
    return _encoded[rules]


_encoded: dict[Any, Any] = {}
_idle: defaultdict[Hashable, list[Program]] = defaultdict(list)
_lock = Lock()


def _take_idle(words: tuple[str, ...], key: Hashable) -> Program:
    with _lock:
        waiting = _idle[words, key]
        while waiting:
            program = waiting.pop()
            if program.is_running:
                return program
    return Program(words)


def _release(words: tuple[str, ...], key: Hashable, program: Program) -> None:
    with _lock:
        if key is not None and sum(map(len, _idle.values())) < MAX_IDLE_PROGRAMS:
            _idle[words, key].append(program)
            return
    program.quit()


@atexit.register
def end_idle() -> None:
    """Quit all programs that were kept for later games."""
    with _lock:
        programs = [program for waiting in _idle.values() for program in waiting]
        _idle.clear()
    for program in programs:
        program.quit()


def try_program(rules: Any, name: str) -> None:
    """Check that a program starts, and that it can begin a game with these rules.

    Raises:
        InputError: If the program does not start or does not answer correctly.
    """
    player = ProgramPlayer(rules, name)
    try:
        player.begin()
    except ProgramFault as fault:
        raise InputError(f"player {name!r} {fault.what}") from None
    player.leave()
