"""Try a player on thousands of positions of all sizes, as `check_solver` tries a solver.

    check_player("cmd:./hoarder", "kwartet")

Positions come in order of size: the first one that a player fails in is a small one. Each is
reached by moves at random, and by the player's own towards the end. There it is asked twice, by
two processes where it is a program: one plays on and on, the other is killed and started again
now and then. Both are told the same, and so must answer the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import InputError, PlayerFault
from quaternity.table.games import rules_class
from quaternity.table.match import chosen, chosen_apart
from quaternity.table.players import check_name, is_foreign, is_program, make_player
from quaternity.table.programs import ProgramPlayer
from quaternity.table.protocol import Step
from quaternity.table.setting_fields import setting_fields
from quaternity.workers.foreign import Sitting, played_apart
from quaternity.workers.own_process import FOREIGN_SECONDS

POSITIONS = 2000
FULL_SIZE = 1000
"""Positions from this number on have the largest settings that are tried, and most moves."""

LARGEST = 2
"""Factor up to which settings exceed their default; optional settings go up to
`MAX_PLAYED_MOVES`."""

MAX_PLAYED_MOVES = 60
OWN_MOVES = 8
"""Number of moves at the end of a game from which on the player itself is asked for its moves."""

KILLED_EVERY = 50
"""Number of positions after which one of the two processes of a program is killed."""


class Asked(NamedTuple):
    """A position in which a player is asked: its number, and what everybody has seen before it."""

    number: int
    rules: Any
    seat: int
    steps: tuple[Step, ...]
    view: Any


@dataclass(frozen=True, slots=True)
class Checked:
    """What was tried: positions, and those that the player refused; what went wrong, and where."""

    positions: int
    refused: int
    fault: str = ""
    asked: Asked | None = None


class _Wrong(Exception):
    """A player has failed in a position."""


def check_player(
    name: str,
    game: str,
    positions: Sequence[int] = range(POSITIONS),
    seed: int = 0,
    move_seconds: float | None = None,
    on_done: Callable[[], object] = lambda: None,
) -> Checked:
    """Try a player of a game until it fails, or all positions are tried.

    InputError if there is no such player: a program that cannot be started, or one that refuses
    every position in which it is asked.
    """
    check_name(game, name, people=False)
    seconds = FOREIGN_SECONDS if move_seconds is None else move_seconds
    tried = refused = taken = 0
    refusal: InputError | None = None
    for number in positions:
        tried += 1
        try:
            taken += _try(name, game, number, seed, seconds)
        except _Wrong as wrong:
            return Checked(tried, refused, *wrong.args)
        except InputError as error:
            refused, refusal = refused + 1, error
            if is_program(name):
                raise
        on_done()
    if refusal is not None and not taken:
        raise refusal
    return Checked(tried, refused)


def _try(name: str, game: str, number: int, seed: int, seconds: float) -> bool:
    """Play to one position, and ask the player on the way; return whether it was asked."""
    random, size = Random(f"{seed}/{number}"), min(1.0, (number + 1) / FULL_SIZE)
    while True:
        rules = rules_class(game)(_settings(game, size, random))
        position = rules.start(random)
        if rules.to_act(position):  # it may be over by the deal
            break
    wanted, seat = random.randrange(2 + int(size * MAX_PLAYED_MOVES)), random.randrange(rules.seats)
    seats = [_Seat(name, rules, seat, seconds, f"{seed}/{number}", process) for process in (0, 1)]
    steps: list[Step] = []
    asked = None
    try:
        for move_number in range(wanted + OWN_MOVES):
            acting = rules.to_act(position)
            if not acting or (asked is not None and move_number > wanted):
                break
            mover = random.choice(list(acting))
            view = rules.view(position, mover)
            move = random.choice(list(rules.moves(view)))
            if mover == seat and move_number > wanted - OWN_MOVES:
                asked = Asked(number, rules, seat, tuple(steps), view)
                move = _same(seats, asked)
                if move is None:
                    continue
            after = rules.after(position, mover, move)
            steps.append(Step(mover, tuple(rules.events(position, mover, move, after))))
            position = after
    finally:
        for one_seat in seats:
            one_seat.leave(killed=not number % KILLED_EVERY)
    return asked is not None


def _same(seats: Sequence[_Seat], asked: Asked) -> Any:
    """Return what a player answers in two seats that are told the same."""
    try:
        first, second = [seat.answer(asked) for seat in seats]
    except PlayerFault as fault:
        raise _Wrong(fault.what, asked) from fault
    if first != second:
        texts = ["waiting" if move is None else asked.rules.write(move) for move in (first, second)]
        name = seats[0].name
        raise _Wrong(
            f"player {name!r}, asked the same twice, answers {texts[0]!r} and {texts[1]!r}", asked
        )
    return first


class _Seat:
    """A player in a position, in one of two processes."""

    def __init__(
        self, name: str, rules: Any, seat: int, seconds: float, seed: str, process: int
    ) -> None:
        self.name, self._rules, self._seat, self._seconds = name, rules, seat, seconds
        self._random, self._told, self._process = Random(f"{seed}/{seat}"), 0, process
        self._apart = is_foreign(rules.name, name) and not is_program(name)
        self._player: Any = None if self._apart else make_player(rules, name)
        if isinstance(self._player, ProgramPlayer):
            own = f"{self._random.getrandbits(64):016x}"
            self._player.sit(seat, own, seconds, ("check", process))

    def answer(self, asked: Asked) -> Any:
        """Return the move that it gives in a position; None: it waits."""
        rules, name = self._rules, self.name
        if self._apart:
            text, _ = played_apart(
                "player", [name] * rules.seats, self._seconds, None, chosen_apart, rules, name,
                self._seat, asked.steps, asked.view, self._random,
            )  # fmt: skip
            # Its chance went to the other process: here it goes on as there.
            self._random.random()
            return None if text is None else rules.read(text, asked.view)
        news, self._told = asked.steps[self._told :], len(asked.steps)
        who = Sitting("player", name, self._seat)
        return chosen(rules, self._player, who, asked.view, self._random, news)[0]

    def leave(self, killed: bool) -> None:
        """End the game; its process stays for the next one, unless it is killed."""
        if isinstance(self._player, ProgramPlayer):
            if killed and self._process:
                self._player.end()
            self._player.leave()


def _settings(game: str, size: float, random: Random) -> Any:
    """Draw settings, odd ones too; those that do not go together are drawn again."""
    rules = rules_class(game)
    usual = rules().settings
    while True:
        values: dict[str, Any] = {}
        for field in setting_fields(rules):
            if field.kind == "number":
                if field.default is None and random.random() < 0.5:
                    continue  # it is usually left out
                usual_most = (
                    MAX_PLAYED_MOVES if field.default is None else LARGEST * (field.default or 1)
                )
                high = min(field.most, usual_most)
                high = field.least + int((high - field.least) * size)
                values[field.name] = random.choice(range(field.least, high + 1, field.step))
            elif field.kind == "choice":
                values[field.name] = type(getattr(usual, field.name))(random.choice(field.choices))
            else:
                values[field.name] = random.random() < 0.5
        try:
            return rules(type(usual)(**values)).settings
        except InputError:
            continue


def settings_lines(rules: Any) -> Iterator[str]:
    """Give the settings of a position as they are typed."""
    for field in setting_fields(type(rules)):
        yield f"{field.name.replace('_', '-')} {getattr(rules.settings, field.name)}"
