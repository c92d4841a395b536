"""`why F` in a game of Quaternity: the moves of a reason are sufficient and minimal."""

from __future__ import annotations

import re
from random import Random

import pytest

from quaternity import Game, Move, Settings
from quaternity.cli.quaternity_words import certainty_lines
from quaternity.insight.explanation import problem_of_moves
from solvers import solve
from solvers.problem import DealProblem, SetConstraint
from tests.sizes import thorough


def can_own(problem: DealProblem, player: int, index: int, number: int, mask: int) -> bool:
    """Return whether a player of the mask can have a card."""
    owners, low, high = problem.sets[index]
    narrow = [*owners[:number], owners[number] & mask, *owners[number + 1 :]]
    constraint = SetConstraint.unchecked(tuple(narrow), low, high)
    return bool(narrow[number]) and bool(solve(problem.with_set(index, constraint)))


@pytest.mark.parametrize("seed", range(thorough(3, 40)))
def test_the_moves_of_a_reason_are_sufficient_and_minimal(seed: int) -> None:
    random = Random(f"why/{seed}")
    game = Game.start(Settings(3, 3, 3))
    while len(game.moves) < 7 and (questions := list(game.state.legal_questions)):
        question = random.choice(questions)
        game = game.play(Move(question, random.choice(game.state.answers(question))))
    for index, constraint in enumerate(game.state.problem.sets):
        for number in range(constraint.size):
            player, everybody = random.randrange(3), 0b111
            lines = list(certainty_lines(f"H{player} {index}/{number}", game, why=True))
            if "can be true or false" in lines[0]:
                continue
            other = everybody & ~(1 << player) if "is true" in lines[0] else 1 << player
            moves = {
                int(match[1]) - 1 for line in lines if (match := re.search(r"move (\d+)", line))
            }
            assert not can_own(problem_of_moves(game, moves), player, index, number, other)
            for omitted in moves:
                assert can_own(
                    problem_of_moves(game, moves - {omitted}), player, index, number, other
                )
            assert moves or "no move matters" in lines[1]
