"""The exercises of the lessons: right answers pass, wrong ones get a hint, junk breaks nothing.

What stands on the pages is tried by doctest, and the notebooks by `cli/test_guide.py`.
"""

import re
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity import guide
from quaternity.errors import InputError
from quaternity.guide.lessons import check
from quaternity.guide.lessons.marks import Marked
from tests.sizes import examples

EXERCISES = [
    name
    for lesson in guide.LESSONS
    for name in import_module(f"quaternity.guide.lessons.{lesson}").EXERCISES
]
NUMBERS = st.integers(-2, 7)
JUNK = st.recursive(
    NUMBERS | st.none() | st.text(max_size=3) | st.floats(allow_nan=False),
    lambda part: (
        st.lists(part, max_size=8) | st.tuples(part, part, part) | st.dictionaries(NUMBERS, part)
    ),
)


@pytest.mark.parametrize("name", EXERCISES)
def test_a_page_shows_a_wrong_answer_first_and_a_right_one_at_its_end(name: str) -> None:
    lesson, _, number = name.partition(" ")
    before, _, answers = guide.page(lesson).text.partition("\n## Answers\n")
    said = rf'>>> check\("{name}", [^\n]+(?:\n\.\.\. [^\n]*)*\n(\w+ ?\w+)'
    assert f"**Exercise {number}.**" in before
    assert re.findall(said, before) == ["Not yet"]
    assert re.findall(said, answers) == ["Right"]


@given(st.sampled_from(EXERCISES), JUNK)
@settings(max_examples=examples(1000))
def test_whatever_is_answered_is_judged(name: str, answer: Any) -> None:
    marked = check(name, answer)
    assert isinstance(marked, Marked)
    assert marked.said.endswith((".", "?")), marked


WRONG: list[tuple[str, Any, str]] = [
    ("pigeons 1", [0, 0, 2, 1, 1, 2], "not one owner for every card"),
    ("pigeons 1", [1, 0, 2, 0, 1, 2, 2], "card 3 cannot belong to player 0"),
    ("pigeons 2", "nobody", "a set of players, such as"),
    ("pigeons 2", {0, 1, 2, 3}, "6 places, and only 6 cards"),
    ("pigeons 3", ([2, 1, 1], [[0], [1], [2]]), "as many cards"),
    ("pigeons 3", ([1, 1, 1], [[0], [1], [2]]), r"can be dealt: \[0, 1, 2\]"),
    ("pigeons 3", ([1, 1, 1], [[], [1], [2]]), "no owner"),
    ("pigeons 4", [0, 1], "begins with card 3"),
    ("pigeons 4", [3, 1], "may not go to player 1"),
    ("pigeons 4", [3, 0, 2, 0], "does not have card 2"),
    ("pigeons 4", [3, 0, 0, 1], "player 1 has 2 cards"),
    ("pigeons 5", (0, 2, 3), "too plain"),
    ("pigeons 6", {}, "1 card more"),
    ("pigeons 6", {2: 1}, "may be player 2's"),
]


@pytest.mark.parametrize(("name", "answer", "hint"), WRONG)
def test_a_wrong_answer_gets_a_hint(name: str, answer: Any, hint: str) -> None:
    marked = check(name, answer)
    assert not marked
    assert re.search(hint, marked.said, re.IGNORECASE), marked


RIGHT: list[tuple[str, Any]] = [
    ("pigeons 1", [0, 2, 0, 1, 1, 2, 2]),
    ("pigeons 2", [2, 1]),
    ("pigeons 3", ([2, 1, 1], [[2, 1], [1, 2], [1, 2], [0]])),
    ("pigeons 5", (0, 1, 3)),
]


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_other_right_answers_pass_too(name: str, answer: Any) -> None:
    assert check(name, answer)


def test_exercises_are_listed_where_there_is_none_of_a_name() -> None:
    with pytest.raises(InputError, match="pigeons 1, pigeons 2"):
        check("pigeons 99", 0)
