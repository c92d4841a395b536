"""Comparisons of numbers, written out as formulas that every evaluator knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from quaternity.epistemic import formula as logic
from quaternity.epistemic.formula import TRUE, Formula, every, negation, some
from quaternity.game.cards import Card

SIGNS = ("=", "!=", "<", "<=", ">", ">=")
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Term(NamedTuple):
    """A number that differs from deal to deal, by formulas that compare it.

    `most` is the most that it can be, None where that is not known; `value` is the number where
    everybody can count it.
    """

    least: Callable[[int], Formula]
    exactly: Callable[[int], Formula]
    most: int | None
    value: int | None = None


def constant(number: int) -> Term:
    """Return a number that everybody can count."""
    return Term(
        lambda least: logic.Constant(number >= least),
        lambda other: logic.Constant(number == other),
        number,
        number,
    )


def unknown(knower: int, owner: int, hands: Sequence[int] | None) -> Term:
    """`U1(2)`, the hands of so many cards where that is known."""
    return Term(
        lambda least: logic.Not(logic.Unknown(knower, owner, least - 1, True)) if least else TRUE,
        lambda number: logic.Unknown(knower, owner, number),
        None if hands is None else hands[owner],
    )


def held(player: int, index: int, size: int) -> Term:
    """`cards(1, 8)`: by which of the cards they are."""
    cards = [logic.Holds(player, Card(index, number)) for number in range(size)]

    def least(number: int) -> Formula:
        return some(map(every, combinations(cards, number)))

    def exactly(number: int) -> Formula:
        return every((least(number), negation(least(number + 1))))

    return Term(least, exactly, size)


def compared(term: Term, sign: str, number: int) -> Formula:
    """Return a comparison of what differs from deal to deal with a number."""
    match sign:
        case "=":
            return term.exactly(number)
        case "!=":
            return negation(term.exactly(number))
        case ">=":
            return term.least(number)
        case ">":
            return term.least(number + 1)
        case "<":
            return negation(term.least(number))
        case _:
            return negation(term.least(number + 1))


def both_compared(first: Term, sign: str, second: Term) -> Formula | None:
    """Return a comparison of two numbers; None where neither is known to have a largest value."""
    if second.value is not None:
        return compared(first, sign, second.value)
    turned = _TURNED.get(sign, sign)
    if first.value is not None:
        return compared(second, turned, first.value)
    if first.most is None:
        return None
    return some(
        every((first.exactly(number), compared(second, turned, number)))
        for number in range(first.most + 1)
    )
