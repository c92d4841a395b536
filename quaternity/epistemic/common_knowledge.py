"""Common knowledge at full size: a way to a deal where it fails, or a proof that there is none.

`C f` is false iff a chain of deals leads from the real one to a deal where `f` is false, each
indistinguishable from the one before for some player. Chains of 1, 2, 3, … steps are asked of
CP-SAT, one model each. If `f` is publicly entailed there is none. Otherwise, when no chain of k
steps at all goes from k deals in a row with `f` to one without, while no shorter chain leads there
from the real deal, none of any length does (k-induction). Where neither happens within
`MAX_STEPS` steps the answer is `Undecided`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quaternity.epistemic.coupled_deals import DealTable
from quaternity.epistemic.deadline import Undecided
from quaternity.epistemic.encoding import Encoder
from quaternity.epistemic.evaluator import Said
from quaternity.epistemic.formula import Formula
from quaternity.epistemic.information import information_set
from quaternity.errors import SolverFault
from solvers.verdict import Deal
from solvers.wording import counted

if TYPE_CHECKING:
    from quaternity.epistemic.by_solvers import SolverEvaluator

MAX_STEPS = 8
"""Longest chain that is looked for."""


def way_to(evaluator: SolverEvaluator, formula: Formula, deal: Deal, said: Said) -> list[Deal]:
    """A chain of deals from a deal to one where a formula is false; empty when there is none.

    The chain begins with the deal itself.

    Raises:
        Undecided: not shown within `MAX_STEPS` steps or the time limit.
    """
    if not evaluator.truth(formula, deal, said):
        return [deal]
    if evaluator.public_counterexample(formula, said) is None:
        return []
    for steps in range(1, MAX_STEPS + 1):
        chain = _chain(evaluator, formula, deal, said, steps)
        if chain:
            return chain
        if _closed(evaluator, formula, said, steps):
            return []
    raise Undecided(
        f"undecided: no chain of {counted(MAX_STEPS, 'step')} leads to a deal where {formula} "
        "is false, but it is not true in every public deal either"
    )


def _chain(
    evaluator: SolverEvaluator, formula: Formula, deal: Deal, said: Said, steps: int
) -> list[Deal]:
    """A chain of so many steps from a deal to one where a formula is false, or nothing."""
    encoder = evaluator.encoder()
    everybody = range(evaluator.problem.players)
    real = encoder.new_deal(information_set(evaluator.problem, deal, everybody))
    tables = _linked(encoder, evaluator, real, said, steps)
    encoder.model.require_one([encoder.literal(formula, False, tables[-1], said)])
    if not evaluator.satisfiable(encoder):
        return []
    chain = [encoder.model.deal(table) for table in tables]
    if evaluator.truth(formula, chain[-1], said):
        raise SolverFault(f"CP-SAT found {chain[-1]}, where {formula} is not false")
    return chain


def _closed(evaluator: SolverEvaluator, formula: Formula, said: Said, steps: int) -> bool:
    """Whether no chain leads from so many deals with a formula to one without it."""
    encoder = evaluator.encoder()
    first = encoder.new_deal(evaluator.problem)
    tables = _linked(encoder, evaluator, first, said, steps)
    for table in tables[:-1]:
        encoder.model.require_one([encoder.literal(formula, True, table, said)])
    encoder.model.require_one([encoder.literal(formula, False, tables[-1], said)])
    return not evaluator.satisfiable(encoder)


def _linked(
    encoder: Encoder, evaluator: SolverEvaluator, first: DealTable, said: Said, steps: int
) -> list[DealTable]:
    """A chain of deals, each with the hand of somebody as in the deal before."""
    model = encoder.model
    tables = [first]
    for _ in range(steps):
        before, after = tables[-1], encoder.new_deal(evaluator.problem)
        links = [model.new_literal() for _ in evaluator.problem.hands]
        model.require_one(links)
        for player, link in enumerate(links):
            # Hands have equal sizes: that one contains the other is enough.
            for old, new in zip(before.hand(player), after.hand(player), strict=True):
                if old is not False:
                    negation = not old if isinstance(old, bool) else old.negated()
                    model.require_one([link.negated(), negation, new])
        tables.append(after)
    for table in tables:
        for literal in encoder.membership(table, said):
            model.require_one([literal])
    return tables


__all__ = ["MAX_STEPS", "way_to"]
