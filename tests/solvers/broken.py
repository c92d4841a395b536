"""Solvers that are wrong on purpose, each in its own way: whoever checks solvers must find them."""

from typing import Any

from solvers import SOLVERS, Deal, DealProblem, Feasible, Infeasible, SetConstraint, Verdict


def drops_a_minimum(problem: DealProblem) -> Verdict:
    """Forgets what player 0 must hold."""
    sets = [SetConstraint(one.owners, (0, *one.low[1:]), one.high) for one in problem.sets]
    return SOLVERS["max-flow"](DealProblem(problem.hands, sets))


def forgets_an_owner(problem: DealProblem) -> Verdict:
    """Of the last card that several players may own, it forgets the first of them."""
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
    """Takes every maximum for the size of the set."""
    sets = [SetConstraint(one.owners, one.low, [one.size] * one.players) for one in problem.sets]
    return SOLVERS["coalitions"](DealProblem(problem.hands, sets))


def always_says_no(problem: DealProblem) -> Verdict:
    """Finds everything infeasible, for no reason."""
    del problem
    return Infeasible()


def deals_nothing(problem: DealProblem) -> Verdict:
    """Finds everything feasible, with a deal of no cards."""
    del problem
    return Feasible(Deal(()))


def deals_words(problem: DealProblem) -> Verdict:
    """Gives a deal whose owners are no numbers."""
    words: Any = ("nobody",) * problem.sets[0].size if problem.sets else ()
    return Feasible(Deal((words,) * len(problem.sets)))


def answers_yes(problem: DealProblem) -> Any:
    """Answers with a truth value instead of a verdict."""
    return bool(problem.cards)


def divides_by_zero(problem: DealProblem) -> Verdict:
    """Crashes where there are no minimums."""
    1 // sum(sum(one.low) for one in problem.sets)
    return SOLVERS["coalitions"](problem)


BROKEN = (
    drops_a_minimum, forgets_an_owner, ignores_maximums, always_says_no, deals_nothing,
    deals_words, answers_yes, divides_by_zero,
)  # fmt: skip
