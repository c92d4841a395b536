"""Disjoint threes by OR-Tools' CP-SAT.

A boolean for each three and for each card left over: each card is in exactly one three or left,
and as many are left as have to be. The sums of the digits of the cards left (`checksum`) are
stated too; without them the solver runs for minutes on tables of 42 cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.ternary.best import Best
from quaternity.ternary.cards import digits_of
from quaternity.ternary.checksum import checksum
from quaternity.ternary.cp_sat import search
from quaternity.ternary.rule import Rule
from quaternity.ternary.triples import Triple, triples

SECONDS = 60.0
"""Time limit of one solve, if no other is given. Most take some hundredths of a second."""


def pack(
    table: Sequence[int], rule: Rule, count: int, best: Best[Triple] | None = None
) -> tuple[Triple, ...] | None:
    """`count` disjoint threes of a table, or None if there are fewer.

    Args:
        best: has the time limit, and the generator from which the solver gets its seed.

    Raises:
        SolverTimeout: no answer within the time limit.
        SolverFault: the solver ended in an unexpected way.
    """
    from ortools.sat.python import cp_model

    left_over = len(table) - 3 * count
    if left_over < 0:
        return None
    best = Best() if best is None else best
    threes = triples(table, rule)
    if best.random is not None:
        threes = tuple(best.random.sample(threes, len(threes)))
    model = cp_model.CpModel()
    taken = {three: model.new_bool_var("") for three in threes}
    left = {card: model.new_bool_var("") for card in table}
    with_card = {card: [left[card]] for card in table}
    for three, variable in taken.items():
        for card in three:
            with_card[card].append(variable)
    for choices in with_card.values():
        model.add_exactly_one(choices)
    model.add(sum(left.values()) == left_over)
    for place, digit in enumerate(digits_of(checksum(table))):
        sum_left = sum(digits_of(card)[place] * left[card] for card in table)
        model.add(sum_left == digit + 3 * model.new_int_var(-1, len(table), ""))
    record = best
    solver = search(
        model, best, SECONDS,
        lambda: f"CP-SAT has not found within its time whether {len(table)} cards hold {count} "
        f"disjoint threes; {record}",
    )  # fmt: skip
    if solver is None:
        return None
    return tuple(sorted(three for three, variable in taken.items() if solver.value(variable)))


__all__ = ["SECONDS", "pack"]
