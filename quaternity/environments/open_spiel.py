"""The games of the table for OpenSpiel: importing this registers them, one adapter for all.

    import pyspiel
    import quaternity.environments.open_spiel

    game = pyspiel.load_game("python_kwartet(players=3,sets=2,max_moves=60)")

`python_quaternity`, `python_kwartet`, `python_quarto` and `python_set` take the settings of the
game, and `reward`, `max_moves` and `start` as in `quaternity.environments.episode.TableGame`: a
start as the path of a file, where the game is to be made of its name again, as pickles do. Chance
nodes deal the cards; where several seats may act at once, one more says who is asked first.

The information-state string is all that the player has seen and heard, so recall is perfect; the
observation tensor is `Encoded.numbers`. `str(state)` is the same for positions with the same future
where nothing is hidden (without `max_moves`, for value iteration), else the whole history.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import compress
from typing import Any

import numpy as np
import pyspiel

from quaternity.environments.episode import Episode, TableGame
from quaternity.table.games import game_names, registration, rules_class

NEVER = 1_000_000
"""What a game without `max_moves` says is its longest."""

NO_START = "none"
"""What `start` says when cards are dealt; OpenSpiel reads no empty text."""

_OWN = {"reward": "win", "max_moves": -1, "start": NO_START}
"""Parameters that are no settings; -1 moves: as usual."""


def _parameters(name: str) -> dict[str, Any]:
    usual = rules_class(name)().settings
    values = {field.name: getattr(usual, field.name) for field in fields(usual)}
    return {
        key: str(value) if isinstance(value, str) else value for key, value in values.items()
    } | _OWN


def _type(name: str, table: TableGame | None = None) -> Any:
    """Return how OpenSpiel registers a game, or describes one with its settings."""
    shaped = table or TableGame(name)
    dealt = bool(shaped.encoded.chance(()))
    fewest, most = registration(name).seats or (shaped.seats, shaped.seats)
    zero_sum = table is None or (table.reward.zero_sum and table.seats > 1)
    kinds = pyspiel.GameType
    return kinds(
        short_name=f"python_{name}",
        long_name=f"{name.capitalize()} (Python)",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if dealt else
        kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if dealt else
        kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        min_num_players=fewest,
        max_num_players=most,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(name),
    )  # fmt: skip


class TableSpielGame(pyspiel.Game):  # type: ignore[misc]  # untyped library
    """A game with its settings.

    Attributes:
        table: the same for all adapters.
    """

    def __init__(self, name: str, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        own = {key: given.pop(key, usual) for key, usual in _OWN.items()}
        most = own["max_moves"]
        usual = _parameters(name)
        start = "" if own["start"] == NO_START else own["start"]
        if start:
            # A record has settings of its own; those that were not asked for do not contradict it.
            given = {key: value for key, value in given.items() if value != usual[key]}
        self.table = TableGame(
            name,
            given,
            start=start,
            reward=own["reward"],
            max_moves=None if most == -1 else most,
        )
        encoded = self.table.encoded
        low, high = self.table.bounds
        zero_sum = self.table.reward.zero_sum and self.table.seats > 1
        info = {
            "num_distinct_actions": encoded.actions,
            "max_chance_outcomes": 0 if self._starts_at_once() else self._most_outcomes(),
            "num_players": self.table.seats,
            "min_utility": low,
            "max_utility": high,
            "max_game_length": self.table.max_moves or NEVER,
        }
        if zero_sum:
            info["utility_sum"] = 0.0
        super().__init__(_type(name, self.table), pyspiel.GameInfo(**info), params or {})

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _loaded, (str(self),)

    def _starts_at_once(self) -> bool:
        encoded, start = self.table.encoded, self.table.start
        position = encoded.dealt(()) if start is None and not encoded.chance(()) else start
        return position is not None and len(self.table.rules.to_act(position)) <= 1

    def _most_outcomes(self) -> int:
        return max(self.table.seats, len(self.table.encoded.chance(())))

    def new_initial_state(self) -> TableSpielState:
        """Before anything is dealt."""
        return TableSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> TableObserver:
        """See `TableObserver`.

        Raises:
            ValueError: there are parameters.
        """
        return TableObserver(self, iig_obs_type, params)


def _loaded(text: str) -> Any:
    """Return a game of its name; that this is here has registered it."""
    return pyspiel.load_game(text)


@lru_cache(256)
def _legal(mask: bytes) -> list[int]:
    return list(compress(range(len(mask)), mask))


class TableSpielState(pyspiel.State):  # type: ignore[misc]  # untyped library
    """A game at one moment.

    Attributes:
        episode: the game; None while chance has not drawn all.
    """

    def __init__(self, game: TableSpielGame) -> None:
        super().__init__(game)
        self._table = game.table
        self._drawn = b""
        self._position: Any = None
        self.episode: Episode | None = None
        self._begin(game.table.start)

    def _begin(self, position: Any) -> None:
        table = self._table
        if position is None and not table.encoded.chance(self._drawn):
            position = table.encoded.dealt(self._drawn)
        if position is None:
            return
        if len(table.rules.to_act(position)) > 1:
            self._position = position  # who is asked first is drawn next
        else:
            self.episode = Episode(table, position)

    def current_player(self) -> int:
        """Whose turn it is, chance's, or nobody's."""
        if self.episode is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.episode.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        """Return whether it is over or cut off."""
        return self.episode is not None and self.episode.seat is None

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Return what may be drawn, with its probability."""
        table = self._table
        if self._position is not None:
            return [(seat, 1 / table.seats) for seat in range(table.seats)]
        return table.encoded.chance(self._drawn)

    def _legal_actions(self, player: int) -> list[int]:
        assert self.episode is not None, "a player is to act"
        return _legal(self.episode.mask) if player == self.episode.seat else []

    def _apply_action(self, action: int) -> None:
        if self.episode is not None:
            self.episode = self.episode.after(action)
        elif self._position is not None:
            self.episode = Episode(self._table, self._position, action)
        else:
            self._drawn += bytes([action])
            self._begin(None)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}" if self._position is None else f"player {action} is asked first"
        episode, table = self.episode, self._table
        assert episode is not None, "a player is to act"
        view = episode.view if player == episode.seat else None
        move = table.encoded.move(action, view or table.rules.view(episode.position, player))
        return "wait" if move is None else str(table.rules.write(move))

    def returns(self) -> list[float]:
        """Return what each player has got: nothing before the end."""
        over = self.is_terminal()
        assert self.episode is not None or not over, "only an episode ends"
        if self.episode is None or not over:
            return [0.0] * self._table.seats
        return self.episode.returns()

    def __str__(self) -> str:
        table, episode = self._table, self.episode
        if episode is None:
            return f"drawn: {' '.join(map(str, self._drawn))}"
        rules = table.rules
        if table.encoded.chance(()):
            drawn = " ".join(map(str, self._drawn))
            return "\n".join((f"drawn: {drawn}; first {episode.first}", *episode.told()))
        counted = f"move {episode.moves} of {table.max_moves}\n" if table.max_moves else ""
        return counted + json.dumps(rules.view_json(rules.view(episode.position, None)))


class TableObserver:
    """What a player sees (`IIGObservationType`): with perfect recall, all that it has ever seen.

    Attributes:
        tensor: `Encoded.numbers` of the player's view, without recall.
        dict: parts of it by their names; see `Encoded.entries`.
    """

    def __init__(self, game: TableSpielGame, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are not supported; passed {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        self._recall = kind.perfect_recall
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._table = game.table
        entries = game.table.encoded.entries
        self.tensor = np.zeros(sum(count for _, count, _ in entries), np.float32)
        self.dict, place = {}, 0
        for name, count, _ in entries:
            self.dict[name] = self.tensor[place : place + count]
            place += count

    def set_from(self, state: TableSpielState, player: int) -> None:
        """Set `tensor` to what a player sees; zeros before all is dealt."""
        episode, table = state.episode, self._table
        if episode is None:
            self.tensor.fill(0)
            return
        seat = player if self._private else None
        view = episode.view if seat == episode.seat else table.rules.view(episode.position, seat)
        self.tensor[:] = table.encoded.numbers(view)

    def string_from(self, state: TableSpielState, player: int) -> str:
        """Return what a player sees, or remembers, in words."""
        episode, rules = state.episode, self._table.rules
        seat = player if self._private else None
        if episode is None:
            return "nothing is dealt"
        if self._recall:
            return episode.remembered(seat)
        return str(rules.show(rules.view(episode.position, seat)))


def _register(name: str) -> None:
    class Named(TableSpielGame):
        """The game of this name."""

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(name, params)

    pyspiel.register_game(_type(name), Named)


for _name in game_names():
    _register(_name)
