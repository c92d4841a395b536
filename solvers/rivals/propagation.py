"""Adapters for constraint-programming solvers, with or without clause learning.

If a solver finds a problem infeasible, it returns no evidence, so `solvers.certify` adds a proof.
"""

from __future__ import annotations

from collections.abc import Callable

from solvers.exchange.rows import LinearModel
from solvers.problem import players_in
from solvers.verdict import Infeasible, Verdict


def choco_sums(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a deal problem with Choco, as sums of booleans."""
    from pychoco import Model

    model = Model()
    booleans = [model.boolvar() for _ in linear.pairs]
    for row in linear.rows:
        terms = [booleans[term] for term in row.terms]
        model.sum(terms, "=", model.intvar(row.low, row.high)).post()

    def solve() -> Verdict | None:
        solver = model.get_solver()
        if solver.solve(time_limit=_limit(seconds)):
            return linear.deal(boolean.get_value() for boolean in booleans)
        return Infeasible() if solver.get_search_state() == "TERMINATED" else None

    return solve


def choco_cardinalities(linear: LinearModel, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that solves a problem with Choco, using global cardinality constraints.

    Each card has a variable for its owner. The constraints count how often each player owns a card
    of each set, and of all sets together.
    """
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
    """Return a function that solves a deal problem with Pumpkin, by lazy clause generation."""
    from pumpkin_solver import Model, SatisfactionResult, constraints

    model = Model()
    booleans = [model.new_integer_variable(0, 1) for _ in linear.pairs]
    for row in linear.rows:
        row_booleans = [booleans[term] for term in row.terms]
        negated = [boolean.scaled(-1) for boolean in row_booleans]
        for terms, bound in ((row_booleans, row.high), (negated, -row.low)):
            tag = model.new_constraint_tag()
            model.add_constraint(constraints.LessThanOrEquals(terms, bound, tag))

    def solve() -> Verdict | None:
        answer = model.satisfy() if seconds is None else model.satisfy(timeout=seconds)
        if isinstance(answer, SatisfactionResult.Satisfiable):
            solution = answer._0
            return linear.deal(map(solution.int_value, booleans))
        return Infeasible() if isinstance(answer, SatisfactionResult.Unsatisfiable) else None

    return solve


def _limit(seconds: float | None) -> str | None:
    """Return a number of seconds as text for Choco, which ignores a limit such as "500ms"."""
    return None if seconds is None else f"{max(seconds, 0.001):.3f}s"
