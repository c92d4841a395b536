"""Both evaluators answer alike."""

from functools import partial

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quaternity.epistemic.deadline import Undecided
from quaternity.epistemic.holding import Method, holds
from quaternity.epistemic.language import Language
from quaternity.epistemic.strategies import formulas, positions
from solvers import Deal, DealProblem
from tests.agreement import agree

BOTH = {str(method): partial(holds, method=method) for method in (Method.EXPLICIT, Method.SOLVERS)}


@given(positions(), st.data())
@settings(max_examples=300, deadline=None)
def test_evaluators_agree(position: tuple[DealProblem, Deal], data: st.DataObject) -> None:
    problem, deal = position
    formula = data.draw(formulas(Language.of(problem)))
    try:
        agree(BOTH, formula, problem, deal)
    except Undecided:
        assume(False)
