"""Functions that register a player for a test."""

from __future__ import annotations

from random import Random
from typing import Any, cast

import pytest

from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.kwartet.rules import KwartetRules
from quaternity.perfect.bots.bot import Bot
from quaternity.perfect.players import BotPlayer
from quaternity.table.games import registration
from quaternity.table.players import Factory, make_player, strategy_factory
from quaternity.table.tournament.playing import cached_player

STRATEGIES = {
    name: make_player(KwartetRules(), name).strategy for name in registration("kwartet").players
}
"""The strategies of this distribution, by name."""


def plant(monkeypatch: pytest.MonkeyPatch, game: str, name: str, factory: Factory) -> None:
    """Register a player of this distribution; drop the players kept from earlier games."""
    monkeypatch.setitem(cast(Any, registration(game).players), name, factory)
    cached_player.cache_clear()


def plant_strategy(monkeypatch: pytest.MonkeyPatch, name: str, strategy: Any) -> None:
    """Register a strategy of Kwartet in the same way."""
    plant(monkeypatch, "kwartet", name, strategy_factory("kwartet", name, strategy))


def plant_bot(monkeypatch: pytest.MonkeyPatch, name: str, bot: Any) -> None:
    """Register the class of a Quaternity bot in the same way."""
    plant(monkeypatch, "quaternity", name, lambda rules, argument: BotPlayer(name, bot))


def make_bot(text: str, random: Random, settings: Settings | None = None) -> Bot:
    """Return the bot that a text names, with the given settings and the state of the generator."""
    player: BotPlayer = make_player(QuaternityRules(settings or Settings(3, 3, 3)), text)
    player.chance.setstate(random.getstate())
    return player.bot
