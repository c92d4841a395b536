"""Requests: what may be asked, and what everybody sees of it."""

from __future__ import annotations

from typing import NamedTuple

from quaternity.errors import IllegalMove
from quaternity.game.question import Answer, Question
from quaternity.kwartet.hands import FULL, Hand
from quaternity.kwartet.public import PublicState
from quaternity.kwartet.settings import SET_SIZE, KwartetSettings


class Event(NamedTuple):
    """A request, its result, and the sets that the asker then announced.

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


class IllegalRequest(IllegalMove):
    """A request that the rules forbid. Its faults speak of what the asker can see alone."""

    def __init__(self, question: Question, faults: list[str]) -> None:
        super().__init__(f"'{question}' is not a legal request", faults)
        self.question = question


def request_faults(public: PublicState, hand: Hand, question: Question) -> list[str]:
    """Everything that makes a request illegal; empty when it is legal.

    Args:
        hand: the cards of the seat on turn.
    """
    asker, asked, (index, number) = question
    settings, faults = public.settings, []
    last = settings.players - 1
    if public.is_over:
        return ["the game is over"]
    if asker != public.turn:
        faults.append(f"player {public.turn} is on turn, not player {asker}")
    if not 0 <= asked <= last:
        faults.append(f"player {asked} is out of range 0..{last}")
    elif asked == asker:
        faults.append("a player cannot ask himself")
    elif settings.at_once and not public.hands[asked]:
        faults.append(f"player {asked} has no cards")
    if not 0 <= index < settings.sets:
        faults.append(f"set {index} is out of range 0..{settings.sets - 1}")
    elif not 0 <= number < SET_SIZE:
        faults.append(f"card {number} of a set is out of range 0..{SET_SIZE - 1}")
    elif public.removed[index] is not None:
        faults.append(f"set {index} is removed: player {public.removed[index]} put it down")
    elif asker == public.turn:
        if not hand[index]:
            faults.append(f"player {asker} holds no card of set {index}")
        elif hand[index] >> number & 1 and not may_ask_for_own(settings, hand):
            faults.append(f"player {asker} holds {index}/{number} himself")
    return faults


def may_ask_for_own(settings: KwartetSettings, hand: Hand) -> bool:
    """Whether a player with this hand may ask for a card in it."""
    return settings.own_card_requests or all(held in (0, FULL) for held in hand)


__all__ = ["Event", "IllegalRequest", "may_ask_for_own", "request_faults"]
