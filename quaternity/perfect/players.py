"""Quaternity's bots as players at a table."""

from __future__ import annotations

from random import Random

from quaternity.game.question import Answer, Question
from quaternity.game.rules import QuaternityPosition, QuaternityRules
from quaternity.perfect.bots.bot import make_bot


class BotPlayer:
    """A bot in a seat; see `quaternity.perfect.bots`."""

    def __init__(self, rules: QuaternityRules, name: str, argument: str | None) -> None:
        """Make the bot.

        Raises:
            InputError: its argument is wrong, or a tablebase is for another game.
        """
        self._chance = Random(0)
        self.bot = make_bot(name if argument is None else f"{name}:{argument}", self._chance)
        tablebase = getattr(self.bot, "tablebase", None)
        if tablebase is not None:
            tablebase.check_settings(rules.settings)

    def choose(self, view: QuaternityPosition, random: Random) -> Question | Answer:
        """A question, or the answer to the one that waits."""
        self._chance.setstate(random.getstate())
        if view.pending is not None:
            return self.bot.answer(view.state, view.pending)
        return self.bot.ask(view.state)


__all__ = ["BotPlayer"]
