"""One game from its start to its end: who sits where, what was played, what is taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from quaternity.base.errors import InputError, PlayerFault, QuaternityError
from quaternity.base.wording import shown
from quaternity.table.course import Course
from quaternity.table.players import YOU, is_foreign, is_program, make_player
from quaternity.table.programs import ProgramPlayer
from quaternity.table.protocol import M, P, Rules, Step, V
from quaternity.workers.foreign import Sitting, played_apart
from quaternity.workers.notes import notes
from quaternity.workers.own_process import FOREIGN_SECONDS, MAX_MOVE_SECONDS

M_co = TypeVar("M_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)


class Player(Protocol[M_co, V_contra]):
    """A program in a seat.

    With a method `observe(step)` it is told of every move, its own too, and may keep what it likes
    during one match. It may name in `game` the only one that it plays.
    """

    def choose(self, view: V_contra, random: Random) -> M_co | None:
        """Return a legal move; None to wait, where others may act too.

        It may also have `delay(view, random)`, the seconds that takes, where several may act at
        once.
        """


class Planned(NamedTuple, Generic[M]):
    """A legal move of a program in a seat, and its seconds where several may act at once."""

    seconds: float
    seat: int
    move: M


class Match(Course[P, M, V]):
    """A game with its players.

    `keep` is called with every move, before anybody sees it; what it raises undoes the move.
    """

    def __init__(
        self,
        rules: Rules[P, M, V],
        names: Sequence[str],
        seed: str,
        positions: Sequence[P] = (),
        moves: Sequence[tuple[int, M]] = (),
        move_seconds: float | None = None,
    ) -> None:
        """Begin a match, or go on with one.

        `names` are of players (`quaternity.table.players`), `seed` is of the deal and of the
        players' chance (`Course.chance`). A program may think `move_seconds`; None: for ever, or
        `FOREIGN_SECONDS` for one from outside, which plays in a process of its own.
        """
        if len(names) != rules.seats:
            raise InputError(f"seats: {len(names)} players for {rules.seats} seats")
        start = positions[0] if positions else rules.start(Random(f"{seed}/deal"))
        super().__init__(rules, start, positions, moves)
        self.names, self.seed, self.move_seconds = list(names), seed, move_seconds
        self.keep: Callable[[Match[P, M, V]], None] = lambda match: None
        self._players: list[Player[M, V] | None] = []
        self._seat_players()

    @property
    def positions(self) -> list[P]:
        """The positions from the start to now."""
        return self._positions

    @property
    def people(self) -> list[int]:
        """The seats without a program."""
        return [seat for seat, name in enumerate(self.names) if name == YOU]

    def view(self, seat: int | None) -> V:
        """Return what a seat sees now."""
        view: V = self.rules.view(self.position, seat)
        return view

    def play(self, seat: int, move: M) -> Step:
        """Make a move and tell everybody; or raise IllegalMove."""
        self.add(seat, move, self.rules.after(self.position, seat, move))
        try:
            self.keep(self)
        except BaseException:
            # What could not be kept was not played.
            self.take_back(1)
            raise
        self._tell(self.steps[-1])
        if not self.rules.to_act(self.position):
            self.dismiss()
        return self.steps[-1]

    def next_program(self) -> Planned[M] | None:
        """Return what the first program that may move and wants to will do; None when none does.

        Where several may act at once, the first is the one with the shortest delay.

        Raises:
            PlayerFault: one fails, thinks for too long (PlayerTimeout), or gives no legal move.
            QuaternityError: what one says of a position that is beyond it.
        """
        planned = [self._planned(seat) for seat in self.rules.to_act(self.position)]
        return min((p for p in planned if p is not None), default=None, key=lambda x: x[:2])

    def _planned(self, seat: int) -> Planned[M] | None:
        name = self.names[seat]
        if name == YOU:
            return None
        random, view = self.chance(self.seed, seat), self.view(seat)
        if self._apart(name):
            text, delay = played_apart(
                "player", self.names, self._seconds, None, chosen_apart, self.rules, name, seat,
                self.steps, view, random,
            )  # fmt: skip
            return None if text is None else Planned(delay, seat, self.rules.read(text, view))
        who = Sitting("player", name, seat)
        move, delay = chosen(self.rules, self._players[seat], who, view, random)
        return None if move is None else Planned(delay, seat, move)

    @property
    def _seconds(self) -> float:
        return FOREIGN_SECONDS if self.move_seconds is None else self.move_seconds

    def _apart(self, name: str) -> bool:
        """Return whether a program plays in a process of its own."""
        if is_program(name):
            return False  # it is a process already
        return self.move_seconds is not None or is_foreign(self.rules.name, name)

    def program_move(self) -> Step | None:
        """Play what `next_program` says, at once; None when only people may move."""
        planned = self.next_program()
        return None if planned is None else self.play(planned.seat, planned.move)

    @property
    def whole_moves(self) -> int:
        """The number of moves, a question counted together with its answer."""
        return sum(map(self.rules.is_settled, self.positions[1:]))

    def undo(self) -> int:
        """Take back up to the last move of a person; the number of moves taken back."""
        count = self.undone(self.people)
        self.take_back(count)
        self._seat_players()
        return count

    def hand_over(self, seat: int, name: str) -> None:
        """Put somebody else in a seat."""
        if not 0 <= seat < self.rules.seats:
            raise InputError(f"seat {seat}: seats are 0..{self.rules.seats - 1}")
        before = self.names[seat]
        self.names[seat] = name
        try:
            self._seat_players()
        except BaseException:
            self.names[seat] = before
            raise

    def _seat_players(self) -> None:
        """Make new players that observe all steps: memory never outlives what it is about."""
        self.dismiss()
        self._players = [self._made(seat) for seat in range(self.rules.seats)]
        for step in self.steps:
            self._tell(step)

    def _made(self, seat: int) -> Player[M, V] | None:
        """Return a player; None for a person, and for one that plays apart, which is only tried."""
        name = self.names[seat]
        if name == YOU or not self._apart(name):
            player: Player[M, V] | None = make_player(self.rules, name)
            if isinstance(player, ProgramPlayer):
                seed = self.chance(self.seed, seat).getrandbits(64)
                player.sit(seat, f"{seed:016x}", self._seconds, (id(self), seat))
            return player
        try_apart(self.rules, self.names, seat, self._seconds)
        return None

    def dismiss(self) -> None:
        """Tell programs how the game ended, if it has, and let them go."""
        for player in self._players:
            if isinstance(player, ProgramPlayer):
                player.leave(outcome_of(self.rules, self.position))

    def _tell(self, step: Step) -> None:
        for player in self._players:
            observe = getattr(player, "observe", None)
            if observe is not None:
                observe(step)


def outcome_of(rules: Any, position: Any) -> dict[str, Any] | None:
    """Return how a game ended, as programs are told; None before its end."""
    places = rules.places(position)
    return places and {"places": list(places), "points": list(rules.points(position))}


def chosen(
    rules: Any, player: Any, who: Sitting, view: Any, random: Random, steps: Sequence[Step] = ()
) -> tuple[Any, float]:
    """Return the legal move of a player that has observed some steps, and its seconds.

    PlayerFault if it fails, or gives no legal move or no time; QuaternityError what a player of
    this program says of a position that is beyond it.
    """
    foreign = is_foreign(rules.name, who.name)
    try:
        observe = getattr(player, "observe", None)
        if observe is not None:
            for step in steps:
                observe(step)
        move = player.choose(view, random)
        delay = getattr(player, "delay", None)
        seconds = 0.0 if delay is None else float(delay(view, random))
        faults = list(rules.faults(view, move))  # where nobody else may act, none may wait
        if move is not None and not faults and foreign:
            # No object of somebody else's gets into a game.
            move = rules.read(rules.write(move), view)
    except BaseException as error:  # whatever somebody else's code may raise
        if isinstance(error, QuaternityError) and not foreign:
            raise
        raise who.fault(error, _misled(rules, view, error)) from error
    if faults:
        if isinstance(player, ProgramPlayer):
            player.end()
        raise PlayerFault(f"{who} gave {shown(move)}: {'; '.join(faults)}")
    if not 0 <= seconds <= MAX_MOVE_SECONDS:
        raise PlayerFault(f"{who}: a delay of {seconds} s is not 0..{MAX_MOVE_SECONDS}")
    return move, seconds


def _misled(rules: Any, view: Any, error: BaseException) -> str:
    """Say what a player was given, where it took that for something else; else nothing."""
    if not isinstance(error, AttributeError) or (error.obj is not view and error.obj is not rules):
        return ""
    kind = type(view)
    return f"; the view of {rules.name} is a {kind.__module__}.{kind.__qualname__}"


def chosen_apart(
    rules: Any, name: str, seat: int, steps: Sequence[Step], view: Any, random: Random
) -> tuple[str | None, float]:
    """Return the same in a process of its own: a new player, told what has happened.

    The move comes back as text: no object of somebody else's is made on this side.
    """
    who, player = Sitting("player", name, seat), _made_apart(rules, name, seat)
    if isinstance(player, ProgramPlayer):
        player.sit(seat, f"{random.getrandbits(64):016x}", None)
    move, seconds = chosen(rules, player, who, view, random, steps)
    if isinstance(player, ProgramPlayer):
        player.leave()
    try:
        return None if move is None else str(rules.write(move)), seconds
    except BaseException as error:  # a move may be of anybody's class
        raise who.fault(error) from error


def _made_apart(rules: Any, name: str, seat: int) -> Any:
    """Return a player, in a process of its own, which is watched from now on."""
    announced = notes()
    if announced is not None:
        announced.thinks(seat)
    return make_player(rules, name)


def try_apart(
    rules: Any, names: Sequence[str], seat: int, seconds: float, kind: str = "player"
) -> None:
    """Make sure, in a process of its own, that the player of a seat can be made; else InputError.

    PlayerFault if that ends its process or takes too long (PlayerTimeout).
    """
    played_apart(kind, names, seconds, None, _tried_apart, rules, names[seat], seat)


def _tried_apart(rules: Any, name: str, seat: int) -> None:
    _made_apart(rules, name, seat)
