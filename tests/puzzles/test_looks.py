"""No two seeds make puzzles that are equal up to names."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from quaternity.base.sentences import message_data
from quaternity.game.game import Game
from quaternity.puzzles import Puzzle, make
from quaternity.puzzles.boards import position_of
from quaternity.quarto.board import Board
from quaternity.quarto.rows import ROWS
from quaternity.ternary.cards import SetCard
from solvers.problem import players_in
from tests.puzzles.by_trying import moves_of
from tests.sizes import thorough


def table_form(puzzle: Puzzle) -> tuple[int, ...]:
    """Return the least form of a table of SET under all renamings of properties and values."""
    digits = [SetCard(int(card)).digits for card in puzzle.position.split()]
    values = np.array(list(permutations(range(3))))
    least = []
    for properties in permutations(zip(*digits, strict=True)):
        renamed = [values[:, list(column)] for column in properties]
        first, second, third, last = renamed
        halves = (first[:, None] * 3 + second).reshape(36, -1)
        others = (third[:, None] * 3 + last).reshape(36, -1)
        tables = np.sort((halves[:, None] * 9 + others).reshape(1296, -1), axis=1)
        least.append(min(map(tuple, tables.tolist())))
    return min(least)


def state_form(puzzle: Puzzle) -> tuple[Any, ...]:
    """Return the least form of a state and its question under all renamings."""
    state, about = Game.parse(puzzle.position).state, message_data(puzzle.question)
    players, asked = range(state.players), about.get("card")
    least = []
    for new in permutations(players):
        old = [new.index(player) for player in players]
        sets = [
            (
                sorted(
                    (sorted(new[player] for player in players_in(mask)), (index, number) == asked)
                    for number, mask in enumerate(constraint.owners)
                ),
                [(constraint.low[player], constraint.high[player]) for player in old],
            )
            for index, constraint in enumerate(state.problem.sets)
        ]  # fmt: skip
        hands = [(state.problem.hands[player], state.points[player]) for player in old]
        roles = [new[about[role]] for role in ("asker", "asked", "who") if role in about]
        turn = None if state.turn is None else new[state.turn]
        least.append((sorted(sets), hands, roles, turn))
    return repr(min(least)), str(about.get("answer")), about.get("count")


def log_form(puzzle: Puzzle) -> tuple[Any, ...]:
    """Return a seat's log and question; players, sets and cards are numbered as mentioned."""
    players, cards = dict[int, int](), dict[int, dict[int, int]]()

    def number_card(index: int, number: int) -> tuple[int, int]:
        numbers = cards.setdefault(index, {})
        return list(cards).index(index), numbers.setdefault(number, len(numbers))

    moves = []
    for asker, asked, index, number, answer in moves_of(puzzle.position):
        names = [players.setdefault(player, len(players)) for player in (asker, asked)]
        moves.append((*names, *number_card(index, number), answer))
    about = message_data(puzzle.question)
    asked_of = [players.setdefault(about[role], len(players)) for role in ("seat", "who", "holder")
                if role in about]  # fmt: skip
    card = number_card(*about["card"]) if "card" in about else None
    hand = {index: sorted(number for other, number in _hand(puzzle) if other == index)
            for index, _ in _hand(puzzle)}  # fmt: skip
    held = sorted((list(cards).index(index) if index in cards else 99,
                   sorted(cards.get(index, {}).get(number, 99) for number in numbers))
                  for index, numbers in hand.items())  # fmt: skip
    return tuple(moves), tuple(asked_of), card, repr(held)


def _hand(puzzle: Puzzle) -> list[tuple[int, int]]:
    hand = re.search(r"^hand \d+: (\d+/.*)$", puzzle.position, re.MULTILINE)
    assert hand, "some hand is seen"
    return [(int(index), int(number)) for index, number in re.findall(r"(\d+)/(\d+)", hand[1])]


def _symmetries() -> list[list[int]]:
    """Order the cells in the 32 ways that keep all rows of Quarto."""
    kept = [range(4), (3, 2, 1, 0), (1, 0, 3, 2), (2, 3, 0, 1), (0, 2, 1, 3), (3, 1, 2, 0),
            (1, 3, 0, 2), (2, 0, 3, 1)]  # fmt: skip
    orders = []
    for order, mirrored, flipped in product(kept, (0, 3), (False, True)):
        both = [[order[row], order[column ^ mirrored]] for row in range(4) for column in range(4)]
        orders.append([4 * y + x if flipped else 4 * x + y for x, y in both])
    return orders


def board_form(puzzle: Puzzle) -> tuple[int, ...]:
    """Return the least form of a board and the piece in hand under all symmetries."""
    board = position_of(puzzle)
    assert isinstance(board, Board)
    _, _, piece = puzzle.position.partition(" ")
    in_hand = board.pieces.piece(piece) if piece else None
    cells = np.array([16 if x is None else x for x in (*board.cells, in_hand)])
    tables = []
    for bits in permutations(range(4)):
        turned = np.array([sum((x >> bit & 1) << at for at, bit in enumerate(bits))
                           for x in range(16)] + [16])  # fmt: skip
        tables += [np.append(turned[:16] ^ mask, 16)[cells] for mask in range(16)]
    pieces = np.array(tables)
    assert pieces.shape == (384, 17)
    turned_boards = [pieces[:, [*order, 16]] for order in _symmetries()]
    return min(min(map(tuple, boards.tolist())) for boards in turned_boards)


FORMS: dict[str, Callable[[Puzzle], Any]] = {
    "possible": state_form, "owner": state_form, "force": state_form, "trace": log_form,
    "knows": log_form, "sets": table_form, "quarto": board_form,
}  # fmt: skip


@pytest.mark.parametrize("level", thorough([1, 2], [1, 2, 3]))
@pytest.mark.parametrize("kind", FORMS)
def test_no_two_seeds_make_puzzles_that_look_alike(kind: str, level: int) -> None:
    _check_forms_differ(kind, level, thorough(2, 120))


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("kind", FORMS)
def test_no_two_of_a_thousand_seeds_make_puzzles_that_look_alike(kind: str, level: int) -> None:
    _check_forms_differ(kind, level, 1000)


def _check_forms_differ(kind: str, level: int, many: int) -> None:
    seen = dict[str, int]()
    for seed in range(many):
        form = str(FORMS[kind](make(kind, seed, level)))
        assert seen.setdefault(form, seed) == seed, f"seeds {seen[form]} and {seed} look alike"


def test_symmetries_map_rows_to_rows() -> None:
    assert len(set(map(tuple, _symmetries()))) == 32
    rows = {frozenset(row.cells) for row in ROWS}
    for order in _symmetries():
        assert {frozenset(order[cell] for cell in row) for row in rows} == rows
