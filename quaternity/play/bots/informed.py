"""A bot that looks one move ahead, at exact chances.

It thinks of all surviving deals as equally likely and of every player's *prospects*: a point for each
completed set, and for a set in play the square of the share of it that the player can expect to
hold. So it keeps cards together, and what it might still hold counts as long as nobody knows
better: giving away nothing that rules it out is worth something. To be on turn is worth a little.
"""

from __future__ import annotations

from random import Random

from quaternity.cards import Card
from quaternity.play.canonical import canonical
from quaternity.play.coding import Key
from quaternity.question import Answer, Question
from quaternity.state import State
from solvers.counting import chances

TURN = 0.25
"""What being on turn is worth, in completed sets."""

MOST_REMEMBERED = 1 << 16
"""States whose prospects are kept."""


class InformedBot:
    """See the module.

    Cost: one count of the deals per legal answer, a tenth of a millisecond each in small games.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._known: dict[Key, tuple[float, ...]] = {}

    def ask(self, state: State) -> Question:
        """The question with the best outlook, the asked player answering to his own advantage."""
        assert state.turn is not None, "somebody asks"
        best: list[Question] = []
        best_value = float("-inf")
        for asked, set_index, cards, answers in state.legal_questions.groups():
            question = Question(state.turn, asked, Card(set_index, cards[0]))
            after = [state.after(question, answer) for answer in answers]
            reply = max(after, key=lambda one: self.outlook(one, asked))
            value = self.outlook(reply, state.turn)
            if value > best_value + 1e-9:
                best, best_value = [], value
            if value >= best_value - 1e-9:
                best += [Question(state.turn, asked, Card(set_index, card)) for card in cards]
        return self._random.choice(best)

    def answer(self, state: State, question: Question) -> Answer:
        """The answer with the better outlook."""
        answers = list(state.answers(question))
        self._random.shuffle(answers)
        return max(
            answers, key=lambda answer: self.outlook(state.after(question, answer), question.asked)
        )

    def outlook(self, state: State, player: int) -> float:
        """How far a player is ahead of the best of the others."""
        prospects = self.prospects(state)
        others = max(value for other, value in enumerate(prospects) if other != player)
        return prospects[player] - others

    def prospects(self, state: State) -> tuple[float, ...]:
        """Every player's prospects (see the module)."""
        key, roles = canonical(state)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            found = _prospects(state)
            self._known[key] = tuple([found[player] for player in roles])
            return found
        values = [0.0] * len(roles)
        for role, player in enumerate(roles):
            values[player] = known[role]
        return tuple(values)


def _prospects(state: State) -> tuple[float, ...]:
    values = [float(points) for points in state.points]
    if state.is_over:
        winner = state.winner
        return tuple(value + (player == winner) for player, value in enumerate(values))
    for one in chances(state.problem):
        if one:
            for player in range(state.players):
                share = sum([card[player] for card in one]) / len(one)
                values[player] += share * share
    assert state.turn is not None, "somebody is on turn"
    values[state.turn] += TURN
    return tuple(values)


__all__ = ["MOST_REMEMBERED", "TURN", "InformedBot"]
