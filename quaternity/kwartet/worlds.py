"""How many deals are possible: for everybody, and for each seat that also sees its own hand."""

from __future__ import annotations

from math import log10

from quaternity.errors import LimitError
from quaternity.kwartet.public import PublicState
from quaternity.kwartet.view import View
from solvers.counting import count_deals
from solvers.problem import DealProblem


def public_worlds(public: PublicState) -> int | None:
    """The number of deals that fit what everybody knows; None above the limits of counting.

    Cost: as `solvers.counting.count_deals`: milliseconds for four players, seconds for six.
    """
    return _counted(public.problem)


def worlds_of(view: View) -> int | None:
    """The number of deals that a seat holds possible; None above the limits of counting."""
    return _counted(view.problem)


def log10_worlds(problem: DealProblem) -> float:
    """The decimal logarithm of the number of deals of a problem that has one.

    Raises:
        LimitError: there are more deals than counting is made for.
    """
    return log10(count_deals(problem))


def _counted(problem: DealProblem) -> int | None:
    try:
        return count_deals(problem)
    except LimitError:
        return None


__all__ = ["log10_worlds", "public_worlds", "worlds_of"]
