"""Completed sets. A set is completed when a player owns it in every deal that is still possible.

This module finds such sets and takes them out of play.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quaternity.game.legal import PreparedSet, prepare_set
from quaternity.game.transition import out_of_play
from solvers.coalition_tables import LaneLayout
from solvers.problem import DealProblem, SetConstraint
from solvers.solver import Solver
from solvers.verdict import Feasible


def owned_sets(
    rows: Sequence[PreparedSet], slack: int, layout: LaneLayout, hands: Sequence[int]
) -> list[tuple[int, int]]:
    """Find the sets that are now completed: one player owns them in every possible deal.

    Return them as pairs (set, player). `rows` are all sets of the state. `slack` says how many more
    cards each group of players could hold (see `LaneLayout.slack`).
    """
    done = []
    guard = layout.guard
    # Forbidding a player to hold a whole set lowers each slack by at most 1. So if all slacks but
    # those of the empty and the full group are above 0, only the constraint of a set can make a
    # player own it.
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
    """Take completed sets out of play. Return the new `hands`, `rows`, `completed` and `slack`.

    Args:
        done: the sets to take out of play, as pairs (set, owner).
        rows: all sets of the state.
        completed: the owner of each set that is already out of play, and None for other sets.
        slack: how many more cards each group of players could hold (see `LaneLayout.slack`).
    """
    hands, rows, completed = list(hands), list(rows), list(completed)
    layout = rows[0].kind.layout
    empty = prepare_set(layout, out_of_play(len(hands)))
    for index, player in done:
        hands[player] -= set_size
        slack += set_size * layout.member[player] - rows[index].kind.table
        rows[index] = empty
        completed[index] = player
    return tuple(hands), tuple(rows), tuple(completed), slack


def owned_by_solver(problem: DealProblem, solver: Solver) -> list[tuple[int, int]]:
    """Return the same pairs (set, player) as `owned_sets`, using any solver.

    The list is empty if the problem has no deal.
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
            fewer = SetConstraint.unchecked(constraint.owners, constraint.low, tuple(high))
            if not solver(problem.with_set(index, fewer)):
                done.append((index, player))
    return done
