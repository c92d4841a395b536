"""The games of the table for PettingZoo: one adapter for all of them.

    from quaternity.environments.pettingzoo import kwartet_v0

    env = kwartet_v0.env(render_mode="ansi", players=3, sets=5)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        action = None
        if not (termination or truncation):
            action = env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

`quaternity_v0`, `kwartet_v0`, `quarto_v0` and `set_v0` each have `env`, `raw_env` and
`parallel_env`, with the same arguments (see `TableEnv`). An observation is a dictionary: under
"observation" numbers between 0 and 1 (`env.unwrapped.game.encoded.entries` says which), under
"action_mask" 1 for every legal action; nothing is legal for an agent that is not to act. They
depend on what the agent may know, and on nothing else.
"""

from __future__ import annotations

import sys
from os import PathLike
from random import Random
from typing import Any

import numpy as np
import pettingzoo
from gymnasium import logger, spaces
from numpy.typing import NDArray

from quaternity.base.errors import InputError
from quaternity.base.plain_values import numbered, whole
from quaternity.base.plots import default_style, new_figure
from quaternity.base.wording import shown
from quaternity.environments.episode import Episode, TableGame
from quaternity.table.games import GAMES, further_games, game_names

COLUMNS, MIN_LINES = 80, 26
"""Width and minimum height of a picture in characters; the height is that of the first table and
six more lines."""

Observation = dict[str, NDArray[Any]]

RENDER_MODES = ("human", "ansi", "rgb_array")


class _Table:
    """What both kinds of environment have in common: spaces, observations, pictures.

    Attributes:
        game: with its settings (`quaternity.environments.episode.TableGame`).
        episode: the game at this moment.
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
        """Make an environment, to be reset before use.

        Args:
            name: of the game.
            render_mode: "ansi" for the table as text, "rgb_array" for a picture of that (needs
                matplotlib), "human" to write it to the terminal after every step.
            reward: "win" (1 for who wins alone, the others share the loss) or "points" (those that
                a step makes), or one of your own in `quaternity.environments.episode.REWARDS`.
            max_moves: number of moves after which a game is cut off (0: never; usually 1000), or
                ends by its rules if it has a setting of this name.
            max_cycles: in `env`, ask all agents in turn, so many times, also those who can do
                nothing: their mask is empty, and what is not legal does nothing. In
                `parallel_env`, cut the game off after so many steps.
            start: a record, for Quaternity also a state, or its path: episodes begin at its end.
            settings: of the game, as in its settings class.

        Raises:
            InputError: a value is wrong.
        """
        super().__init__()
        self.game = TableGame(name, settings, start=start, reward=reward, max_moves=max_moves)
        self.max_cycles = None if max_cycles is None else whole(max_cycles, "max_cycles", 1)
        if render_mode not in (None, *RENDER_MODES):
            known = ", ".join((*RENDER_MODES, "None"))
            raise InputError(f"render_mode {shown(render_mode)} is unknown; known are {known}")
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
        """Return the space of an agent, always the same."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent, always the same."""
        return self._action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees now."""
        episode, seat = self.episode, self._seats[agent]
        mask = episode.mask if seat == episode.seat else self._none_legal
        return {
            "observation": np.array(episode.numbers(seat), np.float32),
            "action_mask": np.frombuffer(mask, np.int8).copy(),
        }

    def close(self) -> None:
        """Nothing to let go of."""

    def _number(self, action: object) -> int:
        """Return the number of an action.

        Raises:
            InputError: it is none.
        """
        return numbered(action, self.game.encoded.actions, "action")  # type: ignore[arg-type]

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the table as the seat to act sees it; how is `render_mode`'s to say."""
        if self.render_mode is None:
            logger.warn("render() without a render_mode: 'human', 'ansi' or 'rgb_array'")
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
        news = episode.told()[-2:]
        who = "the game is over" if episode.seat is None else f"player {episode.seat} is to act"
        return "\n".join((*news, who, episode.game.rules.show(episode.view)))

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            self._random = Random(whole(seed, "seed"))  # NumPy draws seeds of types of its own
        self.episode = self.game.episode(self._random)
        over, seats = self.episode.seat is None, self.game.seats
        at_once = over and self.game.reward.at_end  # the deal has ended the game
        self._returns = [0.0] * seats if at_once else self.episode.returns()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._lines = max(MIN_LINES, self._text().count("\n") + 6) if self.render_mode else 0
        if self.render_mode == "human" and not over:
            self.render()

    def _settle(self, cut_off: bool) -> None:
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
    """A game whose agents act one after another.

    What PettingZoo's wrappers do is done here, where it takes a third of the time.

    Attributes:
        forgives: whether an illegal action raises, so that another one can be tried; else it ends
            the game, and the agent loses 1.
    """

    agent_selection: str
    forgives = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; equal seeds give equal ones."""
        del options
        self._begin(seed)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self._times = 0
        self.agent_selection = self.possible_agents[0]
        if self.episode.seat is None:
            self._settle(False)
            self._accumulate_rewards()
        self._select()

    def _select(self) -> None:
        seat = self.episode.seat
        if self.max_cycles is not None:
            time_round, place = divmod(self._times, self.game.seats)
            seat = (self.episode.first + time_round + place) % self.game.seats
        if seat is not None:
            self.agent_selection = self.possible_agents[seat]

    def step(self, action: int | None) -> None:
        """Act for the agent that is selected; None when its game is over.

        Raises:
            InputError: there is no such action, or the environment was not reset.
            IllegalMove: it is not legal, in a `raw_env`.
        """
        if not self.agents:
            raise InputError("step: the environment has no episode; call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._number(action)
        self._cumulative_rewards[agent] = 0.0
        if self.max_cycles is None and not self.forgives and not self.episode.mask[number]:
            self._lose(agent, number)
            return
        self.episode = self._taken(self._seats[agent], number)
        self._times += 1
        cycles = self.max_cycles
        self._settle(cycles is not None and self._times >= cycles * self.game.seats)
        self._accumulate_rewards()
        self._select()

    def _lose(self, agent: str, action: int) -> None:
        """End the game because of an illegal action."""
        logger.warn(f"action {action} of {agent} is not legal: it loses, and the game ends")
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = -1.0
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def _taken(self, seat: int, action: int) -> Episode:
        """Return the moment after an action; with cycles what is not legal is nothing."""
        episode = self.episode
        if self.max_cycles is None:
            return episode.after(action)
        if seat != episode.seat:
            return episode
        if episode.mask[action]:
            return episode.after(action)
        return episode.after_move(seat, None) if episode.several else episode


class TableParallelEnv(_Table, pettingzoo.ParallelEnv):  # type: ignore[misc]  # untyped library
    """A game whose agents all act in every step.

    Only the actions of those that may act count. Where several may, theirs are judged in turn, each
    by what the agent saw before the step: who claims a card that another one took first has claimed
    nothing. Who is first moves on from step to step.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode; equal seeds give equal ones."""
        del options
        self._begin(seed)
        self._steps = 0
        return {agent: self.observe(agent) for agent in self.agents}, self.infos

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees now; where several may act, they all may."""
        episode, seat = self.episode, self._seats[agent]
        if seat == episode.seat or not (episode.several and episode.seat is not None):
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
        """Let all act that may.

        Raises:
            InputError: there is no such action, or none of an agent that may act.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        for seat, move in self._chosen(actions):
            episode, rules = self.episode, self.game.rules
            if episode.seat is None:
                break
            gone = move is not None and rules.faults(rules.view(episode.position, seat), move)
            self.episode = episode.after_move(seat, None if gone else move)
        self._steps += 1
        self._settle(self.max_cycles is not None and self._steps >= self.max_cycles)
        observations = {agent: self.observe(agent) for agent in self.agents}
        given = observations, self.rewards, self.terminations, self.truncations, self.infos
        if any(self.terminations.values()) or any(self.truncations.values()):
            self.agents = []
        self.rewards = dict(self.rewards)
        return given

    def _chosen(self, actions: dict[str, int]) -> list[tuple[int, Any]]:
        """In the order in which they count, the legal moves of who may act, and who waits."""
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
            elif episode.several:
                moves.append((seat, None))
        return moves


@default_style()
def picture(text: str, lines: int) -> NDArray[np.uint8]:
    """Return a text as a picture: height x width x 3, of a size that depends on `lines` alone.

    Raises:
        InputError: matplotlib is not installed.
    """
    figure = new_figure(COLUMNS * 0.084, lines * 0.17)
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    figure.text(0.01, 0.99, text, family="monospace", fontsize=9, va="top", parse_math=False)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), np.uint8)[..., :3].copy()


class Version:
    """What PettingZoo expects of the module of an environment."""

    def __init__(self, game: str) -> None:
        self.game = game

    def raw_env(self, **arguments: Any) -> TableEnv:
        """Return a `TableEnv` in which an illegal action raises."""
        env = TableEnv(self.game, **arguments)
        env.forgives = True
        return env

    def env(self, **arguments: Any) -> TableEnv:
        """Return a `TableEnv` in which an illegal action loses 1 and ends the game."""
        return TableEnv(self.game, **arguments)

    def parallel_env(self, **arguments: Any) -> TableParallelEnv:
        """All agents act in every step. See `TableParallelEnv`."""
        return TableParallelEnv(self.game, **arguments)


quaternity_v0, kwartet_v0, quarto_v0, set_v0 = map(Version, GAMES)


def __getattr__(name: str) -> Version:
    game = name.removesuffix("_v0")
    if game == name or game not in further_games().found:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Version(game)


def _register() -> None:
    """Make `pettingzoo.make("aec", "quaternity/quarto-v0")` find them, where there is such."""
    if hasattr(pettingzoo, "register"):
        for version in map(Version, game_names()):
            name = f"quaternity/{version.game}-v0"
            pettingzoo.register("aec", name, version.env)
            pettingzoo.register("parallel", name, version.parallel_env)


_register()
