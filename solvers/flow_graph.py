"""The flow network of a deal problem as a NetworkX graph, with a maximum flow and a minimum cut.

The solver `max-flow` uses the same network (see `solvers.max_flow`):

    source -> player -> (player, set) -> cards of a set with equal owners -> sink

The problem has a deal if and only if the flow fills every edge into the sink. NetworkX and
matplotlib are optional: `pip install 'quaternity[networkx,plot]'`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from quaternity.base.errors import InputError
from quaternity.base.extras import needs_extra
from quaternity.base.plots import default_style, new_figure, plain_label, save_figure, svg_of
from quaternity.base.sentences import Wording
from quaternity.base.svg import Drawing
from quaternity.base.text_format import quote_value
from quaternity.base.validation import validate_arguments
from solvers.max_flow import SINK, SOURCE, Network, build, flows_of, run
from solvers.names import list_cards
from solvers.problem import DealProblem, players_in
from solvers.shortage import simple_certificate

if TYPE_CHECKING:
    import networkx

Node: TypeAlias = tuple[str, int, int]
"""Node of the graph as a tuple: ("player", player, 0), ("share", player, set), ("cards", set, group
of cards), ("source", 0, 0) or ("sink", 0, 0)."""

LAYERS = ("source", "player", "share", "cards", "sink")
"""Kinds of nodes, in the order in which a drawing shows them from left to right."""

MAX_LABELLED_ROWS = 30
"""Maximum number of nodes in a layer for which a drawing labels all edges. In a larger drawing,
only the edges of the cut have labels."""

LABEL_PLACES = {"source": 0.8, "player": 0.25, "share": 0.25, "cards": 0.6}
"""Position of the label of an edge, as a fraction of the edge's length, by the kind of the edge's
first node."""

CUT_COLOUR, FLOW_COLOUR, IDLE_COLOUR = "#D55E00", "#0072B2", "#BBBBBB"


@validate_arguments(problem=DealProblem)
def flow_network(problem: DealProblem) -> networkx.DiGraph[Node]:
    """Return the flow network of a problem, with a maximum flow and a minimum cut.

    A node has the attributes `label`, `layer` (from 0 for the source to 4 for the sink) and
    `is_source_side` (whether it is on the source side of the cut). An edge has the attributes
    `capacity`, `flow` and `is_cut`. The graph has the attributes `value` (the value of the flow)
    and `cards` (the value that a deal needs).

    Raises:
        InputError: If NetworkX is not installed, or if the hands and bounds alone show that there
            is no deal.

    >>> from solvers import SetConstraint
    >>> graph = flow_network(DealProblem([1, 1], [SetConstraint.of([[0, 1], [0]], players=2)]))
    >>> graph.graph
    {'value': 2, 'cards': 2}
    >>> graph.edges[("source", 0, 0), ("player", 1, 0)]
    {'capacity': 1, 'flow': 1, 'is_cut': True}
    """
    with needs_extra("flow networks need", "networkx,plot"):
        import networkx
    plain = simple_certificate(problem)
    if plain is not None:
        raise InputError(
            f"problem: no flow network exists, because {problem.words.say(plain.in_words(problem))}"
        )
    network = Network(problem)
    nodes = _nodes(network, problem.words)
    graph: networkx.DiGraph[Node] = networkx.DiGraph()
    flows, inside, value = [0] * len(network.tails), {SOURCE}, 0
    if problem.cards:
        solver = build(network)
        value = run(solver)
        flows, inside = flows_of(network, solver), set(solver.get_source_side_min_cut())
    graph.graph.update(value=value, cards=problem.cards)
    for number, (node, label) in nodes.items():
        layer = LAYERS.index(node[0])
        graph.add_node(node, label=label, layer=layer, is_source_side=number in inside)
    for tail, head, capacity, flow in zip(
        network.tails, network.heads, network.capacities, flows, strict=True
    ):
        ends = nodes[tail][0], nodes[head][0]
        is_cut = tail in inside and head not in inside
        graph.add_edge(*ends, capacity=capacity, flow=flow, is_cut=is_cut)
    return graph


def _nodes(network: Network, names: Wording) -> dict[int, tuple[Node, str]]:
    # Return the nodes of the graph with their labels, by their numbers in the network.
    nodes: dict[int, tuple[Node, str]] = {
        SOURCE: (("source", 0, 0), "source"),
        SINK: (("sink", 0, 0), "sink"),
    }
    for player in range(network.problem.players):
        nodes[2 + player] = ("player", player, 0), names.player(player)
    for index, (constraint, shares, classes) in enumerate(
        zip(network.problem.sets, network.share_nodes, network.classes, strict=True)
    ):
        for player, node in enumerate(shares):
            nodes[node] = ("share", player, index), f"{names.player(player)}, {names.set(index)}"
        for number, (mask, node) in enumerate(classes.items()):
            alike = (card for card, owners in enumerate(constraint.owners) if owners == mask)
            cards = [(index, card) for card in alike]
            owners = names.players(players_in(mask)) if mask else "nobody"
            nodes[node] = ("cards", index, number), f"{list_cards(cards, names)} for {owners}"
    return nodes


@default_style()
def draw_flow_network(graph: networkx.DiGraph[Node], path: str | None = None) -> Drawing:
    """Draw a network returned by `flow_network`, in layers from the source to the sink.

    A notebook shows the returned drawing. Its attribute `svg` is the text of an SVG file.

    Each edge is labelled with its flow and its capacity. If the flow does not reach every card, the
    edges of the minimum cut are red, because they are the reason why there is no deal.

    Args:
        path: a file for the drawing, or None. The name must end in .png, .svg or .pdf.

    Raises:
        InputError: If the name of the file ends differently, the file cannot be written, or
            matplotlib is not installed.
    """
    if not isinstance(getattr(graph, "graph", None), dict) or "value" not in graph.graph:
        raise InputError(f"graph: {quote_value(graph)} is not the result of `flow_network`")
    layers: dict[int, list[Node]] = defaultdict(list)
    for node, layer in graph.nodes.data("layer"):
        layers[layer].append(node)
    rows = max(map(len, layers.values()))
    places = {
        node: (layer, (number + 0.5) * rows / len(column))
        for layer, column in layers.items()
        for number, node in enumerate(column)
    }
    has_deal = graph.graph["value"] == graph.graph["cards"]
    figure = new_figure(13, max(3.0, 0.32 * rows + 1))
    axes = figure.subplots()
    small = 8 if rows <= MAX_LABELLED_ROWS else 5
    for tail, head, edge in graph.edges.data():
        if edge["capacity"]:
            (x, y), (right, below) = places[tail], places[head]
            is_cut = edge["is_cut"] and not has_deal
            colour = CUT_COLOUR if is_cut else FLOW_COLOUR if edge["flow"] else IDLE_COLOUR
            axes.plot(
                [x, right], [y, below], color=colour, lw=2.5 if is_cut else 1, zorder=1 + is_cut
            )
            if rows <= MAX_LABELLED_ROWS or is_cut:
                part = LABEL_PLACES[tail[0]]
                axes.text(
                    x + part * (right - x), y + part * (below - y),
                    f"{edge['flow']}/{edge['capacity']}", fontsize=small, color=colour, ha="center",
                    bbox={"fc": "white", "ec": "none", "pad": 0.5}, zorder=3,
                )  # fmt: skip
    for node, (x, y) in places.items():
        fill = "#FCE6D8" if graph.nodes[node]["is_source_side"] and not has_deal else "white"
        axes.text(
            x, y, plain_label(graph.nodes[node]["label"]), fontsize=small + 1, ha="center",
            va="center", bbox={"boxstyle": "round", "fc": fill, "ec": "#555555"}, zorder=4,
        )  # fmt: skip
    reached = f"{graph.graph['value']} of {graph.graph['cards']} cards are dealt"
    verdict = "so there is a deal" if has_deal else "and the red cut shows why there are no more"
    title = f"The maximum flow: {reached}, {verdict}"
    axes.set_title(title)
    axes.invert_yaxis()
    axes.margins(x=0.08)
    axes.set_axis_off()
    if path is not None:
        save_figure(figure, path)
    return Drawing(title, svg_of(figure))
