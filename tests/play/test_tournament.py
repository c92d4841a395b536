"""Tournaments: seats, repeatability, and what the table says."""

from collections import Counter
from math import isclose
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.errors import InputError
from quaternity.play.ratings import AVERAGE, Measured, ratings, tabulated
from quaternity.play.tournament import GameResult, Tournament, play, play_game
from quaternity.settings import Settings
from quaternity.workers import open_executor

SMALL = Settings(2, 3, 3)


@pytest.mark.parametrize(
    ("bots", "players"), [(2, 2), (2, 3), (3, 3), (5, 3), (2, 4), (3, 4), (4, 4)]
)
def test_seats_rotate(bots: int, players: int) -> None:
    plan = Tournament(Settings(2, players, players), ("random",) * bots, games=1)
    seen = Counter[tuple[int, int]]()
    period = players * (bots if bots < players else len({*range(bots)}) * 30)
    for game in range(period):
        line_up = plan.line_up(game)
        assert len(line_up) == players
        if bots >= players:
            assert len(set(line_up)) == players
        seen.update(enumerate(line_up))
    assert len(seen) == bots * players
    if bots <= players:
        # Everybody sits everywhere equally often.
        assert len(set(seen.values())) == 1


def test_the_same_seed_gives_the_same_games() -> None:
    plan = Tournament(SMALL, ("random", "informed", "search:3"), games=12, seed=5)
    with open_executor(1) as pool:
        one = list(play(plan, pool))
    with open_executor(2) as pool:
        two = list(play(plan, pool))
    assert one == two
    # Nothing of a game depends on the games before it.
    assert play_game(plan, 7) == one[7]
    other = Tournament(SMALL, plan.bots, games=12, seed=6)
    with open_executor(1) as pool:
        assert list(play(other, pool)) != one


def test_endless_games_have_no_result() -> None:
    plan = Tournament(Settings(4, 3, 3), ("random", "random"), games=4, cap=2)
    with open_executor(1) as pool:
        results = list(play(plan, pool))
    assert all(not result.over and result.winner is None for result in results)
    table = tabulated(results, 2, Random(0))
    assert table.unfinished == 4
    assert table.shared == 0
    assert [record.rating for record in table.records] == [None, None]


def test_two_players_make_the_first_seat_win() -> None:
    plan = Tournament(Settings(3, 2, 2), ("informed", "random"), games=8)
    with open_executor(1) as pool:
        table = tabulated(list(play(plan, pool)), 2, Random(0))
    for record in table.records:
        assert [seat and seat.mean for seat in record.by_seat] == [1.0, 0.0]


def game(*line_up: int, winner: int | None = None, over: bool = True) -> GameResult:
    return GameResult(line_up, (0,) * len(line_up), winner, over, 9)


def test_the_table_counts() -> None:
    results = [
        game(0, 1, 0, winner=0), game(1, 0, 0, winner=0), game(0, 0, 1), game(1, 0, 1, over=False),
    ]  # fmt: skip
    first, second = tabulated(results, 2, Random(0)).records
    assert (first.games, first.wins, second.games, second.wins) == (4, 1, 4, 1)
    assert first.share.mean == pytest.approx((1 / 2 + 0 + 0 + 0) / 4)
    assert second.share.mean == pytest.approx((0 + 1 + 0 + 0) / 4)
    assert first.score.mean == pytest.approx((1 / 2 + 0 + 1 / 3 + 1 / 3) / 4)
    assert second.score.mean == pytest.approx((0 + 1 + 1 / 3 + 1 / 3) / 4)
    assert second.by_seat[0] == Measured.of([1.0, 0.0])
    table = tabulated(results, 2, Random(0))
    margin, back = table.margins[0][1], table.margins[1][0]
    assert margin is not None
    assert back is not None
    assert margin.mean == -back.mean == pytest.approx(first.score.mean - second.score.mean)
    assert (table.shared, table.unfinished) == (1, 1)


def test_a_standard_error_is_that_of_the_mean() -> None:
    measured = Measured.of([1.0, 2.0, 3.0, 4.0])
    assert measured.mean == 2.5
    assert measured.error == pytest.approx((5 / 3 / 4) ** 0.5)
    assert Measured.of([3.0]).error is None


@given(st.lists(st.tuples(st.permutations(range(4)), st.sampled_from([0, 1, 2, None])), min_size=1))
def test_ratings_know_no_names(games: list[tuple[list[int], int | None]]) -> None:
    results = [game(*seats[:3], winner=winner) for seats, winner in games]
    rated = ratings(results, 4)
    known = [value for value in rated if value is not None]
    assert isclose(sum(known) / len(known), AVERAGE)
    turned = [game(*[3 - seat for seat in seats[:3]], winner=winner) for seats, winner in games]
    for one, other in zip(rated, reversed(ratings(turned, 4)), strict=True):
        assert (one is None) == (other is None)
        assert one is None or isclose(one, other or 0.0, abs_tol=1e-3)


def test_ratings_are_those_of_bradley_and_terry() -> None:
    # Three wins for one and one drawn meeting besides: 3.5 to 0.5, a ratio of 7.
    results = [game(0, 1, winner=0)] * 3
    one, other = ratings(results, 2)
    assert one is not None
    assert other is not None
    assert one - other == pytest.approx(400 * 0.845098, abs=0.01)
    assert ratings([*results, game(2, 2, winner=0)], 3)[2] is None


def test_plans_are_checked() -> None:
    for bots, games, cap, why in (
        (("random",), 9, 9, "2 to 12"),
        (("random",) * 13, 9, 9, "2 to 12"),
        (("random",) * 2, 0, 9, "out of range"),
        (("random",) * 2, 9, 0, "cap"),
    ):
        with pytest.raises(InputError, match=why):
            Tournament(SMALL, bots, games, 0, cap)
    plan = Tournament(SMALL, ("random", "nobody"), 3)
    with open_executor(1) as pool, pytest.raises(InputError, match="'nobody' is unknown"):
        play(plan, pool)


@pytest.mark.parametrize("rival", ["random", "informed"])
def test_searching_beats_in_a_few_games(rival: str) -> None:
    plan = Tournament(Settings(4, 3, 3), ("search", rival, rival), games=40, seed=3)
    with open_executor(1) as pool:
        table = tabulated(list(play(plan, pool)), 3, Random(3))
    for margin in table.margins[0][1:]:
        assert margin is not None
        assert margin.mean > 0


@pytest.mark.slow
@pytest.mark.parametrize("rival", ["random", "informed"])
@pytest.mark.parametrize(("sets", "players"), [(3, 3), (4, 4)])
def test_searching_beats(rival: str, sets: int, players: int) -> None:
    """By more than three standard errors over 500 rotated games of 4-3-3 and 4-4-4."""
    plan = Tournament(
        Settings(4, sets, players), ("search", *[rival] * (players - 1)), games=500, seed=1
    )
    with open_executor(2) as pool:
        table = tabulated(list(play(plan, pool)), players, Random(1))
    for margin in table.margins[0][1:]:
        assert margin is not None
        assert margin.error is not None
        assert margin.mean > 3 * margin.error
