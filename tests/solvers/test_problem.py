"""Invalid deal problems, and the messages that refuse them."""

# These tests pass values of wrong types.
# mypy: disable-error-code="arg-type, list-item"

import re
from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import DealProblem, InputError, Names, ProblemBuilder, SetConstraint
from solvers.problem import MAX_CARDS, MAX_PLAYERS, MAX_ROWS, with_entry
from solvers.strategies import deal_problems
from tests.sizes import examples
from tests.solvers.hostile import Endless, Lengthy

PAIR = SetConstraint.of([[0, 1], [1]], players=2)


PROBLEM = DealProblem([1, 1], [PAIR])
ACE: Any = ProblemBuilder().hand("Ann", 1).cards("hearts", ["ace"])
FULL = DealProblem([0], [SetConstraint([1] * size, [0], [0]) for size in (9_999, 1)])
RING = DealProblem(
    [1, 1, 1], [SetConstraint.of([[0], [1, 2]], players=3), SetConstraint.of([[2]], players=3)]
)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: SetConstraint([1], [0, 0], [1]),
         "high: must have 2 bounds, one for each player, not 1"),
        (lambda: SetConstraint.of([[0]], 4, low=[0] * 3),
         "low: must have 4 bounds, one for each player, not 3"),
        (lambda: SetConstraint.of([["x"]], 2), "owners[0]: player 'x' is out of range 0..1"),
        (lambda: DealProblem([], []), "hands: at least one player is needed"),
        (lambda: DealProblem([9], [SetConstraint([1] * size, [0], [1]) for size in (9_999, 2)]),
         "10001 cards: the limit is"),
        (lambda: DealProblem([0] * 100, [SetConstraint([], [0] * 100, [0] * 100)] * 1001),
         "100100 (player, set) pairs: the limit is 100000"),
        (lambda: PAIR._replace(owners=[4]), "owners[0]: (2,) names a player out of range"),
        (lambda: PAIR._make([[1], [0, 0], [1]]),
         "high: must have 2 bounds, one for each player, not 1"),
        (lambda: PROBLEM._replace(hands=(1, 1, 1)),
         "sets[0]: has bounds for 2 players, but there are 3 hands"),
        (lambda: PROBLEM._replace(sets=[tuple(PAIR)]), "sets[0]: ((3, 2), (0, 0), (2, 2)) is not"),
        (lambda: DealProblem({0: 1, 1: 1}, [PAIR]), "hands: {0: 1, 1: 1} is not a list"),
        (lambda: DealProblem(range(10**10), []), "10000000000 players: the limit is 100"),
        (lambda: SetConstraint(range(10**10), [], []), "10000000000 cards: the limit is 10000"),
        (lambda: SetConstraint.of([[0]], players=10**10), "10000000000 players: the limit is 100"),
        (lambda: SetConstraint.of([[0]], players=2.0), "players: must be a whole number >= 0, not"),
        (lambda: SetConstraint.of([0], players=2),
         "owners[0]: must be a list or another collection, not 0"),
        (lambda: PROBLEM.with_set(1, PAIR), "set 1 is out of range 0..0"),
        (lambda: PROBLEM.with_set(0, RING.sets[0]),
         "sets[0]: has bounds for 3 players, but there are 2 hands"),
        (lambda: FULL.with_set(1, SetConstraint([1, 1], [0], [0])), "10001 cards: the limit is"),
        (lambda: RING.relabelled(players=[0, 0, 1]), "not [0, 0, 1]"),
        (lambda: RING.relabelled(sets=[0]),
         "sets: must contain each of the numbers 0..1 once, not [0]"),
        (lambda: RING.relabelled(cards=[[0, 1]]),
         "cards: must have an order for each of the 2 sets, not 1"),
        (lambda: RING.relabelled(cards=[[1, 1], [0]]), "not [1, 1]"),
        (lambda: ACE.belongs_to("ace", ["Ann"]), "player: the name ['Ann'] must be a printable"),
        (lambda: ACE.belongs_to(["ace"], "Ann"), "card: the name ['ace'] must be a printable"),
        (lambda: ACE.at_least("Ann", 1, ["hearts"]), "set: the name ['hearts'] must be"),
        (lambda: ACE.at_most("Bob", 1, "hearts"), "player: 'Bob' is unknown"),
    ],
)  # fmt: skip
def test_no_way_to_build_a_problem_skips_the_checks(build: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        build()
    assert words in str(caught.value)


@given(deal_problems().filter(lambda problem: problem.cards > 0), st.data())
@settings(max_examples=examples(400))
def test_a_wrong_number_is_refused_with_its_place(
    problem: DealProblem, data: st.DataObject
) -> None:
    """This holds for every way to build a problem or a set, and for files."""
    index = data.draw(st.sampled_from([i for i, set_ in enumerate(problem.sets) if set_.size]))
    whole: Any = problem
    document = problem.to_dict()
    if data.draw(st.booleans()):
        whole, document = problem.sets[index], document["sets"][index]
    name = data.draw(st.sampled_from([name for name in whole._fields if name != "sets"]))
    number = data.draw(st.integers(0, len(getattr(whole, name)) - 1))
    in_files: list[Any] = [True, -1, 0.5, None, "1", 10**60]
    wrong = data.draw(st.sampled_from([*in_files, [1], numpy.float64(0), numpy.True_]))
    parts = {**whole._asdict(), name: with_entry(getattr(whole, name), number, wrong)}
    place = re.escape(f"{name}[{number}]: ")
    with pytest.raises(InputError, match=f"^{place}"):
        type(whole)(**parts)
    with pytest.raises(InputError, match=f"^{place}"):
        whole._replace(**parts)
    with pytest.raises(InputError, match=f"^{place}"):
        whole._make(parts.values())
    document[name][number] = data.draw(st.sampled_from(in_files))
    with pytest.raises(InputError, match=place):
        DealProblem.from_dict(
            document if whole is problem else {**problem.to_dict(), "sets": [document]}
        )


def test_numpy_numbers_become_built_in_numbers() -> None:
    row = numpy.array([1, 1])
    constraint = SetConstraint(numpy.array([3, 2]), numpy.zeros(2, int), [numpy.int8(2)] * 2)
    problem = DealProblem(row, [constraint])
    assert problem == PROBLEM
    assert SetConstraint.of([row[:1], {numpy.int64(0)}], players=numpy.int64(2)).owners == (2, 1)
    assert problem.relabelled(players=numpy.array([1, 0])) == problem.relabelled(players=[1, 0])
    assert problem.with_set(numpy.int64(0), PAIR) == problem
    plain = [*problem.hands, *(number for part in problem.sets[0] for number in part)]
    assert {type(number) for number in plain} == {int}
    assert all(type(part) is tuple for part in (problem.hands, problem.sets, *problem.sets[0]))


def test_problems_at_the_limits_are_allowed() -> None:
    assert (MAX_PLAYERS, MAX_CARDS, MAX_ROWS) == (100, 10_000, 100_000)
    assert DealProblem([0] * 100, [SetConstraint([], [0] * 100, [0] * 100)] * 1000).cards == 0
    assert DealProblem([10_000], [SetConstraint([1] * 10_000, [0], [10_000])]).cards == 10_000
    assert FULL.with_set(0, SetConstraint([1] * 9_999, [1], [1])).cards == 10_000


def test_problems_are_immutable_and_hashed_by_value() -> None:
    lists: list[list[Any]] = [[3, 2], [0, 0], [2, 2], [1, 1]]
    sets = [SetConstraint(*lists[:3])]
    problem = DealProblem(lists[3], sets)
    named = problem.named(Names(("Ann", "Bob")))
    for values in (*lists, sets):
        values.clear()
    frozen: list[DealProblem | SetConstraint] = [problem, named, *problem.sets]
    for value in frozen:
        for name in (*value._fields, "names", "other"):
            with pytest.raises(AttributeError):
                setattr(value, name, ())
            with pytest.raises(AttributeError):
                delattr(value, name)
    assert len({problem, named, PROBLEM}) == 1
    assert named.words.player(0) == "Ann"


@pytest.mark.parametrize("listing", [Lengthy, Endless])
def test_a_list_with_a_wrong_length_is_refused(listing: type[Lengthy]) -> None:
    for build, place in (
        (lambda: SetConstraint(listing([1]), [0, 0], [1, 1]), "owners"),
        (lambda: SetConstraint([1], listing([0]), [1, 1]), "low"),
        (lambda: SetConstraint([1], [0, 0], listing([1])), "high"),
        (lambda: SetConstraint.of(listing([[0]]), 2), "owners"),
        (lambda: DealProblem(listing([1]), [PAIR]), "hands"),
        (lambda: DealProblem([1, 1], listing([PAIR])), "sets"),
    ):
        with pytest.raises(
            InputError, match=f"^{place}: .* reports length 2, but does not contain 2 items$"
        ):
            build()


def test_a_card_that_does_not_exist_is_refused() -> None:
    for place in product([0, 2, -1, True, 1.0, None, "1", 10**60], repeat=2):
        with pytest.raises(InputError) if place != (0, 0) else nullcontext():
            assert PROBLEM.may_own(*place) == (0, 1)
    assert PROBLEM.may_own(numpy.int8(0), numpy.int64(1)) == (1,)
