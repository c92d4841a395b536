"""PettingZoo environments for all games.

    from quaternity.environments.pettingzoo import kwartet_v0

    env = kwartet_v0.env(render_mode="ansi", players=3, sets=5)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        action = None
        if not (termination or truncation):
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

`quaternity_v0`, `kwartet_v0`, `quarto_v0` and `set_v0` each have the functions `env`, `raw_env` and
`parallel_env`, which take the same arguments (see `TableEnv`). An observation is a dictionary with
two entries. "observation" contains numbers between 0 and 1, which `env.unwrapped.game.describe()`
explains. "action_mask" is 1 for every legal action. An agent whose turn it is not has no legal
action. Both entries contain only information that the agent may have.
"""

from __future__ import annotations

import sys
from os import PathLike
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaternity.base.errors import InputError
from quaternity.base.extras import needs_extra
from quaternity.base.plots import default_style, new_figure
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_int, check_index
from quaternity.environments.episode import Episode, TableGame
from quaternity.table.games import GAMES, game_names, plugin_games

with needs_extra("PettingZoo environments need", "pettingzoo"):
    import pettingzoo
    from gymnasium import logger, spaces

COLUMNS, MIN_LINES = 80, 26
"""Width and minimum height of a rendered picture, in characters. The picture is six lines higher
than the table at the start, so that later tables fit."""

MAX_STARTED_GAMES = 100
"""Maximum number of games that `reset` deals to find one that is not already over."""

Observation = dict[str, NDArray[Any]]

RENDER_MODES = ("human", "ansi", "rgb_array")


class _Table:
    """Base class of the sequential and the parallel environment: spaces, observations, rendering.

    Attributes:
        game: The game with its settings (`quaternity.environments.episode.TableGame`).
        episode: The current state of the game and its history.
    """

    possible_agents: list[str]
    agents: list[str]
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    episode: Episode

    def __init__(
        self,
        name: str,
        *,
        render_mode: str | None = None,
        reward: str = "win",
        max_moves: int | None = None,
        max_cycles: int | None = None,
        start: str | PathLike[str] = "",
        **settings: Any,
    ) -> None:
        """Initialize the environment. Call `reset` before the first step.

        Args:
            render_mode: "ansi" renders the table as text, and "rgb_array" as a picture of this
                text, which requires matplotlib. "human" prints the text after every step.
            reward: "win" (1 for a sole winner, and the other agents share -1 equally), "points"
                (the points gained in each step), or another name in
                `quaternity.environments.episode.REWARDS`.
            max_moves: Number of moves after which a game is cut off. The usual value is 1000; 0
                means no limit. If the game has a setting of this name, the rules end the game
                instead.
            max_cycles: In `env`, number of rounds in which all agents are asked in turn. This
                includes agents that may not act, who have an empty mask. Illegal actions then have
                no effect. In `parallel_env`, number of steps after which the game is cut off.
            start: A record (or, for Quaternity, a state) as text, or the path of its file. Episodes
                begin at the last position.
            settings: Settings of the game by name.

        Raises:
            InputError: If a value is invalid.
        """
        super().__init__()
        self.game = TableGame(name, settings, start=start, reward=reward, max_moves=max_moves)
        self.max_cycles = None if max_cycles is None else as_int(max_cycles, "max_cycles", 1)
        if render_mode not in (None, *RENDER_MODES):
            known = ", ".join((*RENDER_MODES, "None"))
            raise InputError(f"unknown render_mode {quote_value(render_mode)}; choose from {known}")
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        encoded = self.game.encoded
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.seats)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        size = sum(count for _, count, _ in encoded.entries)
        self._observation_spaces = {
            agent: spaces.Dict(
                observation=spaces.Box(0.0, 1.0, (size,), np.float32),
                action_mask=spaces.Box(0, 1, (encoded.actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {
            agent: spaces.Discrete(encoded.actions) for agent in self.possible_agents
        }
        self.agents = []
        self._random = Random()
        self._lines = 0
        self._none_legal = bytes(encoded.actions)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space of an agent. It is the same object in every call."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space of an agent. It is the same object in every call."""
        return self._action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        episode, seat = self.episode, self._seats[agent]
        mask = episode.mask if seat == episode.seat else self._none_legal
        return {
            "observation": np.array(episode.numbers(seat), np.float32),
            "action_mask": np.frombuffer(mask, np.int8).copy(),
        }

    def close(self) -> None:
        """Do nothing, because there are no resources to release."""

    def _number(self, action: object) -> int:
        return check_index(action, self.game.encoded.actions, "action")  # type: ignore[arg-type]

    def render(self) -> str | NDArray[np.uint8] | None:
        """Render the table as the seat to act sees it, in the way that `render_mode` selects."""
        if self.render_mode is None:
            logger.warn(
                "render() does nothing, because the environment was made without a render_mode "
                "('human', 'ansi' or 'rgb_array')"
            )
            return None
        text = self._text()
        if self.render_mode == "ansi":
            return text
        if self.render_mode == "rgb_array":
            return picture(text, self._lines)
        sys.stdout.write(f"{text}\n\n")
        return None

    def _text(self) -> str:
        episode = self.episode
        news = episode.observations()[-2:]
        turn = "the game is over" if episode.seat is None else f"player {episode.seat} is to act"
        return "\n".join((*news, turn, episode.game.rules.show(episode.view)))

    def _start_episode(self, seed: int | None) -> None:
        if seed is not None:
            # NumPy's integer types are converted to int.
            self._random = Random(as_int(seed, "seed"))
        for _ in range(MAX_STARTED_GAMES):
            self.episode = self.game.episode(self._random)
            if self.episode.seat is not None:
                break
        else:
            raise InputError(
                f"the game is over before the first move, in each of {MAX_STARTED_GAMES} deals"
            )
        self._returns = self.episode.returns()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._lines = max(MIN_LINES, self._text().count("\n") + 6) if self.render_mode else 0
        if self.render_mode == "human":
            self.render()

    def _update_rewards(self, cut_off: bool) -> None:
        episode = self.episode
        before, self._returns = self._returns, episode.returns()
        for agent, seat in self._seats.items():
            self.rewards[agent] = self._returns[seat] - before[seat]
        if episode.seat is None or cut_off:
            cut_off = episode.is_cut_off or episode.seat is not None
            self.terminations = dict.fromkeys(self.agents, not cut_off)
            self.truncations = dict.fromkeys(self.agents, cut_off)
        if self.render_mode == "human":
            self.render()


class TableEnv(_Table, pettingzoo.AECEnv):  # type: ignore[misc]  # untyped library
    """Sequential (AEC) environment, in which agents act one after another.

    This class does the checks of PettingZoo's wrappers itself. The wrappers would triple the
    running time.

    Attributes:
        raises_illegal: Whether an illegal action raises an error, after which the agent can try
            again. Otherwise, it ends the game with a reward of -1 for the agent.
    """

    agent_selection: str
    raises_illegal = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode. The same seed gives the same episode.

        If a game is over after the deal, the cards are dealt again. Raise `InputError` if all of
        `MAX_STARTED_GAMES` games are over after the deal.
        """
        del options
        self._start_episode(seed)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self._times = 0
        self.agent_selection = self.possible_agents[0]
        self._select()

    def _select(self) -> None:
        seat = self.episode.seat
        if self.max_cycles is not None:
            time_round, place = divmod(self._times, self.game.seats)
            seat = (self.episode.first + time_round + place) % self.game.seats
        if seat is not None:
            self.agent_selection = self.possible_agents[seat]

    def step(self, action: int | None) -> None:
        """Apply an action of the selected agent. If the game is over, the action must be None.

        Raises:
            InputError: If the action number is invalid, or `reset` was not called.
            IllegalMove: If the action is not legal and the environment is a `raw_env`.
        """
        if not self.agents:
            raise InputError("step: the environment has no episode; call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._number(action)
        self._cumulative_rewards[agent] = 0.0
        if self.max_cycles is None and not self.raises_illegal and not self.episode.mask[number]:
            self._lose(agent, number)
            return
        self.episode = self._apply(self._seats[agent], number)
        self._times += 1
        cycles = self.max_cycles
        self._update_rewards(cycles is not None and self._times >= cycles * self.game.seats)
        self._accumulate_rewards()
        self._select()

    def _lose(self, agent: str, action: int) -> None:
        logger.warn(f"action {action} of {agent} is not legal: it loses, and the game ends")
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = -1.0
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def _apply(self, seat: int, action: int) -> Episode:
        """Return the episode after an action. With `max_cycles`, illegal actions have no effect."""
        episode = self.episode
        if self.max_cycles is None:
            return episode.after(action)
        if seat != episode.seat:
            return episode
        if episode.mask[action]:
            return episode.after(action)
        return episode.after_move(seat, None) if episode.several_may_act else episode


class TableParallelEnv(_Table, pettingzoo.ParallelEnv):  # type: ignore[misc]  # untyped library
    """Parallel environment, in which all agents act in every step.

    The actions of agents that may not act are ignored. If several agents may act, each chooses an
    action from its view before the step, and the actions are then applied one after another. If an
    earlier action makes a later one impossible (two agents claim the same card, for example), the
    later agent waits. The agent whose action is applied first changes from step to step.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start an episode. The same seed gives the same episode.

        If a game is over after the deal, the cards are dealt again. Raise `InputError` if all of
        `MAX_STARTED_GAMES` games are over after the deal.
        """
        del options
        self._start_episode(seed)
        self._steps = 0
        return {agent: self.observe(agent) for agent in self.agents}, self.infos

    def observe(self, agent: str) -> Observation:
        """Return the current observation of an agent.

        The action mask contains the legal actions of this agent, even if other agents may act, too.
        """
        episode, seat = self.episode, self._seats[agent]
        if seat == episode.seat or not (episode.several_may_act and episode.seat is not None):
            return super().observe(agent)
        view = episode.game.rules.view(episode.position, seat)
        return {
            "observation": np.array(episode.game.encoded.numbers(view), np.float32),
            "action_mask": np.frombuffer(episode.game.encoded.mask(view), np.int8).copy(),
        }

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Apply the actions of all agents that may act.

        Raise `InputError` if an action number is invalid, or an agent that may act has no action.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        for seat, move in self._legal_moves(actions):
            episode, rules = self.episode, self.game.rules
            if episode.seat is None:
                break
            gone = move is not None and rules.faults(rules.view(episode.position, seat), move)
            self.episode = episode.after_move(seat, None if gone else move)
        self._steps += 1
        self._update_rewards(self.max_cycles is not None and self._steps >= self.max_cycles)
        observations = {agent: self.observe(agent) for agent in self.agents}
        result = observations, self.rewards, self.terminations, self.truncations, self.infos
        if any(self.terminations.values()) or any(self.truncations.values()):
            self.agents = []
        self.rewards = dict(self.rewards)
        return result

    def _legal_moves(self, actions: dict[str, int]) -> list[tuple[int, Any]]:
        """Return the moves to apply, in order, as pairs (seat, move). The move None is to wait."""
        episode, seats = self.episode, self.game.seats
        rules, encoded = self.game.rules, self.game.encoded
        acting = rules.to_act(episode.position)
        moves = []
        for place in range(seats):
            seat = (episode.first + self._steps + place) % seats
            if seat not in acting:
                continue
            view = rules.view(episode.position, seat)
            action = self._number(actions.get(self.possible_agents[seat]))
            if encoded.mask(view)[action]:
                moves.append((seat, encoded.move(action, view)))
            elif episode.several_may_act:
                moves.append((seat, None))
        return moves


@default_style()
def picture(text: str, lines: int) -> NDArray[np.uint8]:
    """Draw a text as an image array of height x width x 3, with room for `lines` lines.

    Raise `InputError` if matplotlib is not installed.
    """
    figure = new_figure(COLUMNS * 0.084, lines * 0.17)
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    figure.text(0.01, 0.99, text, family="monospace", fontsize=9, va="top", parse_math=False)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), np.uint8)[..., :3].copy()


class Version:
    """The environments of one game, with the functions of a versioned PettingZoo module."""

    def __init__(self, game: str) -> None:
        self.game = game

    def raw_env(self, **arguments: Any) -> TableEnv:
        """Return a `TableEnv` in which an illegal action raises an error."""
        env = TableEnv(self.game, **arguments)
        env.raises_illegal = True
        return env

    def env(self, **arguments: Any) -> TableEnv:
        """Return a `TableEnv` in which an illegal action ends the game with a reward of -1."""
        return TableEnv(self.game, **arguments)

    def parallel_env(self, **arguments: Any) -> TableParallelEnv:
        """Return a `TableParallelEnv`, in which all agents act in every step."""
        return TableParallelEnv(self.game, **arguments)


quaternity_v0, kwartet_v0, quarto_v0, set_v0 = map(Version, GAMES)


def __getattr__(name: str) -> Version:
    game = name.removesuffix("_v0")
    if game == name or game not in plugin_games().usable:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Version(game)


def _register() -> None:
    """Register the environments for `pettingzoo.make("aec", "quaternity/quarto-v0")`."""
    if hasattr(pettingzoo, "register"):
        for version in map(Version, game_names()):
            name = f"quaternity/{version.game}-v0"
            pettingzoo.register("aec", name, version.env)
            pettingzoo.register("parallel", name, version.parallel_env)


_register()
