"""Display of states, games and views as tables that show the possible owners of each card."""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.base.picture import Cell, Display, heading_cells
from quaternity.base.text_format import name_numbers, with_noun
from solvers.problem import DealProblem, players_in


def owners_picture(
    title: str,
    lines: Sequence[str],
    problem: DealProblem,
    points: Sequence[int],
    turn: int | None,
    completed: Sequence[int | None],
) -> Display:
    """Return a table of the possible owners, with a row for each set and a column for each card.

    The hand sizes, the points and the turn are shown above the table.

    Args:
        title: title of the display.
        lines: further lines of text.
        problem: the known facts as a deal problem. Its last hand contains the cards that were set
            aside, if there are any.
        points: points of each player.
        turn: the player to move, or None to show no turn.
        completed: the owner of each completed set, and None for a set in play.
    """
    size = max((constraint.size for constraint in problem.sets), default=0) or 1
    holders = [
        f"player {player}{' (to move)' if player == turn else ''}: "
        f"{with_noun(problem.hands[player], 'card')}, {with_noun(won, 'point')}"
        for player, won in enumerate(points)
    ]
    holders += [f"aside: {with_noun(hand, 'card')}" for hand in problem.hands[len(points) :]]
    rows = [heading_cells("set", *(f"/{number}" for number in range(size)))]
    for index, (constraint, owner) in enumerate(zip(problem.sets, completed, strict=True)):
        cells = [_cell(mask, len(points)) for mask in constraint.owners]
        if owner is not None:
            cells = [Cell(f"player {owner}", "gone", f"player {owner} has completed it", size)]
        rows.append([*heading_cells(index), *cells])
    return Display(title, ("; ".join(holders), *lines), rows)


def _cell(mask: int, seats: int) -> Cell:
    players = [holder for holder in players_in(mask) if holder < seats]
    aside = ["aside"] * bool(mask >> seats)
    title = " or ".join([name_numbers("player", players)] * bool(players) + aside) or "nobody"
    short = " ".join([*map(str, players), *aside]) or "-"
    if len(players) + len(aside) == 1:
        return Cell(f"= {short}", "sure", f"{title} has it" if players else "it is laid aside")
    return Cell(short, "", title)
