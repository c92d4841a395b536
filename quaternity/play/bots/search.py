"""A bot that searches: every player takes what is best for himself, as far as the budget reaches.

max^n (Luckhardt and Irani 1986) over canonical states, deepened one move at a time until as many
states were opened as the budget allows. What was found of a state is kept under its key, so a state
that is met again, under whatever names, in another branch or another game, costs nothing. At the
horizon a state is judged by every player's prospects (`quaternity.play.bots.prospects`). Positions may repeat; a line of play that goes in
circles is worth what its horizon is.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from quaternity.cards import Card
from quaternity.play.bots.prospects import prospects
from quaternity.play.canonical import Canonical
from quaternity.play.coding import Coding, Key, Rules, coding
from quaternity.play.kinds import Roles
from quaternity.play.successors import Choice, canonical_after, choices
from quaternity.question import Answer, Question
from quaternity.state import State

DEFAULT_BUDGET = 100
"""States opened for one decision."""

MOST_DEPTH = 12
"""Moves looked ahead at most."""

MOST_REMEMBERED = 1 << 17
"""States whose questions are kept, and values that are."""

WIN = 10.0
"""What winning alone is worth, in completed sets; losing to somebody who does costs as much."""

PATIENCE = 0.98
"""How much of its worth something keeps that is a move further away."""

Values = tuple[float, ...]
"""Per role, how good a state is for it."""


class _Spent(Exception):
    """The budget of a decision is used up."""


class SearchBot:
    """See the module.

    Attributes:
        budget: states opened for one decision, about a millisecond each when they are new.
    """

    def __init__(self, random: Random, budget: int = DEFAULT_BUDGET) -> None:
        self._random = random
        self.budget = budget
        self._left = 0
        self._values: dict[tuple[Key, int], Values] = {}
        self._choices: dict[Key, list[Choice]] = {}

    def ask(self, state: State) -> Question:
        """The question that searching finds best."""
        assert state.turn is not None, "somebody asks"
        code, turn = coding(Rules.of(state)), state.turn
        groups = state.legal_questions.groups()
        after = []
        for asked, index, cards, answers in groups:
            question = Question(turn, asked, Card(index, cards[0]))
            replies = [canonical_after(code, state, question, answer) for answer in answers]
            after.append((asked, replies))
        best = self._best(code, after, turn)
        asked, index, cards, _ = groups[best]
        return Question(turn, asked, Card(index, self._random.choice(cards)))

    def answer(self, state: State, question: Question) -> Answer:
        """The answer that searching finds better."""
        answers = state.answers(question)
        if len(answers) == 1:
            return answers[0]
        code, asked = coding(Rules.of(state)), question.asked
        after = [(asked, [canonical_after(code, state, question, answer)]) for answer in answers]
        return answers[self._best(code, after, asked)]

    def _best(
        self, code: Coding, after: Sequence[tuple[int, Sequence[Canonical]]], chooser: int
    ) -> int:
        """The index of the option that is best for the chooser, real players choosing replies."""
        if len(after) == 1:
            return 0
        self._left = self.budget
        best = [0]
        for depth in range(MOST_DEPTH):
            try:
                worth = [
                    self._settled(code, replies, asked, depth)[chooser] for asked, replies in after
                ]
            except _Spent:
                break
            most = max(worth)
            best = [index for index, value in enumerate(worth) if value >= most - 1e-9]
            if len(best) == 1 and most > WIN / 2:
                break
        return self._random.choice(best)

    def _settled(
        self, code: Coding, replies: Sequence[Canonical], asked: int, depth: int
    ) -> Values:
        """The values of a question, by the names that `roles` of the replies lead to."""
        found = [_renamed(self._value(code, key, depth), roles) for key, roles in replies]
        return max(found, key=lambda values: values[asked])

    def _value(self, code: Coding, key: Key, depth: int) -> Values:
        """How good a state is for each role, looking so many moves ahead."""
        known = self._values.get((key, depth))
        if known is not None:
            return known
        if depth == 0:
            values = _static(code, key)
        else:
            options = self._opened(code, key)
            if not options:
                values = self._value(code, key, 0)
            else:
                values = self._chosen(code, options, depth)
        if len(self._values) >= MOST_REMEMBERED:
            self._values.clear()
        self._values[key, depth] = values
        return values

    def _chosen(self, code: Coding, options: list[Choice], depth: int) -> Values:
        """The values of a state that is not over."""
        players = code.rules.players
        if options[0].asked == players:
            drawn = [
                _renamed(self._value(code, reply.key, depth), reply.roles)
                for option in options
                for reply in option.replies
            ]
            return tuple([sum(values) / len(drawn) for values in zip(*drawn, strict=True)])
        best: Values = ()
        for asked, replies in options:
            ends = [Canonical(reply.key, reply.roles) for reply in replies]
            values = self._settled(code, ends, asked, depth - 1)
            if not best or values[0] > best[0]:
                best = values
        return tuple([PATIENCE * value for value in best])

    def _opened(self, code: Coding, key: Key) -> list[Choice]:
        """The questions of a state; opening a new one is what the budget is spent on."""
        options = self._choices.get(key)
        if options is None:
            if not self._left:
                raise _Spent
            self._left -= 1
            if len(self._choices) >= MOST_REMEMBERED:
                self._choices.clear()
            options = self._choices[key] = choices(code, key)
        return options


def _renamed(values: Values, roles: Roles) -> Values:
    """Values by the names that the roles lead to."""
    renamed = [0.0] * len(values)
    for role, name in enumerate(roles):
        renamed[name] = values[role]
    return tuple(renamed)


def _static(code: Coding, key: Key) -> Values:
    """A state judged by what can be seen of it."""
    parts = code.parts(key)
    players = range(code.rules.players)
    if not parts.kinds:
        most = max(parts.points)
        if parts.points.count(most) > 1:
            return (0.0,) * len(players)
        return tuple([WIN if parts.points[role] == most else -WIN for role in players])
    worth = prospects(code, key)
    return tuple(
        [
            worth[role] - max([worth[other] for other in players if other != role])
            for role in players
        ]
    )


__all__ = ["DEFAULT_BUDGET", "MOST_DEPTH", "MOST_REMEMBERED", "SearchBot"]
