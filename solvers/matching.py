"""The solver `matching`: a maximum matching between the slots of all hands and the cards.

A hand of n cards has n slots. The graph is bipartite: the slots of all hands are on one side, and
the cards are on the other. If a player must hold at least k cards of a set, k slots of the player
are adjacent only to the cards of this set that the player may own. The other slots of the player
are adjacent to all cards that the player may own. The problem is feasible if and only if a matching
covers all slots. SciPy finds a maximum matching with the Hopcroft-Karp algorithm.

If a slot is unmatched, consider all slots that alternating paths reach from it. They outnumber the
cards to which they are adjacent (Hall's theorem). Their players form the coalition and the
witnesses of a shortage (see `solvers.shortage`).

The graph cannot express upper bounds, so a problem with an upper bound that is not redundant is
refused. A graph with `MAX_EDGES` edges takes up to two seconds, and SciPy cannot be interrupted
during this time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from solvers.problem import DealProblem, ownable_counts
from solvers.shortage import Shortage, simple_certificate
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

MAX_EDGES = 20_000_000
"""Maximum number of edges of the bipartite graph. Such a graph takes about 160 MB."""

MAX_UNSHUFFLED_SLOTS = 200
"""Maximum number of slots (places for a card in a hand) that are matched in the order of the hands.
If there are more, they are shuffled first."""


class Slot(NamedTuple):
    """A place for one card in a player's hand.

    The card must belong to the set `set_index`, or may belong to any set if this is None.
    """

    player: int
    set_index: int | None


def refuses(problem: DealProblem) -> str | None:
    """Return the reason why this solver refuses a problem, or None if it accepts the problem."""
    edges = 0
    for index, constraint in enumerate(problem.sets):
        ownable = ownable_counts(constraint.owners, problem.players)
        for player, (bound, number) in enumerate(zip(constraint.high, ownable, strict=True)):
            if bound < number:
                place = f"{problem.words.player(player)} in {problem.words.set(index)}"
                return f"a matching cannot express the upper bound of {place}"
            edges += number * problem.hands[player]
    if edges > MAX_EDGES:
        return f"the graph has about {edges} edges: the limit is {MAX_EDGES}"
    return None


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Build the bipartite graph of a problem, and return a function that solves the problem."""
    simple = simple_certificate(problem)
    if simple is not None:
        return lambda: Infeasible(simple)

    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    slots: list[Slot] = []
    for player, hand in enumerate(problem.hands):
        before = len(slots)
        for index, constraint in enumerate(problem.sets):
            slots += [Slot(player, index)] * constraint.low[player]
        slots += [Slot(player, None)] * (hand - (len(slots) - before))
    if len(slots) > MAX_UNSHUFFLED_SLOTS:
        # If the slots were in the order of the hands, SciPy would take minutes instead of a second.
        from random import Random

        Random(0).shuffle(slots)
    starts = [0]
    for constraint in problem.sets:
        starts.append(starts[-1] + constraint.size)
    ownable = [
        [
            np.array(
                [start + card for card, mask in enumerate(constraint.owners) if mask >> player & 1],
                dtype=np.int32,
            )
            for start, constraint in zip(starts, problem.sets, strict=False)
        ]
        for player in range(problem.players)
    ]
    ownable_in_all = [np.concatenate(sets or [np.empty(0, np.int32)]) for sets in ownable]
    adjacent = [
        ownable_in_all[slot.player]
        if slot.set_index is None
        else ownable[slot.player][slot.set_index]
        for slot in slots
    ]
    ends = np.concatenate([[0], np.cumsum([len(cards) for cards in adjacent])]).astype(np.int32)
    cards = np.concatenate([*adjacent, np.empty(0, np.int32)])
    graph = csr_array(
        (np.ones(len(cards), dtype=np.int8), cards, ends), shape=(len(slots), problem.cards)
    )

    def solve() -> Verdict:
        if not slots:
            return Feasible(Deal(tuple(() for _ in problem.sets)))
        partner = maximum_bipartite_matching(graph, perm_type="column").tolist()
        if -1 in partner:
            return Infeasible(_shortage(problem, slots, adjacent, partner))
        owner = [0] * problem.cards
        for slot, card in zip(slots, partner, strict=True):
            owner[card] = slot.player
        return Feasible(Deal(tuple(tuple(owner[a:b]) for a, b in pairwise(starts))))

    return solve


def _shortage(
    problem: DealProblem, slots: Sequence[Slot], adjacent: Sequence[Any], partner: list[int]
) -> Shortage:
    """Return a proof that no deal exists, from a maximum matching that leaves a slot empty."""
    # Find the slots that alternating paths from this slot reach. Equal slots are adjacent to the
    # same cards, so only the first of them is searched. If a slot without a set is reached, its
    # player belongs to the coalition. The other slots of this player are not adjacent to any
    # further cards. If a slot of a set is reached, its player belongs to the witness of this set.
    holder = {card: slot for slot, card in enumerate(partner) if card != -1}
    start = partner.index(-1)
    reached, queue, visited = {slots[start]}, deque([start]), set[int]()
    while queue:
        for card in adjacent[queue.popleft()].tolist():
            if card not in visited:
                visited.add(card)
                slot = holder[card]  # the card is matched, because the matching is a maximum
                if slots[slot] not in reached:
                    reached.add(slots[slot])
                    queue.append(slot)
    coalition = 0
    own = [0] * len(problem.sets)
    for player, set_index in reached:
        if set_index is None:
            coalition |= 1 << player
        else:
            own[set_index] |= 1 << player
    return Shortage(coalition, tuple(coalition | mask for mask in own))
