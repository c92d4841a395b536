"""Explanations of formulas in words, and the deals that they show."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.errors import InputError, LimitError
from quaternity.epistemic import (
    EvaluationMethod,
    FormulaExplanation,
    Language,
    evaluate,
    explain_formula,
)
from quaternity.epistemic.explanation import MAX_LINES
from quaternity.epistemic.formula import Distributed, Formula, Knows, Not, Publicly
from quaternity.epistemic.seat_truth import after_announcements
from quaternity.epistemic.strategies import chains, formulas, positions
from solvers import Deal, DealProblem, SetConstraint, deal_faults
from solvers.brute_force import deals
from tests.epistemic.by_definition import holds_by_definition
from tests.sizes import examples

SHORT = DealProblem(
    [2, 3, 2],
    [
        SetConstraint.of([[0], [0, 1, 2], [1, 2]], players=3, low=[1, 0, 1]),
        SetConstraint.of([[0, 1, 2], [1], [1, 2], [2, 1]], players=3, low=[0, 1, 1]),
    ],
)
DEAL = [[0, 1, 2], [0, 1, 1, 2]]


@pytest.mark.parametrize("method", [EvaluationMethod.EXPLICIT, EvaluationMethod.SOLVERS])
@given(positions(max_players=3), st.data())
@settings(max_examples=examples(100))
def test_explanations_state_what_holds(
    method: EvaluationMethod, position: tuple[DealProblem, Deal], data: st.DataObject
) -> None:
    problem, deal = position
    language = Language.of(problem)
    formula = data.draw(st.one_of(chains(language), formulas(language)))
    explanation = explain_formula(formula, problem, deal, method)
    assert explanation.formula == formula
    assert explanation.truth == evaluate(formula, problem, deal, EvaluationMethod.EXPLICIT)
    assert 0 < len(explanation.lines) <= MAX_LINES + 1
    # Every deal that is named exists, fits the public record, and differs from all others.
    named = {int(number) for number in re.findall(r"\bdeal (\d+)", "\n".join(explanation.lines))}
    assert named == set(range(1, len(explanation.deals) + 1))
    assert len(set(explanation.deals) | {deal}) == len(explanation.deals) + 1
    assert not any(deal_faults(problem, world.owner) for world in explanation.deals)


def agrees(line: str, formula: Formula) -> bool:
    """Return whether a plain sentence states a formula; return True for any other sentence."""
    text = line.strip()
    if match := re.match(r"player (\d+) holds (\d+/\d+)(, not \d+)?$", text):
        return str(formula) == f"H{match[1]} {match[2]}"
    if match := re.match(r"player (\d+) cannot hold (\d+/\d+): ", text):
        assert isinstance(formula, Distributed | Publicly)
        return str(formula.part) == f"!H{match[1]} {match[2]}"
    if match := re.match(r"player (\d+) (knows|does not know) ", text):
        denied = isinstance(formula, Not)
        box = formula.part if isinstance(formula, Not) else formula
        assert isinstance(box, Knows | Distributed)
        assert denied == (match[2] != "knows")
        return box.players == (int(match[1]),) and text[match.end() :].startswith(f"{box.part}:")
    return True


@pytest.mark.parametrize("method", [EvaluationMethod.EXPLICIT, EvaluationMethod.SOLVERS])
@given(positions(max_players=3, max_sets=2), st.data())
@settings(max_examples=examples(150))
def test_every_sentence_is_true(
    method: EvaluationMethod, position: tuple[DealProblem, Deal], data: st.DataObject
) -> None:
    """Each claim holds by definition, its proof is valid, and its words state the claim."""
    problem, deal = position
    language = Language.of(problem)
    formula = data.draw(st.one_of(chains(language), formulas(language)))
    check_sentences(
        explain_formula(formula, problem, deal, method),
        lambda formula, deal: holds_by_definition(formula, problem, deal),
    )


def check_sentences(
    explanation: FormulaExplanation, is_true: Callable[[Formula, Deal], bool]
) -> None:
    """Check that every sentence is true."""
    claims = explanation.claims
    assert len(claims) == min(len(explanation.lines), MAX_LINES)
    for line, claim in zip(explanation.lines, claims, strict=False):
        for number, announcement in enumerate(claim.announcements):
            assert is_true(
                after_announcements(claim.announcements[:number], announcement), claim.deal
            )
        after = after_announcements(claim.announcements, claim.formula)
        assert is_true(after, claim.deal), (line, claim)
        if claim.impossible is not None:
            narrow, proof = claim.impossible
            assert not list(deals(narrow))
            assert proof is None or proof.holds(narrow)
        assert agrees(line, claim.formula)


@pytest.mark.parametrize(
    ("formula", "lines"),
    [
        ("true", ["true is true"]),
        ("H0 0/0 & !H1 0/0", ["player 0 holds 0/0", "player 0 holds 0/0, not player 1"]),
        ("H1 0/0 | H1 0/1", ["player 1 holds 0/1"]),
        ("K0 H0 0/0", ["player 0 knows H0 0/0: their own hand settles it", "  player 0 holds 0/0"]),
        (
            "K1 H0 0/0",
            ["player 1 knows H0 0/0:", "  no deal that fits the public record makes it false"],
        ),
        (
            "K1 H2 0/2",
            [
                "player 1 knows H2 0/2:",
                "  player 1 cannot hold 0/2: player 1 sees that 0/2 is not in their own hand",
                "  player 0 cannot hold 0/2: everybody knows that",
            ],
        ),
        (
            "K2 !K0 H1 1/2",
            [
                "player 2 knows !K0 H1 1/2:",
                "  no deal with this hand makes the formula false; for example, it is true in the "
                "real deal:",
                "    player 0 does not know H1 1/2: player 0 has the same hand in deal 1. In that "
                "deal:",
                "      player 2 holds 1/2, not player 1",
            ],
        ),
        (
            "P H1 0/1",
            [
                "H1 0/1 is false in a deal that fits the public record. In deal 1:",
                "  player 0 holds 0/1, not player 1",
            ],
        ),
        (
            "[H1 0/0!] false",
            ["H1 0/0 is false and cannot be announced:", "  player 0 holds 0/0, not player 1"],
        ),
        ("U0(0)=1", ["player 0 holds 2 cards, and player 0 does not know 0 of them: none"]),
    ],
)
def test_words(formula: str, lines: list[str]) -> None:
    assert list(explain_formula(formula, SHORT, DEAL, EvaluationMethod.SOLVERS).lines) == lines


def test_chains_are_explained_step_by_step() -> None:
    problem = DealProblem(
        [1] * 4, [SetConstraint.of([[0, 1], [1, 2], [2, 3], [0, 1, 3]], players=4)]
    )
    explanation = explain_formula("C !H1 0/1", problem, [[1, 2, 3, 0]], EvaluationMethod.SOLVERS)
    first, last = explanation.lines
    step = r"which player \d cannot tell from deal"
    chain = rf"start with the real deal, {step} 1, {step} 2\. In the last deal:"
    assert re.fullmatch(f".*: {chain}", first)
    assert last == "  player 1 holds 0/1"
    assert len(explanation.deals) == 2


def test_a_card_out_of_play() -> None:
    problem = DealProblem([1, 1], [SetConstraint.of([[0, 1]] * 2, 2), SetConstraint.of([], 2)])
    lines = explain_formula("K0 !H1 1/3", problem, [[0, 1], []], set_size=4).lines
    assert lines == (
        "player 0 knows !H1 1/3:",
        "  no deal that fits the public record makes it false",
    )
    assert explain_formula("H1 1/3", problem, [[0, 1], []], set_size=4).lines == (
        "set 1 is out of play: nobody holds 1/3",
    )


def test_long_explanations_are_cut_off() -> None:
    formula = " & ".join(["K1 H2 0/2"] * 100)
    lines = explain_formula(formula, SHORT, DEAL).lines
    assert len(lines) == MAX_LINES + 1
    assert lines[-1] == "…"


def test_errors_are_those_of_holds() -> None:
    with pytest.raises(InputError, match="player 3 does not exist"):
        explain_formula("K3 true", SHORT, DEAL)
    with pytest.raises(InputError, match="does not fit the public record"):
        explain_formula("true", SHORT, [[1, 1, 2], [0, 1, 1, 2]])
    large = DealProblem([26, 26], [SetConstraint.of([[0, 1]] * 4, players=2)] * 13)
    with pytest.raises(LimitError):
        explain_formula("C true", large, [[0, 0, 1, 1]] * 13, EvaluationMethod.EXPLICIT)
