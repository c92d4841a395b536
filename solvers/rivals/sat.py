"""Satisfiability: sums as clauses, by the encodings of python-sat, or as cardinalities natively.

A refutation carries no shortage: it is paired with one. Glucose, CaDiCaL and others write it down
as clauses (DRUP), which `refutation` gives and `dratify` checks.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer
from typing import Any, NamedTuple

from solvers.rivals.rows import Rows
from solvers.verdict import Infeasible, Verdict

Run = Callable[[], Verdict | None]


def clauses(rows: Rows, encoding: str) -> list[list[int]]:
    """The sums as clauses; boolean v is the literal v + 1, auxiliaries come after.

    Args:
        encoding: of python-sat's `EncType`: "totalizer", "seqcounter", "cardnetwrk", ...
    """
    from pysat.card import CardEnc, EncType

    formula: list[list[int]] = []
    top = len(rows.pairs)
    for one in rows.sums:
        literals = [variable + 1 for variable in one.variables]
        for needed, encode, bound in (
            (one.least > 0, CardEnc.atleast, one.least),
            (one.most < len(literals), CardEnc.atmost, one.most),
        ):
            if needed:
                code = encode(
                    lits=literals, bound=bound, top_id=top, encoding=getattr(EncType, encoding)
                )
                formula += code.clauses
                top = max(top, code.nv)
    return formula


def _by_clauses(name: str, encoding: str, rows: Rows, seconds: float | None) -> Run:
    from pysat.solvers import Solver

    return _run(Solver(name=name, bootstrap_with=clauses(rows, encoding)), rows, seconds)


def _by_cardinalities(name: str, rows: Rows, seconds: float | None) -> Run:
    from pysat.solvers import Solver

    solver = Solver(name=name)
    for one in rows.sums:
        literals = [variable + 1 for variable in one.variables]
        if one.most < len(literals):
            solver.add_atmost(literals, one.most)
        if one.least == 1:
            solver.add_clause(literals)
        elif one.least > 0:
            solver.add_atmost([-literal for literal in literals], len(literals) - one.least)
    return _run(solver, rows, seconds)


def _run(solver: Any, rows: Rows, seconds: float | None) -> Run:
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
                true = {literal for literal in solver.get_model() if literal > 0}
                return rows.deal(v + 1 in true for v in range(len(rows.pairs)))
            return None if answer is None else Infeasible()

    return solve


def glucose(rows: Rows, seconds: float | None) -> Run:
    """Glucose 4.2 with totalizers."""
    return _by_clauses("glucose42", "totalizer", rows, seconds)


def cadical(rows: Rows, seconds: float | None) -> Run:
    """CaDiCaL 1.9.5 with sequential counters."""
    return _by_clauses("cadical195", "seqcounter", rows, None)


def maplesat(rows: Rows, seconds: float | None) -> Run:
    """MapleSAT with cardinality networks."""
    return _by_clauses("maplesat", "cardnetwrk", rows, seconds)


def minicard(rows: Rows, seconds: float | None) -> Run:
    """MiniCard: cardinalities natively, so without auxiliaries."""
    return _by_cardinalities("minicard", rows, seconds)


def cryptominisat(rows: Rows, seconds: float | None) -> Run:
    """CryptoMiniSat 5 with totalizers."""
    from pycryptosat import Solver

    formula = clauses(rows, "totalizer")

    def solve() -> Verdict | None:
        solver = Solver() if seconds is None else Solver(time_limit=seconds)
        solver.add_clauses(formula)
        answer, values = solver.solve()
        if answer:
            return rows.deal(values[1 : len(rows.pairs) + 1])
        return None if answer is None else Infeasible()

    return solve


class Refutation(NamedTuple):
    """A formula, and the clauses that a solver learned from it, the last of them empty (DRUP)."""

    formula: list[list[int]]
    proof: list[str]

    def check(self) -> bool:
        """Whether `dratify` accepts the proof: every clause follows by unit propagation."""
        from dratify import check_proof, parse_dimacs

        top = max(abs(literal) for clause in self.formula for literal in clause)
        lines = [f"p cnf {top} {len(self.formula)}"]
        lines += [" ".join(map(str, [*clause, 0])) for clause in self.formula]
        result = check_proof(parse_dimacs("\n".join(lines)), "\n".join(self.proof), check_rat=False)
        return bool(result.ok)


def refutation(
    rows: Rows, solver: str = "cadical195", encoding: str = "seqcounter"
) -> Refutation | None:
    """A DRUP refutation of the sums by a solver of python-sat, or None where a deal exists."""
    from pysat.solvers import Solver

    formula = clauses(rows, encoding)
    with Solver(name=solver, bootstrap_with=formula, with_proof=True) as run:
        if run.solve():
            return None
        # Nothing is written where unit propagation refutes the formula while it is read.
        proof: list[str] = run.get_proof() or []
    return Refutation(formula, proof if "0" in proof else [*proof, "0"])


__all__ = [
    "Refutation", "cadical", "clauses", "cryptominisat", "glucose", "maplesat", "minicard",
    "refutation",
]  # fmt: skip
