"""Backward induction, against the plain thing on explicit positions, and its laws."""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import permutations
from random import Random

import numpy as np
import pytest

from quaternity.errors import InputError, LimitError
from quaternity.game.settings import Settings, TieBreak
from quaternity.game.state import State
from quaternity.perfect.keys.canonical import canonical
from quaternity.perfect.solving import preferences
from quaternity.perfect.solving.preferences import (
    UNSETTLED,
    Ranking,
    Unsettled,
    induce,
    parse_rankings,
)
from quaternity.perfect.solving.solver import solve
from tests.perfect.plain_solver import Game, PlainSolution, Position
from tests.perfect.positions import random_states, state_of
from tests.sizes import thorough


def plain_values(
    plain: PlainSolution, rankings: tuple[Ranking, ...]
) -> dict[Position, int | str | None]:
    """The values as the module defines them, from every number of moves until they repeat."""
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
    promised = {one: {frame[one] for frame in period} for one in plain.moves}
    kept: dict[Position, int | str | None] = dict.fromkeys(plain.moves, "unsettled")
    for outcome in (0, 1, 2, None):
        for position in _kept(plain, rankings, period, promised, outcome):
            kept[position] = outcome
    return kept


def _kept(
    plain: PlainSolution,
    rankings: tuple[Ranking, ...],
    period: list[dict[Position, int | None]],
    promised: dict[Position, set[int | None]],
    outcome: int | None,
) -> set[Position]:
    """Where one outcome is promised and kept."""
    mine = {position for position, outcomes in promised.items() if outcomes == {outcome}}
    # Per position, the questions that keep it: who is asked, and what the answers lead to.
    ways: dict[Position, list[tuple[int, list[Position]]]] = {}
    for position in mine:
        ways[position] = []
        for (asked, _), answers in plain.moves[position].items():
            frames = {
                min((frame[after] for after in answers.values()), key=rankings[asked].index)
                for frame in period
            }
            keeping = [after for after in answers.values() if after in mine]
            if frames == {outcome} and keeping:
                ways[position].append((asked, keeping))

    def leads(position: Position, good: set[Position], anyhow: bool) -> bool:
        def rule(player: int | None) -> Callable[[Iterable[object]], bool]:
            assert player is not None
            waits = rankings[player].index(None) < rankings[player].index(outcome)
            return all if waits and not anyhow else any

        questions = [
            rule(asked)([after in good for after in keeping]) for asked, keeping in ways[position]
        ]
        return bool(questions) and rule(position.turn)(questions)

    ends = {position for position in mine if not plain.moves[position]}
    good = ends if outcome is not None else mine
    while True:
        led = {one for one in mine if one not in ends and leads(one, good, outcome is None)}
        if (new := ends | led) == good:
            return good
        good = new


@cache
def plain_solution(sizes: tuple[int, int, int]) -> PlainSolution:
    """A game, solved the plain way."""
    return PlainSolution(Game(*sizes))


def check(sizes: tuple[int, int, int], rankings: tuple[Ranking, ...]) -> set[int | str | None]:
    """Compare all values with the plain thing, and play the lines out; gives the values seen."""
    plain = plain_solution(sizes)
    induction = induce(solve(State.start(Settings(*sizes))), rankings)
    seen = set[int | str | None]()
    expected = plain_values(plain, rankings)
    ordered = sorted(expected, key=lambda one: (len(one.deals), expected[one] != "unsettled"))
    unsettled = [one for one in ordered if expected[one] == "unsettled"]
    for position in ordered[:: len(ordered) // 40 + 1] + unsettled[:: len(unsettled) // 10 + 1]:
        state, value = state_of(plain.game, position), expected[position]
        seen.add(value)
        if value == "unsettled":
            with pytest.raises(Unsettled):
                induction.value(state)
            continue
        assert induction.value(state) == value
        if plain.moves[position]:
            if value is not None:
                # Whatever keeps the value leads on towards it.
                left = induction.moves[induction._at(state)]
                for question, answers in induction.keeping(state).items():
                    for answer in answers:
                        assert induction.moves[induction._at(state.after(question, answer))] < left
            line = induction.line(state)
            passed = [state]
            for move in line.moves:
                assert move.question in state.legal_questions
                assert induction.value(state) == value
                state = state.after(move.question, move.answer)
                passed.append(state)
            if line.again is None:
                assert state.is_over
                assert state.winner == value
            else:
                assert value is None
                assert canonical(state).key == canonical(passed[line.again]).key
    return seen


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ((3, 2, 2), "-01 1-0"),
        ((2, 3, 3), "0-12 1-02 2-01"),
        ((2, 3, 3), "210- 201- -210"),
        *thorough([], [((3, 2, 3), "0-12 1-20 21-0"), ((3, 2, 3), "210- 210- -201")]),
    ],
)
def test_values_are_those_of_the_plain_thing(sizes: tuple[int, int, int], text: str) -> None:
    check(sizes, parse_rankings(text, sizes[2]))


def test_every_value_where_answers_promise_one_thing_and_another() -> None:
    """None of which is better than the value: such an answer is no reason to ask."""
    rankings = parse_rankings("-021 021- 012-", 3)
    plain = plain_solution((2, 3, 3))
    induction = induce(solve(State.start(Settings(2, 3, 3))), rankings)
    for position, value in plain_values(plain, rankings).items():
        try:
            found: int | str | None = induction.value(state_of(plain.game, position))
        except Unsettled:
            found = "unsettled"
        assert found == value


@pytest.mark.parametrize("seed", range(thorough(3, 12)))
def test_random_wishes(seed: int) -> None:
    random, orders = Random(seed), [*permutations((0, 1, 2, None))]
    check((2, 3, 3), tuple(random.choice(orders) for _ in range(3)))


def test_what_can_be_forced_is_the_value_for_who_wants_it() -> None:
    start = State.start(Settings(3, 3, 3))
    solution = solve(start)
    random = Random(3)
    orders: list[list[Ranking]] = [
        [order for order in permutations((0, 1, 2, None)) if order[0] == player]
        for player in range(3)
    ]
    for _ in range(thorough(2, 4)):
        induction = induce(solution, [random.choice(orders[player]) for player in range(3)])
        for state in random_states(start, random, 120):
            standing = solution.standing(state)
            for player in standing.can_force:
                assert induction.value(state) == player


def test_waiting_games_are_called_unsettled() -> None:
    solution = solve(State.start(Settings(3, 3, 3)))
    induction = induce(solution, parse_rankings("0-12 1-20 21-0", 3))
    changes = induction.promised & (induction.promised - 1) != 0
    assert np.count_nonzero(changes) == 10
    assert (induction.values[changes] == UNSETTLED).all()
    assert np.count_nonzero(induction.values == UNSETTLED) == 64
    assert induction.value(State.start(Settings(3, 3, 3))) == 1
    settled = induce(solution, parse_rankings("0-12 1-20 2-01", 3))
    assert np.count_nonzero(settled.values == UNSETTLED) == 0


@pytest.mark.parametrize(
    ("sizes", "text"), [((2, 3, 3), "210- 201- -210"), ((3, 2, 3), "210- 210- -201")]
)
def test_a_promise_that_nobody_keeps_is_no_value(sizes: tuple[int, int, int], text: str) -> None:
    """Any number of moves promises the same winner, and somebody can put him off for ever."""
    start = State.start(Settings(*sizes))
    induction = induce(solve(start), parse_rankings(text, 3))
    [number] = induction.graph.numbers([canonical(start).key])
    promised = induction.promised[number]
    assert not (promised & (promised - 1)).any()
    assert (promised < 1 << 3).any()
    with pytest.raises(Unsettled, match="counts on a later move"):
        induction.line(start)


def test_moves_that_keep_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    start = State.start(Settings(2, 3, 3))
    induction = induce(solve(start), parse_rankings("0-12 1-02 2-01", 3))
    for state in random_states(start, Random(3), 40):
        if state.is_over:
            continue
        value = induction.value(state)
        keeping = induction.keeping(state)
        assert keeping
        for question, answers in keeping.items():
            for answer in answers:
                assert induction.value(state.after(question, answer)) == value
    line = induction.line(start)
    assert (induction.value(start), line.again, len(line.moves)) == (0, None, 5)


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
    start = State.start(Settings(2, thorough(2, 4), 4))
    fixed = solve(start)
    assert induce(fixed, rankings).value(start) in (0, 1, 2, 3, None)
    monkeypatch.setattr(preferences, "MOST_BYTES", 10)
    with pytest.raises(LimitError, match="MB"):
        induce(fixed, rankings)
    with pytest.raises(InputError, match="each of 4 players"):
        induce(fixed, rankings[:3])
