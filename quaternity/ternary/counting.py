"""How many tables of n cards hold no three? Exact numbers and chances, under either rule."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from quaternity.ternary.cards import CARDS
from quaternity.ternary.recorded_counts import TABLES_WITHOUT
from quaternity.ternary.tables import Rule
from solvers.plain_values import whole_number


@dataclass(frozen=True, slots=True)
class FreeCount:
    """How many tables hold no three.

    Attributes:
        n: cards on the table.
        rule: which threes are meant.
        free: the number of tables (sets of n of the 81 cards) without one.
    """

    n: int
    rule: Rule
    free: int

    @property
    def tables(self) -> int:
        """The number of all tables of n cards."""
        return comb(CARDS, self.n)

    @property
    def probability(self) -> float:
        """The chance that n cards dealt from a shuffled deck hold no three."""
        return self.free / self.tables


def count_free(n: int, rule: Rule | str) -> FreeCount:
    """The number of tables of n cards without a three, 1 <= n <= 81.

    The numbers are recorded; `quaternity.ternary.recorded_counts` tells how they were counted, and
    the tests count them anew. From 55 cards on (`triple`) or 21 (`set`) it is 0, as
    `quaternity.ternary.largest` proves.

    Raises:
        InputError: n is not 1..81, or there is no such rule.

    >>> count_free(12, Rule.TRIPLE).free
    39478773647088
    >>> f"{count_free(12, Rule.SET).probability:.2%}"
    '3.23%'
    """
    n = whole_number(n, 1, CARDS, f"a number of cards on a table; they are 1..{CARDS}", "n")
    rule = Rule(rule)
    return FreeCount(n, rule, TABLES_WITHOUT[rule].get(n, 0))


__all__ = ["FreeCount", "count_free"]
