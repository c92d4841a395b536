"""A deal problem as linear rows over named booleans: what all formats of solvers are written from.

`card_3_1_of_player_2` is 1 where player 2 owns card 1 of set 3; there is such a boolean for every
player who may own a card. Every row bounds a plain sum of them:

    owner_of_card_3_1       one owner                                    = 1
    hand_of_player_2        the cards of a hand                          = the hand
    set_3_of_player_2       the cards of a set, where bounds matter      from low to high
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from solvers.problem import DealProblem, players_in
from solvers.verdict import Deal

NEVER = "never"
"""Stands where a row would have no boolean at all, and shall be 2: no deal, as it should be."""


class LinearRow(NamedTuple):
    """A plain sum of booleans between two bounds.

    Attributes:
        name: as in the module's table.
        terms: the numbers of the booleans, ascending.
        low, high: cut to what says the same, at most one more than there are terms. 0 and the
            number of terms forbid nothing. `low` may be above `high`.
    """

    name: str
    terms: tuple[int, ...]
    low: int
    high: int

    @property
    def sides(self) -> list[tuple[str, int]]:
        """What is to be written: `=`, or `>=` and `<=` where they forbid something."""
        if self.low == self.high:
            return [("=", self.low)]
        least = [(">=", self.low)] * (self.low > 0)
        return least + [("<=", self.high)] * (self.high < len(self.terms))


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Booleans by number, and rows over them: feasible if and only if the problem is."""

    names: tuple[str, ...]
    rows: tuple[LinearRow, ...]


def owner_row(set_index: int, card: int) -> str:
    """The name of the row of a card."""
    return f"owner_of_card_{set_index}_{card}"


def hand_row(player: int) -> str:
    """The name of the row of a hand."""
    return f"hand_of_player_{player}"


def bounds_row(set_index: int, player: int) -> str:
    """The name of the row of a player's share of a set."""
    return f"set_{set_index}_of_player_{player}"


def linear_model(problem: DealProblem) -> LinearModel:
    """The rows of a problem: of every card, of every hand, and of bounds that matter.

    Cost: cards x players + players x sets.
    """
    names: list[str] = []
    wanted: list[tuple[str, list[int], int, int]] = []
    hands: list[list[int]] = [[] for _ in problem.hands]
    for index, one in enumerate(problem.sets):
        shares: list[list[int]] = [[] for _ in problem.hands]
        for card, mask in enumerate(one.owners):
            start = len(names)
            for player in players_in(mask):
                shares[player].append(len(names))
                names.append(f"card_{index}_{card}_of_player_{player}")
            wanted.append((owner_row(index, card), list(range(start, len(names))), 1, 1))
        for player, share in enumerate(shares):
            hands[player] += share
            wanted.append((bounds_row(index, player), share, one.low[player], one.high[player]))
    for player, (terms, hand) in enumerate(zip(hands, problem.hands, strict=True)):
        wanted.append((hand_row(player), terms, hand, hand))
    rows = []
    never = len(names)
    for name, terms, low, high in wanted:
        if not terms and low > 0:
            rows.append(LinearRow(name, (never,), 2, 1))
            names[never:] = [NEVER]
        elif terms and (low > 0 or high < len(terms)):
            count = len(terms)
            rows.append(LinearRow(name, tuple(terms), min(low, count + 1), min(high, count)))
    if not names:  # which not all formats can say
        return LinearModel((NEVER,), (LinearRow("no_cards", (0,), 0, 0),))
    return LinearModel(tuple(names), tuple(rows))


def deal_of(problem: DealProblem, names: Iterable[str]) -> Deal:
    """The deal that a solver's answer says: the names of the booleans that are 1.

    Cards that the answer leaves out get player -1, which `verify` refuses.

    >>> from solvers.problem import SetConstraint
    >>> problem = DealProblem([1, 1], [SetConstraint.of([[0, 1], [0, 1]], players=2)])
    >>> deal_of(problem, ["card_0_0_of_player_1", "card_0_1_of_player_0"])
    <Deal 0: 0/1; 1: 0/0>
    """
    owner = [[-1] * one.size for one in problem.sets]
    for index, card, player in _named_cards(names):
        owner[index][card] = player
    return Deal(tuple(map(tuple, owner)))


def _named_cards(names: Iterable[str]) -> Iterator[tuple[int, int, int]]:
    for name in names:
        found = re.fullmatch(r"card_(\d+)_(\d+)_of_player_(\d+)", name)
        if found:
            yield int(found[1]), int(found[2]), int(found[3])


__all__ = [
    "NEVER", "LinearModel", "LinearRow", "bounds_row", "deal_of", "hand_row", "linear_model",
    "owner_row",
]  # fmt: skip
