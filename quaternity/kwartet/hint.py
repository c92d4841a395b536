"""Advice for a seat: the request with the best chance, and what the chance is, exactly."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from quaternity.game.question import Question
from quaternity.kwartet.chances import OwnerWeights
from quaternity.kwartet.strategies.counting import likeliest
from quaternity.kwartet.strategies.students import one_of, random_request
from solvers.counting import exact_chances

if TYPE_CHECKING:
    from fractions import Fraction

    from quaternity.kwartet.view import View


class Hint(NamedTuple):
    """A request and its chance of success, all deals that the seat holds possible alike likely."""

    question: Question
    chance: Fraction


def chance_of(view: View, question: Question) -> Fraction:
    """The exact chance that a request of a view's seat succeeds.

    Raises:
        LimitError: there are more deals than counting is made for.
    """
    return exact_chances(view.problem).chance(*question.card, question.asked)


def hint(view: View) -> Hint:
    """What the strategy `exact` would ask, if it never had to estimate: the likeliest card.

    The same view always gets the same advice.

    Raises:
        LimitError: there are more deals than counting is made for.
    """
    counted = exact_chances(view.problem)
    found = likeliest(view, OwnerWeights(counted.deals, counted.owned, exact=True))
    # Whoever holds nothing but full sets can get no card; any request will do.
    question = one_of(view, found, Random(0)) if found else random_request(view, Random(0))
    return Hint(question, counted.chance(*question.card, question.asked))


__all__ = ["Hint", "chance_of", "hint"]
