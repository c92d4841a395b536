"""Players in any language: programs that speak `quaternity-player 1`.

One JSON object a line comes in, and one goes out for every `new` and `choose`; `quaternity guide
arena` is the protocol. Settings, views, events and moves are those of the requests to a table in
a browser. A program is told what its seat may know, and nothing else.
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
from quaternity.base.wording import shown
from quaternity.table.games import registration
from quaternity.table.protocol import Step
from quaternity.table.setting_fields import settings_of
from quaternity.workers.own_process import FOREIGN_SECONDS, MAX_MOVE_SECONDS
from quaternity.workers.program import Program, ProgramFault, command_words

PROTOCOL = 1
MAX_SENT_MOVES = 500
"""Maximum number of legal moves that are listed in a request to a program."""

WANTS = ("view", "moves", "events", "numbers", "mask")
"""What a program may want to be told when it is to choose."""

ANSWERS = ("move", "action", "wait", "delay")
MAX_IDLE_PROGRAMS = 64


class ProgramPlayer:
    """A program in a seat, for one game; its process may have played others before.

    `name` is `cmd:COMMAND`; a last word `:TEXT` is its argument, and not the command's. InputError
    if there is no such program; ProgramFault, in whatever it is asked, if it does not answer.
    """

    def __init__(self, rules: Any, name: str) -> None:
        self._rules, self._words = rules, command_words(name)
        self._argument: str | None = None
        if self._words[-1].startswith(":"):
            self._words, self._argument = self._words[:-1], self._words[-1][1:]
        self._program: Program | None = None
        self._seat, self._seed = 0, ""
        self._key: Hashable = None
        self.seconds: float = FOREIGN_SECONDS
        self.wants: tuple[str, ...] = WANTS[:2]
        self._version, self._events, self._delay = 0, list[Any](), 0.0

    def sit(self, seat: int, seed: str, seconds: float | None, key: Hashable = None) -> None:
        """Say where it sits, its own seed, and what it may take for a move.

        `key` is whose process it may use that has played before; None: a new one.
        """
        self._seat, self._seed, self._key = seat, seed, key
        self.seconds = FOREIGN_SECONDS if seconds is None else seconds

    def begin(self) -> Program:
        """Start the program, or the next game in it, and hear what it wants."""
        if self._program is not None:
            return self._program
        rules = self._rules
        self._program = program = _taken(self._words, self._key)
        ready = program.ask(
            {
                "do": "new", "protocol": PROTOCOL, "game": rules.name,
                "settings": settings_of(rules), "seat": self._seat, "seats": rules.seats,
                "seed": self._seed, "argument": self._argument,
            },
            max(self.seconds, FOREIGN_SECONDS),
        )  # fmt: skip
        wants = ready.get("wants", self.wants)
        if not isinstance(ready.get("ready"), str):
            program.fail(f"answered 'new' by {shown(ready)}, not by a text 'ready'")
        if not isinstance(wants, list | tuple) or not all(want in WANTS for want in wants):
            program.fail(f"wants {shown(wants)}; allowed is a list of {', '.join(WANTS)}")
        self.wants = tuple(wants)
        return program

    def observe(self, step: Step) -> None:
        """Keep what happened, for the next choice."""
        self._version += 1
        self._events += step.events

    def choose(self, view: Any, random: Random) -> Any:
        """Return the move that the program gives, not checked; None to wait."""
        del random  # it has a seed of its own
        rules, program = self._rules, self.begin()
        asked: dict[str, Any] = {
            "do": "choose",
            "version": self._version,
            "seconds": self.seconds,
        }
        if "view" in self.wants:
            asked["view"] = rules.view_json(view)
        if "moves" in self.wants:
            listed = list(islice(rules.moves(view), MAX_SENT_MOVES + 1))
            asked["moves"] = [rules.write(move) for move in listed[:MAX_SENT_MOVES]]
            if len(listed) > MAX_SENT_MOVES:
                asked["more"] = True
        if "events" in self.wants:
            asked["events"] = [document(event) for event in self._events]
        if "numbers" in self.wants:
            asked["numbers"] = list(encoded_of(rules).numbers(view))
        if "mask" in self.wants:
            asked["mask"] = list(encoded_of(rules).mask(view))
        self._events.clear()
        begun = monotonic()
        answer = program.ask(asked, self.seconds)
        may_wait = not rules.faults(view, None)
        self._delay = monotonic() - begun if may_wait else 0.0
        return self._meant(program, answer, view)

    def delay(self, view: Any, random: Random) -> float:
        """Return the seconds that the last choice took, as the program says or by the clock."""
        del view, random
        return self._delay

    def leave(self, outcome: Mapping[str, Any] | None = None) -> None:
        """Tell the program that the game has ended, and let it go; None: nobody knows how."""
        program, self._program = self._program, None
        if program is not None:
            program.tell({"do": "end", "outcome": outcome})
            _let_go(self._words, self._key, program)

    def end(self) -> None:
        """End the program at once."""
        if self._program is not None:
            self._program.end()

    def _meant(self, program: Program, answer: Mapping[str, Any], view: Any) -> Any:
        kinds = [kind for kind in ANSWERS[:3] if kind in answer]
        if len(kinds) != 1 or not all(key in ANSWERS for key in answer):
            program.fail(
                f"gave {shown(dict(answer))}; expected one of move, action and wait, and delay"
            )
        delay = answer.get("delay", self._delay)
        if not _is_number(delay) or not 0 <= delay <= MAX_MOVE_SECONDS:
            program.fail(f"gave a delay of {shown(delay)}, not 0 to {MAX_MOVE_SECONDS} seconds")
        self._delay = float(delay)
        (kind,), value = kinds, answer[kinds[0]]
        try:
            if kind == "wait" and value is True:
                return None
            if kind == "move" and isinstance(value, str):
                return self._rules.read(value, view)
            if kind == "action" and isinstance(value, int) and not isinstance(value, bool):
                encoded = encoded_of(self._rules)
                mask = encoded.mask(view)
                if not (0 <= value < len(mask) and mask[value]):
                    raise InputError("not legal, the mask has no 1 there")
                return encoded.move(value, view)
            raise InputError("expected a text as move, a whole number as action, true as wait")
        except InputError as error:
            program.fail(f"gave {kind} {shown(value)}: {error}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def encoded_of(rules: Any) -> Any:
    """Return a game with its settings as numbers (`quaternity.environments.episode.Encoded`)."""
    if rules not in _encoded:
        made = registration(rules.name).part("encoded") or load_place(
            "quaternity.environments.plain_encoded:PlainEncoded"
        )
        _encoded.clear()
        _encoded[rules] = made(rules)
    return _encoded[rules]


_encoded: dict[Any, Any] = {}
_idle: defaultdict[Hashable, list[Program]] = defaultdict(list)
_lock = Lock()


def _taken(words: tuple[str, ...], key: Hashable) -> Program:
    with _lock:
        waiting = _idle[words, key]
        while waiting:
            program = waiting.pop()
            if program.is_running:
                return program
    return Program(words)


def _let_go(words: tuple[str, ...], key: Hashable, program: Program) -> None:
    with _lock:
        if key is not None and sum(map(len, _idle.values())) < MAX_IDLE_PROGRAMS:
            _idle[words, key].append(program)
            return
    program.quit()


@atexit.register
def end_idle() -> None:
    """Let all programs leave that wait for a game."""
    with _lock:
        programs = [program for waiting in _idle.values() for program in waiting]
        _idle.clear()
    for program in programs:
        program.quit()


def try_program(rules: Any, name: str) -> None:
    """Make sure that a program starts and says that it is ready.

    Raises:
        InputError: it does not.
    """
    player = ProgramPlayer(rules, name)
    try:
        player.begin()
    except ProgramFault as fault:
        raise InputError(f"player {name!r} {fault.what}") from None
    player.leave()
