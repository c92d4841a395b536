"""The public state of a game of Kwartet, with a deal problem that every request updates exactly.

The deal problem allows exactly the deals that agree with all events, even with the fact that a
player did *not* put down a full set. The knowledge of one player is the same problem with that
player's hand fixed (`DealProblem.with_hand`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from quaternity.base.errors import IllegalMove
from quaternity.base.sentences import Message
from quaternity.game import sentences
from quaternity.game.question import Answer, Question
from quaternity.game.transition import hands_after, out_of_play
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.settings import KwartetSettings
from solvers.problem import DealProblem, SetConstraint, with_entry


class PublicState(NamedTuple):
    """Everything that is publicly known at one moment of a game, as an immutable object.

    Attributes:
        problem: the deal problem with the hand sizes, the possible owners and the bounds. Removed
            sets have no cards in it. If cards are set aside, they are the last hand.
        turn: the player to move. The value is meaningless once the game is over.
        removed: for each set, the player who put it down, or None while the set is in play.
        askers: bit mask of the players who have made a request.
        left: number of requests until the game ends, or None if requests are not limited.
    """

    settings: KwartetSettings
    problem: DealProblem
    turn: int
    removed: tuple[int | None, ...]
    askers: int
    left: int | None = None

    @classmethod
    def start(
        cls,
        settings: KwartetSettings,
        hand_sizes: Sequence[int],
        announced: Iterable[tuple[int, int]] = (),
    ) -> PublicState:
        """Return the public state right after the deal.

        `announced` contains a pair (set, player) for each set that a player has already put down,
        because the player was dealt all cards of the set.
        """
        players, holders, size = settings.players, settings.hands, settings.set_size
        most = size - 1 if settings.at_once else size
        unknown = SetConstraint.unchecked(
            ((1 << holders) - 1,) * size,
            (0,) * holders,
            (most,) * players + (size,) * (holders - players),
        )
        hands, sets = list(hand_sizes), [unknown] * settings.sets
        removed: list[int | None] = [None] * settings.sets
        for index, player in announced:
            hands[player] -= size
            sets[index] = out_of_play(holders)
            removed[index] = player
        problem = DealProblem.unchecked(tuple(hands), tuple(sets))
        turn = next_with_cards(hands, -1, players)
        return cls(settings, problem, turn, tuple(removed), 0, settings.max_moves)

    @property
    def hands(self) -> tuple[int, ...]:
        """The number of cards in each player's hand, then the number of cards set aside, if any."""
        return self.problem.hands

    @property
    def points(self) -> tuple[int, ...]:
        """The number of sets that each player has put down."""
        return tuple(self.removed.count(player) for player in range(self.settings.players))

    @property
    def is_over(self) -> bool:
        """True if every set is removed, no player can ask, or no request is left."""
        if None not in self.removed:
            return True
        if self.left is None:
            # A game without this limit has no cards set aside, so a player can always ask.
            return False
        hands = self.problem.hands[: self.settings.players]
        return not self.left or len(hands) - hands.count(0) <= self.settings.at_once

    @property
    def with_cards(self) -> int:
        """Bit mask of the hands that have cards. The cards set aside are an additional hand."""
        mask = 0
        for player, hand in enumerate(self.problem.hands):
            if hand:
                mask |= 1 << player
        return mask

    def may_be_asked(self, asker: int) -> tuple[int, ...]:
        """Return the opponents whom a player may ask."""
        hands = self.problem.hands[: self.settings.players]
        if self.settings.at_once:
            return tuple([p for p, hand in enumerate(hands) if hand and p != asker])
        return tuple([p for p in range(len(hands)) if p != asker])

    def after(self, question: Question, success: bool, announced: Sequence[int]) -> PublicState:
        """Return the state after a legal request.

        `success` says whether the asker received the card. `announced` contains the sets that the
        asker then put down.
        """
        asker, asked, (index, _) = question
        settings, problem, _, removed, askers, left = self
        hands = hands_after(problem.hands, asker, asked, success) if success else problem.hands
        changed = after_request(settings, problem.sets[index], question, success)
        sets = (*problem.sets[:index], changed, *problem.sets[index + 1 :])
        if announced:
            counts, rows, owner_of = list(hands), list(sets), list(removed)
            for complete in announced:
                counts[asker] -= settings.set_size
                rows[complete] = out_of_play(len(counts))
                owner_of[complete] = asker
            hands, sets, removed = tuple(counts), tuple(rows), tuple(owner_of)
        if not askers >> asker & 1:
            askers |= 1 << asker
            if not settings.at_once:
                sets = tuple([exclude_full_set(i, asker) for i in sets])
        if not (success and hands[asker]):
            turn = next_with_cards(hands, asker, settings.players)
        else:
            turn = asker
        if left is not None:
            left -= 1
        return PublicState(
            settings, DealProblem.unchecked(hands, sets), turn, removed, askers, left
        )


def after_request(
    settings: KwartetSettings, before: SetConstraint, question: Question, success: bool
) -> SetConstraint:
    """Return what is publicly known about a set after a request for one of its cards.

    The result contains the possible owners of the cards, and the limits on each player's number of
    cards. `before` is what was known before the request. `success` says whether the asker got the
    card.
    """
    asker, asked, (_, number) = question
    owners, low, high = before
    lows = list(low)
    if success:
        mask = 1 << asker
        highs = list(high)
        # The asker did not have this card, so a different card made the request legal.
        lows[asker] = lows[asker] + 1 if lows[asker] else 2
        if lows[asked]:
            lows[asked] -= 1
        # With one more card the set would be full, and the asker would have announced it.
        highs[asker] = min(highs[asker] + 1, settings.set_size - 1)
        highs[asked] -= 1
        high = tuple(highs)
    else:
        mask = owners[number] & ~(1 << asked)
        if not settings.own_card_requests:
            mask &= ~(1 << asker)
        if not lows[asker]:
            lows[asker] = 1
    owners = (*owners[:number], mask, *owners[number + 1 :])
    return SetConstraint.unchecked(owners, tuple(lows), high)


def exclude_full_set(constraint: SetConstraint, player: int) -> SetConstraint:
    """Return a constraint that also says that a player does not hold all cards of the set."""
    owners, low, high = constraint
    size = len(owners)
    if not size or high[player] < size:
        return constraint
    return SetConstraint.unchecked(owners, low, with_entry(high, player, size - 1))


def next_with_cards(hands: Sequence[int], player: int, players: int = 0) -> int:
    """Return the next player after `player`, in seat order, who holds cards.

    `hands` contains the number of cards in each hand. Only the first `players` hands belong to
    players, or all hands if `players` is 0. If no other player holds cards, return `player`.
    """
    players = players or len(hands)
    for step in range(1, players + 1):
        following = (player + step) % players
        if hands[following]:
            return following
    return max(player, 0)


class Event(NamedTuple):
    """A request with its result and the sets that the asker then put down.

    >>> from quaternity.game.cards import Card
    >>> print(Event(Question(0, 1, Card(2, 3)), Answer.YES, (2,)))
    0 asks 1 for 2/3: yes
    0 puts down 2
    """

    question: Question
    answer: Answer
    announced: tuple[int, ...] = ()

    def __str__(self) -> str:
        asker = self.question.asker
        lines = [f"{self.question}: {self.answer}"]
        lines += [f"{asker} puts down {index}" for index in self.announced]
        return "\n".join(lines)

    def sentences(self) -> tuple[Message, ...]:
        """Return messages about the request and the sets put down."""
        downs = (
            sentences.PUTS_DOWN(who=self.question.asker, set=index) for index in self.announced
        )
        return (sentences.question_sentence(self.question, self.answer), *downs)

    def hand_after(self, hand: Hand, seat: int) -> Hand:
        """Return the hand of a seat after the request. `hand` is the hand before the request."""
        asker, asked, (index, number) = self.question
        if seat not in (asker, asked) or not (self.answer or self.announced):
            return hand
        held = list(hand)
        if self.answer:
            held[index] ^= 1 << number
        if seat == asker:
            for complete in self.announced:
                held[complete] = 0
        return tuple(held)


class IllegalRequest(IllegalMove):
    """Error for a request that the rules forbid. Its text reveals only what the asker can see."""

    def __init__(self, question: Question, faults: list[str]) -> None:
        super().__init__(f"'{question}' is not a legal request", faults)
        self.question = question


def request_faults(public: PublicState, hand: Hand, question: Question) -> list[str]:
    """Return the reasons why a request is illegal, or an empty list if it is legal.

    `hand` is the hand of the asker.
    """
    asker, asked, (index, number) = question
    settings, problem, turn, removed, _, _ = public
    faults: list[str] = []
    if public.is_over:
        return [sentences.IS_OVER()]
    if asker != turn:
        faults.append(sentences.WRONG_TURN(turn=turn, who=asker))
    if not 0 <= asked < settings.players:
        faults.append(sentences.NO_PLAYER(number=asked, last=settings.players - 1))
    elif asked == asker:
        faults.append(sentences.ASKS_ITSELF())
    elif not problem.hands[asked] and asked not in public.may_be_asked(asker):
        faults.append(sentences.NO_CARDS(who=asked))
    if not 0 <= index < settings.sets:
        faults.append(sentences.NO_SET(number=index, last=settings.sets - 1))
    elif not 0 <= number < settings.set_size:
        faults.append(sentences.NO_CARD(number=number, last=settings.set_size - 1))
    elif removed[index] is not None:
        faults.append(sentences.IS_REMOVED(set=index, who=removed[index]))
    elif asker == turn:
        if not hand[index]:
            faults.append(sentences.HOLDS_NONE(who=asker, set=index))
        elif hand[index] >> number & 1 and not may_ask_for_own(settings, hand):
            faults.append(sentences.HOLDS_IT(who=asker, card=question.card))
    return faults


def may_ask_for_own(settings: KwartetSettings, hand: Hand) -> bool:
    """Return whether a player with the given hand may ask for a card that is in it."""
    return settings.own_card_requests or all(held in (0, settings.full) for held in hand)
