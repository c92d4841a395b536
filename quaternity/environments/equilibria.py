"""Values of small zero-sum games of two players, computed by a linear program in sequence form.

OpenSpiel's CFR+ approximates the same values. OpenSpiel's own linear program needs CVXPY and ECOS,
and is too slow for our games, because its matrices are dense. The linear program is that of Koller,
Megiddo and von Stengel (1996).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quaternity.base.errors import InputError, LimitError
from quaternity.environments.game_tree import GameTree

MAX_LINEAR_PROGRAM_CHOICES = 100_000
"""Maximum number of choices of a game that the linear program can solve. A choice is an action in a
given information set. A game with 25,000 choices takes half a second."""


def linear_program_value(tree: GameTree) -> float:
    """Return the expected return of player 0 if both players play optimally.

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
    chance = tree.chance.copy()
    for level in tree.levels[1:]:
        chance[level] *= chance[tree.parent[level]]
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
