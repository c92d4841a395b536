"""Completed sets: who owns every card of a set in all deals, and how it leaves the game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quaternity.game.legal import PreparedSet, prepared
from quaternity.game.transition import out_of_play
from solvers.coalition_tables import Lanes
from solvers.problem import DealProblem, SetConstraint
from solvers.solver import Solver
from solvers.verdict import Feasible


def owned_sets(
    rows: Sequence[PreparedSet], slack: int, layout: Lanes, hands: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the sets that one player owns in every deal, as (set, player).

    A player owns a set when no deal leaves the player fewer cards of it than all. Forbidding the
    full number lowers a lane by at most 1. So where no lane is tight, other than those of nobody
    and everybody, the set must be owned by itself.
    """
    done = []
    guard = layout.guard
    loose = slack + 1 + (1 << (layout.everybody * layout.width)) - layout.ones
    tight = loose & guard != guard
    for index, row in enumerate(rows):
        kind = row.kind
        if kind.owned is not None:
            done.append((index, kind.owned))
        elif tight and kind.holders:
            others = slack - kind.table
            for player, table in kind.holders:
                if hands[player] >= len(row.constraint.owners) and (
                    (others + table) & guard != guard
                ):
                    done.append((index, player))
                    break
    return done


def put_down(
    done: Iterable[tuple[int, int]],
    hands: Sequence[int],
    rows: Sequence[PreparedSet],
    completed: Sequence[int | None],
    slack: int,
    set_size: int,
) -> tuple[tuple[int, ...], tuple[PreparedSet, ...], tuple[int | None, ...], int]:
    """Take completed sets out of hands, rows and slack. The surviving deals stay the same."""
    hands, rows, completed = list(hands), list(rows), list(completed)
    layout = rows[0].kind.layout
    empty = prepared(layout, out_of_play(len(hands)))
    for index, player in done:
        hands[player] -= set_size
        slack += set_size * layout.member[player] - rows[index].kind.table
        rows[index] = empty
        completed[index] = player
    return tuple(hands), tuple(rows), tuple(completed), slack


def owned_by_solver(problem: DealProblem, solver: Solver) -> list[tuple[int, int]]:
    """Return the same as `owned_sets`, by any solver; empty for a problem that has no deal.

    A player who owns a set in every deal owns it in this one, so few sets are tried.
    """
    verdict = solver(problem)
    if not isinstance(verdict, Feasible):
        return []
    done = []
    for index, (constraint, owners) in enumerate(
        zip(problem.sets, verdict.deal.owner, strict=True)
    ):
        if len(set(owners)) == 1:
            player = owners[0]
            high = list(constraint.high)
            high[player] = constraint.size - 1
            fewer = SetConstraint.trusted(constraint.owners, constraint.low, tuple(high))
            if not solver(problem.with_set(index, fewer)):
                done.append((index, player))
    return done
