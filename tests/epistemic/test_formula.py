"""Formulas as values and as text."""

from dataclasses import FrozenInstanceError, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.errors import InputError, LimitError
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
    Kw,
    Not,
    Or,
    Unknown,
)
from quaternity.epistemic.grammar import MAX_TEXT
from quaternity.epistemic.situation import parse_situation
from quaternity.epistemic.strategies import formulas
from quaternity.game.cards import Card

LANGUAGE = Language(players=4, sizes=(4,) * 13, hands=(12, 13, 13, 14), points=(0, 1, 0, 0))
a, b, c = H(0, "0/0"), H(1, "0/1"), H(2, "0/2")


@given(formulas(LANGUAGE, max_depth=4))
def test_text_reads_back(formula: Formula) -> None:
    assert parse(str(formula), LANGUAGE) == formula


@given(formulas(LANGUAGE, max_depth=3))
def test_a_formula_is_shown_as_it_is_built_and_is_immutable(formula: Formula) -> None:
    """Values that follow from its parts are not in its text."""
    for part in formula.subformulas():
        assert repr(part) == f"parse({str(part)!r})"  # which gives `part`, see above
        for field in fields(part):
            with pytest.raises(FrozenInstanceError):
                setattr(part, field.name, None)


def test_situations_and_languages_are_immutable() -> None:
    situation = parse_situation("situation 1\nhands 1 1\nset 01 01\ndeal 01\n")
    for value in (situation, LANGUAGE):
        for field in fields(value):
            with pytest.raises(FrozenInstanceError):
                setattr(value, field.name, None)


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
        ("M1 H0 0/0", ~K(1, ~a)),
        ("M1 ¬H0 0/0", ~K(1, a)),
        ("Kw2 H0 0/0", K(2, a) | K(2, ~a)),
        ("E H0 0/0", every(K(player, a) for player in range(4))),
        ("E{2,0} H0 0/0", K(2, a) & K(0, a)),
        ("C{2,1} H0 0/0", C(a, {1, 2})),
        ("D H0 0/0", D(range(4), a)),
        ("not H0 0/0 and ~H1 0/1 or ¬H2 0/2", (~a & ~b) | ~c),
        ("H0 0/0 ∧ H1 0/1 ∨ H2 0/2 → ⊤ ↔ ⊥", (((a & b) | c) >> TRUE).iff(FALSE)),
        ("H0 0/0 && H1 0/1 || H2 0/2 => true <=> false", (((a & b) | c) >> TRUE).iff(FALSE)),
        ("U1(2) <= 3", Unknown(1, 2, 3, at_most=True)),
        ("U1(2) >= 3", ~Unknown(1, 2, 2, at_most=True)),
        ("3 ≤ U1(2)", ~Unknown(1, 2, 2, at_most=True)),
        ("U1(2) < 3", Unknown(1, 2, 2, at_most=True)),
        ("U1(2) ≠ 3", ~U(1, 2, 3)),
        ("U1(2) >= 0 & U1(2) < 0", TRUE & FALSE),
        (
            "cards(0, 0) >= 3",
            some(every(H(0, f"0/{n}") for n in (0, 1, 2, 3) if n != gone) for gone in (3, 2, 1, 0)),
        ),
        ("cards(0, 1) = 4", every(H(0, f"1/{n}") for n in range(4)) & TRUE),
        ("points(1) > points(0)", TRUE),
        ("cards(1) = 13 & cards(0) < 13", TRUE & TRUE),
        ("all p: Hp 0/0", every(H(player, "0/0") for player in range(4))),
        ("some p != 1, 3: Kwp H0 0/0", Kw(0, a) | Kw(2, a)),
        ("all c in set 12 != 12/0: H0 c", every(H(0, f"12/{n}") for n in (1, 2, 3))),
        ("∃c in {0/0}: H0 c", a),
        ("all s in {0,1}: H1 s/3", H(1, "0/3") & H(1, "1/3")),
        (
            "some p in {0,1}: all q != p: Kq Hp 0/0",
            every(K(q, H(0, "0/0")) for q in (1, 2, 3))
            | every(K(q, H(1, "0/0")) for q in (0, 2, 3)),
        ),
        ("some p in {1}: cards(p) > 0 & H0 0/0", TRUE & a),
        ("K1 all p in {0}: Hp 0/0 | H1 0/1", K(1, a | b)),
        ("all p != 0, 1, 2, 3: Hp 0/0", TRUE),
        ("let lucky = H0 0/0 & H1 0/1; K1 lucky & !lucky", K(1, a & b) & ~(a & b)),
        ("let has(p, c) = Hp c; all q in {1,2}: has(q, 0/0)", H(1, "0/0") & H(2, "0/0")),
        ("let one = H0 0/0; let both = one & H1 0/1; both", a & b),
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
        ("D{} true", 3, "the number"),
        ("x", 1, "unknown name 'x'"),
        ("true @ true", 6, "'@'"),
        ("H1 ٣/1", 4, "unexpected character"),
        ("H1 0/12345678901", 6, "more than 9 digits"),
        ("\x1b[31mtrue", 1, r"'\x1b'"),
        ("K1 ∧ true", 4, "a formula, found '∧'"),
        ("C{1 true", 5, "',' or '}', found 'true'"),
        ("E{} true", 3, "the number"),
        ("U1(2) true", 7, "one of = != < <= > >=, found 'true'"),
        ("U1(2) >= H0 0/0", 10, "a number, U1(2), cards(1), cards(1, 8) or points(1)"),
        ("cards(1, 13) = 1", 10, "set 13 does not exist: the sets are 0..12"),
        ("all x: true", 5, "a variable (c or d for a card"),
        ("all c in set 13: true", 14, "set 13 does not exist"),
        ("all c in 3: true", 10, "'set' or '{', found '3'"),
        ("all p true", 7, "':', 'in' or '!=', found 'true'"),
        ("all p != 4: true", 10, "player 4 does not exist"),
        ("Kp true", 1, "unknown variable p (write all p: ... or some p: ...)"),
        (
            "all p: Kq Hp 0/0",
            8,
            "unknown variable q (write all q: ... or some q: ...); choose from p",
        ),
        ("all p: H1 p", 11, "p stands for a player, not for a card"),
        ("all p != 0, 1, 2, 3: Hp 0/9", 25, "card 0/9 does not exist"),
        ("let p = true; p", 5, "a name of two or more lowercase letters"),
        ("let this = true", 16, "';', found the end"),
        ("let this = H9 0/0; true", 12, "player 9 does not exist"),
        ("let this = that; let that = true; this", 12, "unknown name 'that'"),
        ("let this(p) = true; this(0/0)", 26, "the number of a player"),
        ("let this = true; that", 18, "unknown name 'that'; defined names: this"),
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


TOKENS = (
    "K1 H3 U2 8/3 0/0 1 ( ) = ! & | -> <-> C P D E { , } [ ] true false M0 Kw1 Kp Hp c p s / all "
    "some in set != : let name ; cards points <= ¬"
)


@given(
    st.one_of(
        st.text(max_size=30), st.lists(st.sampled_from(TOKENS.split()), max_size=12).map(" ".join)
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
    ("text", "column", "allowed"),
    [
        ("(" * 10_000 + "true" + ")" * 10_000, 102, 100),
        ("[" * 10_000, 102, 100),
        ("!" * 10_000 + "true", 102, 100),
        ("Kw1 " * 60 + "true", 245, 100_000),
        ("true -> " * 1000 + "true", 8 * 101 + 1, 100),
        ("true" + " " * MAX_TEXT, None, MAX_TEXT),
    ],
)
def test_a_formula_that_is_too_deep_or_too_long_is_refused(
    text: str, column: int | None, allowed: int
) -> None:
    """The message has the place where the limit was exceeded, and the limit."""
    with pytest.raises(LimitError, match=rf"formula.* {allowed}\b") as caught:
        parse(text)
    if column is not None:
        first, line, mark = str(caught.value).splitlines()
        assert first.startswith(f"formula, column {column}: ")
        assert max(len(line), len(mark)) <= 80


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("all p: true", "all players: allowed only if the numbers of players and cards are known"),
        ("E true", "E without players: allowed only if the numbers of players and cards are known"),
        (
            "cards(1, 2) = 1",
            "cards of a set: allowed only if the numbers of players and cards are known",
        ),
        ("points(1) = 1", "points: allowed only if the numbers of points are known"),
    ],
)
def test_a_formula_that_needs_a_language_is_refused_without_one(text: str, words: str) -> None:
    with pytest.raises(InputError, match=r"formula, column [15]: ") as caught:
        parse(text)
    assert words in str(caught.value)


@pytest.mark.parametrize("language", [None, Language(2, (4, 2))], ids=["none", "without hands"])
def test_two_unknown_numbers_cannot_be_compared_without_hands(language: Language | None) -> None:
    with pytest.raises(InputError, match=r"column 9: a comparison of two numbers: allowed only"):
        parse("U0(1) = U1(0)", language)


@pytest.mark.parametrize(
    "text",
    [
        "all c: " * 4 + "true",
        "cards(0, 0) = cards(1, 0) | " * 1500 + "true",
        "let deep = " + "(" * 101 + "true" + ")" * 101 + "; deep",
    ],
)
def test_a_formula_that_is_too_long_when_expanded_is_refused(text: str) -> None:
    with pytest.raises(LimitError, match=r"formula, column \d+: .*more than 100(000)? ") as caught:
        parse(text, Language(4, (20,) * 13))
    assert str(caught.value).splitlines()[2].strip() == "^"


def test_a_long_formula_that_is_not_deep_is_read() -> None:
    assert parse(" & ".join(["true"] * 5000)).size == 5001
    assert parse("!" * (MAX_DEPTH - 1) + "true").depth == MAX_DEPTH


def test_formulas_that_double_are_refused_in_time() -> None:
    def double(times: int) -> Formula:
        formula: Formula = a
        for _ in range(times):
            formula = formula.iff(formula)
        return formula

    assert double(10).size == 2**11 - 1
    with pytest.raises(LimitError, match="parts"):
        double(60)


def test_associative_operators_are_flattened() -> None:
    assert a & b & c == And((a, b, c)) == a & (b & c)
    assert (a | b) | c == Or((a, b, c))
    assert (a & b) | c == Or((And((a, b)), c))
    assert every([]) == TRUE
    assert some([]) == FALSE
    assert every([a]) == some([a]) == a


def test_values() -> None:
    assert hash(K(1, a)) == hash(Knows(1, Holds(0, Card(0, 0))))
    assert D([2, 1, 2], a) == Distributed((1, 2), a)
    assert [str(part) for part in (K(1, a) & ~b).subformulas()] == [
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
        lambda: And((a, "true")),  # type: ignore[arg-type] # what a caller may get wrong
        lambda: Or(("true", a)),  # type: ignore[arg-type] # what a caller may get wrong
        lambda: every([a, None]),  # type: ignore[list-item] # what a caller may get wrong
        lambda: some([None]),  # type: ignore[list-item] # what a caller may get wrong
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


def test_numpy_integers_become_built_in_ones() -> None:
    n: Any = np.int64(1)
    built = [Holds(n, Card(n, n)), U(n, n, n), K(n, a), D([n, n], a)]
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
