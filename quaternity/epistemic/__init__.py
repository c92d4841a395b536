"""Epistemic logic of card deals: who holds a card, who knows it, and what is common knowledge.

The public information about the cards is a `solvers.DealProblem`. Each deal that satisfies it is a
possible world. A player cannot distinguish two worlds in which the player has the same hand.

In this example, three players hold one card each. An announcement that player 0 does not hold card
0/1 tells player 2 who holds card 0/0.

>>> from quaternity.epistemic import C, H, K, evaluate
>>> from solvers import DealProblem, SetConstraint
>>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
>>> deal = [[0, 1, 2]]
>>> evaluate(K(2, H(0, "0/0")), three_cards, deal)
False
>>> evaluate("[!H0 0/1!] (K2 H0 0/0 & !C K2 H0 0/0)", three_cards, deal)
True
"""

from typing import TYPE_CHECKING

from quaternity.base.lazy_names import public_only
from quaternity.epistemic.evaluator import Undecided, information_set
from quaternity.epistemic.explanation import Claim, FormulaExplanation, explain_formula, judge
from quaternity.epistemic.formula import (
    FALSE,
    TRUE,
    C,
    D,
    E,
    Formula,
    H,
    K,
    Kw,
    M,
    P,
    U,
    every,
    some,
)
from quaternity.epistemic.grammar import parse
from quaternity.epistemic.language import Language
from quaternity.epistemic.needed_requests import Reasons, reasons
from quaternity.epistemic.seat_truth import SeatTruth, truth_for_seat
from quaternity.epistemic.truth import EvaluationMethod, evaluate

__all__ = [
    "FALSE",
    "TRUE",
    "C",
    "Claim",
    "D",
    "E",
    "EvaluationMethod",
    "Formula",
    "FormulaExplanation",
    "H",
    "K",
    "Kw",
    "Language",
    "M",
    "P",
    "Reasons",
    "SeatTruth",
    "U",
    "Undecided",
    "evaluate",
    "every",
    "explain_formula",
    "information_set",
    "judge",
    "parse",
    "reasons",
    "some",
    "truth_for_seat",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_only(
        globals(), {"Explanation": "FormulaExplanation", "explain": "explain_formula"}
    )
