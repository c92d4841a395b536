"""Chances of formulas: counted, listed and drawn agree with what enumeration says."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.epistemic import Language, chance
from quaternity.epistemic.by_solvers import SolverEvaluator
from quaternity.epistemic.chance import formula_chance
from quaternity.epistemic.evaluator import Undecided
from quaternity.epistemic.strategies import formulas, positions
from quaternity.errors import LimitError
from solvers import Deal, DealProblem, SetConstraint
from solvers.brute_force import deals
from tests.epistemic.by_definition import holds_by_definition
from tests.sizes import examples


def hand_of(deal: Deal, player: int) -> list[int]:
    return [sum(1 << n for n, who in enumerate(row) if who == player) for row in deal.owner]


@pytest.mark.parametrize("listing", [True, False])
@given(positions(max_players=3, max_sets=2, max_set_size=3), st.data())
@settings(max_examples=examples(150))
def test_exact_chances_are_shares_of_deals(
    listing: bool, position: tuple[DealProblem, Deal], data: st.DataObject
) -> None:
    problem, deal = position
    formula = data.draw(formulas(Language.of(problem), 2), label="formula")
    seat = data.draw(st.sampled_from([None, *range(problem.players)]), label="seat")
    hand = [] if seat is None else hand_of(deal, seat)
    possible = [one for one in deals(problem) if seat is None or hand_of(one, seat) == hand]
    true = sum(holds_by_definition(formula, problem, one) for one in possible)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chance, "FEW_WORLDS", 10**6 if listing else 0)
        try:
            found = formula_chance(formula, problem, seat, hand, samples=0)
        except LimitError:
            assert not listing
            return
    assert found.is_exact
    assert found.chance == Fraction(true, len(possible))
    assert found.low == found.high == float(found.chance)


def test_estimates_have_the_chance_in_their_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2], [0, 1, 2], [1, 2]], 3)])
    seen = problem, 0, [0b001]
    exact = formula_chance("K1 H2 0/2", *seen)
    assert exact.is_exact
    assert exact.chance == Fraction(1, 2)
    monkeypatch.setattr(chance, "FEW_WORLDS", 0)
    drawn = formula_chance("K1 H2 0/2", *seen, samples=400)
    assert drawn.drawn == 400
    assert drawn.low < 0.5 < drawn.high < drawn.low + 0.12
    assert float(drawn.chance) == pytest.approx(0.5, abs=0.06)
    assert formula_chance("K1 H0 0/1", *seen).chance == 0  # searched for, and there is none


def test_what_is_not_counted_in_time_is_said() -> None:
    problem = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2], [0, 1, 2], [1, 2]], 3)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chance, "FEW_WORLDS", 0)
        with pytest.raises(LimitError):
            formula_chance("K1 H2 0/2", problem, 0, [0b001], samples=0)


def test_what_the_solvers_leave_open_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where few deals are possible a chance is found whatever the search leaves undecided."""
    problem = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2], [0, 1, 2], [1, 2]], 3)])

    def undecided(*_: object) -> bool:
        raise Undecided("undecided")

    monkeypatch.setattr(SolverEvaluator, "truth", undecided)
    found = formula_chance("C{0,1} M0 H1 0/1 | H1 0/1", problem, 0, [0b001])
    assert (found.is_exact, found.chance) == (True, Fraction(1, 2))
