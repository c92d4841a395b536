"""A trained policy in a seat, as a player like others."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from quaternity.base.errors import InputError
from quaternity.base.plain_values import numbered
from quaternity.base.wording import shown
from quaternity.table.programs import encoded_of

Policy = Callable[[memoryview, bytes, Random], int]
"""From what a seat sees in numbers, a mask with 1 for every legal action, and chance: an action."""


class PolicyPlayer:
    """A player whose moves a policy chooses, for any game: seat it as `module:name`.

    >>> first = PolicyPlayer(lambda numbers, mask, random: mask.index(1))
    >>> from quaternity.quarto.rules import QuartoRules
    >>> rules = QuartoRules()
    >>> str(first(rules).choose(rules.start(Random(0)), Random(0)))
    'hand over A'
    """

    def __init__(self, choose: Policy) -> None:
        if not callable(choose):
            raise InputError(f"choose: {shown(choose)} is no function (numbers, mask, random)")
        self._choose = choose

    def __call__(self, rules: Any, argument: str | None = None) -> _Seated:
        """Return the player at a table with these rules."""
        del argument
        return _Seated(rules, self._choose)


class _Seated:
    def __init__(self, rules: Any, choose: Policy) -> None:
        self._encoded, self._policy = encoded_of(rules), choose

    def choose(self, view: Any, random: Random) -> Any:
        """Return the move of the action that the policy chooses; None to wait."""
        mask = self._encoded.mask(view)
        action = self._policy(self._encoded.numbers(view), mask, random)
        action = numbered(action, len(mask), "action")
        if not mask[action]:
            raise InputError(f"action {shown(action)}: not legal, the mask has no 1 there")
        return self._encoded.move(action, view)
