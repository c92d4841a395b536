"""Solvers that are wrong on purpose, each in a different way. Checks of solvers must find them."""

from collections.abc import Callable

from solvers import (
    SOLVERS,
    DealProblem,
    Infeasible,
    LimitError,
    SetConstraint,
    Verdict,
)


def drops_a_minimum(problem: DealProblem) -> Verdict:
    """Ignore the minimum of player 0 in every set."""
    sets = [SetConstraint(set_.owners, (0, *set_.low[1:]), set_.high) for set_ in problem.sets]
    return SOLVERS["max-flow"](DealProblem(problem.hands, sets))


def forgets_an_owner(problem: DealProblem) -> Verdict:
    """Drop the first possible owner of the last card that several players may own."""
    sets = list(problem.sets)
    for index in reversed(range(len(sets))):
        owners = sets[index].owners
        for card in reversed(range(len(owners))):
            if owners[card] & (owners[card] - 1):
                rest = (*owners[:card], owners[card] & (owners[card] - 1), *owners[card + 1 :])
                sets[index] = SetConstraint(rest, sets[index].low, sets[index].high)
                verdict = SOLVERS["max-flow"](DealProblem(problem.hands, sets))
                return verdict if verdict else Infeasible()
    return SOLVERS["max-flow"](problem)


def ignores_maximums(problem: DealProblem) -> Verdict:
    """Replace every maximum by the size of the set."""
    sets = [SetConstraint(row.owners, row.low, [row.size] * row.players) for row in problem.sets]
    return SOLVERS["coalitions"](DealProblem(problem.hands, sets))


def always_says_no(problem: DealProblem) -> Verdict:
    """Return an infeasible verdict without evidence for every problem."""
    del problem
    return Infeasible()


def divides_by_zero(problem: DealProblem) -> Verdict:
    """Divide by zero if there are no minimums."""
    1 // sum(sum(set_.low) for set_ in problem.sets)
    return SOLVERS["coalitions"](problem)


def solve_by_flow(problem: DealProblem) -> Verdict:
    """Return the correct verdict, by maximum flow."""
    return SOLVERS["max-flow"](problem)


def gives_up_on_the_infeasible(problem: DealProblem) -> Verdict:
    """Raise LimitError if the problem is infeasible."""
    verdict = solve_by_flow(problem)
    if not verdict:
        raise LimitError("too hard")
    return verdict


def counts_in_32_bits(problem: DealProblem) -> Verdict:
    """Raise OverflowError for bounds that do not fit into a machine word of 32 bits."""
    if any(bound >= 1 << 31 for set_ in problem.sets for bound in (*set_.low, *set_.high)):
        raise OverflowError("Python int too large to convert to C int")
    return solve_by_flow(problem)


def forgets_a_maximum_of_twins(problem: DealProblem) -> Verdict:
    """If two sets are equal, ignore the maximum of player 0 in the second."""
    sets = list(problem.sets)
    for index, set_ in enumerate(sets):
        if set_ in sets[:index]:
            sets[index] = SetConstraint(set_.owners, set_.low, (set_.size, *set_.high[1:]))
    return solve_by_flow(DealProblem(problem.hands, sets))


def leaves_at_the_infeasible(problem: DealProblem) -> Verdict:
    """Exit the program if there is no deal."""
    verdict = solve_by_flow(problem)
    if not verdict:
        raise SystemExit(0)
    return verdict


def no_if(name: str, when: Callable[[DealProblem], bool]) -> Callable[[DealProblem], Verdict]:
    """Return a solver that is right, except that it answers infeasible if a condition holds."""

    def solver(problem: DealProblem) -> Verdict:
        return Infeasible() if when(problem) else solve_by_flow(problem)

    solver.__name__ = name
    return solver


def _largest_set(problem: DealProblem) -> int:
    return max((set_.size for set_ in problem.sets), default=0)


INFEASIBLE_IF = [
    no_if("no_to_five_players", lambda problem: problem.players >= 5),
    no_if("no_to_twelve_players", lambda problem: problem.players == 12),
    no_if("no_to_one_player", lambda problem: problem.players == 1),
    no_if("no_to_four_sets", lambda problem: len(problem.sets) == 4),
    no_if("no_to_large_sets", lambda problem: _largest_set(problem) > 4),
    no_if("no_to_sets_of_over_32", lambda problem: _largest_set(problem) > 32),
    no_if("no_above_twelve_cards", lambda problem: problem.cards > 12),
    no_if("no_to_52_cards", lambda problem: problem.cards == 52),
]  # fmt: skip

BROKEN = (
    drops_a_minimum, forgets_an_owner, ignores_maximums, always_says_no, divides_by_zero,
)  # fmt: skip

RARELY_BROKEN = (
    gives_up_on_the_infeasible, counts_in_32_bits, forgets_a_maximum_of_twins,
    leaves_at_the_infeasible, *INFEASIBLE_IF,
)  # fmt: skip
"""Solvers that are wrong rarely, or only on large problems: for `check_solver`."""
