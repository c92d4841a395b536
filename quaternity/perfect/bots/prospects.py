"""How a state looks for each player: at exact chances, or at a glance.

A player's *prospects* are a point for each completed set, for a set in play the square of the share
of it that they can expect to hold, and a little for being on turn. So cards of one set are worth
more together, and what a player might still hold is worth something until it is ruled out.
"""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.game.state import State
from quaternity.perfect.keys.canonical import Coding, Key, Parts
from quaternity.perfect.keys.kinds import NumberedKind
from solvers.counting import chances
from solvers.problem import DealProblem

TURN = 0.25
"""What being on turn is worth, in completed sets."""

Prospects = tuple[float, ...]
"""Per role, in completed sets."""


def exact_prospects(code: Coding, key: Key) -> Prospects:
    """Return the prospects in a canonical state, all deals that fit being equally likely.

    Cost: one count of the deals, a tenth of a millisecond in small games.
    """
    parts = code.parts(key)
    sets = [code.book.numbered(number).constraint for number in parts.kinds]
    worths = []
    for cards in chances(DealProblem(parts.hands, sets)) if sets else ():
        shares = [sum(column) / len(cards) for column in zip(*cards, strict=True)]
        worths.append([share * share for share in shares])
    return _together(parts, worths)


def rough_prospects(code: Coding, key: Key, known: dict[int, Prospects]) -> Prospects:
    """Return the prospects with every card shared evenly among its owners, whatever the hands.

    `known` keeps what each kind of set is worth. Cost: two microseconds.
    """
    parts = code.parts(key)
    for number in parts.kinds:
        if number not in known:
            known[number] = _worth(code.book.numbered(number))
    return _together(parts, [known[number] for number in parts.kinds])


def _worth(kind: NumberedKind) -> Prospects:
    """Return what one kind of set adds to each role's prospects."""
    return _even_worth(kind.masks, kind.low)


def _even_worth(masks: Sequence[int], low: Sequence[int]) -> Prospects:
    shares = []
    for player, least in enumerate(low):
        share = sum([1 / mask.bit_count() for mask in masks if mask >> player & 1])
        shares.append(max(share, least) / len(masks))
    return tuple([share * share for share in shares])


def many_prospects(state: State) -> Prospects:
    """Return the rough prospects per player, without canonical states: any number may play.

    Cost: what a state takes to say who may own what.
    """
    values = [float(points) for points in state.points]
    for constraint in state.closed().sets:
        for player, worth in enumerate(
            _even_worth(constraint.owners, constraint.low) if constraint.owners else ()
        ):
            values[player] += worth
    if not state.is_over and state.turn is not None:
        values[state.turn] += TURN
    return tuple(values)


def _together(parts: Parts, worths: Sequence[Sequence[float]]) -> Prospects:
    values = [float(points) for points in parts.points]
    for worth in worths:
        for role, value in enumerate(worth):
            values[role] += value
    if worths and parts.place < len(values):
        values[0] += TURN
    return tuple(values)


def ahead(values: Prospects, role: int) -> float:
    """Return how far a role is ahead of the best of the others."""
    return values[role] - max([value for other, value in enumerate(values) if other != role])
