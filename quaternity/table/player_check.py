"""Test of a player in thousands of random positions, to find one in which the player fails.

    check_player("cmd:./hoarder", "kwartet")

Small positions are tested first, so that the first failure is in a small position. Random moves
lead to each position, followed by some moves of the tested player. Every move is requested twice,
and both answers must be the same. An external program therefore runs in two processes, the second
of which is sometimes killed and restarted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from quaternity.base.errors import InputError, PlayerFault
from quaternity.table.games import rules_class
from quaternity.table.match import choose_move, choose_move_isolated
from quaternity.table.players import check_name, is_foreign, is_program, make_player
from quaternity.table.programs import ProgramPlayer
from quaternity.table.protocol import Step
from quaternity.table.setting_fields import setting_fields
from quaternity.workers.isolated_calls import EXTERNAL_MOVE_SECONDS
from quaternity.workers.isolated_players import SeatedPlayer, play_isolated

DEFAULT_POSITIONS = 2000
"""Default number of positions to test."""

FULL_SIZE = 1000
"""Number of positions after which the tested positions have their full size. In earlier positions,
the game has smaller settings and fewer moves."""

MAX_SETTING_FACTOR = 2
"""Maximum ratio of a random setting to its default value. A setting without a default value is at
most `MAX_PLAYED_MOVES`."""

MAX_PLAYED_MOVES = 60
"""Approximate maximum number of moves before the tested position, and maximum value of game
settings without a default value."""

OWN_MOVES = 8
"""Number of moves at the end of a test game, during which the tested player chooses its own moves.
Earlier moves are random. If the player gets no turn, up to as many moves more are played."""

KILL_INTERVAL = 50
"""Number of positions after which one of the two processes of a tested program is killed."""


class CheckedPosition(NamedTuple):
    """A position in which the tested player had to move.

    Attributes:
        number: number of the position.
        steps: the public information about the earlier moves.
    """

    number: int
    rules: Any
    seat: int
    steps: tuple[Step, ...]
    view: Any


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of testing a player in many positions.

    Attributes:
        positions: number of positions tested.
        refused: number of positions in which the player refused to move.
        fault: description of the player's failure. Empty if the player did not fail.
        asked: the position in which the player failed. None if it did not fail.
    """

    positions: int
    refused: int
    fault: str = ""
    asked: CheckedPosition | None = None

    def document(self, again: str) -> dict[str, Any]:
        """Return the result as a JSON object. `again` is a command that repeats the failure."""
        case, failure = self.asked, None
        if case is not None:
            failure = {
                "what": self.fault, "position": case.number, "seat": case.seat,
                "settings": list(settings_lines(case.rules)), "moves": len(case.steps),
                "again": again,
            }  # fmt: skip
        return {"positions": self.positions, "refused": self.refused, "failure": failure}


class _PlayerFailed(Exception):
    """Exception for a player that failed in a position."""


def check_player(
    name: str,
    game: str,
    positions: Sequence[int] = range(DEFAULT_POSITIONS),
    seed: int = 0,
    move_seconds: float | None = None,
    on_done: Callable[[], object] = lambda: None,
) -> CheckResult:
    """Test a player in many random positions, until it fails or all positions are tested.

    Args:
        name: the player; see `quaternity.table.players`.
        game: name of the game.
        positions: numbers of the positions to test. Positions with higher numbers are larger.
        seed: random seed.
        move_seconds: time limit for each move, in seconds; None for `EXTERNAL_MOVE_SECONDS`.
        on_done: called after each position.

    Raises:
        InputError: If there is no such player, a program cannot be started, or the player refuses
            every position.
    """
    check_name(game, name, people=False)
    seconds = EXTERNAL_MOVE_SECONDS if move_seconds is None else move_seconds
    tested = refused = accepted = 0
    refusal: InputError | None = None
    for number in positions:
        tested += 1
        try:
            accepted += _play_position(name, game, number, seed, seconds)
        except _PlayerFailed as wrong:
            return CheckResult(tested, refused, *wrong.args)
        except InputError as error:
            refused, refusal = refused + 1, error
            if is_program(name):
                raise
        on_done()
    if refusal is not None and not accepted:
        raise refusal
    return CheckResult(tested, refused)


def _play_position(name: str, game: str, number: int, seed: int, seconds: float) -> bool:
    random, size = Random(f"{seed}/{number}"), min(1.0, (number + 1) / FULL_SIZE)
    while True:
        rules = rules_class(game)(_settings(game, size, random))
        position = rules.start(random)
        if rules.to_act(position):  # A deal may end the game before any move.
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
                asked = CheckedPosition(number, rules, seat, tuple(steps), view)
                move = _ask_both(seats, asked)
                if move is None:
                    continue
            after = rules.after(position, mover, move)
            steps.append(Step(mover, tuple(rules.events(position, mover, move, after))))
            position = after
    finally:
        for copy in seats:
            copy.leave(killed=not number % KILL_INTERVAL)
    return asked is not None


def _ask_both(seats: Sequence[_Seat], asked: CheckedPosition) -> Any:
    """Ask the player twice, in two processes. Return the move, or raise an error if they differ."""
    try:
        first, second = [seat.answer(asked) for seat in seats]
    except PlayerFault as fault:
        raise _PlayerFailed(fault.message, asked) from fault
    if first != second:
        texts = ["waiting" if move is None else asked.rules.write(move) for move in (first, second)]
        name = seats[0].name
        raise _PlayerFailed(
            f"player {name!r} gave different moves in the same position: {texts[0]!r} and "
            f"{texts[1]!r}",
            asked,
        )
    return first


class _Seat:
    """The tested player in one seat. Two such objects play the same game, for comparison."""

    def __init__(
        self, name: str, rules: Any, seat: int, seconds: float, seed: str, process: int
    ) -> None:
        self.name, self._rules, self._seat, self._seconds = name, rules, seat, seconds
        self._random, self._seen_steps, self._process = Random(f"{seed}/{seat}"), 0, process
        self._is_isolated = is_foreign(rules.name, name) and not is_program(name)
        self._player: Any = None if self._is_isolated else make_player(rules, name)
        if isinstance(self._player, ProgramPlayer):
            own = f"{self._random.getrandbits(64):016x}"
            self._player.sit(seat, own, seconds, ("check", process))

    def answer(self, asked: CheckedPosition) -> Any:
        rules, name = self._rules, self.name
        if self._is_isolated:
            text, _ = play_isolated(
                "player", [name] * rules.seats, self._seconds, None, choose_move_isolated, rules,
                name,
                self._seat, asked.steps, asked.view, self._random,
            )  # fmt: skip
            # The other process used a copy of the random generator, so the original is advanced
            # here.
            self._random.random()
            return None if text is None else rules.read(text, asked.view)
        news, self._seen_steps = asked.steps[self._seen_steps :], len(asked.steps)
        sitting = SeatedPlayer("player", name, self._seat)
        return choose_move(rules, self._player, sitting, asked.view, self._random, news)[0]

    def leave(self, killed: bool) -> None:
        if isinstance(self._player, ProgramPlayer):
            if killed and self._process:
                self._player.end()
            self._player.leave()


def _settings(game: str, size: float, random: Random) -> Any:
    """Draw random settings, including unusual values, until the rules accept them."""
    rules = rules_class(game)
    defaults = rules().settings
    while True:
        values: dict[str, Any] = {}
        for field in setting_fields(rules):
            if field.kind == "number":
                if field.default is None and random.random() < 0.5:
                    continue  # The setting is optional, so it is sometimes left out.
                limit = (
                    MAX_PLAYED_MOVES
                    if field.default is None
                    else MAX_SETTING_FACTOR * (field.default or 1)
                )
                high = min(field.most, limit)
                high = field.least + int((high - field.least) * size)
                values[field.name] = random.choice(range(field.least, high + 1, field.step))
            elif field.kind == "choice":
                values[field.name] = type(getattr(defaults, field.name))(
                    random.choice(field.choices)
                )
            else:
                values[field.name] = random.random() < 0.5
        try:
            return rules(type(defaults)(**values)).settings
        except InputError:
            continue


def settings_lines(rules: Any) -> Iterator[str]:
    """Yield a line of text for each setting of a game: its name and its value."""
    for field in setting_fields(type(rules)):
        yield f"{field.name.replace('_', '-')} {getattr(rules.settings, field.name)}"
