"""Max-flow with lower bounds: the polynomial companion of the CP-SAT model.

    source -> player -> (player, set) -> cards of one owner mask -> sink

Lower bounds are removed the usual way: the `low` units of a (player, set) node come straight from
the source, the rest of the hand from the player. The problem is feasible iff every source arc is
full. Otherwise the source side of a minimum cut is a coalition with its witnesses, and the cut's
capacity is exactly the sum of the coalition inequality (see `solvers.shortage`).

Cards of a set with equal owners share one node, so the graph has at most
P + P*N + (distinct owner masks) nodes. Cost: OR-Tools' push-relabel, O(V^2 sqrt(E)) at worst; the
largest problems take half a second, without a time limit, and cannot be interrupted.
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

    Node 0 is the source, 1 the sink, 2 + p player p; then the (player, set) nodes, set by set, and
    then one node per set and distinct owner mask.
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
                # Nobody can hold more than the set has, whatever number the bound is.
                capacities += (low, max(0, min(constraint.high[player], constraint.size) - low))
            node += players
        for player, amount in enumerate(free):
            tails.append(SOURCE)
            heads.append(2 + player)
            capacities.append(amount)
        self.first_share = len(tails)
        # Per arc from a (player, set) node to a class: (set, owner mask, player).
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
        """Return the node of one player's share of one set."""
        return 2 + self.problem.players * (1 + set_index) + player


def build(network: Network) -> Any:
    """Fill OR-Tools' flow solver with the arcs of a network, in their order."""
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
    """Solve, and return the amount of flow that reaches the sink."""
    from ortools.graph.python import max_flow

    status = solver.solve(SOURCE, SINK)
    if status != max_flow.SimpleMaxFlow.OPTIMAL:
        raise SolverFault(f"the flow solver ended with status {status}")
    return int(solver.optimal_flow())


def flows_of(network: Network, solver: Any) -> list[int]:
    """Return the flow through each arc of a solved network, in their order."""
    import numpy as np

    return [int(flow) for flow in solver.flows(np.arange(len(network.tails), dtype=np.int32))]


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Build the network; the result solves it. See the module for the construction."""
    plain = plain_shortage(problem)
    if plain is not None:
        return lambda: Infeasible(plain)
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
    """Hand out the cards of each class as the flow divides them; within a class all are alike."""
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
    """Read the source side of a minimum cut as a coalition and its witnesses."""
    players = range(network.problem.players)
    coalition = sum(1 << player for player in players if 2 + player in reached)
    # A member of the coalition whose bound is no bound adds no more in the witness than outside.
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
