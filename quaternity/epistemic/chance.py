"""Probability that a formula is true, from the point of view of a player with a given hand.

All deals that the player considers possible are equally likely. If the formula is about hands only,
it is split into disjoint cases, and the deals of each case are counted. If few deals are possible,
the formula is evaluated in all of them. Otherwise, the probability is estimated from random deals,
with a confidence interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from math import sqrt
from random import Random
from typing import NamedTuple

from quaternity.base.errors import InputError, LimitError
from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Deadline, Evaluator, Undecided
from quaternity.epistemic.formula import FALSE, TRUE, Formula, negation
from quaternity.epistemic.normal_form import normal_form
from quaternity.epistemic.propositional import cases, is_determined, narrow, without_knowledge
from quaternity.epistemic.seat_truth import (
    NEVER_TRUE,
    after_announcements,
    find_possible_deal,
    seat_truth_of,
)
from quaternity.epistemic.truth import (
    DEFAULT_SECONDS,
    MAX_QUICK_WORLDS,
    validate_formula,
    with_evaluator,
)
from solvers.counting import count_deals
from solvers.problem import DealProblem
from solvers.sampling import NumberedDeals
from solvers.verdict import Deal

MAX_COUNTS = 500
"""Maximum number of cases (restrictions of the owners of some cards) for which deals are counted.
If a formula has more cases, another method computes its probability."""
MAX_LISTED_DEALS = 1000
"""Maximum number of possible deals for which the formula is evaluated in every deal. The
probability is then exact. If there are more deals, it is estimated from random deals."""
MAX_SAMPLES = 1000
"""Maximum number of random deals from which a probability is estimated."""
MAX_DRAWS_PER_SAMPLE = 50
"""Maximum number of deals that are drawn, on average, to get one deal for an estimate. Deals that
contradict the announcements are dropped."""
MIN_SAMPLES = 20
"""Minimum number of random deals from which a probability is estimated. If there are fewer at the
time limit, a LimitError is raised."""
QUANTILE = 1.959964
"""97.5 % quantile of the standard normal distribution, for 95 % intervals."""


class FormulaChance(NamedTuple):
    """The probability that a formula is true, exact or estimated.

    Attributes:
        chance: The exact probability, or the share of sampled deals in which the formula is true.
        low, high: Bounds of a 95 % confidence interval (Wilson, 1927). If the probability is exact,
            both are equal to it.
        drawn: The number of sampled deals, or None if the probability is exact.
    """

    chance: Fraction
    low: float
    high: float
    drawn: int | None = None

    @property
    def is_exact(self) -> bool:
        """Return True if the probability is exact, and False if it is an estimate."""
        return self.drawn is None


def formula_chance(
    formula: Formula | str,
    problem: DealProblem,
    seat: int | None,
    hand: Sequence[int] = (),
    seconds: float = DEFAULT_SECONDS,
    set_size: int | None = None,
    points: tuple[int, ...] | None = None,
    samples: int = MAX_SAMPLES,
    announcements: Sequence[Formula | str] = (),
) -> FormulaChance:
    """Return the probability that a formula is true, from the point of view of one player.

    All deals that fit the public information, the player's hand and the announcements are equally
    likely. Arguments other than `samples` are explained in `truth_for_seat`.

    Args:
        samples: Maximum number of random deals for an estimate. With 0, the result must be exact.

    Raises:
        InputError: For the same reasons as `truth_for_seat`.
        LimitError: For the same reasons as `truth_for_seat`, or if time is too short for an
            estimate.

    >>> from solvers import SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> formula_chance("[!H0 0/1!] K1 H0 0/0", three_cards, 0, [0b001]).chance
    Fraction(1, 2)
    """
    formula, *before = (
        validate_formula(x, problem, set_size, points) for x in (formula, *announcements)
    )
    seen = problem if seat is None else problem.with_hand(seat, hand)
    some_deal = find_possible_deal(seen)
    players = () if seat is None else (seat,)
    deadline = Deadline(seconds)
    all_true = negation(after_announcements(before, FALSE))
    both = negation(after_announcements(before, negation(formula)))

    def question(evaluator: Evaluator) -> FormulaChance:
        def exact(formula: Formula) -> Fraction | None:
            if isinstance(formula, logic.Constant):
                return Fraction(formula.value)
            if not formula.modal_depth:
                with suppress(LimitError):
                    return _count_cases(formula, seen, deadline)
            with suppress(LimitError):
                return _list_deals(formula, problem, seen, deadline)
            truth, other = seat_truth_of(evaluator, formula, seat, some_deal)
            return Fraction(truth) if other is None else None

        fits, fits_too = (
            _replace_settled(normal_form(condition, problem), players, evaluator, some_deal)
            for condition in (all_true, both)
        )
        share, true = exact(fits), exact(fits_too)
        if share == 0:
            raise InputError(NEVER_TRUE)
        if share is None or true is None:
            return _sample_deals(fits, fits_too, seen, evaluator, samples, deadline)
        return _exact_chance(true / share)

    return with_evaluator(
        question, after_announcements(before, formula), problem, "solvers", seconds
    )


def _exact_chance(chance: Fraction) -> FormulaChance:
    return FormulaChance(chance, float(chance), float(chance))


def _replace_settled(
    formula: Formula, players: tuple[int, ...], evaluator: Evaluator, deal: Deal
) -> Formula:
    if isinstance(formula, logic.Constant):
        return formula
    settled = formula.public or (players and is_determined(formula, players))
    if settled:
        with suppress(Undecided):
            return TRUE if evaluator.truth(formula, deal) else FALSE
        return formula
    if isinstance(formula, logic.Not | logic.And | logic.Or | logic.Implies | logic.Iff):
        parts = [_replace_settled(part, players, evaluator, deal) for part in formula.parts()]
        return formula.with_parts(parts)
    return formula


def _count_cases(formula: Formula, seen: DealProblem, deadline: Deadline) -> Fraction:
    """Return the share of the deals of the problem `seen` in which a formula is true."""
    remaining = MAX_COUNTS

    def number(formula: Formula, problem: DealProblem) -> int:
        nonlocal remaining
        formula = normal_form(formula, problem)
        if formula == FALSE:
            return 0
        if formula == TRUE:
            remaining -= 1
            if remaining < 0:
                raise LimitError(
                    f"the probability depends on too many cases (the limit is {MAX_COUNTS})"
                )
            return count_deals(problem, seconds=deadline.remaining())
        card = next(s.card for s in formula.subformulas() if isinstance(s, logic.Holds))
        mask = problem.sets[card.set_index].owners[card.number]
        named = {
            subformula.player
            for subformula in formula.subformulas()
            if isinstance(subformula, logic.Holds) and subformula.card == card
        }
        kinds = [1 << player for player in named if mask >> player & 1]
        kinds.append(mask & ~sum(1 << player for player in named))
        return sum(number(formula, narrow(problem, {card: kind})) for kind in kinds if kind)

    return Fraction(number(formula, seen), count_deals(seen, seconds=deadline.remaining()))


def _list_deals(
    formula: Formula, problem: DealProblem, seen: DealProblem, deadline: Deadline
) -> Fraction:
    from quaternity.epistemic.explicit_evaluator import model_of
    from quaternity.epistemic.worlds import quick_count

    deals = quick_count(problem)
    if deals is None or deals > MAX_QUICK_WORLDS:
        raise LimitError(f"more than {MAX_QUICK_WORLDS} deals are possible: too many to list")
    import numpy as np

    model = model_of(problem, deadline.remaining)
    possible, row = model.all_true(), 0
    for constraint in seen.sets:
        for mask in constraint.owners:
            fits = np.array([mask >> player & 1 for player in range(problem.players)], dtype=bool)
            possible &= fits[model.owners[row]]
            row += 1
    true = model.extension(formula, check=deadline.remaining)
    return Fraction(int((true & possible).sum()), int(possible.sum()))


def _sample_deals(
    condition: Formula,
    formula: Formula,
    seen: DealProblem,
    evaluator: Evaluator,
    samples: int,
    deadline: Deadline,
) -> FormulaChance:
    """Return the share of deals in which a formula is true, among those where `condition` is true.

    The share is estimated from a sample if there are many deals. If time runs out while the formula
    is evaluated in a deal, the bounds `low` and `high` of the result allow for both truth values.
    """
    needed = cases(seen, without_knowledge(condition, weaker=True)) or ()
    if len(needed) == 1:  # If the condition is a single case, all sampled deals satisfy it.
        seen = narrow(seen, needed[0])
    deals, random = NumberedDeals(seen, seconds=deadline.remaining()), Random(0)
    few = deals.number <= MAX_LISTED_DEALS
    if not few and not samples:
        raise LimitError(f"more than {MAX_LISTED_DEALS} deals are possible: too many to list")
    numbers: Iterable[int] = (
        random.randrange(deals.number) for _ in range(samples * MAX_DRAWS_PER_SAMPLE)
    )
    if few:
        numbers = random.sample(range(deals.number), deals.number)
    true = drawn = open_ones = 0
    for number in numbers:
        deal = deals.deal(number)
        try:
            deadline.remaining()
            if evaluator.truth(condition, deal):
                true += evaluator.truth(formula, deal)
                drawn += 1
        except Undecided:
            drawn, open_ones = drawn + 1, 1
        if open_ones or (drawn == samples and not few):
            break
    if few and not open_ones:
        if not drawn:
            raise InputError(NEVER_TRUE)
        return _exact_chance(Fraction(true, drawn))
    if drawn - open_ones < MIN_SAMPLES:
        raise Undecided(
            f"undecided: only {drawn - open_ones} deals could be checked within the time limit; "
            "allow more time"
        )
    low = _wilson_interval(true, drawn)[0] if true else 0.0
    high = _wilson_interval(true + open_ones, drawn)[1] if true + open_ones < drawn else 1.0
    return FormulaChance(Fraction(true, drawn - open_ones), low, high, drawn)


def _wilson_interval(true: int, drawn: int) -> tuple[float, float]:
    share, square = true / drawn, QUANTILE**2 / drawn
    middle, wide = share + square / 2, QUANTILE * sqrt((share * (1 - share) + square / 4) / drawn)
    return max(0.0, (middle - wide) / (1 + square)), min(1.0, (middle + wide) / (1 + square))
