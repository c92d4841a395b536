"""The interface of Quaternity's bots: programs that choose questions and answers.

    bot = InformedBot(Random(7))
    question = bot.ask(state)            # for the player to move
    answer = bot.answer(state, question) # for the asked player, among the legal answers

A bot decides from the state alone, which all players know. It has no seat and does not remember
earlier moves: the state and the question determine the player for whom it acts. The module
`quaternity.table.players` lists the names of the bots.
"""

from __future__ import annotations

from typing import Protocol

from quaternity.game.question import Answer, Question
from quaternity.game.state import State


class Bot(Protocol):
    """Interface of a bot: a program that chooses questions and answers in a given state."""

    def ask(self, state: State) -> Question:
        """Return a legal question for the player to move. The game must not be over."""

    def answer(self, state: State, question: Question) -> Answer:
        """Return a legal answer to a legal question, on behalf of the asked player."""
