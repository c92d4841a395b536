"""Largest collections of cards that contain no SET, from a table or from the whole deck."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from quaternity.base.errors import LimitError, SolverFault
from quaternity.base.validation import lookup
from quaternity.ternary.best import Incumbent, start_record
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

MAX_CARDS_WITHOUT_THREE: Mapping[Rule, int] = {Rule.TRIPLE: 54, Rule.SET: 20}
"""Maximum number of cards such that no three belong together, for each rule. `largest_in_deck`
proves these numbers."""


class LargestMethod(NamedTuple):
    """Two functions that choose cards such that no three of them belong together.

    `largest` chooses as many cards of a table as possible. `parts` yields every choice of a given
    number of cards.
    """

    largest: Callable[[Sequence[int], Rule, Sequence[int], Incumbent[int]], tuple[int, ...]]
    parts: Callable[[Sequence[int], Rule, Sequence[int], int], Iterator[int]]


COLLECTION_METHODS: Mapping[str, LargestMethod] = {
    "search": LargestMethod(largest_by_search, parts_by_search),
    "cp-sat": LargestMethod(largest_by_cp_sat, parts_by_cp_sat),
}
"""Methods for finding the largest collections of cards without a three (three cards that belong
together), by name. The first is the default."""


@dataclass(frozen=True, slots=True)
class DeckLimit:
    """A largest collection of cards such that no three belong together, with a proof in words.

    `cards` is the collection. `reasons` are the steps of the proof that none is larger.
    """

    cards: tuple[int, ...]
    reasons: tuple[str, ...]


def largest_free(
    table: Iterable[int],
    rule: Rule | str,
    method: str = "search",
    *,
    seconds: float | None = None,
    random: Random | None = None,
    best: Incumbent[int] | None = None,
) -> tuple[int, ...]:
    """Return as many cards of a table as possible such that no three of them belong together.

    Args:
        seconds: a time limit that replaces the method's own limit.
        random: chooses among the largest collections. If it is None, the result is always the same.
        best: record that keeps the best collection and the bound, even if a limit or an interrupt
            ends the search.

    Raises:
        LimitError: If the limit is reached. The message says what has been found.

    The search takes a second or two for any table under `triple`, and for about 40 cards under
    `set`. Larger tables may reach the limit. For the whole deck, see `largest_in_deck`.

    >>> largest_free([0, 1, 2, 40, 80], Rule.SET)
    (1, 2, 40, 80)
    """
    cards, rule, largest_method = check_table(table), Rule(rule), lookup(COLLECTION_METHODS, method)
    if cards == WHOLE_DECK:
        return largest_in_deck(rule, method, seconds=seconds, random=random, best=best).cards
    # `largest_in_deck` proves separately that the deck, and so any table, has no more.
    limit = MAX_CARDS_WITHOUT_THREE[rule]
    best = start_record(
        best, min(len(cards), limit), lambda f: _is_free(f, cards, rule), seconds, random
    )
    best.improve(_greedy(cards, rule, best.random))
    return best.found if best.proved else largest_method.largest(cards, rule, (), best)


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
    best: Incumbent[int] | None = None,
) -> DeckLimit:
    """Return as many cards as possible such that no three of them belong together, with a proof.

    There are 54 cards under `triple`, and 20 under `set`. The proof for `set` is by Davis and
    Maclagan (The Card Game Set, 2003), who first show that a collection of 21 cards would have one
    of a few forms. Only these are searched. Every call repeats each step of the proof, which takes
    about a second. The arguments and possible errors are the same as for `largest_free`. Until the
    proof is complete, `best.bound` is only the bound that disjoint threes prove.
    """
    rule, largest_method = Rule(rule), lookup(COLLECTION_METHODS, method)
    limit = MAX_CARDS_WITHOUT_THREE[rule]
    best = start_record(best, CARDS, lambda f: _is_free(f, WHOLE_DECK, rule), seconds, random)
    best.improve(_greedy(WHOLE_DECK, rule, best.random))
    prove = _prove_triple if rule is Rule.TRIPLE else _prove_set
    try:
        proof = prove(largest_method, method, best)
    except LimitError as error:
        # The original message gives the bound for one step of the proof, not for the deck.
        raise type(error)(
            f"time ran out before the proof for all {CARDS} cards was complete; {best}"
        ) from error
    if len(proof.cards) != limit:
        raise SolverFault(
            f"{method}: the largest collection has {len(proof.cards)} cards, not {limit}"
        )
    best.lower(limit)
    return proof


def _prove_triple(largest_method: LargestMethod, method: str, best: Incumbent[int]) -> DeckLimit:
    threes = partition(WHOLE_DECK, Rule.TRIPLE, method=method, seconds=best.seconds_left())
    if threes is not None:
        best.lower(2 * len(threes))
    cards = best.found if best.proved else largest_method.largest(WHOLE_DECK, Rule.TRIPLE, (), best)
    if threes is None or len(cards) > 2 * len(threes):
        raise SolverFault(
            f"{method}: {len(cards)} cards without a triple contradict the partition {threes!r}"
        )
    return DeckLimit(
        cards,
        (
            f"The deck is a union of {len(threes)} disjoint triples ({method}). A "
            "collection without a triple has at most two cards of each triple, so it has "
            f"at most {2 * len(threes)} cards.",
            f"These {len(cards)} cards contain no triple.",
        ),
    )


def _prove_set(largest_method: LargestMethod, method: str, best: Incumbent[int]) -> DeckLimit:
    rule, full = Rule.SET, len(PARABOLOID)
    best.lower(CARDS - CARDS // 3)  # (0, 1, 2), (3, 4, 5), ... are disjoint SETs
    step = _step_of(best)
    in_hyperplane = len(largest_method.largest(HYPERPLANE, rule, FRAME, step))
    _require(
        in_hyperplane == full,
        f"{method}: found {in_hyperplane} cards of a hyperplane without a SET, but expected {full}",
    )
    # A largest cap of a hyperplane contains full * (full - 1) * (full - 2) ordered sequences of
    # three cards. The hyperplane contains 27 * 26 * 24 sequences that are not a SET, all of them
    # equivalent.
    with_frame = sum(1 for _ in largest_method.parts(HYPERPLANE, rule, FRAME, full))
    caps, remainder = divmod(27 * 26 * 24 * with_frame, full * (full - 1) * (full - 2))
    equivalent = len(images(PARABOLOID))
    _require(
        remainder == 0 and caps == equivalent,
        f"{method}: a hyperplane has {caps} collections of {full} cards without a SET, but only "
        f"{equivalent} of them are proved to be equivalent",
    )
    step = _step_of(best)
    try:
        cards = largest_method.largest((*PARABOLOID, *WHOLE_DECK[27:]), rule, PARABOLOID, step)
    finally:
        # The bound of this step does not hold for the deck until the proof is complete, so keep
        # only the collection found.
        best.improve(step.found)
    larger = len(cards) + 1
    _require(
        must_have_full_hyperplane(larger, full),
        f"{method}: counting does not prove that {larger} cards include {full} of a hyperplane",
    )
    return DeckLimit(
        cards,
        (
            f"A hyperplane (27 cards, such as those of one shape) has at most {full} cards without "
            f"a SET ({method}).",
            f"Of {larger} cards without a SET, {full} would share some hyperplane: otherwise, over "
            f"all {DIRECTIONS} directions, too few pairs would share a hyperplane.",
            f"The hyperplane has {caps} such collections of {full}, and all are equivalent: "
            "each is an image of any other under a change of coordinates.",
            f"A collection without a SET that contains one of them has at most {len(cards)} cards "
            f"({method}); so {larger} cards are impossible.",
        ),
    )


def _step_of(best: Incumbent[int]) -> Incumbent[int]:
    # Each step of a proof must end in the remaining time.
    step: Incumbent[int] = Incumbent()
    step.start(CARDS, seconds=best.seconds_left(), random=best.random)
    return step


def _require(holds: bool, step: str) -> None:
    if not holds:
        raise SolverFault(f"a step of the proof fails: {step}")
