"""Largest collections without a three, of a table or of the whole deck; two methods, one door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from quaternity.base.errors import LimitError, SolverFault
from quaternity.base.plain_values import named
from quaternity.ternary.best import Best, begun
from quaternity.ternary.cards import CARDS
from quaternity.ternary.hyperplane import (
    DIRECTIONS,
    FRAME,
    HYPERPLANE,
    PARABOLOID,
    images,
    must_have_full_hyperplane,
)
from quaternity.ternary.largest_methods import (
    largest_by_cp_sat,
    largest_by_search,
    parts_by_cp_sat,
    parts_by_search,
)
from quaternity.ternary.packing import partition
from quaternity.ternary.tables import WHOLE_DECK, Rule, check_table
from quaternity.ternary.triples import triples

LARGEST_IN_DECK: Mapping[Rule, int] = {Rule.TRIPLE: 54, Rule.SET: 20}
"""The size of the largest collections of all 81 cards; `largest_in_deck` proves it."""


class LargestMethod(NamedTuple):
    """A way to find a largest part (a set of bits) that includes some cards, or all of a size."""

    largest: Callable[[Sequence[int], Rule, Sequence[int], Best[int]], tuple[int, ...]]
    parts: Callable[[Sequence[int], Rule, Sequence[int], int], Iterator[int]]


LARGEST_METHODS: Mapping[str, LargestMethod] = {
    "search": LargestMethod(largest_by_search, parts_by_search),
    "cp-sat": LargestMethod(largest_by_cp_sat, parts_by_cp_sat),
}
"""Every method by name, the default first."""


@dataclass(frozen=True, slots=True)
class DeckLimit:
    """A largest collection of the deck, and the steps of the proof that there is no larger one."""

    cards: tuple[int, ...]
    reasons: tuple[str, ...]


def largest_free(
    table: Iterable[int],
    rule: Rule | str,
    method: str = "search",
    *,
    seconds: float | None = None,
    random: Random | None = None,
    best: Best[int] | None = None,
) -> tuple[int, ...]:
    """Return a largest part of a table that holds no three of the rule, in order.

    Args:
        seconds: a time limit in the place of the method's own.
        random: chooses among the largest parts; None gives always the same one.
        best: keeps the best part and the bound, also where a limit or an interrupt ends the search.

    A second or two for any table under `triple` and some 40 cards under `set`; larger ones may
    reach the limit (LimitError, with what was found). For the whole deck see `largest_in_deck`.

    >>> largest_free([0, 1, 2, 40, 80], Rule.SET)
    (1, 2, 40, 80)
    """
    cards, rule, chosen = check_table(table), Rule(rule), named(LARGEST_METHODS, method)
    if cards == WHOLE_DECK:
        return largest_in_deck(rule, method, seconds=seconds, random=random, best=best).cards
    # That no table holds more than the deck is a proof of its own (`largest_in_deck`).
    limit = LARGEST_IN_DECK[rule]
    best = begun(best, min(len(cards), limit), lambda f: _is_free(f, cards, rule), seconds, random)
    best.improve(_greedy(cards, rule, best.random))
    return best.found if best.proved else chosen.largest(cards, rule, (), best)


def _greedy(table: Sequence[int], rule: Rule, random: Random | None) -> tuple[int, ...]:
    part: list[int] = []
    for card in table if random is None else random.sample(table, len(table)):
        if not triples([*part, card], rule):
            part.append(card)
    return tuple(sorted(part))


def _is_free(cards: Sequence[int], table: Sequence[int], rule: Rule) -> bool:
    return set(cards) <= set(table) and not triples(cards, rule)


def largest_in_deck(
    rule: Rule | str,
    method: str = "search",
    *,
    seconds: float | None = None,
    random: Random | None = None,
    best: Best[int] | None = None,
) -> DeckLimit:
    """Return a largest collection of all 81 cards without a three, with its proof: 54, for SET 20.

    By Davis and Maclagan (The Card Game Set, 2003), who first show that a collection of 21 would be
    one of few kinds; only these are searched, each step anew, in a second by either method.
    Arguments and errors as `largest_free`; until the proof is complete, the bound is only what
    disjoint threes prove.
    """
    rule, chosen = Rule(rule), named(LARGEST_METHODS, method)
    limit = LARGEST_IN_DECK[rule]
    best = begun(best, CARDS, lambda f: _is_free(f, WHOLE_DECK, rule), seconds, random)
    best.improve(_greedy(WHOLE_DECK, rule, best.random))
    prove = _prove_triple if rule is Rule.TRIPLE else _prove_set
    try:
        proof = prove(chosen, method, best)
    except LimitError as error:
        # The steps of the proof have bounds of their own.
        raise type(error)(
            f"the proof for all {CARDS} cards is not complete in time; {best}"
        ) from error
    if len(proof.cards) != limit:
        raise SolverFault(f"{method}: a largest collection of {len(proof.cards)}, not {limit}")
    best.lower(limit)
    return proof


def _prove_triple(chosen: LargestMethod, method: str, best: Best[int]) -> DeckLimit:
    threes = partition(WHOLE_DECK, Rule.TRIPLE, method=method, seconds=best.seconds_left())
    if threes is not None:
        best.lower(2 * len(threes))
    cards = best.found if best.proved else chosen.largest(WHOLE_DECK, Rule.TRIPLE, (), best)
    if threes is None or len(cards) > 2 * len(threes):
        raise SolverFault(f"{method}: {len(cards)} cards without a triple, but {threes!r}")
    return DeckLimit(
        cards,
        (
            f"The deck falls into {len(threes)} disjoint triples ({method}), and at most two cards "
            f"of each can stay: so {2 * len(threes)} at most.",
            f"These {len(cards)} cards hold no triple: none is among all threes of them.",
        ),
    )


def _prove_set(chosen: LargestMethod, method: str, best: Best[int]) -> DeckLimit:
    rule, full = Rule.SET, len(PARABOLOID)
    best.lower(CARDS - CARDS // 3)  # 0, 1, 2 and 3, 4, 5 and so on are disjoint SETs
    step = _step_of(best)
    in_hyperplane = len(chosen.largest(HYPERPLANE, rule, FRAME, step))
    _hold(in_hyperplane == full, f"{method}: {in_hyperplane} in a hyperplane")
    # Every cap of a hyperplane has full * (full - 1) * (full - 2) ordered threes of cards; of such
    # threes without a SET the hyperplane has 27 * 26 * 24, one as good as another.
    with_frame = sum(1 for _ in chosen.parts(HYPERPLANE, rule, FRAME, full))
    caps, remainder = divmod(27 * 26 * 24 * with_frame, full * (full - 1) * (full - 2))
    alike = len(images(PARABOLOID))
    _hold(remainder == 0 and caps == alike, f"{method}: {caps} full caps, {alike} alike")
    step = _step_of(best)
    try:
        cards = chosen.largest((*PARABOLOID, *WHOLE_DECK[27:]), rule, PARABOLOID, step)
    finally:
        # Its bound is none for the deck before the proof is complete.
        best.improve(step.found)
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


def _step_of(best: Best[int]) -> Best[int]:
    """Return a record for one step of a proof, with what is left of the time."""
    step: Best[int] = Best()
    step.start(CARDS, seconds=best.seconds_left(), random=best.random)
    return step


def _hold(holds: bool, step: str) -> None:
    if not holds:
        raise SolverFault(f"a step of the proof fails: {step}")
