"""Games between strategies: the published figures, and that results depend on the seed alone."""

from __future__ import annotations

from copy import copy
from itertools import permutations
from math import sqrt
from random import Random
from typing import Any

import pytest

from quaternity.errors import GameLimit, InputError, LimitError, PlayerFault
from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet import tournament as module
from quaternity.kwartet.hands import Hand, dealt_hands
from quaternity.kwartet.log import GameLog, log_text, parse_log
from quaternity.kwartet.settings import Announce, KwartetSettings
from quaternity.kwartet.standing import Mean, Standing, standing, worlds_by_go
from quaternity.kwartet.strategies.registry import STRATEGIES
from quaternity.kwartet.strategies.students import better_greedy, own_card_request, request
from quaternity.kwartet.tournament import (
    Outcome,
    Tournament,
    logged_game,
    outcomes,
    play_game,
)
from quaternity.kwartet.view import View
from quaternity.workers.pool import open_executor
from tests.sizes import thorough

STUDENTS = ("greedy", "silent", "mixed", "random")
COMPATIBLE = KwartetSettings(announce=Announce.AFTER_OWN_REQUEST)


def result(tournament: Tournament, games: int, workers: int = 1) -> Standing:
    with open_executor(workers) as pool:
        played = list(outcomes(tournament, games, pool))
    return standing(tournament.strategies, played, tournament.games_a_deal)


def four(names: str, settings: KwartetSettings | None = None, seed: int = 1) -> Tournament:
    return Tournament(settings or KwartetSettings(), tuple(names.split(",")), seed)


def near(measured: float, se: float, published: float, published_se: float) -> None:
    """Within four standard errors of the difference."""
    assert abs(measured - published) <= 4 * sqrt(se**2 + published_se**2), (measured, published)


def published_table(games: int) -> None:
    """The students' table of 10,000 games, held against a number of our games."""
    ours = result(Tournament(COMPATIBLE, STUDENTS, seed=2, rotate=False), games)

    def same_share(count: int, published: int) -> None:
        share = (published + count + 1) / (10_000 + games + 2)
        se = sqrt(share * (1 - share))
        near(count / games, se / sqrt(games), published / 10_000, se / 100)

    for count, published in zip(ours.sole_wins, (5597, 781, 1933, 2), strict=True):
        same_share(count, published)
    for count, published in zip(ours.tied_players, (1545, 683, 1290, 1), strict=True):
        same_share(count, published)
    same_share(ours.tied_games, 1687)
    near(*ours.goes, 137.23, ours.goes.se * sqrt(games) / 100)


def test_the_published_table_in_some_games() -> None:
    published_table(thorough(100, 300))


@pytest.mark.slow
def test_the_published_table_in_10000_games() -> None:
    published_table(10_000)


def lengths_and_shares(games: int) -> None:
    for name, rules, mean, se in (("greedy", COMPATIBLE, 108.4, 0.3), ("exact", None, 20.3, 0.1)):
        alike = Tournament(rules or KwartetSettings(), (name,) * 4, 1, rotate=False)
        near(*result(alike, games // 6).goes, mean, se)
    # Of 24 orders of seats four differ in names, and are played.
    near(*result(four("exact,greedy,greedy,greedy"), games).win_share[0], 0.9985, 0.0005)
    against = four("exact,better-greedy,better-greedy,better-greedy")
    near(*result(against, games).win_share[0], 0.965, 0.004)


def test_lengths_and_shares_in_some_games() -> None:
    lengths_and_shares(thorough(72, 600))


@pytest.mark.slow
def test_lengths_and_shares_in_24000_games() -> None:
    lengths_and_shares(24_000)
    assert result(four("exact,greedy,greedy,greedy", seed=3), 12_000).win_share[0].mean >= 0.99
    against = "exact,better-greedy,better-greedy,better-greedy"
    assert result(four(against, seed=3), 24_000).win_share[0].mean >= 0.95


def beats_exact(games: int) -> None:
    # Of 24 orders of seats four differ in names, and are played.
    share = result(four("patient,exact,exact,exact", seed=4), games).win_share[0]
    assert share.mean - 0.25 > 3 * share.se


def test_patient_beats_three_exact_in_some_games() -> None:
    beats_exact(thorough(72, 480))


@pytest.mark.slow
def test_patient_beats_three_exact_in_6000_games() -> None:
    beats_exact(6000)


PUBLISHED_GAMES = 1000
"""The published curve has no errors beside it: it is taken to be a mean of so many games."""


def possible_deals(games: int) -> None:
    curve = Tournament(COMPATIBLE, STUDENTS, seed=5, rotate=False, worlds_every=20)
    with open_executor() as pool:
        found = {one.goes: one for one in worlds_by_go(outcomes(curve, games, pool))}
    public = {0: 28.73, 20: 19.88, 40: 13.32, 60: 8.40, 80: 4.89}
    own = {0: 16.93, 20: 11.21, 40: 7.25, 60: 4.42, 80: 2.50}
    rounded = 0.005 / 4
    for goes, published in public.items():
        for ours, theirs in ((found[goes].public, published), (found[goes].own[0], own[goes])):
            near(*ours, theirs, ours.se * sqrt(games / PUBLISHED_GAMES) + rounded)


def test_possible_deals_by_go_in_some_games() -> None:
    possible_deals(thorough(20, 60))


@pytest.mark.slow
def test_possible_deals_by_go_in_2000_games() -> None:
    possible_deals(2000)


def test_the_same_seed_gives_the_same_games_on_any_number_of_workers() -> None:
    tournament = four("exact,silent,patient,random", seed=9)
    with open_executor() as here, open_executor(2) as there:
        one = list(outcomes(tournament, 18, here, chunk_size=7))
        other = list(outcomes(tournament, 18, there, chunk_size=4))
    assert one == other
    assert one[17] == play_game(tournament, 17)
    assert one != [
        play_game(four("exact,silent,patient,random", seed=8), game) for game in range(18)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_logged_game_is_the_game_of_that_number(seed: int) -> None:
    tournament = Tournament(
        KwartetSettings(3, 7, list(Announce)[seed % 2], seed % 3 > 0),
        ("exact", "mixed", "better-greedy"),
        seed,
    )
    for game in range(3):
        log = logged_game(tournament, game)
        outcome = play_game(tournament, game)
        assert parse_log(log_text(log)) == log
        assert (len(log.go_ends), len(log.events)) == (outcome.goes, outcome.requests)
        for entry, name in enumerate(tournament.strategies):
            seat = tournament.seat_of(entry, game)
            assert log.names[seat] == name
            assert log.positions[-1].public.points[seat] == outcome.points[entry]


@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize(("players", "sets"), [(3, 13), (5, 4), (8, 3), (7, 20), (4, 13)])
def test_over_a_full_turn_everybody_starts_and_has_extra_cards_equally_often(
    players: int, sets: int, rotate: bool
) -> None:
    settings = KwartetSettings(players, sets)
    tournament = Tournament(settings, ("random",) * players, rotate=rotate)
    cards, starts = [0] * players, [0] * players
    for game in range(players * tournament.games_a_deal):
        sizes = settings.hand_sizes(tournament.first_extra(game))
        assert sum(sizes) == settings.cards
        assert max(sizes) - min(sizes) <= 1
        for entry in range(players):
            seat = tournament.seat_of(entry, game)
            cards[entry] += sizes[seat]
            starts[entry] += seat == 0
    assert len(set(cards)) == 1
    assert len(set(starts)) == (1 if rotate else 2)


def test_a_deal_is_the_same_in_every_seating_and_another_one_next() -> None:
    tournament = Tournament(KwartetSettings(3, 5), ("random", "silent", "mixed"), 4)
    assert tournament.games_a_deal == 6
    logs = [logged_game(tournament, game) for game in range(12)]
    first, second = logs[:6], logs[6:]
    assert len({log.hands for log in first}) == len({log.hands for log in second}) == 1
    assert first[0].hands != second[0].hands
    for deal in first, second:
        assert {log.names for log in deal} == set(permutations(tournament.strategies))


@pytest.mark.parametrize(
    "names", ["greedy,greedy,mixed", "mixed,exact,exact,exact", "silent,silent"]
)
def test_equal_strategies_come_out_equal_over_whole_deals(names: str) -> None:
    """Exactly: each sits in every seat, between all the others, with the same cards and dice."""
    strategies = tuple(names.split(","))
    tournament = Tournament(KwartetSettings(len(strategies), 4), strategies, seed=6)
    found = result(tournament, 3 * tournament.games_a_deal)
    for values in (found.sole_wins, found.tied_players, found.sets_won, found.win_share):
        by_name: dict[str, set[object]] = {}
        for name, value in zip(strategies, values, strict=True):
            by_name.setdefault(name, set()).add(value)
        assert all(len(equal) == 1 for equal in by_name.values()), values
    assert found.deals == 3


def test_orders_that_differ_in_equal_names_are_played_once_and_counted_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tournament = Tournament(
        KwartetSettings(3, 4), ("mixed", "random", "random"), seed=5, worlds_every=3
    )
    alone = [play_game(tournament, game) for game in range(20)]
    played: list[int] = []

    def counted(plan: Tournament, game: int) -> Outcome:
        played.append(game)
        return play_game(plan, game)

    monkeypatch.setattr(module, "play_game", counted)
    with open_executor() as pool:
        assert list(outcomes(tournament, 20, pool)) == alone
    assert len(played) == 3 + 3 + 3 + 2


def test_errors_are_over_deals() -> None:
    values = [1.0, 2.0, 4.0, 4.0, 9.0, 3.0]
    assert Mean.of(values, [0, 1, 2, 3, 4, 5]) == Mean.of(values)
    pairs = Mean.of(values, [0, 0, 1, 1, 2, 2])
    assert pairs == pytest.approx(Mean.of([1.5, 4.0, 6.0]))
    # The same values seen again say nothing new.
    assert Mean.of(values * 3, [0, 1, 2, 3, 4, 5] * 3) == pytest.approx(Mean.of(values))
    # Four values of one deal and two of another: totals 11 and 12 where 46/3 and 23/3 are expected.
    assert Mean.of(values, [0, 0, 0, 0, 1, 1]).se == pytest.approx(13 / 3 / 3)
    assert Mean.of(values, [7] * 6).se == 0
    games = [Outcome((7, 6), 10, 20), Outcome((6, 7), 12, 20), Outcome((7, 6), 30, 40)]
    found = standing(("a", "b"), games, games_a_deal=2)
    assert found.deals == 2
    assert found.goes == Mean.of([10, 12, 30], [0, 0, 1])


def test_wins_ties_and_shares_are_counted_as_agreed() -> None:
    games = [Outcome((7, 6, 0), 10, 20), Outcome((6, 6, 1), 12, 30), Outcome((5, 4, 4), 14, 40)]
    found = standing(("a", "b", "b"), games)
    assert found.sole_wins == (2, 0, 0)
    assert (found.tied_games, found.tied_players) == (1, (1, 1, 0))
    assert [share.mean for share in found.win_share] == pytest.approx([2.5 / 3, 0.5 / 3, 0])
    assert found.sets_won == (18, 16, 5)
    assert tuple(found.goes) == pytest.approx((12, 2 / sqrt(3)))
    assert Mean.of([3.0]) == Mean(3.0, 0.0)
    with pytest.raises(InputError, match="no game"):
        standing(("a", "b"), [])


def test_a_tournament_needs_a_strategy_for_every_seat() -> None:
    with pytest.raises(InputError, match="2 strategies for 4 players"):
        Tournament(KwartetSettings(), ("random", "random"))
    with pytest.raises(InputError, match="'x' unknown"):
        Tournament(KwartetSettings(2), ("random", "x"))


def test_a_strategy_that_never_ends_or_breaks_the_rules_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cheat(view: View, random: Random) -> Question:
        del random
        return request(view.seat, view.seat, 0, 0)

    monkeypatch.setattr(module, "MOST_REQUESTS", 500)
    monkeypatch.setitem(STRATEGIES, "bluff", own_card_request)
    monkeypatch.setitem(STRATEGIES, "cheat", cheat)
    monkeypatch.setattr(module, "check_strategies", lambda names: None)
    with pytest.raises(
        GameLimit, match="game 2, go 500: it is not over after 500 requests"
    ) as raised:
        play_game(Tournament(KwartetSettings(2, 4), ("bluff", "bluff")), 2)
    assert raised.value.place is not None
    assert len(parse_log(raised.value.place.record).events) == 500
    with pytest.raises(
        PlayerFault, match=r"game 0, go 0: strategy 'cheat' in seat 0: .*cannot ask himself"
    ):
        play_game(Tournament(KwartetSettings(2, 4), ("cheat", "cheat")), 0)


def unchecked(*parts: object) -> Question:
    """A question of anything, made in a way that is checked nowhere."""
    return tuple.__new__(Question, parts)


class Leaving:
    """A number that ends the program."""

    def __index__(self) -> int:
        raise SystemExit("leaving")


class OddNumber:
    """A whole number that is no `int`, as NumPy's are not."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def test_what_goes_wrong_in_a_strategy_names_it_the_game_and_the_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def played(strategy: Any, game: int = 0) -> GameLog:
        monkeypatch.setitem(STRATEGIES, "odd", STRATEGIES.get(strategy, strategy))
        return logged_game(Tournament(KwartetSettings(2, 4), ("random", "odd"), rotate=False), game)

    def broken(view: View, random: Random) -> Question:
        raise KeyError("no such thing")

    with pytest.raises(
        PlayerFault,
        match=r"^game 3, go 1: strategy 'odd' in seat 1 failed: KeyError\('no such thing'\)$",
    ) as raised:
        played(broken, 3)
    fault = raised.value
    assert "in broken" in fault.trace
    assert fault.trace.endswith("KeyError: 'no such thing'\n")
    assert copy(fault).__dict__ == fault.__dict__
    assert fault.place is not None
    log = parse_log(fault.place.record)
    assert (len(log.events), len(log.go_ends)) == (fault.place.moves, fault.place.go)
    assert log.positions[-1].public.turn == fault.place.seat == 1
    assert log.hands == played("random", 3).hands
    for gives, said in (
        (None, "None: that is no Question"),
        (unchecked(Leaving(), 0, Card(0, 0)), ".*Leaving.*: leaving"),
        (unchecked(1, 1.0, Card(0, 0)), ".*1\\.0.*: "),
        (unchecked(1, 0, None), "Question\\(asker=1, asked=0, card=None\\): cannot"),
    ):
        with pytest.raises(PlayerFault, match=rf"^game 0, go \d+: strategy 'odd' .* gave {said}"):
            played(lambda view, random, gives=gives: gives)

    def numbered(view: View, random: Random) -> Question:
        asker, asked, card = better_greedy(view, random)
        return Question(OddNumber(asker), asked, card)  # type: ignore[arg-type]  # so it is

    log = played(numbered)
    assert parse_log(log_text(log)) == log
    assert all(type(event.question.asker) is int for event in log.events)


class Silent(BaseException):
    """No `Exception`, and no text."""

    def __repr__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (SystemExit(0), "SystemExit(0)"), (GeneratorExit(), "GeneratorExit()"),
        (MemoryError(), "MemoryError()"), (RecursionError("deep"), "RecursionError('deep')"),
        (StopIteration(), "StopIteration()"), (Silent(), "something that cannot be shown"),
        (LimitError("enough"), "LimitError('enough')"), (ValueError("x" * 999), "ValueError('xxx"),
    ],
)  # fmt: skip
def test_whatever_a_strategy_raises_is_its_fault(
    error: BaseException, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(view: View, random: Random) -> Question:
        raise error

    monkeypatch.setitem(STRATEGIES, "odd", raising)
    with open_executor() as pool, pytest.raises(PlayerFault) as raised:
        list(outcomes(Tournament(KwartetSettings(2, 4), ("odd", "odd")), 3, pool))
    assert f"strategy 'odd' in seat 0 failed: {said}" in str(raised.value)
    assert len(str(raised.value)) < 500


def test_the_users_own_interrupt_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(view: View, random: Random) -> Question:
        raise KeyboardInterrupt

    monkeypatch.setitem(STRATEGIES, "odd", slow)
    with pytest.raises(KeyboardInterrupt):
        play_game(Tournament(KwartetSettings(2, 4), ("odd", "odd")), 0)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_limit_for_requests_is_a_time(seconds: float) -> None:
    with pytest.raises(InputError, match=r"move-seconds: .* is not above 0"):
        Tournament(KwartetSettings(2), ("random", "random"), move_seconds=seconds)


def test_a_seat_draws_by_chance_what_neither_the_deal_nor_the_others_have_touched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[object] = []

    def noting(view: View, random: Random) -> Question:
        given.append(random.getstate())
        return better_greedy(view, random)

    def wasteful(view: View, random: Random) -> Question:
        for _ in range(view.seat * 10):
            random.random()
        return better_greedy(view, Random(0))

    monkeypatch.setitem(STRATEGIES, "noting", noting)
    monkeypatch.setitem(STRATEGIES, "wasteful", wasteful)
    monkeypatch.setitem(STRATEGIES, "sparing", lambda view, _: better_greedy(view, Random(0)))

    def states(other: str, seed: int = 1) -> list[object]:
        given.clear()
        names = ("noting", other, other)
        play_game(Tournament(KwartetSettings(3, 6), names, seed, rotate=False), 0)
        return list(given)

    alone = states("sparing")
    assert len(alone) > 2
    assert states("wasteful") == alone
    assert states("sparing", seed=2)[0] != alone[0]

    def dealt_otherwise(settings: KwartetSettings, random: Random, extra: int) -> tuple[Hand, ...]:
        return dealt_hands(settings, Random(99), extra)

    monkeypatch.setattr(module, "dealt_hands", dealt_otherwise)
    assert states("sparing")[0] == alone[0]
