"""Adapters that connect the games to libraries for reinforcement learning and game theory.

`pettingzoo`, `gymnasium` and `open_spiel` are adapters for the libraries of the same names, which
are optional dependencies. They use `episode`, which encodes moves and views as numbers.
`policy_player` lets a trained policy play against people and programs. `game_tree` stores the tree
of a small game, `equilibria` computes its value, and `gambit` exports it.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.environments.policy_player import PolicyPlayer

__all__ = ["PolicyPlayer"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
