"""A table of who may own what: the picture of states, games and views of Kwartet."""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.base.picture import Cell, Picture, heads
from quaternity.base.wording import counted, named
from solvers.problem import DealProblem, players_in


def owners_picture(
    title: str,
    lines: Sequence[str],
    problem: DealProblem,
    points: Sequence[int],
    turn: int | None,
    completed: Sequence[int | None],
) -> Picture:
    """Draw a row per set and a column per card, with hands, points and turn above.

    Args:
        lines: further lines of text.
        problem: what is known, with exact owners and bounds.
        completed: per set its owner, None while it is in play.
    """
    size = max((constraint.size for constraint in problem.sets), default=0) or 1
    players = "; ".join(
        f"player {player}{' (on turn)' if player == turn else ''}: "
        f"{counted(hand, 'card')}, {counted(won, 'point')}"
        for player, (hand, won) in enumerate(zip(problem.hands, points, strict=True))
    )
    rows = [heads("set", *(f"/{number}" for number in range(size)))]
    for index, (constraint, owner) in enumerate(zip(problem.sets, completed, strict=True)):
        cells = [_cell(mask) for mask in constraint.owners]
        if owner is not None:
            cells = [Cell(f"player {owner}", "gone", f"player {owner} has completed it", size)]
        rows.append([*heads(index), *cells])
    return Picture(title, (players, *lines), rows)


def _cell(mask: int) -> Cell:
    players = players_in(mask)
    title = named("player", players) if players else "nobody"
    if len(players) == 1:
        return Cell(f"= {players[0]}", "sure", f"{title} has it")
    return Cell(" ".join(map(str, players)) or "-", "", title)
