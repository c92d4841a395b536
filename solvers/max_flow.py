"""The solver `max-flow`: a maximum flow with lower bounds, which takes polynomial time.

    source -> player -> (player, set) -> cards of one owner mask -> sink

Lower bounds are eliminated in the usual way: each (player, set) node receives its `low` units
directly from the source, and the rest from the node of the player. The problem is feasible iff all
arcs from the source are saturated. Otherwise, the source side of a minimum cut is read as a
coalition with its witnesses, and the capacity of the cut is exactly the bound of the coalition
inequality (see `solvers.shortage`).

Cards of a set with equal owner masks share a node. So there are at most P + P*N + (distinct owner
masks) nodes besides source and sink, for P players and N sets. Cost: O(V^2 sqrt(E)) in the worst
case, by the push-relabel algorithm of OR-Tools. The largest problems take half a second. The
computation has no time limit and cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quaternity.base.errors import SolverFault
from solvers.problem import DealProblem, players_in
from solvers.shortage import Shortage, plain_shortage
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

SOURCE, SINK = 0, 1


class Network:
    """The flow network of a problem whose `plain_shortage` is None.

    Node 0 is the source, node 1 the sink, and node 2 + p player p. Then follow the (player, set)
    nodes, set by set, and a node for each distinct owner mask of each set (a *class* of cards).
    """

    __slots__ = ("capacities", "classes", "first_share", "heads", "problem", "shares", "tails")

    def __init__(self, problem: DealProblem) -> None:
        self.problem = problem
        players = problem.players
        tails: list[int] = []
        heads: list[int] = []
        capacities: list[int] = []
        free = list(problem.hands)
        node = 2 + players
        for constraint in problem.sets:
            for player, low in enumerate(constraint.low):
                free[player] -= low
                share = node + player
                tails += (SOURCE, 2 + player)
                heads += (share, share)
                # An upper bound may be any number, but no player holds more than the whole set.
                capacities += (low, max(0, min(constraint.high[player], constraint.size) - low))
            node += players
        for player, amount in enumerate(free):
            tails.append(SOURCE)
            heads.append(2 + player)
            capacities.append(amount)
        self.first_share = len(tails)
        # For each arc from a (player, set) node to a class: (set, owner mask, player).
        self.shares: list[tuple[int, int, int]] = []
        self.classes: list[dict[int, int]] = []
        ends: list[tuple[int, int]] = []
        for index, constraint in enumerate(problem.sets):
            sizes: dict[int, int] = {}
            for mask in constraint.owners:
                sizes[mask] = sizes.get(mask, 0) + 1
            base = 2 + players + index * players
            nodes: dict[int, int] = {}
            for mask, size in sizes.items():
                nodes[mask] = node
                for player in players_in(mask):
                    tails.append(base + player)
                    heads.append(node)
                    capacities.append(size)
                    self.shares.append((index, mask, player))
                ends.append((node, size))
                node += 1
            self.classes.append(nodes)
        for end, size in ends:
            tails.append(end)
            heads.append(SINK)
            capacities.append(size)
        self.tails, self.heads, self.capacities = tails, heads, capacities

    def share_node(self, set_index: int, player: int) -> int:
        """Return the (player, set) node of a player and a set."""
        return 2 + self.problem.players * (1 + set_index) + player


def build(network: Network) -> Any:
    """Return OR-Tools' flow solver with the arcs of a network, in the same order."""
    import numpy as np
    from ortools.graph.python import max_flow

    solver = max_flow.SimpleMaxFlow()
    solver.add_arcs_with_capacity(
        np.array(network.tails, dtype=np.int32),
        np.array(network.heads, dtype=np.int32),
        np.array(network.capacities, dtype=np.int64),
    )
    return solver


def run(solver: Any) -> int:
    """Run the flow solver and return the value of the maximum flow."""
    from ortools.graph.python import max_flow

    status = solver.solve(SOURCE, SINK)
    if status != max_flow.SimpleMaxFlow.OPTIMAL:
        raise SolverFault(f"the flow solver ended with status {status}")
    return int(solver.optimal_flow())


def flows_of(network: Network, solver: Any) -> list[int]:
    """Return the flow through each arc of a solved network, in the order of the arcs."""
    import numpy as np

    return [int(flow) for flow in solver.flows(np.arange(len(network.tails), dtype=np.int32))]


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Build the network of the module docstring; return a function that solves it."""
    simple = plain_shortage(problem)
    if simple is not None:
        return lambda: Infeasible(simple)
    if not problem.cards:
        return lambda: Feasible(Deal(tuple(() for _ in problem.sets)))
    network = Network(problem)
    solver = build(network)

    def solve() -> Verdict:
        if run(solver) == problem.cards:
            first = network.first_share
            flows = flows_of(network, solver)[first : first + len(network.shares)]
            return Feasible(deal_of(network, flows))
        return Infeasible(shortage_of(network, set(solver.get_source_side_min_cut())))

    return solve


def deal_of(network: Network, flows: list[int]) -> Deal:
    """Return the deal of a maximum flow, given the flow through each arc of `network.shares`.

    Cards of a class are interchangeable and assigned in any order.
    """
    queues: dict[tuple[int, int], list[int]] = {}
    for (index, mask, player), flow in zip(network.shares, flows, strict=True):
        if flow:
            queues.setdefault((index, mask), []).extend([player] * flow)
    return Deal(
        tuple(
            tuple(queues[index, mask].pop() for mask in constraint.owners)
            for index, constraint in enumerate(network.problem.sets)
        )
    )


def shortage_of(network: Network, reached: set[int]) -> Shortage:
    """Return the shortage of a minimum cut; `reached` are the nodes on the source side."""
    players = range(network.problem.players)
    coalition = sum(1 << player for player in players if 2 + player in reached)
    # Put coalition members without an effective bound into the witness: the sum does not grow.
    witnesses = tuple(
        sum(
            1 << player
            for player in players
            if network.share_node(index, player) in reached
            or (coalition >> player & 1 and constraint.high[player] >= constraint.size)
        )
        for index, constraint in enumerate(network.problem.sets)
    )
    return Shortage(coalition, witnesses)
