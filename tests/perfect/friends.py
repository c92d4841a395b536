"""The strategy of theorem 5 of the guide on perfect play: the others force one player's win.

All players except one, the foe, imagine a deal, and ask and answer truthfully in it.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State


class Friends:
    """A game in which all except the foe help one player, by an imagined deal.

    Attributes:
        owners: the owners of the cards of each set in the imagined deal.
        early: whether the foe must not be the player to move yet.
    """

    def __init__(self, settings: Settings, helped: int, foe: int) -> None:
        self.state = State.start(settings)
        self.helped, self.foe, self.players = helped, foe, settings.players
        others = [player for player in range(self.players) if player not in (helped, foe)]
        self.circle = [helped, foe, *others]
        size, sets, seats = settings.set_size, settings.sets, self.players
        if seats <= size:
            # Each player gets a card of set 0, and the helped one a card of each other set.
            first = [*self.circle, *[helped] * (sets - 1)]
            rest = [p for p in self.circle for _ in range(settings.hand - first.count(p))]
            heads = [self.circle, *[[helped]] * (sets - 1)]
            self.owners = [
                [*head, *[rest.pop() for _ in range(size - len(head))]] for head in heads
            ]
        else:
            shift = seats % size == 0
            seat = [(card + shift * (card < seats)) % seats for card in range(size * sets)]
            dealt = [self.circle[place] for place in seat]
            self.owners = [dealt[size * index : size * (index + 1)] for index in range(sets)]
        self.early = True

    def ask(self, asked: int, card: Card, answer: Answer) -> None:
        """Make the player to move ask, and check the answer against the proof."""
        asker = self.state.turn
        assert asker is not None
        question = Question(asker, asked, card)
        answers = self.state.answers(question)
        assert answer in answers
        if asked == self.foe:
            assert answers == (Answer.YES,)
        owner = self.owners[card.set_index][card.number]
        assert (owner == asked) == (answer is Answer.YES)
        if answer is Answer.YES:
            self.owners[card.set_index][card.number] = asker
        self.state = self.state.after(question, answer)
        assert not self.early or self.state.turn != self.foe

    def cards(self, player: int) -> list[Card]:
        """Return the player's cards of sets in play, in the imagined deal."""
        return [
            Card(index, number)
            for index, owners in enumerate(self.owners)
            if self.state.completed[index] is None
            for number, owner in enumerate(owners)
            if owner == player
        ]

    def passing(self, asker: int, asked: int) -> Card | None:
        """Return a card that neither has, of a set of the asker; None if there is none."""
        for index in {card.set_index for card in self.cards(asker)}:
            for number, owner in enumerate(self.owners[index]):
                if owner not in (asker, asked):
                    return Card(index, number)
        return None

    def hand_over(self, to: int) -> None:
        """Pass the turn to a friend, via another friend if necessary."""
        now = self.state.turn
        assert now is not None
        if now == to:
            return
        card = self.passing(now, to)
        if card is not None:
            self.ask(to, card, Answer.NO)
            return
        for by in set(self.circle) - {now, to, self.foe}:
            card = self.passing(now, by)
            if card is not None and self.cards(by) and self.passing(by, to) is not None:
                self.ask(by, card, Answer.NO)
                self.hand_over(to)
                return
        raise AssertionError(f"{now} cannot pass to {to}")

    def take(self, taker: int, cards: list[Card]) -> None:
        """Make the taker ask for these cards, which other players have."""
        self.hand_over(taker)
        for card in cards:
            self.ask(self.owners[card.set_index][card.number], card, Answer.YES)

    def begin(self, asked: int) -> None:
        """Ask the first question of the foe, if the foe begins."""
        if self.state.turn == self.foe:
            card = self.passing(self.foe, asked)
            assert card is not None
            self.ask(asked, card, Answer.NO)

    def play(self) -> None:
        """Play the three steps of the proof."""
        friends = [player for player in self.circle if player != self.foe]
        for card in self.cards(self.foe):
            owners = self.owners[card.set_index]
            sharing = self.helped if self.helped in owners else next(
                owner for owner in owners if owner != self.foe
            )  # fmt: skip
            for friend in friends:
                if friend != sharing:
                    self.hand_over(sharing)
                    self.ask(friend, card, Answer.NO)
        beside = {owner for owners in self.owners if self.helped in owners for owner in owners}
        apart = [player for player in self.circle if player not in beside]
        if apart:
            last = self.circle[(self.circle.index(apart[-1]) + 1) % self.players]
            for loser, taker in pairwise([*apart, last]):
                index = next(
                    i for i, owners in enumerate(self.owners) if {loser, taker} <= {*owners}
                )
                self.hand_over(self.helped)
                self.take(taker, [card for card in self.cards(loser) if card.set_index == index])
        self.hand_over(self.helped)
        held_sets = {card.set_index for card in self.cards(self.helped)}
        wanted = [
            Card(index, number)
            for index in held_sets
            for number, owner in enumerate(self.owners[index])
            if owner != self.helped
        ]
        self.take(self.helped, wanted[:-1])
        self.early = False
        self.take(self.helped, wanted[-1:])

    def end(self, random: Random) -> None:
        """Play to the end: the foe asks at random, and friends take the cards that they can."""
        while not self.state.is_over:
            turn = self.state.turn
            assert turn is not None
            if turn == self.foe:
                question = random.choice([*self.state.legal_questions])
                asked, card = question.asked, question.card
            else:
                asked, card = next(
                    (owner, Card(own.set_index, number))
                    for own in self.cards(turn)
                    for number, owner in enumerate(self.owners[own.set_index])
                    if owner != turn
                )
            has = self.owners[card.set_index][card.number] == asked
            self.ask(asked, card, Answer.YES if has else Answer.NO)
