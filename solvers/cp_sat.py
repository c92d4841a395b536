"""CP-SAT: the declarative model.

One boolean per allowed (card, player); exactly one owner per card; hand sizes; per player and set a
minimum and a maximum. OR-Tools' CP-SAT proves or refutes it with one thread and a fixed seed. An
infeasible verdict carries no shortage of its own: `solvers.certify` pairs it with one.

Above `MAX_BOOLEANS` cards with equal owners are bundled: a whole number per player counts theirs.
They are bundled within a set, and over all sets whose bounds forbid nothing.

All constraints go into the linear relaxation, which is solved to its end before any search: it is
nearly always integral, and refutes what clauses take exponential time for (pigeons and holes).
`python -m tests.bench.cp_sat_ablation` measures that this is the best way at all sizes and on all
families of instances; other ways are `VARIANTS`.
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
"""Default time limit of one solve."""

MAX_BOOLEANS = 220
"""Maximum number of booleans in a model without bundled cards; 52 cards of four players fit."""

QUICK = 2000
"""Maximum number of variables in a model that is solved without listening for an interrupt."""


class Variant(NamedTuple):
    """A way to model a problem and to solve the model.

    Attributes:
        most_booleans: above this number, cards with equal owners are bundled into whole numbers.
        counts: whether every player and set gets a variable for its cards, of which hands are
            sums.
        level: how much goes into the linear relaxation, 0 (nothing), 1 or 2 (all constraints).
        is_whole: whether it goes in at once and is solved to its end before any search.
    """

    most_booleans: float = MAX_BOOLEANS
    counts: bool = False
    level: int = 2
    is_whole: bool = True
    presolve: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Return CP-SAT's parameters, without the seed and the time limit."""
        chosen: dict[str, Any] = {
            "linearization_level": self.level,
            "cp_model_presolve": self.presolve,
            # These cost more than they gain.
            "symmetry_level": 0,
            "cp_model_probing_level": 0,
        }
        if self.is_whole:
            chosen |= {"add_lp_constraints_lazily": False, "root_lp_iterations": 1_000_000}
        return chosen


DEFAULT = Variant()

VARIANTS = {
    "cp-sat-plain": Variant(inf, level=1, is_whole=False, presolve=True),
    "cp-sat-booleans": Variant(inf),
    "cp-sat-counts": Variant(inf, counts=True),
    "cp-sat-bundled": Variant(0),
    "cp-sat-bundled-counts": Variant(0, counts=True),
}
"""Other ways, by the names of `solvers.registry.VARIANTS`.

The first has CP-SAT's own parameters, except for symmetries and probing.
"""

Places: TypeAlias = list[tuple[int, int]]
"""Cards as (set, number)."""
Row: TypeAlias = list[tuple[int, Any]]
"""Per player who may own cards of a bundle, CP-SAT's variable for their number."""


def prepare(
    problem: DealProblem,
    variant: Variant = DEFAULT,
    *,
    seed: int = 0,
    seconds: float = SECONDS,
    deadline: Deadline = NEVER,
) -> Callable[[], Verdict]:
    """Build the model; the result solves it, or raises `SolverTimeout` after `seconds`.

    `deadline` limits the building, which takes seconds for 100,000 booleans.
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
            # CP-SAT's domains need low <= high and 64 bits; crossed bounds say "never".
            low, most, number = (0, 0, 0) if ranges is None else ranges[player]
            if low > most:
                model.add_bool_or([])
            elif variant.counts and ranges is not None and len(share) > 1:
                count = model.new_int_var(low, most, "")
                model.add(total(share) == count)
                share = [count]
            elif low > 0 or most < number:
                model.add_linear_constraint(total(share), low, most)
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
    """Add the variables of a bundle of `size` cards: per possible owner, how many of them."""
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
    """Prepare with a time limit in seconds for either step."""
    return prepare(problem, variant, seconds=seconds, deadline=Deadline(seconds))


def prepare_variant(
    name: str, problem: DealProblem, seconds: float = SECONDS
) -> Callable[[], Verdict]:
    """Prepare by one of the `VARIANTS`, with a time limit for either step."""
    return prepare_within(problem, seconds, VARIANTS[name])


def _groups(
    problem: DealProblem, most_booleans: float
) -> Iterable[tuple[SetConstraint | None, Iterable[tuple[int, Places]]]]:
    booleans = sum(mask.bit_count() for constraint in problem.sets for mask in constraint.owners)
    if booleans <= most_booleans:
        for index, constraint in enumerate(problem.sets):
            bundles = [(mask, [(index, card)]) for card, mask in enumerate(constraint.owners)]
            yield constraint, bundles
        return
    unbound: dict[int, Places] = {}
    for index, constraint in enumerate(problem.sets):
        owners, low, high = constraint
        free = not any(low) and all(map(ge, high, ownable(owners, constraint.players)))
        together: dict[int, Places] = unbound if free else {}
        for card, mask in enumerate(owners):
            together.setdefault(mask, []).append((index, card))
        if not free:
            yield constraint, together.items()
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
