"""The complete state of a Kwartet game at one moment: the public state and the real hands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from quaternity.game.question import Answer, Question
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.public import Event, IllegalRequest, PublicState, request_faults
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from solvers.verdict import Deal


class Position(NamedTuple):
    """The public state of a game together with the real hands, as an immutable object.

    If cards are set aside, they are the last hand.
    """

    public: PublicState
    hands: tuple[Hand, ...]

    @classmethod
    def start(cls, settings: KwartetSettings, hands: tuple[Hand, ...]) -> Position:
        """Return the position after the deal. Sets that were dealt full have been put down."""
        sizes = [sum(held.bit_count() for held in hand) for hand in hands]
        announced = full_sets(settings, hands) if settings.at_once else ()
        public = PublicState.start(settings, sizes, announced)
        return cls(public, _without(hands, announced))

    def ask(self, question: Question) -> tuple[Position, Event]:
        """Return the position after a request, and an `Event` with the request and its result.

        Raise `IllegalRequest` if the rules forbid the request.
        """
        public, hands = self
        if faults := request_faults(public, hands[public.turn], question):
            raise IllegalRequest(question, faults)
        asker, asked, (index, number) = question
        event = Event(question, Answer(hands[asked][index] >> number & 1))
        own = event.hand_after(hands[asker], asker)
        full_set = public.settings.full
        if full_set in own:
            full = tuple([index for index, held in enumerate(own) if held == full_set])
            event = Event(question, event.answer, full)
            own = event.hand_after(hands[asker], asker)
        if own is not hands[asker]:
            after = list(hands)
            after[asker], after[asked] = own, event.hand_after(hands[asked], asked)
            hands = tuple(after)
        return Position(public.after(question, bool(event.answer), event.announced), hands), event

    def play(self, questions: Iterable[Question]) -> Iterator[tuple[Position, Event]]:
        """Make the requests in order, and yield the position and the event after each of them."""
        position = self
        for question in questions:
            position, event = position.ask(question)
            yield position, event

    @property
    def deal(self) -> Deal:
        """The real owners of all cards in play, as a deal of `public.problem`."""
        return Deal(
            tuple(
                ()
                if gone is not None
                else tuple(
                    next(player for player, mask in enumerate(masks) if mask >> number & 1)
                    for number in range(self.public.settings.set_size)
                )
                for gone, masks in zip(
                    self.public.removed, zip(*self.hands, strict=True), strict=True
                )
            )
        )

    def view(self, seat: int, events: Sequence[Event] = ()) -> View:
        """Return what a seat sees: the public state, its hand, and the given events."""
        return View(self.public, seat, self.hands[seat], events)


def full_sets(settings: KwartetSettings, hands: tuple[Hand, ...]) -> list[tuple[int, int]]:
    """Return the full sets in the players' hands, as sorted pairs (set, player)."""
    return sorted(
        (index, player)
        for player, hand in enumerate(hands[: settings.players])
        for index, held in enumerate(hand)
        if held == settings.full
    )


def _without(hands: tuple[Hand, ...], gone: list[tuple[int, int]] | tuple[()]) -> tuple[Hand, ...]:
    if not gone:
        return hands
    remaining = [list(hand) for hand in hands]
    for index, player in gone:
        remaining[player][index] = 0
    return tuple(map(tuple, remaining))
