"""A state as people look at it: hands and points, and who may own what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.problem import players_in

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


def owners_table(state: State) -> Table:
    """Per card the players who may own it, and per set what players hold at least.

    `*` stands for everybody; a single number is certain.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("set", justify="right")
    for number in range(state.set_size):
        table.add_column(f"/{number}", justify="center")
    table.add_column("at least")
    everybody = (1 << state.players) - 1
    closed = state.closed()
    for index, constraint in enumerate(closed.sets):
        owner = state.completed[index]
        if owner is not None:
            cells = [f"[dim]{owner}[/dim]"] * state.set_size
            table.add_row(str(index), *cells, f"completed by player {owner}", style="dim")
            continue
        cells = []
        for mask in constraint.owners:
            who = "".join(_short(player) for player in players_in(mask))
            certain = mask.bit_count() == 1
            cells.append("*" if mask == everybody else f"[green]{who}[/green]" if certain else who)
        held = [f"player {player}: {least}" for player, least in enumerate(constraint.low) if least]
        table.add_row(str(index), *cells, ", ".join(held))
    return table


def _short(player: int) -> str:
    return str(player) if player < 10 else f"({player})"


__all__ = ["owners_table", "players_table"]
