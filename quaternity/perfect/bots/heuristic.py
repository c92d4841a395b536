"""Heuristic evaluation of states: the prospects of each player, exact or roughly estimated.

The *prospects* of a player are a sum: one point for each completed set, a value for each set in
play, and a small bonus for the player to move. The value of a set is the square of the share of its
cards that the player can expect to hold. So two cards of the same set are worth more than two cards
of different sets.
"""

from __future__ import annotations

from collections.abc import Sequence

from quaternity.game.state import State
from quaternity.perfect.keys.canonical import Key, KeyCodec, StateParts
from quaternity.perfect.keys.kinds import NumberedKind
from solvers.counting import chances
from solvers.problem import DealProblem

TURN = 0.25
"""Bonus that is added to the prospects of the player to move. A completed set counts as 1."""

Prospects = tuple[float, ...]
"""Heuristic value of a state for each role (number of a player in the canonical state)."""


def exact_prospects(code: KeyCodec, key: Key) -> Prospects:
    """Return the prospects of each player in a state, from their exact chances to own cards.

    The result is listed by role. A role is the number of a player in a canonical state. All deals
    count as equally likely. Counting them takes a tenth of a millisecond in small games.
    """
    parts = code.parts(key)
    sets = [code.book.by_number(number).constraint for number in parts.kinds]
    worths = []
    for cards in chances(DealProblem(parts.hands, sets)) if sets else ():
        shares = [sum(column) / len(cards) for column in zip(*cards, strict=True)]
        worths.append([share * share for share in shares])
    return _add_up(parts, worths)


def rough_prospects(code: KeyCodec, key: Key, known: dict[int, Prospects]) -> Prospects:
    """Return a rough but fast estimate of the prospects of each player in a state.

    The result is listed by role, as in `exact_prospects`. All possible owners of a card count as
    equally likely, and the sizes of the hands are ignored. `known` is a cache with the estimates
    for single sets. The function adds those that are missing.
    """
    parts = code.parts(key)
    for number in parts.kinds:
        if number not in known:
            known[number] = _worth(code.book.by_number(number))
    return _add_up(parts, [known[number] for number in parts.kinds])


def _worth(kind: NumberedKind) -> Prospects:
    return _even_worth(kind.masks, kind.low)


def _even_worth(masks: Sequence[int], low: Sequence[int]) -> Prospects:
    shares = []
    for player, least in enumerate(low):
        share = sum([1 / mask.bit_count() for mask in masks if mask >> player & 1])
        shares.append(max(share, least) / len(masks))
    return tuple([share * share for share in shares])


def many_prospects(state: State) -> Prospects:
    """Return a rough estimate of the prospects of each player, in the order of the players.

    This also works if there are too many players for a canonical state.
    """
    values = [float(points) for points in state.points]
    for constraint in state.filtered_problem().sets:
        for player, worth in enumerate(
            _even_worth(constraint.owners, constraint.low) if constraint.owners else ()
        ):
            values[player] += worth
    if not state.is_over and state.turn is not None:
        values[state.turn] += TURN
    return tuple(values)


def _add_up(parts: StateParts, worths: Sequence[Sequence[float]]) -> Prospects:
    values = [float(points) for points in parts.points]
    for worth in worths:
        for role, value in enumerate(worth):
            values[role] += value
    if worths and parts.place < len(values):
        values[0] += TURN
    return tuple(values)


def lead(values: Prospects, role: int) -> float:
    """Return the prospects of a player (a role) minus those of the best other player."""
    return values[role] - max([value for other, value in enumerate(values) if other != role])
