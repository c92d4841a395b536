"""A bot that plays from a tablebase.

It plays forced wins the quickest way and delays those of others as long as it can. Where nothing is
forced it keeps its own win possible, hands nobody a forced one, and keeps the means to prevent the
others' wins (`quaternity.perfect.solving.standing.Standing.worth`), expecting of the asked player
the worst. Among equals it asks no question that only passes the turn on
(`quaternity.perfect.waiting`): it waits where that is better, not for ever where it is no worse.
"""

from __future__ import annotations

from random import Random

from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from quaternity.perfect.tablebase import Tablebase
from quaternity.perfect.waiting import is_pass


class PerfectBot:
    """Plays by a tablebase. Cost: a probe per legal answer."""

    def __init__(self, random: Random, tablebase: Tablebase) -> None:
        self._random = random
        self.tablebase = tablebase

    def ask(self, state: State) -> Question:
        """Draw one of the best questions."""
        prospects = self.tablebase.prospects(state)
        first = prospects[0]
        best = [
            question
            for prospect in prospects
            if (prospect.worst, prospect.best) == (first.worst, first.best)
            for question in prospect.alike
        ]
        known = state.closed()
        moving = [question for question in best if not is_pass(known, question)]
        return self._random.choice(moving or best)

    def answer(self, state: State, question: Question) -> Answer:
        """Return the better answer."""
        answers = list(state.answers(question))
        self._random.shuffle(answers)
        standing = self.tablebase.standing
        return max(
            answers,
            key=lambda answer: standing(state.after(question, answer)).worth(question.asked),
        )
