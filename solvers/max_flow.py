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

from collections.abc import Callable, Sequence
from operator import gt, sub
from typing import Any, TypeAlias

from quaternity.base.errors import SolverFault
from quaternity.base.memo import Memo, bytes_of
from solvers.problem import DealProblem, members_of, ownable_counts, with_entry
from solvers.shortage import Shortage, simple_certificate
from solvers.verdict import Deal, Feasible, Infeasible, Verdict

SOURCE, SINK = 0, 1

SetArcs: TypeAlias = tuple[
    tuple[int, ...], tuple[tuple[int, int, int], ...], tuple[tuple[int, int], ...]
]
"""The part of a network for one set, as a tuple (reserved, bounds, classes). `reserved` has,
for each player, the number of cards that do not flow through the player's node. `bounds` has an
entry (player, capacity from the source, capacity from the player) for each (player, set) node.
`classes` has an entry (owner mask, number of cards) for each class."""


@Memo
def _set_arcs(
    is_compact: bool, owners: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...]
) -> tuple[SetArcs, int]:
    counts: dict[int, int] = {}
    for mask in owners:
        counts[mask] = counts.get(mask, 0) + 1
    certain, size = [0] * len(low), len(owners)
    if is_compact:
        certain = [counts.pop(1 << player, 0) for player in range(len(low))]
        size -= sum(certain)
    bounds = []
    if not is_compact or any(map(gt, low, certain)) or min(high) < len(owners):
        for player, (least, most, own) in enumerate(zip(low, high, certain, strict=True)):
            minimum = max(least - own, 0)
            # An upper bound may exceed the size of the set, but the number of cards cannot. If the
            # minimum exceeds it, the flow shows that there is no deal.
            room = min(most - own, max(size, minimum)) - minimum
            if not is_compact:
                bounds.append((player, minimum, max(room, 0)))
            elif minimum or room != size:
                bounds.append((player, minimum, room))
    result = tuple(map(max, low, certain)), tuple(bounds), tuple(counts.items())
    return result, bytes_of(8 + len(bounds) + len(counts), len(owners) + 6 * len(low))


class Network:
    """Flow network of a deal problem, whose maximum flow is a deal.

    Node 0 is the source, node 1 is the sink, and node 2 + p is player p. The other nodes follow,
    set by set: the (player, set) nodes, and a node for each distinct owner mask. All cards of a set
    with the same owner mask form a *class*.

    A compact network omits nodes and arcs that do not restrict the flow. Cards with a single
    possible owner are dealt in advance. A player without bounds on the other cards of a set has no
    (player, set) node for it, and sets without any bounds share their classes. If a capacity is
    negative, there is no deal. If a network is not compact, `simple_certificate` must return None
    for the problem.

    Attributes:
        tails, heads, capacities: the arcs.
        cards: the number of cards in all classes. A flow of this value is a deal.
        share_nodes: `share_nodes[set][player]` is the (player, set) node, or the player's node if
            there is none.
        classes: `classes[set][owner mask]` is the node of a class.
        receivers: the player of each arc into a class. These arcs are consecutive and begin with
            the arc number `first_share`.
    """

    __slots__ = (
        "capacities", "cards", "classes", "first_share", "heads",
        "problem", "receivers", "share_nodes", "tails",
    )  # fmt: skip

    def __init__(self, problem: DealProblem, *, is_compact: bool = False) -> None:
        self.problem = problem
        own_nodes = list(range(2, 2 + len(problem.hands)))
        tails, heads, capacities = list[int](), list[int](), list[int]()
        # The last arcs lead into the classes, and then to the sink, in the order of `ends`.
        ends: list[tuple[int, int, list[int]]] = []
        sizes: dict[int, int] = {}
        node = 2 + len(own_nodes)
        taken: list[Sequence[int]] = [[0] * len(own_nodes)]
        self.share_nodes: list[list[int]] = []
        self.classes: list[dict[int, int]] = []
        unbound: dict[int, int] = {}
        for constraint in problem.sets:
            reserved, bounds, classes = _set_arcs[is_compact, *constraint]
            taken.append(reserved)
            share_nodes = own_nodes.copy() if bounds else own_nodes
            for player, low, room in bounds:
                share_nodes[player] = node
                tails += SOURCE, 2 + player
                heads += node, node
                capacities += low, room
                node += 1
            self.share_nodes.append(share_nodes)
            nodes = {} if bounds else unbound
            for mask, number in classes:
                if mask in nodes:
                    sizes[nodes[mask]] += number
                else:
                    nodes[mask] = node
                    sizes[node] = number
                    ends.append((node, mask, share_nodes))
                    node += 1
            self.classes.append(nodes)
        tails += [SOURCE] * len(own_nodes)
        heads += own_nodes
        capacities += map(sub, problem.hands, map(sum, zip(*taken, strict=True)))
        self.first_share = len(tails)
        self.receivers: list[int] = []
        for end, mask, share_nodes in ends:
            players, number = members_of(mask), sizes[end]
            self.receivers += players
            for player in players:
                tails.append(share_nodes[player])
                heads.append(end)
                capacities.append(number)
        tails += sizes
        heads += [SINK] * len(sizes)
        capacities += sizes.values()
        self.cards = sum(sizes.values())
        self.tails, self.heads, self.capacities = tails, heads, capacities


def build(network: Network) -> Any:
    """Return a solver object of OR-Tools that contains the arcs of a network, in the same order."""
    from ortools.graph.python import max_flow

    solver = max_flow.SimpleMaxFlow()
    solver.add_arcs_with_capacity(network.tails, network.heads, network.capacities)
    return solver


def run(solver: Any) -> int:
    """Compute the maximum flow with a solver object of OR-Tools, and return its value."""
    status = solver.solve(SOURCE, SINK)
    if status != solver.OPTIMAL:
        raise SolverFault(f"the flow solver ended with status {status}")
    return int(solver.optimal_flow())


def flows_of(network: Network, solver: Any, first: int = 0) -> list[int]:
    """Return the flow through each arc from number `first` on, after `run` has computed it."""
    flows: list[int] = solver.flows(range(first, len(network.tails))).tolist()
    return flows


def prepare(problem: DealProblem) -> Callable[[], Verdict]:
    """Build the flow network of a problem, and return a function that solves the problem."""
    hands, sets = problem
    is_crowded = sum(hands) != problem.cards or any(
        map(gt, map(sum, zip(*[lows for _, lows, _ in sets], strict=True)), hands)
    )
    network = None if is_crowded else Network(problem, is_compact=True)
    if network is None or min(network.capacities) < 0:
        proof = simple_certificate(problem) or _certain_cards_shortage(problem)
        return lambda: Infeasible(proof)
    if not network.cards:
        return lambda: Feasible(deal_of(network, []))
    solver = build(network)

    def solve() -> Verdict:
        if run(solver) == network.cards:
            return Feasible(deal_of(network, flows_of(network, solver, network.first_share)))
        return Infeasible(shortage_of(network, set(solver.get_source_side_min_cut())))

    return solve


def _certain_cards_shortage(problem: DealProblem) -> Shortage | None:
    """Return a proof that a player must hold more cards than the hand or a maximum allows.

    A card that only one player may own belongs to that player. The result is None if such cards and
    the minimums fit. `simple_certificate` must return None for the problem.
    """
    everybody = (1 << problem.players) - 1
    for player, hand in enumerate(problem.hands):
        others = everybody ^ 1 << player
        witnesses, needed = [], 0
        for index, (owners, low, high) in enumerate(problem.sets):
            certain = owners.count(1 << player)
            if certain > high[player]:
                all_players = [everybody] * len(problem.sets)
                return Shortage(everybody, with_entry(all_players, index, others))
            needed += max(low[player], certain)
            witnesses.append(others if certain > low[player] else everybody)
        if needed > hand:
            return Shortage(others, tuple(witnesses))
    return None


def deal_of(network: Network, flows: list[int]) -> Deal:
    """Return the deal that corresponds to a maximum flow.

    `flows` begins with the flow through each arc of `network.receivers`: the number of cards that
    one player gets from one class. A class contains the cards of a set with the same possible
    owners.
    """
    queues: dict[int, list[int]] = {}
    nodes = network.heads[network.first_share :]
    for node, player, flow in zip(nodes, network.receivers, flows, strict=False):
        if flow:
            queues.setdefault(node, []).extend([player] * flow)
    return Deal(tuple([
        tuple([
            queues[classes[mask]].pop() if mask in classes else mask.bit_length() - 1
            for mask in constraint.owners
        ])
        for constraint, classes in zip(network.problem.sets, network.classes, strict=True)
    ]))  # fmt: skip


def shortage_of(network: Network, reached: set[int]) -> Shortage:
    """Return the proof that no deal exists, given the nodes on the source side of a minimum cut."""
    players = range(network.problem.players)
    coalition = sum(1 << player for player in players if 2 + player in reached)
    witnesses = []
    for nodes, constraint in zip(network.share_nodes, network.problem.sets, strict=True):
        # Members of the coalition whose upper bound is redundant can join the witness, because this
        # does not increase the bound of the inequality.
        ownable = ownable_counts(constraint.owners, len(players))
        witnesses.append(sum(
            1 << player for player in players
            if nodes[player] in reached
            or (coalition >> player & 1 and constraint.high[player] >= ownable[player])
        ))  # fmt: skip
    return Shortage(coalition, tuple(witnesses))
