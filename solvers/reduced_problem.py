"""Preprocessing for counting deals: remove everything that is obviously certain from a problem.

A card with a single possible owner is *certain*, and the other cards are *open*. Certain cards,
players whose hands are full, and redundant bounds are removed. The number of ways to deal the open
cards is computed from a product of *factors*:

- A set with a bound that is not redundant is one factor.
- Each open card of any other set is a separate factor, which depends only on its possible owners.

Equal factors are one object with a multiplicity, so equal sets share all work.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.base.memo import Memo, bytes_of
from solvers.problem import DealProblem, SetConstraint, ownable_counts, players_in
from solvers.set_counts import SetCounts, Vector, set_counts


class OpenSet(NamedTuple):
    """A set of cards, split into certain cards (with a known owner) and open cards.

    Attributes:
        owner: for each card, its owner if the card is certain, or -1 if it is open.
        masks: for each card, the bit mask of the players who may own it.
        certain: for each player, the number of certain cards.
        low, high: for each player, the bounds on the number of open cards. `high` is at most the
            number of open cards that the player may own.
        bounded: whether any of these bounds is not redundant.
        open_cards: the numbers of the open cards, sorted by mask.
    """

    owner: tuple[int, ...]
    masks: tuple[int, ...]
    certain: Vector
    low: Vector
    high: Vector
    bounded: bool
    open_cards: tuple[int, ...]


def split_certain(constraint: SetConstraint, full: int) -> OpenSet | None:
    """Split a set into certain and open cards, or return None if there is obviously no deal.

    A card is certain if it has only one possible owner, or if a player needs all cards that they
    may own. Players who have reached their upper bound cannot own open cards, and neither can the
    players in the bit mask `full`, whose hands are full.
    """
    players = constraint.players
    masks = list(constraint.owners)
    owner = [-1] * len(masks)
    low, high = list(constraint.low), list(constraint.high)
    certain = [0] * players
    for excluded in (0, full):
        while True:
            for card, mask in enumerate(masks):
                if owner[card] < 0 and mask & (mask - 1) == 0:
                    if not mask:
                        return None
                    holder = owner[card] = mask.bit_length() - 1
                    certain[holder] += 1
                    low[holder] = max(0, low[holder] - 1)
                    high[holder] -= 1
            still_open = (mask for mask, holder in zip(masks, owner, strict=True) if holder < 0)
            numbers = ownable_counts(still_open, players)
            needs_all, has_all = 0, excluded
            for player, (minimum, maximum, number) in enumerate(
                zip(low, high, numbers, strict=True)
            ):
                if maximum < 0 or minimum > min(maximum, number):
                    return None
                if number and minimum == number:
                    needs_all |= 1 << player
                if not maximum:
                    has_all |= 1 << player
            narrowed = [
                mask if holder >= 0 else (mask & needs_all or mask & ~has_all)
                for mask, holder in zip(masks, owner, strict=True)
            ]
            if narrowed == masks:
                break
            if any((mask & needs_all).bit_count() > 1 for mask in narrowed):
                return None
            masks = narrowed
    high = list(map(min, high, numbers))
    opens = sorted([card for card, holder in enumerate(owner) if holder < 0], key=masks.__getitem__)
    return OpenSet(
        tuple(owner), tuple(masks), tuple(certain), tuple(low), tuple(high),
        bounded=any(low) or high != numbers, open_cards=tuple(opens),
    )  # fmt: skip


class Part(NamedTuple):
    """A set as a part of a reduced problem: its cards, and its factors for counting.

    A factor counts the ways to deal some of the open cards (see the module).

    Attributes:
        cards: the set, split into certain and open cards.
        set_factor: the factor of the whole set. None if there is no open card, or if each open card
            is a separate factor.
        card_factors: the factor of a single card, by owner mask. There are none if `set_factor` is
            not None.
        factors: pairs (factor, multiplicity).
        used: the bit mask of the players who may own an open card.
    """

    cards: OpenSet
    set_factor: SetCounts | None
    card_factors: dict[int, SetCounts]
    factors: tuple[tuple[SetCounts, int], ...]
    used: int


_PARTS: Memo[SetConstraint, int, bool, Part | None] = Memo()


def part_of(
    constraint: SetConstraint, full: int, keep: bool, deadline: Deadline = NO_DEADLINE
) -> Part | None:
    """Split a set into its certain cards and its factors for counting deals (see the module).

    The result is None if the set has no deal.

    Args:
        full: the bit mask of the players whose hands are full (see `split_certain`).
        keep: whether all open cards become a single factor even if the bounds are redundant.
    """
    key = (constraint, full, keep)
    try:
        # Do not test with `in`: another thread may clear the cache between the test and the lookup.
        return _PARTS[key]
    except KeyError:
        part = _part(constraint, full, keep, deadline)
    size = bytes_of(10, 6 * constraint.size)
    if part is not None:
        size += sum(factor.size for factor, _ in part.factors)
    return _PARTS.store(key, part, size)


def _part(constraint: SetConstraint, full: int, keep: bool, deadline: Deadline) -> Part | None:
    cards = split_certain(constraint, full)
    if cards is None:
        return None
    masks = [cards.masks[card] for card in cards.open_cards]
    used = 0
    for mask in masks:
        used |= mask
    if masks and (cards.bounded or keep):
        whole = set_counts(tuple(masks), cards.low, cards.high, deadline)
        return Part(cards, whole, {}, ((whole, 1),), used) if whole.vectors else None
    numbers = Counter(masks)
    singles = {mask: _single_card(mask, constraint.players) for mask in numbers}
    factors = tuple((singles[mask], number) for mask, number in numbers.items())
    return Part(cards, None, singles, factors, used)


def _single_card(mask: int, players: int) -> SetCounts:
    high = tuple([mask >> player & 1 for player in range(players)])
    return set_counts((mask,), (0,) * players, high)


@dataclass(frozen=True, slots=True)
class ReducedProblem:
    """A problem without the cards whose owners are obvious, split into factors (see the module).

    Attributes:
        hands: for each player, the number of open cards in the hand, minus those that the player
            gets in every deal (the attribute `base` of each factor).
        parts: for each set, its certain cards and its factors.
        factors: the multiplicity of each factor.
    """

    hands: Vector
    parts: tuple[Part, ...]
    factors: dict[SetCounts, int]


def reduce_problem(
    problem: DealProblem, keep: int | None = None, deadline: Deadline = NO_DEADLINE
) -> ReducedProblem | None:
    """Remove cards with obvious owners from a problem, so that its deals are counted faster.

    The result is None if there is obviously no deal. For other infeasible problems, the count will
    be 0. If `keep` is a number of a set, this set becomes a single factor of the product that
    counts the deals, even if its bounds are redundant.

    Raises:
        LimitError: If there are too many ways to split a set between the players.
        SolverTimeout: If the deadline has passed.
    """
    if sum(problem.hands) != problem.cards:
        return None
    sets = problem.sets
    full = sum(1 << player for player, hand in enumerate(problem.hands) if not hand)
    while True:
        hands = list(problem.hands)
        parts = []
        used = 0
        for index, constraint in enumerate(sets):
            deadline.remaining()
            part = part_of(constraint, full, index == keep, deadline)
            if part is None:
                return None
            parts.append(part)
            used |= part.used
            for player, number in enumerate(part.cards.certain):
                hands[player] -= number
        if min(hands) < 0:
            return None
        filled = sum(1 << player for player, hand in enumerate(hands) if not hand)
        if not used & filled:
            break
        full |= filled
        sets = tuple(
            SetConstraint.unchecked(part.cards.masks, constraint.low, constraint.high)
            for part, constraint in zip(parts, sets, strict=True)
        )
    factors: dict[SetCounts, int] = {}
    for part in parts:
        for ways, times in part.factors:
            factors[ways] = factors.get(ways, 0) + times
    for ways, times in factors.items():
        for player, minimum in enumerate(ways.base):
            hands[player] -= minimum * times
    if min(hands) < 0:
        return None
    return ReducedProblem(tuple(hands), tuple(parts), factors)


def min_lanes(problem: DealProblem) -> tuple[int, int]:
    """Return lower bounds on the size of the polynomials that are needed for counting deals.

    The result is a pair: a number of coefficients, and a number of bytes. Both are 0 if no bound is
    known. Call this only for a feasible problem.
    """
    # They are also 0 if fewer than two distinct factors can be dealt in several ways, because
    # counting may then need no polynomial. No count vectors are listed.
    sets, full = problem.sets, 0
    while True:
        hands, used = list(problem.hands), 0
        open_sets = []
        for constraint in sets:
            cards = split_certain(constraint, full)
            if cards is None:
                return 0, 0
            open_sets.append(cards)
            for card in cards.open_cards:
                used |= cards.masks[card]
            for player, number in enumerate(cards.certain):
                hands[player] -= number
        if min(hands) < 0:
            return 0, 0
        filled = sum(1 << player for player, hand in enumerate(hands) if not hand)
        if not used & filled:
            break
        full |= filled
        sets = tuple(
            SetConstraint.unchecked(cards.masks, constraint.low, constraint.high)
            for cards, constraint in zip(open_sets, sets, strict=True)
        )
    moving: set[object] = set()
    ways = 1
    for cards in open_sets:
        masks = [cards.masks[card] for card in cards.open_cards]
        if not cards.bounded:
            moving.update(masks)
            for mask in masks:
                ways *= mask.bit_count()
            continue
        loose = list(cards.high) == ownable_counts(masks, len(hands))
        # Use `low` as the minimum numbers of cards of the players, unless upper bounds imply larger
        # minimums.
        minimums = cards.low if loose else _min_counts(Counter(masks), cards.low, cards.high)
        if sum(minimums) < len(masks):
            moving.add((tuple(masks), cards.low, cards.high))
        hands = [max(0, hand - number) for hand, number in zip(hands, minimums, strict=True)]
    if len(moving) < 2:
        return 0, 0
    lanes = prod(hand + 1 for hand in hands) // (max(hands) + 1)
    return lanes, lanes * max(1, -(-ways.bit_length() // 8))


def _min_counts(classes: Counter[int], low: Vector, high: Vector) -> Vector:
    """Return, for each player, a lower bound on the cards of a set that they hold in every deal."""
    # For each player, the other players greedily take as many cards as they can. Cards with few
    # possible owners are taken first. The player must hold the remaining cards.
    minimums = []
    ordered = sorted(classes.items(), key=lambda item: item[0].bit_count())
    for player, minimum in enumerate(low):
        room = list(high)
        room[player] = remaining = 0
        for mask, number in ordered:
            for other in players_in(mask):
                taken = min(number, room[other])
                room[other] -= taken
                number -= taken
            remaining += number
        minimums.append(max(minimum, remaining))
    return tuple(minimums)
