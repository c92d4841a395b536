"""The exercises of the lessons: right answers pass, wrong ones get a hint, junk does no harm.

Doctest tries the examples on the pages, and `cli/test_guide.py` tries the notebooks.
"""

import re
from collections import Counter
from fractions import Fraction
from importlib import import_module
from itertools import combinations, product, repeat
from math import nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity import guide
from quaternity.base.text_format import quote_value
from quaternity.epistemic import evaluate
from quaternity.errors import InputError
from quaternity.guide.lessons import check, secret
from quaternity.guide.lessons.marks import Graded
from quaternity.guide.lessons.worlds import SEVEN
from solvers import DealProblem, SetConstraint
from tests.sizes import examples

EXERCISES = [
    name
    for lesson in guide.LESSONS
    for name in import_module(f"quaternity.guide.lessons.{lesson}").EXERCISES
]


class Unhelpful:
    """An object whose every operation fails, including its repr."""

    def fails(self, *_: object) -> Any:
        raise RuntimeError

    __repr__ = __eq__ = __lt__ = __le__ = __len__ = __iter__ = __getitem__ = __index__ = fails
    __float__ = __abs__ = __call__ = fails
    __hash__ = None  # type: ignore[assignment]


def itself() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    return endless


NUMBERS = st.integers(-2, 7)
ODD = [10**400, -(10**6000), True, 1j, b"036", Unhelpful(), itself(), object, print, repeat(0),
       "K0 " * 9000 + "H0 0/0", "(" * 90_000]  # fmt: skip
JUNK = st.recursive(
    NUMBERS
    | st.none()
    | st.text(max_size=3)
    | st.floats()
    | st.sampled_from(range(len(ODD))).map(lambda place: ODD[place]),
    lambda part: (
        st.lists(part, max_size=8)
        | st.tuples(part, part, part)
        | st.dictionaries(NUMBERS, part)
        | st.sets(NUMBERS | st.floats() | st.none())
        | st.iterables(NUMBERS)
    ),
)


ONLY = {
    "pigeons 2": {"{1, 2}", "(1, 2)", "(2, 1)", "[1, 2]", "[2, 1]"}
    | {repr(players) for players in product((1, 2), repeat=3) if len({*players}) == 2},
    "pigeons 5": {"(0, 0, 3)", "(0, 1, 3)", "[0, 0, 3]", "[0, 1, 3]"},
    "pigeons 6": {"{2: 2}"},
    "worlds 1": {"(4, 20)", "[4, 20]"},
    "secret 1": {"'paper'"},
    "secret 3": {"2"},
}
"""The repr of all right answers, for exercises with few of them."""


@pytest.mark.parametrize("name", EXERCISES)
def test_a_page_shows_a_wrong_answer_and_a_right_one_at_its_end(name: str) -> None:
    lesson, _, number = name.partition(" ")
    before, _, answers = guide.page(lesson).text.partition("\n## Answers\n")
    verdict = rf'>>> check\("{name}", [^\n]+(?:\n\.\.\. [^\n]*)*\n(\w+ ?\w+)'
    assert f"**Exercise {number}.**" in before
    assert re.findall(verdict, before) == ["Not yet"]
    assert re.findall(verdict, answers) == ["Right"]


@given(st.sampled_from(EXERCISES), JUNK)
@settings(max_examples=examples(1000))
def test_any_answer_is_judged(name: str, answer: Any) -> None:
    marked = check(name, answer)
    assert isinstance(marked, Graded)
    assert marked.text.endswith((".", "?")), marked
    assert len(marked.text) < 600
    if name in ONLY:
        assert bool(marked) == (quote_value(answer) in ONLY[name])


@pytest.mark.parametrize("name", ONLY)
def test_no_answer_near_a_right_one_passes(name: str) -> None:
    places = range(-2, 5)
    near: list[Any] = [
        *places, *product(places, repeat=2), *product(places, repeat=3),
        *({*group} for size in range(4) for group in combinations(places, size)),
        *({card: player} for card, player in product(places, places)),
        *({2: 2, card: player} for card, player in product(places, places)),
    ]  # fmt: skip
    passed = {repr(answer) for answer in near if check(name, answer)}
    assert passed == {repr(answer) for answer in near} & ONLY[name]


RULES = secret.definitions()


def half_fresh(state: Any) -> Any:
    """Return the answer's rule mixed equally with random requests."""
    chances = Counter(RULES["fresh"](state)) + Counter(RULES["even"](state))
    return {card: chance / 2 for card, chance in chances.items()}


def found_in(state: Any) -> Any:
    """Return requests certain to succeed, which requires hidden cards, or else all requests."""
    cards = {*RULES["requests"](state)}
    return cards & state.hands[1 - state.turn] or cards


WRONG: list[tuple[str, Any, str]] = [
    ("pigeons 1", [0, 0, 2, 1, 1, 2], "not have exactly one owner for each card"),
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
    ("pigeons 5", (0, 2, 3), "too obvious"),
    ("pigeons 2", {0}, "Player 0 has 2 places, and only 0 cards"),
    ("pigeons 2", set(), "at least one player"),
    ("pigeons 2", {-1}, "out of range 0..3"),
    ("pigeons 5", (1, 2, 1), "may own only 0 cards of set 1"),
    ("pigeons 5", (0, -1, 9), "must be a whole number >= 0, not -1"),
    ("pigeons 6", {}, "owner of some card is certain"),
    ("pigeons 6", {2: 1}, "may be player 2's"),
    ("worlds 1", (4, 4), "Carol sees 1 of"),
    ("worlds 1", (20, 20), "Alice sees 3 of"),
    ("worlds 2", "H1 0/1", "Anne does not know"),
    ("worlds 2", "H0 0/0", "Cath, who has card 2, now knows"),
    ("worlds 2", "H0", "expected"),
    ("worlds 2", 5, "the text of a formula"),
    ("worlds 3", "H0 0/0", "Bill does not know"),
    ("worlds 4", "H0 0/1", "not true now"),
    ("worlds 4", "!K2 H0 0/0", "still true"),
    ("worlds 5", ["034"], "must be one of them"),
    ("worlds 5", ["036", "034"], "Bob, with 125, cannot tell 034 from 036"),
    ("worlds 2", "H0 0/0) | (H0 0/1", "found '\\)'. The answer"),
    ("worlds 5", ["036", "147"], "'147' must be a string of three different digits"),
    ("worlds 5", ["036", "0336"], "'0336' must be a string of three different digits"),
    ("worlds 5", "036", "a list of hands"),
    ("worlds 5", ["036", "145"], "Carol, with 4, knows that Alice has 0"),
    ("worlds 6", "0 asks 1 for 0/2", "learns nothing from it: 70"),
    ("worlds 6", "1 asks 0 for 0/2", "not a legal"),
    ("secret 1", "scissors", "wins -0.25"),
    ("secret 1", "stone", "one of 'rock'"),
    ("secret 2", 2, "between 0 and 1"),
    ("secret 2", 0.3, "always choose card 0, you win only -0.1"),
    ("secret 3", 15, "List the hands"),
    ("secret 2", 10**400, "between 0 and 1"),
    ("secret 3", 2.5, "must be a whole number"),
    ("secret 4", 0, "a function from a state"),
    ("secret 4", 0.0, "a function from a state"),
    ("secret 4", RULES["even"], "0.10000, no less than"),
    ("secret 4", RULES["by_cfr"], "raises NameError"),
    ("secret 4", half_fresh, "0.05000, less than"),
    ("secret 4", lambda state: None, "returns None instead of probabilities for"),
    ("secret 4", lambda state: {99: 1}, "instead of probabilities for"),
    ("secret 4", lambda state: {RULES["requests"](state)[0]: nan}, "instead of probabilities for"),
    ("secret 4", lambda state: dict.fromkeys(RULES["requests"](state), 1), "add up to 1"),
    ("secret 4", lambda state: {min(found_in(state), default=None): 1}, "different probabilities"),
    ("secret 5", 0, "a function from a state"),
    ("secret 5", RULES["fresh"], "chooses at random"),
]


@pytest.mark.parametrize(("name", "answer", "hint"), WRONG)
def test_a_wrong_answer_gets_a_hint(name: str, answer: Any, hint: str) -> None:
    marked = check(name, answer)
    assert not marked
    assert re.search(hint, marked.text, re.IGNORECASE), marked


RIGHT: list[tuple[str, Any]] = [
    ("pigeons 1", [0, 2, 0, 1, 1, 2, 2]),
    ("pigeons 2", [2, 1]),
    ("pigeons 3", ([2, 1, 1], [[2, 1], [1, 2], [1, 2], [0]])),
    ("pigeons 5", (0, 1, 3)),
    ("worlds 2", "H0 0/0 | H0 0/1"),
    ("worlds 4", "!(H0 0/1 | K2 H0 0/0)"),
    ("worlds 5", ["630", "012", "045", "135", "246"]),
    ("worlds 6", "0 asks 1 for 2/3"),
    ("secret 2", 0.4001),
    ("secret 2", Fraction(2, 5)),
    ("secret 5", lambda state: {max(RULES["requests"](state)): 1}),
]


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_other_right_answers_pass_too(name: str, answer: Any) -> None:
    assert check(name, answer)


def test_an_unknown_exercise_is_refused_with_a_list() -> None:
    with pytest.raises(InputError, match="pigeons 1, pigeons 2"):
        check("pigeons 99", 0)


def threes() -> st.SearchStrategy[str]:
    return st.sets(st.sampled_from("0123456"), min_size=3, max_size=3).map("".join)


SAFE = ["036", "012", "045", "134", "256"]


@given(st.lists(threes(), max_size=4) | st.lists(st.sampled_from(SAFE), min_size=2), threes())
@settings(max_examples=examples(200))
def test_a_list_of_hands_is_safe_only_if_the_engine_agrees(named: list[str], more: str) -> None:
    """The check examines deals; here it is a formula about common knowledge."""
    for hands in (["036", *named], ["036", *named, more], SAFE, [*SAFE, more]):
        announced = " | ".join(f"({' & '.join(f'H0 0/{card}' for card in hand)})" for hand in hands)
        bob, carol = "all c in set 0: Kw1 H0 c", "some c in set 0: K2 H0 c | K2 H1 c"
        seven = DealProblem([3, 3, 1], [SetConstraint.of([[0, 1, 2]] * 7, players=3)])
        formula = f"[({announced})!] C (({bob}) & !({carol}))"
        assert bool(check("worlds 5", hands)) == evaluate(formula, seven, [list(SEVEN)])
