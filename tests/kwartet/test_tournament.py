"""Tournaments of strategies: published figures, and results that depend only on the seed."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from math import sqrt
from random import Random
from typing import Any

import pytest

from quaternity.base.errors import GameLimit, InputError, LimitError, PlayerFault
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.chances import log10_deals
from quaternity.kwartet.log import log_text, parse_log
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.players import DealCounts, GameDetails
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.kwartet.strategies.published import better_greedy, own_card_request, request
from quaternity.kwartet.view import View
from quaternity.table.tournament import playing as module
from quaternity.table.tournament.playing import (
    GameResult,
    Tournament,
    play,
    play_game,
    record_of_game,
)
from quaternity.table.tournament.scores import Measured, Table, make_table, worlds_by_go
from quaternity.workers.pool import open_executor
from tests.sizes import thorough
from tests.table.planted import STRATEGIES, plant_strategy

STUDENTS = ("greedy", "silent", "mixed", "random")
COMPATIBLE = KwartetSettings(announce=AnnounceTiming.AFTER_OWN_REQUEST)


def plan(
    settings: KwartetSettings, names: Sequence[str], seed: int = 0, **options: Any
) -> Tournament:
    return Tournament(KwartetRules(settings), tuple(names), seed, cap_stops=True, **options)


def outcomes(tournament: Tournament, games: int, workers: int = 1) -> list[GameResult]:
    with open_executor(workers) as pool:
        return list(play(tournament, games, pool))


def result(tournament: Tournament, games: int) -> Table:
    return table_of(tournament, outcomes(tournament, games))


def table_of(tournament: Tournament, played: Sequence[GameResult]) -> Table:
    return make_table(played, len(tournament.players), None, tournament.games_a_deal)


def goes_in(tournament: Tournament, results: Sequence[GameResult]) -> Measured:
    deals = [tournament.deal_of(game) for game in range(len(results))]
    return Measured.of([entry.details.goes for entry in results], deals)


def logged_game(tournament: Tournament, game: int) -> GameLog:
    return parse_log(record_of_game(tournament, game))


def four(names: str, settings: KwartetSettings | None = None, seed: int = 1) -> Tournament:
    return plan(settings or KwartetSettings(), names.split(","), seed)


def error_of(measured: Measured) -> float:
    assert measured.error is not None
    return measured.error


def near(measured: Measured, published: float, published_se: float) -> None:
    """Check that a mean is within four standard errors of the published one."""
    limit = 4 * sqrt(error_of(measured) ** 2 + published_se**2)
    assert abs(measured.mean - published) <= limit, (measured, published)


def in_games(few: int, many: int, most: int) -> pytest.MarkDecorator:
    """Run a test with few games, in the thorough run with many, and as a slow test with most."""
    slow = pytest.param(most, marks=pytest.mark.slow)
    return pytest.mark.parametrize("games", [thorough(few, many), slow])


@in_games(100, 300, 10_000)
def test_the_published_table(games: int) -> None:
    """Compare the students' table of 10,000 games with a number of our games."""
    students = plan(COMPATIBLE, STUDENTS, seed=2, rotate=False)
    played = outcomes(students, games)
    ours, goes = table_of(students, played), goes_in(students, played)

    def same_share(count: int, published: int) -> None:
        share = (published + count + 1) / (10_000 + games + 2)
        se = sqrt(share * (1 - share))
        near(Measured(count / games, se / sqrt(games)), published / 10_000, se / 100)

    for record, published in zip(ours.records, (5597, 781, 1933, 2), strict=True):
        same_share(record.wins, published)
    for record, published in zip(ours.records, (1545, 683, 1290, 1), strict=True):
        same_share(record.tied, published)
    same_share(ours.shared, 1687)
    near(goes, 137.23, error_of(goes) * sqrt(games) / 100)


@in_games(48, 600, 24_000)
def test_lengths_and_shares(games: int) -> None:
    for name, rules, mean, se in (("greedy", COMPATIBLE, 108.4, 0.3), ("exact", None, 20.3, 0.1)):
        alike = plan(rules or KwartetSettings(), (name,) * 4, 1, rotate=False)
        near(goes_in(alike, outcomes(alike, games // 6)), mean, se)
    # Only 4 of the 24 orders of seats differ in names and are played.
    near(result(four("exact,greedy,greedy,greedy"), games).records[0].win_share, 0.9985, 0.0005)
    against = four("exact,better-greedy,better-greedy,better-greedy")
    near(result(against, games).records[0].win_share, 0.965, 0.004)


@in_games(72, 480, 6_000)
def test_patient_beats_three_exact(games: int) -> None:
    # Only 4 of the 24 orders of seats differ in names and are played.
    share = result(four("patient,exact,exact,exact", seed=4), games).records[0].win_share
    assert share.mean - 0.25 > 3 * error_of(share)


PUBLISHED_GAMES = 1000
"""Number of games assumed for the published curve, which has no errors."""


@in_games(10, 60, 2_000)
def test_possible_deals_by_go(games: int) -> None:
    curve = plan(COMPATIBLE, STUDENTS, seed=5, rotate=False, details=20)
    worlds = {point.goes: point for point in worlds_by_go(outcomes(curve, games))}
    public = {0: 28.73, 20: 19.88, 40: 13.32, 60: 8.40, 80: 4.89}
    own = {0: 16.93, 20: 11.21, 40: 7.25, 60: 4.42, 80: 2.50}
    rounded = 0.005 / 4
    for goes, published in public.items():
        for ours, theirs in ((worlds[goes].public, published), (worlds[goes].own[0], own[goes])):
            near(ours, theirs, error_of(ours) * sqrt(games / PUBLISHED_GAMES) + rounded)


@pytest.mark.parametrize("details", [0, 1, 3])
def test_possible_deals_are_counted_after_every_few_goes(details: int) -> None:
    tournament = plan(KwartetSettings(3, 4), ("greedy", "mixed", "random"), details=details)
    for game in range(3):
        log = logged_game(tournament, game)
        goes = range(0, len(log.go_ends) + 1, details) if details else ()
        positions = {number: log.after_goes(number).public for number in goes}
        assert play_game(tournament, game).details == GameDetails(
            len(log.go_ends),
            tuple(
                DealCounts(
                    number,
                    log10_deals(public.problem),
                    tuple(log10_deals(log.after_goes(number).view(s).problem) for s in range(3)),
                )
                for number, public in positions.items()
                if not public.is_over
            ),
        )


@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize(("players", "sets"), [(3, 13), (5, 4), (8, 3), (7, 20), (4, 13)])
def test_over_a_full_rotation_all_start_and_have_extra_cards_equally_often(
    players: int, sets: int, rotate: bool
) -> None:
    settings = KwartetSettings(players, sets)
    tournament = plan(settings, ("random",) * players, rotate=rotate)
    cards, starts = [0] * players, [0] * players
    for game in range(players * tournament.games_a_deal):
        dealt = tournament.start(game).dealt
        sizes = [sum(held.bit_count() for held in hand) for hand in dealt]
        assert sum(sizes) == settings.cards
        assert max(sizes) - min(sizes) <= 1
        for seat, entry in enumerate(tournament.line_up(game)):
            cards[entry] += sizes[seat]
            starts[entry] += seat == 0
    assert len(set(cards)) == 1
    assert len(set(starts)) == (1 if rotate else 2)


def test_equivalent_orders_of_seats_are_played_once_and_counted_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tournament = plan(KwartetSettings(3, 4), ("mixed", "random", "random"), seed=5, details=3)
    alone = [play_game(tournament, game) for game in range(20)]
    played: list[int] = []

    def count_games(tournament: Tournament, game: int) -> GameResult:
        played.append(game)
        return play_game(tournament, game)

    monkeypatch.setattr(module, "play_game", count_games)
    assert outcomes(tournament, 20) == alone
    assert len(played) == 3 + 3 + 3 + 2


def test_standard_errors_are_computed_over_deals() -> None:
    values = [1.0, 2.0, 4.0, 4.0, 9.0, 3.0]
    assert Measured.of(values, [0, 1, 2, 3, 4, 5]) == Measured.of(values)
    pairs = Measured.of(values, [0, 0, 1, 1, 2, 2])
    assert about(pairs) == about(Measured.of([1.5, 4.0, 6.0]))
    # Repeated values add no information.
    assert about(Measured.of(values * 3, [0, 1, 2, 3, 4, 5] * 3)) == about(Measured.of(values))
    # Four values of one deal and two of another: totals 11 and 12, expected 46/3 and 23/3.
    assert Measured.of(values, [0, 0, 0, 0, 1, 1]).error == pytest.approx(13 / 3 / 3)
    assert Measured.of(values, [7] * 6).error is None
    assert Measured.of([3.0]) == Measured(3.0, None, 1)
    table = make_table([game((7, 6), 10), game((6, 7), 12), game((7, 6), 30)], 2, games_a_deal=2)
    assert table.deals == 2
    assert table.moves == Measured.of([10, 12, 30], [0, 0, 1])
    with pytest.raises(InputError, match="no game"):
        make_table([], 2)


def about(measured: Measured) -> Any:
    return pytest.approx(error_of(measured)), pytest.approx(measured.mean)


def game(points: tuple[float, ...], moves: int) -> GameResult:
    """Return the result of a game between players in the order of their seats."""
    places = tuple(1 + sum(other > own for other in points) for own in points)
    return GameResult(tuple(range(len(points))), points, places, moves)


def test_a_strategy_that_never_ends_or_breaks_the_rules_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cheat(view: View, random: Random) -> Question:
        del random
        return request(view.seat, view.seat, 0, 0)

    plant_strategy(monkeypatch, "bluff", own_card_request)
    plant_strategy(monkeypatch, "cheat", cheat)
    with pytest.raises(
        GameLimit, match="game 2, go 500: the game is not over after 500 moves"
    ) as raised:
        play_game(plan(KwartetSettings(2, 4), ("bluff", "bluff"), cap=500), 2)
    assert raised.value.place is not None
    assert len(parse_log(raised.value.place.record).events) == 500
    with pytest.raises(
        PlayerFault, match=r"game 0, go 0: strategy 'cheat' in seat 0: .*cannot ask themselves"
    ):
        play_game(plan(KwartetSettings(2, 4), ("cheat", "cheat")), 0)


def make_unchecked(*parts: object) -> Question:
    """Return a question of any values, without validation."""
    return tuple.__new__(Question, parts)


class Leaving:
    """A number that ends the program."""

    def __index__(self) -> int:
        raise SystemExit("leaving")


class OddNumber:
    """A whole number that is not an `int`, like NumPy's."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def test_a_fault_names_the_strategy_the_game_and_the_go(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_odd(strategy: Any, game: int = 0) -> GameLog:
        plant_strategy(monkeypatch, "odd", STRATEGIES.get(strategy, strategy))
        return logged_game(plan(KwartetSettings(2, 4), ("random", "odd"), rotate=False), game)

    def broken(view: View, random: Random) -> Question:
        raise KeyError("no such thing")

    with pytest.raises(
        PlayerFault,
        match=r"^game 3, go 1: strategy 'odd' in seat 1 failed: KeyError\('no such thing'\)$",
    ) as raised:
        play_odd(broken, 3)
    fault = raised.value
    assert "in broken" in fault.trace
    assert fault.trace.endswith("KeyError: 'no such thing'\n")
    assert copy(fault).__dict__ == fault.__dict__
    assert fault.place is not None
    log = parse_log(fault.place.record)
    assert (len(log.events), len(log.go_ends)) == (fault.place.moves, fault.place.go)
    assert log.positions[-1].public.turn == fault.place.seat == 1
    assert log.hands == play_odd("random", 3).hands
    for answer, words in (
        (None, "None: not a Question"),
        (make_unchecked(Leaving(), 0, Card(0, 0)), ".*Leaving.*: leaving"),
        (make_unchecked(1, 1.0, Card(0, 0)), ".*1\\.0.*: "),
        (make_unchecked(1, 0, None), "Question\\(asker=1, asked=0, card=None\\): cannot"),
    ):
        with pytest.raises(PlayerFault, match=rf"^game 0, go \d+: strategy 'odd' .* gave {words}"):
            play_odd(lambda view, random, answer=answer: answer)

    def odd_number(view: View, random: Random) -> Question:
        asker, asked, card = better_greedy(view, random)
        return Question(OddNumber(asker), asked, card)  # type: ignore[arg-type]  # on purpose

    log = play_odd(odd_number)
    assert parse_log(log_text(log)) == log
    assert all(type(event.question.asker) is int for event in log.events)


class Silent(BaseException):
    """A `BaseException` that cannot be shown as text."""

    def __repr__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SystemExit(0), "SystemExit(0)"), (GeneratorExit(), "GeneratorExit()"),
        (MemoryError(), "MemoryError()"), (RecursionError("deep"), "RecursionError('deep')"),
        (StopIteration(), "StopIteration()"), (Silent(), "a value that cannot be shown"),
        (LimitError("enough"), "LimitError('enough')"), (ValueError("x" * 999), "ValueError('xxx"),
    ],
)  # fmt: skip
def test_any_exception_of_a_strategy_is_its_fault(
    error: BaseException, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(view: View, random: Random) -> Question:
        raise error

    plant_strategy(monkeypatch, "odd", raising)
    with pytest.raises(PlayerFault) as raised:
        outcomes(plan(KwartetSettings(2, 4), ("odd", "odd")), 3)
    assert f"strategy 'odd' in seat 0 failed: {words}" in str(raised.value)
    assert len(str(raised.value)) < 500


def test_an_interrupt_by_the_user_is_not_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(view: View, random: Random) -> Question:
        raise KeyboardInterrupt

    plant_strategy(monkeypatch, "odd", slow)
    with pytest.raises(KeyboardInterrupt):
        play_game(plan(KwartetSettings(2, 4), ("odd", "odd")), 0)
