"""Make a problem with a fault smaller while the fault stays: greedily, a simplification a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import monotonic

from solvers.problem import DealProblem, SetConstraint, players_in, with_entry
from solvers.registry import solve
from solvers.verdict import Feasible

Owners = list[list[int]]
"""`[set][card]`: a player, or -1."""


def reduced(
    problem: DealProblem,
    is_faulty: Callable[[DealProblem], bool],
    *,
    same_size: bool = False,
    seconds: float = 30.0,
) -> DealProblem:
    """Return a problem in which no simplification keeps the fault.

    Sets, cards and players are removed, hands and minimums become smaller, maximums loose, owners
    fewer. Of a feasible problem a deal is kept, so that it stays feasible.

    Args:
        is_faulty: whether a problem shows the fault; the given one must.
        same_size: keep all sets of one size, at least 1, by taking a card from each.
        seconds: return the smallest problem so far after this time.

    Cost: at most about (cards + players x sets) squared runs of `is_faulty`.

    >>> def no_two_cards(problem):
    ...     return problem.cards >= 2
    >>> big = DealProblem([4, 2], [SetConstraint.of([[0, 1]] * 3, players=2)] * 2)
    >>> reduced(big, no_two_cards)
    DealProblem(hands=[0], sets=[SetConstraint.of([[], []], players=1, low=[0], high=[2])])
    """
    until = monotonic() + seconds
    simpler = True
    while simpler:
        simpler = False
        for candidate in simplifications(problem, same_size):
            if monotonic() > until:
                return problem
            if is_faulty(candidate):
                problem, simpler = candidate, True
                break
    return problem


def simplifications(problem: DealProblem, same_size: bool = False) -> Iterator[DealProblem]:
    """Give simpler problems, the greatest steps first; every chain of steps ends."""
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
                chosen: list[list[int]] = [[] for _ in sets]
                chosen[index] = [card]
                yield _without_cards(problem, owners, chosen)
    for player in range(problem.players if problem.players > 1 else 0):
        if not problem.hands[player] and not any(each.low[player] for each in problem.sets):
            yield _without_player(problem, player)
    for player, hand in enumerate(problem.hands):
        if hand:
            yield DealProblem(with_entry(problem.hands, player, hand - 1), problem.sets)
    for index, constraint in enumerate(problem.sets):
        masks, low, high = constraint
        for player, least in enumerate(low):
            if least:
                changed = SetConstraint(masks, with_entry(low, player, least - 1), high)
                yield problem.with_set(index, changed)
        for player, most in enumerate(high):
            if most < constraint.size:
                changed = SetConstraint(masks, low, with_entry(high, player, constraint.size))
                yield problem.with_set(index, changed)
        for card, mask in enumerate(masks):
            for player in players_in(mask):
                fewer = with_entry(masks, card, mask & ~(1 << player))
                yield problem.with_set(index, SetConstraint(fewer, low, high))


def _some_owners(problem: DealProblem) -> Owners:
    verdict = solve(problem)
    if isinstance(verdict, Feasible):
        return [list(cards) for cards in verdict.deal.owner]
    room = list(problem.hands)
    owners: Owners = []
    for constraint in problem.sets:
        cards = []
        for mask in constraint.owners:
            able = [player for player in players_in(mask) if room[player]]
            owner = max(able, key=lambda player: room[player], default=-1)
            if owner >= 0:
                room[owner] -= 1
            cards.append(owner)
        owners.append(cards)
    return owners


def _without_cards(
    problem: DealProblem, owners: Owners, cards: Sequence[Sequence[int]], drop: int | None = None
) -> DealProblem:
    """Remove some cards per set, and their places in hands; or remove a set."""
    hands = list(problem.hands)
    sets = []
    for index, (constraint, gone) in enumerate(zip(problem.sets, cards, strict=True)):
        low, high = list(constraint.low), list(constraint.high)
        for card in gone:
            owner = owners[index][card]
            if owner >= 0:
                hands[owner] -= 1
                low[owner] = max(0, low[owner] - 1)
                if high[owner] < constraint.size:
                    high[owner] = max(0, high[owner] - 1)
        if index == drop:
            continue
        size = constraint.size - len(gone)
        high = [min(most, size) for most in high]
        kept = [mask for card, mask in enumerate(constraint.owners) if card not in gone]
        sets.append(SetConstraint(kept, low, high))
    return DealProblem(hands, sets)


def _without_player(problem: DealProblem, player: int) -> DealProblem:
    def moved(mask: int) -> int:
        below = mask & ((1 << player) - 1)
        return below | mask >> (player + 1) << player

    def fewer(values: Sequence[int]) -> tuple[int, ...]:
        return (*values[:player], *values[player + 1 :])

    sets = [
        SetConstraint([moved(mask) for mask in owners], fewer(low), fewer(high))
        for owners, low, high in problem.sets
    ]
    return DealProblem(fewer(problem.hands), sets)
