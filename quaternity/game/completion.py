"""Completed sets: find the sets that a player owns in every deal, and take them out of play."""

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
    """Return the sets that one player owns in every possible deal, as pairs (set, player).

    A player owns a set in every deal if forbidding this player to hold all its cards leaves no
    deal. This restriction lowers the slack of each coalition (see `LaneLayout.slack`) by at most 1.
    So if the slack of every coalition except the empty and the full one is above 0, a player can
    own a set only because of the constraint of that set.
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
    """Remove completed sets from the hands, the prepared sets (`rows`) and the slack.

    Record the owners of these sets in `completed`. Return the new hands, rows, owners and slack.
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
    """Return the same pairs as `owned_sets`, found by any solver.

    The list is empty if the problem has no deal. A player who owns a set in every deal also owns
    it in the deal that the solver finds, so only sets with a single owner in that deal are tested.
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
