"""Constraint programming: search with propagation, with and without learned clauses.

A refutation carries nothing that could be checked: it is paired with a shortage.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.exchange.rows import LinearModel
from solvers.problem import players_in
from solvers.verdict import Infeasible, Verdict


def choco_sums(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Solve by Choco: booleans, and a sum for every constraint."""
    from pychoco import Model

    model = Model()
    booleans = [model.boolvar() for _ in linear.pairs]
    for row in linear.rows:
        chosen = [booleans[term] for term in row.terms]
        model.sum(chosen, "=", model.intvar(row.low, row.high)).post()

    def solve() -> Verdict | None:
        solver = model.get_solver()
        if solver.solve(time_limit=_limit(seconds)):
            return linear.deal(boolean.get_value() for boolean in booleans)
        return Infeasible() if solver.get_search_state() == "TERMINATED" else None

    return solve


def choco_cardinalities(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Solve by Choco: the owner of every card, and global cardinalities for sets and hands."""
    from pychoco import Model

    problem, model = linear.problem, Model()
    players = list(range(problem.players))
    owners = []
    for constraint in problem.sets:
        cards = [model.intvar(list(players_in(mask))) for mask in constraint.owners]
        owners.append(cards)
        if cards:
            counts = [
                model.intvar(low, min(high, constraint.size))
                for low, high in zip(constraint.low, constraint.high, strict=True)
            ]
            model.global_cardinality(cards, players, counts, True).post()
    hands = [model.intvar(hand) for hand in problem.hands]
    model.global_cardinality([card for cards in owners for card in cards], players, hands).post()

    def solve() -> Verdict | None:
        solver = model.get_solver()
        if solver.solve(time_limit=_limit(seconds)):
            return linear.deal(
                owners[index][card].get_value() == player for index, card, player in linear.pairs
            )
        return Infeasible() if solver.get_search_state() == "TERMINATED" else None

    return solve


def pumpkin(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Solve by Pumpkin: linear propagators with learned clauses (lazy clause generation)."""
    from pumpkin_solver import Model, SatisfactionResult, constraints

    model = Model()
    booleans = [model.new_integer_variable(0, 1) for _ in linear.pairs]
    for row in linear.rows:
        chosen = [booleans[term] for term in row.terms]
        negated = [boolean.scaled(-1) for boolean in chosen]
        for terms, most in ((chosen, row.high), (negated, -row.low)):
            tag = model.new_constraint_tag()
            model.add_constraint(constraints.LessThanOrEquals(terms, most, tag))

    def solve() -> Verdict | None:
        answer = model.satisfy() if seconds is None else model.satisfy(timeout=seconds)
        if isinstance(answer, SatisfactionResult.Satisfiable):
            solution = answer._0
            return linear.deal(map(solution.int_value, booleans))
        return Infeasible() if isinstance(answer, SatisfactionResult.Unsatisfiable) else None

    return solve


def _limit(seconds: float | None) -> str | None:
    """Write a limit in whole seconds: Choco makes no limit of milliseconds ("500ms")."""
    return None if seconds is None else f"{max(seconds, 0.001):.3f}s"
