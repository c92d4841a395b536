"""CP-SAT: the declarative model.

One boolean per allowed (card, player); exactly one owner per card; hand sizes; per player and set a
minimum and a maximum. OR-Tools' CP-SAT proves or refutes it with one thread and a fixed seed. An
infeasible verdict carries no shortage of its own: `solvers.certify` pairs it with one.

Above `MOST_BOOLEANS` the cards of a set with equal owners are bundled: one whole number per player
says how many of them are his. Thousands of interchangeable booleans are beyond CP-SAT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from solvers.errors import InputError, SolverFault, SolverTimeout
from solvers.interruptible import solved
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

SECONDS = 60.0
"""Default time limit of one solve."""

MOST_BOOLEANS = 1_000
"""Most booleans of a model whose cards are not bundled."""

QUICK = 2000
"""Models of at most so many variables are solved before anybody could interrupt them."""


def prepare(
    problem: DealProblem, *, seed: int = 0, seconds: float = SECONDS
) -> Callable[[], Verdict]:
    """Build the model; the result solves it.

    Args:
        seed: of CP-SAT's search.
        seconds: time limit of the solve.

    The solve raises `SolverTimeout` at the limit: that is never read as infeasible.

    Raises:
        InputError: `seconds` is negative or not a number.
    """
    if not seconds >= 0:
        raise InputError(f"seconds: {seconds!r} is not a number of at least 0")
    from ortools.sat.python import cp_model

    booleans = sum(mask.bit_count() for one in problem.sets for mask in one.owners)
    bundled = booleans > MOST_BOOLEANS
    model = cp_model.CpModel()
    total = cp_model.LinearExpr.sum
    held: list[list[cp_model.IntVar]] = [[] for _ in problem.hands]
    # Per set, per bundle: its cards, and per player who may own them the variable.
    bundles: list[list[tuple[list[int], list[tuple[int, cp_model.IntVar]]]]] = []
    for constraint in problem.sets:
        shares: list[list[cp_model.IntVar]] = [[] for _ in problem.hands]
        ownable = [0] * problem.players
        rows = []
        for mask, cards in _bundles(constraint, bundled):
            size = len(cards)
            if size == 1:
                row = [(player, model.new_bool_var("")) for player in players_in(mask)]
                model.add_exactly_one([variable for _, variable in row])
            else:
                row = [(player, model.new_int_var(0, size, "")) for player in players_in(mask)]
                model.add_linear_constraint(total([amount for _, amount in row]), size, size)
            for player, variable in row:
                shares[player].append(variable)
                ownable[player] += size
            rows.append((cards, row))
        bundles.append(rows)
        for player, share in enumerate(shares):
            held[player] += share
            low, high = constraint.low[player], constraint.high[player]
            if low > 0 or high < ownable[player]:
                most = min(high, ownable[player])
                # CP-SAT's domains need low <= high and 64 bits; crossed bounds say "never".
                if low > most:
                    model.add_bool_or([])
                else:
                    model.add_linear_constraint(total(share), low, most)
    for player, hand in enumerate(problem.hands):
        places = min(hand, problem.cards + 1)
        model.add_linear_constraint(total(held[player]), places, places)

    variables = sum(map(len, held))

    def solve() -> Verdict:
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed
        # These cost more than they gain: the linear relaxation alone is integral here.
        solver.parameters.symmetry_level = 0
        solver.parameters.cp_model_probing_level = 0
        solver.parameters.max_time_in_seconds = seconds
        # Otherwise an interrupt ends only the search, and Python hears of no interrupt any more.
        solver.parameters.catch_sigint_signal = False
        status = solved(solver, model) if variables > QUICK else solver.solve(model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            owner = [[-1] * one.size for one in problem.sets]
            for owners, rows in zip(owner, bundles, strict=True):
                for cards, row in rows:
                    left = iter(cards)
                    for player, variable in row:
                        for card in islice(left, solver.value(variable)):
                            owners[card] = player
            return Feasible(Deal(tuple(map(tuple, owner))))
        if status == cp_model.INFEASIBLE:
            return Infeasible()
        if status == cp_model.UNKNOWN:
            raise SolverTimeout(f"CP-SAT reached its time limit of {seconds:g} s without an answer")
        raise SolverFault(f"CP-SAT refused the model: {solver.status_name(status)}")

    return solve


def prepare_within(problem: DealProblem, seconds: float) -> Callable[[], Verdict]:
    """`prepare` with a time limit in seconds."""
    return prepare(problem, seconds=seconds)


def _bundles(constraint: SetConstraint, bundled: bool) -> Iterable[tuple[int, list[int]]]:
    """The cards in groups with their owner mask: each alone, or all with equal owners together."""
    if not bundled:
        return ((mask, [card]) for card, mask in enumerate(constraint.owners))
    together: dict[int, list[int]] = {}
    for card, mask in enumerate(constraint.owners):
        together.setdefault(mask, []).append(card)
    return together.items()


__all__ = ["MOST_BOOLEANS", "QUICK", "SECONDS", "prepare", "prepare_within"]
