"""The list of all deals, and the model built from it."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from quaternity.base.errors import InputError, LimitError
from quaternity.epistemic import TRUE, C, D, EvaluationMethod, H, K, U, Undecided, evaluate, every
from quaternity.epistemic.explicit_evaluator import ExplicitModel
from quaternity.epistemic.worlds import MAX_WORLDS, all_deals, quick_count
from solvers import Deal, DealProblem, SetConstraint
from solvers.brute_force import deals
from solvers.counting import count_deals
from tests.agreement import agree
from tests.limits import limited
from tests.sizes import THOROUGH, examples
from tests.solvers.problems import listable_problems


def list_deals(problem: DealProblem) -> list[tuple[int, ...]]:
    return sorted(map(tuple, all_deals(problem).T.tolist()))


def by_brute_force(problem: DealProblem) -> list[tuple[int, ...]]:
    return sorted(tuple(seat for owner in deal.owner for seat in owner) for deal in deals(problem))


@given(listable_problems())
@settings(max_examples=examples(400))
def test_every_deal_is_listed_once(problem: DealProblem) -> None:
    listed = agree({"steps": list_deals, "brute force": by_brute_force}, problem)
    assert len(listed) == count_deals(problem)


@given(listable_problems())
@settings(max_examples=examples(100))
def test_worlds_are_deals(problem: DealProblem) -> None:
    model = ExplicitModel(problem)
    assert {model.deal(world) for world in range(model.worlds)} == set(deals(problem))
    for world in range(0, model.worlds, 7):
        assert model.world(model.deal(world)) == world
        alike = model.classes((0,)) == model.classes((0,))[world]
        hand = model.deal(world).hand(0)
        for other in range(model.worlds):
            assert alike[other] == (model.deal(other).hand(0) == hand)


def test_classes_of_more_cards_than_one_number_can_code() -> None:
    """80 cards vary, and the hands of three players are combined."""
    swaps = 40
    sets = [SetConstraint.of([[0, 1], [0, 1]], players=4, low=[1, 1, 0, 0])] * 3
    sets += [SetConstraint.of([[2, 3]] * 2 * swaps, players=4)]
    problem = DealProblem([3, 3, 1, 2 * swaps - 1], sets)
    model = ExplicitModel(problem)
    assert model.worlds == 8 * 2 * swaps
    for group, classes in (((0,), 8), ((2,), 80), ((0, 3), 640), ((0, 1, 2), 640), ((0, 1), 8)):
        assert len(np.unique(model.classes(group))) == classes


def large(spread: int) -> DealProblem:
    """Return a problem: `spread` sets with C(10, 5) = 252 deals each, and public cards up to 52."""
    free = SetConstraint.of([[0, 1]] * 10, players=3, low=[5, 5, 0], high=[5, 5, 0])
    rest = SetConstraint.of([[2]] * (52 - 10 * spread), players=3)
    return DealProblem([5 * spread, 5 * spread, 52 - 10 * spread], [free] * spread + [rest])


def test_a_problem_that_is_too_large_is_refused_with_its_number() -> None:
    with pytest.raises(LimitError, match=f"^{252**3} deals fit the public record: at most"):
        ExplicitModel(large(3))
    assert ExplicitModel(large(2), limit=252**2).worlds == 252**2
    with pytest.raises(LimitError):
        ExplicitModel(large(2), limit=252**2 - 1)
    beginning = DealProblem([13] * 4, [SetConstraint.of([range(4)] * 4, players=4)] * 13)
    with pytest.raises(LimitError, match="53644737765488792839237440000 deals"):
        ExplicitModel(beginning)


@limited("quaternity.epistemic.worlds", MAX_STATES=10)
def test_too_many_steps_are_refused() -> None:
    with pytest.raises(LimitError, match="more than 10 steps"):
        ExplicitModel(large(1))


def test_a_problem_that_takes_long_to_count_is_refused_with_a_bound() -> None:
    eight = [7, 7, 7, 7, 6, 6, 6, 6]
    beginning = DealProblem(eight, [SetConstraint.of([range(8)] * 4, players=8, high=[3] * 8)] * 13)
    assert quick_count(beginning) is None
    with (
        limited("quaternity.epistemic.worlds", MAX_STATES=5000),
        pytest.raises(LimitError, match=r"up to about 10\^42 deals fit the public record$"),
    ):
        ExplicitModel(beginning)


def test_a_million_worlds() -> None:
    """About this many worlds are within the limit, and every operator works with them."""
    sets = [SetConstraint.of([[0, 1, 2]] * 4, players=4, high=[2, 2, 2, 0])] * 3
    sets += [SetConstraint.of([[3]] * 4, players=4)] * 10
    problem = DealProblem([4, 4, 4, 40], sets)
    model = ExplicitModel(problem)
    pairs = DealProblem([10, 11, 11, 20], [
        SetConstraint.of([[0, 1]] * 20, players=4),
        SetConstraint.of([[1, 2]] * 4, players=4, low=[0, 1, 3, 0]),
        SetConstraint.of([[2]] * 8 + [[3]] * 20, players=4),
    ])  # fmt: skip
    assert model.worlds == count_deals(problem) > 10_000
    assert 700_000 < count_deals(pairs) <= MAX_WORLDS
    if THOROUGH:
        model = ExplicitModel(pairs)
        assert model.worlds == count_deals(pairs)
    held = H(1, "0/0")
    formulas = (D({0, 2}, held), held.announce(C(held)), K(0, held), K(1, ~K(0, held)), C(held))
    for formula in formulas:
        assert model.extension(formula).shape == (model.worlds,)


class TooLate(Exception):
    """The time is up."""


def test_every_stage_checks_the_time() -> None:
    def allow(times: int) -> Callable[[], None]:
        left = iter(range(times))

        def check() -> None:
            if next(left, None) is None:
                raise TooLate

        return check

    problem = large(1)
    for times in (0, 51, 52, 103):  # each of 52 cards is planned, and then dealt
        with pytest.raises(TooLate):
            ExplicitModel(problem, check=allow(times))
    model = ExplicitModel(problem, check=allow(104))
    held = H(1, "0/0")
    for formula, looks in ((held & ~K(0, held), 5), (held.announce(C(held)), 4), (U(0, 1, 2), 53)):
        with pytest.raises(TooLate):
            model.extension(formula, check=allow(looks - 1))
        assert model.extension(formula, check=allow(looks)).shape == (252,)


def test_one_time_limit_holds_for_every_method() -> None:
    problem = large(2)
    deal = ExplicitModel(problem).deal(0)
    formula = every([K(0, H(1, f"{index % 2}/0")).iff(TRUE) for index in range(4_000)])
    with pytest.raises(Undecided, match=r"the time limit of 0\.05 s was reached"):
        evaluate(~formula, problem, deal, EvaluationMethod.EXPLICIT, seconds=0.05)


def test_a_deal_that_does_not_fit_is_refused() -> None:
    problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [1]], players=2)])
    assert ExplicitModel(problem).world(Deal(((0, 1),))) == 0
    with pytest.raises(InputError, match="does not fit the public record"):
        ExplicitModel(problem).world(Deal(((1, 0),)))
    for deal in ([[1, 0]], [[0]], [[0, 1], []], [[0, 5]]):
        with pytest.raises(InputError, match="the deal does not fit the public record"):
            evaluate("true", problem, deal)
