"""Adapters for SMT solvers, with the constraints of a problem as sums of integers or booleans.

The constraints on hands, and on the cards of a set that a player holds, have names (see
`solvers.exchange.rows`). An unsatisfiable core lists the names of constraints that contradict each
other. Linear programming then finds weights with which these constraints add up to a contradiction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solvers.exchange.rows import LinearModel
from solvers.rivals.linear import refute_by_core
from solvers.verdict import Verdict


def _by_z3(
    booleans: list[Any],
    total: Callable[[Any, list[Any], int], Any],
    linear: LinearModel,
    seconds: float | None,
) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with Z3.

    `total(sign, terms, bound)` returns a constraint: the sum of the terms is at least the bound if
    `sign` is 1, or at most the bound if `sign` is -1.
    """
    import z3

    solver = z3.Solver(ctx=booleans[0].ctx)
    for index, row in enumerate(linear.rows):
        terms = [booleans[term] for term in row.terms]
        both = z3.And(total(1, terms, row.low), total(-1, terms, row.high))
        if row.kind == "card":
            solver.add(both)
        else:
            solver.assert_and_track(both, f"s{index}")
    if seconds is not None:
        solver.set("timeout", max(1, round(1000 * seconds)))

    def solve() -> Verdict | None:
        answer = solver.check()
        if answer == z3.sat:
            model = solver.model()
            values = [model.eval(boolean, model_completion=True) for boolean in booleans]
            return linear.deal(str(value) in ("True", "1") for value in values)
        if answer == z3.unknown:
            return None
        return refute_by_core(linear, (int(str(name)[1:]) for name in solver.unsat_core()))

    return solve


def z3_integers(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with Z3, using integers from 0 to 1."""
    import z3

    context = z3.Context()
    numbers = [z3.Int(f"x{term}", context) for term in range(len(linear.pairs))]

    def total(sign: int, terms: list[Any], bound: int) -> Any:
        amount = z3.Sum(terms)
        within = [term >= 0 for term in terms] if sign > 0 else [term <= 1 for term in terms]
        return z3.And(amount >= bound if sign > 0 else amount <= bound, *within)

    return _by_z3(numbers, total, linear, seconds)


def z3_pseudo_booleans(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with Z3, using pseudo-boolean constraints."""
    import z3

    context = z3.Context()
    booleans = [z3.Bool(f"x{term}", context) for term in range(len(linear.pairs))]

    def total(sign: int, terms: list[Any], bound: int) -> Any:
        count = z3.PbGe if sign > 0 else z3.PbLe
        return count([(term, 1) for term in terms], bound)

    return _by_z3(booleans, total, linear, seconds)


def cvc5(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with cvc5, using integers 0 and 1 (QF_LIA)."""
    from cvc5 import Kind, Solver, TermManager

    terms = TermManager()
    solver = Solver(terms)
    solver.setLogic("QF_LIA")
    solver.setOption("produce-models", "true")
    solver.setOption("produce-unsat-cores", "true")
    if seconds is not None:
        solver.setOption("tlimit-per", str(max(1, round(1000 * seconds))))
    number = terms.mkInteger
    booleans = [terms.mkConst(terms.getIntegerSort(), "") for _ in linear.pairs]
    for boolean in booleans:
        solver.assertFormula(terms.mkTerm(Kind.LEQ, number(0), boolean, number(1)))
    places: dict[Any, int] = {}
    for index, row in enumerate(linear.rows):
        row_booleans = [booleans[term] for term in row.terms]
        total = terms.mkTerm(Kind.ADD, *row_booleans) if len(row_booleans) > 1 else row_booleans[0]
        bounded = terms.mkTerm(Kind.LEQ, number(row.low), total, number(row.high))
        solver.assertFormula(bounded)
        if row.kind != "card":
            places[bounded] = index

    def solve() -> Verdict | None:
        answer = solver.checkSat()
        if answer.isSat():
            return linear.deal(solver.getValue(term).getIntegerValue() for term in booleans)
        if answer.isUnknown():
            return None
        core = solver.getUnsatCore()
        return refute_by_core(linear, (places[term] for term in core if term in places))

    return solve
