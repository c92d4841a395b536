"""Views of a Kwartet game. A seat sees the public state and its own hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from quaternity.base.picture import Display, Displayable
from quaternity.base.text_format import quote_value
from quaternity.game.question import Question, is_plain, plain_question
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.public import Event, PublicState, request_faults
from solvers.problem import DealProblem

NOBODY = -1
"""Seat number that stands for a bystander, who sees no hand."""


class View(Displayable):
    """A game as one seat, or a bystander (`NOBODY`), sees it at one moment."""

    __slots__ = ("_events", "_length", "_problem", "hand", "public", "seat")

    def __init__(
        self, public: PublicState, seat: int, hand: Hand, events: Sequence[Event] = ()
    ) -> None:
        self.public = public
        self.seat = seat
        self.hand = hand
        self._events = events
        self._length = len(events)
        self._problem: DealProblem | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """All requests so far, in order, with their results and the sets put down."""
        return tuple(self._events[: self._length])

    @property
    def last(self) -> Event | None:
        """The last request, or None if no request has been made."""
        return self._events[self._length - 1] if self._length else None

    @property
    def problem(self) -> DealProblem:
        """A `DealProblem` that allows exactly the deals that the seat considers possible."""
        if self.seat == NOBODY:
            return self.public.problem
        if self._problem is None:
            self._problem = self.public.problem.with_hand(self.seat, self.hand)
        return self._problem

    def at_deal(self) -> tuple[list[int], Hand, list[tuple[int, int]]]:
        """Return what a seat knew right after the deal, in three parts.

        The first result is the number of cards dealt to each hand. The second is the seat's hand,
        without the sets that were put down at once. The third contains these sets as pairs (set,
        player).
        """
        settings = self.public.settings
        sizes, hand, removed = list(self.public.hands), list(self.hand), list(self.public.removed)
        for (asker, asked, (index, number)), answer, announced in reversed(self.events):
            for complete in announced:
                sizes[asker] += settings.set_size
                removed[complete] = None
                if asker == self.seat:
                    hand[complete] = settings.full
            if answer:
                sizes[asker] -= 1
                sizes[asked] += 1
                hand[index] ^= (self.seat in (asker, asked)) << number
        down = [(index, player) for index, player in enumerate(removed) if player is not None]
        for _, player in down:
            sizes[player] += settings.set_size
        return sizes, tuple(hand), down

    def picture(self) -> Display:
        """Return a drawing of what the seat can know about the owners of all cards."""
        from quaternity.game.picture import owners_picture
        from solvers.filtering import filter_problem

        public = self.public
        seat = "a bystander" if self.seat == NOBODY else f"player {self.seat}"
        points = list(public.points)
        return owners_picture(
            f"Kwartet, as {seat} knows it", (), filter_problem(self.problem), points, public.turn,
            public.removed,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        own = (self.seat, self.hand, self.public, self.events)
        return own == (other.seat, other.hand, other.public, other.events)

    def __hash__(self) -> int:
        return hash((self.seat, self.hand, self.public, self._length))

    def faults(self, question: Question) -> list[str]:
        """Return all reasons why a request of this seat is illegal, or an empty list."""
        if not is_plain(question):
            try:
                question = plain_question(question)
            except (TypeError, ValueError):
                return [f"{quote_value(question)} is not a request"]
        return request_faults(self.public, self.hand, question)


Strategy: TypeAlias = Callable[[View, Random], Question]
"""Function that takes the view of a seat and a random generator, and returns a legal request."""
