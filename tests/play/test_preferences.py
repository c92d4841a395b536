"""Backward induction, against the plain thing on explicit positions, and its laws."""

from itertools import permutations
from random import Random

import numpy as np
import pytest

from quaternity.errors import InputError, LimitError
from quaternity.play import preferences
from quaternity.play.preferences import (
    UNSETTLED,
    Ranking,
    Unsettled,
    induce,
    parse_rankings,
)
from quaternity.play.solver import solve
from quaternity.settings import Settings, TieBreak
from quaternity.state import State
from tests.play.plain_solver import Game, PlainSolution, Position
from tests.play.positions import random_states, state_of


def plain_values(
    plain: PlainSolution, rankings: tuple[Ranking, ...]
) -> dict[Position, int | str | None]:
    """Backward induction for 0, 1, 2 ... moves, until the values repeat."""
    game = plain.game
    values: dict[Position, int | None] = {
        position: None if moves else game.winner(position)
        for position, moves in plain.moves.items()
    }
    history = [values]
    while True:
        new: dict[Position, int | None] = {}
        for position, moves in plain.moves.items():
            if not moves or position.turn is None:
                new[position] = values[position]
                continue
            outcomes = [
                min((values[after] for after in answers.values()), key=rankings[asked].index)
                for (asked, _), answers in moves.items()
            ]
            new[position] = min(outcomes, key=rankings[position.turn].index)
        values = new
        if values in history:
            break
        history.append(values)
    period = history[history.index(values) :]
    return {
        position: value if all(one[position] == value for one in period) else "unsettled"
        for position, value in values.items()
    }


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ((2, 2, 2), "0-1 1-0"),
        ((3, 2, 2), "-01 1-0"),
        ((2, 3, 3), "0-12 1-02 2-01"),
        ((2, 3, 3), "012- 120- 201-"),
        ((3, 2, 3), "0-12 1-20 21-0"),
    ],
)
def test_values_are_those_of_the_plain_thing(sizes: tuple[int, int, int], text: str) -> None:
    plain = PlainSolution(Game(*sizes))
    rankings = parse_rankings(text, sizes[2])
    induction = induce(solve(State.start(Settings(*sizes))), rankings)
    for position, expected in plain_values(plain, rankings).items():
        state = state_of(plain.game, position)
        if expected == "unsettled":
            with pytest.raises(Unsettled):
                induction.value(state)
        else:
            assert induction.value(state) == expected


def test_what_can_be_forced_is_the_value_for_who_wants_it() -> None:
    start = State.start(Settings(3, 3, 3))
    solution = solve(start)
    random = Random(3)
    orders: list[list[Ranking]] = [
        [order for order in permutations((0, 1, 2, None)) if order[0] == player]
        for player in range(3)
    ]
    for _ in range(4):
        induction = induce(solution, [random.choice(orders[player]) for player in range(3)])
        for state in random_states(start, random, 120):
            standing = solution.standing(state)
            for player in standing.can_force:
                assert induction.value(state) == player


def test_waiting_games_are_called_unsettled() -> None:
    solution = solve(State.start(Settings(3, 3, 3)))
    induction = induce(solution, parse_rankings("0-12 1-20 21-0", 3))
    assert np.count_nonzero(induction.values == UNSETTLED) == 10
    assert induction.value(State.start(Settings(3, 3, 3))) == 1
    settled = induce(solution, parse_rankings("0-12 1-20 2-01", 3))
    assert np.count_nonzero(settled.values == UNSETTLED) == 0


def test_rankings_are_read_with_care() -> None:
    assert parse_rankings("01- 1-0", 2) == ((0, 1, None), (1, None, 0))
    for text, why in (("01-", "1 for 2"), ("01- 10", "'10'"), ("01- 112", "112"), ("", "0 for")):
        with pytest.raises(InputError, match=why):
            parse_rankings(text, 2)


def test_chance_ranks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rankings = parse_rankings("0123- 1230- 2301- 3012-", 4)
    chancy = solve(State.start(Settings(2, 4, 4, TieBreak.FEWEST_SETS)))
    with pytest.raises(InputError, match="tie-break first-in-order"):
        induce(chancy, rankings)
    fixed = solve(State.start(Settings(2, 4, 4)))
    assert induce(fixed, rankings).value(State.start(Settings(2, 4, 4))) in (0, 1, 2, 3, None)
    monkeypatch.setattr(preferences, "MOST_BYTES", 1000)
    with pytest.raises(LimitError, match="MB"):
        induce(fixed, rankings)
    with pytest.raises(InputError, match="each of 4 players"):
        induce(fixed, rankings[:3])
