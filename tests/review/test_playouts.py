"""Imagined games: games of dealt hands end, and pure chance makes no move a mistake."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quaternity.base.deadline import NO_DEADLINE, Deadline
from quaternity.game.game import Game
from quaternity.game.settings import Settings
from quaternity.kwartet.public import next_with_cards
from quaternity.review.asking import QuaternityJudge
from quaternity.review.chances import PlayoutEstimate
from quaternity.review.playouts import Playout
from quaternity.review.recorded_game import RecordedGame, Shares
from quaternity.trials.random_play import random_move
from solvers.problem import SetConstraint, players_in
from tests.sizes import examples, thorough


def next_seat(asker: int, asked: int, yes: bool, hands: Sequence[int]) -> int:
    del asked
    return asker if yes and hands[asker] else next_with_cards(hands, asker)


@given(st.data())
@settings(max_examples=examples(200))
def test_every_set_is_put_down_and_a_player_who_knows_all_takes_all_within_reach(
    data: st.DataObject,
) -> None:
    players, size = data.draw(st.integers(2, 6)), data.draw(st.integers(2, 5))
    sets, random = data.draw(st.integers(1, 8)), data.draw(st.randoms(use_true_random=False))
    owners = [[random.randrange(players) for _ in range(size)] for _ in range(sets)]
    seen, counted = random.random() < 0.4, random.random() < 0.4
    turn = next_with_cards([sum(row.count(p) for row in owners) for p in range(players)], -1)
    if counted:  # the player to move shares every set with at most one other player
        owners = [[owner if owner == turn else max(row) for owner in row] for row in owners]
    everybody = (1 << players) - 1
    known = [
        SetConstraint.of(
            [players_in(1 << owner | (0 if seen else everybody if counted
                                      else random.getrandbits(players))) for owner in row],
            players,
            [row.count(p) if counted else random.randint(0, row.count(p)) for p in range(players)],
        )
        for row in owners
    ]  # fmt: skip
    game = Playout(owners, known, [0] * players)
    reach = sum(turn in row for row in owners)
    shares, cost = game.play(turn, next_seat, random, NO_DEADLINE)
    assert sum(game.points) == sets
    assert sum(shares) == pytest.approx(1)
    assert cost > 0
    assert [share > 0 for share in shares] == [x == max(game.points) for x in game.points]
    if seen or counted:  # all cards are known, or how many of a set each player has
        assert game.points[turn] >= reach
    assert game.questions <= sets * size * players * (sets * size + 1)


def test_nobody_knows_the_cards_aside() -> None:
    sets, games = 4, 200
    owners = [[0, 1, 2]] * sets  # 2 is the pile
    known = [SetConstraint.of([[0, 1, 2]] * 3, 3, [1, 0, 0])] * sets
    answers = []

    def listen(asker: int, asked: int, yes: bool, hands: Sequence[int]) -> int:
        answers.append(yes)
        return next_seat(asker, asked, yes, hands)

    for seed in range(games):
        Playout(owners, known, [0, 0], max_questions=1).play(0, listen, Random(seed), NO_DEADLINE)
    assert len(answers) == games
    assert games / 2 - 30 < sum(answers) < games / 2 + 30

    seen = [SetConstraint.of([[0], [1], [2]], 3)] * sets
    game = Playout(owners, seen, [0, 0])
    assert game.play(0, next_seat, Random(1), NO_DEADLINE)[0] == (0.5, 0.5)
    assert game.questions == sets  # nobody asks for cards that are certainly aside


class Coins(QuaternityJudge):
    """A judge of games that chance alone decides."""

    def simulate(self, position: object, random: Random) -> tuple[Shares, float]:
        winner = random.randrange(3)
        return tuple([float(seat == winner) for seat in range(3)]), 1.0


def count_mistaken_and_decisive(seed: int) -> tuple[int, int, int]:
    random, game = Random(seed), Game.start(Settings(3, 3, 3))
    while not game.is_over and len(game.moves) < 40:
        move = random_move(game.state, random)
        assert move is not None
        game = game.play(move)
    played = RecordedGame(game.record(), None)
    chances = PlayoutEstimate(played, Coins(played.rules, Deadline(600)), seed)
    chances.exact.clear()
    assert chances.simulate(16.0 * len(played.settled))
    mistaken = decisive = 0
    for at in played.settled[:-1]:
        other = next(iter(played.rules.moves(played.position(at))))
        mistaken += chances.compare_move(at, other)[0].mistake
        before, after = played.around(at)
        swing = chances.swing(before, after)
        if swing is not None and after is not None:
            _, player, old, new = swing
            decisive += chances.confirms(before, after, player, new > old)
    return len(played.settled) - 1, mistaken, decisive


def test_pure_chance_makes_no_move_a_mistake_and_hardly_any_decisive() -> None:
    counts = [count_mistaken_and_decisive(seed) for seed in range(thorough(30, 300))]
    moves, mistaken, decisive = map(sum, zip(*counts, strict=True))
    assert mistaken <= moves / 500
    assert decisive <= len(counts) / 4
