"""Filtering by one flow: who may own what by strongly connected components, bounds by more flow.

A feasible flow of `solvers.max_flow` is one deal. Another deal gives a player a card of an owner
mask that they have none of now iff the arc from their share of the set to the mask's node lies on a
cycle of the residual graph: iff both ends are in one strongly connected component (Régin's
filtering; SciPy). The most cards of a set that a player can hold is what they hold now plus the
flow that can be sent round from their share of the set back to them, and the fewest likewise.

Sets that look alike have equal bounds, and so have players who may change places in every set: one
of each is looked at. Serves any number of players. Cost: one maximum flow, one search for
components, and for every (player, set) that differs a search of the residual graph per card by
which the count can change, plus one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from quaternity.base.deadline import NEVER, Deadline
from quaternity.base.errors import LimitError, NoDeal
from solvers.max_flow import SINK, SOURCE, Network, build, flows_of, run
from solvers.problem import DealProblem, SetConstraint, players_in
from solvers.shortage import plain_shortage

MAX_STEPS = 200_000_000
"""Maximum number of arcs that are searched for the bounds: about a minute."""


class _Residual:
    """The residual graph of a full flow, without source and sink: no cycle goes through these.

    Arcs come in pairs: arc i and arc i ^ 1 are each other's way back, and what flows through an arc
    of the network is the room of its way back.
    """

    def __init__(self, network: Network, flows: list[int], deadline: Deadline) -> None:
        nodes = 1 + max(network.tails + network.heads)
        self.tails: list[int] = []
        self.heads: list[int] = []
        self.room: list[int] = []
        self.leaving: list[list[int]] = [[] for _ in range(nodes)]
        self.between: dict[tuple[int, int], int] = {}
        self.steps = 0
        self.deadline = deadline
        for tail, head, capacity, flow in zip(
            network.tails, network.heads, network.capacities, flows, strict=True
        ):
            if tail != SOURCE and head != SINK:
                arc = len(self.heads)
                self.between[tail, head] = arc
                self.tails += (tail, head)
                self.heads += (head, tail)
                self.room += (capacity - flow, flow)
                self.leaving[tail].append(arc)
                self.leaving[head].append(arc + 1)

    def components(self) -> list[int]:
        """Return per node the number of its strongly connected component."""
        import numpy as np
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        arcs = [arc for arc, room in enumerate(self.room) if room]
        tails = np.array([self.tails[arc] for arc in arcs], dtype=np.int32)
        heads = np.array([self.heads[arc] for arc in arcs], dtype=np.int32)
        nodes = len(self.leaving)
        graph = csr_array((np.ones(len(arcs), dtype=np.int8), (tails, heads)), (nodes, nodes))
        _, labels = connected_components(graph, connection="strong")
        return [int(label) for label in labels]

    def send_round(self, arc: int) -> None:
        """Send as much more through an arc as can come back another way (short paths first)."""
        room = self.room
        while room[arc]:
            self.deadline.left()
            path = self._way(self.heads[arc], self.tails[arc], arc ^ 1)
            if path is None:
                return
            path.append(arc)
            amount = min([room[step] for step in path])
            for step in path:
                room[step] -= amount
                room[step ^ 1] += amount

    def _way(self, start: int, end: int, barred: int) -> list[int] | None:
        """Return a shortest path with room that avoids one arc, searched from both ends."""
        room, heads, leaving = self.room, self.heads, self.leaving
        # The arc by which each node was reached from the start, and by which it goes to the end.
        came, goes = {start: -1}, {end: -1}
        first, last = [start], [end]
        while first and last:
            if self.steps > MAX_STEPS:
                raise LimitError(
                    f"filtering by flow looked at more than {MAX_STEPS:,} arcs: that is the limit"
                )
            ahead = sum([len(leaving[node]) for node in first]) <= sum(
                [len(leaving[node]) for node in last]
            )
            reached, met = (came, goes) if ahead else (goes, came)
            frontier: list[int] = []
            for node in first if ahead else last:
                self.steps += len(leaving[node])
                for leaves in leaving[node]:
                    step = leaves if ahead else leaves ^ 1
                    other = heads[leaves]
                    if room[step] and other not in reached and step != barred:
                        reached[other] = step
                        if other in met:
                            return self._joined(other, came, goes)
                        frontier.append(other)
            if ahead:
                first = frontier
            else:
                last = frontier
        return None

    def _joined(self, middle: int, came: dict[int, int], goes: dict[int, int]) -> list[int]:
        path, node = [], middle
        while came[node] >= 0:
            path.append(came[node])
            node = self.tails[came[node]]
        node = middle
        while goes[node] >= 0:
            path.append(goes[node])
            node = self.heads[goes[node]]
        return path


def closed_by_flow(problem: DealProblem, deadline: Deadline = NEVER) -> DealProblem:
    """Tighten every owner, minimum and maximum as far as possible; keep the same deals.

    Raises as `solvers.filtering.closed`; `LimitError` as soon as more than `MAX_STEPS` steps are to
    be expected.
    """
    nothing = "no deal satisfies the problem, so nothing can be said about its deals"
    if plain_shortage(problem) is not None:
        raise NoDeal(nothing)
    if not problem.cards:
        # All bounds are 0 or meaningless: nobody holds anything.
        none = (0,) * problem.players
        empty = SetConstraint.trusted((), none, none)
        return DealProblem.trusted(problem.hands, (empty,) * len(problem.sets))
    network = Network(problem)
    solver = build(network)
    if run(solver) != problem.cards:
        raise NoDeal(nothing)
    residual = _Residual(network, flows_of(network, solver), deadline)
    components = residual.components()
    bounds = _bounds(network, residual, components)
    sets = []
    for index, constraint in enumerate(problem.sets):
        deadline.left()
        owners = _owners(network, residual, components, index)
        fewest, most = bounds[constraint]
        sets.append(
            SetConstraint.trusted(tuple([owners[mask] for mask in constraint.owners]), fewest, most)
        )
    return DealProblem.trusted(problem.hands, tuple(sets))


def _bounds(
    network: Network, residual: _Residual, components: list[int]
) -> dict[SetConstraint, tuple[tuple[int, ...], tuple[int, ...]]]:
    problem = network.problem
    places = {constraint: index for index, constraint in enumerate(problem.sets)}
    alike = players_alike(problem.hands, places)
    bounds = {}
    searched = 0
    for constraint, index in places.items():
        fewest, most = [0] * problem.players, [0] * problem.players
        for player, like in enumerate(alike):
            if like != player:
                fewest[player], most[player] = fewest[like], most[like]
                continue
            node, share = 2 + player, network.share_node(index, player)
            arc = residual.between[node, share]
            varies = components[node] == components[share]
            if varies:
                residual.send_round(arc)
            most[player] = constraint.low[player] + residual.room[arc ^ 1]
            if varies:
                residual.send_round(arc ^ 1)
            fewest[player] = constraint.low[player] + residual.room[arc ^ 1]
        bounds[constraint] = tuple(fewest), tuple(most)
        searched += 1
        expected = residual.steps * len(places) // searched
        if residual.steps > MAX_STEPS // 20 and expected > 2 * MAX_STEPS:
            raise LimitError(
                f"filtering by flow would look at about {expected:,} arcs: "
                f"the limit is {MAX_STEPS:,}"
            )
    return bounds


def players_alike(hands: tuple[int, ...], sets: Iterable[SetConstraint]) -> list[int]:
    """Return per player the first player who can swap names with them without any change."""
    counted = [(constraint.low, constraint.high, Counter(constraint.owners)) for constraint in sets]
    alike: list[int] = []
    # The first players by all that must be equal: hands, bounds, and the cards one may own.
    firsts: dict[object, list[int]] = {}
    for player, hand in enumerate(hands):
        looks = [
            (low[player], high[player], sum([n for mask, n in masks.items() if mask >> player & 1]))
            for low, high, masks in counted
        ]
        others = firsts.setdefault((hand, *looks), [])
        for first in others:
            if all(
                masks[_swapped(mask, first, player)] == n
                for _, _, masks in counted
                for mask, n in masks.items()
            ):
                alike.append(first)
                break
        else:
            alike.append(player)
            others.append(player)
    return alike


def _swapped(mask: int, first: int, second: int) -> int:
    if (mask >> first ^ mask >> second) & 1:
        return mask ^ (1 << first | 1 << second)
    return mask


def _owners(
    network: Network, residual: _Residual, components: list[int], index: int
) -> dict[int, int]:
    """Return per owner mask of a set, the players who own such a card in some deal."""
    owners = {}
    for mask, node in network.classes[index].items():
        possible = 0
        for player in players_in(mask):
            share = network.share_node(index, player)
            flow = residual.room[residual.between[share, node] ^ 1]
            if flow or components[share] == components[node]:
                possible |= 1 << player
        owners[mask] = possible
    return owners
