"""Formulas as values and as text."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.epistemic import (
    FALSE,
    TRUE,
    C,
    D,
    Formula,
    H,
    K,
    Language,
    P,
    U,
    every,
    parse,
    some,
)
from quaternity.epistemic.formula import (
    MAX_DEPTH,
    And,
    Constant,
    Distributed,
    Holds,
    Knows,
    Not,
    Or,
)
from quaternity.epistemic.grammar import MAX_TEXT
from quaternity.epistemic.strategies import formulas
from quaternity.errors import InputError, LimitError
from quaternity.game.cards import Card

LANGUAGE = Language(players=4, sizes=(4,) * 13)
a, b, c = H(0, "0/0"), H(1, "0/1"), H(2, "0/2")


@given(formulas(LANGUAGE, max_depth=4))
def test_text_reads_back(formula: Formula) -> None:
    assert parse(str(formula), LANGUAGE) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("K1 H3 8/3", K(1, H(3, "8/3"))),
        ("K_1 H_3 8/3", K(1, H(3, "8/3"))),
        ("!K1!H3 8/3", ~K(1, ~H(3, "8/3"))),
        ("H0 0/0 & H1 0/1 | H2 0/2", (a & b) | c),
        ("H0 0/0 | H1 0/1 & H2 0/2", a | (b & c)),
        ("(H0 0/0 | H1 0/1) & H2 0/2", (a | b) & c),
        ("H0 0/0 -> H1 0/1 -> H2 0/2", a >> (b >> c)),
        ("(H0 0/0 -> H1 0/1) -> H2 0/2", (a >> b) >> c),
        ("H0 0/0 <-> H1 0/1 <-> H2 0/2", a.iff(b).iff(c)),
        ("H0 0/0 -> H1 0/1 <-> H2 0/2", (a >> b).iff(c)),
        ("K1 H0 0/0 & H1 0/1", K(1, a) & b),
        ("C H0 0/0 -> P H1 0/1", C(a) >> P(b)),
        ("D{2,1} H0 0/0", D({1, 2}, a)),
        ("[H0 0/0!] H1 0/1 & H2 0/2", a.announce(b) & c),
        ("[!H0 0/0!][K1 true!]false", (~a).announce(K(1, TRUE).announce(FALSE))),
        ("U1(3)=1", U(1, 3, 1)),
        (" H0\t0 / 0\n", a),
    ],
)
def test_reading(text: str, formula: Formula) -> None:
    assert parse(text, LANGUAGE) == formula


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "a formula, found the end"),
        ("   ", 1, "a formula, found the end"),
        ("K1", 3, "a formula, found the end"),
        ("K1 H3", 6, "a card such as 0/2, found the end"),
        ("H3 8/3 H1 0/0", 8, "an operator"),
        ("(true", 6, "')'"),
        ("true)", 5, "found ')'"),
        ("true & & true", 8, "a formula, found '&'"),
        ("K4 true", 1, "player 4 does not exist: the players are 0..3"),
        ("K1 H7 0/0", 4, "player 7 does not exist"),
        ("H1 13/0", 4, "card 13/0 does not exist: the sets are 0..12"),
        ("K1 H3 8/4", 7, "card 8/4 does not exist: the cards of set 8 are 8/0..8/3"),
        ("D{1,4} true", 5, "player 4 does not exist"),
        ("U1(4)=1", 4, "player 4 does not exist"),
        ("U5(1)=1", 1, "player 5 does not exist"),
        ("D{} true", 3, "a number"),
        ("x", 1, "'x' is not part of any formula"),
        ("true @ true", 6, "'@'"),
        ("H1 ٣/1", 4, "not part of any formula"),
        ("H1 0/12345678901", 6, "more than 9 digits"),
        ("\x1b[31mtrue", 1, r"'\x1b'"),
    ],
)
def test_errors_point_at_the_place(text: str, column: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, LANGUAGE)
    first, shown, mark = str(caught.value).split("\n")
    assert f"column {column}:" in first
    assert words in first
    assert mark.index("^") == 2 + column - 1
    assert shown.isprintable()


def test_errors_in_long_and_many_lines_show_the_place() -> None:
    with pytest.raises(InputError, match="line 2, column 6") as caught:
        parse("true &\ntrue )\n& true")
    assert str(caught.value).split("\n")[1:] == ["  true )", "       ^"]
    with pytest.raises(InputError) as caught:
        parse("true & " * 500 + ")" + "true & " * 500)
    _, shown, mark = str(caught.value).split("\n")
    assert len(shown) < 100
    assert shown[mark.index("^")] == ")"


TOKENS = "K1 H3 U2 8/3 0/0 1 ( ) = ! & | -> <-> C P D { , } [ ] true false"


@given(
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from(TOKENS.split()), max_size=12).map(" ".join),
    )
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        formula = parse(text, LANGUAGE)
    except InputError as error:
        message = str(error)
    else:
        message = "^"
        assert parse(str(formula), LANGUAGE) == formula
    assert "^" in message


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "true" + ")" * 10_000,
        "[" * 10_000,
        "!" * 10_000 + "true",
        "true -> " * 1000 + "true",
        "true" + " " * MAX_TEXT,
    ],
)
def test_what_is_too_deep_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(LimitError):
        parse(text)


def test_what_is_long_but_not_deep_is_read() -> None:
    assert parse(" & ".join(["true"] * 5000)).size == 5001
    assert parse("!" * (MAX_DEPTH - 1) + "true").depth == MAX_DEPTH


def test_formulas_that_double_are_refused_in_time() -> None:
    def doubled(times: int) -> Formula:
        formula: Formula = a
        for _ in range(times):
            formula = formula.iff(formula)
        return formula

    assert doubled(10).size == 2**11 - 1
    with pytest.raises(LimitError, match="parts"):
        doubled(60)


def test_operators_lay_open_what_is_associative() -> None:
    assert a & b & c == And((a, b, c)) == a & (b & c)
    assert (a | b) | c == Or((a, b, c))
    assert (a & b) | c == Or((And((a, b)), c))
    assert every([]) == TRUE
    assert some([]) == FALSE
    assert every([a]) == some([a]) == a


def test_values() -> None:
    assert hash(K(1, a)) == hash(Knows(1, Holds(0, Card(0, 0))))
    assert D([2, 1, 2], a) == Distributed((1, 2), a)
    assert [str(one) for one in (K(1, a) & ~b).subformulas()] == [
        "K1 H0 0/0 & !H1 0/1",
        "K1 H0 0/0",
        "H0 0/0",
        "!H1 0/1",
        "H1 0/1",
    ]
    with pytest.raises(TypeError):
        bool(a)


@pytest.mark.parametrize(
    "build",
    [
        lambda: H(-1, "0/0"),
        lambda: H(0, "nonsense"),
        lambda: Holds(0, (0, 0)),  # type: ignore[arg-type] # what a caller may get wrong
        lambda: K(True, a),
        lambda: D([], a),
        lambda: U(0, 1, -1),
        lambda: Not("true"),  # type: ignore[arg-type] # what a caller may get wrong
        lambda: And((a,)),
        lambda: Or(5),  # type: ignore[arg-type] # what a caller may get wrong
        lambda: Constant("no"),  # type: ignore[arg-type] # what a caller may get wrong
        lambda: K(1.0, a),  # type: ignore[arg-type] # what a caller may get wrong
        lambda: K(np.True_, a),  # type: ignore[arg-type] # what a caller may get wrong
        lambda: D(5, a),  # type: ignore[arg-type] # what a caller may get wrong
    ],
)
def test_impossible_formulas_cannot_be_built(build: object) -> None:
    assert callable(build)
    with pytest.raises(InputError):
        build()


def test_integers_of_numpy_become_plain_ones() -> None:
    one: Any = np.int64(1)
    built = [Holds(one, Card(one, one)), U(one, one, one), K(one, a), D([one, one], a)]
    assert built == [Holds(1, Card(1, 1)), U(1, 1, 1), K(1, a), D([1], a)]
    assert list(map(str, built)) == ["H1 1/1", "U1(1)=1", "K1 H0 0/0", "D{1} H0 0/0"]
    assert "np." not in repr(built)


def test_a_language_knows_sets_out_of_play() -> None:
    language = Language(players=2, sizes=(4, 4))
    language.check(H(0, "1/3"))
    with pytest.raises(InputError, match="card 1/4 does not exist"):
        language.check(K(0, ~H(0, "1/4")))
    with pytest.raises(InputError, match="there are no sets"):
        Language(players=2, sizes=()).check(H(0, "0/0"))
