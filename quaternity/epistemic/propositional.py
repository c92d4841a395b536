"""Formulas without knowledge operators: their truth in a deal, and the cases that make them true.

A *case* restricts the possible owners of some cards, so the deals of a case are the deals of a
stricter deal problem. A formula without knowledge operators is true exactly in the deals of its
cases. The solvers of deal problems can therefore answer questions about the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias

from quaternity.epistemic import formula as logic
from quaternity.epistemic.evaluator import Announcements
from quaternity.epistemic.formula import FALSE, TRUE, Formula, every, some
from quaternity.game.cards import Card
from solvers.problem import DealProblem, SetConstraint, mask_of
from solvers.verdict import Deal

Case: TypeAlias = Mapping[Card, int]
"""A restriction of the owners of some cards. It maps each card to a bit mask of its possible
owners."""


def unfold(formula: Formula, truth: bool) -> tuple[bool, tuple[tuple[Formula, bool], ...]] | None:
    """Split a formula into conditions that decide whether it has the given truth value.

    The conditions are pairs (part of the formula, its truth value). The first result is True if all
    of them must hold, and False if one of them suffices. The second result contains the conditions.
    Return None for formulas that cannot be split: statements about one card, knowledge and
    announcements.
    """
    match formula:
        case logic.Not(part):
            return True, ((part, not truth),)
        case logic.And(parts):
            return truth, tuple((part, truth) for part in parts)
        case logic.Or(parts):
            return not truth, tuple((part, truth) for part in parts)
        case logic.Implies(premise, conclusion):
            return not truth, ((premise, not truth), (conclusion, truth))
        case logic.Iff(first, second):
            return truth, (
                (logic.Implies(first, second), truth),
                (logic.Implies(second, first), truth),
            )
        case _:
            return None


def is_determined(formula: Formula, players: Collection[int]) -> bool:
    """Return whether the hands of these players determine the truth value of a formula.

    If a formula says that something is common knowledge, the hand of any single member of the group
    determines its truth value.
    """
    if formula.determining_players.issubset(players):
        return True
    if not formula.modal_depth:
        return False
    match formula:
        case logic.Knows() | logic.Distributed() | logic.Unknown():
            return False
        case logic.Common(_, group):
            return not group or any(player in group for player in players)
        case _:
            return all(is_determined(part, players) for part in formula.parts())


def effort_key(wish: tuple[Formula, bool]) -> int:
    """Return a sort key for pairs (formula, truth value) that puts simple formulas first."""
    return wish[0].modal_depth


def true_in(formula: Formula, deal: Deal) -> bool:
    """Return the truth value of a formula without knowledge operators in one deal."""
    match formula:
        case logic.Constant(value):
            return value
        case logic.Holds(player, card):
            owners = deal.owner[card.set_index]
            return card.number < len(owners) and owners[card.number] == player
        case logic.Not(part):
            return not true_in(part, deal)
        case logic.And(parts):
            return all(true_in(part, deal) for part in parts)
        case logic.Or(parts):
            return any(true_in(part, deal) for part in parts)
        case logic.Implies(premise, conclusion):
            return not true_in(premise, deal) or true_in(conclusion, deal)
        case logic.Iff(first, second):
            return true_in(first, deal) == true_in(second, deal)
        case _:
            raise TypeError(f"{formula} is not a formula of propositional logic")


def without_knowledge(formula: Formula, weaker: bool) -> Formula:
    """Approximate a formula by a weaker or stronger formula without knowledge operators.

    If `weaker` is true, the given formula implies the result. Otherwise, the result implies the
    given formula. Known formulas are true, so `K f` is replaced by `f` or, if not `weaker`, by
    `false`. An equivalence that contains knowledge operators is replaced by a constant.
    """
    if not formula.modal_depth:
        return formula
    match formula:
        case logic.Not(part):
            return logic.Not(without_knowledge(part, not weaker))
        case logic.And(parts) | logic.Or(parts):
            return formula.with_parts([without_knowledge(part, weaker) for part in parts])
        case logic.Implies(premise, conclusion):
            return logic.Implies(
                without_knowledge(premise, not weaker), without_knowledge(conclusion, weaker)
            )
        case logic.Announcement(announcement, then):
            return without_knowledge(logic.Implies(announcement, then), weaker)
        case (
            logic.Knows(_, part)
            | logic.Distributed(_, part)
            | logic.Common(part)
            | logic.Publicly(part)
        ):
            return without_knowledge(part, True) if weaker else FALSE
        case _:
            return TRUE if weaker else FALSE


def with_seen_facts(formula: Formula, truth: bool) -> Formula:
    """Replace knowledge about hands in a formula by what the players see in their own hands.

    If `truth`, the result implies the given formula. Otherwise, the given formula implies the
    result.

    >>> from quaternity.epistemic.formula import H, K
    >>> print(with_seen_facts(K(1, ~H(2, "0/0")) & ~K(1, H(1, "0/1") | H(2, "0/1")), True))
    H1 0/0 & !K1 (H1 0/1 | H2 0/1)
    """
    if not formula.modal_depth:
        return formula
    match formula:
        case logic.Not(part):
            return logic.Not(with_seen_facts(part, not truth))
        case logic.And(parts) | logic.Or(parts):
            return formula.with_parts([with_seen_facts(part, truth) for part in parts])
        case logic.Implies(premise, conclusion):
            return logic.Implies(
                with_seen_facts(premise, not truth), with_seen_facts(conclusion, truth)
            )
        case logic.Knows(_, part) | logic.Distributed(_, part) if truth and not part.modal_depth:
            return _seen_in_hands(formula.players, part, True)
        case _:
            return formula


def _seen_in_hands(players: Collection[int], formula: Formula, truth: bool) -> Formula:
    """Return a fact about these players' hands from which the truth value of a formula follows."""
    match formula:
        case logic.Constant(value):
            return logic.Constant(value == truth)
        case logic.Holds(player, card):
            if player in players:
                return formula if truth else logic.Not(formula)
            return some(() if truth else [logic.Holds(p, card) for p in players])
        case _:
            needed = unfold(formula, truth)
            assert needed is not None
            seen = [_seen_in_hands(players, part, wish) for part, wish in needed[1]]
            return every(seen) if needed[0] else some(seen)


def cases(
    problem: DealProblem, formula: Formula, truth: bool = True, limit: int = 64
) -> list[Case] | None:
    """Return the deals where a formula has the given truth value, as a list of cases.

    A case contains the deals in which some cards have certain possible owners. Cases may overlap.
    Cases that contradict the owners in the problem are left out. The formula must not contain
    knowledge operators. Return None if there are more than `limit` cases.
    """
    return _Cases(problem, limit).of(formula, truth)


class _Cases:
    def __init__(self, problem: DealProblem, limit: int) -> None:
        self.problem, self.limit = problem, limit
        self._split: dict[tuple[Formula, bool], list[Case] | None] = {}

    def of(self, formula: Formula, truth: bool) -> list[Case] | None:
        key = (formula, truth)
        if key not in self._split:
            self._split[key] = self._cases(formula, truth)
        return self._split[key]

    def _cases(self, formula: Formula, truth: bool) -> list[Case] | None:
        match formula:
            case logic.Constant(value):
                return [{}] if value == truth else []
            case logic.Holds(player, card):
                constraint = self.problem.sets[card.set_index]
                if card.number >= constraint.size:
                    return [] if truth else [{}]
                mask = constraint.owners[card.number]
                wanted = mask & 1 << player if truth else mask & ~(1 << player)
                return [{card: wanted}] if wanted else []
            case _:
                needed = unfold(formula, truth)
                if needed is None:
                    raise TypeError(f"{formula} is not a formula of propositional logic")
                cases: list[Case] = [{}] if needed[0] else []
                for part, wish in needed[1]:
                    more = self.of(part, wish)
                    if more is None:
                        return None
                    cases = _intersect(cases, more) if needed[0] else _unite(cases, more)
                    if len(cases) > self.limit:
                        return None
                return cases


def merge_cases(first: Case, second: Case) -> Case:
    """Return a case (restrictions on the owners of cards) that combines two cases."""
    both = dict(first)
    for card, mask in second.items():
        both[card] = both.get(card, mask) & mask
    return both


def _intersect(first: Iterable[Case], second: list[Case]) -> list[Case]:
    together: list[Case] = []
    for case in first:
        for other in second:
            both = merge_cases(case, other)
            if all(both.values()):
                together.append(both)
    return together


def _unite(first: list[Case], second: Iterable[Case]) -> list[Case]:
    listed = list(first)
    for case in second:
        if len(case) == 1:
            ((card, mask),) = case.items()
            for index, other in enumerate(listed):
                if len(other) == 1 and card in other:
                    listed[index] = {card: other[card] | mask}
                    break
            else:
                listed.append(case)
        elif case not in listed:
            listed.append(case)
    return listed


def narrow(problem: DealProblem, case: Case) -> DealProblem:
    """Return a deal problem that also has the restrictions of a case on the owners of cards."""
    changed: dict[int, list[int]] = {}
    for card, mask in case.items():
        owners = changed.setdefault(card.set_index, list(problem.sets[card.set_index].owners))
        owners[card.number] &= mask
    if not changed:
        return problem
    sets = list(problem.sets)
    for index, owners in changed.items():
        _, low, high = sets[index]
        sets[index] = SetConstraint.unchecked(tuple(owners), low, high)
    return DealProblem.unchecked(problem.hands, tuple(sets))


def case_around(
    formula: Formula,
    truth: bool,
    deal: Deal,
    earlier: Announcements,
    true_at: Callable[[Formula, Deal, Announcements], bool],
    known_around: Callable[[Formula, bool, Deal, Announcements], Case | None] = lambda *_: None,
) -> Case:
    """Return a case that contains `deal` and in which a formula always has the truth value `truth`.

    A case consists of all deals in which some cards have certain possible owners. `true_at` returns
    the truth value of any formula in a deal. `known_around` may return a larger case for a formula
    about knowledge.
    """
    ways = true_at, known_around
    match formula:
        case logic.Holds(player, card):
            if card.number >= len(deal.owner[card.set_index]):
                return {}  # The card is out of play, so no player holds it in any deal.
            mask = 1 << player
            return {card: mask if truth else ~mask}
        case logic.Constant() | logic.Publicly():
            return {}
        case logic.Iff(first, second):
            # An equivalence is not split into two implications, because forty nested equivalences
            # would then have 2^40 parts.
            sides = [(part, true_at(part, deal, earlier)) for part in (first, second)]
            cases = [case_around(part, value, deal, earlier, *ways) for part, value in sides]
            return merge_cases(cases[0], cases[1])
        case logic.Announcement(announcement, then):
            if truth and not true_at(announcement, deal, earlier):
                return case_around(announcement, False, deal, earlier, *ways)
            return merge_cases(
                case_around(announcement, True, deal, earlier, *ways),
                case_around(then, truth, deal, (*earlier, announcement), *ways),
            )
        case logic.Knows() | logic.Distributed() | logic.Unknown() | logic.Common():
            larger = known_around(formula, truth, deal, earlier)
            # The hand of any single player of the group determines common knowledge.
            return (
                hands_case(formula.determining_players or (0,), deal) if larger is None else larger
            )
        case _:
            needed = unfold(formula, truth)
            assert needed is not None
            right = (
                (part, wish)
                for part, wish in sorted(needed[1], key=effort_key)
                if needed[0] or true_at(part, deal, earlier) == wish
            )
            case: Case = {}
            for part, wish in right:
                case = merge_cases(case, case_around(part, wish, deal, earlier, *ways))
                if not needed[0]:
                    break
            return case


def hands_case(players: Collection[int], deal: Deal) -> Case:
    """Return a case that fixes the cards in the hands of these players, as they are in `deal`."""
    return {
        Card(index, number): 1 << holder if holder in players else ~mask_of(players)
        for index, owner in enumerate(deal.owner)
        for number, holder in enumerate(owner)
    }
