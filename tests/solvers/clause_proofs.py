"""Refutations that SAT solvers write down as clauses (DRUP), and `dratify`, which checks them."""

from typing import NamedTuple

from solvers.exchange.rows import LinearModel
from solvers.rivals.sat import clauses


class Refutation(NamedTuple):
    """A formula, and the clauses that a solver learned from it, the last of them empty (DRUP)."""

    formula: list[list[int]]
    proof: list[str]

    def check(self) -> bool:
        """Return whether `dratify` accepts the proof: every clause follows by unit propagation."""
        from dratify import check_proof, parse_dimacs

        top = max(abs(literal) for clause in self.formula for literal in clause)
        lines = [f"p cnf {top} {len(self.formula)}"]
        lines += [" ".join(map(str, [*clause, 0])) for clause in self.formula]
        result = check_proof(parse_dimacs("\n".join(lines)), "\n".join(self.proof), check_rat=False)
        return bool(result.ok)


def refutation(
    linear: LinearModel, solver: str = "cadical195", encoding: str = "seqcounter"
) -> Refutation | None:
    """Return a DRUP refutation of the sums by a solver of python-sat, or None if a deal exists."""
    from pysat.solvers import Solver

    formula = clauses(linear, encoding)
    with Solver(name=solver, bootstrap_with=formula, with_proof=True) as run:
        if run.solve():
            return None
        # The proof is empty if unit propagation refutes the formula while it is read.
        proof: list[str] = run.get_proof() or []
    return Refutation(formula, proof if "0" in proof else [*proof, "0"])
