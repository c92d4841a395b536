"""Simplification of formulas before evaluation, using the laws of the modal logic S5.

A player cannot distinguish deals in which the player has the same hand. Such deals form a class of
the operator `K`. `K f` says that `f` is true in all deals of the class of the real deal. The
operators `D` (distributed knowledge), `C` (common knowledge) and `P` (public knowledge) are defined
in the same way, with other classes.

A formula is *settled* for an operator if its truth value is the same in all deals of each class.
For example, if f is settled for `K1`, then `K1 f` is f, and `K1 (f | g)` is f | K1 g. What a player
sees or knows is settled for `K` of this player.

The laws hold in every model in which players see hands, also after a public announcement. Formulas
inside announcements are therefore simplified, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import is_
from typing import TypeAlias

from quaternity.base.errors import LimitError
from quaternity.epistemic import formula as logic
from quaternity.epistemic.formula import FALSE, TRUE, Formula, every, negation, some
from quaternity.epistemic.propositional import is_determined
from solvers.problem import DealProblem

MAX_GROWTH = 2
"""Maximum growth of a formula by simplification. The simplified formula is used only if it has at
most `MAX_GROWTH` * n + 10 parts. Here n is the number of parts of the original formula."""
CACHE_SIZE, MAX_CACHED_PARTS = 128, 50
"""Maximum number of cached results of `normal_form`, and maximum number of parts of a formula whose
result is cached."""


def normal_form(formula: Formula, problem: DealProblem) -> Formula:
    """Return a simpler formula that is true in the same deals of the problem.

    The formula may name only players and cards of the problem (see `Language`).

    >>> from quaternity.epistemic.grammar import parse
    >>> from solvers.problem import SetConstraint
    >>> three_cards = DealProblem([1, 1, 1], [SetConstraint.of([[0, 1, 2]] * 3, players=3)])
    >>> for text in ("C !C H0 0/0", "K1 (H1 0/0 | K2 H0 0/1 & C K0 H0 0/2)", "K0 !K0 !H0 0/1"):
    ...     print(normal_form(parse(text), three_cards))
    !C H0 0/0
    H1 0/0 | K1 K2 H0 0/1 & C H0 0/2
    H0 0/1
    """
    return (_cached_normal_form if formula.size <= MAX_CACHED_PARTS else _compute_normal_form)(
        formula, problem
    )


def _compute_normal_form(formula: Formula, problem: DealProblem) -> Formula:
    try:
        normal = _Normalizer(problem).of(formula)
    except LimitError:  # The normal form exceeds the maximum depth slightly.
        return formula
    return formula if normal.size > MAX_GROWTH * formula.size + 10 else normal


_cached_normal_form = lru_cache(maxsize=CACHE_SIZE)(_compute_normal_form)


_Box: TypeAlias = logic.Knows | logic.Distributed | logic.Common | logic.Publicly
"""A formula that begins with a knowledge operator. A function with an argument `kind` of this type
uses only the operator and its players, and ignores the rest of the formula."""


class _Normalizer:
    def __init__(self, problem: DealProblem) -> None:
        self._problem = problem

    def of(self, formula: Formula) -> Formula:
        if isinstance(formula, logic.Holds | logic.Unknown):
            return self._atom(formula)
        parts = formula.parts()
        normal = list(map(self.of, parts))
        if isinstance(formula, _Box):
            return self._apply(self._simplest_kind(formula), normal[0])
        if (
            all(map(is_, normal, parts))
            and not any(isinstance(part, logic.Constant | logic.Not) for part in parts)
            and not isinstance(formula, logic.Announcement)
        ):
            # This is the usual case. A new formula would cost more time than all other steps.
            return formula
        match formula:
            case logic.Not():
                return negation(normal[0])
            case logic.And():
                return _conjunction(normal)
            case logic.Or():
                return _disjunction(normal)
            case logic.Implies():
                return _implication(*normal)
            case logic.Iff():
                return _equivalence(*normal)
            case _:
                announcement, after = normal
                if isinstance(announcement, logic.Constant) or after == TRUE:
                    return _implication(announcement, after)
                settled = self._before_announcement(announcement, after)
                if settled is None:
                    return logic.Announcement(announcement, after)
                return _implication(announcement, settled if settled is after else self.of(settled))

    def _before_announcement(self, announcement: Formula, formula: Formula) -> Formula | None:
        """Return a formula that is true before an announcement iff `formula` is true after it.

        The result has no announcement operator. Return None if no such formula is found.
        """
        match formula:
            case logic.Constant() | logic.Holds():
                return formula
            case logic.Unknown():
                kind = logic.Knows(formula.knower, formula)
                return formula if self._is_settled(announcement, kind) else None
            case logic.Announcement():
                return None
            case _ if isinstance(formula, _Box):
                part = self._before_announcement(announcement, formula.part)
                if part in (announcement, TRUE):
                    return TRUE
                if part is None or not self._is_settled(announcement, formula):
                    return None
                return formula.with_parts([part])
            case _:
                parts = [self._before_announcement(announcement, part) for part in formula.parts()]
                settled = [part for part in parts if part is not None]
                return formula.with_parts(settled) if len(settled) == len(parts) else None

    def _atom(self, formula: logic.Holds | logic.Unknown) -> Formula:
        hands = self._problem.hands
        if isinstance(formula, logic.Unknown):
            knower, owner, count = formula.knower, formula.owner, formula.count
            if knower == owner or not hands[owner]:
                return logic.Constant(count == 0 or formula.at_most)
            if formula.at_most:
                return TRUE if count >= hands[owner] else formula
            return FALSE if count > hands[owner] else formula
        constraint = self._problem.sets[formula.card.set_index]
        if formula.card.number >= constraint.size:
            return FALSE  # The card is out of play.
        owners, player = constraint.owners[formula.card.number], 1 << formula.player
        if not owners & player:
            return FALSE
        return TRUE if owners == player else formula

    def _simplest_kind(self, kind: _Box) -> _Box:
        if not isinstance(kind, logic.Common) or not kind.players:
            return kind
        if len(kind.players) == 1:
            return logic.Knows(kind.players[0], kind.part)
        return logic.Common(kind.part) if len(kind.players) == self._problem.players else kind

    def _apply(self, kind: _Box, part: Formula) -> Formula:
        if self._is_settled(part, kind):
            return part
        match part:
            case logic.And(parts):
                return _conjunction([self._apply(kind, p) for p in parts])
            case logic.Not(logic.Or(parts)):
                return _conjunction([self._apply(kind, negation(x)) for x in parts])
            case logic.Not(logic.Implies(premise, conclusion)):
                return _conjunction([self._apply(kind, y) for y in (premise, negation(conclusion))])
            case logic.Or(parts):
                return self._apply_to_disjunction(kind, parts, part)
            case logic.Not(logic.And(parts)):
                return self._apply_to_disjunction(kind, [negation(n) for n in parts], part)
            case logic.Implies(premise, conclusion):
                return self._apply_to_disjunction(kind, [negation(premise), conclusion], part)
            case _:
                if isinstance(part, _Box) and self._is_within(part, kind):
                    return self._apply(kind, part.part)
                return kind if part is kind.part else kind.with_parts([part])

    def _apply_to_disjunction(
        self, kind: _Box, parts: Sequence[Formula], whole: Formula
    ) -> Formula:
        settled = [part for part in parts if self._is_settled(part, kind)]
        if not settled:
            return kind if whole is kind.part else kind.with_parts([whole])
        open_ones = [p for p in parts if not self._is_settled(p, kind)]
        return _disjunction([*settled, self._apply(kind, _disjunction(open_ones))])

    def _is_settled(self, formula: Formula, kind: _Box) -> bool:
        if formula.public:
            return True
        players = self._problem.players
        match kind:
            case logic.Publicly():
                return False
            case logic.Common():
                # If the hand of each single player determines a formula, the formula keeps its
                # truth value along a chain. If there are two players, each hand determines the
                # whole deal.
                group = kind.members(players)
                return players <= 2 or all(is_determined(formula, (g,)) for g in group)
            case _:
                # The hands of all players except one determine the remaining hand.
                return is_determined(formula, kind.players) or len(kind.players) >= players - 1

    def _is_within(self, inner: _Box, outer: _Box) -> bool:
        match outer, inner:
            case logic.Publicly(), _:
                return True
            case logic.Common(), logic.Common():
                return {*inner.members(self._problem.players)} <= {
                    *outer.members(self._problem.players)
                }
            case logic.Common(), logic.Knows() | logic.Distributed():
                return not {*outer.members(self._problem.players)}.isdisjoint(inner.players)
            case logic.Knows() | logic.Distributed(), logic.Knows() | logic.Distributed():
                return {*outer.players} <= {*inner.players}
            case _:
                return False


def _conjunction(parts: Sequence[Formula]) -> Formula:
    if FALSE in parts:
        return FALSE
    return every(part for part in parts if part != TRUE)


def _disjunction(parts: Sequence[Formula]) -> Formula:
    if TRUE in parts:
        return TRUE
    return some(part for part in parts if part != FALSE)


def _implication(premise: Formula, conclusion: Formula) -> Formula:
    if premise == FALSE or conclusion == TRUE:
        return TRUE
    if premise == TRUE:
        return conclusion
    return negation(premise) if conclusion == FALSE else logic.Implies(premise, conclusion)


def _equivalence(first: Formula, second: Formula) -> Formula:
    for constant, other in ((first, second), (second, first)):
        if isinstance(constant, logic.Constant):
            return other if constant.value else negation(other)
    return logic.Iff(first, second)
