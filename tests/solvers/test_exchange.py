"""Solvers of other projects read exported problems and give the same answers."""

import re
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from quaternity.base.errors import LimitError
from solvers.exchange.formats import FORMATS, export
from solvers.exchange.rows import deal_of, linear_model
from solvers.instances import FAMILIES, make_pair
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import SOLVERS, solve
from solvers.shortage import Shortage, simple_certificate
from solvers.strategies import boundary_pairs, deal_problems
from solvers.verdict import Feasible, verify
from tests.limits import limited
from tests.sizes import thorough
from tests.solvers.foreign_readers import READERS, Reader

NOBODY = SetConstraint((0, 3), (2, 0), (1, 10**50))
ODD = [
    DealProblem([0], []),
    DealProblem([1], []),
    DealProblem([0, 2], [NOBODY]),
    DealProblem([10**50, 2], [NOBODY]),
    # Minimums above a hand, and as many cards as the hands and the excess together.
    DealProblem([1, 2], [SetConstraint((3, 3, 3, 3), (2, 0), (4, 4))]),
    DealProblem([1, 1], [SetConstraint((3, 3), (1, 0), (0, 2))]),
    DealProblem([1, 1], [SetConstraint((3, 3), (2, 0), (1, 2))]),
    DealProblem([1, 1], [SetConstraint((3, 1), (0, 0), (2, 2))]),
    DealProblem([2, 1], [SetConstraint((3, 3, 3), (0, 0), (10**30, 0))]),
    # A minimum above its set, but not above the hand.
    DealProblem([2, 0], [SetConstraint((3,), (2, 0), (9, 9)), SetConstraint((3,), (0, 0), (9, 9))]),
]


families = st.builds(
    make_pair, st.sampled_from([*FAMILIES]), st.integers(12, 16), st.integers(0, 10**6)
).flatmap(st.sampled_from)
problems = st.sampled_from(ODD) | deal_problems() | families

LARGE = make_pair("crowded", 40, 1).possible
"""A problem with rows that are longer than the lines of LP."""

EACH_READER = pytest.mark.parametrize("reader", READERS, ids=lambda r: f"{r.format}-{r.solver}")


@EACH_READER
@example(problem=LARGE)
@given(problem=problems)
@settings(max_examples=thorough(20, 200))
def test_an_exported_problem_is_read_back(reader: Reader, problem: DealProblem) -> None:
    if not reader.installed:
        pytest.skip(f"{reader.needs} is not installed")
    # Gecode takes far too long to refute some pigeons, even with 12 cards.
    assume(problem.cards < 12 or reader.solver != "gecode")
    text = export(problem, reader.format)
    names = reader.read(text)
    assert text.isascii()
    assert (names is not None) == bool(solve(problem))
    if names is not None:
        assert verify(problem, Feasible(deal_of(problem, names)))


def test_every_format_has_a_reader() -> None:
    assert {reader.format for reader in READERS} == set(FORMATS)


ROWS = {
    "mzn": r"constraint (?P<names>.*) (?P<sign>[<>]?=) (?P<bound>\d+);",
    "smt2": r"\(assert \(! \((?P<sign>[<>]?=) (?P<names>.*) (?P<bound>\d+)\) :named",
    "asp": r":- not (?P<low>\d+ )?\{ (?P<names>.*) \}(?P<high> \d+)?\. %",
}


@pytest.mark.parametrize("name", ROWS)
@example(problem=LARGE)
@given(problem=problems)
@settings(max_examples=thorough(30, 300))
def test_every_row_is_written_with_its_booleans_and_bounds(name: str, problem: DealProblem) -> None:
    """A reader of these formats may not be installed."""
    written = []
    for match in re.finditer(ROWS[name], export(problem, name)):
        row = match.groupdict()
        names = re.findall(r"card_\w+|never", row["names"])
        if name == "smt2":  # a sum in it has at least two terms
            assert row["names"].startswith("(+ ") == (len(names) > 1)
        if name == "asp":
            sides = [(row["low"], ">="), (row["high"], "<=")]
            if row["low"] and row["high"]:
                assert int(row["low"]) == int(row["high"])
                sides = [(row["low"], "=")]
        else:
            sides = [(row["bound"], row["sign"])]
        written += [(names, sign, int(bound)) for bound, sign in sides if bound]
    model = linear_model(problem)
    assert written == [
        ([model.names[term] for term in row.terms], *side)
        for row in model.rows
        for side in row.sides
    ]


def clauses_of(problem: DealProblem) -> int:
    return int(re.search(r"^p cnf \d+ (\d+)", export(problem, "cnf"), re.MULTILINE)[1])  # type: ignore[index]


@given(problems)
@settings(max_examples=thorough(60, 600))
def test_the_number_of_clauses_is_bounded_and_limited(problem: DealProblem) -> None:
    """A side needs at most twice its terms times its bound. The limit itself is still allowed."""
    most = 0
    for row in linear_model(problem).rows:
        for sign, bound in row.sides:
            assert {"=": True, ">=": bound > 0, "<=": bound < len(row.terms)}[sign]
        assert row.sides or (row.low <= 0 and row.high >= len(row.terms))
        count, sides = len(row.terms), len(row.sides) + (row.low == row.high)
        bounds = [row.low] * (row.low > 0) + [row.high + 1] * (row.high < count)
        others = [count - row.low + 1] * (row.low > 0) + [count - row.high]
        most += 2 * count * sides * min(max(bounds, default=0), max(others)) + 1
    clauses = clauses_of(problem)
    assert clauses <= most
    with limited("solvers.exchange.formats", MAX_CLAUSES=most):
        assert clauses_of(problem) == clauses
    plain = len(linear_model(problem).rows)  # an upper bound of the rows that are clauses
    fewer = limited("solvers.exchange.formats", MAX_CLAUSES=clauses - plain - 1)
    if clauses > plain:
        with fewer, pytest.raises(LimitError, match="the limit"):
            export(problem, "cnf")


@given(problems)
@settings(max_examples=thorough(60, 600))
def test_a_row_with_too_few_booleans_refutes(problem: DealProblem) -> None:
    assume(simple_certificate(problem) is None)
    model = linear_model(problem)
    verdict = model.trivial_refutation
    assert (verdict is not None) == any(row.low > len(row.terms) for row in model.rows)
    assert verdict is None or verify(problem, verdict)


@given(boundary_pairs(max_players=5), st.randoms(use_true_random=False))
@settings(max_examples=thorough(60, 600))
def test_rounded_values_and_weights_are_read_as_their_deal_or_shortage(
    pair: tuple[DealProblem, DealProblem], random: Random
) -> None:
    """A card has no owner if none of its booleans is true. The scale of weights is free."""
    model, verdict = linear_model(pair[0]), solve(pair[0])
    assert isinstance(verdict, Feasible)
    owned = [verdict.deal.owner[index][card] == player for index, card, player in model.pairs]
    values = [abs(value - random.uniform(0, 0.4)) for value in owned]
    assert model.deal(owned) == model.deal(values) == verdict
    for number in [number for number, value in enumerate(owned) if value]:
        assert not verify(pair[0], model.deal([*values[:number], 0.4, *values[number + 1 :]]))

    model, shortage = linear_model(pair[1]), getattr(SOLVERS["max-flow"](pair[1]), "shortage", None)
    if isinstance(shortage, Shortage):
        weights = [0] * len(model.rows)
        for number, (kind, index, member, *_) in enumerate(model.rows):
            if kind in {"hand", "share"}:
                inside = shortage.coalition >> member & 1
                witness = shortage.witnesses[index] >> member & 1 if kind == "share" else 0
                weights[number] = inside if kind == "hand" else witness - inside
        for scale in (1, 1e-9, 1e6):
            read = model.shortage([scale * (x + random.uniform(-1e-8, 1e-8)) for x in weights])
            assert read is not None
            assert read.holds(pair[1])
