"""The games of the table as environments for learning programs.

`episode` has what both libraries need, made from a game's rules (`quaternity.table.protocol`) and
its numbers (`encoded.py` in the game's room); `pettingzoo`, `gymnasium` and `open_spiel` are one
adapter each, for all games. The libraries are optional, an extra each. A trained
policy sits at any table as a `PolicyPlayer`.
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.environments.policy_player import PolicyPlayer

__all__ = ["PolicyPlayer"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(globals())
