"""Events that several commands share: new players in seats, and the beginning of a game."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from quaternity.web.core import (
    ClockSet,
    Event,
    GameBegun,
    PausedClock,
    SeatsChanged,
    TableState,
    apply,
)
from quaternity.web.seats import READY, Seat, StoredTable, renumber
from quaternity.web.versioned_history import VersionedHistory


def change_seats(state: TableState, seats: Mapping[int, Seat], now: float) -> tuple[Event, ...]:
    """Return the events that put new players in some seats."""
    changed = SeatsChanged(seats)
    acting = [seat for seat in state.to_act if seat in seats]
    if all(seats[seat].kind == state.seats[seat].kind for seat in acting):
        return (changed,)
    paused = state.paused
    if state.due is not None:
        paused = PausedClock(state.version, state.due - now)
    due = apply(state, changed).due_after(now)
    if due is not None and paused.version == state.version:
        # Keep the seconds left, so that a player cannot gain time by leaving the seat for a while.
        due = now + paused.left
    return changed, ClockSet(due, paused)


def begin_if_ready(
    state: TableState, events: tuple[Event, ...], deal: str, now: float
) -> tuple[Event, ...]:
    """Add the beginning of the game to the events if all seats are then taken and ready."""
    state = apply(state, *events)
    if not state.is_ready:
        return events
    return *events, *begin(state, state.rules, dict(enumerate(state.seats)), deal, now)


def begin(
    state: TableState, rules: Any, chosen: Mapping[int, Seat], deal: str, now: float
) -> tuple[Event, ...]:
    """Return the events that begin a game with the `chosen` seats."""
    start = rules.start(Random(f"{state.stored.deal.waiting or deal}/deal"))
    seats = tuple(
        renumber(seat, number, index)._replace(ready=READY, saved=0.0, missed=0)
        for index, (number, seat) in enumerate(chosen.items())
    )
    begun = GameBegun(rules, start, rules.record_start(start, ()), seats, tuple(chosen))
    if state.clock is None:
        return (begun,)
    return begun, ClockSet(apply(state, begun).due_after(now))


def new_state(
    stored: StoredTable, rules: Any, deal: str, seats: tuple[Seat, ...], now: float
) -> TableState:
    """Return the state of a new table, whose clock starts if the game has begun."""
    history = VersionedHistory.begin(rules, rules.start(Random(f"{deal}/deal")))
    state = TableState(stored, seats, history)
    return state._replace(due=state.due_after(now))


def record_head(rules: Any, seed: str) -> str:
    """Return the head of the record of the game that a seed deals.

    The empty seed gives the head of a waiting table, whose deal is not played.
    """
    return str(rules.record_start(rules.start(Random(f"{seed}/deal")), ()))
