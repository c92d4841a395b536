"""A state as an HTML table, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from solvers.problem import DealProblem, players_in
from solvers.wording import counted, named

_CERTAIN = "background:#d9ead3;font-weight:bold"
_DONE = "color:#888"


def state_html(
    problem: DealProblem,
    note: str,
    points: Sequence[int],
    turn: int | None,
    completed: Sequence[int | None],
    set_size: int,
) -> str:
    """Who may own what, one row a set; hands, points and turn above.

    Args:
        problem: what is known, as tightly as it can be said.
        note: what else there is to say, or empty.
        points, turn, completed, set_size: see `quaternity.game.state.State`.
    """
    players = "; ".join(
        f"{_bold(f'player {player}', on=player == turn)}: "
        f"{counted(hand, 'card')}, {counted(won, 'point')}"
        for player, (hand, won) in enumerate(zip(problem.hands, points, strict=True))
    )
    note = f"<p>{escape(note)}</p>" if note else ""
    head = "".join(f"<th>/{number}</th>" for number in range(set_size))
    rows = []
    for index, (constraint, owner) in enumerate(zip(problem.sets, completed, strict=True)):
        if owner is None:
            cells = "".join(_cell(mask) for mask in constraint.owners)
            rows.append(f"<tr><th>{index}</th>{cells}</tr>")
        else:
            cell = f'<td colspan="{set_size}" style="{_DONE}">player {owner}</td>'
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
