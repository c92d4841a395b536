"""Ten thousand puzzles of each kind, answered by programs that share no code with their making."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations

import pytest

from quaternity.base.sentences import document, message_data
from quaternity.game.game import Game
from quaternity.kwartet.log import parse_any_log
from quaternity.kwartet.seat_log import SeatLog
from quaternity.puzzles import KINDS, Puzzle, make
from quaternity.quarto.board import Board
from quaternity.quarto.pieces_file import example_pieces, read_pieces
from solvers.problem import DealProblem
from tests.puzzles.by_trying import Quarto, Truth, common, deals_seen, forces_by, knows, replay
from tests.sizes import thorough

MANY = {1: 3300, 2: 3300, 3: 3000, 4: 380, 5: 20}
"""Number of puzzles of each level; of `force`, a tenth."""


def possible(puzzle: Puzzle) -> set[str]:
    """Return whether a deal is left after the answer."""
    about = message_data(puzzle.question)
    move = (about["asker"], about["asked"], *about["card"], bool(about["answer"]))
    return {"yes" if replay(puzzle.position).apply(move) else "no"}


def select_unmarked(problem: DealProblem, certain: Iterable[tuple[int, int, int]]) -> set[str]:
    """Return those of the certain cards that the marks on the board leave open."""
    return {f"{index}/{number} {player}" for index, number, player in certain
            if problem.sets[index].owners[number] != 1 << player}  # fmt: skip


def owner(puzzle: Puzzle) -> set[str]:
    """Return the cards that one player has in every deal."""
    marks = Game.parse(puzzle.position).state.problem
    return select_unmarked(marks, replay(puzzle.position).certain())


def force(puzzle: Puzzle) -> set[str]:
    """Return the questions after which the set is completed, whatever the others do."""
    state, me = replay(puzzle.position), message_data(puzzle.question)["who"]
    goal, within = state.completed_sets().count(me) + 1, puzzle.level_from["questions"]
    return {
        f"{me} asks {question[1]} for {question[2]}/{question[3]}"
        for question in state.questions()
        if forces_by(state, question, me, goal, within)
    }


def trace(puzzle: Puzzle) -> set[str]:
    """Return the cards that another player has in every deal."""
    log = parse_any_log(puzzle.position)
    assert isinstance(log, SeatLog)
    deals = deals_seen(puzzle.position, everybody=False)
    certain = [
        (*card, player)
        for player in range(len(deals[0])) if player != log.seat
        for card in frozenset.intersection(*(deal[player] for deal in deals))
    ]  # fmt: skip
    return select_unmarked(log.views[-1].problem, certain)


def knowing(puzzle: Puzzle) -> set[str]:
    """Return whether a formula holds in every deal that the seat thinks possible, by definition."""
    deals = deals_seen(puzzle.position, everybody=True)
    own_deals = deals_seen(puzzle.position, everybody=False)
    *operators, fact = re.findall(
        r"K\d|C\{\d,\d\}|H\d \d/\d", message_data(puzzle.question)["formula"]
    )
    holder, index, number = map(int, re.findall(r"\d", fact))
    truth: Truth = lambda deal: (index, number) in deal[holder]  # noqa: E731
    for operator in reversed(operators):
        seats = tuple(map(int, re.findall(r"\d", operator)))
        truth = (knows if operator[0] == "K" else common)(deals, seats, truth)
    truths = set(map(truth, own_deals))
    assert len(truths) == 1, "the seat knows the answer"
    return {"yes" if truths.pop() else "no"}


def sets(puzzle: Puzzle) -> set[str]:
    """Return the threes of cards in which every property has one value or three values."""
    numbers = map(int, puzzle.position.split())
    cards = {letter: [number // power % 3 for power in (1, 3, 9, 27)]
             for letter, number in zip("ABCDEFGHIJKLMNO", numbers, strict=False)}  # fmt: skip
    threes = [
        "".join(three) for three in combinations(cards, 3)
        if all(len(set(values)) != 2 for values in zip(*map(cards.__getitem__, three), strict=True))
    ]  # fmt: skip
    if puzzle.answer_form == "yes-no":
        return {"yes" if threes else "no"}
    return {" ".join(threes) or "none"}


def quarto(puzzle: Puzzle) -> set[str]:
    """Return the moves that solve the puzzle, by trying all that can follow."""
    text, _, piece = puzzle.position.partition(" ")
    board = Board.parse(text, read_pieces(example_pieces()))
    words = {name: frozenset(board.pieces.words_of(piece))
             for piece, name in enumerate(board.pieces.names)}  # fmt: skip
    cells = tuple(words[board.pieces.names[piece]] if piece is not None else None
                  for piece in board.cells)  # fmt: skip
    question = document(puzzle.question)["kind"]
    return Quarto(cells, words).moves(piece, question, puzzle.level_from["placements"])


BY_TRYING: dict[str, Callable[[Puzzle], set[str]]] = {
    "possible": possible, "owner": owner, "force": force, "trace": trace, "knows": knowing,
    "sets": sets, "quarto": quarto,
}  # fmt: skip


def disagreements(kind: str, seeds: Mapping[int, int]) -> list[tuple[str, int, int]]:
    """Return the puzzles that trying answers differently, as kind, level and seed."""
    return [
        (kind, level, seed)
        for level, count in seeds.items()
        for seed in range(count)
        if BY_TRYING[kind](puzzle := make(kind, seed, level)) != set(puzzle.answers)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_trying_gives_the_same_answers(kind: str) -> None:
    assert disagreements(kind, dict.fromkeys(range(1, thorough(3, 4)), thorough(1, 4))) == []


@pytest.mark.slow
@pytest.mark.parametrize("level", MANY)
@pytest.mark.parametrize("kind", KINDS)
def test_trying_gives_the_same_answers_to_many_puzzles(kind: str, level: int) -> None:
    assert disagreements(kind, {level: MANY[level] // (10 if kind == "force" else 1)}) == []
