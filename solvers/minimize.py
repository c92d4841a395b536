"""Reduction of test cases: make a problem smaller as long as a solver still fails on it.

The reduction is greedy: it tries one simplification after another, and keeps each one if the solver
still fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product, takewhile
from time import monotonic

from solvers.problem import DealProblem, SetConstraint, players_in, with_entry
from solvers.random_problems import one_player_problem
from solvers.registry import solve
from solvers.verdict import Feasible

Owners = list[list[int]]
"""The owners of all cards: `owners[set][card]` is a player, or -1 if the card has no owner."""


def minimize_problem(
    problem: DealProblem,
    is_faulty: Callable[[DealProblem], bool],
    *,
    same_size: bool = False,
    seconds: float = 30.0,
) -> DealProblem:
    """Simplify a problem as far as possible while it keeps its fault.

    A simplification removes a set, a card or a player, lowers a hand or a minimum, removes a
    maximum, or removes a possible owner. When a card is removed, the hand of its owner in some deal
    is reduced by one card, so a feasible problem stays feasible. Problems with one player and one
    set are tried first, because they often show the same fault.

    Args:
        is_faulty: function that returns whether a problem has the fault, as `problem` does.
        same_size: whether all sets must have the same size of at least 1. If true, a card is
            removed from every set at the same time.
        seconds: the time limit in seconds, after which the smallest problem so far is returned.

    In the example, a solver fails on every problem with at least two cards:

    >>> def is_faulty(problem):
    ...     return problem.cards >= 2
    >>> big = DealProblem([4, 2], [SetConstraint.of([[0, 1]] * 3, players=2)] * 2)
    >>> minimize_problem(big, is_faulty)
    DealProblem(hands=[0], sets=[SetConstraint.of([[], []], players=1, low=[0], high=[2])])
    """
    deadline = monotonic() + seconds
    if problem.players > 1 and not same_size:
        sets, players = range(len(problem.sets)), range(problem.players)
        single = (
            one_player_problem(problem, index, player, max_cards)
            for max_cards, index, player in product((1, None), sets, players)
        )
        in_time = takewhile(lambda _: monotonic() <= deadline, single)
        problem = next(filter(is_faulty, in_time), problem)
    is_simpler = True
    while is_simpler:
        is_simpler = False
        for candidate in simplifications(problem, same_size):
            if monotonic() > deadline:
                return problem
            if is_faulty(candidate):
                problem, is_simpler = candidate, True
                break
    return problem


def simplifications(problem: DealProblem, same_size: bool = False) -> Iterator[DealProblem]:
    """Yield every problem that a single simplifying change produces.

    Large changes come first. A problem can be simplified only finitely many times.
    """
    owners = _some_owners(problem)
    sets = range(len(problem.sets))
    if len(problem.sets) > same_size:
        for index in sets:
            yield _without_cards(
                problem,
                owners,
                [list(range(problem.sets[index].size)) if i == index else [] for i in sets],
                drop=index,
            )
    if same_size and problem.sets[0].size > 1:
        for card in range(problem.sets[0].size):
            yield _without_cards(problem, owners, [[card] for _ in sets])
    if not same_size:
        for index, constraint in enumerate(problem.sets):
            for card in range(constraint.size):
                removed: list[list[int]] = [[] for _ in sets]
                removed[index] = [card]
                yield _without_cards(problem, owners, removed)
    for player in range(problem.players if problem.players > 1 else 0):
        if not problem.hands[player] and not any(
            constraint.low[player] for constraint in problem.sets
        ):
            yield _without_player(problem, player)
    for player, hand in enumerate(problem.hands):
        if hand:
            yield DealProblem(with_entry(problem.hands, player, hand - 1), problem.sets)
    for index, constraint in enumerate(problem.sets):
        masks, low, high = constraint
        for player, minimum in enumerate(low):
            if minimum:
                # A huge minimum is first lowered to the least number above the size of the set.
                lower = min(minimum - 1, constraint.size + 1)
                changed = SetConstraint(masks, with_entry(low, player, lower), high)
                yield problem.with_set(index, changed)
        for player, maximum in enumerate(high):
            if maximum != constraint.size:
                changed = SetConstraint(masks, low, with_entry(high, player, constraint.size))
                yield problem.with_set(index, changed)
        for card, mask in enumerate(masks):
            for player in players_in(mask):
                narrowed = with_entry(masks, card, mask & ~(1 << player))
                yield problem.with_set(index, SetConstraint(narrowed, low, high))


def _some_owners(problem: DealProblem) -> Owners:
    verdict = solve(problem)
    if isinstance(verdict, Feasible):
        return [list(cards) for cards in verdict.deal.owner]
    room = list(problem.hands)
    owners: Owners = []
    for constraint in problem.sets:
        cards = []
        for mask in constraint.owners:
            candidates = [player for player in players_in(mask) if room[player]]
            owner = max(candidates, key=lambda player: room[player], default=-1)
            if owner >= 0:
                room[owner] -= 1
            cards.append(owner)
        owners.append(cards)
    return owners


def _without_cards(
    problem: DealProblem, owners: Owners, cards: Sequence[Sequence[int]], drop: int | None = None
) -> DealProblem:
    """Return the problem without some cards, with smaller hands and bounds for their owners.

    `cards` lists the numbers of these cards for each set. If `drop` is not None, the set with this
    number is removed as well.
    """
    hands = list(problem.hands)
    sets = []
    for index, (constraint, removed) in enumerate(zip(problem.sets, cards, strict=True)):
        low, high = list(constraint.low), list(constraint.high)
        for card in removed:
            owner = owners[index][card]
            if owner >= 0:
                hands[owner] -= 1
                low[owner] = max(0, low[owner] - 1)
                if high[owner] < constraint.size:
                    high[owner] = max(0, high[owner] - 1)
        if index == drop:
            continue
        size = constraint.size - len(removed)
        high = [min(bound, size) for bound in high]
        masks = [mask for card, mask in enumerate(constraint.owners) if card not in removed]
        sets.append(SetConstraint(masks, low, high))
    return DealProblem(hands, sets)


def _without_player(problem: DealProblem, player: int) -> DealProblem:
    def without_bit(mask: int) -> int:
        below = mask & ((1 << player) - 1)
        return below | mask >> (player + 1) << player

    def without_entry(values: Sequence[int]) -> tuple[int, ...]:
        return (*values[:player], *values[player + 1 :])

    sets = [
        SetConstraint(
            [without_bit(mask) for mask in owners], without_entry(low), without_entry(high)
        )
        for owners, low, high in problem.sets
    ]
    return DealProblem(without_entry(problem.hands), sets)
