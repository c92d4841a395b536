"""The solver `cp-sat`: a declarative model for OR-Tools' CP-SAT solver.

The model has a boolean for each card and each player who may own it. The constraints say that each
card has exactly one owner, that the hands have the given sizes, and that the bounds of each player
and set hold. CP-SAT solves the model with one thread and a fixed seed. An infeasible verdict does
not contain a proof. `solvers.certify` adds one.

If there would be more than `MAX_BOOLEANS` booleans, cards with the same possible owners form a
bundle. For each bundle and player, an integer variable then says how many of the cards the player
gets. Cards of different sets are bundled only if the bounds of these sets are redundant.

All constraints go into the linear relaxation, which is solved to optimality before any search. The
relaxation nearly always has an integral solution. It also refutes problems that take exponential
time with clauses alone (such as the pigeonhole principle). `python -m tests.bench.cp_sat_ablation`
compares this model with the alternatives in `VARIANTS`. This model is the fastest at all sizes and
for all families of instances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from math import inf
from operator import ge
from typing import Any, NamedTuple, TypeAlias

from quaternity.base.cp_sat_search import run_search
from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.base.validation import check_seconds
from solvers.problem import DealProblem, members_of, ownable_counts
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

DEFAULT_SECONDS = 60.0
"""Default time limit for solving a model, in seconds."""

MAX_BOOLEANS = 220
"""Maximum number of booleans in a model with separate variables for each card. Larger models bundle
cards with the same possible owners. The limit is enough for 52 cards and 4 players."""

MAX_UNINTERRUPTED_VARIABLES = 2000
"""Maximum number of variables in a model that is solved without checking for Ctrl-C."""


class Variant(NamedTuple):
    """A way to model deal problems for CP-SAT, and the parameters of CP-SAT.

    Attributes:
        max_booleans: the maximum number of booleans. Larger models bundle cards with the same
            possible owners (count them together).
        count_variables: whether there is a variable for the number of cards of each set that each
            player holds. Hands are then sums of these variables.
        linearization_level: how many constraints go into the linear relaxation: 0 (none), 1, or 2
            (all).
        full_relaxation: whether the relaxation has all constraints from the beginning, and is
            solved to optimality before any search.
        presolve: whether CP-SAT simplifies the model first.
    """

    max_booleans: float = MAX_BOOLEANS
    count_variables: bool = False
    linearization_level: int = 2
    full_relaxation: bool = True
    presolve: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the parameters for CP-SAT as a dictionary, without the seed and the time limit."""
        parameters: dict[str, Any] = {
            "linearization_level": self.linearization_level,
            "cp_model_presolve": self.presolve,
            # Symmetry detection and probing take more time than they save.
            "symmetry_level": 0,
            "cp_model_probing_level": 0,
        }
        if self.full_relaxation:
            parameters |= {"add_lp_constraints_lazily": False, "root_lp_iterations": 1_000_000}
        return parameters


DEFAULT = Variant()

VARIANTS = {
    "cp-sat-plain": Variant(inf, linearization_level=1, full_relaxation=False, presolve=True),
    "cp-sat-booleans": Variant(inf),
    "cp-sat-counts": Variant(inf, count_variables=True),
    "cp-sat-bundled": Variant(0),
    "cp-sat-bundled-counts": Variant(0, count_variables=True),
}
"""Other ways to model a problem for CP-SAT, by the name of the solver that uses them.
`cp-sat-plain` keeps CP-SAT's default parameters, except for symmetry detection and probing."""

Places: TypeAlias = list[tuple[int, int]]
"""List of cards, as pairs (set, number of the card in its set)."""
Row: TypeAlias = tuple[Places, tuple[int, ...], int]
"""A bundle of interchangeable cards, the players who may own them, and the index of the first
variable. Each player has one variable, in this order: the number of the cards that they get."""
Reason: TypeAlias = tuple[str, int, int]
"""The origin of a constraint. ("cards", bundle, 0) says that each card of a bundle has an owner.
("share", player, set) bounds the cards of a set that a player holds. ("hand", player, 0) sets the
size of a hand."""


class Sum(NamedTuple):
    """Constraint that the sum of some variables lies between two bounds.

    Attributes:
        total: a variable that is subtracted from the sum of the others, or None.
        low, high: the bounds. The constraint is impossible if `low` is above `high`.
    """

    variables: Sequence[int]
    low: int
    high: int
    reason: Reason
    total: int | None = None


class Formulation(NamedTuple):
    """Variables and constraints of a deal problem, before they become a CP-SAT model.

    Attributes:
        sizes: the maximum value of each variable. The minimum is 0.
        rows: for each bundle of interchangeable cards, its cards, owners and variables.
        sums: the constraints, in the order in which they are added.
    """

    sizes: list[int]
    rows: list[Row]
    sums: list[Sum]


def formulate(
    problem: DealProblem, variant: Variant = DEFAULT, deadline: Deadline = NO_DEADLINE
) -> Formulation:
    """Return the variables and constraints of the model for a deal problem."""
    sizes: list[int] = []
    rows: list[Row] = []
    sums: list[Sum] = []
    held: list[list[int]] = [[] for _ in problem.hands]
    for index, bundles in deadline.iterate(_groups(problem, variant.max_booleans)):
        shares: list[list[int]] = [[] for _ in problem.hands]
        numbers = [0] * len(shares)
        for mask, cards in bundles:
            players = members_of(mask)
            first, size = len(sizes), len(cards)
            for variable, player in enumerate(players, first):
                shares[player].append(variable)
                numbers[player] += size
            sizes += [size] * len(players)
            sums.append(Sum(range(first, len(sizes)), size, size, ("cards", len(rows), 0)))
            rows.append((cards, players, first))
        if index is None:
            for hand, share in zip(held, shares, strict=True):
                hand += share
            continue
        _, lows, highs = problem.sets[index]
        for player, (share, number) in enumerate(zip(shares, numbers, strict=True)):
            low, high = lows[player], min(highs[player], number)
            if variant.count_variables and low <= high and len(share) > 1:
                count = len(sizes)
                sizes.append(high)
                sums.append(Sum(share, 0, 0, ("share", player, index), count))
                if low:
                    sums.append(Sum([count], low, high, ("share", player, index)))
                share = [count]
            elif low > 0 or high < number:
                sums.append(Sum(share, low, high, ("share", player, index)))
            held[player] += share
    max_hand = problem.cards + 1
    for player, (hand_size, share) in enumerate(zip(problem.hands, held, strict=True)):
        places = min(hand_size, max_hand)
        sums.append(Sum(share, places, places, ("hand", player, 0)))
    return Formulation(sizes, rows, sums)


@cache
def _booleans(exponent: int) -> Any:
    """Return a CP-SAT model that contains 2^exponent booleans and no constraints, as a template."""
    from ortools.sat.python import cp_model

    proto = cp_model.CpModelProto()
    for _ in range(1 << exponent):
        proto.variables.add().domain.extend((0, 1))
    return proto


@lru_cache(maxsize=512)
def _one_owner(variables: Sequence[int]) -> Any:
    """Return a template: a CP-SAT model in which exactly one of some booleans is true."""
    from ortools.sat.python import cp_model

    proto = cp_model.CpModelProto()
    proto.constraints.add().exactly_one.literals.extend(variables)
    return proto


@lru_cache(maxsize=512)
def _sum_of(number: int, low: int, high: int) -> Any:
    """Return a template for a linear constraint on `number` variables, which are added later."""
    from ortools.sat.python.cp_model_helper import LinearConstraintProto

    linear = LinearConstraintProto()  # A part of a model must not outlive its model.
    linear.coeffs.extend([1] * number)
    linear.domain.extend((low, high))
    return linear


class WrittenModel(NamedTuple):
    """A CP-SAT model as a protocol buffer, which OR-Tools' `CpSolver` accepts as a `CpModel`."""

    # Creating a `CpModel` would take as long as writing the model of 52 cards.

    proto: Any


def write_model(formulation: Formulation) -> WrittenModel:
    """Return the CP-SAT model with the given variables and constraints."""
    # Constraints are written directly into the model's protocol buffer, and their equal parts are
    # copied from templates. That takes a fifth of the time that `LinearExpr` objects would take.
    from ortools.sat.python import cp_model

    proto = cp_model.CpModelProto()
    sizes = formulation.sizes
    if set(sizes) <= {1}:
        for exponent in range(len(sizes).bit_length()):
            if len(sizes) >> exponent & 1:
                proto.merge_from(_booleans(exponent))
    else:
        for size in sizes:
            proto.variables.add().domain.extend((0, size))
    merge, add = proto.merge_from, proto.constraints.add
    for variables, low, high, (kind, _, _), total in formulation.sums:
        if kind == "cards" and high == 1:
            merge(_one_owner(variables))
            continue
        linear = add().linear
        if low > high:  # a domain needs low <= high, so add the false constraint "0 = 1"
            variables, low, high = (), 1, 1
        linear.merge_from(_sum_of(len(variables), low, high))
        linear.vars.extend(variables)
        if total is not None:
            linear.vars.append(total)
            linear.coeffs.append(-1)
    return WrittenModel(proto)


def prepare(
    problem: DealProblem,
    variant: Variant = DEFAULT,
    *,
    seconds: float = DEFAULT_SECONDS,
    deadline: Deadline = NO_DEADLINE,
) -> Callable[[], Verdict]:
    """Build the model of a problem, and return a function that solves it.

    The function raises `SolverTimeout` if it needs more than `seconds`. `deadline` limits the time
    for building the model.
    """
    seconds = check_seconds(seconds)
    formulation = formulate(problem, variant, deadline)
    model = write_model(formulation)

    return partial(solve_model, problem, formulation, model, variant, seconds=seconds)


def solve_model(
    problem: DealProblem,
    formulation: Formulation,
    model: Any,
    variant: Variant = DEFAULT,
    *,
    seed: int = 0,
    seconds: float = DEFAULT_SECONDS,
) -> Verdict:
    """Solve the CP-SAT model of a problem, and return a verdict without a proof.

    `model` may contain further constraints that were added to the formulation.
    """
    text = f"CP-SAT reached its time limit of {seconds:g} s without an answer"
    solver = run_search(
        model, seconds, lambda: text,
        seed=seed, is_quick=len(formulation.sizes) <= MAX_UNINTERRUPTED_VARIABLES,
        **variant.parameters,
    )  # fmt: skip
    if solver is None:
        return Infeasible()
    return Feasible(_deal(problem, formulation.rows, solver.response_proto.solution))


def _deal(problem: DealProblem, rows: Iterable[Row], solution: Sequence[int]) -> Deal:
    owner = [[-1] * constraint.size for constraint in problem.sets]
    values = list(solution)
    for cards, players, first in rows:
        remaining = iter(cards)
        for variable, player in enumerate(players, first):
            for _ in range(values[variable]):
                index, card = next(remaining)
                owner[index][card] = player
    return Deal(tuple(map(tuple, owner)))


def prepare_within(
    problem: DealProblem, seconds: float, variant: Variant = DEFAULT
) -> Callable[[], Verdict]:
    """Build the model of a problem, and return a function that solves it.

    Each of the two steps may take up to `seconds`.
    """
    return prepare(problem, variant, seconds=seconds, deadline=Deadline(seconds))


def prepare_variant(
    name: str, problem: DealProblem, seconds: float = DEFAULT_SECONDS
) -> Callable[[], Verdict]:
    """Build the model that is called `name` in `VARIANTS`, and return a function that solves it.

    Each of the two steps may take up to `seconds`.
    """
    return prepare_within(problem, seconds, VARIANTS[name])


def _groups(
    problem: DealProblem, max_booleans: float
) -> Iterable[tuple[int | None, Iterable[tuple[int, Places]]]]:
    """Yield pairs: the number of a set, and its bundles of interchangeable cards.

    A bundle is a pair: the bit mask of the players who may own the cards, and the cards. All sets
    with redundant bounds share one pair, whose number is None.
    """
    booleans = sum([mask.bit_count() for constraint in problem.sets for mask in constraint.owners])
    if booleans <= max_booleans:
        for index, constraint in enumerate(problem.sets):
            yield index, [(mask, [(index, card)]) for card, mask in enumerate(constraint.owners)]
        return
    unbound: dict[int, Places] = {}
    for index, constraint in enumerate(problem.sets):
        owners, low, high = constraint
        free = not any(low) and all(map(ge, high, ownable_counts(owners, constraint.players)))
        bundled: dict[int, Places] = unbound if free else {}
        for card, mask in enumerate(owners):
            bundled.setdefault(mask, []).append((index, card))
        if not free:
            yield index, bundled.items()
    yield None, unbound.items()
