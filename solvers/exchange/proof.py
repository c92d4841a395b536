"""Proofs that nothing can be dealt, for checkers that know nothing of deals.

A certificate of infeasibility (`solvers.shortage`) is a few rows of the problem whose sum is
impossible, so its proof in cutting planes is one line: add these rows of the OPB file. It is
written in the format of VeriPB 3.0, a checker of pseudo-boolean proofs (Bogaerts, Gocht, McCreesh,
Nordström, *Certified dominance and symmetry breaking for combinatorial optimisation*, 2023).
"""

from __future__ import annotations

from collections.abc import Iterator

from quaternity.base.errors import InputError
from solvers.exchange.checker import RefusedProof, check_proof
from solvers.exchange.formats import opb
from solvers.exchange.rows import linear_model
from solvers.problem import DealProblem, players_in
from solvers.shortage import Certificate, CrossedBounds, CrowdedHand, TooFewPlaces

Side = tuple[str, int, int, str]
"""A row by its kind, set and member, and which side of it: `>=` or `<=`."""


def refutation(problem: DealProblem, certificate: Certificate) -> str:
    """Write the proof of a certificate, for the formula `opb(problem)`.

    Cost: that of the rows of the problem.

    Raises:
        InputError: the certificate does not belong to this problem.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1], [SetConstraint([1, 1], [0], [2])])
    >>> print(refutation(problem, TooFewPlaces()), end="")
    pseudo-Boolean proof version 3.0
    f 6;
    pol 6 1 + 3 + ;
    output NONE;
    conclusion UNSAT : 7;
    end pseudo-Boolean proof;
    """
    if not certificate.holds(problem):
        raise InputError(f"no proof for this problem: {certificate!r}")
    numbers: dict[Side, int] = {}
    alone: Side | None = None
    count = 0
    for row in linear_model(problem).rows:
        for sign, _ in row.sides:
            # Of an equality the checker makes two rows, in this order.
            for side in (">=", "<=") if sign == "=" else (sign,):
                count += 1
                numbers[*row[:3], side] = count
        if row.low > len(row.terms):
            alone = (*row[:3], ">=")
    sides = [alone] if alone is not None else list(_sides(problem, certificate))
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
    """Give the sides of rows that add up to the certificate; no row is impossible by itself.

    Sides that forbid nothing are among them and have no row: the bounds 0 and 1 of every boolean
    say the same.
    """
    sets = list(enumerate(problem.sets))
    if isinstance(certificate, CrossedBounds):
        for sign in (">=", "<="):
            yield "share", certificate.set_index, certificate.player, sign
    elif isinstance(certificate, CrowdedHand):
        yield "hand", -1, certificate.player, "<="
        yield from (("share", index, certificate.player, ">=") for index, _ in sets)
    elif isinstance(certificate, TooFewPlaces):
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
    """Check a proof, and that its formula is that of this problem, word for word.

    Raises `RefusedProof` otherwise.
    """
    if formula != opb(problem):
        raise RefusedProof("the formula is not that of the problem")
    check_proof(formula, proof)
