"""A state as an HTML table, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from quaternity.game.faults import why_impossible
from solvers.errors import LimitError, NoDeal
from solvers.problem import players_in
from solvers.wording import counted, named

if TYPE_CHECKING:
    from quaternity.game.state import State

_CERTAIN = "background:#d9ead3;font-weight:bold"
_DONE = "color:#888"


def state_html(state: State) -> str:
    """Who may own what, one row a set; hands, points and turn above."""
    players = "; ".join(
        f"{_bold(f'player {player}', on=player == state.turn)}: "
        f"{counted(hand, 'card')}, {counted(points, 'point')}"
        for player, (hand, points) in enumerate(zip(state.hands, state.points, strict=True))
    )
    problem, note = state.problem, ""
    try:
        problem = state.closed()
    except NoDeal as error:
        reason = why_impossible(problem)
        note = f"<p>impossible: {escape(str(error) if reason is None else reason[1])}</p>"
    except LimitError as error:
        note = f"<p>as stated, not deduced: {escape(str(error))}</p>"
    head = "".join(f"<th>/{number}</th>" for number in range(state.set_size))
    rows = []
    for index, (constraint, owner) in enumerate(zip(problem.sets, state.completed, strict=True)):
        if owner is None:
            cells = "".join(_cell(mask) for mask in constraint.owners)
            rows.append(f"<tr><th>{index}</th>{cells}</tr>")
        else:
            cell = f'<td colspan="{state.set_size}" style="{_DONE}">player {owner}</td>'
            rows.append(f"<tr><th>{index}</th>{cell}</tr>")
    table = f"<table><tr><th>set</th>{head}</tr>{''.join(rows)}</table>"
    return f"<div><p>{players}</p>{note}{table}</div>"


def _bold(text: str, *, on: bool) -> str:
    return f"<b>{text}</b>" if on else text


def _cell(mask: int) -> str:
    players = players_in(mask)
    style = f' style="{_CERTAIN}"' if len(players) == 1 else ""
    title = named("player", players) if players else "nobody"
    return f'<td{style} title="{title}">{" ".join(map(str, players)) or "-"}</td>'


__all__ = ["state_html"]
