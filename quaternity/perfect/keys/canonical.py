"""Canonical states: one key for all states with the same future up to names.

A state is closed (every owner and every minimum is as tight as the surviving deals allow),
completed sets are dropped except for the points, cards are sorted within sets and sets within the
state, and the players get roles, the one on turn role 0, such that the key is the smallest
possible. The closed constraints and the surviving deals determine each other, so two states have
the same key exactly when names of cards, sets and players can be changed such that the surviving
deals, the points and the player on turn are the same.

One rule knows players apart: the tie-break `first-in-order`. While it can still matter (see
`Rules.order_matters`) the players who hold cards keep their order. Under `fewest-sets` with four or
more players chance may decide who is on turn; such a position has a key too, in which chance is on
turn. When all sets are completed nobody is on turn any more, and the points are all that counts.
(So 3-3-3 and 4-3-3 have three ends: 3-0-0, 2-1-0 and 1-1-1. Who keeps of a finished game who asked
last, and the points in the order of the seats from there, has six, 300 210 201 120 102 111, and
2,125 and 114,342 states in all instead of 2,122 and 114,339.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, permutations, product
from typing import NamedTuple

from quaternity.errors import InputError
from quaternity.game.state import State
from quaternity.perfect.keys.coding import Coding, Key, Parts, Rules, coding
from quaternity.perfect.keys.kinds import NumberedKind, Roles


class Canonical(NamedTuple):
    """A canonical state, and the way back to the real players.

    Attributes:
        key: see `quaternity.perfect.keys.coding`.
        roles: `roles[role]` is the real player; role 0 is on turn.
    """

    key: Key
    roles: Roles


def canonical(state: State) -> Canonical:
    """The canonical form of a state.

    Cost: per set a look-up, per order of the players that look alike a sort of the sets.

    Raises:
        InputError: the state is impossible, does not say who is on turn, or has upper bounds that
            no game brings about.
        LimitError: more than `quaternity.perfect.keys.kinds.MOST_PLAYERS` players.

    >>> from quaternity import Answer, Card, Question, Settings
    >>> state = State.start(Settings(set_size=2, sets=3, players=3))
    >>> one, two = (state.after(Question(0, asked, Card(1, 0)), Answer.NO) for asked in (1, 2))
    >>> canonical(one).key == canonical(two).key, canonical(one).roles, canonical(two).roles
    (True, (1, 0, 2), (2, 0, 1))
    """
    code = coding(Rules.of(state))
    kinds = closed_kinds(code, state)
    points = state.points
    if not kinds:
        return canonical_end(code, points)
    if state.turn is None:
        raise InputError("turn: missing, and needed for a canonical state")
    return canonical_form(code, kinds, state.problem.hands, points, state.turn)


def closed_kinds(code: Coding, state: State) -> list[NumberedKind]:
    """The closed sets of a state that are in play, in order.

    Raises:
        InputError: as in `canonical`.
    """
    slack = state.slack()
    if slack is None:
        raise InputError("the state is impossible, so it has no canonical form")
    book = code.book
    kinds = []
    for row in state.rows():
        owners, low, high = row.kind.looks
        if owners:
            if min(high) < len(owners):
                raise InputError("a canonical state knows no upper bounds below the set's size")
            kinds.append(book.kind(owners, low).closed(slack))
    return kinds


def canonical_form(
    code: Coding,
    kinds: Sequence[NumberedKind],
    hands: Sequence[int],
    points: Sequence[int],
    turn: int,
) -> Canonical:
    """The canonical form of closed sets in play, given with any names.

    Players are named in their order, where that matters.
    """
    if len(hands) >= 4 and code.rules.order_matters(hands):
        holding = [player for player, hand in enumerate(hands) if hand]
        bare = [player for player, hand in enumerate(hands) if not hand]
        bare.sort(key=points.__getitem__)
        others = [player for player in holding if player != turn]
        return _named(code, kinds, hands, points, [(turn, *others, *bare)], holding.index(turn))
    return _named(code, kinds, hands, points, _role_orders(hands, points, turn), 0)


def canonical_end(code: Coding, points: Sequence[int]) -> Canonical:
    """The canonical form of a finished game: its points, the best player as role 0."""
    players = len(points)
    best = max(range(players), key=points.__getitem__)
    return _named(code, (), (0,) * players, points, _role_orders((0,) * players, points, best), 0)


def canonical_chance(
    code: Coding,
    kinds: Sequence[NumberedKind],
    hands: Sequence[int],
    points: Sequence[int],
    tied: Iterable[int],
) -> Canonical:
    """The canonical form of a position in which chance chooses the next player among `tied`.

    Role 0 is one of them.
    """
    orders = chain.from_iterable(_role_orders(hands, points, player) for player in tied)
    return _named(code, kinds, hands, points, orders, len(hands))


def _role_orders(hands: Sequence[int], points: Sequence[int], first: int) -> Iterable[Roles]:
    """The orders that begin with `first` and give small keys: by hand, then by points.

    Players with equal hands and points come in every order, but without cards they look alike.
    """
    others = [player for player in range(len(hands)) if player != first]
    others.sort(key=lambda player: (hands[player], points[player]))
    groups: list[list[Roles]] = []
    start = 0
    for end in range(1, len(others) + 1):
        one = others[start]
        if end < len(others):
            other = others[end]
            if hands[one] == hands[other] and points[one] == points[other]:
                continue
        group = tuple(others[start:end])
        groups.append(list(permutations(group)) if hands[one] else [group])
        start = end
    for choice in product(*groups):
        yield (first, *chain.from_iterable(choice))


def _named(
    code: Coding,
    kinds: Sequence[NumberedKind],
    hands: Sequence[int],
    points: Sequence[int],
    orders: Iterable[Roles],
    place: int,
) -> Canonical:
    """The smallest form over some orders of the players."""
    best: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None = None
    best_roles: Roles = ()
    for roles in orders:
        form = (
            tuple([hands[player] for player in roles[1:]]),
            tuple([points[player] for player in roles[1:]]),
            tuple(sorted([kind.renamed(roles).number for kind in kinds])),
        )
        if best is None or form < best:
            best, best_roles = form, roles
    assert best is not None, "there is at least one order"
    first = best_roles[0]
    parts = Parts(place, (hands[first], *best[0]), (points[first], *best[1]), best[2])
    return Canonical(code.key(parts), best_roles)


__all__ = [
    "Canonical",
    "canonical",
    "canonical_chance",
    "canonical_end",
    "canonical_form",
    "closed_kinds",
]
