"""Adapters for SAT solvers, with constraints as clauses or as native cardinality constraints.

Clauses are written in one of the encodings of python-sat. A SAT solver does not give a shortage for
an infeasible problem, so `solvers.certify` adds a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Timer
from typing import Any

from solvers.exchange.rows import LinearModel
from solvers.verdict import Infeasible, Verdict

Run = Callable[[], Verdict | None]
"""Function that runs a solver and returns its verdict. It returns None if time ran out."""


def clauses(linear: LinearModel, encoding: str) -> list[list[int]]:
    """Return a deal problem as clauses, which are lists of literals.

    Boolean v of `linear` becomes variable v + 1. Sums need further variables. `encoding` is the way
    to write sums as clauses, named as in python-sat's `EncType`, such as "totalizer".
    """
    from pysat.card import CardEnc, EncType

    formula: list[list[int]] = []
    top = len(linear.pairs)
    for row in linear.rows:
        literals = [term + 1 for term in row.terms]
        for needed, encode, bound in (
            (row.low > 0, CardEnc.atleast, row.low),
            (row.high < len(literals), CardEnc.atmost, row.high),
        ):
            if needed:
                code = encode(
                    lits=literals, bound=bound, top_id=top, encoding=getattr(EncType, encoding)
                )
                formula += code.clauses
                top = max(top, code.nv)
    return formula


def _by_clauses(name: str, encoding: str, linear: LinearModel, seconds: float | None) -> Run:
    """Return a function that solves a deal problem as clauses, with a solver of python-sat."""
    from pysat.solvers import Solver

    return _run(Solver(name=name, bootstrap_with=clauses(linear, encoding)), linear, seconds)


def _by_cardinalities(name: str, linear: LinearModel, seconds: float | None) -> Run:
    """Return a function that solves a deal problem with native cardinality constraints."""
    from pysat.solvers import Solver

    solver = Solver(name=name)
    for row in linear.rows:
        literals = [term + 1 for term in row.terms]
        if row.high < len(literals):
            solver.add_atmost(literals, row.high)
        if row.low == 1:
            solver.add_clause(literals)
        elif row.low > 0:
            solver.add_atmost([-literal for literal in literals], len(literals) - row.low)
    return _run(solver, linear, seconds)


def _run(solver: Any, linear: LinearModel, seconds: float | None) -> Run:
    def solve() -> Verdict | None:
        with solver:
            if seconds is None:
                answer = solver.solve()
            else:
                timer = Timer(seconds, solver.interrupt)
                timer.start()
                answer = solver.solve_limited(expect_interrupt=True)
                timer.cancel()
            if answer:
                true_literals = {literal for literal in solver.get_model() if literal > 0}
                return linear.deal(v + 1 in true_literals for v in range(len(linear.pairs)))
            return None if answer is None else Infeasible()

    return solve


glucose = partial(_by_clauses, "glucose42", "totalizer")
cadical = partial(_by_clauses, "cadical195", "seqcounter")
maplesat = partial(_by_clauses, "maplesat", "cardnetwrk")
minicard = partial(_by_cardinalities, "minicard")


def cryptominisat(linear: LinearModel, seconds: float | None) -> Run:
    """Return a function that solves a deal problem with CryptoMiniSat 5, using totalizers."""
    from pycryptosat import Solver

    formula = clauses(linear, "totalizer")

    def solve() -> Verdict | None:
        solver = Solver() if seconds is None else Solver(time_limit=seconds)
        solver.add_clauses(formula)
        answer, values = solver.solve()
        if answer:
            return linear.deal(values[1 : len(linear.pairs) + 1])
        return None if answer is None else Infeasible()

    return solve
