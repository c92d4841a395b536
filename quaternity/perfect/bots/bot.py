"""What a bot is.

    bot = InformedBot(Random(7))
    question = bot.ask(state)            # for the player on turn
    answer = bot.answer(state, question) # for the asked player, among the legal answers

A bot knows what everybody knows: the state. It has no seat and no memory; who it plays for follows
from the state and the question. Their names are in `quaternity.table.players`.
"""

from __future__ import annotations

from typing import Protocol

from quaternity.game.question import Answer, Question
from quaternity.game.state import State


class Bot(Protocol):
    """A player. All its chance comes from the generator it was made with."""

    def ask(self, state: State) -> Question:
        """Return a legal question of the player on turn. The game is not over."""

    def answer(self, state: State, question: Question) -> Answer:
        """Return a legal answer of the asked player to a legal question."""
