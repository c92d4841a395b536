"""CP-SAT: the declarative model.

One boolean per allowed (card, player); exactly one owner per card; hand sizes; per player and set a
minimum and a maximum. OR-Tools' CP-SAT proves or refutes it with one thread and a fixed seed. An
infeasible verdict carries no shortage of its own: `solvers.certify` pairs it with one.

Above `MOST_BOOLEANS` cards with equal owners are bundled: one whole number per player says how many
of them are his. They are bundled within a set, and over all sets whose bounds forbid nothing.

All constraints go into the linear relaxation, which is solved to its end before any search: it is
nearly always integral, and refutes what clauses take exponential time for (pigeons and holes).
Measured on just possible and just impossible problems of eight families, 12 to 500 cards (114 in
all, a timeout of 15 s counted twice), bundled wherever cards are alike: 4 ms in the mean, booleans
alone 310 ms, with counts per player and set 100 ms. Without all constraints in the relaxation, with
presolve or without, any of these models reaches its limit at 52 cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from operator import ge
from typing import TypeAlias

from solvers.deadline import NEVER, Deadline
from solvers.errors import SolverFault, SolverTimeout
from solvers.interruptible import solved
from solvers.plain_values import checked_seconds
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

SECONDS = 60.0
"""Default time limit of one solve."""

MOST_BOOLEANS = 1_000
"""Most booleans of a model whose cards are not bundled."""

QUICK = 2000
"""Models of at most so many variables are solved before anybody could interrupt them."""

PARAMETERS = {
    "num_workers": 1,
    # The relaxation decides: all constraints, at once, to the optimum. See the module.
    "linearization_level": 2,
    "add_lp_constraints_lazily": False,
    "root_lp_iterations": 1_000_000,
    # These cost more than they gain.
    "cp_model_presolve": False,
    "symmetry_level": 0,
    "cp_model_probing_level": 0,
    # Otherwise an interrupt ends only the search, and Python hears of no interrupt any more.
    "catch_sigint_signal": False,
}
"""Of CP-SAT, beside the seed and the time limit."""

Places: TypeAlias = list[tuple[int, int]]
"""Cards as (set, number)."""


def prepare(
    problem: DealProblem, *, seed: int = 0, seconds: float = SECONDS, deadline: Deadline = NEVER
) -> Callable[[], Verdict]:
    """Build the model; the result solves it.

    Args:
        seed: of CP-SAT's search.
        seconds: time limit of the solve.
        deadline: of the building, which takes seconds for 100,000 booleans.

    The solve raises `SolverTimeout` at the limit: that is never read as infeasible.

    Raises:
        InputError: `seconds` is negative or not a number.
        SolverTimeout: the deadline has passed.
    """
    seconds = checked_seconds(seconds)
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    total = cp_model.LinearExpr.sum
    held: list[list[cp_model.IntVar]] = [[] for _ in problem.hands]
    # Per bundle: its cards, and per player who may own them the variable.
    rows: list[tuple[Places, list[tuple[int, cp_model.IntVar]]]] = []
    for constraint, bundles in deadline.over(_groups(problem)):
        shares: list[list[cp_model.IntVar]] = [[] for _ in problem.hands]
        for mask, cards in bundles:
            size = len(cards)
            if size == 1:
                row = [(player, model.new_bool_var("")) for player in players_in(mask)]
                model.add_exactly_one([variable for _, variable in row])
            else:
                row = [(player, model.new_int_var(0, size, "")) for player in players_in(mask)]
                model.add_linear_constraint(total([amount for _, amount in row]), size, size)
            for player, variable in row:
                shares[player].append(variable)
            rows.append((cards, row))
        for player, share in enumerate(shares):
            held[player] += share
        if constraint is not None:
            for player, ownable in enumerate(_ownable(constraint)):
                low, most = constraint.low[player], min(constraint.high[player], ownable)
                # CP-SAT's domains need low <= high and 64 bits; crossed bounds say "never".
                if low > most:
                    model.add_bool_or([])
                elif low > 0 or most < ownable:
                    model.add_linear_constraint(total(shares[player]), low, most)
    for player, hand in enumerate(problem.hands):
        places = min(hand, problem.cards + 1)
        model.add_linear_constraint(total(held[player]), places, places)
    variables = sum(map(len, held))

    def solve() -> Verdict:
        solver = cp_model.CpSolver()
        for name, value in PARAMETERS.items():
            setattr(solver.parameters, name, value)
        solver.parameters.random_seed = seed
        solver.parameters.max_time_in_seconds = seconds
        status = solved(solver, model) if variables > QUICK else solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            owner = [[-1] * one.size for one in problem.sets]
            for cards, row in rows:
                left = iter(cards)
                for player, variable in row:
                    for _ in range(solver.value(variable)):
                        index, card = next(left)
                        owner[index][card] = player
            return Feasible(Deal(tuple(map(tuple, owner))))
        if status == cp_model.INFEASIBLE:
            return Infeasible()
        if status == cp_model.UNKNOWN:
            raise SolverTimeout(f"CP-SAT reached its time limit of {seconds:g} s without an answer")
        raise SolverFault(f"CP-SAT refused the model: {solver.status_name(status)}")

    return solve


def prepare_within(problem: DealProblem, seconds: float) -> Callable[[], Verdict]:
    """`prepare` with a time limit in seconds for either step."""
    return prepare(problem, seconds=seconds, deadline=Deadline(seconds))


def _groups(
    problem: DealProblem,
) -> Iterable[tuple[SetConstraint | None, Iterable[tuple[int, Places]]]]:
    """The cards in bundles with equal owners, by set; the sets without bounds, None, are one."""
    booleans = sum(mask.bit_count() for one in problem.sets for mask in one.owners)
    if booleans <= MOST_BOOLEANS:
        for index, one in enumerate(problem.sets):
            yield one, [(mask, [(index, card)]) for card, mask in enumerate(one.owners)]
        return
    unbound: dict[int, Places] = {}
    for index, one in enumerate(problem.sets):
        free = not any(one.low) and all(map(ge, one.high, _ownable(one)))
        together: dict[int, Places] = unbound if free else {}
        for card, mask in enumerate(one.owners):
            together.setdefault(mask, []).append((index, card))
        if not free:
            yield one, together.items()
    yield None, unbound.items()


def _ownable(constraint: SetConstraint) -> list[int]:
    """Per player, the cards of a set that he may own."""
    ownable = [0] * constraint.players
    for mask, number in Counter(constraint.owners).items():
        for player in players_in(mask):
            ownable[player] += number
    return ownable


__all__ = ["MOST_BOOLEANS", "PARAMETERS", "QUICK", "SECONDS", "prepare", "prepare_within"]
