"""The largest free part of a table by OR-Tools' CP-SAT.

A boolean for each card, a clause for each three. Greedily chosen disjoint threes are also stated as
sums of at most two: the linear relaxation then sees at once that each of them loses a card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor
from typing import TYPE_CHECKING

from quaternity.ternary.best import Best
from quaternity.ternary.cards import CARDS
from quaternity.ternary.cp_sat import search
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import bits_of
from quaternity.ternary.triples import triples

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
    search(
        model, record, SECONDS,
        lambda: f"{len(table)} cards: CP-SAT has not proved the largest part without a three "
        f"within its time; {record}",
        callback=Teller(), is_whole=True,
        on_bound=lambda bound: record.lower(floor(bound + TOLERANCE)),
    )  # fmt: skip
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
    collector = Collector()
    text = f"CP-SAT has not found all parts of {size} cards within {SECONDS} s"
    search(
        model, Best(), SECONDS, lambda: text,
        callback=collector, is_whole=True, enumerate_all_solutions=True,
    )  # fmt: skip
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
