"""Reviews of Quaternity: their statements are true, as other methods find."""

from __future__ import annotations

import json
import re
from functools import cache
from random import Random

import pytest

from quaternity.base.errors import InputError, SolverTimeout
from quaternity.base.sentences import message_data
from quaternity.game.cards import Card
from quaternity.game.game import Game
from quaternity.game.question import Answer, Move, Question
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.perfect.solving.solver import Solution, solve
from quaternity.review import Review, review, reviewing
from quaternity.review.chances import PlayoutEstimate
from quaternity.trials.random_play import random_move
from solvers.problem import DealProblem, SetConstraint
from solvers.registry import solve as deal
from tests.limits import limited
from tests.sizes import thorough

SMALL, TWO = Settings(3, 3, 3), Settings(3, 2, 2)
LONG = 600.0
"""A time limit, in seconds, that no small review reaches."""


def play_random_game(settings: Settings, seed: int, most: int = 60) -> Game:
    """Return a random game, over or cut off."""
    random, game = Random(seed), Game.start(settings)
    while not game.is_over and len(game.moves) < most:
        move = random_move(game.state, random)
        assert move is not None
        game = game.play(move)
    return game


@cache
def review_game(settings: Settings, seed: int) -> tuple[Game, Review]:
    game = play_random_game(settings, seed)
    return game, review(game.record(), seconds=600)


GAMES = [(SMALL, seed) for seed in range(thorough(2, 20))] + [
    (TWO, seed) for seed in range(thorough(3, 20))
]


@pytest.mark.parametrize(("settings", "seed"), GAMES)
def test_chances_add_up_and_end_with_the_winners(settings: Settings, seed: int) -> None:
    game, done = review_game(settings, seed)
    assert [point.after for point in done.curve] == list(range(len(game.moves) + 1))
    for point in done.curve:
        if point.chances is not None:
            assert sum(point.chances) == pytest.approx(1)
            assert all(0 <= chance <= 1 for chance in point.chances)
    assert done.over == game.is_over
    if game.is_over:
        share = 1 / len(game.winners)
        expected = tuple(share * (seat in game.winners) for seat in range(settings.players))
        assert done.curve[-1].chances == expected
        assert done.curve[-1].exact


def without(problem: DealProblem, card: Card, player: int) -> DealProblem:
    """Return the problem of the deals in which a player does not have a card."""
    constraint = problem.sets[card.set_index]
    owners = list(constraint.owners)
    owners[card.number] &= ~(1 << player)
    narrower = SetConstraint(tuple(owners), constraint.low, constraint.high)
    return problem.with_set(card.set_index, narrower)


@pytest.mark.parametrize(("settings", "seed"), GAMES)
def test_a_certain_card_is_certain_since_the_stated_move_and_can_be_asked_for(
    settings: Settings, seed: int
) -> None:
    game, done = review_game(settings, seed)

    def certain(after: int, card: Card, holder: int) -> bool:
        problem = game.states[after].problem
        owners = problem.sets[card.set_index].owners
        return not owners or not deal(without(problem, card, holder), solver="max-flow")

    for move in done.moves:
        for note in move.notes:
            about = message_data(note)
            if "since" not in about:
                continue
            card, holder, at = about["card"], about["holder"], move.number - 1
            since = message_data(about["since"]).get("number", 0)
            assert all(certain(after, card, holder) for after in range(since, at + 1))
            assert since == 0 or not certain(since - 1, card, holder)
            state = game.states[at]
            question = Question(move.seat, holder, card)
            assert state.answers(question) == (Answer.YES,)
            assert question != game.moves[at].question
            assert game.states[at + 1].turn != move.seat


@cache
def solution(settings: Settings) -> Solution:
    return solve(State.start(settings))


def forces(state: State, waiting: Question | None, seat: int) -> bool:
    """Return whether a seat can force a win, by retrograde analysis of the whole game."""
    if waiting is None:
        if state.is_over:
            return state.winner == seat
        return seat in solution(TWO).standing(state).can_force
    outcomes = [forces(state.after(waiting, answer), None, seat) for answer in Answer]
    return any(outcomes) if waiting.asked == seat else all(outcomes)


@pytest.mark.parametrize("seed", range(thorough(6, 60)))
def test_a_forced_win_given_away_was_forced_and_is_no_longer(seed: int) -> None:
    game, done = review_game(TWO, seed)
    for move in done.moves:
        worth = move.worth
        if worth is None or not worth.exact:
            continue
        state = game.states[move.number - 1]
        question, answer = game.moves[move.number - 1]
        is_answer = move.text in ("yes", "no")
        assert forces(state, question if is_answer else None, move.seat)
        free = len(state.answers(question)) == 2
        after = state if free and not is_answer else state.after(question, answer)
        kept = forces(after, question if free and not is_answer else None, move.seat)
        assert worth.mistake == (not kept)
        if worth.mistake:
            by = worth.by if is_answer else Move(worth.by, Answer.NO).question
            legal = [by] if is_answer else state.answers(by)
            ask = question if is_answer else by
            assert all(forces(state.after(ask, bool(x)), None, move.seat) for x in legal)


@pytest.mark.parametrize("seed", range(thorough(6, 60)))
def test_certain_ends_of_the_curve_are_forced(seed: int) -> None:
    game, done = review_game(TWO, seed)
    for point in done.curve[:-1]:
        if point.exact:
            assert point.chances is not None
            assert forces(game.states[point.after], None, point.chances.index(1))


@pytest.mark.parametrize(("settings", "seed"), GAMES)
def test_a_mistake_is_beyond_two_standard_errors(settings: Settings, seed: int) -> None:
    _, done = review_game(settings, seed)
    for move in done.moves:
        if move.worth is not None and not move.worth.exact:
            assert move.worth.error > 0
            assert move.worth.played is not None
            assert move.worth.best is not None
            beyond = move.worth.best - move.worth.played > 2 * move.worth.error
            assert move.worth.mistake == beyond
    assert set(done.mistakes) <= set(done.moves)


@pytest.mark.parametrize("seed", range(thorough(2, 10)))
def test_a_seed_gives_the_same_bytes_and_a_document_that_json_keeps(seed: int) -> None:
    record = play_random_game(TWO, seed).record()
    done, again = (review(record, seconds=LONG, seed=seed) for _ in range(2))
    assert json.dumps(done.document()) == json.dumps(again.document())
    assert str(done) == str(again)
    assert json.loads(json.dumps(done.document())) == done.document()
    assert not done.unfinished


@pytest.mark.parametrize("seed", range(thorough(2, 10)))
def test_without_time_a_review_names_its_unfinished_parts_and_nothing_else(seed: int) -> None:
    game, full = review_game(SMALL, seed)
    done = review(game.record(), seconds=0)
    assert len(done.unfinished) >= 3
    assert not done.mistakes
    assert [move.events for move in done.moves] == [move.events for move in full.moves]
    assert [move.chance for move in done.moves] == [None] * len(done.moves)
    assert all(point.chances is None for point in done.curve[:-1])
    assert "Not finished" in str(done)


@pytest.mark.parametrize(
    ("text", "seat", "message"),
    [
        ("", None, "not a record of a game"),
        ("chess 1\n", None, "not a record of a game"),
        ("quaternity 1\nsets 3\n", None, "set-size is missing"),
        (
            "quarto 1\nsquares maybe\n0 hand over A\n",
            None,
            "squares: must be yes or no, not 'maybe'",
        ),
        (Game.start(SMALL).record(), 3, "seat 3 is out of range 0..2"),
        (Game.start(SMALL).record(), -1, "seat -1 is out of range 0..2"),
    ],
)
def test_bad_input_is_refused(text: str, seat: int | None, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        review(text, seat)


def test_invalid_values_are_refused() -> None:
    record = Game.start(SMALL).record()
    with pytest.raises(InputError, match="seconds: must be a number >= 0, not -1"):
        review(record, seconds=-1)
    with pytest.raises(InputError, match="record_text: 3 "):
        review(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("moves", [2_001, 50_000])
def test_a_record_of_too_many_moves_is_refused(moves: int) -> None:
    head = Game.start(Settings(4, 3, 3)).record()
    text = head + "0 asks 1 for 0/0: no\n1 asks 2 for 0/0: no\n2 asks 0 for 0/0: no\n" * moves
    with pytest.raises(InputError, match="at most 2,000 moves"):
        review("\n".join(text.splitlines()[: len(head.splitlines()) + moves]) + "\n")


def test_a_game_without_moves_has_a_review() -> None:
    done = review(Game.start(TWO).record(), seconds=600)
    assert not done.moves
    assert len(done.curve) == 1


@pytest.mark.parametrize("cut", ["seconds", "work", "clock"])
@limited("quaternity.review.chances", MAX_SIMULATED_GAMES=16, COMPARED_GAMES=8, CONFIRMING_GAMES=32)
def test_no_move_is_decisive_while_the_chances_are_incomplete(
    cut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = play_random_game(SMALL, 1).record()
    full = review(record, seconds=LONG)
    assert full.moments
    assert not full.unfinished
    if cut == "work":
        monkeypatch.setattr(reviewing, "CURVE_MILLISECONDS", 0.0)
        monkeypatch.setattr(reviewing, "COMPARISON_MILLISECONDS", 0.0)
    if cut == "clock":
        monkeypatch.setattr(PlayoutEstimate, "confirms", out_of_time)
    done = review(record, seconds=0 if cut == "seconds" else LONG)
    assert done.unfinished
    assert done.moments == ()
    assert "No move is known to have decided the game." in str(done)


def out_of_time(*arguments: object) -> bool:
    raise SolverTimeout("time is up")


def test_a_busy_machine_gives_the_same_review_with_patience(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text, looks, pace = play_random_game(TWO, 0).record(), 0, 0.0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return looks * pace

    monkeypatch.setattr("quaternity.base.deadline.monotonic", clock)
    full = review(text, seconds=8)
    pace, looks = 10 / looks, 0  # now the work takes ten seconds
    assert review(text, seconds=8).is_timed_out
    assert review(text, seconds=8, patience=2) == full
    assert not full.is_timed_out
