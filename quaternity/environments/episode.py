"""A game as learning programs play it: actions are numbers, and one seat is asked at a time.

Where several seats may act at once the turn goes round, and who is asked first moves on each time
round, so that no seat gains by its number; a seat may wait.
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
from quaternity.base.plain_values import numbered, whole
from quaternity.base.reading import decode, read_bytes
from quaternity.base.sentences import Kind
from quaternity.base.text_record import check_asked
from quaternity.base.wording import shown
from quaternity.environments.plain_encoded import PlainEncoded
from quaternity.table.games import game_names, registration, rules_class
from quaternity.table.registration import Benchmark

P = TypeVar("P")
M = TypeVar("M")
V_contra = TypeVar("V_contra", contravariant=True)


WAITS = Kind("waits", "{who:player} waits")


class Encoded(Protocol[P, M, V_contra]):
    """The moves and views of a game with its settings as numbers; it sees nothing but views.

    Attributes:
        actions: how many there are: numbers 0..actions-1.
        entries: what `numbers` gives: parts of it in order, each as its name, how many numbers it
            has, and what they mean.
        points: the fewest and the most that a seat can make.
        outcomes: what `outcome` gives, in parts as of `entries`; None where moves as numbers do not
            say all that was seen, so that nobody can remember by them.
        degenerate: with these settings, why the game is none; may be missing.
    """

    actions: int
    entries: Sequence[tuple[str, int, str]]
    points: tuple[float, float]
    outcomes: Sequence[tuple[str, int, str]] | None

    def action(self, move: M | None, view: V_contra) -> int:
        """Return the number of a legal move, or of waiting (None)."""

    def move(self, action: int, view: V_contra) -> M | None:
        """Return the move of a number, legal or not; None to wait, where others may act too.

        Raises:
            InputError: it is the number of no move.
        """

    def mask(self, view: V_contra) -> bytes:
        """Per action 1 when it is legal for the seat whose view it is, else 0."""

    def numbers(self, view: V_contra) -> memoryview[float]:
        """Return the view as numbers between 0 and 1, 32-bit floats in memory; see `entries`."""

    def outcome(self, before: P, after: P) -> bytes:
        """Return what everybody saw of a move besides its seat and number; see `outcomes`."""

    def chance(self, drawn: Sequence[int]) -> Sequence[tuple[int, float]]:
        """Give what may be drawn by chance next, with its probability; empty when nothing is left.

        Args:
            drawn: what was drawn before.
        """

    def dealt(self, drawn: Sequence[int]) -> P:
        """Return the first position when all is drawn."""


Returns = Callable[[Sequence[float], Sequence[int] | None], Sequence[float]]
"""What each seat has got so far, from points, and places when the game is over."""


class Reward(NamedTuple):
    """What a game is played for.

    Attributes:
        returns: see `Returns`; what a step gives is the difference.
        bounds: of the fewest and the most points, the least and the most that a seat gets.
        zero_sum: whether all seats together always get nothing.
        at_end: whether nobody gets anything before the game is over.
    """

    returns: Returns
    bounds: Callable[[float, float], tuple[float, float]]
    zero_sum: bool
    at_end: bool


def win(points: Sequence[float], places: Sequence[int] | None) -> list[float]:
    """1 for who wins alone; the others share the loss. Who tie for it share what it is worth."""
    seats = len(points)
    if places is None:
        return [0.0] * seats
    if seats == 1:
        return [1.0]
    winners = places.count(1)
    return [((place == 1) * seats / winners - 1) / (seats - 1) for place in places]


def lead(points: Sequence[float], places: Sequence[int] | None) -> list[float]:
    """Own points less those of the others, on average of these."""
    del places
    seats, total = len(points), sum(points)
    return [own - (total - own) / max(1, seats - 1) for own in points]


REWARDS = {
    "win": Reward(win, lambda low, high: (-1.0, 1.0), True, True),
    "points": Reward(lambda points, places: points, lambda low, high: (low, high), False, False),
    "lead": Reward(lead, lambda low, high: (low - high, high - low), True, False),
}
"""Rewards by name; put your own here."""


def benchmarks() -> dict[str, tuple[str, Benchmark]]:
    """Return the small games of all registrations: by name the game and what it is played with."""
    return {
        name: (game, benchmark)
        for game in game_names()
        for name, benchmark in registration(game).benchmarks.items()
    }


_NAMED = re.compile(r"\s*(\w+)\s*(?:\(([^()]*)\)\s*)?", re.ASCII)
_TRUTHS = {"true": True, "false": False}


class TableGame:
    """A game with its settings, its start and its reward.

    Attributes:
        name: of the game.
        rules, encoded: of it.
        reward: what it is played for.
        max_moves: moves (waiting counts) after which it is cut off; 0: never.
        start: the position that every episode begins with; None to deal anew each time.
        seats: how many play.
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
        """Make a game of the table.

        Args:
            settings: by name; those that are missing are as usual.
            start: a record (for Quaternity also a state) as text, or the path of its file: episodes
                begin where it ends. It has settings of its own, which need not be given again.
            reward: a name of `REWARDS`.
            max_moves: the setting of this name, if the game has one (Kwartet), so that its rules
                end the game. Other games are cut off.

        Raises:
            InputError: there is no such game, setting or reward, or a value is wrong.
        """
        game = registration(name)
        if reward not in REWARDS:
            raise InputError(f"reward {shown(reward)} is unknown; known are {', '.join(REWARDS)}")
        self.name = name
        self._made_of = name, dict(settings or {}), start, reward, max_moves
        self.max_moves = game.max_moves if max_moves is None else whole(max_moves, "max_moves", 0)
        self.reward = REWARDS[reward]
        made: Any = game.part("encoded") or PlainEncoded
        self.start: Any = None
        if start:
            self.rules, self.start = _started(name, made, start)
            check_asked(settings or {}, self.rules.settings)
        else:
            chosen = _settings(name, settings or {})
            if max_moves and hasattr(chosen, "max_moves"):  # the rules end it then
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
        """Make one of `benchmarks`.

        Raises:
            InputError: there is none of this name.
        """
        known = benchmarks()
        if name not in known:
            raise InputError(f"benchmark {shown(name)} is unknown; known are {', '.join(known)}")
        game, (settings, reward, max_moves) = known[name]
        return cls(game, settings, reward=reward, max_moves=max_moves)

    @classmethod
    def of_text(cls, text: str) -> TableGame:
        """Make a game of a benchmark's name, or of a game's with settings.

        These are as in `kwartet(players=2,sets=3,reward=lead,max_moves=3)`.

        Raises:
            InputError: there is no such game or setting, or a value is wrong.
        """
        match = _NAMED.fullmatch(text)
        if match is None:
            raise InputError(f"game {shown(text)}: expected a name, or name(setting=value,...)")
        name, inside = match.groups()
        if inside is None and name in benchmarks():
            return cls.benchmark(name)
        given: dict[str, Any] = {}
        for part in filter(None, (inside or "").split(",")):
            key, _, value = map(str.strip, part.partition("="))
            whole_number = value.isdecimal() and value.isascii() and len(value) < 10
            given[key] = int(value) if whole_number else _TRUTHS.get(value.lower(), value)
        own = {key: given.pop(key) for key in ("reward", "max_moves") if key in given}
        return cls(name, given, **own)

    def __deepcopy__(self, memo: Any) -> TableGame:
        return self

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return _remade, self._made_of

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the most that a seat can get in an episode."""
        low, high = self.encoded.points
        return self.reward.bounds(max(low, -float(self.max_moves or 10**6)), high)

    @property
    def recalled(self) -> Sequence[tuple[str, int, str]]:
        """What a player remembers as numbers, in parts as of `Encoded.entries`.

        Nothing is there when games may last for ever, or when the game has no `Encoded.outcomes`.
        """
        encoded, seats = self.encoded, self.seats
        if not self.max_moves or encoded.outcomes is None:
            return ()
        parts = [
            ("", seats, "1 for who moved"),
            ("", encoded.actions, "1 for the action"),
            *encoded.outcomes,
        ]
        each = sum(count for _, count, _ in parts)
        meaning = "; ".join(f"{count} with {meaning}" for _, count, meaning in parts)
        start = sum(count for _, count, _ in encoded.entries)
        return (
            ("player", seats, "1 for the player; bystanders: none"),
            ("first", seats, "1 for who was asked first, where several may act at once"),
            ("start", start, "the observation at the start"),
            ("moves", self.max_moves * each, f"per move {each} numbers: {meaning}"),
        )

    def describe(self, recalled: bool = False) -> str:
        """Return what an observation means, number by number: lines `first..last name: meaning`.

        Args:
            recalled: describe what a player remembers, OpenSpiel's information-state tensor.
        """
        lines, first = [], 0
        for name, count, meaning in self.recalled if recalled else self.encoded.entries:
            lines.append(f"{first}..{first + count - 1} {name}: {meaning}")
            first += count
        return "\n".join(lines)

    def root(self) -> Dealing | Episode:
        """Return the first moment: the episode, or what chance draws before it."""
        return Dealing(self, b"", self.start).begun()

    def episode(self, random: Random) -> Episode:
        """Return a new one, all chance drawn."""
        position = self.rules.start(random) if self.start is None else self.start
        several = len(self.rules.to_act(position)) > 1
        return Episode(self, position, random.randrange(self.seats) if several else 0)


def _remade(
    name: str, settings: dict[str, Any], start: Any, reward: str, max_moves: int | None
) -> TableGame:
    return TableGame(name, settings, start=start, reward=reward, max_moves=max_moves)


def _settings(name: str, given: Mapping[str, Any]) -> Any:
    usual = rules_class(name)().settings
    known = [field.name for field in fields(usual)]
    for setting in given:
        if setting not in known:
            raise InputError(f"setting {shown(setting)} is unknown; known are {', '.join(known)}")
    return type(usual)(**given)


def _started(name: str, encoded: Any, start: str | os.PathLike[str]) -> tuple[Any, Any]:
    """Rules and position at the end of a record, or of a state where the game has such."""
    if not isinstance(start, str | os.PathLike):
        raise InputError(f"start: {shown(start)} is neither a text nor a path")
    start = os.fspath(start)
    is_path = "\n" not in start and not start.lstrip().startswith("{")
    data = read_bytes(start) if is_path else start.encode()
    if data.lstrip().startswith(b"{") and hasattr(encoded, "of_state"):
        encoded_state: tuple[Any, Any] = encoded.of_state(decode(data))
        return encoded_state
    rules = rules_class(name).of_record(data)
    return rules, rules.replay(data).positions[-1]


History: TypeAlias = tuple[tuple[int, int, bytes], ...]
"""Moves as numbers: who moved, the action, and `Encoded.outcome`."""


class _Made:
    """A move of an episode, after those before it.

    Attributes:
        before: the move before; None for the first one.
        seat, move: who moved; None: it waited.
        told: what `Episode.told` and `Episode.history` give after it, and the position then; None
            until it was asked for.
    """

    __slots__ = ("before", "move", "seat", "told")

    def __init__(self, before: _Made | None, seat: int, move: Any) -> None:
        self.before, self.seat, self.move = before, seat, move
        self.told: tuple[tuple[str, ...], History, Any] | None = None


class Episode:
    """A game at one moment. Immutable.

    It keeps the moves made, not the positions between, so that a game in play takes little memory;
    they are found again when what was told is asked for.

    Attributes:
        game: with its settings.
        position: of its rules.
        first: who was asked first of all, where several may act.
        moves: how many were made, waiting counted.
        seat: who is to act; None when it is over.
        root: the moment at the start.
    """

    __slots__ = (
        "_asked", "_made", "_mask", "_view", "first", "game", "moves", "position", "root", "seat",
    )  # fmt: skip

    def __init__(
        self,
        game: TableGame,
        position: Any,
        first: int = 0,
        before: Episode | None = None,
        made: tuple[int, Any] | None = None,
    ) -> None:
        self.game, self.position, self.first = game, position, first
        self._made: _Made | None = None
        if before is not None and made is not None:
            self._made = _Made(before._made, *made)
        self.root: Episode = self if before is None else before.root
        self.moves: int = 0 if before is None else before.moves + 1
        self._asked: int = 0 if before is None else before._asked + 1
        self._view: Any = None
        self._mask: bytes | None = None
        acting = game.rules.to_act(position)
        self.seat: int | None = None
        if acting and not 0 < game.max_moves <= self.moves:
            self.seat = acting[0] if len(acting) == 1 else self._in_turn(acting)

    def __deepcopy__(self, memo: Any) -> Episode:
        return self

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        made = [(m.seat, m.move) for m in self._moves_made()]
        return _replayed, (self.game, self.root.position, self.first, made)

    def _moves_made(self, untold: bool = False) -> list[_Made]:
        moves: list[_Made] = []
        at = self._made
        while at is not None and not (untold and at.told):
            moves.append(at)
            at = at.before
        return moves[::-1]

    def _in_turn(self, acting: Sequence[int]) -> int:
        seats = self.game.seats
        while True:
            time_round, place = divmod(self._asked, seats)
            seat = (self.first + time_round + place) % seats
            if seat in acting:
                return seat
            self._asked += 1

    @property
    def made(self) -> tuple[int, Any] | None:
        """Return who moved last and what, None for waiting; None at the start."""
        return None if self._made is None else (self._made.seat, self._made.move)

    @property
    def before(self) -> Episode | None:
        """The moment before the last move, found again from the start; None at the start."""
        made = [(m.seat, m.move) for m in self._moves_made()]
        return _replayed(self.game, self.root.position, self.first, made[:-1]) if made else None

    @property
    def several(self) -> bool:
        """Return whether several seats may act in turn, so that one may wait."""
        return len(self.game.rules.to_act(self.position)) > 1

    @property
    def is_cut_off(self) -> bool:
        """Return whether it is over because of `TableGame.max_moves` alone."""
        return self.seat is None and bool(self.game.rules.to_act(self.position))

    @property
    def view(self) -> Any:
        """Return what the seat to act sees; a bystander's view when it is over."""
        if self._view is None:
            self._view = self.game.rules.view(self.position, self.seat)
        return self._view

    @property
    def mask(self) -> bytes:
        """Per action 1 when the seat to act may take it."""
        if self._mask is None:
            encoded = self.game.encoded
            over = self.seat is None
            self._mask = bytes(encoded.actions) if over else encoded.mask(self.view)
        return self._mask

    def numbers(self, seat: int) -> memoryview[float]:
        """Return what a seat sees; see `Encoded.numbers`."""
        view = self.view if seat == self.seat else self.game.rules.view(self.position, seat)
        return self.game.encoded.numbers(view)

    def after(self, action: int) -> Episode:
        """Return the moment after an action of the seat to act.

        Raises:
            InputError: there is no such action, or the episode is over.
            IllegalMove: it is not legal now.
        """
        if self.seat is None:
            raise InputError(f"action {action}: the episode is over")
        game = self.game
        action = numbered(action, game.encoded.actions, "action")
        move = game.encoded.move(action, self.view)
        return self.after_move(self.seat, move)

    def after_move(self, seat: int, move: Any) -> Episode:
        """Return the moment after a seat has moved, or has waited (None)."""
        position = self.position
        if move is not None:
            position = self.game.rules.after(position, seat, move)
        return Episode(self.game, position, self.first, self, (seat, move))

    def returns(self) -> list[float]:
        """Return what each seat has got so far."""
        game = self.game
        if self.seat is not None and game.reward.at_end:
            return [0.0] * game.seats
        rules, position = game.rules, self.position
        return list(game.reward.returns(rules.points(position), rules.places(position)))

    def told(self) -> tuple[str, ...]:
        """Return what everybody saw since the start, a sentence each.

        Cost: the moves since those that were told before are made again.
        """
        return self._told()[0]

    def history(self) -> History:
        """Return the moves since the start as numbers; empty without `Encoded.outcomes`.

        Cost: as of `told`.
        """
        return self._told()[1]

    def _told(self) -> tuple[tuple[str, ...], History]:
        untold, rules, encoded = self._moves_made(True), self.game.rules, self.game.encoded
        known = untold[0].before if untold else self._made
        events, history, position = (
            known.told if known and known.told else ((), (), self.root.position)
        )
        for made in untold:
            before, seat, move = position, made.seat, made.move
            if move is None:
                events += (WAITS(who=seat),)
            else:
                position = self.position if made is self._made else rules.after(before, seat, move)
                events += tuple(rules.events(before, seat, move, position))
            if encoded.outcomes is not None:
                action = encoded.action(move, rules.view(before, seat))
                history += ((seat, action, encoded.outcome(before, position)),)
        if self._made:
            self._made.told = events, history, self.position
        return events, history

    def remembered(self, seat: int | None) -> str:
        """All that a seat (None: a bystander) has ever seen: the start, and what it was told."""
        rules, root = self.game.rules, self.root
        who = "bystander" if seat is None else f"player {seat}"
        begins = f"player {self.first} is asked first\n" if root.several else ""
        start = rules.show(rules.view(root.position, seat))
        return "\n".join((f"{who}\n{begins}{start}", *self.told()))


def _replayed(
    game: TableGame, position: Any, first: int, made: Sequence[tuple[int, Any]]
) -> Episode:
    episode = Episode(game, position, first)
    for seat, move in made:
        episode = episode.after_move(seat, move)
    return episode


class Dealing:
    """What chance has drawn before an episode begins. Immutable.

    Attributes:
        drawn: the cards' hands, or cards, so far.
        position: where all is dealt, and who is asked first is drawn next; None before.
        outcomes: what may be drawn next, with its probability.
    """

    def __init__(self, table: TableGame, drawn: bytes, position: Any = None) -> None:
        self.table, self.drawn, self.position = table, drawn, position
        chance = table.encoded.chance
        seats = table.seats
        self.outcomes: Sequence[tuple[int, float]] = (
            chance(drawn) if position is None else [(seat, 1 / seats) for seat in range(seats)]
        )

    def __deepcopy__(self, memo: Any) -> Dealing:
        return self

    def begun(self) -> Dealing | Episode:
        """Return the episode if all is drawn, else what is drawn next."""
        table, position = self.table, self.position
        if position is None:
            if self.outcomes:
                return self
            position = table.encoded.dealt(self.drawn)
        if len(table.rules.to_act(position)) > 1:
            return Dealing(table, self.drawn, position)
        return Episode(table, position)

    def after(self, action: int) -> Dealing | Episode:
        """Return the moment after chance has drawn."""
        if self.position is not None:
            return Episode(self.table, self.position, action)
        return Dealing(self.table, self.drawn + bytes([action])).begun()
