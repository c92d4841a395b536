"""The CP-SAT model that users see is the one that is solved, and further constraints hold."""

from typing import Literal
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from solvers import (
    DealProblem,
    Feasible,
    Infeasible,
    Names,
    ProblemBuilder,
    SetConstraint,
    cp_sat_model,
    solve,
    verify,
)  # fmt: skip
from solvers.cp_sat import formulate, write_model
from solvers.problem import with_entry
from solvers.strategies import deal_problems, game_problems
from tests.sizes import examples


@given(problem=deal_problems() | game_problems((13, 4, 6)))
@settings(max_examples=examples(600))
def test_the_named_model_is_the_one_that_is_solved(problem: DealProblem) -> None:
    model = cp_sat_model(problem)
    verdict = model.solve()
    expected = solve(problem, "cp-sat")
    assert verdict == expected or not (verdict or expected)
    assert verify(problem, verdict)
    for part in (*model.model.proto.variables, *model.model.proto.constraints):
        assert part.name
        part.name = ""
    assert str(model.model.proto) == str(write_model(formulate(problem)).proto)
    assert len(str(model).splitlines()) == len(model.model.proto.constraints)


@given(problem=deal_problems(), data=st.data())
@settings(max_examples=examples(400))
def test_constraints_that_are_added_are_satisfied(
    problem: DealProblem, data: st.DataObject
) -> None:
    model = cp_sat_model(problem, bundles=False)
    before = model.solve()
    if not isinstance(before, Feasible) or not problem.cards:
        return
    index = data.draw(st.sampled_from([i for i, cards in enumerate(problem.sets) if cards.size]))
    card = data.draw(st.integers(0, problem.sets[index].size - 1))
    owner = before.deal.owner[index][card]
    number = before.deal.owner[index].count(owner)
    owners, low, high = problem.sets[index]
    if data.draw(st.booleans()):
        model.add(model.holds(owner, (index, card)) == 0)
        others = with_entry(owners, card, owners[card] & ~(1 << owner))
        left = [SetConstraint(others, low, high)]
    else:
        model.add(model.amount(owner, index) != number)
        left = [SetConstraint(owners, with_entry(low, owner, number + 1), high)]
        if number:
            left.append(SetConstraint(owners, low, with_entry(high, owner, number - 1)))
    after = model.solve()
    assert bool(after) == any(solve(problem.with_set(index, narrow)) for narrow in left)
    if isinstance(after, Feasible):
        assert verify(problem, after)
        assert after != before
    elif isinstance(after, Infeasible):
        assert after.shortage is None
        assert "constraints that were added" in str(after)


def test_a_bundle_is_counted_as_a_whole_and_lines_use_names() -> None:
    hearts = SetConstraint.of([[0, 1]] * 130, players=2, low=[1, 0])
    names = Names(players=("Ann", "Bob"), sets=("hearts",))
    model = cp_sat_model(DealProblem([100, 30], [hearts]).named(names))
    lines = str(model).splitlines()
    assert lines[1].startswith("Ann holds 1 to 130 of hearts: Ann's share of 130 cards (0/0")
    assert lines[2].startswith("Ann holds 100 cards: ")
    assert model.solve()
    model.add(model.amount("Ann", "hearts") == model.amount(0, 0))
    with pytest.raises(InputError, match="no set named 'clubs'"):
        model.amount("Ann", "clubs")
    with pytest.raises(InputError, match="no card named '0/0'"):
        model.holds("Ann", "0/0")
    with pytest.raises(InputError, match="build the model with bundles=False"):
        model.holds(0, (0, 0))
    with pytest.raises(InputError, match="player 2 is out of range"):
        model.amount(2, 0)


def test_added_constraints_are_printed_with_their_names() -> None:
    hearts = SetConstraint.of([[0, 1]] * 3, players=2)
    names = Names(players=("Ann", "Bob"), sets=("hearts",), cards=(("A", "K", "Q"),))
    model = cp_sat_model(DealProblem([2, 1], [hearts]).named(names))
    flag = model.model.new_bool_var("flag")
    model.add(model.holds("Ann", "A") + 2 * model.amount("Bob", "hearts") >= 3)
    model.add(model.holds(0, "A") + model.holds("Bob", (0, 1)) != 1)
    model.add(model.amount("Ann", 0) <= 2)
    model.model.add_linear_constraint(model.amount("Bob", 0), 1, 3)
    model.add(flag + model.holds("Ann", "Q") == 2)
    model.model.add_bool_or([flag])
    assert str(model).splitlines()[5:] == [
        "added: Ann holds A + 2 * Bob holds A + 2 * Bob holds K + 2 * Bob holds Q >= 3",
        "added: Ann holds A + Bob holds K <= 0 or >= 2",
        "added: Ann holds A + Ann holds K + Ann holds Q <= 2",
        "added: Bob holds A + Bob holds K + Bob holds Q in 1..3",
        "added: Ann holds Q + flag = 2",
        "added: bool_or { literals: 6 }",
    ]
    assert str(model.solve()) == "Ann: A, Q\nBob: K"


@pytest.mark.parametrize("typed", [normalize("NFC", "Éva"), normalize("NFD", "Éva")])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_are_found_in_both_unicode_forms(typed: str, form: Literal["NFC", "NFD"]) -> None:
    """A player, a set and a card have the same name, which cannot be used twice."""
    name = normalize(form, "Éva")
    builder = ProblemBuilder().hand(name, 1).hand("Bob", 1).cards(name, [name, "K"])
    builder.belongs_to("K", typed, "Bob").belongs_to("K", typed).at_most("Bob", 1, typed)
    with pytest.raises(InputError, match="already stated"):
        builder.hand(typed, 1)
    with pytest.raises(InputError, match="used twice"):
        builder.cards("other", [typed])
    model = cp_sat_model(builder.build())
    model.add(model.amount(typed, typed) + model.holds("Bob", typed) == 2)
    assert str(model.solve()) == f"{normalize('NFC', name)}: K\nBob: {normalize('NFC', name)}"
    for names in (((name, typed),), ((), (name, typed)), ((), (), ((name,), (typed,)))):
        with pytest.raises(InputError, match="used twice"):
            Names(*names)
