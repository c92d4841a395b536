"""Two methods that find disjoint threes on a table, or divide all its cards into threes.

A *three* is three cards that belong together.

- *Search* decides, at each step, how to use the card with the fewest threes left.
- *CP-SAT* has a Boolean variable for each three, which is true if the three is used, and one for
  each card, which is true if the card is left over. Each card is in exactly one used three or left
  over, and the number of cards left over is fixed. The model also contains the sums of the digits
  of the cards left over (`checksum`). Without them, tables of 42 cards take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from quaternity.base.validation import lookup
from quaternity.ternary.best import Incumbent, start_record
from quaternity.ternary.cards import CARDS, digits_of
from quaternity.ternary.checksum import NOTHING, checksum, excludes
from quaternity.ternary.tables import Rule, bits_of, cards_in, check_table
from quaternity.ternary.triples import Triple, triples

MAX_NODES = 200_000
"""Maximum number of nodes that a search without a time limit visits, in about half a minute."""


def pack_by_search(
    table: Sequence[int], rule: Rule, count: int, best: Incumbent[Triple]
) -> tuple[Triple, ...] | None:
    """Return `count` disjoint threes of a table. Return None if the table contains fewer.

    A three is three cards that belong together. `best` keeps the most threes found so far. It also
    contains the time limit, and the random generator that decides the search order. Without a time
    limit, a search of more than `MAX_NODES` nodes raises a `LimitError`.
    """
    search = _Search(table, rule, best)
    packing = search.run(bits_of(table), count, checksum(table), search.threes)
    return None if packing is None else tuple(reversed(packing))


class _Three(NamedTuple):
    """Three cards of the table that belong together, and the same as a bit set."""

    cards: Triple
    bits: int


class _Search:
    def __init__(self, table: Sequence[int], rule: Rule, best: Incumbent[Triple]) -> None:
        self._rule, self._nodes, self._best = rule, 0, best
        self._taken: list[Triple] = []
        self._cards = list(table)
        self.threes = [_Three(three, bits_of(three)) for three in triples(table, rule)]
        if best.random is not None:
            best.random.shuffle(self._cards)
            best.random.shuffle(self.threes)

    def run(self, live: int, count: int, total: int, threes: list[_Three]) -> list[Triple] | None:
        """Return `count` disjoint threes of the cards in the bit set `live`, or None if impossible.

        A three is three cards that belong together. `total` is the checksum of the cards. `threes`
        contains at least all threes of these cards. The result begins with the last choice.
        """
        self._nodes += 1
        self._best.limit(self._nodes, MAX_NODES)
        if len(self._taken) > self._best.size:
            self._best.improve(tuple(self._taken))
        if excludes(live, count, total, self._rule):
            return None
        if count == 0:
            return []
        spare = live.bit_count() - 3 * count
        if spare == 1:
            # If one card is left over, it is the checksum of the live cards.
            live, spare, total = live & ~(1 << total), 0, NOTHING
        threes = [three for three in threes if three.bits & live == three.bits]
        card = self._scarcest(live, threes)
        for three in threes:
            if three.bits >> card & 1:
                self._taken.append(three.cards)
                packing = self.run(live & ~three.bits, count - 1, total, threes)
                self._taken.pop()
                if packing is not None:
                    packing.append(three.cards)
                    return packing
        if spare:
            others = live & ~(1 << card)
            return self.run(others, count, checksum(cards_in(others)), threes)
        return None

    def _scarcest(self, live: int, threes: list[_Three]) -> int:
        counts = [0] * CARDS
        for (first, second, last), _ in threes:
            counts[first] += 1
            counts[second] += 1
            counts[last] += 1
        return min((card for card in self._cards if live >> card & 1), key=counts.__getitem__)


SECONDS = 60.0
"""Default time limit of one CP-SAT search, in seconds. Most searches take 0.01 to 0.1 seconds."""


def pack_by_cp_sat(
    table: Sequence[int], rule: Rule, count: int, best: Incumbent[Triple]
) -> tuple[Triple, ...] | None:
    """Return `count` disjoint threes of a table, found by CP-SAT, or None if there are fewer.

    A three is three cards that belong together. The arguments are those of `pack_by_search`.

    Raises:
        SolverTimeout: If the time limit is reached.
    """
    from ortools.sat.python import cp_model

    left_over = len(table) - 3 * count
    if left_over < 0:
        return None
    threes = triples(table, rule)
    if best.random is not None:
        threes = tuple(best.random.sample(threes, len(threes)))
    model = cp_model.CpModel()
    taken = {three: model.new_bool_var("") for three in threes}
    unused = {card: model.new_bool_var("") for card in table}
    with_card = {card: [unused[card]] for card in table}
    for three, variable in taken.items():
        for card in three:
            with_card[card].append(variable)
    for choices in with_card.values():
        model.add_exactly_one(choices)
    model.add(sum(unused.values()) == left_over)
    for place, digit in enumerate(digits_of(checksum(table))):
        sum_left = sum(digits_of(card)[place] * unused[card] for card in table)
        model.add(sum_left == digit + 3 * model.new_int_var(-1, len(table), ""))
    solver = best.run_cp_sat(
        model, SECONDS,
        lambda: f"CP-SAT did not decide in time whether {len(table)} cards contain {count} "
        f"{rule.three}s without a common card; {best}",
    )  # fmt: skip
    if solver is None:
        return None
    return tuple(sorted(three for three, variable in taken.items() if solver.value(variable)))


def most_disjoint(
    table: Iterable[int],
    rule: Rule | str,
    method: str = "search",
    *,
    seconds: float | None = None,
    random: Random | None = None,
    best: Incumbent[Triple] | None = None,
) -> tuple[Triple, ...]:
    """Return as many disjoint threes as possible from the cards on a table, in ascending order.

    A three is three cards that belong together, as the rule says.

    Args:
        seconds: a time limit that replaces the method's own limit.
        random: chooses among the answers. If it is None, the answer is always the same.
        best: record of the largest answer found so far and of the bound. It can also be read after
            a limit or an interrupt has ended the search.

    Raises:
        LimitError: If a limit is reached. The message says what has been found.

    >>> most_disjoint([0, 1, 2, 40, 80], Rule.SET)
    ((0, 1, 2),)
    """
    cards, rule, pack = check_table(table), Rule(rule), lookup(PACKING_METHODS, method)
    best = start_record(
        best, len(cards) // 3, lambda packing: _is_packing(packing, cards, rule), seconds, random
    )
    best.improve(_greedy(triples(cards, rule), best.random))
    while not best.proved:
        packing = pack(cards, rule, best.bound, best)
        if packing is None:
            best.lower(best.bound - 1)
        else:
            best.improve(packing)
    return tuple(sorted(best.found))


def _greedy(threes: Sequence[Triple], random: Random | None) -> tuple[Triple, ...]:
    taken: list[Triple] = []
    used: set[int] = set()
    for three in threes if random is None else random.sample(threes, len(threes)):
        if used.isdisjoint(three):
            taken.append(three)
            used.update(three)
    return tuple(taken)


def _is_packing(packing: Sequence[Triple], cards: Sequence[int], rule: Rule) -> bool:
    used = [card for three in packing for card in three]
    return len(set(used)) == len(used) and set(packing) <= set(triples(cards, rule))


def partition(
    table: Iterable[int],
    rule: Rule | str,
    random: Random | None = None,
    method: str = "search",
    *,
    seconds: float | None = None,
) -> tuple[Triple, ...] | None:
    """Divide the cards of a table into threes. Return None if this is impossible.

    A three is three cards that belong together. The arguments and possible errors are the same as
    for `most_disjoint`. With `random`, every partition is possible, but not all are equally likely.

    >>> partition([0, 1, 2, 3, 40, 77], Rule.SET), partition([0, 1, 2, 40, 60, 80], Rule.SET)
    (((0, 1, 2), (3, 40, 77)), None)
    """
    cards, rule, pack = check_table(table), Rule(rule), lookup(PACKING_METHODS, method)
    count, remainder = divmod(len(cards), 3)
    record: Incumbent[Triple] = start_record(
        None, count, lambda packing: _is_packing(packing, cards, rule), seconds, random
    )
    if remainder:
        return None
    packing = pack(cards, rule, count, record)
    return None if packing is None else tuple(sorted(packing))


Pack = Callable[[Sequence[int], Rule, int, Incumbent[Triple]], tuple[Triple, ...] | None]
"""Function that takes a table, a rule, a number `count` and an `Incumbent` with the limits of the
search. It returns `count` disjoint threes (three cards that belong together), or None if there are
fewer."""

PACKING_METHODS: Mapping[str, Pack] = {
    "search": pack_by_search,
    "cp-sat": pack_by_cp_sat,
}
"""Methods for finding disjoint threes (three cards that belong together), the default first."""
