"""Proofs of infeasibility for general-purpose proof checkers.

A certificate of infeasibility (`solvers.shortage`) points out linear constraints of the problem
whose sum is impossible. So a cutting-planes proof needs only one step: add up these constraints,
which are rows of the problem's OPB file. The proof is written in the format of VeriPB 3.0, a
checker of pseudo-boolean proofs (Bogaerts, Gocht, McCreesh, Nordström, *Certified dominance and
symmetry breaking for combinatorial optimisation*, 2023).
"""

from __future__ import annotations

from collections.abc import Iterator

from quaternity.base.errors import InputError
from solvers.exchange.checker import InvalidProof, check_proof
from solvers.exchange.formats import opb
from solvers.exchange.rows import linear_model
from solvers.problem import DealProblem, players_in
from solvers.shortage import Certificate, CrossedBounds, CrowdedHand, TooManyCards

Side = tuple[str, int, int, str]
"""One bound of a linear constraint in `solvers.exchange.rows`. The tuple has the attributes `kind`,
`set_index` and `member` of the constraint, and `>=` for the lower or `<=` for the upper bound."""


def refutation(problem: DealProblem, certificate: Certificate) -> str:
    """Return a proof that the formula `opb(problem)` has no solution, so the problem has no deal.

    The constraints that contradict each other follow from the certificate (see `solvers.shortage`).

    Raises:
        InputError: If the certificate does not hold for the problem.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1], [SetConstraint([1, 1], [0], [2])])
    >>> print(refutation(problem, TooManyCards()), end="")
    pseudo-Boolean proof version 3.0
    f 6;
    pol 6 1 + 3 + ;
    output NONE;
    conclusion UNSAT : 7;
    end pseudo-Boolean proof;
    """
    if not certificate.holds(problem):
        raise InputError(f"the certificate does not hold for this problem: {certificate!r}")
    numbers: dict[Side, int] = {}
    impossible: Side | None = None
    count = 0
    for row in linear_model(problem).rows:
        for sign, _ in row.sides:
            # A proof checker replaces an equality by two rows, in this order.
            for side in (">=", "<=") if sign == "=" else (sign,):
                count += 1
                numbers[*row[:3], side] = count
        if row.low > len(row.terms):
            impossible = (*row[:3], ">=")
    sides = [impossible] if impossible is not None else list(_sides(problem, certificate))
    first, *others = [str(numbers[side]) for side in sides if side in numbers]
    total = "".join(f" {number} +" for number in others)
    return (
        "pseudo-Boolean proof version 3.0\n"
        f"f {count};\n"
        f"pol {first}{total} ;\n"
        "output NONE;\n"
        f"conclusion UNSAT : {count + 1};\n"
        "end pseudo-Boolean proof;\n"
    )


def _sides(problem: DealProblem, certificate: Certificate) -> Iterator[Side]:
    """Yield the bounds that contradict each other, as (kind, set, card or player, ">=" or "<=")."""
    sets = list(enumerate(problem.sets))
    if isinstance(certificate, CrossedBounds):
        for sign in (">=", "<="):
            yield "share", certificate.set_index, certificate.player, sign
    elif isinstance(certificate, CrowdedHand):
        yield "hand", -1, certificate.player, "<="
        yield from (("share", index, certificate.player, ">=") for index, _ in sets)
    elif isinstance(certificate, TooManyCards):
        yield from (("hand", -1, player, "<=") for player in range(problem.players))
        yield from (("card", index, card, ">=") for index, constraint in sets
                    for card in range(constraint.size))  # fmt: skip
    else:
        coalition = certificate.coalition
        yield from (("hand", -1, player, ">=") for player in players_in(coalition))
        for (index, constraint), witness in zip(sets, certificate.witnesses, strict=True):
            yield from (("share", index, player, "<=")
                        for player in players_in(coalition & ~witness))  # fmt: skip
            yield from (("share", index, player, ">=")
                        for player in players_in(witness & ~coalition))  # fmt: skip
            yield from (("card", index, card, "<=") for card, mask in enumerate(constraint.owners)
                        if mask & witness)  # fmt: skip


def check_refutation(problem: DealProblem, formula: str, proof: str) -> None:
    """Check that a formula is exactly `opb(problem)`, and that the proof refutes it.

    Raises:
        InvalidProof: If the formula differs, or the proof is not valid.
    """
    if formula != opb(problem):
        raise InvalidProof("the formula does not match the problem")
    check_proof(formula, proof)
