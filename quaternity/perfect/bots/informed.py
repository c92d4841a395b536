"""A bot that looks one move ahead and compares the prospects of the players.

The *prospects* of a player are a number that measures completed and partly owned sets
(`quaternity.perfect.bots.heuristic`). The lead of a player is the player's prospects minus those of
the best other player. The bot asks the question after which its lead is largest, assuming that the
asked player chooses the answer in the same way. The prospects are estimated if there are too many
players or deals to compute them exactly.
"""

from __future__ import annotations

from random import Random

from quaternity.base.errors import LimitError
from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.state import State
from quaternity.perfect.bots.heuristic import (
    Prospects,
    exact_prospects,
    lead,
    many_prospects,
    rough_prospects,
)
from quaternity.perfect.bots.random_bot import RandomBot
from quaternity.perfect.keys.canonical import Key, KeyCodec, Rules, coding
from quaternity.perfect.successors.one_state import canonical_after

MAX_COUNTED_PLAYERS = 5
"""Maximum number of players for which states are evaluated exactly, by counting deals. With more
players, counting takes too long."""

MAX_CACHED_STATES = 1 << 16
"""Maximum number of states whose evaluation is cached."""

EQUAL = 1e-9
"""Maximum difference between values that count as equal."""


class InformedBot:
    """A bot that looks one move ahead: it chooses the move after which its lead is largest.

    The lead is the value of the state for the bot, minus that for the best other player (see the
    module). `attention` is the share of decisions in which the bot looks ahead. In all others, it
    chooses at random. The deals are counted once for each legal answer. A count takes a tenth of a
    millisecond in small games.
    """

    def __init__(self, random: Random, attention: float = 1.0) -> None:
        self._random, self._attention = random, attention
        self._careless = RandomBot(random)
        self._known: dict[Key, Prospects] = {}
        self._worth: dict[int, Prospects] = {}

    def ask(self, state: State) -> Question:
        """Return a random question among those that put the asker furthest ahead of the others."""
        assert state.turn is not None, "the game must not be over"
        if self._is_careless():
            return self._careless.ask(state)
        code = _coding(state)
        best: list[Question] = []
        best_value = float("-inf")
        for asked, set_index, cards, answers in state.legal_questions.groups():
            alike = [
                Question.trusted(state.turn, asked, Card.unchecked(set_index, card))
                for card in cards
            ]
            replies = [self._after(code, state, alike[0], answer) for answer in answers]
            reply = max(replies, key=lambda values: lead(values, asked))
            value = lead(reply, state.turn)
            if value > best_value + EQUAL:
                best, best_value = [], value
            if value >= best_value - EQUAL:
                best += alike
        return self._random.choice(best)

    def answer(self, state: State, question: Question) -> Answer:
        """Return the legal answer that puts the asked player furthest ahead of the others."""
        code = _coding(state)
        answers = list(state.answers(question))
        if len(answers) == 1:
            return answers[0]
        if self._is_careless():
            return self._careless.answer(state, question)
        self._random.shuffle(answers)
        return max(
            answers,
            key=lambda answer: lead(self._after(code, state, question, answer), question.asked),
        )

    def _is_careless(self) -> bool:
        # A bot that always looks ahead must not draw numbers, so that its games stay the same.
        return self._attention < 1 and self._random.random() >= self._attention

    def _after(
        self, code: KeyCodec | None, state: State, question: Question, answer: Answer
    ) -> Prospects:
        if code is None:
            return many_prospects(state.after(question, answer))
        key, roles = canonical_after(code, state, question, answer)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MAX_CACHED_STATES:
                self._known.clear()
            try:
                known = exact_prospects(code, key)
            except LimitError:  # There are too many deals to count.
                known = rough_prospects(code, key, self._worth)
            self._known[key] = known
        values = [0.0] * len(roles)
        for role, player in enumerate(roles):
            values[player] = known[role]
        return tuple(values)


def _coding(state: State) -> KeyCodec | None:
    rules = Rules.of(state)
    return coding(rules) if rules.players <= MAX_COUNTED_PLAYERS else None
