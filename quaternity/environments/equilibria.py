"""Equilibria of small games: counterfactual regret minimization, best replies, linear programs.

The strategies of all players are stored in one array, which contains the probability of each choice
of a `GameTree`.

Sources: Zinkevich and others 2007 (CFR), Tammelin 2014 (CFR+), Koller, Megiddo and von Stengel 1996
(linear program in sequence form).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaternity.base.errors import InputError, LimitError
from quaternity.environments.game_tree import Floats, GameTree

MAX_LINEAR_PROGRAM_CHOICES = 100_000
"""Maximum number of choices in the linear program. A program with 25,000 choices takes half a
second."""


def _reaches(tree: GameTree, strategies: Floats) -> tuple[Floats, Floats]:
    """Return the factors of each moment's reach probability: one for each player, and chance."""
    ours = np.ones((len(tree), tree.game.seats))
    chance = tree.chance.copy()
    chosen = np.nonzero(tree.choice >= 0)[0]
    ours[chosen, tree.owner[tree.choice[chosen]]] = strategies[tree.choice[chosen]]
    for level in tree.levels[1:]:
        parent = tree.parent[level]
        ours[level] *= ours[parent]
        chance[level] *= chance[parent]
    return ours, chance


def _counterfactual_reaches(reaches: Floats, chance: Floats, player: int) -> Floats:
    """Return each moment's reach probability without the factor of `player`'s own choices."""
    others: Floats = chance * np.delete(reaches, player, axis=1).prod(1)
    return others


def _values(tree: GameTree, strategies: Floats) -> Floats:
    """Return the expected return of each player at each moment."""
    weight = tree.chance.copy()
    chosen = tree.choice >= 0
    weight[chosen] = strategies[tree.choice[chosen]]
    values = tree.returns.copy()
    for level in tree.levels[:0:-1]:
        _add_to_parents(tree, values, level, weight[level, None] * values[level])
    return values


def _add_to_parents(tree: GameTree, values: Floats, level: slice, terms: Floats) -> None:
    """Add a term for each moment (node) of a level to the value of its parent.

    The children of a parent must be adjacent.
    """
    parents, first = np.unique(tree.parent[level], return_index=True)
    values[parents] += np.add.reduceat(terms, first)


def expected_returns(tree: GameTree, strategies: Floats) -> list[float]:
    """Return the expected return of each player."""
    return [float(number) for number in _values(tree, strategies)[0]]


def best_reply(tree: GameTree, strategies: Floats, player: int) -> float:
    """Return the maximum expected return of a player while the other strategies stay fixed."""
    others = _counterfactual_reaches(*_reaches(tree, strategies), player)
    # Weight the value of each moment by the probability that chance and the other players reach it.
    worth = others * tree.returns[:, player]
    for level in tree.levels[:0:-1]:
        moments = np.arange(level.start, level.stop)
        own = (tree.choice[level] >= 0) & (tree.player[tree.parent[level]] == player)
        merits: Any = np.bincount(tree.choice[level][own], worth[level][own], tree.choices)
        best = _best_choices(tree, merits)
        counted = moments[~own | best[tree.choice[level]]]
        np.add.at(worth, tree.parent[counted], worth[counted])
    return float(worth[0])


def _best_choices(tree: GameTree, merits: Floats) -> NDArray[np.bool_]:
    """Return an array that marks the first of the best choices in every information set."""
    starts = np.array([known.first for known in tree.information_sets])
    highest = np.maximum.reduceat(merits, starts)[tree.set_of]
    candidates = np.nonzero(merits == highest)[0]
    _, first = np.unique(tree.set_of[candidates], return_index=True)
    best = np.zeros(tree.choices, bool)
    best[candidates[first]] = True
    return best


def nash_conv(tree: GameTree, strategies: Floats) -> float:
    """Return the sum of the players' possible gains, each by a best reply to the others."""
    now = expected_returns(tree, strategies)
    return sum(best_reply(tree, strategies, player) - now[player] for player in range(len(now)))


def exploitability(tree: GameTree, strategies: Floats) -> float:
    """Return `nash_conv` divided by the number of players."""
    return nash_conv(tree, strategies) / tree.game.seats


def regret_minimization(tree: GameTree, plus: bool = True) -> Iterator[Floats]:
    """Yield the average strategies after each iteration of counterfactual regret minimization.

    Args:
        plus: Whether to use CFR+, which resets negative regrets to 0 and gives later strategies
            more weight.

    Each iteration makes two passes over the tree for each player, which take about a microsecond
    per moment.
    """
    regrets, total = np.zeros(tree.choices), np.zeros(tree.choices)
    players = range(tree.game.seats)
    of_choice = [np.nonzero((tree.choice >= 0) & _moves_of(tree, player))[0] for player in players]
    iteration = 0
    while True:
        iteration += 1
        for player, moments in zip(players, of_choice, strict=True):
            strategies = tree.normalized(np.maximum(regrets, 0))
            reaches, chance = _reaches(tree, strategies)
            values = _values(tree, strategies)[:, player]
            parents, choices = tree.parent[moments], tree.choice[moments]
            others = _counterfactual_reaches(reaches, chance, player)[parents]
            gains = others * (values[moments] - values[parents])
            regrets += np.bincount(choices, gains, tree.choices)
            if plus:
                np.maximum(regrets, 0, out=regrets)
            # Under perfect recall, all moments of an information set have the same reach
            # probability by the player's own choices.
            own = np.zeros(tree.choices)
            own[choices] = reaches[moments, player]
            total += iteration * own if plus else own
        yield tree.normalized(total)


def _moves_of(tree: GameTree, player: int) -> NDArray[np.bool_]:
    owned: NDArray[np.bool_] = tree.player[tree.parent] == player
    return owned


def linear_program_value(tree: GameTree) -> float:
    """Return the value of the game to player 0, computed by a linear program in sequence form.

    Raises:
        InputError: If the game is not a zero-sum game of two players.
        LimitError: If the game has more than `MAX_LINEAR_PROGRAM_CHOICES` choices.
    """
    from scipy import optimize
    from scipy.sparse import coo_matrix, hstack

    if tree.game.seats != 2 or abs(tree.returns.sum(1)).max() > 1e-9:
        raise InputError("a linear program can solve only zero-sum games of two players")
    if tree.choices > MAX_LINEAR_PROGRAM_CHOICES:
        raise LimitError(
            f"the game tree has {tree.choices} choices; the limit is {MAX_LINEAR_PROGRAM_CHOICES}"
        )
    # For each moment and player, k + 1 if the player's last choice was k, or 0 if there was none.
    last = np.zeros((len(tree), 2), int)
    for level in tree.levels[1:]:
        last[level] = last[tree.parent[level]]
        moved = np.nonzero(tree.choice[level] >= 0)[0] + level.start
        last[moved, tree.owner[tree.choice[moved]]] = tree.choice[moved] + 1
    _, chance = _reaches(tree, tree.uniform())
    ends = np.nonzero(tree.player == -2)[0]
    size = tree.choices + 1
    gains = chance[ends] * tree.returns[ends, 0]
    payoff = coo_matrix((gains, (last[ends, 0], last[ends, 1])), (size, size))
    # For each player, the empty sequence has weight 1, and the choices of an information set share
    # the weight of the sequence that leads to it.
    before = np.zeros(len(tree.information_sets), int)
    acting = np.nonzero(tree.information_set >= 0)[0]
    before[tree.information_set[acting]] = last[acting, tree.player[acting]]
    rows = np.arange(len(before) + 1)
    flow = coo_matrix(
        (
            np.concatenate([[1.0], np.ones(tree.choices), -np.ones(len(before))]),
            (
                np.concatenate([[0], tree.set_of + 1, rows[1:]]),
                np.concatenate([[0], np.arange(1, size), before]),
            ),
        ),
        (len(before) + 1, size),
    ).tocsr()
    players = np.array([known.player for known in tree.information_sets])
    ours = flow[np.concatenate([[True], players == 0])]
    theirs = flow[np.concatenate([[True], players == 1])]
    # Maximize the first component of the dual vector q subject to q F <= x A, E x = e, x >= 0.
    objective = np.zeros(size + theirs.shape[0])
    objective[size] = -1.0
    bound: Any = hstack([-payoff.T, theirs.T], "csr")
    used = np.concatenate([[True], tree.owner == 1])
    equal: Any = hstack([ours, coo_matrix((ours.shape[0], theirs.shape[0]))], "csr")
    right = np.zeros(ours.shape[0])
    right[0] = 1.0
    limits: Any = [(0.0, None)] * size + [(None, None)] * theirs.shape[0]
    program: Any = objective, bound[used], np.zeros(used.sum()), equal, right
    solver: Any = optimize.linprog
    result = solver(*program, bounds=limits, method="highs")
    if not result.success:
        raise InputError(f"the linear program was not solved: {result.message}")
    return float(-result.fun)
