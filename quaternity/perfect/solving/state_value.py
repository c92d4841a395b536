"""The game-theoretic value of a state, and a measure of how good the state is for a player."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quaternity.perfect.keys.kinds import Roles
from solvers.problem import players_in

NEVER = 2**16 - 1
"""Value that stands for the length of a forced win if there is no forced win."""

Worth = tuple[int, ...]
"""Tuple that says how good a state is for a player. A greater tuple is better."""


@dataclass(frozen=True, slots=True)
class StateValue:
    """The wins that the players can force, reach or prevent from a state.

    Attributes:
        can_force: the player who can force a sole win against all others together, if any.
        can_win: the players who win alone in some continuation of the game.
        can_prevent: for each player, the other players whose sole win that player can prevent.
        forced_length: for each player, the number of moves of the forced win, or None.
    """

    can_force: tuple[int, ...]
    can_win: tuple[int, ...]
    can_prevent: tuple[tuple[int, ...], ...]
    forced_length: tuple[int | None, ...]

    @classmethod
    def of_roles(
        cls, roles: Roles, force: int, win: int, prevent: Sequence[int], length: Sequence[int]
    ) -> StateValue:
        """Convert the value of a canonical state (see `retrograde.Values`) to real player numbers.

        `roles[role]` is the real player. The other arguments are given by role.
        """
        role_of = [roles.index(player) for player in range(len(roles))]
        return cls(
            _real(roles, force),
            _real(roles, win),
            tuple([_real(roles, prevent[role]) for role in role_of]),
            tuple([None if length[role] == NEVER else length[role] for role in role_of]),
        )

    def document(self) -> dict[str, Any]:
        """Return the attributes as a dictionary of plain values for JSON."""
        return {
            "can_force_win": list(self.can_force),
            "can_win": list(self.can_win),
            "can_prevent_win": [list(others) for others in self.can_prevent],
            "forced_length": list(self.forced_length),
        }

    def worth(self, player: int) -> Worth:
        """Return a tuple that is greater the better the state is for a player.

        The player does not know the aims of the others. The entries of the tuple are, in this
        order: how short the player's forced win is; how long another player's forced win is;
        whether the player can win; how many others the player can prevent from winning; and how few
        can win.
        """
        own_length = self.forced_length[player]
        other_lengths = [
            length
            for other, length in enumerate(self.forced_length)
            if other != player and length is not None
        ]
        return (
            -NEVER if own_length is None else -own_length,
            min(other_lengths, default=NEVER),
            int(player in self.can_win),
            len(self.can_prevent[player]),
            -len(self.can_win),
        )


def _real(roles: Roles, mask: int) -> tuple[int, ...]:
    if not mask:
        return ()
    return tuple(sorted([roles[role] for role in players_in(mask)]))
