"""A bot that takes its moves from a tablebase, which contains the values of a solved game.

The bot plays its forced wins in the shortest way, and delays the forced wins of others as long as
it can. If no player can force a win, it keeps its own win possible, does not give another player a
forced win, and keeps the ability to prevent the wins of others
(`quaternity.perfect.solving.state_value.StateValue.worth`). It assumes that the asked player gives
the answer that is worst for the bot. Among equal questions, it avoids those that only pass the turn
(`quaternity.perfect.stalling`).
"""

from __future__ import annotations

from random import Random

from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from quaternity.perfect.stalling import is_pass
from quaternity.perfect.tablebase import Tablebase


class PerfectBot:
    """A bot that looks up the best moves in a tablebase (a file with a solved game)."""

    def __init__(self, random: Random, tablebase: Tablebase) -> None:
        self._random = random
        self.tablebase = tablebase

    def ask(self, state: State) -> Question:
        """Return a random one of the best questions, if possible one that gives information."""
        prospects = self.tablebase.prospects(state)
        first = prospects[0]
        best = [
            question
            for prospect in prospects
            if (prospect.worst, prospect.best) == (first.worst, first.best)
            for question in prospect.alike
        ]
        known = state.filtered_problem()
        active = [question for question in best if not is_pass(known, question)]
        return self._random.choice(active or best)

    def answer(self, state: State, question: Question) -> Answer:
        """Return the legal answer that is better for the asked player."""
        answers = list(state.answers(question))
        self._random.shuffle(answers)
        standing = self.tablebase.standing
        return max(
            answers,
            key=lambda answer: standing(state.after(question, answer)).worth(question.asked),
        )
