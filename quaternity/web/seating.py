"""Functions with which commands change the seats of a table, and begin its game.

They return events, which change the state of a table (see `core`).
"""

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
from quaternity.web.seats import READY, Pace, Seat, StoredTable, renumber
from quaternity.web.versioned_history import VersionedHistory


def change_seats(state: TableState, seats: Mapping[int, Seat], now: float) -> tuple[Event, ...]:
    """Return the changes that put new players in some seats of a table and set its clock.

    `seats` maps the numbers of the changed seats to their new contents. If a person whose clock is
    running gives the seat to a program, the clock stops. If a person then takes the seat back
    before the next move, the clock continues with the seconds that were left.
    """
    changed = SeatsChanged(seats)
    acting = [seat for seat in state.to_act if seat in seats]
    if all(seats[seat].kind == state.seats[seat].kind for seat in acting):
        return (changed,)
    paused = state.paused
    if state.due is not None:
        paused = PausedClock(state.version, state.due - now)
    due = apply(state, changed).due_after(now)
    if due is not None and paused.version == state.version:
        # Keep the seconds left, so that a player cannot gain time by giving the seat to a program
        # for a while.
        due = now + paused.left
    return changed, ClockSet(due, paused)


def begin_if_ready(
    state: TableState, events: tuple[Event, ...], deal: str, now: float
) -> tuple[Event, ...]:
    """Return `events`. If they make every player ready, add events that begin the game.

    The game cannot begin while a seat is open or a person is not ready. `deal` is the seed of the
    deal.
    """
    state = apply(state, *events)
    if not state.is_ready:
        return events
    return *events, *begin(state, state.rules, dict(enumerate(state.seats)), deal, now)


def begin(
    state: TableState, rules: Any, chosen: Mapping[int, Seat], deal: str, now: float
) -> tuple[Event, ...]:
    """Return the changes to a table that begin its game with the players in the chosen seats.

    `chosen` contains the seats that take part, by their old numbers. They get new consecutive
    numbers. `deal` is the random seed of the deal, unless the maker of the table chose a seed.
    """
    start = rules.start(Random(f"{state.stored.deal.waiting or deal}/deal"))
    seats = tuple(
        renumber(seat, number, index)._replace(ready=READY, pace=Pace())
        for index, (number, seat) in enumerate(chosen.items())
    )
    begun = GameBegun(rules, start, rules.record_start(start, ()), seats, tuple(chosen))
    if state.clock is None:
        return (begun,)
    return begun, ClockSet(apply(state, begun).due_after(now))


def new_state(
    stored: StoredTable, rules: Any, deal: str, seats: tuple[Seat, ...], now: float
) -> TableState:
    """Return the state of a new table. If its game has begun, the clock of the game starts.

    `deal` is the random seed of the deal.
    """
    history = VersionedHistory.begin(rules, rules.start(Random(f"{deal}/deal")))
    state = TableState(stored, seats, history)
    return state._replace(due=state.due_after(now))


def record_head(rules: Any, seed: str) -> str:
    """Return the beginning of the record of a game whose deal has the given seed.

    Before a game begins, its table stores the result for an empty seed. That deal is never played.
    """
    return str(rules.record_start(rules.start(Random(f"{seed}/deal")), ()))
