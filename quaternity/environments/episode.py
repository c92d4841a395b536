"""Episodes of games for reinforcement learning: moves are numbers, and one seat acts at a time.

If the rules allow several seats to act at the same time, the seats are asked in turn, and each of
them may wait. Each round begins with the next seat, so that no seat has a permanent advantage.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from quaternity.base.errors import InputError
from quaternity.base.reading import decode, read_bytes
from quaternity.base.text_format import quote_value
from quaternity.base.text_record import check_requested
from quaternity.base.validation import as_int, check_index
from quaternity.environments.plain_encoded import PlainEncoded
from quaternity.table.games import game_names, registration, rules_class
from quaternity.table.history import History
from quaternity.table.registration import Benchmark

P = TypeVar("P")
M = TypeVar("M")
V_contra = TypeVar("V_contra", contravariant=True)


class Encoded(Protocol[P, M, V_contra]):
    """Protocol for the encoding of a game's moves and views as numbers.

    The encoding of a view depends only on the view itself.

    Attributes:
        actions: Number of actions, which are numbered from 0 to `actions` - 1.
        entries: Layout of the result of `numbers`: the name, length and meaning of each part.
        points: Minimum and maximum points of a seat.
        outcomes: Layout of the result of `outcome`, like `entries`. It is None if these numbers do
            not contain all public information about a move.
        degenerate: Warning that says why these settings are not suitable. It is empty if they are.
    """

    actions: int
    entries: Sequence[tuple[str, int, str]]
    points: tuple[float, float]
    outcomes: Sequence[tuple[str, int, str]] | None

    def action(self, move: M | None, view: V_contra) -> int:
        """Return the action number of a legal move. None stands for waiting."""

    def move(self, action: int, view: V_contra) -> M | None:
        """Return the move of an action number, legal or not. None stands for waiting.

        Raise `InputError` if no move has this number.
        """

    def mask(self, view: V_contra) -> bytes:
        """Return a byte for each action: 1 if it is legal for the seat of the view, else 0."""

    def numbers(self, view: V_contra) -> memoryview[float]:
        """Return the view as 32-bit floats between 0 and 1, with the layout `entries`."""

    def outcome(self, before: P, after: P) -> bytes:
        """Return bytes that encode everything that all seats can see of the result of a move.

        They do not include the seat and the action.
        """

    def chance(self, drawn: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Return the possible results of the next random draw, with their probabilities.

        The result is empty after the last draw.

        Args:
            drawn: The earlier draws.
        """

    def initial_position(self, drawn: Sequence[int]) -> P:
        """Return the initial position, given all random draws."""


Returns = Callable[[Sequence[float], Sequence[int] | None], Sequence[float]]
"""Function that computes the return (total reward) of each seat. It takes the points of all seats,
and their final ranks. The ranks are None until the game is over."""


class Reward(NamedTuple):
    """A reward function and its properties.

    Attributes:
        returns: Function that computes the returns (total rewards) so far. The reward of a step is
            the change of the returns.
        bounds: Function that computes the minimum and maximum return of a seat from the minimum and
            maximum points.
        zero_sum: Whether the returns of all seats always add up to 0.
        at_end: Whether all returns are 0 until the game is over.
    """

    returns: Returns
    bounds: Callable[[float, float], tuple[float, float]]
    zero_sum: bool
    at_end: bool


def win(points: Sequence[float], places: Sequence[int] | None) -> list[float]:
    """Return the rewards of all seats: 1 for the winner, and equal shares of -1 for the others.

    `places` contains the final rank of each seat. It is None during the game, when all rewards are
    0. If several seats share rank 1, return the expected result of drawing lots among them.
    """
    seats = len(points)
    if places is None:
        return [0.0] * seats
    if seats == 1:
        return [1.0]
    winners = places.count(1)
    return [((place == 1) * seats / winners - 1) / (seats - 1) for place in places]


def lead(points: Sequence[float], places: Sequence[int] | None) -> list[float]:
    """Return the points of each seat minus the mean of the other seats' points.

    The final ranks `places` are not used.
    """
    del places
    seats, total = len(points), sum(points)
    return [own - (total - own) / max(1, seats - 1) for own in points]


REWARDS = {
    "win": Reward(win, lambda low, high: (-1.0, 1.0), True, True),
    "points": Reward(lambda points, places: points, lambda low, high: (low, high), False, False),
    "lead": Reward(lead, lambda low, high: (low - high, high - low), True, False),
}
"""Reward functions by name. Callers may add more."""


def benchmarks() -> dict[str, tuple[str, Benchmark]]:
    """Return a mapping from the name of each registered benchmark to its game and parameters."""
    return {
        name: (game, benchmark)
        for game in game_names()
        for name, benchmark in registration(game).benchmarks.items()
    }


_GAME_TEXT = re.compile(r"\s*(\w+)\s*(?:\(([^()]*)\)\s*)?", re.ASCII)
_BOOLEANS = {"true": True, "false": False}


class TableGame:
    """A game with its settings, initial position and reward function.

    Attributes:
        rules: Rules of the game with these settings.
        encoded: Encoding of its moves and views.
        max_moves: Maximum number of moves of an episode, including waiting, before it is cut off. 0
            means no limit.
        start: Initial position of every episode. None if each episode starts from a new deal.
    """

    def __init__(
        self,
        name: str,
        settings: Mapping[str, Any] | None = None,
        *,
        start: str | os.PathLike[str] = "",
        reward: str = "win",
        max_moves: int | None = None,
    ) -> None:
        """Initialize a game.

        Args:
            settings: Settings by name. A missing setting has its default value.
            start: A record (or, for Quaternity, a state) as text, or the path of its file. Episodes
                begin at the last position of the record. The settings can then be omitted.
            reward: A name in `REWARDS`.
            max_moves: Maximum number of moves. If the game has a setting of this name (as Kwartet
                does), the rules end the game after this number of moves. Otherwise, the episode is
                cut off.

        Raises:
            InputError: If there is no such game, setting or reward, or a value is invalid.
        """
        game = registration(name)
        if reward not in REWARDS:
            raise InputError(
                f"unknown reward {quote_value(reward)}; choose from {', '.join(REWARDS)}"
            )
        self.name = name
        self._arguments = name, dict(settings or {}), start, reward, max_moves
        self.max_moves = game.max_moves if max_moves is None else as_int(max_moves, "max_moves", 0)
        self.reward = REWARDS[reward]
        made: Any = game.part("encoded") or PlainEncoded
        self.start: Any = None
        if start:
            self.rules, self.start = _load_start(name, made, start)
            check_requested(settings or {}, self.rules.settings)
        else:
            chosen = _settings(name, settings or {})
            # If the game has a setting `max_moves`, its rules end the game.
            if max_moves and hasattr(chosen, "max_moves"):
                chosen = replace(chosen, max_moves=max_moves)
            self.rules = rules_class(name)(chosen)
        if own := getattr(self.rules.settings, "max_moves", None):
            self.max_moves = own
        self.encoded: Encoded[Any, Any, Any] = made(self.rules)
        self.seats: int = self.rules.seats
        if reason := getattr(self.encoded, "degenerate", ""):
            warnings.warn(reason, stacklevel=2)

    @classmethod
    def benchmark(cls, name: str) -> TableGame:
        """Return a new game for one of the `benchmarks`.

        Raise `InputError` if there is no benchmark of this name.
        """
        known = benchmarks()
        if name not in known:
            raise InputError(
                f"unknown benchmark {quote_value(name)}; choose from {', '.join(known)}"
            )
        game, (settings, reward, max_moves) = known[name]
        return cls(game, settings, reward=reward, max_moves=max_moves)

    @classmethod
    def of_text(cls, text: str) -> TableGame:
        """Parse the name of a benchmark, or the name of a game with optional settings.

        An example is `kwartet(players=2,sets=3,reward=lead,max_moves=3)`. Raise `InputError` if
        there is no such game or setting, or a value is invalid.
        """
        match = _GAME_TEXT.fullmatch(text)
        if match is None:
            raise InputError(
                f"game {quote_value(text)}: expected a name, or name(setting=value,...)"
            )
        name, inside = match.groups()
        if inside is None and name in benchmarks():
            return cls.benchmark(name)
        settings: dict[str, Any] = {}
        for part in filter(None, (inside or "").split(",")):
            key, _, value = map(str.strip, part.partition("="))
            whole_number = value.isdecimal() and value.isascii() and len(value) < 10
            settings[key] = int(value) if whole_number else _BOOLEANS.get(value.lower(), value)
        own = {key: settings.pop(key) for key in ("reward", "max_moves") if key in settings}
        return cls(name, settings, **own)

    def __deepcopy__(self, memo: Any) -> TableGame:
        return self

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _unpickle_game, self._arguments

    @property
    def bounds(self) -> tuple[float, float]:
        """Minimum and maximum return of a seat in an episode."""
        low, high = self.encoded.points
        return self.reward.bounds(max(low, -float(self.max_moves or 10**6)), high)

    @property
    def memory_layout(self) -> Sequence[tuple[str, int, str]]:
        """Layout of the numbers that describe everything a player has seen since the start.

        Its format is that of `Encoded.entries`. The layout is empty if the number of moves is
        unlimited or the game has no `Encoded.outcomes`.
        """
        encoded, seats = self.encoded, self.seats
        if not self.max_moves or encoded.outcomes is None:
            return ()
        parts = [
            ("", seats, "1 for the player who moved"),
            ("", encoded.actions, "1 for the action"),
            *encoded.outcomes,
        ]
        per_move = sum(count for _, count, _ in parts)
        meaning = "; ".join(f"{count} with {meaning}" for _, count, meaning in parts)
        start = sum(count for _, count, _ in encoded.entries)
        return (
            ("player", seats, "1 for the observing player; all 0 for bystanders"),
            ("first", seats, "1 for the player who had to choose first, if several may act"),
            ("start", start, "the observation at the start"),
            ("moves", self.max_moves * per_move, f"{per_move} numbers per move: {meaning}"),
        )

    def describe(self, recalled: bool = False) -> str:
        """Return a line `first..last name: meaning` for each part of an observation.

        Args:
            recalled: Whether to describe a player's memory (OpenSpiel's information-state tensor)
                instead of an observation.
        """
        lines, first = [], 0
        for name, count, meaning in self.memory_layout if recalled else self.encoded.entries:
            lines.append(f"{first}..{first + count - 1} {name}: {meaning}")
            first += count
        return "\n".join(lines)

    def root(self) -> ChanceNode | Episode:
        """Return the root of the game tree. It is a chance node if anything is drawn at random."""
        return ChanceNode(self, b"", self.start).after_chance()

    def episode(self, random: Random) -> Episode:
        """Return the start of a new episode, for which all random draws are made."""
        position = self.rules.start(random) if self.start is None else self.start
        several = len(self.rules.to_act(position)) > 1
        return Episode.begin(self, position, random.randrange(self.seats) if several else 0)


def _unpickle_game(
    name: str, settings: dict[str, Any], start: Any, reward: str, max_moves: int | None
) -> TableGame:
    return TableGame(name, settings, start=start, reward=reward, max_moves=max_moves)


def _settings(name: str, values: Mapping[str, Any]) -> Any:
    usual = rules_class(name)().settings
    known = [field.name for field in fields(usual)]
    for setting in values:
        if setting not in known:
            raise InputError(
                f"unknown setting {quote_value(setting)}; choose from {', '.join(known)}"
            )
    return type(usual)(**values)


def _load_start(name: str, encoded: Any, start: str | os.PathLike[str]) -> tuple[Any, Any]:
    if not isinstance(start, str | os.PathLike):
        raise InputError(f"start: must be a string or a path, not {quote_value(start)}")
    start = os.fspath(start)
    is_path = "\n" not in start and not start.lstrip().startswith("{")
    data = read_bytes(start) if is_path else start.encode()
    if data.lstrip().startswith(b"{") and hasattr(encoded, "of_state"):
        encoded_state: tuple[Any, Any] = encoded.of_state(decode(data))
        return encoded_state
    rules = rules_class(name).of_record(data)
    return rules, rules.replay(data).positions[-1]


EncodedMoves: TypeAlias = tuple[tuple[int, int, bytes], ...]
"""Moves of an episode, encoded as numbers. Each move is a tuple of its seat, its action and its
`Encoded.outcome`."""


class Episode:
    """An immutable state of a game with its history, the seat to act, rewards and legal actions.

    To save memory, an episode stores its moves, but not the positions between them. `observations`
    and `encoded_moves` compute these positions again.

    Attributes:
        history: The initial position and all moves, including waiting.
        position: The current position.
        first: The seat that is asked first in the first round, if several seats may act
            simultaneously.
        seat: The seat to act, or None if the episode is over.
    """

    __slots__ = (
        "_asked_count", "_encoded", "_mask", "_view", "first", "game", "history", "position",
        "seat",
    )  # fmt: skip

    def __init__(
        self,
        game: TableGame,
        history: History[Any, Any, Any],
        first: int = 0,
        before: Episode | None = None,
    ) -> None:
        self.game, self.history, self.first = game, history, first
        self.position = position = history.position
        # The moves that have been encoded, and the position after them.
        self._encoded: tuple[EncodedMoves, Any] = before._encoded if before else ((), position)
        self._asked_count: int = before._asked_count + 1 if before else 0
        self._view: Any = None
        self._mask: bytes | None = None
        acting = game.rules.to_act(position)
        self.seat: int | None = None
        if acting and not 0 < game.max_moves <= len(history.moves):
            self.seat = acting[0] if len(acting) == 1 else self._next_in_turn(acting)

    @classmethod
    def begin(
        cls, game: TableGame, start: Any, first: int = 0, moves: Sequence[tuple[int, Any]] = ()
    ) -> Episode:
        """Return the episode that begins at a position and continues with pairs (seat, move)."""
        episode = cls(game, History(game.rules, start, max_stored=1), first)
        for seat, move in moves:
            episode = episode.after_move(seat, move)
        return episode

    def __deepcopy__(self, memo: Any) -> Episode:
        return self

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Episode.begin, (self.game, self.history.start, self.first, self.history.moves)

    def _next_in_turn(self, acting: Sequence[int]) -> int:
        seats = self.game.seats
        while True:
            time_round, place = divmod(self._asked_count, seats)
            seat = (self.first + time_round + place) % seats
            if seat in acting:
                return seat
            self._asked_count += 1

    @property
    def several_may_act(self) -> bool:
        """Return whether several seats may act simultaneously, so that the seat to act may wait."""
        return len(self.game.rules.to_act(self.position)) > 1

    @property
    def is_cut_off(self) -> bool:
        """Return whether the episode is over only because of `TableGame.max_moves`."""
        return self.seat is None and bool(self.game.rules.to_act(self.position))

    @property
    def view(self) -> Any:
        """Return the view of the seat to act, or a bystander's view if the episode is over."""
        if self._view is None:
            self._view = self.game.rules.view(self.position, self.seat)
        return self._view

    @property
    def mask(self) -> bytes:
        """Return a byte for each action: 1 if it is legal for the seat to act, else 0."""
        if self._mask is None:
            encoded = self.game.encoded
            over = self.seat is None
            self._mask = bytes(encoded.actions) if over else encoded.mask(self.view)
        return self._mask

    def numbers(self, seat: int) -> memoryview[float]:
        """Return the view of a seat as numbers (see `Encoded.numbers`)."""
        view = self.view if seat == self.seat else self.game.rules.view(self.position, seat)
        return self.game.encoded.numbers(view)

    def after(self, action: int) -> Episode:
        """Return the episode after an action of the seat to act.

        Raises:
            InputError: If the action number is invalid, or the episode is over.
            IllegalMove: If the action is not legal in this position.
        """
        if self.seat is None:
            raise InputError(f"action {action} cannot be played: the episode is over")
        game = self.game
        action = check_index(action, game.encoded.actions, "action")
        move = game.encoded.move(action, self.view)
        return self.after_move(self.seat, move)

    def after_move(self, seat: int, move: Any) -> Episode:
        """Return the episode after a move of a seat. The move None means that the seat waits."""
        return Episode(self.game, self.history.play(seat, move), self.first, self)

    def returns(self) -> list[float]:
        """Return the total reward of each seat so far."""
        game = self.game
        if self.seat is not None and game.reward.at_end:
            return [0.0] * game.seats
        rules, position = game.rules, self.position
        return list(game.reward.returns(rules.points(position), rules.places(position)))

    def observations(self) -> tuple[str, ...]:
        """Return one sentence for each public event since the start."""
        return tuple([event for step in self.history.steps() for event in step.events])

    def encoded_moves(self) -> EncodedMoves:
        """Return a tuple (seat, action number, `Encoded.outcome`) for each move since the start.

        The result is empty if the game has no `Encoded.outcomes`.
        """
        rules, encoded, (moves, position) = self.game.rules, self.game.encoded, self._encoded
        if encoded.outcomes is not None and len(moves) < len(self.history.moves):
            new = [
                (
                    seat,
                    encoded.action(move, rules.view(before, seat)),
                    encoded.outcome(before, after),
                )
                for before, seat, move, after in self.history.transitions(len(moves), position)
            ]
            self._encoded = (*moves, *new), self.position
        return self._encoded[0]

    def memory_text(self, seat: int | None) -> str:
        """Return everything that a seat has seen, as text: its first view and all public events.

        The seat None is a bystander.
        """
        rules, start = self.game.rules, self.history.start
        observer = "bystander" if seat is None else f"player {seat}"
        several = len(rules.to_act(start)) > 1
        begins = f"player {self.first} must choose first\n" if several else ""
        shown = rules.show(rules.view(start, seat))
        return "\n".join((f"{observer}\n{begins}{shown}", *self.observations()))


class ChanceNode:
    """An immutable node of a game tree before the game begins, where chance makes a draw.

    First, the draws of the deal are made. If several seats may then act at the same time, the last
    draw chooses the seat that is asked first.

    Attributes:
        drawn: The draws so far, numbered as in `Encoded.chance`.
        position: The initial position if only the last draw is missing, otherwise None.
        outcomes: The possible results of the next draw, with their probabilities.
    """

    def __init__(self, table: TableGame, drawn: bytes, position: Any = None) -> None:
        self.table, self.drawn, self.position = table, drawn, position
        chance = table.encoded.chance
        seats = table.seats
        self.outcomes: Sequence[tuple[int, float]] = (
            chance(drawn) if position is None else [(seat, 1 / seats) for seat in range(seats)]
        )

    def __deepcopy__(self, memo: Any) -> ChanceNode:
        return self

    def after_chance(self) -> ChanceNode | Episode:
        """Return the episode if all draws are made, or else the node for the next draw."""
        table, position = self.table, self.position
        if position is None:
            if self.outcomes:
                return self
            position = table.encoded.initial_position(self.drawn)
        if len(table.rules.to_act(position)) > 1:
            return ChanceNode(table, self.drawn, position)
        return Episode.begin(table, position)

    def after(self, action: int) -> ChanceNode | Episode:
        """Return the node after a draw with the given result: a chance node or the episode."""
        if self.position is not None:
            return Episode.begin(self.table, self.position, action)
        return ChanceNode(self.table, self.drawn + bytes([action])).after_chance()
