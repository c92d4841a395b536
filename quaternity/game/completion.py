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
    full number lowers a lane by at most one, so where no lane is tight (apart from nobody's and
    everybody's, which always are) only a set that is owned by itself can be.
    """
    done = []
    guard = layout.guard
    loose = slack + 1 + (1 << (layout.everybody * layout.width)) - layout.ones
    tight = loose & guard != guard
    for index, one in enumerate(rows):
        kind = one.kind
        if kind.owned is not None:
            done.append((index, kind.owned))
        elif tight and kind.holders:
            rest = slack - kind.table
            for player, table in kind.holders:
                if hands[player] >= len(one.constraint.owners) and (
                    (rest + table) & guard != guard
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
    """As `owned_sets`, by any solver, for a problem that has a deal.

    Only who owns all of a set in one deal can own it in every deal, so few are put to the test.
    """
    verdict = solver(problem)
    assert isinstance(verdict, Feasible), "a legal answer implies a possible state"
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
