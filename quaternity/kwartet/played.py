"""Logs of Kwartet games with all hands, and functions that reduce a log to what one seat saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from quaternity.base.errors import InputError
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event, PublicState
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import NOBODY, View


@dataclass(frozen=True, slots=True)
class GameLog:
    """A running or finished game, including all hidden information.

    `hands` contains the cards that were dealt to each player, followed by the cards set aside, if
    any. `positions` contains the position right after the deal and after each event. `warnings`
    lists irregularities in the text from which the log was read.
    """

    settings: KwartetSettings
    hands: tuple[Hand, ...]
    events: tuple[Event, ...]
    positions: tuple[Position, ...] = field(repr=False)
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        settings: KwartetSettings,
        hands: tuple[Hand, ...],
        events: Sequence[Event],
        names: Sequence[str] = (),
    ) -> GameLog:
        """Return the log of a game. Raise IllegalRequest if the game breaks the rules."""
        positions = [Position.start(settings, hands)]
        positions += [after for after, _ in positions[0].play(event.question for event in events)]
        return cls(settings, hands, tuple(events), tuple(positions), tuple(names))

    @property
    def states(self) -> list[PublicState]:
        """The public states right after the deal and after each request, in order."""
        return [position.public for position in self.positions]

    def view(self, step: int, seat: int | None) -> View:
        """Return what a seat, or a bystander (None), saw after `step` requests."""
        position, events = self.positions[step], self.events[:step]
        if seat is None:
            return View(position.public, NOBODY, (0,) * self.settings.sets, events)
        if not 0 <= seat < self.settings.players:
            raise InputError(f"seat {seat} is out of range 0..{self.settings.players - 1}")
        return position.view(seat, events)

    @property
    def go_ends(self) -> tuple[int, ...]:
        """The number of requests from the deal to the end of each finished go.

        A go is a series of requests by one player (see `ends_of_goes`).
        """
        return ends_of_goes(self)

    def after_goes(self, goes: int) -> Position:
        """Return the position after a number of goes. With 0, it is the position after the deal.

        A go is a series of requests by one player (see `ends_of_goes`). In the position,
        `public.problem` is the public knowledge, `public.removed` names the players who put down
        sets, and `hands` (or `deal`) contains the real cards.
        """
        ends = self.go_ends
        if not 0 <= goes <= len(ends):
            raise InputError(
                f"goes: {goes} is out of range 0..{len(ends)} (finished goes in the log)"
            )
        return self.positions[ends[goes - 1] if goes else 0]


def ends_go(event: Event, after: PublicState) -> bool:
    """Return whether a request ends the asker's series of consecutive requests (a go).

    `after` is the state after the request.
    """
    return not event.answer or not after.hands[event.question.asker] or after.is_over


def ends_of_goes(log: GameLog | SeatLog) -> tuple[int, ...]:
    """Return, for each finished go, the number of requests from the deal to the end of the go.

    A go consists of consecutive requests of one player. It ends when the answer is no, the player
    has no cards left, or the game is over.
    """
    after = enumerate(zip(log.events, log.states[1:], strict=True), start=1)
    return tuple(number for number, step in after if ends_go(*step))


def seat_log_of(log: GameLog, seat: int | None) -> SeatLog:
    """Return a log that shows only what a seat, or a bystander (None), saw of a game."""
    views = tuple(log.view(step, seat) for step in range(len(log.positions)))
    sizes = tuple(sum(held.bit_count() for held in hand) for hand in log.hands)
    hand = (0,) * log.settings.sets if seat is None else log.hands[seat]
    return SeatLog(log.settings, sizes, seat, hand, log.events, views, log.names, log.warnings)
