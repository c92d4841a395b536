"""The flow network as a graph: the flow is maximal, the cut is minimal, and NetworkX agrees."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from quaternity.base.errors import InputError
from solvers import DealProblem, Names, SetConstraint, solve
from solvers.flow_graph import draw_flow_network, flow_network
from solvers.strategies import deal_problems
from tests.sizes import examples

networkx = pytest.importorskip("networkx")

CROSSED = SetConstraint.of([[0, 1], [0], [1]], players=3, low=[1, 0, 0])
IMPOSSIBLE = DealProblem([3, 2, 1], [CROSSED, SetConstraint.of([[0, 1, 2], [1], [1]], players=3)])


@given(problem=deal_problems())
@settings(max_examples=examples(1000))
def test_flow_and_cut_agree_with_networkx_and_the_verdict(problem: DealProblem) -> None:
    try:
        graph = flow_network(problem)
    except InputError:
        assert not solve(problem)
        return
    source, sink = ("source", 0, 0), ("sink", 0, 0)
    value = graph.graph["value"]
    assert value == networkx.maximum_flow_value(graph, source, sink)
    assert value == sum(edge["capacity"] for *_, edge in graph.edges.data() if edge["is_cut"])
    assert bool(solve(problem)) == (value == problem.cards)
    for tail, head, edge in graph.edges.data():
        assert 0 <= edge["flow"] <= edge["capacity"]
        assert graph.nodes[tail]["layer"] < graph.nodes[head]["layer"]
    for node in set(graph) - {source, sink}:
        into, out = graph.in_edges(node, "flow"), graph.out_edges(node, "flow")
        assert sum(flow for *_, flow in into) == sum(flow for *_, flow in out)


def test_names_and_refusals() -> None:
    graph = flow_network(IMPOSSIBLE.named(Names(players=("Ann", "Bob", "Cem"))))
    labels = dict(graph.nodes.data("label"))
    assert labels["share", 2, 1] == "Cem, set 1"
    assert labels["cards", 1, 1] == "1/1 and 1/2 for Bob"
    many = flow_network(DealProblem([5], [SetConstraint.of([[0]] * 5, players=1)]))
    assert many.nodes["cards", 0, 0]["label"] == "5 cards (0/0 ... 0/4) for player 0"
    with pytest.raises(
        InputError, match="no flow network exists, because the hands hold 1 card in all"
    ):
        flow_network(DealProblem([1], [SetConstraint.of([[0], [0]], players=1)]))


def test_the_drawing_names_every_node_and_marks_the_cut(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "network.svg"
    graph = flow_network(IMPOSSIBLE)
    shown = draw_flow_network(graph, str(path))
    drawn = path.read_text(encoding="utf-8")
    assert "5 of 6 cards are dealt" in drawn
    assert drawn.lower().count("#d55e00") >= 2
    texts = list(ElementTree.fromstring(shown.svg).itertext())
    assert {label for _, label in graph.nodes.data("label")} < set(texts)
    assert shown == draw_flow_network(graph)
