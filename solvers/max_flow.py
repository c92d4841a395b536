"""The solver `max-flow`: a maximum flow with lower bounds, which takes polynomial time.

The flow network has five layers:

    source -> player -> (player, set) -> cards with the same possible owners -> sink

Lower bounds are eliminated in the usual way: each (player, set) node receives the lower bound
directly from the source, and the rest from the node of the player. The problem is feasible if and
only if the flow fills all arcs from the source. Otherwise, the source side of a minimum cut gives
the coalition and the witnesses of a shortage (see `solvers.shortage`).

The push-relabel algorithm of OR-Tools computes the flow. The largest problems take half a second.
The computation has no time limit and cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quaternity.base.errors import SolverFault
from solvers.problem import DealProblem, members_of
from solvers.shortage import Shortage, simple_certificate
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

SOURCE, SINK = 0, 1


class Network:
    """Flow network of a deal problem, whose maximum flow is a deal.

    Node 0 is the source, node 1 is the sink, and node 2 + p is player p. The other nodes follow,
    set by set: the (player, set) nodes, and a node for each distinct owner mask. All cards of a set
    with the same owner mask form a *class*. The hands and bounds of the problem must not contradict
    each other directly (see `simple_certificate`).

    A compact network omits nodes and arcs that do not restrict the flow. A player without bounds in
    a set has no (player, set) node for it, and sets without any bounds share their classes.

    Attributes:
        tails, heads, capacities: the arcs.
        share_nodes: the (player, set) nodes as `[set][player]`, or the node of the player if there
            is no such node.
        classes: for each set, the node of each class, by owner mask.
        shares: the pair (node of the class, player) of each arc into a class, in the order of the
            arcs. The first of these arcs has the number `first_share`.
    """

    __slots__ = (
        "capacities", "classes", "first_share", "heads",
        "problem", "share_nodes", "shares", "tails",
    )  # fmt: skip

    def __init__(self, problem: DealProblem, *, is_compact: bool = False) -> None:
        self.problem = problem
        players = len(problem.hands)
        own_nodes = list(range(2, 2 + players))
        tails: list[int] = []
        heads: list[int] = []
        capacities: list[int] = []
        # The last arcs are the arcs into the nodes of cards, and then the arcs from these nodes to
        # the sink. Both are in the order of this list.
        ends: list[tuple[int, int, int, list[int]]] = []
        free = list(problem.hands)
        node = 2 + players
        self.share_nodes: list[list[int]] = []
        self.classes: list[dict[int, int]] = []
        unbound: dict[int, int] = {}
        unbound_sizes: dict[int, int] = {}
        for owners, lows, highs in problem.sets:
            size = len(owners)
            loose = is_compact and not any(lows) and min(highs) >= size
            share_nodes = own_nodes
            if not loose:
                share_nodes = own_nodes.copy()
                for player, low in enumerate(lows):
                    # An upper bound may exceed the size of the set, but the number of cards cannot.
                    room = min(highs[player], size) - low
                    if is_compact and not low and room == size:
                        continue
                    share_nodes[player] = node
                    if low or not is_compact:
                        free[player] -= low
                        tails.append(SOURCE)
                        heads.append(node)
                        capacities.append(low)
                    if room > 0 or not is_compact:
                        tails.append(2 + player)
                        heads.append(node)
                        capacities.append(room if room > 0 else 0)
                    node += 1
            self.share_nodes.append(share_nodes)
            sizes: dict[int, int] = {}
            for mask in owners:
                sizes[mask] = sizes.get(mask, 0) + 1
            nodes = unbound if loose else {}
            for mask, number in sizes.items():
                if loose:
                    unbound_sizes[mask] = unbound_sizes.get(mask, 0) + number
                if mask not in nodes:
                    nodes[mask] = node
                    if not loose:
                        ends.append((node, mask, number, share_nodes))
                    node += 1
            self.classes.append(nodes)
        ends += [(unbound[mask], mask, number, own_nodes) for mask, number in unbound_sizes.items()]
        tails += [SOURCE] * players
        heads += own_nodes
        capacities += free
        self.first_share = len(tails)
        self.shares: list[tuple[int, int]] = []
        for end, mask, number, share_nodes in ends:
            for player in members_of(mask):
                tails.append(share_nodes[player])
                heads.append(end)
                capacities.append(number)
                self.shares.append((end, player))
        for end, _, number, _ in ends:
            tails.append(end)
            heads.append(SINK)
            capacities.append(number)
        self.tails, self.heads, self.capacities = tails, heads, capacities


def build(network: Network) -> Any:
    """Return a solver object of OR-Tools that contains the arcs of a network, in the same order."""
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
    """Compute the maximum flow with a solver object of OR-Tools, and return its value."""
    from ortools.graph.python import max_flow

    status = solver.solve(SOURCE, SINK)
    if status != max_flow.SimpleMaxFlow.OPTIMAL:
        raise SolverFault(f"the flow solver ended with status {status}")
    return int(solver.optimal_flow())


def flows_of(network: Network, solver: Any) -> list[int]:
    """Return the flow through each arc of a network, after `run` has computed the maximum flow."""
    import numpy as np

    return [int(flow) for flow in solver.flows(np.arange(len(network.tails), dtype=np.int32))]


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Build the flow network of a problem, and return a function that solves the problem."""
    simple = simple_certificate(problem)
    if simple is not None:
        return lambda: Infeasible(simple)
    if not problem.cards:
        return lambda: Feasible(Deal(tuple(() for _ in problem.sets)))
    network = Network(problem, is_compact=True)
    solver = build(network)

    def solve() -> Verdict:
        if run(solver) == problem.cards:
            first = network.first_share
            flows = flows_of(network, solver)[first : first + len(network.shares)]
            return Feasible(deal_of(network, flows))
        return Infeasible(shortage_of(network, set(solver.get_source_side_min_cut())))

    return solve


def deal_of(network: Network, flows: list[int]) -> Deal:
    """Return the deal that corresponds to a maximum flow.

    `flows` contains the flow through each arc of `network.shares`: the number of cards of one class
    (cards of a set with the same possible owners) that one player gets.
    """
    queues: dict[int, list[int]] = {}
    for (node, player), flow in zip(network.shares, flows, strict=True):
        if flow:
            queues.setdefault(node, []).extend([player] * flow)
    return Deal(
        tuple(
            tuple([queues[nodes[mask]].pop() for mask in constraint.owners])
            for constraint, nodes in zip(network.problem.sets, network.classes, strict=True)
        )
    )


def shortage_of(network: Network, reached: set[int]) -> Shortage:
    """Return the proof that no deal exists, given the nodes on the source side of a minimum cut."""
    players = range(network.problem.players)
    coalition = sum(1 << player for player in players if 2 + player in reached)
    # Members of the coalition whose upper bound is redundant can join the witness, because this
    # does not increase the bound of the inequality.
    witnesses = tuple(
        sum(
            1 << player
            for player in players
            if network.share_nodes[index][player] in reached
            or (coalition >> player & 1 and constraint.high[player] >= constraint.size)
        )
        for index, constraint in enumerate(network.problem.sets)
    )
    return Shortage(coalition, witnesses)
