"""Problems that several tests of the solvers use."""

import json
from functools import cache
from pathlib import Path

from solvers import DealProblem, SetConstraint

ORACLE = Path(__file__).parent.parent / "data" / "oracle_states.jsonl"
"""970 states, reachable ones and damaged ones, with the verdicts of two other implementations."""


def free_start(size: int, sets: int, players: int) -> DealProblem:
    """Anybody may own anything; equal hands."""
    one = SetConstraint.of([range(players)] * size, players=players)
    return DealProblem([size * sets // players] * players, [one] * sets)


def start_seen_by_one(size: int, sets: int, players: int) -> DealProblem:
    """The same, where player 0 has looked at the own hand: every `players`-th card."""
    others = range(1, players)
    owners = [others if number % players else [0] for number in range(size * sets)]
    return DealProblem(
        [size * sets // players] * players,
        [
            SetConstraint.of(owners[first : first + size], players=players)
            for first in range(0, size * sets, size)
        ],
    )


def bound_everywhere(size: int, sets: int, players: int) -> DealProblem:
    """Every set has a lower and an upper bound that matter, hardly two sets are alike."""
    constraints = []
    for index in range(sets):
        first, second = index % players, index // players % players
        low, high = [0] * players, [size] * players
        low[first] = 1
        high[second if second != first else (first + 1) % players] = size - 1
        owners = [list(range(players))] * size
        if index // players >= players - 1:
            owners[0] = [first, (first + 1) % players]
        constraints.append(SetConstraint.of(owners, players, low, high))
    return DealProblem([size * sets // players] * players, constraints)


def oracle_problems() -> list[tuple[DealProblem, bool]]:
    """The recorded game states as problems, each with its verdict; completed sets are empty."""
    return [(problem, valid) for problem, valid, _ in oracle_games()]


@cache
def oracle_games() -> list[tuple[DealProblem, bool, tuple[int, int, int]]]:
    """The same, each with (cards per set, sets, players)."""
    found = []
    for line in ORACLE.read_text().splitlines():
        row = json.loads(line)
        state = row["state"]
        players = state["players"]
        sets = [
            SetConstraint.of(owners, players, [least[index] for least in state["minimum"]])
            if owner is None
            else SetConstraint.of([], players)
            for index, (owners, owner) in enumerate(
                zip(state["owners"], state["completed"], strict=True)
            )
        ]
        game = (state["set_size"], state["sets"], players)
        found.append((DealProblem(state["hands"], sets), row["valid"], game))
    return found
