"""A bot that chooses legal questions and answers uniformly at random."""

from __future__ import annotations

from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.state import State


class RandomBot:
    """A bot that chooses uniformly among the legal questions and answers."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def ask(self, state: State) -> Question:
        """Return a random legal question."""
        number = self._random.randrange(len(state.legal_questions))
        for group in state.legal_questions.groups():
            if number < len(group.cards):
                assert state.turn is not None, "a legal question must have an asker"
                return Question.trusted(
                    state.turn, group.asked, Card.unchecked(group.set_index, group.cards[number])
                )
            number -= len(group.cards)
        raise AssertionError("every question must belong to a group")

    def answer(self, state: State, question: Question) -> Answer:
        """Return a random legal answer."""
        return self._random.choice(state.answers(question))
