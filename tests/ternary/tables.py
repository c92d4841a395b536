"""Tables of cards for Hypothesis, and brute-force answers to questions about them."""

from collections.abc import Sequence
from itertools import combinations

from hypothesis import strategies as st

from quaternity.ternary import CARDS, Rule, triples

CARD = st.integers(0, CARDS - 1)
RULES = st.sampled_from(Rule)


def tables(min_size: int = 0, max_size: int = 12) -> st.SearchStrategy[list[int]]:
    """Return a strategy for different cards in any order."""
    return st.lists(CARD, min_size=min_size, max_size=max_size, unique=True)


def holds_no_three(cards: Sequence[int], rule: Rule) -> bool:
    """Return whether no three cards belong together, by comparing attribute by attribute."""
    return not any(belongs(three, rule) for three in combinations(cards, 3))


def belongs(three: Sequence[int], rule: Rule) -> bool:
    """Return whether three cards belong together, by counting the values of each attribute."""
    allowed = {3} if rule is Rule.TRIPLE else {1, 3}
    return all(len({card // place % 3 for card in three}) in allowed for place in (1, 3, 9, 27))


def most_without_three(table: list[int], rule: Rule) -> int:
    """Return the size of a largest part without a three, by trying all parts."""
    threes = [set(three) for three in triples(table, rule)]
    for size in range(len(table), -1, -1):
        for part in combinations(table, size):
            if not any(three.issubset(part) for three in threes):
                return size
    raise AssertionError("the empty part has no three")


def most_disjoint_threes(table: list[int], rule: Rule) -> int:
    """Return the size of a largest packing, by trying all choices of threes."""
    threes = triples(table, rule)

    def best(start: int, used: frozenset[int]) -> int:
        largest = 0
        for place in range(start, len(threes)):
            if used.isdisjoint(threes[place]):
                largest = max(largest, 1 + best(place + 1, used.union(threes[place])))
        return largest

    return best(0, frozenset())
