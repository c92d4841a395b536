"""Values displayed in a notebook, and as drawings."""

from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from quaternity import Game, Move, Settings, analyse
from quaternity.base.picture import Cell, Display
from quaternity.kwartet.rules import KwartetRules
from quaternity.quarto import example_pieces, read_pieces
from quaternity.quarto.board import Board
from quaternity.table.tournament.playing import GameResult
from quaternity.table.tournament.scores import make_table
from quaternity.ternary.rules import SetRules
from quaternity.trials.comparison.runs import Comparison
from solvers import (
    CrossedBounds,
    CrowdedHand,
    DealProblem,
    SetConstraint,
    Shortage,
    TooManyCards,
    exact_chances,
    explain,
    solve,
)  # fmt: skip

KNOWN = SetConstraint.of([[0, 1, 2]] * 4, players=3, low=[1, 0, 0])
SHOWN = SetConstraint.of([[0], [0], [0, 1, 2], [0, 1, 2]], players=3)


def game() -> Game:
    """Return a game in which a set is completed."""
    return Game.start(Settings(2, 3, 3)).play(Move.parse("0 asks 1 for 0/1: yes"))


def shown_values() -> list[tuple[Any, str]]:
    """Return values, and a text that each shows."""
    rules = KwartetRules()
    possible = solve(DealProblem([4, 4, 4], [KNOWN, KNOWN, KNOWN]))
    return [
        (game(), "1 move: 0 asks 1 for 0/1: yes"),
        (game().state, "player 0 (to move): 1 card, 1 point"),
        (possible, "Possible"),
        (getattr(possible, "deal"), "the owner of every card"),  # noqa: B009 - it is feasible
        (solve(DealProblem([3, 5, 4], [KNOWN, KNOWN, SHOWN])), "Impossible"),
        (rules.view(rules.start(Random(1)), 2), "as player 2 knows it"),
        (Comparison("two games", 0, 1.0, "", "a machine", {}, ()), "two games"),
        (make_table([GameResult((0, 1), (1.0, 0.0), (1, 2), 3)], 2), "1 games"),
        (DealProblem([4, 4, 4], [KNOWN, KNOWN, KNOWN]), "at least 1"),
        (exact_chances(DealProblem([4], [SetConstraint.of([[0]] * 4, players=1)])), "100.0%"),
        (exact_chances(DealProblem([3], [])), "there is no deal"),
        (analyse(game().state), "The probability that a player owns a card"),
        (explain(DealProblem([3, 5, 4], [KNOWN, KNOWN, SHOWN])), "Impossible"),
        (TooManyCards(), "more cards than places"),
        (CrossedBounds(0, 1), "the minimum of player 0 in set 1"),
        (CrowdedHand(2), "the minimums of player 2"),
        (Shortage.of([0, 2], [[0], [1, 2]]), "players 1 and 2"),
    ]


@pytest.mark.parametrize("number", range(17))
def test_values_show_themselves(number: int) -> None:
    value, says = shown_values()[number]
    assert value.svg() == value.picture().svg()
    assert says in value._repr_html_()
    drawn = value.picture().svg()
    assert says in drawn
    ElementTree.fromstring(drawn)
    ElementTree.fromstring(value._repr_html_())


def test_boards_and_tables_are_drawn() -> None:
    board = Board.parse("N?BI??JO?FDLMEAG", read_pieces(example_pieces()))
    rules = SetRules()
    table = rules.view(rules.start(Random(1)), 0)
    for value in (board, table):
        ElementTree.fromstring(value._repr_svg_())


def test_texts_are_escaped() -> None:
    picture = Display("<b>", ("a & b",), [[Cell("<script>", "sure", '"')]])
    for text in (picture.html(), picture.svg()):
        assert "<script>" not in text
        assert "&lt;b&gt;" in text
        ElementTree.fromstring(text)
