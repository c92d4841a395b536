"""Problems shared by several tests of the solvers."""

import json
from functools import cache
from pathlib import Path

from hypothesis.strategies import SearchStrategy

from solvers import DealProblem, SetConstraint
from solvers.brute_force import refuses
from solvers.strategies import deal_problems

ORACLE = Path(__file__).parent.parent / "data" / "oracle_states.jsonl"
"""970 states, reachable ones and damaged ones, with the verdicts of two other implementations."""


def listable_problems() -> SearchStrategy[DealProblem]:
    """Draw problems small enough for brute force to list all deals."""
    return deal_problems().filter(lambda problem: refuses(problem) is None)


def free_start(size: int, sets: int, players: int) -> DealProblem:
    """Return a problem in which everyone may own every card and all hands are equal."""
    constraint = SetConstraint.of([range(players)] * size, players=players)
    return DealProblem([size * sets // players] * players, [constraint] * sets)


def start_seen_by_one(size: int, sets: int, players: int) -> DealProblem:
    """Return the same problem after player 0 has seen their hand: every `players`-th card."""
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
    """Return a problem with lower and upper bounds that matter in every set; few sets are alike."""
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


@cache
def oracle_games() -> list[tuple[DealProblem, bool, tuple[int, int, int]]]:
    """Return the recorded game states as problems, verdicts and (cards per set, sets, players).

    Completed sets are empty.
    """
    problems = []
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
        problems.append((DealProblem(state["hands"], sets), row["valid"], game))
    return problems
