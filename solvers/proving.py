"""`prove`: write proofs that a problem has no deal, which other programs can check."""

from __future__ import annotations

from typing import NamedTuple

from quaternity.base.errors import InputError, SolverFault
from quaternity.base.validation import validate_arguments
from solvers.exchange.checker import InvalidProof
from solvers.exchange.formats import opb
from solvers.exchange.proof import check_refutation, refutation
from solvers.problem import DealProblem
from solvers.registry import certify, solve
from solvers.verdict import Feasible, Infeasible


class Refutation(NamedTuple):
    """A formula in the format OPB, and a VeriPB proof that the formula has no solution."""

    formula: str
    proof: str


@validate_arguments(problem=DealProblem)
def prove(problem: DealProblem, verdict: Infeasible | None = None) -> Refutation:
    """Return a proof that the cards cannot be dealt, for independent proof checkers.

    The proof is checked before it is returned. This takes about as long as building the linear
    model of the problem.

    Args:
        verdict: the verdict on the problem. By default, the problem is solved.

    Raises:
        InputError: If the cards can be dealt.

    >>> from solvers.problem import SetConstraint
    >>> formula, proof = prove(DealProblem([1], [SetConstraint([1, 1], [0], [2])]))
    >>> formula.splitlines()[0]
    '* #variable= 2 #constraint= 3'
    """
    answer = certify(problem, solve(problem) if verdict is None else verdict)
    if isinstance(answer, Feasible):
        raise InputError("problem: the cards can be dealt, so there is nothing to prove")
    if answer.shortage is None:
        raise SolverFault("the verdict is infeasible, but no shortage proves it")
    formula, proof = opb(problem), refutation(problem, answer.shortage)
    try:
        check_refutation(problem, formula, proof)
    except InvalidProof as error:
        raise SolverFault(f"the built-in checker rejects the proof: {error}") from error
    return Refutation(formula, proof)
