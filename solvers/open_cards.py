"""One set without its certain cards: what its owners and bounds settle by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from solvers.problem import SetConstraint, players_in
from solvers.set_ways import Vector


class OpenSet(NamedTuple):
    """One set without its certain cards.

    Attributes:
        owner: per card, its certain owner, or -1 for an open card.
        masks: per card, the players who may own it: one player where it is certain.
        certain: per player, the number of certain cards.
        low, high: the bounds on open cards; `high` at most the cards one may own.
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
    """Take the certain cards out of a set; None when it is plain that no deal can be.

    A card is certain when it has one possible owner, or when somebody needs every card that he may
    own; a player whose upper bound is reached owns no open card.

    Args:
        full: mask of players who have no room for open cards. Cards that are certain without this
            knowledge are still theirs.
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
                    who = owner[card] = mask.bit_length() - 1
                    certain[who] += 1
                    low[who] = max(0, low[who] - 1)
                    high[who] -= 1
            ownable = _ownable(masks, owner, players)
            needs_all, has_all = 0, barred
            for player, (least, most, number) in enumerate(zip(low, high, ownable, strict=True)):
                if most < 0 or least > min(most, number):
                    return None
                if number and least == number:
                    needs_all |= 1 << player
                if not most:
                    has_all |= 1 << player
            narrowed = [
                mask if who >= 0 else (mask & needs_all or mask & ~has_all)
                for mask, who in zip(masks, owner, strict=True)
            ]
            if narrowed == masks:
                break
            if any((mask & needs_all).bit_count() > 1 for mask in narrowed):
                return None
            masks = narrowed
    high = list(map(min, high, ownable))
    opens = sorted([card for card, who in enumerate(owner) if who < 0], key=masks.__getitem__)
    return OpenSet(
        tuple(owner), tuple(masks), tuple(certain), tuple(low), tuple(high),
        bounded=any(low) or high != ownable, opens=tuple(opens),
    )  # fmt: skip


def _ownable(masks: Sequence[int], owner: Sequence[int], players: int) -> list[int]:
    """Per player, the number of open cards that he may own."""
    ownable = [0] * players
    for mask, who in zip(masks, owner, strict=True):
        if who < 0:
            for player in players_in(mask):
                ownable[player] += 1
    return ownable


__all__ = ["OpenSet", "opened"]
