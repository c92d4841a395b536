"""Most disjoint threes of a table, and tables that fall into threes; two methods, one door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from quaternity.ternary import packing_by_cp_sat, packing_by_search
from quaternity.ternary.best import Best, begun
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import check_table
from quaternity.ternary.triples import Triple, triples
from solvers.plain_values import named

Pack = Callable[[Sequence[int], Rule, int, Best[Triple]], tuple[Triple, ...] | None]
"""`count` disjoint threes of a table, or None; the record has the generator and the limits."""

PACKING_METHODS: Mapping[str, Pack] = {
    "search": packing_by_search.pack,
    "cp-sat": packing_by_cp_sat.pack,
}
"""Every method by name, the default first."""


def most_disjoint(
    table: Iterable[int],
    rule: Rule | str,
    method: str = "search",
    *,
    seconds: float | None = None,
    random: Random | None = None,
    best: Best[Triple] | None = None,
) -> tuple[Triple, ...]:
    """As many disjoint threes of a table as there can be, in order.

    Args:
        seconds: a time limit in the place of the method's own.
        random: chooses among the answers; None gives always the same one.
        best: is kept at the most threes found and the bound proved, also where a limit or an
            interrupt ends the search.

    Numbers of threes are tried downwards from a third of the table; the first that is possible is
    the answer, and all above it are proved impossible. A tenth of a second, mostly, for any size.

    Raises:
        InputError: see `check_table`; there is no such rule or method; a bad time limit.
        LimitError: a limit was reached (see `packing_by_search`, `packing_by_cp_sat`); the text
            says what was found.

    >>> most_disjoint([0, 1, 2, 40, 80], Rule.SET)
    ((0, 1, 2),)
    """
    cards, rule, pack = check_table(table), Rule(rule), named(PACKING_METHODS, method)
    best = begun(
        best, len(cards) // 3, lambda found: _is_packing(found, cards, rule), seconds, random
    )
    best.improve(_greedy(triples(cards, rule), best.random))
    while not best.proved:
        found = pack(cards, rule, best.bound, best)
        if found is None:
            best.lower(best.bound - 1)
        else:
            best.improve(found)
    return tuple(sorted(best.found))


def _greedy(threes: Sequence[Triple], random: Random | None) -> tuple[Triple, ...]:
    """Disjoint threes, each the first that is left."""
    taken: list[Triple] = []
    used: set[int] = set()
    for three in threes if random is None else random.sample(threes, len(threes)):
        if used.isdisjoint(three):
            taken.append(three)
            used.update(three)
    return tuple(taken)


def _is_packing(found: Sequence[Triple], cards: Sequence[int], rule: Rule) -> bool:
    used = [card for three in found for card in three]
    return len(set(used)) == len(used) and set(found) <= set(triples(cards, rule))


def partition(
    table: Iterable[int],
    rule: Rule | str,
    random: Random | None = None,
    method: str = "search",
    *,
    seconds: float | None = None,
) -> tuple[Triple, ...] | None:
    """The cards of a table as disjoint threes, without a rest; None if that is impossible.

    Args:
        random: chooses among the partitions, not all with the same chance (the search may come
            to every one); None gives always the same one.
        seconds: a time limit in the place of the method's own.

    The whole deck falls into 27 threes under either rule: 0.05 s by search, 0.2 s by CP-SAT.

    Raises:
        InputError: see `check_table`; there is no such rule or method; a bad time limit.
        LimitError: a limit was reached.

    >>> partition([0, 1, 2, 40, 60, 80], Rule.SET), partition([0, 1, 2, 40], Rule.SET)
    (None, None)
    >>> partition([0, 1, 2, 3, 40, 77], Rule.SET)
    ((0, 1, 2), (3, 40, 77))
    """
    cards, rule, pack = check_table(table), Rule(rule), named(PACKING_METHODS, method)
    count, rest = divmod(len(cards), 3)
    record: Best[Triple] = begun(
        None, count, lambda found: _is_packing(found, cards, rule), seconds, random
    )
    if rest:
        return None
    found = pack(cards, rule, count, record)
    return None if found is None else tuple(sorted(found))


__all__ = ["PACKING_METHODS", "Pack", "most_disjoint", "partition"]
