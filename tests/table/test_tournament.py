"""Tournaments: seats, repeatability, and the figures of the table."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import FrozenInstanceError, replace
from itertools import chain, combinations, permutations, product
from math import log10, sqrt
from random import Random
from statistics import fmean, stdev
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaternity.base.errors import GameLimit, InputError, LimitError, PlayerFault, PlayerTimeout
from quaternity.game.question import Answer, Question
from quaternity.game.record import parse_record
from quaternity.game.rules import QuaternityRules
from quaternity.game.settings import Settings
from quaternity.game.state import State
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.perfect.bots.random_bot import RandomBot
from quaternity.quarto.rules import QuartoRules
from quaternity.table.players import make_player
from quaternity.table.tournament.picture import draw_table
from quaternity.table.tournament.playing import (
    GameResult,
    Tournament,
    chunk_size,
    play,
    play_game,
    record_of_game,
)
from quaternity.table.tournament.scores import (
    MEAN_RATING,
    Measured,
    WorldsByGo,
    make_table,
    ratings,
)
from quaternity.table.tournament.seatings import seatings
from quaternity.ternary.rules import SetRules, SetSettings
from quaternity.workers.pool import Pool, SerialExecutor, open_executor
from tests.limits import limited
from tests.sizes import only_thorough, thorough
from tests.table.planted import plant, plant_bot

SMALL = QuaternityRules(Settings(2, 3, 3))
USUAL = QuaternityRules(Settings(4, 3, 3))


@pytest.fixture(scope="module")
def workers() -> Iterator[Pool]:
    """Yield a pool of two processes, which take a while to start."""
    with open_executor(2) as pool:
        yield pool


def play_games(plan: Tournament, games: int, workers: Pool | None = None) -> list[GameResult]:
    with nullcontext(workers) if workers else open_executor() as pool:
        return list(play(plan, games, pool))


@pytest.mark.parametrize(
    ("bots", "players"), [(2, 2), (2, 3), (3, 3), (5, 3), (2, 4), (3, 4), (4, 4)]
)
def test_seats_rotate(bots: int, players: int) -> None:
    plan = Tournament(QuaternityRules(Settings(2, players, players)), ("random",) * bots)
    seats, pairs = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    choices = len(list(combinations(range(bots), players))) or bots
    for game in range(choices * len(seatings(players))):
        line_up = plan.line_up(game)
        assert len(line_up) == players
        if bots >= players:
            assert len(set(line_up)) == players
        seats.update(enumerate(line_up))
        pairs.update(zip(line_up, line_up[1:] + line_up[:1], strict=True))
        if bots == 2:  # The first few games are almost even.
            assert all(abs(seats[seat, 0] - seats[seat, 1]) <= 2 for seat in range(players))
    # Every bot has every seat equally often, and every other bot as its neighbour.
    assert len(seats) == bots * players
    assert len(set(seats.values())) == 1
    assert len({count for (first, other), count in pairs.items() if first != other}) == 1


def test_threads_of_one_process_share_no_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    """The games take turns in two threads, which a worker of a cluster may have."""
    turns = Barrier(2, timeout=60)

    class TakesTurns(RandomBot):
        def ask(self, state: State) -> Question:
            with suppress(BrokenBarrierError):
                turns.wait()
            return super().ask(state)

    plant_bot(monkeypatch, "by-turns", TakesTurns)
    plan = Tournament(SMALL, ("by-turns", "by-turns", "by-turns"), seed=5)
    turns.abort()
    alone = [play_game(plan, game) for game in range(2)]
    turns.reset()

    def play_one(game: int) -> GameResult:
        try:
            return play_game(plan, game)
        finally:
            turns.abort()

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(play_one, range(2))) == alone


def test_endless_games_have_no_result() -> None:
    results = play_games(Tournament(USUAL, ("random", "random"), cap=2), 4)
    assert all(result.places is None and result.winner is None for result in results)
    table = make_table(results, 2, Random(0))
    assert table.unfinished == 4
    assert table.shared == 0
    assert [record.rating for record in table.records] == [None, None]


def test_the_first_seat_wins_a_game_of_two() -> None:
    plan = Tournament(QuaternityRules(Settings(3, 2, 2)), ("informed", "random"))
    table = make_table(play_games(plan, 8), 2, Random(0))
    for record in table.records:
        assert [seat and seat.mean for seat in record.by_seat] == [1.0, 0.0]


def game(*line_up: int, winner: int | None = None, over: bool = True) -> GameResult:
    places = tuple(1 + (winner not in (None, seat)) for seat in range(len(line_up)))
    return GameResult(line_up, (0,) * len(line_up), places if over else None, 9)


def test_the_table_has_wins_shares_and_margins() -> None:
    results = [
        game(0, 1, 0, winner=0), game(1, 0, 0, winner=0), game(0, 0, 1), game(1, 0, 1, over=False),
    ]  # fmt: skip
    first, second = make_table(results, 2, Random(0)).records
    assert (first.games, first.wins, second.games, second.wins) == (4, 1, 4, 1)
    assert first.share.mean == pytest.approx((1 / 2 + 0 + 0 + 0) / 4)
    assert second.share.mean == pytest.approx((0 + 1 + 0 + 0) / 4)
    assert first.score.mean == pytest.approx((1 / 2 + 0 + 1 / 3 + 1 / 3) / 4)
    assert second.score.mean == pytest.approx((0 + 1 + 1 / 3 + 1 / 3) / 4)
    assert second.by_seat[0] == Measured.of([1.0, 0.0])
    table = make_table(results, 2, Random(0))
    margin, back = table.margins[0][1], table.margins[1][0]
    assert margin is not None
    assert back is not None
    assert margin.mean == -back.mean == pytest.approx(first.score.mean - second.score.mean)
    assert (table.shared, table.unfinished) == (1, 1)


def test_absent_players_and_unfinished_games_do_not_count() -> None:
    won, given_up = game(0, 1, winner=0), game(1, 0, over=False)
    absent = make_table([won], 3, Random(0)).records[2]
    assert (absent.games, absent.share, absent.rating) == (0, Measured(0.0, None), None)
    assert ratings([given_up, won], 2) == ratings([won, given_up], 2) == ratings([won], 2)
    first, second = ratings([won], 2)
    assert first is not None
    assert second is not None
    assert first + second == pytest.approx(2 * 1500)
    assert first > 1500


def test_a_mean_is_written_with_its_margin() -> None:
    assert str(Measured(0.5, 0.5, 10)) == "0.500 ± 1.131"
    for few in range(10):
        assert str(Measured(0.5, 0.25, few)) == str(Measured(0.5, None, few)) == "0.500"


@given(st.integers(10, 10**6), st.floats(0, 1e6))
def test_a_margin_is_that_of_the_t_distribution(deals: int, error: float) -> None:
    from scipy.stats import t as student_t  # takes a second

    wanted = error * student_t.ppf(0.975, deals - 1)
    assert Measured(3.0, error, deals).margin == pytest.approx(wanted, rel=1e-3)


@given(st.lists(st.tuples(st.permutations(range(4)), st.sampled_from([0, 1, 2, None])), min_size=1))
def test_a_bot_wins_as_often_as_its_rating_predicts(
    games: list[tuple[list[int], int | None]],
) -> None:
    """It does at maximum likelihood; a draw is half a win, and each pair has one more draw."""
    line_ups = [(seats[:3], None if best is None else seats[best]) for seats, best in games]
    rated = ratings([game(*seats[:3], winner=best) for seats, best in games], 4)
    assert fmean(rating for rating in rated if rating is not None) == pytest.approx(MEAN_RATING)
    for bot, own in enumerate(rated):
        won, expected = 0.0, 0.0
        for other, rival in enumerate(rated):
            wins = [best for seats, best in line_ups if {bot, other} <= {*seats}]
            if bot != other and wins:
                assert own is not None
                assert rival is not None
                won += 0.5 + sum(1.0 if best == bot else 0.5 * (best != other) for best in wins)
                expected += (len(wins) + 1) / (1 + 10 ** ((rival - own) / 400))
        assert won == pytest.approx(expected, abs=1e-4)


def test_errors_of_ratings_are_those_of_resampled_games() -> None:
    def rating(*winners: int) -> Measured:
        (first, _) = make_table([game(0, 1, winner=seat) for seat in winners], 2, Random(0)).records
        assert first.rating is not None
        return first.rating

    # Each player won one of two games, so a resample has 2, 0 or 1 wins of the first at 1 : 1 : 2.
    # With half a win added to each side, these are 5 to 1, 1 to 5 or even.
    assert rating(0, 1).mean == pytest.approx(MEAN_RATING)
    assert rating(0, 1).error == pytest.approx(200 * log10(5) / sqrt(2), rel=0.15)
    assert rating(0, 0).error == pytest.approx(0, abs=1e-6)
    assert rating(0).error is None


def test_plans_are_checked() -> None:
    for players, more, why in (
        (("random",), {}, "bots: expected 2 to 12, not 1"),
        (("random",) * 13, {}, "2 to 12"),
        (("random",) * 2, {"cap": 0}, "cap"),
        (
            ("random",) * 2,
            {"rotate": False},
            "expected 3, not 2, because each bot keeps one seat",
        ),
        (("random", "nobody"), {}, "bot 'nobody' is unknown; choose from random, informed"),
        (("random", "you"), {}, "'you': people cannot play in tournaments"),
        (("random",) * 2, {"move_seconds": 0}, "move-seconds: must be > 0"),
        (("random",) * 2, {"move_seconds": float("nan")}, "move-seconds: .* not nan"),
    ):
        with pytest.raises(InputError, match=why):
            Tournament(SMALL, players, **more)
    with pytest.raises(InputError, match="does not take an argument, such as '3'"):
        play_games(Tournament(SMALL, ("random", "random:3")), 1)


class Limited(RandomBot):
    """A bot that cannot play such a large game."""

    def ask(self, state: State) -> Question:
        raise LimitError("too large for me")


def test_a_limit_that_a_built_in_bot_reports_is_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_bot(monkeypatch, "limited", Limited)
    with pytest.raises(LimitError, match=r"^too large for me$"):
        play_game(Tournament(USUAL, ("limited", "random")), 0)


def test_a_foreign_player_that_cannot_be_created_is_at_fault() -> None:
    plan = Tournament(KWARTET, ("random", "tests.table.misbehaving:Picky", "random"))
    with pytest.raises(PlayerFault, match=r"in seat 1: .*for two players only") as raised:
        play_game(plan, 0)
    assert raised.value.place is not None
    assert raised.value.place.seat == 1


class Contrary(RandomBot):
    """A bot that gives an invalid answer."""

    def answer(self, state: State, question: Question) -> Answer:
        return 7  # type: ignore[return-value]  # so it is


def test_a_wrong_answer_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_bot(monkeypatch, "contrary", Contrary)
    with pytest.raises(
        PlayerFault, match=r"bot 'contrary' in seat \d: it answers 7 to '0 asks .* no or yes"
    ) as raised:
        play_game(Tournament(USUAL, ("contrary", "contrary")), 0)
    place = raised.value.place
    assert place is not None
    assert place.seat != 0
    assert parse_record(place.record).moves == ()


def test_a_separate_process_plays_the_same_game_with_a_time_limit() -> None:
    plan = Tournament(SMALL, ("informed", "search:9", "random"), seed=4)
    for game in range(2):
        assert play_game(replace(plan, move_seconds=60), game) == play_game(plan, game)
        record = record_of_game(plan, game)
        assert record_of_game(replace(plan, move_seconds=60), game) == record
        assert len(parse_record(record).moves) == play_game(plan, game).moves
    plan = replace(plan, rules=USUAL, players=("search:1000000", "search:999999"))
    with (
        limited("quaternity.workers.isolated_calls", STACK_SECONDS=60),
        pytest.raises(PlayerTimeout, match=r"'search:\d+' in seat \d gave no move") as raised,
    ):
        play_game(replace(plan, move_seconds=1), 1)
    place = raised.value.place
    assert place is not None
    assert place.seat is not None
    assert repr(plan.names_in(1)[place.seat]) in str(raised.value)
    assert len(parse_record(place.record.encode()).replay().moves) == place.moves
    assert "search.py" in raised.value.trace


# ---------------------------------------------------------------------------- any game


KWARTET = KwartetRules(KwartetSettings(3, 5))
SET = SetRules(SetSettings(seats=3, table=15))
ANY: list[tuple[Any, tuple[str, ...]]] = [
    (SMALL, ("informed", "random", "random")), (KWARTET, ("greedy", "random", "random")),
    (QuartoRules(), ("careful", "random", "random")), (SET, ("quick", "slow", "slow")),
]  # fmt: skip
any_game = pytest.mark.parametrize(
    ("rules", "names"), ANY, ids=lambda value: getattr(value, "name", "")
)


@any_game
def test_every_deal_is_played_from_all_seats(rules: Any, names: tuple[str, ...]) -> None:
    plan = Tournament(rules, names, seed=3)
    games = plan.games_a_deal
    assert games == (1 if rules is SMALL else 6)
    deals = [
        [plan.start(game) for game in range(deal * games, deal * games + games)] for deal in (0, 1)
    ]
    assert all(start == deal[0] for deal in deals for start in deal)
    assert (deals[0][0] == deals[1][0]) == (rules.name in ("quaternity", "quarto"))
    line_ups = [plan.line_up(game) for game in range(6)]
    assert set(line_ups) == set(permutations(range(3), rules.seats))
    assert [plan.line_up(game + 6) for game in range(6)] == line_ups
    # The random numbers belong to a seat, whoever has it: no player has luckier dice.
    if rules is not SMALL:
        dice = [[die.random() for die in plan.generators(game)] for game in range(games + 1)]
        assert all(numbers == dice[0] for numbers in dice[:games])
        assert dice[0] != dice[games]


@any_game
def test_workers_play_the_same_games(rules: Any, names: tuple[str, ...], workers: Pool) -> None:
    plan = Tournament(rules, names, seed=3, cap=300)
    results = play_games(plan, 9)
    assert results == [play_game(plan, game) for game in range(9)]
    assert play_games(plan, 9, workers) == results
    assert play_games(replace(plan, seed=4), 9) != results
    for game in (1, 8):
        record = record_of_game(plan, game).encode()
        end = rules.replay(record).positions[-1]
        assert tuple(rules.points(end)) == results[game].points


@any_game
def test_means_and_errors_are_those_of_a_plain_computation(
    rules: Any, names: tuple[str, ...]
) -> None:
    plan = Tournament(rules, names, seed=5, cap=300)
    games = max(6, plan.games_a_deal)
    results = play_games(plan, 3 * games)
    table = make_table(results, 3, None, games)
    for player, record in enumerate(table.records):
        shares, points = [], []
        for deal in range(3):
            own = [row for row in results[deal * games : deal * games + games]
                   if player in row.line_up]  # fmt: skip
            seats = [row.line_up.index(player) for row in own]
            best = [max(row.points) for row in own]
            alone = [
                row.points[seat] == highest and row.points.count(highest) == 1
                for row, seat, highest in zip(own, seats, best, strict=True)
            ]
            shares.append(fmean(alone))
            points.append(fmean(row.points[seat] for row, seat in zip(own, seats, strict=True)))
        for measured, values in ((record.share, shares), (record.points, points)):
            assert measured.mean == pytest.approx(fmean(values))
            assert measured.error == pytest.approx(stdev(values) / sqrt(3))
    assert table.deals == 3


def test_equal_players_have_equal_results_over_whole_deals() -> None:
    for rules, names in ANY[1:]:
        plan = Tournament(rules, names, seed=6)
        _, left, right = make_table(play_games(plan, 12), 3, None, 6).records
        assert (left.wins, left.points, left.by_seat) == (right.wins, right.points, right.by_seat)


def test_a_player_observes_all_events_since_its_last_move() -> None:
    plan = Tournament(QuartoRules(), ("tests.table.misbehaving:Remembers", "careful"), seed=2)
    assert [result.places is not None for result in play_games(plan, 2)] == [True, True]


def test_each_entry_has_one_player_for_all_games(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def factory(rules: Any, argument: str | None) -> Any:
        made.append(make_player(rules, "careful"))
        return made[-1]

    plant(monkeypatch, "quarto", "counted", factory)
    play_games(Tournament(QuartoRules(), ("counted", "counted")), 4)
    assert len(made) == 1 + 2  # the first player only shows that players can be created


def test_a_game_in_which_all_players_wait_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Waits:
        def choose(self, view: Any, random: Random) -> None:
            return None

    plant(monkeypatch, "set", "waits", lambda rules, argument: Waits())
    with pytest.raises(GameLimit, match=r"^game 2, move 0: every player waits") as raised:
        play_game(Tournament(SetRules(), ("waits", "waits")), 2)
    place = raised.value.place
    assert place is not None
    assert (place.player, place.seat) == ("", None)


@pytest.mark.parametrize("rules", [QuaternityRules(), KwartetRules(), QuartoRules()], ids=str)
def test_a_player_that_waits_although_only_it_can_act_is_named(
    monkeypatch: pytest.MonkeyPatch, rules: Any
) -> None:
    class Forgets:
        def choose(self, view: Any, random: Random) -> None:
            """Return None."""

    plant(monkeypatch, rules.name, "forgets", lambda rules, argument: Forgets())
    with pytest.raises(PlayerFault, match="'forgets' in seat 0 gave None: None is not a"):
        play_game(Tournament(rules, ("forgets",) * rules.seats), 0)


@pytest.mark.parametrize("rival", ["random", pytest.param("informed", marks=only_thorough)])
def test_searching_wins_a_few_games(rival: str) -> None:
    plan = Tournament(USUAL, ("search", rival, rival), seed=3)
    table = make_table(play_games(plan, thorough(1, 40)), 3, Random(3))
    for margin in table.margins[0][1:]:
        assert margin is not None
        assert margin.mean > 0


@pytest.mark.slow
@pytest.mark.parametrize("rival", ["random", "informed"])
@pytest.mark.parametrize(("sets", "players"), [(3, 3), (4, 4)])
def test_searching_wins_clearly(rival: str, sets: int, players: int, workers: Pool) -> None:
    """It leads by more than three standard errors over 500 rotated games of 4-3-3 and 4-4-4."""
    rules = QuaternityRules(Settings(4, sets, players))
    plan = Tournament(rules, ("search", *[rival] * (players - 1)), seed=1)
    table = make_table(play_games(plan, 500, workers), players, Random(1))
    for margin in table.margins[0][1:]:
        assert margin is not None
        assert margin.error is not None
        assert margin.mean > 3 * margin.error


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_picture_of_a_table_shows_every_player(
    players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each player's share is beside its name, and its rating at the same height."""
    pytest.importorskip("matplotlib")
    figures: list[Any] = []
    monkeypatch.setattr(
        "quaternity.table.tournament.picture.save_figure", lambda figure, _: figures.append(figure)
    )
    results = [
        GameResult((first, second), (1.0, 0.0), (1, 2), 3)
        for first, second in permutations(range(players), 2)
    ]
    table = make_table(results, players, Random(0))
    names = [f"player {number}" for number in range(players)]
    draw_table("table.svg", names, table)
    shares, rated = figures[0].axes
    assert [text.get_text() for text in shares.get_yticklabels()] == names
    assert [bar.get_width() for bar in shares.patches[:players]] == [
        record.share.mean for record in table.records
    ]
    marks = rated.lines[0]
    assert list(marks.get_ydata()) == [*range(players)]
    assert list(marks.get_xdata()) == [
        record.rating.mean for record in table.records if record.rating
    ]
    bottom, top = rated.get_ylim()
    assert top < 0 < players - 1 < bottom
    assert shares.get_xlim() == (0, 1), "the length of a bar is a share"
    alone, tied = shares.patches[0], shares.patches[players]
    assert alone.get_facecolor() != tied.get_facecolor()
    legend = shares.get_legend().get_bbox_to_anchor()
    assert legend.y1 < shares.get_window_extent().y0, "the legend is below the bars"


@pytest.mark.parametrize("deals", [(50, 14, 10, 9, 2, 1), (1, 1), (3,)])
def test_a_picture_of_possible_deals_shows_all_curves_with_their_errors(
    deals: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Curves end at the last go with two deals; if there is none, all goes are shown."""
    pytest.importorskip("matplotlib")
    figures: list[Any] = []
    monkeypatch.setattr(
        "quaternity.table.tournament.picture.save_figure", lambda figure, _: figures.append(figure)
    )
    results = [GameResult((0, 1), (1.0, 0.0), (1, 2), 3), GameResult((1, 0), (0.0, 1.0), (2, 1), 3)]
    worlds = [
        WorldsByGo(
            3 * go,
            Measured(9.0 - go, 0.5, number),
            (Measured(5.0 - go, 0.25, number), Measured(4.0 - go, None)),
            number,
        )
        for go, number in enumerate(deals)
    ]
    draw_table("table.svg", ["a", "b"], make_table(results, 2, Random(0)), worlds)
    _, curves = figures[0].axes
    shown = [world for world in worlds if world.deals > 1] or worlds
    wanted = {
        "everybody": [world.public for world in shown],
        "a": [world.own[0] for world in shown],
        "b": [world.own[1] for world in shown],
    }
    assert {
        line.get_label(): list(zip(line.get_xdata(), line.get_ydata(), strict=True))
        for line in curves.lines
    } == {
        name: [(world.goes, value.mean) for world, value in zip(shown, values, strict=True)]
        for name, values in wanted.items()
    }
    assert all(line.get_markevery() >= 1 for line in curves.lines)
    for band, values in zip(curves.collections, wanted.values(), strict=True):
        corners = {(x, y) for x, y in band.get_paths()[0].vertices.tolist()}
        for world, value in zip(shown, values, strict=True):
            off = value.margin or 0.0
            assert {(world.goes, value.mean - off), (world.goes, value.mean + off)} <= corners


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_chunk_has_whole_deals_and_leaves_work_for_all_workers(seats: int) -> None:
    """Without workers it is one game; otherwise a fair part of the games, or at least one deal."""
    rules = KwartetRules(KwartetSettings(seats, 4))
    tournament = Tournament(rules, ("random", "greedy", "silent", "mixed")[:seats])
    for in_flight, games in product(range(1, 10), range(0, 900, 20)):
        chunk = chunk_size(tournament, games, Pool.around(SerialExecutor(), in_flight))
        if in_flight == 1:
            assert chunk == 1
            continue
        assert chunk % tournament.games_a_deal == 0
        assert chunk == tournament.games_a_deal or (chunk <= 20 and 4 * in_flight * chunk <= games)
        more = chunk + tournament.games_a_deal
        assert more > 20 or 4 * in_flight * more > games


@pytest.mark.parametrize("resamples", [2, 3, 4])
def test_errors_of_ratings_are_the_spread_over_redrawn_tournaments(resamples: int) -> None:
    tournament = Tournament(KwartetRules(KwartetSettings(2, 4)), ("random", "greedy"))
    games, deals = tournament.games_a_deal, 6
    results = [play_game(tournament, game) for game in range(games * deals)]
    by_deal = [results[games * deal : games * (deal + 1)] for deal in range(deals)]
    random = Random(5)
    drawn = [ratings([*chain(*random.choices(by_deal, k=deals))], 2) for _ in range(resamples)]
    with limited("quaternity.table.tournament.scores", RESAMPLES=resamples):
        table = make_table(results, 2, Random(5), games)
    for player, record in enumerate(table.records):
        assert record.rating is not None
        values = [rated[player] for rated in drawn]
        assert record.rating.error == pytest.approx(stdev(v for v in values if v is not None))
    assert table.margins[0][0] is None
    assert table.margins[1][1] is None


def test_a_tournament_has_seed_0_by_default_and_is_immutable() -> None:
    rules = QuartoRules()
    tournament = Tournament(rules, ("random", "careful"))
    assert tournament == Tournament(rules, ("random", "careful"), seed=0)
    numbers = [generator.random() for generator in tournament.generators(0)]
    assert numbers == [Random(f"0/0/{seat}").random() for seat in range(2)]
    with pytest.raises(FrozenInstanceError):
        tournament.seed = 1  # type: ignore[misc]
