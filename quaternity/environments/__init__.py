"""Learning environments for all games.

`episode` combines the rules of a game (`quaternity.table.protocol`) with its encoding as numbers
(`encoded.py` in the package of the game). `pettingzoo`, `gymnasium` and `open_spiel` are adapters
for all games; the libraries are optional, with an extra for each. A `PolicyPlayer` lets a trained
policy play at any table.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.environments.policy_player import PolicyPlayer

__all__ = ["PolicyPlayer"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
