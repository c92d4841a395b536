"""Adapters of all games to libraries for reinforcement learning and game theory.

`episode` combines the rules of a game (`quaternity.table.protocol`) with an encoding of its moves
and views as numbers (`encoded.py` in the package of the game). The modules `pettingzoo`,
`gymnasium` and `open_spiel` adapt all games to the libraries of the same names. Each library is
optional and is installed by an extra of this package. A `PolicyPlayer` lets a trained policy play
at any table.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.environments.policy_player import PolicyPlayer

__all__ = ["PolicyPlayer"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
