"""The solver `cp-sat`: a declarative model for OR-Tools' CP-SAT solver.

The model has a boolean for each card and each player who may own it. Its constraints are: exactly
one owner for each card, the hand sizes, and the bounds of each player in each set. CP-SAT solves it
with one thread and a fixed seed. An infeasible verdict has no shortage; `solvers.certify` adds one.

If there would be more than `MAX_BOOLEANS` booleans, cards with equal owner masks are bundled: an
integer variable counts the cards of a bundle that a player gets. Cards are bundled within a set,
and across all sets whose bounds have no effect.

All constraints go into the linear relaxation, which is solved to optimality before any search. The
relaxation is nearly always integral, and it refutes problems for which reasoning by clauses takes
exponential time (such as the pigeonhole principle). `python -m tests.bench.cp_sat_ablation` shows
that this is the fastest model at all sizes and on all families of instances. `VARIANTS` has the
alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from operator import ge
from typing import Any, NamedTuple, TypeAlias

from quaternity.base.deadline import NEVER, Deadline
from quaternity.base.interruptible import searched
from quaternity.base.plain_values import checked_seconds
from solvers.problem import DealProblem, SetConstraint, ownable, players_in
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

SECONDS = 60.0
"""Default time limit for solving a model, in seconds."""

MAX_BOOLEANS = 220
"""Maximum number of booleans without bundling; enough for 52 cards and four players."""

QUICK = 2000
"""Maximum number of variables of a model that is solved without a check for interrupts."""


class Variant(NamedTuple):
    """A choice of model and CP-SAT parameters.

    Attributes:
        most_booleans: the number of booleans above which cards with equal owners are bundled.
        counts: whether there is a variable for the number of cards of each player in each set, so
            that hands are sums of these variables.
        level: how many constraints go into the linear relaxation: 0 (none), 1, or 2 (all).
        is_whole: whether all of them are added at once and the relaxation is solved to optimality
            before any search.
        presolve: whether CP-SAT simplifies the model first.
    """

    most_booleans: float = MAX_BOOLEANS
    counts: bool = False
    level: int = 2
    is_whole: bool = True
    presolve: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the CP-SAT parameters, without the seed and the time limit."""
        parameters: dict[str, Any] = {
            "linearization_level": self.level,
            "cp_model_presolve": self.presolve,
            # Switched off, since they cost more time than they save.
            "symmetry_level": 0,
            "cp_model_probing_level": 0,
        }
        if self.is_whole:
            parameters |= {"add_lp_constraints_lazily": False, "root_lp_iterations": 1_000_000}
        return parameters


DEFAULT = Variant()

VARIANTS = {
    "cp-sat-plain": Variant(inf, level=1, is_whole=False, presolve=True),
    "cp-sat-booleans": Variant(inf),
    "cp-sat-counts": Variant(inf, counts=True),
    "cp-sat-bundled": Variant(0),
    "cp-sat-bundled-counts": Variant(0, counts=True),
}
"""Alternatives to `DEFAULT`, by their names in `solvers.registry.VARIANTS`.

`cp-sat-plain` has CP-SAT's default parameters, except for symmetry detection and probing.
"""

Places: TypeAlias = list[tuple[int, int]]
"""Cards as pairs (set, card)."""
Row: TypeAlias = list[tuple[int, Any]]
"""The possible owners of a bundle, each with the variable for its number of cards."""


def prepare(
    problem: DealProblem,
    variant: Variant = DEFAULT,
    *,
    seed: int = 0,
    seconds: float = SECONDS,
    deadline: Deadline = NEVER,
) -> Callable[[], Verdict]:
    """Build the model; return a function that solves it.

    The function raises `SolverTimeout` after `seconds`. `deadline` limits the time for building the
    model, which takes seconds for 100,000 booleans.
    """
    seconds = checked_seconds(seconds)
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    total = cp_model.LinearExpr.sum
    held: list[list[cp_model.IntVar]] = [[] for _ in problem.hands]
    rows: list[tuple[Places, Row]] = []
    variables = 0
    for constraint, bundles in deadline.over(_groups(problem, variant.most_booleans)):
        shares: list[list[cp_model.IntVar]] = [[] for _ in problem.hands]
        for mask, cards in bundles:
            row = _row(model, total, mask, len(cards))
            for player, variable in row:
                shares[player].append(variable)
            rows.append((cards, row))
        variables += sum(map(len, shares))
        ranges = _bounds(constraint) if constraint is not None else None
        for player, share in enumerate(shares):
            # CP-SAT domains need low <= high in 64 bits; for crossed bounds, add a false clause.
            low, high, number = (0, 0, 0) if ranges is None else ranges[player]
            if low > high:
                model.add_bool_or([])
            elif variant.counts and ranges is not None and len(share) > 1:
                count = model.new_int_var(low, high, "")
                model.add(total(share) == count)
                share = [count]
            elif low > 0 or high < number:
                model.add_linear_constraint(total(share), low, high)
            held[player] += share
    for player, hand in enumerate(problem.hands):
        places = min(hand, problem.cards + 1)
        model.add_linear_constraint(total(held[player]), places, places)

    def solve() -> Verdict:
        text = f"CP-SAT reached its time limit of {seconds:g} s without an answer"
        solver = searched(
            model, seconds, lambda: text,
            seed=seed, is_quick=variables <= QUICK, **variant.parameters,
        )  # fmt: skip
        if solver is None:
            return Infeasible()
        return Feasible(_deal(problem, rows, solver))

    return solve


def _row(model: Any, total: Callable[[Sequence[Any]], Any], mask: int, size: int) -> Row:
    """Add and return the variables of a bundle of `size` cards: how many each owner gets."""
    if size == 1:
        row = [(player, model.new_bool_var("")) for player in players_in(mask)]
        model.add_exactly_one([variable for _, variable in row])
    else:
        row = [(player, model.new_int_var(0, size, "")) for player in players_in(mask)]
        model.add_linear_constraint(total([amount for _, amount in row]), size, size)
    return row


def _deal(problem: DealProblem, rows: Iterable[tuple[Places, Row]], solver: Any) -> Deal:
    owner = [[-1] * constraint.size for constraint in problem.sets]
    for cards, row in rows:
        remaining = iter(cards)
        for player, variable in row:
            for _ in range(solver.value(variable)):
                index, card = next(remaining)
                owner[index][card] = player
    return Deal(tuple(map(tuple, owner)))


def prepare_within(
    problem: DealProblem, seconds: float, variant: Variant = DEFAULT
) -> Callable[[], Verdict]:
    """Call `prepare` with a time limit in seconds for each of the two steps."""
    return prepare(problem, variant, seconds=seconds, deadline=Deadline(seconds))


def prepare_variant(
    name: str, problem: DealProblem, seconds: float = SECONDS
) -> Callable[[], Verdict]:
    """Call `prepare` with one of `VARIANTS` and a time limit in seconds for each step."""
    return prepare_within(problem, seconds, VARIANTS[name])


def _groups(
    problem: DealProblem, max_booleans: float
) -> Iterable[tuple[SetConstraint | None, Iterable[tuple[int, Places]]]]:
    booleans = sum(mask.bit_count() for constraint in problem.sets for mask in constraint.owners)
    if booleans <= max_booleans:
        for index, constraint in enumerate(problem.sets):
            bundles = [(mask, [(index, card)]) for card, mask in enumerate(constraint.owners)]
            yield constraint, bundles
        return
    unbound: dict[int, Places] = {}
    for index, constraint in enumerate(problem.sets):
        owners, low, high = constraint
        free = not any(low) and all(map(ge, high, ownable(owners, constraint.players)))
        bundled: dict[int, Places] = unbound if free else {}
        for card, mask in enumerate(owners):
            bundled.setdefault(mask, []).append((index, card))
        if not free:
            yield constraint, bundled.items()
    yield None, unbound.items()


def _bounds(constraint: SetConstraint) -> list[tuple[int, int, int]]:
    return [
        (low, min(high, number), number)
        for low, high, number in zip(
            constraint.low,
            constraint.high,
            ownable(constraint.owners, constraint.players),
            strict=True,
        )
    ]
