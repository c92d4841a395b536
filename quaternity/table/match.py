"""Matches: games in progress, with functions to take back moves and to replace players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from quaternity.base.errors import InputError, PlayerFault, QuaternityError
from quaternity.base.text_format import quote_value
from quaternity.table.history import History
from quaternity.table.players import YOU, is_foreign, is_program, make_player
from quaternity.table.programs import ProgramPlayer
from quaternity.table.protocol import M, P, Rules, Step, V
from quaternity.workers.isolated_calls import EXTERNAL_MOVE_SECONDS, MAX_MOVE_SECONDS
from quaternity.workers.isolated_players import SeatedPlayer, play_isolated
from quaternity.workers.notes import notes

M_co = TypeVar("M_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)


class Player(Protocol[M_co, V_contra]):
    """Protocol of a computer player, which chooses moves for one seat.

    A player object is used for one match and may store information. Its optional method
    `observe(step)` is called after every move, including its own. Its optional attribute `game` is
    the name of the only game that it can play.
    """

    def choose(self, view: V_contra, random: Random) -> M_co | None:
        """Return a legal move, or None to wait if other seats may move as well.

        If several seats may move at the same time, a player can have a method `delay(view,
        random)`, which returns the seconds until its move.
        """


class ChosenMove(NamedTuple, Generic[M]):
    """A move that a computer player has chosen, its seat, and the seconds until it is made."""

    seconds: float
    seat: int
    move: M


class Match(Generic[P, M, V]):
    """A game that is being played, with its players. Moves can be undone and players replaced.

    Attributes:
        history: the rules, the first position and the moves so far.
        keep: function that saves the match after each move, before any player sees the move. If it
            raises an exception, the move is undone.
        names: the name of the player in each seat; see `quaternity.table.players`.
    """

    def __init__(
        self,
        rules: Rules[P, M, V],
        names: Sequence[str],
        seed: str,
        history: History[P, M, V] | None = None,
        move_seconds: float | None = None,
    ) -> None:
        """Start a new match, or continue a match.

        Args:
            names: the player in each seat; see `quaternity.table.players`.
            seed: seed of the deal and of the players' random choices (see `History.chance`).
            history: the game so far, or None for a new deal.
            move_seconds: time limit for each move of a program, in seconds. With None, built-in
                players have no limit, and the limit of external players is `EXTERNAL_MOVE_SECONDS`.
                Players with a limit run in a separate process.
        """
        if len(names) != rules.seats:
            raise InputError(f"seats: expected {rules.seats} players, not {len(names)}")
        self.rules: Any = rules
        self.history = history or History(rules, rules.start(Random(f"{seed}/deal")))
        self.names, self.seed, self.move_seconds = list(names), seed, move_seconds
        self.keep: Callable[[Match[P, M, V]], None] = lambda match: None
        self._players: list[Player[M, V] | None] = []
        self._seat_players()

    @property
    def position(self) -> P:
        """The current position."""
        return self.history.position

    @property
    def moves(self) -> tuple[tuple[int, M], ...]:
        """The moves so far, each with the seat that made it."""
        return self.history.moves

    @property
    def steps(self) -> tuple[Step, ...]:
        """For each move so far, the seat that made it and the public messages about it."""
        return self.history.steps()

    @property
    def people(self) -> list[int]:
        """The seats in which people play. The other seats have computer players."""
        return [seat for seat, name in enumerate(self.names) if name == YOU]

    def view(self, seat: int | None) -> V:
        """Return what the player in a seat may see now. The seat None is a bystander."""
        view: V = self.rules.view(self.position, seat)
        return view

    def play(self, seat: int, move: M) -> Step:
        """Make a move, save the match, and inform the computer players.

        Return the public information about the move.

        Raises:
            IllegalMove: If the move is illegal.
        """
        before, after = self.history, self.history.play(seat, move)
        step = after.steps()[-1]
        self.history = after
        try:
            self.keep(self)
        except BaseException:
            # The move could not be saved, so it is taken back.
            self.history = before
            raise
        self._tell(step)
        if not self.rules.to_act(self.position):
            self.dismiss()
        return step

    def next_program(self) -> ChosenMove[M] | None:
        """Ask each computer player that may move for its move. Return the move to be made first.

        Return None if no computer player may move, or if all of them prefer not to move yet.

        Raises:
            PlayerFault: If a player fails, exceeds its time (PlayerTimeout), or gives an illegal
                move.
            QuaternityError: If a built-in player refuses the position, which may be too large.
        """
        planned = [self._ask_program(seat) for seat in self.rules.to_act(self.position)]
        return min((p for p in planned if p is not None), default=None, key=lambda x: x[:2])

    def _ask_program(self, seat: int) -> ChosenMove[M] | None:
        name = self.names[seat]
        if name == YOU:
            return None
        random, view = self.history.chance(self.seed, seat), self.view(seat)
        if self._is_isolated(name):
            text, delay = play_isolated(
                "player", self.names, self._seconds, None, choose_move_isolated, self.rules, name,
                seat,
                self.steps, view, random,
            )  # fmt: skip
            return None if text is None else ChosenMove(delay, seat, self.rules.read(text, view))
        sitting = SeatedPlayer("player", name, seat)
        move, delay = choose_move(self.rules, self._players[seat], sitting, view, random)
        return None if move is None else ChosenMove(delay, seat, move)

    @property
    def _seconds(self) -> float:
        return EXTERNAL_MOVE_SECONDS if self.move_seconds is None else self.move_seconds

    def _is_isolated(self, name: str) -> bool:
        if is_program(name):
            return False  # Such a player already is a separate program.
        return self.move_seconds is not None or is_foreign(self.rules.name, name)

    def program_move(self) -> Step | None:
        """Make and return the next move of a computer player. Return None if no player moves."""
        planned = self.next_program()
        return None if planned is None else self.play(planned.seat, planned.move)

    def undo(self) -> int:
        """Undo the last move of a person and all later moves. Return the number of undone moves."""
        count = self.history.undo_length(self.people)
        self.history = self.history.undo(count)
        self._seat_players()
        return count

    def hand_over(self, seat: int, name: str) -> None:
        """Replace the player in a seat by the player with the given name.

        Raises:
            InputError: If there is no such seat or player.
        """
        if not 0 <= seat < self.rules.seats:
            raise InputError(f"seat {seat} is out of range 0..{self.rules.seats - 1}")
        before = self.names[seat]
        self.names[seat] = name
        try:
            self._seat_players()
        except BaseException:
            self.names[seat] = before
            raise

    def _seat_players(self) -> None:
        """Replace all computer players by new ones, and tell them the moves so far."""
        self.dismiss()
        self._players = [self._make_player(seat) for seat in range(self.rules.seats)]
        for step in self.steps:
            self._tell(step)

    def _make_player(self, seat: int) -> Player[M, V] | None:
        """Create the player of a seat.

        Return None for a person and for a player that runs in another process. In the second case,
        only check that the player can be created there.
        """
        name = self.names[seat]
        if name == YOU or not self._is_isolated(name):
            player: Player[M, V] | None = make_player(self.rules, name)
            if isinstance(player, ProgramPlayer):
                seed = self.history.chance(self.seed, seat).getrandbits(64)
                player.sit(seat, f"{seed:016x}", self._seconds, (id(self), seat))
            return player
        check_player_isolated(self.rules, self.names, seat, self._seconds)
        return None

    def dismiss(self) -> None:
        """Tell external programs that the match has ended, with the result if the game is over."""
        for player in self._players:
            if isinstance(player, ProgramPlayer):
                player.leave(outcome_of(self.rules, self.position))

    def _tell(self, step: Step) -> None:
        for player in self._players:
            observe = getattr(player, "observe", None)
            if observe is not None:
                observe(step)


def outcome_of(rules: Any, position: Any) -> dict[str, Any] | None:
    """Return the final places and points of a game, as a JSON object for programs.

    Return None if the game is not over.
    """
    places = rules.places(position)
    return places and {"places": list(places), "points": list(rules.points(position))}


def choose_move(
    rules: Any,
    player: Any,
    sitting: SeatedPlayer,
    view: Any,
    random: Random,
    steps: Sequence[Step] = (),
) -> tuple[Any, float]:
    """Tell a player about the latest moves (`steps`), and ask it for a move.

    `sitting` has the name and the seat of the player. Return the move and the seconds until it is
    made. The move is None if the player waits.

    Raises:
        PlayerFault: If the player fails, or gives an illegal move or an invalid delay.
        QuaternityError: If a built-in player refuses the position, which may be too large.
    """
    foreign = is_foreign(rules.name, sitting.name)
    try:
        observe = getattr(player, "observe", None)
        if observe is not None:
            for step in steps:
                observe(step)
        move = player.choose(view, random)
        delay = getattr(player, "delay", None)
        seconds = 0.0 if delay is None else float(delay(view, random))
        # Waiting (None) is a fault if no other seat may act.
        faults = list(rules.faults(view, move))
        if move is not None and not faults and foreign:
            # The move is converted to text and back, so that no object of external code enters the
            # game.
            move = rules.read(rules.write(move), view)
    except BaseException as error:  # External code may raise any exception.
        if isinstance(error, QuaternityError) and not foreign:
            raise
        raise sitting.fault(error, _view_note(rules, view, error)) from error
    if faults:
        if isinstance(player, ProgramPlayer):
            player.end()
        raise PlayerFault(f"{sitting} gave {quote_value(move)}: {'; '.join(faults)}")
    if not 0 <= seconds <= MAX_MOVE_SECONDS:
        raise PlayerFault(
            f"{sitting}: delay must be from 0 to {MAX_MOVE_SECONDS} seconds, not {seconds}"
        )
    return move, seconds


def _view_note(rules: Any, view: Any, error: BaseException) -> str:
    """Return a hint for the author of a player that used an unknown attribute of its view.

    The hint names the class of the view. Return an empty string if `error` has another cause.
    """
    if not isinstance(error, AttributeError) or (error.obj is not view and error.obj is not rules):
        return ""
    kind = type(view)
    return f"; the view of {rules.name} is a {kind.__module__}.{kind.__qualname__}"


def choose_move_isolated(
    rules: Any, name: str, seat: int, steps: Sequence[Step], view: Any, random: Random
) -> tuple[str | None, float]:
    """Create a player, and ask it for a move. Return the move as text, and its delay in seconds.

    This function runs in a separate process. It returns text, because an object of external code
    must not enter the main process. The text is None if the player does not move yet.
    """
    sitting, player = SeatedPlayer("player", name, seat), _make_isolated(rules, name, seat)
    if isinstance(player, ProgramPlayer):
        player.sit(seat, f"{random.getrandbits(64):016x}", None)
    move, seconds = choose_move(rules, player, sitting, view, random, steps)
    if isinstance(player, ProgramPlayer):
        player.leave()
    try:
        return None if move is None else str(rules.write(move)), seconds
    # A move may be an object of external code, whose methods may raise any exception.
    except BaseException as error:
        raise sitting.fault(error) from error


def _make_isolated(rules: Any, name: str, seat: int) -> Any:
    announced = notes()
    if announced is not None:
        announced.note_thinking(seat)
    return make_player(rules, name)


def check_player_isolated(
    rules: Any, names: Sequence[str], seat: int, seconds: float, kind: str = "player"
) -> None:
    """Check in a separate process that the player of a seat can be created.

    `kind` is the word for a player in error messages, such as "bot".

    Raises:
        InputError: If the player cannot be created.
        PlayerFault: If creating it ends the process, or takes too long (PlayerTimeout).
    """
    play_isolated(kind, names, seconds, None, _check_isolated, rules, names[seat], seat)


def _check_isolated(rules: Any, name: str, seat: int) -> None:
    _make_isolated(rules, name, seat)
