"""Functions that return what one visitor may see of a table, and the record of its game.

The pages of a table are made only from such views, so they cannot show hidden cards.
"""

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
    table: LiveTable, visitor: Visitor, moment: tuple[int, Any] | None = None,
    state: TableState | None = None,
) -> TableView:  # fmt: skip
    """Return what a visitor may see of a table, at the current position or an earlier one.

    Args:
        table: The table.
        visitor: The visitor, with the seat from which the visitor sees the game.
        moment: Number of moves and the position after them, or None for the current position.
        state: An earlier state of the table, or None for its current state.
    """
    state, talk = state or table.state, table.talk
    rules, history, options = state.rules, state.history, state.stored.options
    last = len(history.game.moves)
    number, position = (last, history.position) if moment is None else moment
    waits = state.is_waiting
    attendance = table.attendance()
    is_host = state.is_host(visitor, attendance)
    seats = _view_seats(table, state, is_host)
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


def _view_seats(table: LiveTable, state: TableState, is_host: bool) -> tuple[SeatView, ...]:
    streaming = table.presence.streaming()
    return tuple(
        SeatView(
            seat.name,
            seat.kind,
            index in streaming,
            seat.invitation if seat.kind == OPEN and is_host else None,
            seat.ready == READY,
            seat.origin,
        )
        for index, seat in enumerate(state.seats)
    )


async def view_after(
    table: LiveTable, visitor: Visitor, version: int, is_chosen: bool = False
) -> TableView:
    """Return what a visitor may see of a table as it was at a given version.

    The version is the number of entries in the log of the table. If the last move of this version
    was taken back later, the next version that still belongs to the game is used. The view contains
    nothing that happened later: no votes, notices, links or results.

    `is_chosen` says whether the visitor chose the seat from which to see the game. If not, a
    visitor with several seats sees the game from a seat that could act after this version.
    """
    state = table.state
    kept, number = state.history.kept_version(version)
    position = state.history.recent.get(kept)
    if position is None:
        __, position = await table.replays.position(state, number)
    if table.state.history.kept_version(version) != (kept, number):
        # Moves were taken back in the meantime.
        return await view_after(table, visitor, version, is_chosen)
    taken_back = state.history.taken_back(kept)
    if kept == table.state.version:
        return view_table(table, visitor)._replace(taken_back=taken_back)
    acting = state.rules.to_act(position)
    if len(visitor.seats) > 1 and not is_chosen:
        mover = next((seat for seat in visitor.seats if seat in acting), visitor.seats[0])
        visitor = visitor._replace(looking=mover)
    past = view_table(table, visitor, (number, position))
    return past._replace(
        version=kept, last=number, taken_back=taken_back, thinking=(), undo=(), notice=None,
        rematch=None, revealed=past.revealed if past.places is not None else None,
        empty_seats=past.empty_seats if acting else (), takeover_votes={}, absent=(), times_left=(),
        series=() if table.state.is_over else past.series,
    )  # fmt: skip


def times_left(state: TableState, now: float) -> tuple[float, ...]:
    """Return the seconds that each player has for the next move, by seat.

    The result is empty if there is no clock. `now` is the current time, measured in seconds by
    `Store.uptime`.
    """
    if state.clock is None:
        return ()
    left = [state.clock.seconds + seat.pace.saved for seat in state.seats]
    if state.due is not None:
        left[state.to_act[0]] = max(0.0, state.due - now)
    return tuple(left)


async def record_of(state: TableState, visitor: Visitor, thinking: BackgroundWork) -> str:
    """Return the record of the game at a table, or a description of an unfinished game.

    In the record, every person has the name "you", so that the game can be continued in a terminal.
    If the game has a secret deal and is not over, the result is a text that describes the part of
    the game that the visitor may see.

    Raises `HttpError` if the game has not begun, or its record takes too long to write.
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
