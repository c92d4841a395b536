"""Two methods for finding the largest choice of cards on a table that contains no three.

A *three* is three cards that belong together under one of two rules (see `Rule`). Both methods can
also list all choices of a given size without a three. They choose cards to remove, so that every
three of the table loses a card.

- *Search* is a branch and bound. Each step decides whether to keep or remove the card that is in
  the most complete threes. The number of disjoint complete threes is a lower bound on the number of
  cards that must still be removed.
- *CP-SAT* has a Boolean variable for each card, and a clause for each three. For some disjoint
  threes, the model also says that at most two of the three cards are kept. This makes the linear
  relaxation stronger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import floor
from typing import TYPE_CHECKING, Any

from quaternity.ternary.best import Incumbent
from quaternity.ternary.tables import Rule, bits_of, cards_in
from quaternity.ternary.triples import triples

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


MAX_NODES = 500_000
"""Maximum number of nodes that a search without a time limit visits, in about ten seconds."""


def largest_by_search(
    table: Sequence[int], rule: Rule, kept: Sequence[int], best: Incumbent[int]
) -> tuple[int, ...]:
    """Return as many cards of a table as possible without a three (see the module).

    The cards `kept` are among them. `best` receives every better choice and bound. Its bound and
    its time limit end the search. Without a time limit, a search of more than `MAX_NODES` nodes
    raises a `LimitError`.
    """
    others = table if best.random is None else best.random.sample(table, len(table))
    label = dict(zip(table, others, strict=True))
    search = _Search(dict(zip(others, table, strict=True)), best)
    fixed = bits_of(label[card] for card in kept)
    # A core is the part of a three that is not kept: 1..3 cards. One of them must be removed.
    cores = {bits_of(label[card] for card in three) & ~fixed for three in triples(table, rule)}
    search.run(fixed, bits_of(table) & ~fixed, list(cores), alone=True)
    best.lower(best.size)
    return best.found


def parts_by_search(
    table: Sequence[int], rule: Rule, kept: Sequence[int], size: int
) -> Iterator[int]:
    """Yield every choice of `size` cards of a table without a three (see the module).

    The cards `kept` are always chosen. Each choice is yielded once, as a bit set. The time is
    exponential, so this is meant for tables of about 30 cards.
    """
    threes = [bits_of(three) for three in triples(table, rule)]
    threes_of = {1 << card: [three for three in threes if three >> card & 1] for card in table}

    def extend(part: int, choices: int) -> Iterator[int]:
        missing = size - part.bit_count()
        if missing == 0:
            yield part
        while choices.bit_count() >= missing > 0:
            card = choices & -choices
            choices ^= card
            closed = 0
            for three in threes_of[card]:
                last = three & ~(part | card)
                if last & (last - 1) == 0:
                    closed |= last
            yield from extend(part | card, choices & ~closed)

    fixed = bits_of(kept)
    closed = 0
    for three in threes:
        last = three & ~fixed
        if last & (last - 1) == 0:
            closed |= last
    yield from extend(fixed, bits_of(table) & ~fixed & ~closed)


class _Search:
    def __init__(self, cards: Mapping[int, int], best: Incumbent[int]) -> None:
        self._cards, self._best, self._nodes = cards, best, 0

    def run(self, kept: int, open_cards: int, cores: list[int], alone: bool = False) -> None:
        """Search all choices that include the cards `kept` and any of the cards `open_cards`.

        The cards are bit sets. A core is a set of open cards, at least one of which must be
        removed. Better choices are stored in the `Incumbent`. If `alone` is true, all other choices
        have been searched, so the search also gives an upper bound.
        """
        best = self._best
        self._nodes += 1
        best.limit(self._nodes, MAX_NODES)
        open_cards, cores = _remove_single_cores(open_cards, cores)
        max_size = kept.bit_count() + open_cards.bit_count()
        if not cores:
            if max_size > best.size:
                best.improve(tuple(sorted(self._cards[bit] for bit in cards_in(kept | open_cards))))
            return
        cores.sort(key=int.bit_count)
        max_size -= _disjoint(cores)
        if alone:
            best.lower(max_size)
        if best.proved or max_size <= best.size:
            return
        card = _busiest(cores)
        self.run(kept | card, open_cards & ~card, list({core & ~card for core in cores}))
        without_card = [core for core in cores if not core & card]
        self.run(kept, open_cards & ~card, without_card, alone)


def _remove_single_cores(open_cards: int, cores: list[int]) -> tuple[int, list[int]]:
    """Remove each card that is a core by itself. Return the remaining open cards and cores.

    A core is a set of cards that cannot all be kept.
    """
    single = 0
    for core in cores:
        if core & (core - 1) == 0:
            single |= core
    if not single:
        return open_cards, cores
    return open_cards & ~single, [core for core in cores if not core & single]


def _disjoint(cores: list[int]) -> int:
    """Return how many disjoint cores (sets that must lose a card) a greedy search finds."""
    used = count = 0
    for core in cores:
        if not core & used:
            used |= core
            count += 1
    return count


def _busiest(cores: list[int]) -> int:
    """Return the bit of the card that is in the most cores (sets that must lose a card)."""
    # A core of two cards counts as four cores.
    weights: dict[int, int] = {}
    for core in cores:
        weight = 4 if core.bit_count() == 2 else 1
        remaining = core
        while remaining:
            card = remaining & -remaining
            weights[card] = weights.get(card, 0) + weight
            remaining ^= card
    return max(weights, key=lambda card: (weights[card], -card))


SECONDS = 60.0
"""Default time limit of one CP-SAT search, in seconds."""
TOLERANCE = 1e-6
"""Maximum rounding error of a floating-point bound that represents an integer."""


def largest_by_cp_sat(
    table: Sequence[int], rule: Rule, kept: Sequence[int], best: Incumbent[int]
) -> tuple[int, ...]:
    """Return as many cards of a table as possible without a three (see the module), by CP-SAT.

    The arguments and the result are the same as for `largest_by_search`.

    Raises:
        SolverTimeout: If the time limit is reached.
    """
    model, stays = _model(table, rule, kept)
    model.add(sum(stays.values()) <= best.bound)
    model.maximize(sum(stays.values()))

    def improve(value: Callable[[Any], int]) -> None:
        best.improve(tuple(sorted(card for card in table if value(stays[card]))))

    best.run_cp_sat(
        model, SECONDS,
        lambda: f"CP-SAT did not prove in time how many of {len(table)} cards can be chosen "
        f"without a {rule.three}; {best}",
        on_solution=improve, is_whole=True,
        on_bound=lambda bound: best.lower(floor(bound + TOLERANCE)),
    )  # fmt: skip
    best.lower(best.size)
    return best.found


def parts_by_cp_sat(
    table: Sequence[int], rule: Rule, kept: Sequence[int], size: int
) -> Iterator[int]:
    """Yield every choice of `size` cards of a table without a three (see the module), by CP-SAT.

    The arguments and the choices are the same as for `parts_by_search`.

    Raises:
        SolverTimeout: If it takes more than `SECONDS`.
    """
    model, stays = _model(table, rule, kept)
    model.add(sum(stays.values()) == size)
    parts: list[int] = []
    text = f"CP-SAT has not found all parts of {size} cards within {SECONDS} s"
    Incumbent[int]().run_cp_sat(
        model, SECONDS, lambda: text,
        on_solution=lambda value: parts.append(bits_of(c for c in table if value(stays[c]))),
        is_whole=True, enumerate_all_solutions=True,
    )  # fmt: skip
    return iter(parts)


def _model(
    table: Sequence[int], rule: Rule, kept: Sequence[int]
) -> tuple[cp_model.CpModel, dict[int, cp_model.IntVar]]:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    stays = {card: model.new_bool_var("") for card in table}
    used: set[int] = set()
    for three in triples(table, rule):
        model.add_bool_or([~stays[card] for card in three])
        if used.isdisjoint(three):
            used.update(three)
            model.add(sum(stays[card] for card in three) <= 2)
    for card in kept:
        model.add(stays[card] == 1)
    return model, stays
