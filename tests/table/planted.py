"""Players that a test puts into the table of players."""

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
from quaternity.table.tournament.playing import kept_player

STRATEGIES = {
    name: make_player(KwartetRules(), name).strategy for name in registration("kwartet").players
}
"""The strategies of this distribution, by name."""


def plant(monkeypatch: pytest.MonkeyPatch, game: str, name: str, factory: Factory) -> None:
    """A player of this distribution; those kept from earlier games are forgotten."""
    monkeypatch.setitem(cast(Any, registration(game).players), name, factory)
    kept_player.cache_clear()


def plant_strategy(monkeypatch: pytest.MonkeyPatch, name: str, strategy: Any) -> None:
    """The same with a strategy of Kwartet."""
    plant(monkeypatch, "kwartet", name, strategy_factory("kwartet", name, strategy))


def plant_bot(monkeypatch: pytest.MonkeyPatch, name: str, bot: Any) -> None:
    """The same with the class of a bot of Quaternity."""
    plant(monkeypatch, "quaternity", name, lambda rules, argument: BotPlayer(name, bot))


def make_bot(text: str, random: Random, settings: Settings | None = None) -> Bot:
    """The bot that a text names, for games with some settings, with the dice of a generator."""
    player: BotPlayer = make_player(QuaternityRules(settings or Settings(3, 3, 3)), text)
    player.chance.setstate(random.getstate())
    return player.bot
