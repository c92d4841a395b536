"""Largest collections without a three, of a table or of the whole deck; two methods, one door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from quaternity.errors import InputError, SolverFault
from quaternity.ternary import largest_by_cp_sat, largest_by_search
from quaternity.ternary.cards import CARDS
from quaternity.ternary.hyperplane import (
    DIRECTIONS,
    FRAME,
    HYPERPLANE,
    PARABOLOID,
    images,
    must_have_full_hyperplane,
)
from quaternity.ternary.packing import partition
from quaternity.ternary.rule import Rule
from quaternity.ternary.tables import WHOLE_DECK, check_table

LARGEST_IN_DECK: Mapping[Rule, int] = {Rule.TRIPLE: 54, Rule.SET: 20}
"""The size of the largest collections of all 81 cards; `largest_in_deck` proves it."""


class Largest(Protocol):
    """A largest part of a table without a three that includes `kept`; no more than `enough`."""

    def __call__(
        self, table: Sequence[int], rule: Rule, kept: Sequence[int] = (), enough: int = CARDS
    ) -> tuple[int, ...]: ...


class LargestMethod(NamedTuple):
    """A way to find largest parts.

    Attributes:
        largest: a largest part of a table.
        parts: all parts of a size that include some cards, as sets of bits.
    """

    largest: Largest
    parts: Callable[[Sequence[int], Rule, Sequence[int], int], Iterator[int]]


LARGEST_METHODS: Mapping[str, LargestMethod] = {
    "search": LargestMethod(largest_by_search.largest, largest_by_search.parts),
    "cp-sat": LargestMethod(largest_by_cp_sat.largest, largest_by_cp_sat.parts),
}
"""Every method by name, the default first."""


@dataclass(frozen=True, slots=True)
class DeckLimit:
    """A largest collection of the deck, and why there is no larger one.

    Attributes:
        cards: the collection, in order.
        reasons: the steps of the proof, in words; each that needs a search was searched.
    """

    cards: tuple[int, ...]
    reasons: tuple[str, ...]


def largest_free(table: Iterable[int], rule: Rule, method: str = "search") -> tuple[int, ...]:
    """A largest part of a table that holds no three of the rule, in order.

    Tables of any size under the rule `triple`, and of some 40 cards under `set`, take a second or
    two; larger ones under `set` may reach the limit of the method. The whole deck is no such case:
    it has a proof of its own (`largest_in_deck`).

    Raises:
        InputError: see `check_table`; there is no such method.
        LimitError: the method reached its limit.

    >>> largest_free([0, 1, 2, 40, 80], Rule.SET)
    (1, 2, 40, 80)
    """
    cards, chosen = check_table(table), _method(method)
    if cards == WHOLE_DECK:
        return largest_in_deck(rule, method).cards
    return chosen.largest(cards, rule, (), LARGEST_IN_DECK[rule])


def largest_in_deck(rule: Rule, method: str = "search") -> DeckLimit:
    """A largest collection of all 81 cards without a three, with its proof: 54, for SET 20.

    The proof for SET (Davis and Maclagan, The Card Game Set, 2003) first finds out that a
    collection of 21 would have to look like one of few kinds; only these are searched.

    Cost: a second or less by either method. Nothing is taken on trust: the steps are done anew.

    Raises:
        InputError: there is no such method.
        SolverFault: a step of the proof fails, which would be a defect.
    """
    chosen = _method(method)
    limit = LARGEST_IN_DECK[rule]
    prove = _prove_triple if rule is Rule.TRIPLE else _prove_set
    proof = prove(chosen, method)
    if len(proof.cards) != limit:
        raise SolverFault(f"{method}: a largest collection of {len(proof.cards)}, not {limit}")
    return proof


def _prove_triple(chosen: LargestMethod, method: str) -> DeckLimit:
    threes = partition(WHOLE_DECK, Rule.TRIPLE, method=method)
    cards = chosen.largest(WHOLE_DECK, Rule.TRIPLE)
    if threes is None or len(cards) > 2 * len(threes):
        raise SolverFault(f"{method}: {len(cards)} cards without a triple, but {threes!r}")
    return DeckLimit(
        cards,
        (
            f"The deck falls into {len(threes)} disjoint triples, and at most two cards of each "
            f"can stay: so {2 * len(threes)} at most.",
            f"Proved optimal once more on all cards ({method}).",
        ),
    )


def _prove_set(chosen: LargestMethod, method: str) -> DeckLimit:
    rule, full = Rule.SET, len(PARABOLOID)
    in_hyperplane = len(chosen.largest(HYPERPLANE, rule, FRAME))
    _hold(in_hyperplane == full, f"{method}: {in_hyperplane} in a hyperplane")
    # Every cap of a hyperplane has full * (full - 1) * (full - 2) ordered threes of cards; of such
    # threes without a SET the hyperplane has 27 * 26 * 24, one as good as another.
    with_frame = sum(1 for _ in chosen.parts(HYPERPLANE, rule, FRAME, full))
    caps, rest = divmod(27 * 26 * 24 * with_frame, full * (full - 1) * (full - 2))
    alike = len(images(PARABOLOID))
    _hold(rest == 0 and caps == alike, f"{method}: {caps} full caps, {alike} alike")
    cards = chosen.largest((*PARABOLOID, *WHOLE_DECK[27:]), rule, PARABOLOID)
    larger = len(cards) + 1
    _hold(must_have_full_hyperplane(larger, full), f"{method}: no full hyperplane for {larger}")
    return DeckLimit(
        cards,
        (
            f"A hyperplane (27 cards, such as those of one shape) has at most {full} cards without "
            f"a SET ({method}).",
            f"{larger} cards without a SET would have {full} in some hyperplane: else the pairs of "
            f"them in a common one, counted over all {DIRECTIONS} directions, would be too few.",
            f"The hyperplane has {caps} such collections of {full}, and all are alike: each is an "
            "image of any other under a change of coordinates.",
            f"With one of them given, at most {len(cards)} cards in all are without a SET "
            f"({method}); so {larger} cannot be.",
        ),
    )


def _hold(holds: bool, step: str) -> None:
    if not holds:
        raise SolverFault(f"a step of the proof fails: {step}")


def _method(name: str) -> LargestMethod:
    if name not in LARGEST_METHODS:
        raise InputError(f"no method {name!r}; there are {', '.join(LARGEST_METHODS)}")
    return LARGEST_METHODS[name]


__all__ = [
    "LARGEST_IN_DECK",
    "LARGEST_METHODS",
    "DeckLimit",
    "LargestMethod",
    "largest_free",
    "largest_in_deck",
]
