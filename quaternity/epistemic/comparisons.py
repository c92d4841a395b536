"""Comparisons of numbers in formulas, such as `cards(1) > 3`.

Each comparison is replaced with an equivalent formula that every evaluator supports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from quaternity.epistemic import formula as logic
from quaternity.epistemic.formula import TRUE, Formula, every, negation, some
from quaternity.game.cards import Card

SIGNS = ("=", "!=", "<", "<=", ">", ">=")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Term(NamedTuple):
    """A number that depends on the deal, such as the number of cards in a hand.

    The formula `at_least(n)` says that the number is at least n, and `exactly(n)` that it is n.
    `maximum` is the largest possible number, if it is known. `value` is the number itself, if all
    players know it.
    """

    at_least: Callable[[int], Formula]
    exactly: Callable[[int], Formula]
    maximum: int | None
    value: int | None = None


def constant_term(number: int) -> Term:
    """Return the `Term` for a constant number."""
    return Term(
        lambda least: logic.Constant(number >= least),
        lambda other: logic.Constant(number == other),
        number,
        number,
    )


def unknown_term(knower: int, owner: int, hands: Sequence[int] | None) -> Term:
    """Return the `Term` for `U1(2)`: the number of cards of player 2 that player 1 does not know.

    `hands` contains the number of cards of each player, if these numbers are known.
    """
    return Term(
        lambda least: logic.Not(logic.Unknown(knower, owner, least - 1, True)) if least else TRUE,
        lambda number: logic.Unknown(knower, owner, number),
        None if hands is None else hands[owner],
    )


def held_term(player: int, index: int, size: int) -> Term:
    """Return the `Term` for `cards(1, 8)`: the number of cards of set 8 that player 1 holds.

    `index` is the number of the set, which has `size` cards.
    """
    cards = [logic.Holds(player, Card(index, number)) for number in range(size)]

    def least(number: int) -> Formula:
        return some(map(every, combinations(cards, number)))

    def exactly(number: int) -> Formula:
        return every((least(number), negation(least(number + 1))))

    return Term(least, exactly, size)


def compare_with_number(term: Term, sign: str, number: int) -> Formula:
    """Return the formula that compares a term with a number, such as `U1(2) >= 3`."""
    match sign:
        case "=":
            return term.exactly(number)
        case "!=":
            return negation(term.exactly(number))
        case ">=":
            return term.at_least(number)
        case ">":
            return term.at_least(number + 1)
        case "<":
            return negation(term.at_least(number))
        case _:
            return negation(term.at_least(number + 1))


def compare_terms(first: Term, sign: str, second: Term) -> Formula | None:
    """Return the formula that compares two terms, such as `U1(2) > cards(1, 8)`.

    Return None if the largest possible value of a term is needed but unknown.
    """
    if second.value is not None:
        return compare_with_number(first, sign, second.value)
    turned = _MIRRORED.get(sign, sign)
    if first.value is not None:
        return compare_with_number(second, turned, first.value)
    if first.maximum is None:
        return None
    return some(
        every((first.exactly(number), compare_with_number(second, turned, number)))
        for number in range(first.maximum + 1)
    )
