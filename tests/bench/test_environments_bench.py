"""Steps per second of random play in PettingZoo and OpenSpiel, compared with their card games.

Chance nodes of OpenSpiel count as steps. A rival that cannot be imported is left out.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from importlib import import_module
from random import Random
from statistics import median
from typing import Any

import pytest

pytestmark = [pytest.mark.bench, pytest.mark.filterwarnings("ignore")]

STEPS = 6000
WARM = 6000
"""Steps before the clock starts, for all libraries and games, as learning takes millions."""

PETTINGZOO = {
    "Python": ("leduc_holdem_v4", "texas_holdem_v4", "texas_holdem_no_limit_v6"),
    "C++": ("hanabi_v5",),
}
OPEN_SPIEL = {
    "Python": ("python_kuhn_poker", "python_pokerkit_wrapper", "python_repeated_pokerkit"),
    "Python, no cards": ("python_block_dominoes", "python_liars_poker", "python_tic_tac_toe"),
    "C++": ("kuhn_poker", "leduc_poker", "gin_rummy", "hanabi", "hearts", "go_fish"),
}
GAMES: dict[str, dict[str, int]] = {
    "quaternity": {},
    "quaternity 4-13-4": {"sets": 13, "players": 4},
    "kwartet": {},
    "quarto": {},
    "set": {},
}


def pettingzoo_steps(env: Any) -> float:
    """Return the steps per second of processor time after `WARM`, with observations and masks;
    those of agents whose game is over count, too, as in PettingZoo's own benchmark."""
    import numpy as np

    random, steps, start = Random(1), 0, 0.0
    env.reset(seed=1)
    while steps < WARM + STEPS:
        if not start and steps >= WARM:
            start, warm = time.process_time(), steps
        for agent in env.agent_iter():
            observation, _, over, cut_off, info = env.last()
            steps += 1
            if over or cut_off:
                env.step(None)
                continue
            source = observation if isinstance(observation, dict) else info
            mask = source.get("action_mask", info.get("action_mask"))
            legal = np.flatnonzero(mask)
            env.step(int(random.choice(legal)) if len(legal) else env.action_space(agent).sample())
        env.reset()
    return (steps - warm) / (time.process_time() - start)


def open_spiel_steps(name: str) -> float:
    """Return the steps per second of processor time after `WARM` steps, without observations."""
    import pyspiel

    text = f"python_{name.split()[0]}" if name in GAMES else name
    random, game = Random(1), pyspiel.load_game(text, GAMES.get(name, {}))
    steps, start = 0, 0.0
    while steps < WARM + STEPS:
        if not start and steps >= WARM:
            start, warm = time.process_time(), steps
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(actions, chances)[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
            steps += 1
    return (steps - warm) / (time.process_time() - start)


def note_rates(
    library: str,
    rivals: dict[str, tuple[str, ...]],
    steps: Callable[[str], float],
    note: Callable[..., None],
) -> None:
    """Note the rates of our games, and their ratios to the medians of the rivals."""
    rates: dict[str, float] = {}
    for kind, names in rivals.items():
        rates_of_kind = {}
        for name in names:
            try:
                rates_of_kind[name] = steps(name)
            except Exception as error:  # whatever an optional package raises if it is missing
                note(f"{library}, {kind}: {name}", f"not here: {type(error).__name__}")
                continue
            note(f"{library}, {kind}: {name}", f"{rates_of_kind[name]:,.0f} steps/s")
        if rates_of_kind:
            rates[kind] = median(rates_of_kind.values())
    for game in GAMES:
        ours = steps(game)
        ratios = [f"{ours / rate:.2f} of {kind}" for kind, rate in rates.items()]
        note(f"{library}: {game}", f"{ours:,.0f} steps/s; {'; '.join(ratios)}", "1 of Python")


def test_steps_of_pettingzoo(note: Callable[..., None]) -> None:
    pytest.importorskip("pettingzoo")
    ours = import_module("quaternity.environments.pettingzoo")

    def steps(name: str) -> float:
        if name in GAMES:
            return pettingzoo_steps(getattr(ours, f"{name.split()[0]}_v0").env(**GAMES[name]))
        return pettingzoo_steps(import_module(f"pettingzoo.classic.{name}").env())

    note_rates("PettingZoo", PETTINGZOO, steps, note)


def test_steps_of_open_spiel(note: Callable[..., None]) -> None:
    pytest.importorskip("pyspiel")
    import_module("quaternity.environments.open_spiel")
    import_module("open_spiel.python.games")

    def steps(name: str) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if "pokerkit" in name:
                import_module(f"open_spiel.python.games.{name.removeprefix('python_')}")
            return open_spiel_steps(name)

    note_rates("OpenSpiel", OPEN_SPIEL, steps, note)


@pytest.mark.parametrize("name", ["kwartet", "quarto", "set"])
def test_games_at_once(name: str, note: Callable[..., None]) -> None:
    """Compare the moves per second of processor time of 4,096 games, masks and observations
    included, with those of one game after another in PettingZoo."""
    import numpy as np

    from quaternity.environments.batch import batch, draw_actions

    pytest.importorskip("pettingzoo")
    ours = import_module("quaternity.environments.pettingzoo")
    games, random = batch(name, 4096), np.random.default_rng(1)
    start = time.process_time()
    for _ in range(60):
        masks, _ = games.masks(), games.observations()
        games.step(draw_actions(masks, random))
        games.reset(games.over)
    together = 60 * games.games / (time.process_time() - start)
    single = pettingzoo_steps(getattr(ours, f"{name}_v0").env())
    note(
        f"4,096 games of {name}", f"{together:,.0f} moves/s, {together / single:.1f} of PettingZoo"
    )
    assert together > single
