"""Adapters for libraries that compute a maximum flow in the network of `solvers.max_flow`.

If a problem is infeasible, a minimum cut gives the shortage. The source side of the cut consists of
the nodes that can be reached from the source in the residual network of a maximum flow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from solvers.max_flow import SINK, SOURCE, Network, deal_of, shortage_of
from solvers.verdict import Feasible, Infeasible, Verdict


def _verdict(network: Network, flows: Sequence[int]) -> Verdict:
    arcs = list(zip(network.tails, network.heads, network.capacities, flows, strict=True))
    if sum(flow for tail, _, _, flow in arcs if tail == SOURCE) == network.problem.cards:
        return Feasible(deal_of(network, list(flows[network.first_share :])))
    ways: dict[int, list[int]] = {}
    for tail, head, capacity, flow in arcs:
        if flow < capacity:
            ways.setdefault(tail, []).append(head)
        if flow > 0:
            ways.setdefault(head, []).append(tail)
    reached, frontier = {SOURCE}, [SOURCE]
    while frontier:
        new = set(ways.get(frontier.pop(), ())) - reached
        reached |= new
        frontier += new
    return Infeasible(shortage_of(network, reached))


def scipy(network: Network, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that finds a maximum flow with SciPy, by Dinic's algorithm."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    ends = (network.tails, network.heads)
    nodes = 1 + max(*network.heads, *network.tails)
    capacities = np.array(network.capacities, dtype=np.int32)
    graph = csr_array((capacities, ends), shape=(nodes, nodes))

    def solve() -> Verdict | None:
        flow: Any = maximum_flow(graph, SOURCE, SINK, method="dinic").flow
        return _verdict(network, np.asarray(flow[ends]).ravel().tolist())

    return solve


def networkx(network: Network, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that finds a maximum flow with NetworkX, by preflow-push in Python."""
    import networkx as library

    graph = library.DiGraph()
    for tail, head, capacity in zip(network.tails, network.heads, network.capacities, strict=True):
        graph.add_edge(tail, head, capacity=capacity)

    def solve() -> Verdict | None:
        _, flows = library.maximum_flow(graph, SOURCE, SINK)
        return _verdict(
            network, [flows[a][b] for a, b in zip(network.tails, network.heads, strict=True)]
        )

    return solve


def igraph(network: Network, seconds: float | None) -> Callable[[], Verdict | None]:
    """Return a function that finds a maximum flow with igraph, by push-relabel in C."""
    import igraph as library

    edges = list(zip(network.tails, network.heads, strict=True))
    graph = library.Graph(1 + max(*network.heads, *network.tails), edges, directed=True)

    def solve() -> Verdict | None:
        flow = graph.maxflow(SOURCE, SINK, capacity=network.capacities).flow
        return _verdict(network, [round(amount) for amount in flow])

    return solve
