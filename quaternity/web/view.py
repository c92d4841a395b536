"""The part of a table that one viewer may see. No other module sends a state to a client."""

from __future__ import annotations

from typing import Any

from quaternity.base.text_record import settings_text
from quaternity.table.setting_fields import settings_of
from quaternity.web.actor import LiveTable
from quaternity.web.background import BackgroundWork
from quaternity.web.core import TableState
from quaternity.web.replays import MAX_REPLAYED
from quaternity.web.seats import OPEN, READY, Visitor
from quaternity.web.table_admin import whole_record
from quaternity.web.table_view import (
    GameView,
    PlayerStatus,
    SeatView,
    TableInfo,
    TableStatus,
    TableView,
    Viewpoint,
)


def view_table(
    table: LiveTable, visitor: Visitor, moment: tuple[int, Any] | None = None
) -> TableView:
    """Return the view of a table for a visitor, now or at an earlier moment of the game.

    `moment` is the number of moves and the position, or None for now.
    """
    state, talk = table.state, table.talk
    rules, history, options = state.rules, state.history, state.stored.options
    last = len(history.game.moves)
    number, position = (last, history.position) if moment is None else moment
    waits = state.is_waiting
    attendance, streaming = table.attendance(), table.presence.streaming()
    is_host = state.is_host(visitor, attendance)
    seats = tuple(
        SeatView(
            seat.name,
            seat.kind,
            index in streaming,
            seat.invitation if seat.kind == OPEN and is_host else None,
            seat.ready == READY,
        )
        for index, seat in enumerate(state.seats)
    )
    places = rules.places(position)
    points = (0.0,) * len(seats) if waits else tuple(rules.points(position))
    info = TableInfo(
        state.id, rules.name, rules, settings_of(rules), options.deck, bool(options.help),
        bool(options.practice) and state.is_secret, bool(options.chat),
    )  # fmt: skip
    game = GameView(
        number, last, () if options.archive or waits else tuple(rules.to_act(position)),
        None if waits else rules.view(position, visitor.looking), history.game.steps()[:number],
        points, None if places is None else tuple(places),
        history.game.start if state.is_over and state.is_secret else None,
    )  # fmt: skip
    is_invited = waits and (visitor.seats or state.is_public)
    viewpoint = Viewpoint(
        visitor.looking, visitor.seats, waits and is_host,
        state.stored.invitation if is_invited else None, talk.shown_lines(visitor),
    )  # fmt: skip
    status = TableStatus(
        state.version, seats, not waits, table.notice, state.stored.again, talk.score, state.clock,
        times_left(state, table.uptime()),
    )  # fmt: skip
    players = PlayerStatus(
        tuple(sorted(table.programs.tasks)), tuple(sorted(state.votes.undo)), tuple(state.awaited),
        {seat: tuple(sorted(agreed)) for seat, agreed in state.votes.takeovers.items()},
        tuple(seat for seat in state.people if seat in attendance.absent),
    )  # fmt: skip
    return TableView(info, game, viewpoint, status, players)


def times_left(state: TableState, now: float) -> tuple[float, ...]:
    """Return the seconds left for the next move of each seat. Empty if there is no clock."""
    if state.clock is None:
        return ()
    left = [state.clock.seconds + seat.saved for seat in state.seats]
    if state.due is not None:
        left[state.to_act[0]] = max(0.0, state.due - now)
    return tuple(left)


async def record_of(state: TableState, visitor: Visitor, thinking: BackgroundWork) -> str:
    """Return the record of the game.

    Before the end of a game with hidden cards, return a text with what the visitor may see instead.

    The record calls people `you`, as records of the terminal do, so that the game can be continued
    there.
    """
    state.check_begun()
    rules, history = state.rules, state.history
    if state.is_secret and not state.is_over:
        lines = [
            f"an unfinished game of {rules.name}: what everybody sees, and what only you see",
            *settings_text(rules.settings).splitlines(),
            *rules.show(rules.view(history.position, visitor.looking)).splitlines(),
            *(event for step in history.game.steps() for event in step.events),
        ]
        return "".join(f"# {line}\n" for line in lines)
    game = whole_record, state.seats, rules, history.game.start, history.game.moves
    return await thinking.draw(len(history.game.moves) > MAX_REPLAYED, *game)
