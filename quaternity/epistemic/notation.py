"""Short names for writing formulas in Python, as they are written in the logic.

>>> print(K(1, H(4, "8/4")) & ~C(H(0, "8/0") >> P(H(1, "8/1"))))
K1 H4 8/4 & !C (H0 8/0 -> P H1 8/1)
>>> print(H(2, "0/1").announce(D({2, 1}, H(3, "0/0"))) | U(1, 4, 1))
[H2 0/1!] D{1,2} H3 0/0 | U1(4)=1
"""

from __future__ import annotations

from collections.abc import Iterable

from quaternity.epistemic.formula import (
    FALSE,
    TRUE,
    Common,
    Distributed,
    Everywhere,
    Formula,
    Holds,
    Knows,
    Unknown,
    every,
    some,
)
from quaternity.game.cards import Card
from solvers.plain_values import iterated

K, C, P = Knows, Common, Everywhere


def H(player: int, card: Card | str) -> Holds:  # noqa: N802 - the operator's name in the logic
    """`H(4, "8/4")`: the player holds the card, given as a `Card` or as text."""
    return Holds(player, Card.parse(card) if isinstance(card, str) else card)


def D(players: Iterable[int], part: Formula) -> Distributed:  # noqa: N802 - as in the logic
    """`D({1, 2}, f)`: distributed knowledge of some players."""
    return Distributed(tuple(iterated(players, "players")), part)


def U(knower: int, owner: int, count: int) -> Unknown:  # noqa: N802 - as in the logic
    """`U(1, 4, 2)`: player 1 does not know exactly 2 of the cards of player 4."""
    return Unknown(knower, owner, count)


__all__ = ["FALSE", "TRUE", "C", "D", "H", "K", "P", "U", "every", "some"]
