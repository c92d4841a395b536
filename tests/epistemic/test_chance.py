"""Chances of formulas: counting, listing and drawing agree with enumeration."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError, LimitError
from quaternity.epistemic import FALSE, TRUE, Formula, Language, truth_for_seat
from quaternity.epistemic.chance import formula_chance
from quaternity.epistemic.evaluator import Undecided
from quaternity.epistemic.seat_truth import after_announcements
from quaternity.epistemic.solver_evaluator import SolverEvaluator
from quaternity.epistemic.strategies import formulas, positions
from solvers import Deal, DealProblem, SetConstraint
from solvers.brute_force import deals
from tests.epistemic.by_definition import holds_by_definition
from tests.limits import limited
from tests.sizes import examples


def hand_of(deal: Deal, player: int) -> list[int]:
    return [sum(1 << n for n, owner in enumerate(row) if owner == player) for row in deal.owner]


@pytest.mark.parametrize("listing", [True, False])
@given(positions(max_players=3, max_sets=2, max_set_size=3), st.data())
@settings(max_examples=examples(150))
def test_exact_chances_are_shares_of_deals(
    listing: bool, position: tuple[DealProblem, Deal], data: st.DataObject
) -> None:
    """The deals are those in which all announcements are true. Certainty for a seat is 0 or 1."""
    problem, deal = position
    formula = data.draw(formulas(Language.of(problem), 2), label="formula")
    news = data.draw(st.lists(formulas(Language.of(problem), 1), max_size=2), label="said")
    seat = data.draw(st.sampled_from([None, *range(problem.players)]), label="seat")
    hand = [] if seat is None else hand_of(deal, seat)

    def are_true(formula: Formula, among: list[Deal]) -> list[Deal]:
        return [world for world in among if holds_by_definition(formula, problem, world)]

    possible = [world for world in deals(problem) if seat is None or hand_of(world, seat) == hand]
    possible = are_true(~after_announcements(news, FALSE), possible)
    true = len(are_true(after_announcements(news, formula), possible))
    if not possible:
        for ask in (formula_chance, truth_for_seat):
            with pytest.raises(InputError, match="not true in any possible deal"):
                ask(formula, problem, seat, hand, announcements=news)
        return
    with suppress(LimitError):
        seen = truth_for_seat(
            formula, problem, seat, hand, "explicit" if listing else "solvers", announcements=news
        )
        assert seen.truth is (None if 0 < true < len(possible) else true > 0)
        assert all(world in possible for world in seen.deals)
    with limited("quaternity.epistemic.chance", MAX_QUICK_WORLDS=10**6 if listing else 0):
        try:
            result = formula_chance(formula, problem, seat, hand, samples=0, announcements=news)
        except LimitError:
            assert not listing
            return
    assert result.is_exact
    assert result.chance == Fraction(true, len(possible))
    assert result.low == result.high == float(result.chance)


def test_estimates_have_the_chance_in_their_interval() -> None:
    problem = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2], [0, 1, 2], [1, 2]], 3)])
    seen = problem, 0, [0b001]
    exact = formula_chance("K1 H2 0/2", *seen)
    assert exact.is_exact
    assert exact.chance == Fraction(1, 2)
    with limited("quaternity.epistemic.chance", MAX_QUICK_WORLDS=0):
        assert formula_chance("K1 H2 0/2", *seen, samples=0) == exact  # all deals are tried
    with limited("quaternity.epistemic.chance", MAX_QUICK_WORLDS=0, MAX_LISTED_DEALS=0):
        drawn = formula_chance("K1 H2 0/2", *seen, samples=400)
        assert drawn.drawn == 400
        assert drawn.low < 0.5 < drawn.high < drawn.low + 0.12
        assert float(drawn.chance) == pytest.approx(0.5, abs=0.06)
        assert formula_chance("K1 H0 0/1", *seen).chance == 0  # the search finds none
        # The announcement is true in every other deal drawn.
        after = formula_chance(
            "K1 H2 0/2", *seen, samples=50, announcements=["K1 H2 0/2 | K1 H0 0/1"]
        )
        assert after.drawn == 50
        assert after.chance == 1


LARGE = DealProblem([2, 3, 3], [SetConstraint.of([[0, 1, 2]] * 4, 3)] * 2), 0, [0b11, 0]


@pytest.mark.parametrize("undecided", [None, 19, 20, 45])
@pytest.mark.parametrize("formula", ["H1 1/0", "H1 1/0 & H1 1/1", "H2 0/2 | H1 1/3"])
def test_an_interval_contains_the_shares_that_are_not_rare(
    formula: str, undecided: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ends are as far from the share drawn as the quantile says (Wilson, 1927).

    An undecided deal counts as true or false, whichever makes the interval larger.
    """
    truth, looked_at = SolverEvaluator.truth, 0

    def limited_truth(self: SolverEvaluator, formula: Formula, deal: Deal, *more: Any) -> bool:
        nonlocal looked_at
        looked_at += formula == TRUE  # the announcements
        if undecided is not None and looked_at > undecided:
            raise Undecided("undecided")
        return truth(self, formula, deal, *more)

    monkeypatch.setattr(SolverEvaluator, "truth", limited_truth)
    with limited(
        "quaternity.epistemic.chance", MAX_QUICK_WORLDS=0, MAX_LISTED_DEALS=0, MAX_COUNTS=0
    ):
        if undecided == 19:
            with pytest.raises(LimitError, match="only 19 deals could be checked"):
                formula_chance(formula, *LARGE, samples=60)
            return
        guess = formula_chance(formula, *LARGE, samples=60)
    assert guess.drawn == (60 if undecided is None else undecided + 1)
    still_open = 0 if undecided is None else 1
    true = guess.chance * (guess.drawn - still_open)
    assert true.denominator == 1
    for share, end, limit in (
        (true / guess.drawn, guess.low, 0), ((true + still_open) / guess.drawn, guess.high, 1)
    ):  # fmt: skip
        if share == limit:
            assert end == limit
        else:
            assert (end - share) * (limit - share) > 0
            distance = 1.959964**2 * end * (1 - end) / guess.drawn
            assert (end - float(share)) ** 2 == pytest.approx(distance)


def test_deals_are_drawn_in_which_the_announcements_are_true() -> None:
    """The announcement is true in one of 900 deals; of 2500 of all deals, too few would fit."""
    whole = DealProblem([13] * 4, [SetConstraint.of([[0, 1, 2, 3]] * 4, 4)] * 13)
    rare = " & ".join(f"H1 {card}" for card in ("1/0", "1/1", "1/2", "1/3", "2/0", "2/1"))
    formula = "K1 H2 3/0 | H3 4/1 & M2 H1 1/0"
    guess = formula_chance(
        formula, whole, 0, [0] * 9 + [0b1111] * 3 + [1], samples=50, announcements=[rare]
    )
    assert guess.drawn == 50
    assert guess.low < 13 / 33 < guess.high


def test_a_chance_that_cannot_be_counted_is_refused() -> None:
    problem = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2], [0, 1, 2], [1, 2]], 3)])
    with (
        limited("quaternity.epistemic.chance", MAX_QUICK_WORLDS=0, MAX_LISTED_DEALS=0),
        pytest.raises(LimitError),
    ):
        formula_chance("K1 H2 0/2", problem, 0, [0b001], samples=0)


def test_deals_that_the_solvers_leave_open_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If few deals are possible, a chance is found even if the search leaves deals undecided."""
    problem = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2], [0, 1, 2], [1, 2]], 3)])

    def raise_undecided(*_: object) -> bool:
        raise Undecided("undecided")

    monkeypatch.setattr(SolverEvaluator, "truth", raise_undecided)
    guess = formula_chance("C{0,1} M0 H1 0/1 | H1 0/1", problem, 0, [0b001])
    assert (guess.is_exact, guess.chance) == (True, Fraction(1, 2))
