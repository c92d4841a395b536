"""A state as people look at it: hands and points."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from quaternity.game.state import State


def players_table(state: State, names: dict[int, str] | None = None) -> Table:
    """Who is on turn, hands, points; one row a player."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("", "player", "cards", "points"):
        table.add_column(heading, justify="right" if heading != "player" else "left")
    for player, (hand, points) in enumerate(zip(state.hands, state.points, strict=True)):
        on_turn = player == state.turn and not state.is_over
        name = str(player) + (f" ({names[player]})" if names and player in names else "")
        table.add_row(
            ">" if on_turn else "", name, str(hand), str(points), style="bold" if on_turn else ""
        )
    return table


__all__ = ["players_table"]
