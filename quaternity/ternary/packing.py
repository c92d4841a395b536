"""Most disjoint threes of a table, and tables that fall into threes; two methods, one door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from quaternity.errors import InputError
from quaternity.ternary import packing_by_cp_sat, packing_by_search
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import check_table
from quaternity.ternary.triples import Triple

Pack = Callable[[Sequence[int], Rule, int, Random | None], tuple[Triple, ...] | None]
"""`count` disjoint threes of a table, or None; the generator is for the order of trying."""

PACKING_METHODS: Mapping[str, Pack] = {
    "search": packing_by_search.pack,
    "cp-sat": packing_by_cp_sat.pack,
}
"""Every method by name, the default first."""


def most_disjoint(table: Iterable[int], rule: Rule, method: str = "search") -> tuple[Triple, ...]:
    """As many disjoint threes of a table as there can be, in order.

    Numbers of threes are tried downwards from a third of the table; the first that is possible is
    the answer, and all above it are proved impossible. A tenth of a second, mostly, for any size.

    Raises:
        InputError: see `check_table`; there is no such method.
        LimitError: the method reached its limit (see `packing_by_search`, `packing_by_cp_sat`).

    >>> most_disjoint([0, 1, 2, 40, 80], Rule.SET)
    ((0, 1, 2),)
    """
    cards, pack = check_table(table), _method(method)
    count = len(cards) // 3
    while (found := pack(cards, rule, count, None)) is None:
        count -= 1
    return tuple(sorted(found))


def partition(
    table: Iterable[int], rule: Rule, random: Random | None = None, method: str = "search"
) -> tuple[Triple, ...] | None:
    """The cards of a table as disjoint threes, without a rest; None if that is impossible.

    Args:
        random: chooses among the partitions, not all with the same chance (the search may come
            to every one); None gives always the same one.

    The whole deck falls into 27 threes under either rule: 0.05 s by search, 0.2 s by CP-SAT.

    Raises:
        InputError: see `check_table`; there is no such method.
        LimitError: the method reached its limit.

    >>> partition([0, 1, 2, 40, 60, 80], Rule.SET), partition([0, 1, 2, 40], Rule.SET)
    (None, None)
    >>> partition([0, 1, 2, 3, 40, 77], Rule.SET)
    ((0, 1, 2), (3, 40, 77))
    """
    cards, pack = check_table(table), _method(method)
    if len(cards) % 3:
        return None
    found = pack(cards, rule, len(cards) // 3, random)
    return None if found is None else tuple(sorted(found))


def _method(name: str) -> Pack:
    if name not in PACKING_METHODS:
        raise InputError(f"no method {name!r}; there are {', '.join(PACKING_METHODS)}")
    return PACKING_METHODS[name]


__all__ = ["PACKING_METHODS", "Pack", "most_disjoint", "partition"]
