"""The largest free part of a table by OR-Tools' CP-SAT.

A boolean for each card, a clause for each three. Greedily chosen disjoint threes are also stated as
sums of at most two: the linear relaxation then sees at once that each of them loses a card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor
from typing import TYPE_CHECKING

from quaternity.errors import SolverFault, SolverTimeout
from quaternity.ternary.best import Best
from quaternity.ternary.cards import CARDS
from quaternity.ternary.cp_sat import new_solver
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import bits_of
from quaternity.ternary.triples import triples
from solvers.interruptible import solved

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

SECONDS = 60.0
"""Time limit of one solve, if no other is given."""
TOLERANCE = 1e-6
"""A bound in floating point may be below the integer that it means by so little."""


def largest(
    table: Sequence[int],
    rule: Rule,
    kept: Sequence[int] = (),
    enough: int = CARDS,
    best: Best[int] | None = None,
) -> tuple[int, ...]:
    """A largest part of a table without a three that includes the cards `kept`.

    Args:
        kept: cards of the table among which there is no three.
        enough: a size that is known to be the largest possible: the solver stops there.
        best: is told every part and every bound found; has the time limit.

    Raises:
        SolverTimeout: not proved within the time limit.
        SolverFault: the solver ended in an unexpected way.
    """
    from ortools.sat.python import cp_model

    record = Best() if best is None else best

    class Teller(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]  # OR-Tools is untyped
        """Tells every solution."""

        def on_solution_callback(self) -> None:
            record.improve(tuple(sorted(card for card in table if self.value(stays[card]))))

    model, stays = _model(table, rule, kept)
    model.add(sum(stays.values()) <= enough)
    model.maximize(sum(stays.values()))
    solver = new_solver(record, SECONDS)
    solver.best_bound_callback = lambda bound: record.lower(floor(bound + TOLERANCE))
    status = solved(solver, model, Teller())
    if status in (cp_model.UNKNOWN, cp_model.FEASIBLE):
        raise SolverTimeout(
            f"{len(table)} cards: CP-SAT has not proved the largest part without a three "
            f"within its time; {record}"
        )
    if status != cp_model.OPTIMAL:
        raise SolverFault(f"CP-SAT ended with {solver.status_name(status)}")
    record.lower(record.size)
    return record.found


def parts(table: Sequence[int], rule: Rule, kept: Sequence[int], size: int) -> Iterator[int]:
    """All parts of a table without a three that have a size and include the cards `kept`.

    Each comes once, as a set of bits.

    Raises:
        SolverTimeout: not all found within `SECONDS`.
        SolverFault: the solver ended in an unexpected way.
    """
    from ortools.sat.python import cp_model

    class Collector(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]  # OR-Tools is untyped
        """Keeps the solutions it is told."""

        def __init__(self) -> None:
            super().__init__()
            self.found: list[int] = []

        def on_solution_callback(self) -> None:
            self.found.append(bits_of(card for card in table if self.value(stays[card])))

    model, stays = _model(table, rule, kept)
    model.add(sum(stays.values()) == size)
    solver, collector = new_solver(Best(), SECONDS), Collector()
    solver.parameters.enumerate_all_solutions = True
    status = solved(solver, model, collector)
    if status in (cp_model.UNKNOWN, cp_model.FEASIBLE):
        raise SolverTimeout(f"CP-SAT has not found all parts of {size} cards within {SECONDS} s")
    if status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        raise SolverFault(f"CP-SAT ended with {solver.status_name(status)}")
    return iter(collector.found)


def _model(
    table: Sequence[int], rule: Rule, kept: Sequence[int]
) -> tuple[cp_model.CpModel, dict[int, cp_model.IntVar]]:
    """A model of the parts without a three, and its variable for each card."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    stays = {card: model.new_bool_var("") for card in table}
    used: set[int] = set()
    for three in triples(table, rule):
        model.add_bool_or([~stays[card] for card in three])
        if used.isdisjoint(three):
            used.update(three)
            model.add(sum(stays[card] for card in three) <= 2)
    for card in kept:
        model.add(stays[card] == 1)
    return model, stays


__all__ = ["SECONDS", "largest", "parts"]
