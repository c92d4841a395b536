"""The part of a problem that remains when everything plainly certain is taken away.

A card with one possible owner, a player with no room left, a set whose bounds forbid nothing: none
of these needs counting. What remains is a product of *factors*, hands to fill, and the place of
every card in them:

- a set in which a bound still matters is one factor;
- the open cards of all other sets are factors of one card each, told apart only by their owners.

Equal factors are one object with a multiplicity, so that equal sets share all work.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from quaternity.base.deadline import NEVER, Deadline
from quaternity.base.memo import Memo, bytes_of
from solvers.problem import DealProblem, SetConstraint, ownable, players_in
from solvers.set_ways import SetWays, Vector, set_ways


class OpenSet(NamedTuple):
    """One set without its certain cards.

    Attributes:
        owner: per card, its certain owner, or -1 for an open card.
        masks: per card, the players who may own it: one player where it is certain.
        certain: per player, the number of certain cards.
        low, high: the bounds on open cards; `high` at most the cards the player may own.
        bounded: whether these bounds forbid something.
        opens: the open cards, in ascending order of their masks.
    """

    owner: tuple[int, ...]
    masks: tuple[int, ...]
    certain: Vector
    low: Vector
    high: Vector
    bounded: bool
    opens: tuple[int, ...]


def opened(constraint: SetConstraint, full: int) -> OpenSet | None:
    """Take the certain cards out of a set; give None when there is plainly no deal.

    A card is certain when it has one possible owner, or when somebody needs every card that they
    may own; a player whose upper bound is reached owns no open card. `full` masks players who have
    no room for open cards; cards that are certain without this knowledge are still theirs.
    """
    players = constraint.players
    masks = list(constraint.owners)
    owner = [-1] * len(masks)
    low, high = list(constraint.low), list(constraint.high)
    certain = [0] * players
    for barred in (0, full):
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
            numbers = ownable(still_open, players)
            needs_all, has_all = 0, barred
            for player, (least, most, number) in enumerate(zip(low, high, numbers, strict=True)):
                if most < 0 or least > min(most, number):
                    return None
                if number and least == number:
                    needs_all |= 1 << player
                if not most:
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
        bounded=any(low) or high != numbers, opens=tuple(opens),
    )  # fmt: skip


class Part(NamedTuple):
    """The contribution of one set.

    Attributes:
        cards: what is certain and what is open.
        whole: the factor of the set, or None when it has no open card or each is a factor.
        singles: per owner mask of an open card without `whole`, the factor of one such card.
        factors: all factors with their multiplicities, as pairs.
        used: the players who may own an open card.
    """

    cards: OpenSet
    whole: SetWays | None
    singles: dict[int, SetWays]
    factors: tuple[tuple[SetWays, int], ...]
    used: int


_PARTS: Memo[SetConstraint, int, bool, Part | None] = Memo()


def part_of(
    constraint: SetConstraint, full: int, keep: bool, deadline: Deadline = NEVER
) -> Part | None:
    """Return the part of one set, or None when no deal can be. For the arguments see `residue`."""
    key = (constraint, full, keep)
    try:
        # One step: between a test and the look-up another thread may forget everything.
        return _PARTS[key]
    except KeyError:
        part = _part(constraint, full, keep, deadline)
    size = bytes_of(10, 6 * constraint.size)
    if part is not None:
        size += sum(factor.size for factor, _ in part.factors)
    return _PARTS.keep(key, part, size)


def _part(constraint: SetConstraint, full: int, keep: bool, deadline: Deadline) -> Part | None:
    cards = opened(constraint, full)
    if cards is None:
        return None
    masks = [cards.masks[card] for card in cards.opens]
    used = 0
    for mask in masks:
        used |= mask
    if masks and (cards.bounded or keep):
        whole = set_ways(tuple(masks), cards.low, cards.high, deadline)
        return Part(cards, whole, {}, ((whole, 1),), used) if whole.vectors else None
    numbers = Counter(masks)
    singles = {mask: _single_card(mask, constraint.players) for mask in numbers}
    factors = tuple((singles[mask], number) for mask, number in numbers.items())
    return Part(cards, None, singles, factors, used)


def _single_card(mask: int, players: int) -> SetWays:
    high = tuple([mask >> player & 1 for player in range(players)])
    return set_ways((mask,), (0,) * players, high)


@dataclass(frozen=True, slots=True)
class Residue:
    """The factors that remain, each with how often; `hands` are the cards to come from them."""

    hands: Vector
    parts: tuple[Part, ...]
    factors: dict[SetWays, int]


def residue(
    problem: DealProblem, keep: int | None = None, deadline: Deadline = NEVER
) -> Residue | None:
    """Take away what is certain; return None when plainly no deal satisfies the problem.

    Other infeasible problems are left for the count to discover. The set `keep` becomes one factor
    even if no bound matters in it. Raises `LimitError` for a set with too many count vectors.
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
            deadline.left()
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
            SetConstraint.trusted(part.cards.masks, constraint.low, constraint.high)
            for part, constraint in zip(parts, sets, strict=True)
        )
    factors: dict[SetWays, int] = {}
    for part in parts:
        for ways, times in part.factors:
            factors[ways] = factors.get(ways, 0) + times
    for ways, times in factors.items():
        for player, least in enumerate(ways.base):
            hands[player] -= least * times
    if min(hands) < 0:
        return None
    return Residue(tuple(hands), tuple(parts), factors)


def least_lanes(problem: DealProblem) -> tuple[int, int]:
    """Bound the exponent vectors and the bytes of a polynomial from below, without vectors.

    The bounds are 0 where they are not known, or where no polynomial may be needed: fewer than two
    different factors that can be dealt in several ways. For feasible problems.
    """
    sets, full = problem.sets, 0
    while True:
        hands, used = list(problem.hands), 0
        opens = []
        for constraint in sets:
            cards = opened(constraint, full)
            if cards is None:
                return 0, 0
            opens.append(cards)
            for card in cards.opens:
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
            SetConstraint.trusted(cards.masks, constraint.low, constraint.high)
            for cards, constraint in zip(opens, sets, strict=True)
        )
    moving: set[object] = set()
    ways = 1
    for cards in opens:
        masks = [cards.masks[card] for card in cards.opens]
        if not cards.bounded:
            moving.update(masks)
            for mask in masks:
                ways *= mask.bit_count()
            continue
        loose = list(cards.high) == ownable(masks, len(hands))
        # The fewest cards: with owners alone in the way, no more than must be.
        fewest = cards.low if loose else _fewest(Counter(masks), cards.low, cards.high)
        if sum(fewest) < len(masks):
            moving.add((tuple(masks), cards.low, cards.high))
        hands = [max(0, hand - number) for hand, number in zip(hands, fewest, strict=True)]
    if len(moving) < 2:
        return 0, 0
    lanes = prod(hand + 1 for hand in hands) // (max(hands) + 1)
    return lanes, lanes * max(1, -(-ways.bit_length() // 8))


def _fewest(classes: Counter[int], low: Vector, high: Vector) -> Vector:
    """Return per player a number of cards of a set that they hold in every deal, at least.

    The others take what they can, one class of cards after another, those with few owners first.
    """
    fewest = []
    ordered = sorted(classes.items(), key=lambda item: item[0].bit_count())
    for player, least in enumerate(low):
        room = list(high)
        room[player] = remaining = 0
        for mask, number in ordered:
            for other in players_in(mask):
                taken = min(number, room[other])
                room[other] -= taken
                number -= taken
            remaining += number
        fewest.append(max(least, remaining))
    return tuple(fewest)
