"""OpenSpiel adapter for all games. Importing this module registers the games with OpenSpiel.

    import pyspiel
    import quaternity.environments.open_spiel

    game = pyspiel.load_game("python_kwartet(players=3,sets=2,max_moves=60)")

The games are `python_quaternity`, `python_kwartet`, `python_quarto` and `python_set`. Their
parameters are the settings of the game, and the arguments `reward`, `max_moves` and `start` of
`quaternity.environments.episode.TableGame`. A pickle of a game contains only its name and its
parameters, so `start` must be the path of a file if the game is pickled. Small games for exact
algorithms have separate names (`episode.benchmarks`).

Chance nodes deal the cards. If several seats may act at the same time, another chance node draws
the seat that is asked first.

The information-state string and tensor contain everything that the player has seen. The tensor is
available if it has at most `MAX_TENSOR_SIZE` numbers. In games without chance, `str(state)`
contains only the position and, if `max_moves` limits the game, the number of moves. Two states that
are reached by different moves but have the same future are thus equal, as value iteration requires.
In games with chance, `str(state)` contains the whole history.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import lru_cache, partial
from itertools import compress
from typing import Any

import numpy as np

from quaternity.base.extras import needs_extra
from quaternity.environments.episode import ChanceNode, Episode, TableGame, benchmarks
from quaternity.table.games import game_names, registration, rules_class

with needs_extra("OpenSpiel games need", "openspiel"):
    import pyspiel

UNLIMITED_LENGTH = 1_000_000
"""Maximum number of moves that OpenSpiel gets for a game without a limit."""

MAX_TENSOR_SIZE = 1 << 22
"""Maximum number of values in an information-state tensor. Such a tensor takes 16 MB."""

NO_START = "none"
"""Value of the parameter `start` for a normal start. OpenSpiel does not accept an empty string."""

_EXTRA_PARAMETERS = {"reward": "win", "max_moves": -1, "start": NO_START}
"""Default values of the parameters that are not settings of the game. For `max_moves`, -1 stands
for the default of the game."""


def _parameters(name: str) -> dict[str, Any]:
    usual = rules_class(name)().settings
    values = {field.name: getattr(usual, field.name) for field in fields(usual)}
    return {
        key: str(value) if isinstance(value, str) else value for key, value in values.items()
    } | _EXTRA_PARAMETERS


def _memory_size(table: TableGame) -> int:
    return sum(count for _, count, _ in table.memory_layout)


def _type(short: str, table: TableGame, usual: dict[str, Any], chosen: bool = True) -> Any:
    dealt = bool(table.encoded.chance(()))
    min_players, max_players = registration(table.name).seats or (table.seats, table.seats)
    zero_sum = not chosen or (table.reward.zero_sum and table.seats > 1)
    kinds = pyspiel.GameType
    return kinds(
        short_name=short,
        long_name=f"{short.removeprefix('python_').replace('_', ' ').capitalize()} (Python)",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if dealt else
        kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if dealt else
        kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        min_num_players=min_players,
        max_num_players=max_players,
        provides_information_state_string=True,
        provides_information_state_tensor=0 < _memory_size(table) <= MAX_TENSOR_SIZE,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=usual,
    )  # fmt: skip


class TableSpielGame(pyspiel.Game):  # type: ignore[misc]  # untyped library
    """An OpenSpiel game that wraps a `TableGame`.

    Attributes:
        table: The wrapped game.
        root: The root of the game tree.
    """

    def __init__(
        self, short: str, table: TableGame, usual: dict[str, Any], params: dict[str, Any]
    ) -> None:
        self.table = table
        encoded, self.root = self.table.encoded, self.table.root()
        low, high = self.table.bounds
        zero_sum = self.table.reward.zero_sum and self.table.seats > 1
        info = {
            "num_distinct_actions": encoded.actions,
            "max_chance_outcomes": 0 if isinstance(self.root, Episode) else self._max_outcomes(),
            "num_players": self.table.seats,
            "min_utility": low,
            "max_utility": high,
            "max_game_length": self.table.max_moves or UNLIMITED_LENGTH,
        }
        if zero_sum:
            info["utility_sum"] = 0.0
        super().__init__(_type(short, table, usual), pyspiel.GameInfo(**info), params)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _load_game, (str(self),)

    def _max_outcomes(self) -> int:
        return max(self.table.seats, len(self.table.encoded.chance(())))

    def new_initial_state(self) -> TableSpielState:
        """Return the initial state, before the first draw of chance."""
        return TableSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> TableObserver:
        """Return a `TableObserver`. Raise `ValueError` if there are parameters."""
        return TableObserver(self, iig_obs_type, params)


def _load_game(text: str) -> Any:
    """Load a game by its name and parameters when it is unpickled."""
    return pyspiel.load_game(text)


@lru_cache(256)
def _legal(mask: bytes) -> list[int]:
    return list(compress(range(len(mask)), mask))


class TableSpielState(pyspiel.State):  # type: ignore[misc]  # untyped library
    """State of a game in OpenSpiel: an episode, or a chance node before an episode begins.

    Attributes:
        moment: The episode or chance node. It is the only attribute, because OpenSpiel copies all
            attributes whenever it copies a state.
    """

    def __init__(self, game: TableSpielGame) -> None:
        super().__init__(game)
        self.moment: ChanceNode | Episode = game.root

    @property
    def episode(self) -> Episode | None:
        """The game so far, as an episode, or None if the state is a chance node."""
        return self.moment if isinstance(self.moment, Episode) else None

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's constant for chance or the end of the game."""
        if isinstance(self.moment, ChanceNode):
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.moment.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        """Return whether the game is over or cut off."""
        return isinstance(self.moment, Episode) and self.moment.seat is None

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return the possible draws with their probabilities."""
        assert isinstance(self.moment, ChanceNode), "this is not a chance node"
        return self.moment.outcomes

    def _legal_actions(self, player: int) -> list[int]:
        assert isinstance(self.moment, Episode), "this is a chance node"
        return _legal(self.moment.mask) if player == self.moment.seat else []

    def _apply_action(self, action: int) -> None:
        self.moment = self.moment.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if isinstance(self.moment, ChanceNode):
            drawn = self.moment.position is None
            return f"draw {action}" if drawn else f"player {action} must choose first"
        episode = self.moment
        table = episode.game
        view = episode.view if player == episode.seat else None
        move = table.encoded.move(action, view or table.rules.view(episode.position, player))
        return "wait" if move is None else str(table.rules.write(move))

    def returns(self) -> list[float]:
        """Return the total reward of each player, which is 0 before the end of the game."""
        if isinstance(self.moment, ChanceNode):
            return [0.0] * self.moment.table.seats
        return self.moment.returns() if self.moment.seat is None else [0.0] * self.moment.game.seats

    def __str__(self) -> str:
        if isinstance(self.moment, ChanceNode):
            return f"drawn: {' '.join(map(str, self.moment.drawn))}"
        episode, table = self.moment, self.moment.game
        rules = table.rules
        if table.encoded.chance(()):
            moves = self.history()
            drawn = " ".join(map(str, moves[: len(moves) - len(episode.history.moves)]))
            return "\n".join((f"drawn: {drawn}; first {episode.first}", *episode.observations()))
        counted = (
            f"move {len(episode.history.moves)} of {table.max_moves}\n" if table.max_moves else ""
        )
        return counted + json.dumps(rules.view_json(rules.view(episode.position, None)))


class TableObserver:
    """OpenSpiel observer, which writes what a player sees as numbers or as text.

    With perfect recall, it writes everything that the player has seen since the start.

    Attributes:
        tensor: The numbers of the player's view (`Encoded.numbers`). With perfect recall, the
            numbers of the player's memory (`TableGame.memory_layout`).
        dict: The parts of the tensor by name.
    """

    def __init__(self, game: TableSpielGame, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"params: observation parameters are not supported: {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        self._perfect_recall = kind.perfect_recall
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._table = game.table
        entries = game.table.memory_layout if self._perfect_recall else game.table.encoded.entries
        size = sum(count for _, count, _ in entries)
        if self._perfect_recall and size > MAX_TENSOR_SIZE:
            entries, size = (), 0
        self.tensor = np.zeros(size, np.float32)
        self.dict, place = {}, 0
        for name, count, _ in entries:
            self.dict[name] = self.tensor[place : place + count]
            place += count

    def set_from(self, state: TableSpielState, player: int) -> None:
        """Write the player's observation into `tensor`. At a chance node, fill it with zeros."""
        episode, table = state.episode, self._table
        if episode is None:
            self.tensor.fill(0)
            return
        seat = player if self._private else None
        if self._perfect_recall:
            if self.dict:
                self._set_memory(episode, seat)
            return
        view = episode.view if seat == episode.seat else table.rules.view(episode.position, seat)
        self.tensor[:] = table.encoded.numbers(view)

    def _set_memory(self, episode: Episode, seat: int | None) -> None:
        table, start = self._table, episode.history.start
        self.tensor.fill(0)
        if seat is not None:
            self.dict["player"][seat] = 1
        if len(table.rules.to_act(start)) > 1:
            self.dict["first"][episode.first] = 1
        self.dict["start"][:] = table.encoded.numbers(table.rules.view(start, seat))
        moves = self.dict["moves"].reshape(table.max_moves, -1)
        for row, (mover, action, outcome) in zip(moves, episode.encoded_moves(), strict=False):
            row[mover] = row[table.seats + action] = 1
            row[table.seats + table.encoded.actions :] = np.frombuffer(outcome, np.float32)

    def string_from(self, state: TableSpielState, player: int) -> str:
        """Return what a player sees, or (with perfect recall) has seen, as text."""
        episode, rules = state.episode, self._table.rules
        seat = player if self._private else None
        if episode is None:
            return "the cards are not dealt yet"
        if self._perfect_recall:
            return episode.memory_text(seat)
        return str(rules.show(rules.view(episode.position, seat)))


def _make_game(name: str, params: dict[str, Any]) -> TableGame:
    settings, usual = dict(params), _parameters(name)
    own = {key: settings.pop(key, value) for key, value in _EXTRA_PARAMETERS.items()}
    max_moves = own["max_moves"]
    start = "" if own["start"] == NO_START else own["start"]
    if start:
        # OpenSpiel fills in default values, which must not conflict with the settings of the
        # record.
        settings = {key: value for key, value in settings.items() if value != usual[key]}
    cut_off = None if max_moves == -1 else max_moves
    return TableGame(name, settings, start=start, reward=own["reward"], max_moves=cut_off)


def _benchmark(name: str, params: dict[str, Any]) -> TableGame:
    del params  # Benchmarks have no parameters.
    return TableGame.benchmark(name)


def _register(
    short: str, usual: dict[str, Any], make: Callable[[dict[str, Any]], TableGame], chosen: bool
) -> None:
    class Named(TableSpielGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(short, make(params or {}), usual, params or {})

    pyspiel.register_game(_type(short, make({}), usual, chosen), Named)


def register_games() -> None:
    """Register all games with OpenSpiel unless they are registered already."""
    known = set(pyspiel.registered_names())
    for name in game_names():
        if f"python_{name}" not in known:
            _register(f"python_{name}", _parameters(name), partial(_make_game, name), False)
    for name in benchmarks():
        if name not in known:
            _register(name, {}, partial(_benchmark, name), True)


register_games()
