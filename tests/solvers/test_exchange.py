"""Solvers of other projects read exported problems and give the same answers."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from quaternity.base.errors import InputError, LimitError
from solvers.exchange.formats import FORMATS, export
from solvers.exchange.rows import IMPOSSIBLE_NAME, deal_of, linear_model
from solvers.instances import FAMILIES, make_pair
from solvers.problem import DealProblem, SetConstraint
from solvers.random_problems import Sizes, random_feasible, random_tightened
from solvers.registry import SOLVERS, solve
from solvers.shortage import Shortage, simple_certificate
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


def instances(families: bool = True) -> Iterator[DealProblem]:
    """Yield odd problems, then random ones and families in turn, feasible and infeasible."""
    yield from ODD
    random = Random(4)
    while True:
        seed = random.randrange(10**6)
        yield random_feasible(random.randint, Sizes())
        yield random_tightened(random.randint, Sizes())
        if families:
            yield from make_pair(random.choice(list(FAMILIES)), random.randint(12, 16), seed)


def check_read_back(reader: Reader, count: int) -> None:
    kinds = [0, 0]
    # Gecode takes far too long to refute some pigeons, even with 12 cards.
    for problem in islice(instances("gecode" not in reader.needs + reader.solver), count):
        names = reader.read(export(problem, reader.format))
        possible = bool(solve(problem))
        kinds[possible] += 1
        assert (names is not None) == possible, problem
        if names is not None:
            assert verify(problem, Feasible(deal_of(problem, names))), problem
    assert min(kinds) > count // 5


EACH_READER = pytest.mark.parametrize("reader", READERS, ids=lambda r: f"{r.format}-{r.solver}")


@EACH_READER
def test_an_exported_problem_is_read_back(reader: Reader) -> None:
    if not reader.installed:
        pytest.skip(f"{reader.needs} is not installed")
    starts_programs = reader.needs[0] == "!" or reader.solver == "clasp"
    check_read_back(reader, 20 if starts_programs else thorough(20, 200))


@pytest.mark.slow
@EACH_READER
def test_a_thousand_problems_are_read_back(reader: Reader) -> None:
    if not reader.installed:
        pytest.skip(f"{reader.needs} is not installed")
    check_read_back(reader, 1000)


def test_every_format_has_a_reader() -> None:
    assert {reader.format for reader in READERS} == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_names_are_readable(name: str) -> None:
    problem = make_pair("crowded", 12, 1).possible
    text = export(problem, name)
    if name == "flow":
        assert "set_1_of_player_2" in text
    else:
        name_of_variable = "player 3 holds 2/1" if name == "cp-sat" else "card_2_1_of_player_3"
        assert name_of_variable in text
    assert text == export(problem, name)
    assert text.isascii()


def test_rows_are_shortened_to_an_equivalent() -> None:
    rows = {row.name: row for row in linear_model(ODD[3]).rows}
    assert rows["owner_of_card_0_0"].sides == [(">=", 2)]
    assert rows["hand_of_player_0"].sides == [(">=", 2)]
    assert rows["set_0_of_player_0"].sides == [(">=", 2)]
    assert "set_0_of_player_1" not in rows
    assert linear_model(ODD[3]).names == (
        "card_0_1_of_player_0", "card_0_1_of_player_1", IMPOSSIBLE_NAME
    )  # fmt: skip
    assert len(rows["owner_of_card_0_0"].terms) == 1


def test_every_side_of_a_row_forbids_something() -> None:
    for problem in islice(instances(), 100):
        for row in linear_model(problem).rows:
            for sign, bound in row.sides:
                assert {"=": True, ">=": bound > 0, "<=": bound < len(row.terms)}[sign]
            assert row.sides or (row.low <= 0 and row.high >= len(row.terms))


def test_a_problem_of_nothing_has_a_row_that_holds() -> None:
    """A model without booleans has one that is never true, as some formats need at least one."""
    (row,) = linear_model(DealProblem((0, 0), ())).rows
    assert row.sides == [("=", 0)]
    assert len(row.terms) == 1


@pytest.mark.parametrize("name", ["lp", "mzn", "fzn"])
def test_every_boolean_is_written_in_all_its_rows(name: str) -> None:
    """This holds for rows of any length: outside the rows, every boolean occurs equally often."""
    for cards in (12, 16, 40):
        problem = make_pair("crowded", cards, 1).possible
        model = linear_model(problem)
        occurrences = Counter(re.findall(r"card_\w+", export(problem, name)))
        rows = Counter(
            model.names[term] for row in model.rows for _ in row.sides for term in row.terms
        )
        assert max(len(row.terms) for row in model.rows) >= cards
        assert len({occurrences[boolean] - rows[boolean] for boolean in model.names[1:]}) == 1


ROWS = {
    "mzn": r"constraint (?P<names>.*) (?P<sign>[<>]?=) (?P<bound>\d+);",
    "smt2": r"\(assert \(! \((?P<sign>[<>]?=) (?P<names>.*) (?P<bound>\d+)\) :named",
    "asp": r":- not (?P<low>\d+ )?\{ (?P<names>.*) \}(?P<high> \d+)?\. %",
}


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_written_with_its_booleans_and_bounds(name: str) -> None:
    """A reader of these formats may not be installed."""
    for problem in islice(instances(), thorough(30, 300)):
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


def test_the_number_of_clauses_is_bounded_and_limited() -> None:
    """A side needs at most twice its terms times its bound. The limit itself is still allowed."""
    for problem in islice(instances(), thorough(60, 600)):
        most = 0
        for row in linear_model(problem).rows:
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


@pytest.mark.parametrize("seed", range(thorough(30, 400)))
def test_a_row_with_too_few_booleans_refutes(seed: int) -> None:
    random = Random(seed)
    for maker in (random_feasible, random_tightened):
        problem = maker(random.randint, Sizes())
        if simple_certificate(problem) is None:
            model = linear_model(problem)
            short = any(row.low > len(row.terms) for row in model.rows)
            assert (model.trivial_refutation is not None) == short
            assert model.trivial_refutation is None or verify(problem, model.trivial_refutation)


@pytest.mark.parametrize("seed", range(thorough(30, 400)))
def test_values_of_the_booleans_are_read_as_their_deal(seed: int) -> None:
    """Values are integers or floats near them. A card without a true boolean has no owner."""
    random = Random(seed)
    problem = random_feasible(random.randint, Sizes())
    verdict = solve(problem)
    assert isinstance(verdict, Feasible)
    model = linear_model(problem)
    owner = verdict.deal.owner
    values = [owner[index][card] == player for index, card, player in model.pairs]
    for read in (values, [abs(value - random.uniform(0, 0.4)) for value in values]):
        assert model.deal(read) == verdict
    names = [name for name, value in zip(model.names, values, strict=False) if value]
    assert deal_of(problem, names) == verdict.deal
    assert verify(problem, Feasible(deal_of(problem, names)))
    for name in names:
        left = deal_of(problem, [other for other in names if other != name])
        index, card = map(int, name.split("_")[1:3])
        assert left.owner[index][card] == -1
        assert not verify(problem, Feasible(left))


@pytest.mark.parametrize("seed", range(thorough(30, 400)))
def test_weights_of_a_shortage_are_read_back(seed: int) -> None:
    """The weights may be multiplied by a positive factor and have small rounding errors."""
    random = Random(seed)
    while True:
        problem = random_tightened(random.randint, Sizes(5, 4, 4))
        shortage = getattr(SOLVERS["max-flow"](problem), "shortage", None)
        if not isinstance(shortage, Shortage):
            continue
        model = linear_model(problem)
        # Half of them have a maximum for a player inside both the coalition and the witness.
        if seed % 2 == 0 or any(
            row.kind == "share"
            and row.high < len(row.terms)
            and (shortage.coalition & shortage.witnesses[row.set_index]) >> row.member & 1
            for row in model.rows
        ):
            break
    weights = []
    for row in model.rows:
        inside = shortage.coalition >> row.member & 1
        if row.kind == "hand":
            weights.append(inside)
        elif row.kind == "share":
            weights.append((shortage.witnesses[row.set_index] >> row.member & 1) - inside)
        else:
            weights.append(0)
    for factor in (1, 1e-9, 1e6):
        read = model.shortage(
            [factor * (weight + random.uniform(-1e-8, 1e-8)) for weight in weights]
        )
        assert read is not None
        assert read.holds(problem)


def test_large_problems_and_unknown_formats_are_refused() -> None:
    with pytest.raises(InputError, match="unknown format 'dimacs'; choose from opb, cnf"):
        export(ODD[0], "dimacs")
    with (
        limited("solvers.exchange.formats", MAX_CLAUSES=10),
        pytest.raises(LimitError, match="more than 10 clauses, which is the limit"),
    ):
        export(make_pair("php", 12, 0).possible, "cnf")
