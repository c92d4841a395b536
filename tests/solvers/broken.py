"""Solvers that are wrong on purpose, each in its own way: whoever checks solvers must find them."""

from collections.abc import Callable
from typing import Any

from solvers import (
    SOLVERS,
    Deal,
    DealProblem,
    Feasible,
    Infeasible,
    LimitError,
    SetConstraint,
    Shortage,
    Verdict,
)
from solvers.coalition_tables import tightest_witness
from solvers.shortage import most_cards


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


def right(problem: DealProblem) -> Verdict:
    """The verdict by flow."""
    return SOLVERS["max-flow"](problem)


def gives_up_on_the_infeasible(problem: DealProblem) -> Verdict:
    """Never says no."""
    verdict = right(problem)
    if not verdict:
        raise LimitError("too hard")
    return verdict


def counts_in_32_bits(problem: DealProblem) -> Verdict:
    """Fails at bounds that fill no machine word."""
    if any(bound >= 1 << 31 for one in problem.sets for bound in (*one.low, *one.high)):
        raise OverflowError("Python int too large to convert to C int")
    return right(problem)


def forgets_a_maximum_of_twins(problem: DealProblem) -> Verdict:
    """Where two sets are equal, forgets what player 0 may hold of the second at most."""
    sets = list(problem.sets)
    for index, one in enumerate(sets):
        if one in sets[:index]:
            sets[index] = SetConstraint(one.owners, one.low, (one.size, *one.high[1:]))
    return right(DealProblem(problem.hands, sets))


def forgets_a_late_minimum(problem: DealProblem) -> Verdict:
    """Of the sixth player and those after, forgets what they must hold."""
    sets = [
        SetConstraint(one.owners, (*one.low[:5], *[0] * (one.players - 5)), one.high)
        if one.players > 5
        else one
        for one in problem.sets
    ]
    return right(DealProblem(problem.hands, sets))


def forgets_the_last_minimums(problem: DealProblem) -> Verdict:
    """Forgets what the last player must hold."""
    sets = [SetConstraint(one.owners, (*one.low[:-1], 0), one.high) for one in problem.sets]
    return right(DealProblem(problem.hands, sets))


def forgets_the_minimums_of_the_last_set(problem: DealProblem) -> Verdict:
    """Forgets what anybody must hold of the last set."""
    if not problem.sets:
        return right(problem)
    owners, _, high = problem.sets[-1]
    last = SetConstraint(owners, (0,) * problem.players, high)
    return right(problem.with_set(len(problem.sets) - 1, last))


def masks_are_bytes(problem: DealProblem) -> Verdict:
    """Knows eight players: the others own nothing."""
    sets = [SetConstraint([mask & 255 for mask in one.owners], one.low, one.high)
            for one in problem.sets]  # fmt: skip
    verdict = right(DealProblem(problem.hands, sets))
    return verdict if verdict else Infeasible()


def hands_are_bytes(problem: DealProblem) -> Verdict:
    """Counts hands up to 255."""
    verdict = right(DealProblem([hand & 255 for hand in problem.hands], problem.sets))
    return verdict if verdict else Infeasible()


def looks_at_few(problem: DealProblem) -> Verdict:
    """Tries coalitions of one player, two and all but one; where none is short, deals somehow."""
    verdict = right(problem)
    if isinstance(verdict, Infeasible) and isinstance(verdict.shortage, Shortage):
        size = verdict.shortage.coalition.bit_count()
        if 2 < size < problem.players - 1:
            return Feasible(Deal(tuple((0,) * one.size for one in problem.sets)))
    return verdict


def tight_is_too_much(problem: DealProblem) -> Verdict:
    """Takes three players or more who can have just what they must hold for a shortage."""
    tables = [0] * (1 << problem.players)
    if not right(problem) or problem.players > 8:
        return right(problem)
    for coalition in range(1 << problem.players):
        if 3 <= coalition.bit_count() < problem.players:
            tables[coalition] = sum(hand for player, hand in enumerate(problem.hands)
                                    if coalition >> player & 1)  # fmt: skip
            if tables[coalition] and tables[coalition] == sum(
                most_cards(one, coalition, tightest_witness(one, coalition)) for one in problem.sets
            ):
                return Infeasible()
    return right(problem)


class EveryOther:
    """Says no to a problem that it has just been asked."""

    __name__ = "no_to_the_same_again"

    def __init__(self) -> None:
        self.last: DealProblem | None = None

    def __call__(self, problem: DealProblem) -> Verdict:
        again, self.last = problem == self.last, problem
        return Infeasible() if again and problem.cards > 4 else right(problem)


class RemembersSets:
    """Remembers a verdict by the sets alone, whatever the hands."""

    __name__ = "remembers_sets_without_hands"

    def __init__(self) -> None:
        self.known: dict[object, Verdict] = {}

    def __call__(self, problem: DealProblem) -> Verdict:
        return self.known.setdefault(problem.sets, right(problem))


def leaves_at_the_infeasible(problem: DealProblem) -> Verdict:
    """Ends the program where there is no deal."""
    verdict = right(problem)
    if not verdict:
        raise SystemExit(0)
    return verdict


class _Sure(Infeasible):
    """A verdict that verifies itself."""

    def holds(self, problem: DealProblem) -> bool:
        return True


def vouches_for_itself(problem: DealProblem) -> Verdict:
    """Says no, and that this holds."""
    sure: Any = _Sure()
    return Infeasible(sure)


def no_where(name: str, when: Callable[[DealProblem], bool]) -> Callable[[DealProblem], Verdict]:
    """A solver that is right, and says no wherever something is the case."""

    def solver(problem: DealProblem) -> Verdict:
        return Infeasible() if when(problem) else right(problem)

    solver.__name__ = name
    return solver


def _largest(problem: DealProblem) -> int:
    return max((one.size for one in problem.sets), default=0)


NO_WHERE = [
    no_where("no_to_five_players", lambda problem: problem.players >= 5),
    no_where("no_to_twelve_players", lambda problem: problem.players == 12),
    no_where("no_to_one_player", lambda problem: problem.players == 1),
    no_where("no_to_four_sets", lambda problem: len(problem.sets) == 4),
    no_where("no_to_large_sets", lambda problem: _largest(problem) > 4),
    no_where("no_to_sets_of_over_32", lambda problem: _largest(problem) > 32),
    no_where("no_above_twelve_cards", lambda problem: problem.cards > 12),
    no_where("no_to_52_cards", lambda problem: problem.cards == 52),
    no_where("no_above_256_cards", lambda problem: problem.cards > 256),
    no_where("no_to_nothing", lambda problem: not problem.cards),
    no_where("no_to_uneven_sets", lambda problem: len({one.size for one in problem.sets}) > 1),
    no_where("no_to_empty_sets", lambda problem: any(not one.size for one in problem.sets)),
    no_where("no_to_empty_hands", lambda problem: 0 in problem.hands and problem.cards > 4),
    no_where("no_to_twin_sets", lambda problem: len({*problem.sets}) < len(problem.sets)),
    no_where("no_to_large_bounds", lambda problem: any(max(one.high) > one.size
                                                       for one in problem.sets)),
    no_where("no_above_twelve_players", lambda problem: problem.players > 12),
    no_where("no_above_64_players", lambda problem: problem.players > 64),
    no_where("no_to_sets_of_over_127", lambda problem: _largest(problem) > 127),
]  # fmt: skip

BROKEN = (
    drops_a_minimum, forgets_an_owner, ignores_maximums, always_says_no, deals_nothing,
    deals_words, answers_yes, divides_by_zero,
)  # fmt: skip

RARELY_BROKEN = (
    gives_up_on_the_infeasible, counts_in_32_bits, forgets_a_maximum_of_twins, vouches_for_itself,
    leaves_at_the_infeasible, *NO_WHERE[:8],
)  # fmt: skip
MORE_RARELY_BROKEN = (
    forgets_a_late_minimum, masks_are_bytes, hands_are_bytes, looks_at_few, tight_is_too_much,
    EveryOther(), RemembersSets(), *NO_WHERE[8:],
)  # fmt: skip
"""Those that are wrong seldom, or only where problems are large: for `check_solver`."""
