"""Who asks next."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from quaternity.game.settings import TieBreak


def next_turn(
    first: int,
    second: int,
    hands: Sequence[int],
    completed: Sequence[int | None],
    tie_break: TieBreak,
    seed: int,
) -> int:
    """Who asks next, of the players who have cards left.

    Args:
        first: the asker after yes, the asked after no.
        second: the other one, who is on turn if the first has no cards.
        hands: per player the cards in hand.
        completed: per set who completed it.
        tie_break: the rule where neither has cards.
        seed: of the rule's chance.

    Returns:
        A player; `first` when nobody has cards.
    """
    if hands[first]:
        return first
    if hands[second]:
        return second
    able = [player for player, hand in enumerate(hands) if hand]
    if not able:
        return first
    if tie_break is TieBreak.FIRST_IN_ORDER:
        return able[0]

    def rank(player: int) -> tuple[int, int]:
        return completed.count(player), hands[player]

    least = min(map(rank, able))
    tied = [player for player in able if rank(player) == least]
    # Seeded by the position, so that replaying a record gives the same players.
    return Random(f"{seed} {tuple(completed)} {tuple(hands)}").choice(tied)


__all__ = ["next_turn"]
