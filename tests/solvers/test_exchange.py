"""Exported problems are read back by other people's solvers, and mean the same to them."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from quaternity.base.errors import InputError, LimitError
from solvers.exchange.formats import FORMATS, exported
from solvers.exchange.rows import NEVER, deal_of, linear_model
from solvers.instances import FAMILIES, twins
from solvers.problem import DealProblem, SetConstraint
from solvers.random_problems import Sizes, loosened, spoilt
from solvers.registry import SOLVERS, solve
from solvers.shortage import Shortage
from solvers.verdict import Feasible, verify
from tests.sizes import thorough
from tests.solvers.foreign_readers import READERS, Reader

NOBODY = SetConstraint((0, 3), (2, 0), (1, 10**50))
ODD = [
    DealProblem([0], []),
    DealProblem([1], []),
    DealProblem([0, 2], [NOBODY]),
    DealProblem([10**50, 2], [NOBODY]),
    # Minimums above a hand, and as many cards as the hands and what is too much together.
    DealProblem([1, 2], [SetConstraint((3, 3, 3, 3), (2, 0), (4, 4))]),
    DealProblem([1, 1], [SetConstraint((3, 3), (1, 0), (0, 2))]),
    DealProblem([1, 1], [SetConstraint((3, 3), (2, 0), (1, 2))]),
    DealProblem([1, 1], [SetConstraint((3, 1), (0, 0), (2, 2))]),
    DealProblem([2, 1], [SetConstraint((3, 3, 3), (0, 0), (10**30, 0))]),
]


def instances(families: bool = True) -> Iterator[DealProblem]:
    """Odd ones, then random ones and families in turn, of both kinds."""
    yield from ODD
    random = Random(4)
    while True:
        seed = random.randrange(10**6)
        yield loosened(random.randint, Sizes())
        yield spoilt(random.randint, Sizes())
        if families:
            yield from twins(random.choice(list(FAMILIES)), random.randint(12, 16), seed)


def check_read_back(reader: Reader, count: int) -> None:
    kinds = [0, 0]
    # Gecode takes for ever to refute some pigeons even at 12 cards.
    for problem in islice(instances("gecode" not in reader.needs + reader.solver), count):
        names = reader.read(exported(problem, reader.format))
        possible = bool(solve(problem))
        kinds[possible] += 1
        assert (names is not None) == possible, problem
        if names is not None:
            assert verify(problem, Feasible(deal_of(problem, names))), problem
    assert min(kinds) > count // 5


EACH = pytest.mark.parametrize("reader", READERS, ids=lambda one: f"{one.format}-{one.solver}")


@EACH
def test_what_is_exported_is_read_back(reader: Reader) -> None:
    if not reader.installed:
        pytest.skip(f"{reader.needs} is not installed")
    starts_programs = reader.needs[0] == "!" or reader.solver == "clasp"
    check_read_back(reader, 20 if starts_programs else thorough(20, 200))


@pytest.mark.slow
@EACH
def test_a_thousand_are_read_back(reader: Reader) -> None:
    if not reader.installed:
        pytest.skip(f"{reader.needs} is not installed")
    check_read_back(reader, 1000)


def test_every_format_has_a_reader() -> None:
    assert {reader.format for reader in READERS} == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_names_are_readable(name: str) -> None:
    problem = twins("crowded", 12, 1).possible
    text = exported(problem, name)
    if name == "flow":
        assert "set_1_of_player_2" in text
    else:
        assert "card_2_1_of_player_3" in text
    assert text == exported(problem, name)
    assert text.isascii()


def test_rows_are_cut_to_what_says_the_same() -> None:
    rows = {row.name: row for row in linear_model(ODD[3]).rows}
    assert rows["owner_of_card_0_0"].sides == [(">=", 2)]
    assert rows["hand_of_player_0"].sides == [(">=", 2)]
    assert rows["set_0_of_player_0"].sides == [(">=", 2)]
    assert "set_0_of_player_1" not in rows
    assert linear_model(ODD[3]).names == (
        "card_0_1_of_player_0", "card_0_1_of_player_1", NEVER
    )  # fmt: skip
    assert len(rows["owner_of_card_0_0"].terms) == 1


def test_every_side_of_a_row_forbids_something() -> None:
    for problem in islice(instances(), 100):
        for row in linear_model(problem).rows:
            for sign, bound in row.sides:
                assert {"=": True, ">=": bound > 0, "<=": bound < len(row.terms)}[sign]
            assert row.sides or (row.low <= 0 and row.high >= len(row.terms))


@pytest.mark.parametrize("name", ["lp", "mzn", "fzn"])
def test_every_boolean_is_written_in_all_its_rows(name: str) -> None:
    """In rows of any length: what is said beside the rows is the same for all booleans."""
    for cards in (12, 16, 40):
        problem = twins("crowded", cards, 1).possible
        model = linear_model(problem)
        said = Counter(re.findall(r"card_\w+", exported(problem, name)))
        rows = Counter(
            model.names[term] for row in model.rows for _ in row.sides for term in row.terms
        )
        assert max(len(row.terms) for row in model.rows) >= cards
        assert len({said[boolean] - rows[boolean] for boolean in model.names[1:]}) == 1


@pytest.mark.parametrize("seed", range(thorough(30, 400)))
def test_values_of_the_booleans_are_read_as_their_deal(seed: int) -> None:
    """As whole numbers and as floats beside them; a card that nobody gets has no owner."""
    random = Random(seed)
    problem = loosened(random.randint, Sizes())
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
def test_weights_of_a_shortage_are_read_as_one(seed: int) -> None:
    """By any positive factor, and with other people's small errors."""
    random = Random(seed)
    while True:
        problem = spoilt(random.randint, Sizes(5, 4, 4))
        shortage = getattr(SOLVERS["max-flow"](problem), "shortage", None)
        if isinstance(shortage, Shortage):
            break
    weights = []
    model = linear_model(problem)
    for row in model.rows:
        inside = shortage.coalition >> row.member & 1
        if row.kind == "hand":
            weights.append(inside)
        elif row.kind == "share":
            weights.append((shortage.witnesses[row.set_index] >> row.member & 1) - inside)
        else:
            weights.append(0)
    for factor in (1, 0.001, 1e6):
        read = model.shortage(
            [factor * (weight + random.uniform(-1e-8, 1e-8)) for weight in weights]
        )
        assert read is not None
        assert read.holds(problem)


def test_what_is_too_large_or_unknown_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no format 'dimacs'; there are opb, cnf"):
        exported(ODD[0], "dimacs")
    monkeypatch.setattr("solvers.exchange.formats.MOST_CLAUSES", 10)
    with pytest.raises(LimitError, match="more than 10 clauses"):
        exported(twins("php", 12, 0).possible, "cnf")
