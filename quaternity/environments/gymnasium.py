"""Gymnasium environments in which a learner plays any of the games against programs.

    import gymnasium

    name = "quaternity.environments.gymnasium:quaternity/Kwartet-v0"
    env = gymnasium.make(name, opponents=["patient"], players=3)
    numbers, info = env.reset(seed=1)
    done = False
    while not done:
        action = env.action_space.sample(info["action_mask"])
        numbers, reward, terminated, truncated, info = env.step(action)
        done = terminated or truncated

The environments are `Quaternity-v0`, `Kwartet-v0`, `Quarto-v0` and `Set-v0`. Gymnasium imports the
module before the colon, which registers the environments. An observation consists of numbers
between 0 and 1, which `env.unwrapped.game.describe()` explains. `info["action_mask"]` is 1 for
every legal action. Both contain only information that the learner may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaternity.base.errors import InputError
from quaternity.base.extras import needs_extra
from quaternity.base.text_format import quote_value
from quaternity.base.validation import as_int, check_index
from quaternity.environments.episode import TableGame
from quaternity.table.games import GAMES, registration
from quaternity.table.match import Match
from quaternity.table.players import YOU, check_name

with needs_extra("Gymnasium environments need", "gymnasium"):
    import gymnasium
    from gymnasium import logger, spaces

Numbers = NDArray[np.float32]

MAX_STARTED_GAMES = 100
"""Maximum number of games that `reset` starts until it finds one in which the learner may act."""


class LearnerEnv(gymnasium.Env):  # type: ignore[misc]  # untyped library
    """Environment in which a learner plays against programs.

    Attributes:
        game: The game with its settings (`quaternity.environments.episode.TableGame`).
        match: The current game.
        seat: The seat of the learner.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        name: str,
        *,
        opponents: Sequence[str] | None = None,
        seat: int | None = 0,
        render_mode: str | None = None,
        reward: str = "win",
        max_moves: int | None = None,
        start: str | PathLike[str] = "",
        **settings: Any,
    ) -> None:
        """Initialize the environment. Call `reset` before the first step.

        Args:
            opponents: The programs in the other seats, in order (`quaternity players` lists them).
                A single program takes all seats. The default is the program of the easiest level.
            seat: Seat of the learner. With None, the seat is chosen at random in every episode.
            render_mode: "ansi" renders the table as text. None renders nothing.
            reward: See `quaternity.environments.pettingzoo`.
            max_moves: See `quaternity.environments.pettingzoo`.
            start: See `quaternity.environments.pettingzoo`.
            settings: Settings of the game by name.

        Raises:
            InputError: If a value is invalid.
        """
        self.game = TableGame(name, settings, start=start, reward=reward, max_moves=max_moves)
        seats = self.game.seats
        if render_mode not in (None, "ansi"):
            raise InputError(
                f"unknown render_mode {quote_value(render_mode)}; choose from ansi, None"
            )
        if opponents is None:
            opponents = [registration(name).levels[0].player]
        if isinstance(opponents, str) or len(opponents) not in (1, seats - 1):
            raise InputError(
                f"opponents {quote_value(opponents)}: expected a list of 1 or {seats - 1} players"
            )
        for opponent in opponents:
            check_name(name, opponent, "opponent", people=False)
        if seat is not None and as_int(seat, "seat", 0) >= seats:
            raise InputError(f"seat: must be from 0 to {seats - 1}, not {seat}")
        self.render_mode, self._seat = render_mode, seat
        self._opponents = list(opponents) * (seats - 1 if len(opponents) == 1 else 1)
        size = sum(count for _, count, _ in self.game.encoded.entries)
        self.observation_space = spaces.Box(0.0, 1.0, (size,), np.float32)
        self.action_space = spaces.Discrete(self.game.encoded.actions)
        self._match: Match[Any, Any, Any] | None = None

    @property
    def match(self) -> Match[Any, Any, Any]:
        """The current game. Access before the first `reset` raises `InputError`."""
        if self._match is None:
            raise InputError("the environment has no episode; call reset first")
        return self._match

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Start an episode in which the learner may act. The same seed gives the same episode.

        Raises:
            InputError: If the learner could not act before `max_moves` in any of
                `MAX_STARTED_GAMES` games.
            PlayerFault: If a program fails.
        """
        super().reset(seed=seed)
        random = Random(int(self.np_random.integers(2**63)))
        for _ in range(MAX_STARTED_GAMES):
            self._begin(random)
            if not (self._is_over or self._is_cut_off):
                return self._observation(), self._info()
        raise InputError(
            f"max_moves: {self.game.max_moves} is too small, because the learner never gets a turn"
        )

    def _begin(self, random: Random) -> None:
        self.close()
        seats = self.game.seats
        self.seat = random.randrange(seats) if self._seat is None else self._seat
        names = [*self._opponents[: self.seat], YOU, *self._opponents[self.seat :]]
        history = self.game.episode(random).history
        self._match = Match(self.game.rules, names, f"{random.getrandbits(64):x}", history)
        self._steps, self._lost = 0, False
        self._let_programs_move()
        self._returns = self._current_return()

    def step(self, action: Any) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Apply the learner's action, then let the programs act until the learner may act again.

        If the learner waits while several seats may act, the fastest program acts. An illegal
        action ends the game with a reward of -1.

        Raises:
            InputError: If the action number is invalid, or the game is over.
            PlayerFault: If a program fails.
        """
        match, encoded = self.match, self.game.encoded
        if self._is_over or self._is_cut_off:
            raise InputError("step: the episode is over; call reset")
        action = check_index(action, encoded.actions, "action")
        view = match.view(self.seat)
        if not encoded.mask(view)[action]:
            logger.warn(f"action {action} is not legal: the learner loses, and the game ends")
            self._lost = True
            return self._observation(), -1.0, True, False, self._info()
        self._steps += 1
        move = encoded.move(action, view)
        if move is not None:
            match.play(self.seat, move)
        elif (planned := match.next_program()) is not None:
            match.play(planned.seat, planned.move)
        self._let_programs_move()
        before, self._returns = self._returns, self._current_return()
        return (
            self._observation(), self._returns - before, self._is_over, self._is_cut_off,
            self._info()
        )  # fmt: skip

    @property
    def _is_over(self) -> bool:
        return self._lost or not self.game.rules.to_act(self.match.position)

    @property
    def _is_cut_off(self) -> bool:
        moves = max(self._steps, len(self.match.moves))
        return not self._is_over and 0 < self.game.max_moves <= moves

    def _let_programs_move(self) -> None:
        match, rules = self.match, self.game.rules
        while (acting := rules.to_act(match.position)) and self.seat not in acting:
            planned = None if self._is_cut_off else match.next_program()
            if planned is None:
                return
            match.play(planned.seat, planned.move)

    def _current_return(self) -> float:
        reward, rules, position = self.game.reward, self.game.rules, self.match.position
        if reward.at_end and not (self._is_over or self._is_cut_off):
            return 0.0
        return float(reward.returns(rules.points(position), rules.places(position))[self.seat])

    def _observation(self) -> Numbers:
        return np.array(self.game.encoded.numbers(self.match.view(self.seat)), np.float32)

    def _info(self) -> dict[str, Any]:
        encoded, over = self.game.encoded, self._is_over or self._is_cut_off
        mask = bytes(encoded.actions) if over else encoded.mask(self.match.view(self.seat))
        return {"action_mask": np.frombuffer(mask, np.int8).copy()}

    def close(self) -> None:
        """Release the resources of the computer players."""
        if self._match is not None:
            self._match.dismiss()

    def render(self) -> str | None:
        """Return a text of the table as the learner sees it, or None without a `render_mode`."""
        if self.render_mode is None:
            logger.warn(
                "render() does nothing, because the environment was made without render_mode='ansi'"
            )
            return None
        return str(self.game.rules.show(self.match.view(self.seat)))


def register() -> None:
    """Register the environments with Gymnasium unless they are registered already."""
    for name in GAMES:
        identity = f"quaternity/{name.capitalize()}-v0"
        if identity not in gymnasium.registry:
            gymnasium.register(
                identity, f"{__name__}:LearnerEnv", kwargs={"name": name}, order_enforce=False
            )


register()
