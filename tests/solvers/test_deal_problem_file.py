"""Deal-problem files: nothing is lost in writing, and every fault is refused in reading."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError
from solvers.exchange.deal_problem_file import (
    deal_problem_document,
    deal_problem_text,
    parse_deal_problem,
)
from solvers.exchange.json_document import MalformedDocument, quote_json
from solvers.instances import make_pair
from solvers.problem import DealProblem, SetConstraint
from solvers.strategies import deal_problems
from tests.sizes import examples, thorough

SET = {"owners": [[0, 1], [1], []], "low": [0, 1], "high": [3, 10**50]}
PROBLEM = {"format": "deal-problem/1", "hands": [1, 2], "sets": [SET]}


@given(deal_problems())
@settings(max_examples=examples(500))
def test_a_written_problem_is_read_back(problem: DealProblem) -> None:
    assert parse_deal_problem(deal_problem_text(problem)) == (problem, [])
    assert json.loads(deal_problem_text(problem)) == deal_problem_document(problem)


def test_the_largest_problem_is_read_back() -> None:
    problem = make_pair("php", thorough(1_000, 10_000), 1).possible
    text = deal_problem_text(problem)
    assert len(text) < 16 * 2**20
    assert parse_deal_problem(text)[0] == problem


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "deal-problem/2"}, 'format: must be "deal-problem/1", not "deal-problem/2"'),
        ({"hands": []}, "hands: at least one player is needed"),
        ({"hands": [1, 10**50 + 1]}, "hands[1]: 1000000"),
        ({"hands": {"0": 1}}, "hands: expected a list, not an object"),
        ({"sets": [[]]}, "sets[0]: expected an object, not a list"),
        ({"sets": [{"owners": []}] * 50_001}, "100002 (player, set) pairs: the limit is 100000"),
        ({"sets": [{**SET, "owners": [[0]] * 10_001}]}, "10001 cards: the limit is 10000"),
        ({"sets": [{"owners": []}]}, "sets[0].low: missing; sets[0].high: missing"),
        ({"sets": [{**SET, "low": [0]}]}, "sets[0].low: must have length 2, not 1"),
        ({"sets": [{**SET, "high": [0, None]}]},
         "sets[0].high[1]: must be a whole number >= 0, not null"),
        ({"sets": [{**SET, "owners": [[0], [2]]}]}, "owners[1]: player 2 is out of range 0..1"),
        ({"sets": [{**SET, "owners": [[0], 1]}]},
         "owners[1]: expected a list of players, not a number"),
        ({"sets": [{**SET, "owners": [["0"]]}]}, 'owners[0]: "0" is not the number of a player'),
    ],
)  # fmt: skip
def test_a_fault_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_deal_problem(json.dumps(PROBLEM | change))
    assert words in str(caught.value)
    assert len(str(caught.value)) < 3000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"format": "deal-problem/1", "hands": [NaN]}', "NaN is not allowed in a deal problem"),
        ('{"hands": [1], "hands": [2]}', "hands is given more than once"),
        ('{"sets": [], "hands": [1], "hands": [2], "x": 1}', "^hands is given more than once$"),
        ('{"sets": [{"low": [], "low": []}]}', "low is given more than once"),
        ('{"hands": [1' + "0" * 5000 + "]}", "a number has too many digits"),
        ("[]", "a deal problem must be a JSON object, not a list"),
        ('{"format": "deal-problem/1"}', "hands: missing; sets: missing"),
    ],
)
def test_a_text_that_is_not_a_deal_problem_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_deal_problem(text)


@given(st.integers(0, 60))
def test_a_quotation_is_complete_up_to_forty_characters(length: int) -> None:
    whole, cut = f'"{"x" * length}"', quote_json("x" * length)
    assert cut == whole if len(whole) <= 40 else (len(cut), cut[-3:]) == (40, "...")


def test_all_faults_are_reported_at_once_and_unknown_fields_ignored() -> None:
    wrong = PROBLEM | {"hands": [-1, 2], "sets": [{**SET, "low": [0, -1]}, {**SET, "high": 3}]}
    with pytest.raises(InputError) as caught:
        parse_deal_problem(json.dumps(wrong))
    assert all(place in str(caught.value) for place in ("hands[0]", "[0].low[1]", "[1].high"))
    odd = PROBLEM | {"colour": 1, "sets": [{**SET, "name": "x"}]}
    _, warnings = parse_deal_problem(json.dumps(odd))
    assert warnings == [
        "colour: unknown field, ignored", "sets[0].name: unknown field, ignored"
    ]  # fmt: skip


@given(st.integers(1, 50))
def test_twenty_faults_are_shown_and_the_others_counted(number: int) -> None:
    faults = [f"fault {index}" for index in range(number)]
    error = MalformedDocument(faults)
    assert error.faults == faults
    last = [f"and {number - 20} more faults"] * (number > 20)
    assert str(error).split("; ") == faults[:20] + last


def test_names_of_fields_are_shown_as_text() -> None:
    text = deal_problem_text(DealProblem([1], [SetConstraint([1], [0], [1])]))
    odd = text.replace('"hands"', r'"\u001b[31m\nall is well": 0, "\ud800": 1, "hands"')
    odd = odd.replace('"owners"', r'"\u0007": 0, "owners"')
    _, warnings = parse_deal_problem(odd)
    assert len(warnings) == 3
    assert all(warning.isprintable() for warning in warnings), warnings
    with pytest.raises(MalformedDocument) as caught:
        parse_deal_problem(odd.replace(r"\ud800", r"\u001b[31m\nall is well"))
    assert str(caught.value).isprintable()
