"""Filtering by network flow: remove owners that occur in no deal, and tighten all bounds.

A maximum flow in the network of `solvers.max_flow` is one deal. In this network, the cards of a set
with the same possible owners share a node, and each player has a node for the player's share of the
set. Suppose that a player may own the cards of a node but has none of them in the deal. The player
has one of them in another deal if and only if the node and the player's node for the set are in the
same strongly connected component of the residual graph (Régin's filtering). SciPy computes the
components.

To find the maximum number of cards of a set that a player can hold, flow is sent from the player's
share of the set back to the player along other arcs. The maximum is the number of cards in the deal
plus this flow. The minimum is computed in the same way.

Equal sets, and players who can be exchanged without changing the problem, have equal bounds, which
are computed only once. The number of players is not limited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.base.errors import LimitError, NoDeal
from solvers.max_flow import SINK, SOURCE, Network, build, flows_of, run
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.shortage import simple_certificate

MAX_STEPS = 200_000_000
"""Maximum number of arcs that the search for the bounds visits. Visiting this many arcs takes about
a minute."""


class _Residual:
    """Residual graph of a maximum flow, without the source and the sink.

    Arcs i and i ^ 1 are the reverse of each other. The flow through an arc of the network is the
    residual capacity (`capacity`) of its reverse arc.
    """

    def __init__(self, network: Network, flows: list[int], deadline: Deadline) -> None:
        nodes = 1 + max(network.tails + network.heads)
        self.tails: list[int] = []
        self.heads: list[int] = []
        self.capacity: list[int] = []
        self.outgoing: list[list[int]] = [[] for _ in range(nodes)]
        self.arc_between: dict[tuple[int, int], int] = {}
        self.steps = 0
        self.deadline = deadline
        for tail, head, capacity, flow in zip(
            network.tails, network.heads, network.capacities, flows, strict=True
        ):
            if tail != SOURCE and head != SINK:
                arc = len(self.heads)
                self.arc_between[tail, head] = arc
                self.tails += (tail, head)
                self.heads += (head, tail)
                self.capacity += (capacity - flow, flow)
                self.outgoing[tail].append(arc)
                self.outgoing[head].append(arc + 1)

    def components(self) -> list[int]:
        import numpy as np
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        arcs = [arc for arc, room in enumerate(self.capacity) if room]
        tails = np.array([self.tails[arc] for arc in arcs], dtype=np.int32)
        heads = np.array([self.heads[arc] for arc in arcs], dtype=np.int32)
        nodes = len(self.outgoing)
        graph = csr_array((np.ones(len(arcs), dtype=np.int8), (tails, heads)), (nodes, nodes))
        _, labels = connected_components(graph, connection="strong")
        return [int(label) for label in labels]

    def augment(self, arc: int) -> None:
        """Send as much flow as possible around cycles through an arc, the shortest ones first."""
        room = self.capacity
        while room[arc]:
            self.deadline.remaining()
            path = self._find_path(self.heads[arc], self.tails[arc], arc ^ 1)
            if path is None:
                return
            path.append(arc)
            amount = min([room[step] for step in path])
            for step in path:
                room[step] -= amount
                room[step ^ 1] += amount

    def _find_path(self, start: int, end: int, excluded: int) -> list[int] | None:
        """Return a shortest path from `start` to `end`, as a list of arcs that can carry more flow.

        The arc `excluded` is not used. The result is None if there is no path.
        """
        # The method is bidirectional search.
        room, heads, leaving = self.capacity, self.heads, self.outgoing
        # The last arc to each node that was reached from the start, and the first arc from each
        # node that was reached from the end.
        last_arcs, first_arcs = {start: -1}, {end: -1}
        first, last = [start], [end]
        while first and last:
            if self.steps > MAX_STEPS:
                raise LimitError(
                    f"filtering by flow searched more arcs than the limit of {MAX_STEPS:,}"
                )
            forward = sum([len(leaving[node]) for node in first]) <= sum(
                [len(leaving[node]) for node in last]
            )
            reached, other_side = (last_arcs, first_arcs) if forward else (first_arcs, last_arcs)
            frontier: list[int] = []
            for node in first if forward else last:
                self.steps += len(leaving[node])
                for leaves in leaving[node]:
                    step = leaves if forward else leaves ^ 1
                    other = heads[leaves]
                    if room[step] and other not in reached and step != excluded:
                        reached[other] = step
                        if other in other_side:
                            return self._join_paths(other, last_arcs, first_arcs)
                        frontier.append(other)
            if forward:
                first = frontier
            else:
                last = frontier
        return None

    def _join_paths(
        self, middle: int, last_arcs: dict[int, int], first_arcs: dict[int, int]
    ) -> list[int]:
        path, node = [], middle
        while last_arcs[node] >= 0:
            path.append(last_arcs[node])
            node = self.tails[last_arcs[node]]
        node = middle
        while first_arcs[node] >= 0:
            path.append(first_arcs[node])
            node = self.heads[first_arcs[node]]
        return path


def filter_by_flow(problem: DealProblem, deadline: Deadline = NO_DEADLINE) -> DealProblem:
    """Return the tightest problem with the same deals, found by network flow.

    Raises:
        NoDeal: If the problem is infeasible.
        LimitError: If the search visits more than `MAX_STEPS` arcs, or as soon as it is expected to
            visit more than twice this number.
        SolverTimeout: If the deadline has passed.
    """
    infeasible = "no deal satisfies the problem, so nothing can be said about its deals"
    if simple_certificate(problem) is not None:
        raise NoDeal(infeasible)
    if not problem.cards:
        # There are no cards, so all tightened bounds are 0.
        zeros = (0,) * problem.players
        empty = SetConstraint.unchecked((), zeros, zeros)
        return DealProblem.unchecked(problem.hands, (empty,) * len(problem.sets))
    network = Network(problem)
    solver = build(network)
    if run(solver) != problem.cards:
        raise NoDeal(infeasible)
    residual = _Residual(network, flows_of(network, solver), deadline)
    components = residual.components()
    bounds = _bounds(network, residual, components)
    sets = []
    for index, constraint in enumerate(problem.sets):
        deadline.remaining()
        owners = _owners(network, residual, components, index)
        low, high = bounds[constraint]
        sets.append(
            SetConstraint.unchecked(tuple([owners[mask] for mask in constraint.owners]), low, high)
        )
    return DealProblem.unchecked(problem.hands, tuple(sets))


def _bounds(
    network: Network, residual: _Residual, components: list[int]
) -> dict[SetConstraint, tuple[tuple[int, ...], tuple[int, ...]]]:
    problem = network.problem
    places = {constraint: index for index, constraint in enumerate(problem.sets)}
    representatives = equivalent_players(problem.hands, places)
    bounds = {}
    searched_sets = 0
    for constraint, index in places.items():
        low, high = [0] * problem.players, [0] * problem.players
        for player, first in enumerate(representatives):
            if first != player:
                low[player], high[player] = low[first], high[first]
                continue
            node, share = 2 + player, network.share_nodes[index][player]
            arc = residual.arc_between[node, share]
            varies = components[node] == components[share]
            if varies:
                residual.augment(arc)
            high[player] = constraint.low[player] + residual.capacity[arc ^ 1]
            if varies:
                residual.augment(arc ^ 1)
            low[player] = constraint.low[player] + residual.capacity[arc ^ 1]
        bounds[constraint] = tuple(low), tuple(high)
        searched_sets += 1
        expected = residual.steps * len(places) // searched_sets
        if residual.steps > MAX_STEPS // 20 and expected > 2 * MAX_STEPS:
            raise LimitError(
                f"filtering by flow would search about {expected:,} arcs: "
                f"the limit is {MAX_STEPS:,}"
            )
    return bounds


def equivalent_players(hands: tuple[int, ...], sets: Iterable[SetConstraint]) -> list[int]:
    """Return, for each player, the equivalent player with the lowest number.

    Two players are equivalent if exchanging their numbers leaves the hands and the sets the same,
    apart from the order of the cards.
    """
    set_profiles = [
        (constraint.low, constraint.high, Counter(constraint.owners)) for constraint in sets
    ]
    representatives: list[int] = []
    # The first player of each class of equivalent players, by values that are equal within a class:
    # the hand, the bounds, and the numbers of cards that the player may own.
    firsts: dict[object, list[int]] = {}
    for player, hand in enumerate(hands):
        profile = [
            (low[player], high[player], sum([n for mask, n in masks.items() if mask >> player & 1]))
            for low, high, masks in set_profiles
        ]
        others = firsts.setdefault((hand, *profile), [])
        for first in others:
            if all(
                masks[_swap_players(mask, first, player)] == n
                for _, _, masks in set_profiles
                for mask, n in masks.items()
            ):
                representatives.append(first)
                break
        else:
            representatives.append(player)
            others.append(player)
    return representatives


def _swap_players(mask: int, first: int, second: int) -> int:
    if (mask >> first ^ mask >> second) & 1:
        return mask ^ (1 << first | 1 << second)
    return mask


def _owners(
    network: Network, residual: _Residual, components: list[int], index: int
) -> dict[int, int]:
    """Remove, from each owner mask of a set, the players who own no such card in any deal.

    An owner mask is the bit mask of the players who may own a card. The keys of the dictionary are
    the old masks, and the values are the new ones.
    """
    owners = {}
    for mask, node in network.classes[index].items():
        possible = 0
        for player in players_in(mask):
            share = network.share_nodes[index][player]
            flow = residual.capacity[residual.arc_between[share, node] ^ 1]
            if flow or components[share] == components[node]:
                possible |= 1 << player
        owners[mask] = possible
    return owners
