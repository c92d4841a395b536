"""Kwartet's strategies as players at a table."""

from __future__ import annotations

from random import Random

from quaternity.game.question import Question
from quaternity.kwartet.strategies.registry import strategy_named
from quaternity.kwartet.view import View, request_of


class StrategyPlayer:
    """A strategy in a seat."""

    def __init__(self, name: str) -> None:
        """Find the strategy.

        Raises:
            InputError: there is none of this name.
        """
        self._name, self._strategy = name, strategy_named(name)

    def choose(self, view: View, random: Random) -> Question:
        """Its request."""
        return request_of(self._strategy, self._name, view, random)


__all__ = ["StrategyPlayer"]
