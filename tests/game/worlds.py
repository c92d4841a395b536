"""The game by brute force: all deals at the start, and those that fit all questions and answers.

It shares only the classes for questions and answers with the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from quaternity import Answer, Card, Question, Settings, TieBreak

World = tuple[int, ...]
"""The present owner of every card, set after set."""


@dataclass(frozen=True, slots=True)
class Worlds:
    """The deals that a history leaves possible.

    Attributes:
        settings: sizes; only the rule `first-in-order` is supported.
        possible: every deal (with the cards as they have moved) that fits the history.
        turn: the player to move.
    """

    settings: Settings
    possible: frozenset[World]
    turn: int = 0

    @classmethod
    def start(cls, settings: Settings) -> Worlds:
        """Return all deals of equal hands."""
        assert settings.tie_break is TieBreak.FIRST_IN_ORDER
        cards = settings.set_size * settings.sets
        return cls(settings, _deals(cards, settings.players))

    def place(self, card: Card) -> int:
        """Return the index of a card in a world."""
        return card.set_index * self.settings.set_size + card.number

    def cards_of(self, world: World, set_index: int) -> World:
        """Return the owners of the cards of a set."""
        size = self.settings.set_size
        return world[set_index * size : (set_index + 1) * size]

    def completed_sets(self) -> tuple[int | None, ...]:
        """Return for each set the player who owns all of it in every world, or None."""
        result: list[int | None] = []
        for index in range(self.settings.sets):
            owners = {owner for world in self.possible for owner in self.cards_of(world, index)}
            result.append(owners.pop() if len(owners) == 1 else None)
        return tuple(result)

    def hands(self) -> tuple[int, ...]:
        """Return the size of each hand, without completed sets: the same in every world."""
        put_down = [owner for owner in self.completed_sets() if owner is not None]
        size = self.settings.set_size
        players = range(self.settings.players)
        totals = {tuple(world.count(player) for player in players) for world in self.possible}
        assert len(totals) == 1, "hands are common knowledge"
        return tuple(
            total - size * put_down.count(player) for player, total in enumerate(totals.pop())
        )

    def fitting(self, question: Question, answer: Answer) -> Iterator[World]:
        """Return the worlds in which the asker's statements and the answer are true."""
        asker, asked, card = question
        place = self.place(card)
        return (
            world
            for world in self.possible
            if world[place] != asker
            and asker in self.cards_of(world, card.set_index)
            and (world[place] == asked) == bool(answer)
        )

    def legal(self) -> dict[Question, tuple[Answer, ...]]:
        """Return every legal question with its legal answers."""
        completed, hands = self.completed_sets(), self.hands()
        result = {}
        for index in range(self.settings.sets):
            for number in range(self.settings.set_size):
                for asked in range(self.settings.players):
                    if asked == self.turn or not hands[asked] or completed[index] is not None:
                        continue
                    question = Question(self.turn, asked, Card(index, number))
                    answers = tuple(a for a in Answer if any(self.fitting(question, a)))
                    if Answer.YES in answers or (answers and not self.settings.brisk):
                        result[question] = answers
        return result

    def after(self, question: Question, answer: Answer) -> Worlds:
        """Return the worlds left after a question and its answer."""
        asker, asked, card = question
        place = self.place(card)
        left = frozenset(self.fitting(question, answer))
        if answer:
            left = frozenset((*world[:place], asker, *world[place + 1 :]) for world in left)
        after = Worlds(self.settings, left, asker)
        hands = after.hands()
        order = (asker, asked) if answer else (asked, asker)
        able = [
            *(player for player in order if hands[player]),
            *(p for p, hand in enumerate(hands) if hand),
        ]
        return Worlds(self.settings, left, able[0] if able else order[0])


@cache
def _deals(cards: int, players: int) -> frozenset[World]:
    hand = cards // players
    return frozenset(
        world
        for world in product(range(players), repeat=cards)
        if all(world.count(player) == hand for player in range(players))
    )
