"""Disjoint threes by backtracking: always decide the card with the fewest threes left."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from quaternity.errors import LimitError
from quaternity.ternary.cards import CARDS
from quaternity.ternary.checksum import NOTHING, checksum, excludes
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import bits_of, cards_in
from quaternity.ternary.triples import Triple, triples

NODES = 200_000
"""Most nodes of the search tree; beyond, half a minute has passed."""


def pack(
    table: Sequence[int], rule: Rule, count: int, random: Random | None = None
) -> tuple[Triple, ...] | None:
    """`count` disjoint threes of a table, or None if there are no so many.

    Args:
        random: decides the order in which threes are tried; None is a fixed order.

    Some hundred nodes on most tables of any size, since `checksum` refutes most dead ends at once.

    Raises:
        LimitError: the search has taken `NODES` nodes.
    """
    search = _Search(table, rule, random)
    found = search.run(bits_of(table), count, checksum(table), search.threes)
    return None if found is None else tuple(reversed(found))


class _Three(NamedTuple):
    """A three of the table, and the same as a set of bits."""

    cards: Triple
    bits: int


class _Search:
    """The search on one table: what does not change from node to node."""

    def __init__(self, table: Sequence[int], rule: Rule, random: Random | None) -> None:
        self._rule, self._nodes = rule, 0
        self._cards = list(table)
        self.threes = [_Three(three, bits_of(three)) for three in triples(table, rule)]
        if random is not None:
            random.shuffle(self._cards)
            random.shuffle(self.threes)

    def run(self, live: int, count: int, total: int, threes: list[_Three]) -> list[Triple] | None:
        """`count` disjoint threes among the live cards, the deepest first.

        Args:
            total: the checksum of the live cards.
            threes: all threes of live cards, and perhaps more.
        """
        self._nodes += 1
        if self._nodes > NODES:
            raise LimitError(
                f"{len(self._cards)} cards: no answer about {count} disjoint threes "
                f"within {NODES} nodes of the search"
            )
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
                found = self.run(live & ~three.bits, count - 1, total, threes)
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
