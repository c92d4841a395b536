"""A player whose moves are chosen by a trained policy."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.text_format import quote_value
from quaternity.base.validation import check_index
from quaternity.table.programs import encoder_of

Policy = Callable[[memoryview, bytes, Random], int]
"""Function that chooses an action. It takes what the player sees, encoded as numbers, a mask of the
legal actions, and a random generator. It returns the number of an action."""


class PolicyPlayer:
    """A player for any game, whose moves are chosen by a policy.

    >>> first = PolicyPlayer(lambda numbers, mask, random: mask.index(1))
    >>> from quaternity.quarto.rules import QuartoRules
    >>> rules = QuartoRules()
    >>> str(first(rules).choose(rules.start(Random(0)), Random(0)))
    'hand over A'
    """

    def __init__(self, choose: Policy) -> None:
        if not callable(choose):
            raise InputError(
                f"choose: must be a function of (numbers, mask, random), not {quote_value(choose)}"
            )
        self._choose = choose

    def __call__(self, rules: Any, argument: str | None = None) -> _Seated:
        """Return a player that applies the policy in a game with these rules."""
        del argument
        return _Seated(rules, self._choose)


class _Seated:
    def __init__(self, rules: Any, choose: Policy) -> None:
        self._encoded, self._policy = encoder_of(rules), choose

    def choose(self, view: Any, random: Random) -> Any:
        """Return the move whose action number the policy chooses, or None to wait."""
        mask = self._encoded.mask(view)
        action = self._policy(self._encoded.numbers(view), mask, random)
        action = check_index(action, len(mask), "action")
        if not mask[action]:
            raise InputError(f"action {quote_value(action)} is not legal: its mask is 0")
        return self._encoded.move(action, view)
