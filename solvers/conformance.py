"""What every solver must do, as one function: for solvers of your own.

    from solvers.conformance import check_solver

    def test_my_solver():
        check_solver(my_solver)

The laws are tried on random problems, feasible and infeasible ones, small enough that the built-in
solvers prove every verdict. A broken law raises `SolverFault` with a smallest problem to show it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from solvers.counterexample import smallest_counterexample
from solvers.errors import LimitError, SolverFault, UnsupportedProblem
from solvers.judgement import judge
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.registry import SOLVERS, Solver, solver_from_function
from solvers.strategies import deal_problems
from solvers.verdict import Verdict

Law = Callable[[Solver, DealProblem], str | None]
"""What is wrong with a solver on a problem, as a sentence; None when the law holds."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """On how many problems the laws held.

    Attributes:
        feasible, infeasible: problems decided either way.
        refused: problems the solver does not take, or gave up on.
    """

    feasible: int
    infeasible: int
    refused: int


def evidence_stands(solver: Solver, problem: DealProblem) -> str | None:
    """The verdict agrees with the built-in solvers, and verifies or can be certified."""
    others = [one for one in SOLVERS.values() if one.certifies and one.name != solver.name]
    judgement = judge(problem, [solver, *others])
    return next((fault.text for fault in judgement.faults if fault.solver == solver.name), None)


def refusal_is_honest(solver: Solver, problem: DealProblem) -> str | None:
    """A problem is refused by `refuses` and by a call alike, and a call decides all others."""
    reason = solver.refuses(problem)
    try:
        solver(problem)
    except UnsupportedProblem:
        return None if reason is not None else "refuses a problem that it says it takes"
    except LimitError:
        return None
    return None if reason is None else "decides a problem that it says it refuses"


def names_do_not_matter(solver: Solver, problem: DealProblem) -> str | None:
    """Players, sets and cards under other names get the same verdict, and so does a second call."""
    random = Random(hash(problem))
    players, sets = list(range(problem.players)), list(range(len(problem.sets)))
    cards = [list(range(one.size)) for one in problem.sets]
    for names in (players, sets, *cards):
        random.shuffle(names)
    renamed = problem.relabelled(players, sets, cards)
    first = _answer(solver, problem)
    if first is None:
        return None
    for other, what in ((problem, "asked again"), (renamed, "under other names")):
        answer = _answer(solver, other)
        if answer is not None and bool(answer) != bool(first):
            return f"finds this problem {_word(first)}, and {what} {_word(answer)}"
    return None


def tightening_adds_nothing(solver: Solver, problem: DealProblem) -> str | None:
    """An owner fewer, a minimum higher or a maximum lower makes no infeasible problem feasible."""
    before = _answer(solver, problem)
    if before is None or before:
        return None
    for tighter, what in tightened(problem):
        after = _answer(solver, tighter)
        if after:
            return f"finds this problem infeasible, but feasible with {what}"
    return None


LAWS: tuple[Law, ...] = (
    evidence_stands, refusal_is_honest, names_do_not_matter, tightening_adds_nothing
)  # fmt: skip
"""All laws. The first one implies the others for a deterministic solver; they name more."""


def tightened(problem: DealProblem) -> list[tuple[DealProblem, str]]:
    """The problem with one constraint tightened by one, in every way, each described."""
    found: list[tuple[DealProblem, str]] = []
    for index, one in enumerate(problem.sets):
        for card, mask in enumerate(one.owners):
            for player in players_in(mask):
                owners = list(one.owners)
                owners[card] &= ~(1 << player)
                found.append(
                    (
                        problem.with_set(index, SetConstraint(owners, one.low, one.high)),
                        f"player {player} not an owner of {index}/{card}",
                    )
                )
        for player in range(problem.players):
            low, high = list(one.low), list(one.high)
            low[player] += 1
            found.append(
                (
                    problem.with_set(index, SetConstraint(one.owners, low, one.high)),
                    f"a minimum of {low[player]} for player {player} in set {index}",
                )
            )
            if high[player]:
                high[player] -= 1
                found.append(
                    (
                        problem.with_set(index, SetConstraint(one.owners, one.low, high)),
                        f"a maximum of {high[player]} for player {player} in set {index}",
                    )
                )
    return found


def check_solver(
    solver: Solver | Callable[[DealProblem], Verdict], examples: int = 300, seed: int = 0
) -> Conformance:
    """Try all laws on random problems.

    Args:
        solver: a row of the table, or a function from problem to verdict.
        examples: number of problems.
        seed: of the problems.

    Raises:
        SolverFault: a law is broken, with a smallest problem that shows it; or the solver took no
            problem at all, so that nothing was tried.

    Cost: some fifty runs of the solver per problem, most of them on infeasible ones.

    >>> from solvers import SOLVERS
    >>> check_solver(SOLVERS["coalitions"], examples=50).refused
    0
    """
    row = solver if isinstance(solver, Solver) else solver_from_function(_name(solver), solver)
    counts = {"feasible": 0, "infeasible": 0, "refused": 0}

    def check(problem: DealProblem) -> tuple[str, str] | None:
        for law in LAWS:
            try:
                fault = law(row, problem)
            except Exception as error:
                fault = f"raised {error!r}"
            if fault is not None:
                return law.__name__.replace("_", " "), fault
        answer = _answer(row, problem)
        counts["refused" if answer is None else _word(answer)] += 1
        return None

    found = smallest_counterexample(deal_problems(), check, examples=examples, random_seed=seed)
    if found is not None:
        problem, (law, fault) = found
        raise SolverFault(f"{row.name} breaks the law '{law}': {row.name} {fault}\non {problem}")
    result = Conformance(**counts)
    if not result.feasible + result.infeasible:
        raise SolverFault(f"{row.name} took none of {result.refused} problems: nothing was tried")
    return result


def _name(function: Callable[[DealProblem], Verdict]) -> str:
    return getattr(function, "__name__", repr(function))


def _answer(solver: Solver, problem: DealProblem) -> Verdict | None:
    if solver.refuses(problem) is not None:
        return None
    try:
        return solver.prepare(problem)()
    except LimitError:
        return None


def _word(verdict: Verdict) -> str:
    return "feasible" if verdict else "infeasible"


__all__ = [
    "LAWS",
    "Conformance",
    "Law",
    "check_solver",
    "evidence_stands",
    "names_do_not_matter",
    "refusal_is_honest",
    "tightened",
    "tightening_adds_nothing",
]
