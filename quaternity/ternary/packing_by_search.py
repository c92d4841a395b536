"""Disjoint threes by backtracking: always decide the card with the fewest threes left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quaternity.ternary.best import Best
from quaternity.ternary.cards import CARDS
from quaternity.ternary.checksum import NOTHING, checksum, excludes
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import bits_of, cards_in
from quaternity.ternary.triples import Triple, triples

NODES = 200_000
"""Most nodes of the search tree without a time limit; beyond, half a minute has passed."""


def pack(
    table: Sequence[int], rule: Rule, count: int, best: Best[Triple] | None = None
) -> tuple[Triple, ...] | None:
    """`count` disjoint threes of a table, or None if there are fewer.

    Args:
        best: is told more threes than it has; has the time limit, and the generator that decides
            the order in which threes are tried, if any.

    Some hundred nodes on most tables of any size, since `checksum` refutes most dead ends at once.

    Raises:
        LimitError: the search has taken `NODES` nodes, or the time is up.
    """
    search = _Search(table, rule, Best() if best is None else best)
    found = search.run(bits_of(table), count, checksum(table), search.threes)
    return None if found is None else tuple(reversed(found))


class _Three(NamedTuple):
    """A three of the table, and the same as a set of bits."""

    cards: Triple
    bits: int


class _Search:
    """The search on one table: what does not change from node to node."""

    def __init__(self, table: Sequence[int], rule: Rule, best: Best[Triple]) -> None:
        self._rule, self._nodes, self._best = rule, 0, best
        self._taken: list[Triple] = []
        self._cards = list(table)
        self.threes = [_Three(three, bits_of(three)) for three in triples(table, rule)]
        if best.random is not None:
            best.random.shuffle(self._cards)
            best.random.shuffle(self.threes)

    def run(self, live: int, count: int, total: int, threes: list[_Three]) -> list[Triple] | None:
        """`count` disjoint threes among the live cards, the deepest first.

        Args:
            total: the checksum of the live cards.
            threes: all threes of live cards, and perhaps more.
        """
        self._nodes += 1
        self._best.limit(self._nodes, NODES)
        if len(self._taken) > self._best.size:
            self._best.improve(tuple(self._taken))
        if excludes(live, count, total, self._rule):
            return None
        if count == 0:
            return []
        left = live.bit_count() - 3 * count
        if left == 1:
            # The checksum names the card that stays.
            live, left, total = live & ~(1 << total), 0, NOTHING
        threes = [three for three in threes if three.bits & live == three.bits]
        card = self._scarcest(live, threes)
        for three in threes:
            if three.bits >> card & 1:
                self._taken.append(three.cards)
                found = self.run(live & ~three.bits, count - 1, total, threes)
                self._taken.pop()
                if found is not None:
                    found.append(three.cards)
                    return found
        if left:
            rest = live & ~(1 << card)
            return self.run(rest, count, checksum(cards_in(rest)), threes)
        return None

    def _scarcest(self, live: int, threes: list[_Three]) -> int:
        """The live card that is in the fewest of the threes."""
        often = [0] * CARDS
        for (first, second, last), _ in threes:
            often[first] += 1
            often[second] += 1
            often[last] += 1
        return min((card for card in self._cards if live >> card & 1), key=often.__getitem__)


__all__ = ["NODES", "pack"]
