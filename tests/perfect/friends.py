"""The strategy of theorem 5 of the guide on perfect play: all others together force one's win.

Everybody but one player, the foe, has a deal in mind, and asks and answers truly in it.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from quaternity.game.cards import Card
from quaternity.game.question import Answer, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State


class Friends:
    """A game in which all but the foe help one player, by a deal.

    Attributes:
        owners: of the cards of each set, as the deal is now.
        early: the foe must not be on turn yet.
    """

    def __init__(self, settings: Settings, helped: int, foe: int) -> None:
        self.state = State.start(settings)
        self.helped, self.foe, self.players = helped, foe, settings.players
        others = [one for one in range(self.players) if one not in (helped, foe)]
        self.circle = [helped, foe, *others]
        size, sets, seats = settings.set_size, settings.sets, self.players
        if seats <= size:
            # One of set 0 to everybody, one of each other set to the helped one, any rest.
            first = [*self.circle, *[helped] * (sets - 1)]
            rest = [one for one in self.circle for _ in range(settings.hand - first.count(one))]
            heads = [self.circle, *[[helped]] * (sets - 1)]
            self.owners = [
                [*head, *[rest.pop() for _ in range(size - len(head))]] for head in heads
            ]
        else:
            shift = seats % size == 0
            seat = [(card + shift * (card < seats)) % seats for card in range(size * sets)]
            dealt = [self.circle[one] for one in seat]
            self.owners = [dealt[size * one : size * (one + 1)] for one in range(sets)]
        self.early = True

    def ask(self, asked: int, card: Card, answer: Answer) -> None:
        """A question of whoever is on turn and its answer, which must be as the proof says."""
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
        """What a player has in the deal, of sets in play."""
        return [
            Card(index, number)
            for index, owners in enumerate(self.owners)
            if self.state.completed[index] is None
            for number, owner in enumerate(owners)
            if owner == player
        ]

    def passing(self, asker: int, asked: int) -> Card | None:
        """A card of a set of the asker that neither has."""
        for index in {card.set_index for card in self.cards(asker)}:
            for number, owner in enumerate(self.owners[index]):
                if owner not in (asker, asked):
                    return Card(index, number)
        return None

    def hand_over(self, to: int) -> None:
        """Bring a friend on turn, by way of another one where that is needed."""
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
        """Take cards, all of which others have."""
        self.hand_over(taker)
        for card in cards:
            self.ask(self.owners[card.set_index][card.number], card, Answer.YES)

    def begin(self, asked: int) -> None:
        """The first question of the foe, if he begins."""
        if self.state.turn == self.foe:
            card = self.passing(self.foe, asked)
            assert card is not None
            self.ask(asked, card, Answer.NO)

    def play(self) -> None:
        """The three steps of the proof."""
        friends = [one for one in self.circle if one != self.foe]
        for card in self.cards(self.foe):
            owners = self.owners[card.set_index]
            sharing = self.helped if self.helped in owners else next(
                one for one in owners if one != self.foe
            )  # fmt: skip
            for friend in friends:
                if friend != sharing:
                    self.hand_over(sharing)
                    self.ask(friend, card, Answer.NO)
        beside = {one for owners in self.owners if self.helped in owners for one in owners}
        apart = [one for one in self.circle if one not in beside]
        if apart:
            last = self.circle[(self.circle.index(apart[-1]) + 1) % self.players]
            for loser, taker in pairwise([*apart, last]):
                index = next(
                    one for one, owners in enumerate(self.owners) if {loser, taker} <= {*owners}
                )
                self.hand_over(self.helped)
                self.take(taker, [one for one in self.cards(loser) if one.set_index == index])
        self.hand_over(self.helped)
        mine = {card.set_index for card in self.cards(self.helped)}
        wanted = [
            Card(index, number)
            for index in mine
            for number, owner in enumerate(self.owners[index])
            if owner != self.helped
        ]
        self.take(self.helped, wanted[:-1])
        self.early = False
        self.take(self.helped, wanted[-1:])

    def end(self, random: Random) -> None:
        """The foe asks what he likes, friends take what they can, until the game is over."""
        while not self.state.is_over:
            turn = self.state.turn
            assert turn is not None
            if turn == self.foe:
                question = random.choice([*self.state.legal_questions])
                asked, card = question.asked, question.card
            else:
                asked, card = next(
                    (owner, Card(one.set_index, number))
                    for one in self.cards(turn)
                    for number, owner in enumerate(self.owners[one.set_index])
                    if owner != turn
                )
            has = self.owners[card.set_index][card.number] == asked
            self.ask(asked, card, Answer.YES if has else Answer.NO)
