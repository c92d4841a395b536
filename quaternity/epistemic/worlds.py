"""Generation of all deals of a problem, as one NumPy array.

The cards are dealt one after another. The *state* of a partial deal contains two numbers for each
player: how many cards the player still gets, and how many cards of the current set the player has.
States from which no deal can be completed are removed first. Time and memory are therefore
proportional to the number of deals.
"""

from __future__ import annotations

from math import lgamma, log
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from quaternity.base.errors import LimitError
from quaternity.epistemic.evaluator import Check, no_check
from solvers.counting import count_deals
from solvers.problem import DealProblem, SetConstraint, players_in

MAX_WORLDS = 2_000_000
"""Maximum number of deals that are listed."""
STATES_PER_CHECK = 1000
MAX_STATES = 1_000_000
"""Maximum number of states (of partial deals), for all cards together, that are computed before the
deals are listed."""
MAX_COUNTING_BYTES = 10**9
"""Maximum number of bytes that may be read and written to count the deals. At this limit, counting
takes one or two seconds."""

Owners: TypeAlias = npt.NDArray[np.int8]
"""Array of deals: `owners[card, world]` is the player who holds the card in the deal with the
number `world`. The cards of all sets are numbered consecutively."""


class _Step(NamedTuple):
    """One step in the search for all deals: it deals one card to one of `players`.

    `next_states` is an array that contains the next state for each state and player. It contains -1
    if the player cannot get the card.
    """

    players: tuple[int, ...]
    next_states: npt.NDArray[np.int32]


def all_deals(problem: DealProblem, limit: int = MAX_WORLDS, check: Check = no_check) -> Owners:
    """Return all deals of a problem as an array of shape (cards, deals), in arbitrary order.

    `check` is called at least once for every card, and may raise an exception to stop the listing.
    Raise `LimitError` if there are more than `limit` deals or more than `MAX_STATES` states. The
    message contains the number of deals if it was computed.
    """
    # This count is quick, but is skipped if the problem is too large. `_plan` counts in any case.
    _check_number(quick_count(problem) or 0, limit)
    steps, number = _plan(problem, check)
    _check_number(number, limit)
    if not number:
        return np.empty((problem.cards, 0), dtype=np.int8)
    state = np.zeros(1, dtype=np.int32)
    trail = []
    for players, follows in steps:
        check()
        parents, owners, states = [], [], []
        for column, player in enumerate(players):
            after = follows[state, column]
            chosen = np.flatnonzero(after >= 0).astype(np.int32)
            parents.append(chosen)
            states.append(after[chosen])
            owners.append(np.full(len(chosen), player, dtype=np.int8))
        state = np.concatenate(states)
        trail.append((np.concatenate(parents), np.concatenate(owners)))
    deals = np.empty((len(steps), len(state)), dtype=np.int8)
    world = np.arange(len(state), dtype=np.int32)
    for card in range(len(steps) - 1, -1, -1):
        parent, owner = trail[card]
        deals[card] = owner[world]
        world = parent[world]
    return deals


def quick_count(problem: DealProblem) -> int | None:
    """Return the number of deals, or None if counting would take more than about a second.

    If it takes longer, there are nearly always too many deals to list.
    """
    try:
        return count_deals(problem, MAX_COUNTING_BYTES)
    except LimitError:
        return None


def _check_number(number: int, limit: int) -> None:
    if number > limit:
        raise LimitError(f"{number} deals fit the public record: at most {limit} can be listed")


def _plan(problem: DealProblem, check: Check) -> tuple[list[_Step], int]:
    zero = (0,) * problem.players
    layer: dict[tuple[int, ...], int] = {problem.hands + zero: 0}
    moves: list[tuple[tuple[int, ...], list[list[int]]]] = []
    visited = 0
    for constraint in problem.sets:
        counted = any(constraint.low) or not all(
            constraint.bound_is_loose(player) for player in range(problem.players)
        )
        for card, mask in enumerate(constraint.owners):
            players = players_in(mask)
            ends = constraint if card == constraint.size - 1 else None
            after: dict[tuple[int, ...], int] = {}
            rows = []
            for number, state in enumerate(layer):
                if not number % STATES_PER_CHECK:
                    check()
                    _check_states(visited + len(after), problem)
                row = []
                for player in players:
                    follows = _next_state(state, player, constraint, counted, ends)
                    row.append(-1 if follows is None else after.setdefault(follows, len(after)))
                rows.append(row)
            moves.append((players, rows))
            layer = after
            visited += len(layer)
            _check_states(visited, problem)
        if not constraint.size and any(constraint.low):
            return [], 0
    return _prune(moves, [int(not any(state)) for state in layer])


def _check_states(number: int, problem: DealProblem) -> None:
    if number > MAX_STATES:
        raise LimitError(
            f"listing the deals would take more than {MAX_STATES} steps: up to about "
            f"10^{_log10_bound(problem):.0f} deals fit the public record"
        )


def _log10_bound(problem: DealProblem) -> float:
    by_hands = lgamma(problem.cards + 1) - sum(lgamma(hand + 1) for hand in problem.hands)
    by_owners = sum(
        log(mask.bit_count()) for constraint in problem.sets for mask in constraint.owners if mask
    )
    return min(by_hands, by_owners) / log(10)


def _next_state(
    state: tuple[int, ...],
    player: int,
    constraint: SetConstraint,
    counted: bool,
    ends: SetConstraint | None,
) -> tuple[int, ...] | None:
    players = constraint.players
    if not state[player]:
        return None
    after = list(state)
    after[player] -= 1
    if counted:
        after[players + player] += 1
        if after[players + player] > constraint.high[player]:
            return None
        if ends is not None:
            if any(count < low for count, low in zip(after[players:], constraint.low, strict=True)):
                return None
            after[players:] = [0] * players
    return tuple(after)


def _prune(
    moves: list[tuple[tuple[int, ...], list[list[int]]]], ways: list[int]
) -> tuple[list[_Step], int]:
    steps = []
    for players, rows in reversed(moves):
        rows = [[r if r >= 0 and ways[r] else -1 for r in row] for row in rows]
        follows = np.array(rows, dtype=np.int32).reshape(len(rows), len(players))
        steps.append(_Step(players, follows))
        ways = [sum(ways[x] for x in row if x >= 0) for row in rows]
    return steps[::-1], ways[0] if ways else 0
