"""One game from its start to its end: who sits where, what was played, what is taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from quaternity.errors import InputError, PlayerFault, QuaternityError
from quaternity.table.players import is_foreign, make_player
from quaternity.table.protocol import M, P, Rules, Step, V
from quaternity.workers.foreign import Sitting, played_apart
from quaternity.workers.own_process import FOREIGN_SECONDS, notes
from solvers.wording import shown

M_co = TypeVar("M_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)


class Player(Protocol[M_co, V_contra]):
    """A program in a seat.

    It may have a method `observe(step)` too: then it is told of every move, its own as well, and
    may keep what it likes during one match.
    """

    def choose(self, view: V_contra, random: Random) -> M_co | None:
        """A legal move; None to wait, where others may act too.

        A player may also have `delay(view, random)`, the seconds it takes for this, where several
        may act at once.
        """


class Planned(NamedTuple, Generic[M]):
    """A move that a program will make.

    Attributes:
        seconds: how long it takes for it, where several may act at once.
        seat: where it sits.
        move: a legal one.
    """

    seconds: float
    seat: int
    move: M


class Match(Generic[P, M, V]):
    """A game under way.

    Attributes:
        rules: of the game.
        names: per seat, who sits there.
        positions: from the start to now.
        moves: each with the seat that made it.
        keep: called with every move, before anybody sees it; what it raises undoes the move.
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
        """A new match, or one that goes on.

        Args:
            names: per seat a player's name; see `quaternity.table.players`.
            seed: of the deal and of the players' chance. A choice depends on it, the seat and the
                number of moves before it only, so a resumed match goes on as it would have.
            move_seconds: the longest that a program may think; None: for ever, or `FOREIGN_SECONDS`
                for one from outside, which plays in a process of its own.
        """
        if len(names) != rules.seats:
            raise InputError(f"seats: {len(names)} names for {rules.seats} seats")
        self.rules, self.names, self.seed = rules, list(names), seed
        self.move_seconds = move_seconds
        self.positions = list(positions) or [rules.start(Random(f"{seed}/deal"))]
        self.moves = list(moves)
        self.keep: Callable[[Match[P, M, V]], None] = lambda match: None
        self._players: list[Player[M, V] | None] = []
        self._seat_players()

    @property
    def position(self) -> P:
        """The position now."""
        return self.positions[-1]

    @property
    def people(self) -> list[int]:
        """The seats without a program."""
        return [seat for seat, player in enumerate(self._players) if player is None]

    def view(self, seat: int | None) -> V:
        """What a seat sees now."""
        return self.rules.view(self.position, seat)

    def step(self, number: int) -> Step:
        """What everybody saw of a move."""
        seat, move = self.moves[number]
        before, after = self.positions[number], self.positions[number + 1]
        return Step(seat, tuple(self.rules.events(before, seat, move, after)))

    def play(self, seat: int, move: M) -> Step:
        """Make a move and tell everybody.

        Raises:
            IllegalMove: it may not be made.
        """
        after = self.rules.after(self.position, seat, move)
        self.positions.append(after)
        self.moves.append((seat, move))
        try:
            self.keep(self)
        except BaseException:
            # What could not be kept was not played.
            self.positions.pop()
            self.moves.pop()
            raise
        step = self.step(len(self.moves) - 1)
        self._tell(step)
        return step

    def next_program(self) -> Planned[M] | None:
        """What the first program that may move and wants to will do; None when none does.

        Where several may act at once, the first is the one with the shortest delay.

        Raises:
            PlayerFault: one fails, or gives no legal move.
            PlayerTimeout: one thinks for too long.
            QuaternityError: what one says of a position that is beyond it.
        """
        planned = [self._planned(seat) for seat in self.rules.to_act(self.position)]
        return min(
            (one for one in planned if one is not None), default=None, key=lambda one: one[:2]
        )

    def _planned(self, seat: int) -> Planned[M] | None:
        player, name = self._players[seat], self.names[seat]
        if player is None:
            return None
        random = Random(f"{self.seed}/{seat}/{len(self.moves)}")
        view = self.view(seat)
        foreign = is_foreign(self.rules.name, name)
        if foreign or self.move_seconds is not None:
            steps = [self.step(number) for number in range(len(self.moves))]
            seconds = FOREIGN_SECONDS if self.move_seconds is None else self.move_seconds
            move, delay = played_apart(
                "player", self.names, seconds, None, _chosen_apart, self.rules, name, seat, steps,
                view, random,
            )  # fmt: skip
        else:
            move, delay = _chosen(player, Sitting("player", name, seat), view, random)
        if move is None:
            return None
        faults = self.rules.faults(view, move)
        if faults:
            who = Sitting("player", name, seat)
            raise PlayerFault(f"{who} gave {shown(move)}: {'; '.join(faults)}")
        return Planned(delay, seat, move)

    def program_move(self) -> Step | None:
        """Play what `next_program` says, at once; None when only people may move."""
        planned = self.next_program()
        return None if planned is None else self.play(planned.seat, planned.move)

    @property
    def whole_moves(self) -> int:
        """The number of moves, a question counted together with its answer."""
        return sum(map(self.rules.is_settled, self.positions[1:]))

    def undo(self) -> int:
        """Take back up to where a person was to make a whole move; the number of moves taken back.

        Without a person every move is one.
        """
        people = set(self.people)
        count = len(self.moves)
        while self.moves:
            self.moves.pop()
            self.positions.pop()
            mine = not people or not people.isdisjoint(self.rules.to_act(self.position))
            if mine and self.rules.is_settled(self.position):
                break
        self._seat_players()
        return count - len(self.moves)

    def hand_over(self, seat: int, name: str) -> None:
        """Put somebody else in a seat."""
        self.names[seat] = name
        self._seat_players()

    def _seat_players(self) -> None:
        """New players, told what has happened: memory never outlives what it is about."""
        self._players = [make_player(self.rules, name) for name in self.names]
        for number in range(len(self.moves)):
            self._tell(self.step(number))

    def _tell(self, step: Step) -> None:
        for player in self._players:
            observe = getattr(player, "observe", None)
            if observe is not None:
                observe(step)


def _chosen(player: Any, who: Sitting, view: Any, random: Random) -> tuple[Any, float]:
    """The move of a player, and how long it takes for it.

    Raises:
        PlayerFault: it fails.
        QuaternityError: what a player says of a position that is beyond it.
    """
    try:
        move = player.choose(view, random)
        delay = getattr(player, "delay", None)
        return move, 0.0 if delay is None else float(delay(view, random))
    except QuaternityError:
        raise
    except BaseException as error:  # whatever somebody else's code may raise
        raise who.fault(error) from error


def _chosen_apart(
    rules: Any, name: str, seat: int, steps: Sequence[Step], view: Any, random: Random
) -> tuple[Any, float]:
    """The same in a process of its own: a new player, told what has happened."""
    told = notes()
    if told is not None:
        told.thinks(seat)
    player = make_player(rules, name)
    observe = getattr(player, "observe", None)
    if observe is not None:
        for step in steps:
            observe(step)
    return _chosen(player, Sitting("player", name, seat), view, random)


__all__ = ["Match", "Planned", "Player"]
