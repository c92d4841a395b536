"""What one seat sees of a game, and nothing else: the public record and its own hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index as as_int
from random import Random
from typing import TypeAlias

from quaternity.cards import Card
from quaternity.errors import InputError
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.public import PublicState, information_set
from quaternity.kwartet.requests import Event, request_faults
from quaternity.question import Question
from solvers.problem import DealProblem


class View:
    """A game as one seat sees it.

    Attributes:
        seat: whose view it is.
        public: what everybody knows.
        hand: the seat's own cards.
    """

    __slots__ = ("_events", "_length", "_problem", "hand", "public", "seat")

    def __init__(
        self, public: PublicState, seat: int, hand: Hand, events: Sequence[Event] = ()
    ) -> None:
        """`events` may grow later; the view keeps to those that are there now."""
        self.public = public
        self.seat = seat
        self.hand = hand
        self._events = events
        self._length = len(events)
        self._problem: DealProblem | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """All requests so far with results and announcements, the first one first."""
        return tuple(self._events[: self._length])

    @property
    def problem(self) -> DealProblem:
        """The deals that the seat holds possible: its information set."""
        if self._problem is None:
            self._problem = information_set(self.public.problem, self.seat, self.hand)
        return self._problem

    def faults(self, question: Question) -> list[str]:
        """Everything that makes a request of this seat illegal; empty when it is legal."""
        return request_faults(self.public, self.hand, question)


Strategy: TypeAlias = Callable[[View, Random], Question]
"""A strategy: from what its seat sees, and a source of chance, to a legal request."""


def request_of(strategy: Strategy, name: str, view: View, random: Random) -> Question:
    """What a strategy asks; whether that is legal is for the game to say.

    Raises:
        InputError: it raises something itself, or gives something else than a question of whole
            numbers.
    """
    try:
        question = strategy(view, random)
    except Exception as error:  # whatever somebody else's code may raise
        raise InputError(f"strategy {name!r} failed: {error!r}") from error
    if not isinstance(question, Question):
        raise InputError(f"strategy {name!r} gave {question!r}, which is no Question")
    try:
        asker, asked, (index, number) = question
        if type(asker) is type(asked) is type(index) is type(number) is int:
            return question
        # Numbers of NumPy and the like count as whole numbers too; what is logged are plain ones.
        plain = [int(as_int(one)) for one in (asker, asked, index, number)]
    except (TypeError, ValueError) as error:
        raise InputError(f"strategy {name!r} gave {question!r}: {error}") from error
    return Question(plain[0], plain[1], Card(plain[2], plain[3]))


__all__ = ["Strategy", "View", "request_of"]
