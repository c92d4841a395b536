"""The published list of hard formulas: drawn as documented, with answers that methods agree on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.epistemic import evaluate
from quaternity.epistemic.language import Language
from quaternity.epistemic.situation import parse_situation
from quaternity.epistemic.strategies import chains, formulas, positions
from solvers import Deal, DealProblem
from tests.bench.hard_formulas import Quotient, certify, read_list, situation_text
from tests.sizes import thorough


@given(positions(max_players=3), st.data())
@settings(max_examples=thorough(20, 300))
def test_exchanging_cards_that_a_formula_does_not_name_changes_no_truth(
    moment: tuple[DealProblem, Deal], data: st.DataObject
) -> None:
    problem, deal = moment
    language = Language.of(problem)
    formula = data.draw(st.one_of(formulas(language, 3), chains(language)))
    truth = Quotient(problem, formula).truth(formula, deal)
    assert truth == evaluate(formula, problem, deal, "explicit")


def test_the_list_has_the_promised_sizes_and_can_be_written() -> None:
    entries = list(read_list())
    assert len(entries) == len({(entry.seed, entry.text) for entry in entries}) == 600
    for entry in entries[:: thorough(20, 1)]:
        assert 2 <= entry.problem.players <= 8
        assert 12 <= entry.problem.cards <= 60
        situation = parse_situation(situation_text(entry.problem, entry.deal, [entry.text]))
        assert (situation.problem, situation.deal) == (entry.problem, entry.deal)
        assert situation.queries[0].formula == entry.formula


@pytest.mark.parametrize("start", [pytest.param(0, marks=pytest.mark.slow), 7])
def test_every_method_gives_the_listed_answer(start: int) -> None:
    for entry in list(read_list())[start :: thorough(90, 20) if start else 1]:
        answers = certify(entry.problem, entry.deal, entry.formula)
        assert len(answers) > 1
        assert set(answers.values()) == {entry.truth}, entry.text
