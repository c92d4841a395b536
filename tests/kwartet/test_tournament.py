"""Games between strategies: the published figures, and that results depend on the seed alone."""

from __future__ import annotations

from math import sqrt
from random import Random

import pytest

from quaternity.cards import Card
from quaternity.errors import InputError, LimitError
from quaternity.kwartet import tournament as module
from quaternity.kwartet.hands import Hand, dealt_hands
from quaternity.kwartet.log import GameLog, log_text
from quaternity.kwartet.log_reading import parse_log
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
from quaternity.question import Question
from quaternity.workers import open_executor

STUDENTS = ("greedy", "silent", "mixed", "random")
COMPATIBLE = KwartetSettings(announce=Announce.AFTER_OWN_REQUEST)


def result(tournament: Tournament, games: int, workers: int = 1) -> Standing:
    with open_executor(workers) as pool:
        return standing(tournament.strategies, list(outcomes(tournament, games, pool)))


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


def test_the_published_table_in_300_games() -> None:
    published_table(300)


@pytest.mark.slow
def test_the_published_table_in_10000_games() -> None:
    published_table(10_000)


def lengths_and_shares(games: int) -> None:
    near(*result(four("greedy,greedy,greedy,greedy", COMPATIBLE), games // 2).goes, 108.4, 0.3)
    near(*result(four("exact,exact,exact,exact"), games).goes, 20.3, 0.1)
    near(*result(four("exact,greedy,greedy,greedy"), games).win_share[0], 0.9985, 0.0005)
    share = result(four("exact,better-greedy,better-greedy,better-greedy"), games).win_share[0]
    near(*share, 0.965, 0.004)


def test_lengths_and_shares_in_300_games() -> None:
    lengths_and_shares(300)


@pytest.mark.slow
def test_lengths_and_shares_in_4000_games() -> None:
    lengths_and_shares(4000)
    assert result(four("exact,greedy,greedy,greedy", seed=3), 2000).win_share[0].mean >= 0.99
    against = "exact,better-greedy,better-greedy,better-greedy"
    assert result(four(against, seed=3), 4000).win_share[0].mean >= 0.95


def beats_exact(games: int) -> None:
    share = result(four("patient,exact,exact,exact", seed=4), games).win_share[0]
    assert share.mean - 0.25 > 3 * share.se


def test_patient_beats_three_exact_in_300_games() -> None:
    beats_exact(300)


@pytest.mark.slow
def test_patient_beats_three_exact_in_1000_games() -> None:
    beats_exact(1000)


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


def test_possible_deals_by_go_in_60_games() -> None:
    possible_deals(60)


@pytest.mark.slow
def test_possible_deals_by_go_in_2000_games() -> None:
    possible_deals(2000)


def test_the_same_seed_gives_the_same_games_on_any_number_of_workers() -> None:
    tournament = four("exact,silent,patient,random", seed=9)
    with open_executor() as here, open_executor(2) as there:
        one = list(outcomes(tournament, 30, here, chunk_size=7))
        other = list(outcomes(tournament, 30, there, chunk_size=4))
    assert one == other
    assert one[17] == play_game(tournament, 17)
    assert one != [
        play_game(four("exact,silent,patient,random", seed=8), game) for game in range(30)
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
    for game in range(players * players):
        sizes = settings.hand_sizes(tournament.first_extra(game))
        assert sum(sizes) == settings.cards
        assert max(sizes) - min(sizes) <= 1
        for entry in range(players):
            seat = tournament.seat_of(entry, game)
            cards[entry] += sizes[seat]
            starts[entry] += seat == 0
    assert len(set(cards)) == 1
    assert len(set(starts)) == (1 if rotate else 2)


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
    with pytest.raises(LimitError, match="game 2 is not over after 500 requests"):
        play_game(Tournament(KwartetSettings(2, 4), ("bluff", "bluff")), 2)
    with pytest.raises(InputError, match=r"game 0, go 0: strategy 'cheat': .*cannot ask himself"):
        play_game(Tournament(KwartetSettings(2, 4), ("cheat", "cheat")), 0)


class OddNumber:
    """A whole number that is no `int`, as NumPy's are not."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def test_what_goes_wrong_in_a_strategy_names_it_the_game_and_the_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def played(strategy: object, game: int = 0) -> GameLog:
        monkeypatch.setitem(STRATEGIES, "odd", strategy)
        return logged_game(Tournament(KwartetSettings(2, 4), ("random", "odd"), rotate=False), game)

    def broken(view: View, random: Random) -> Question:
        raise KeyError("no such thing")

    with pytest.raises(
        InputError, match=r"^game 3, go 1: strategy 'odd' failed: KeyError\('no such thing'\)$"
    ):
        played(broken, 3)
    with pytest.raises(InputError, match=r"^game 0, go \d+: strategy 'odd' gave None, which is no"):
        played(lambda view, random: None)
    with pytest.raises(InputError, match=r"gave .*1\.0.*: 'float' object cannot be interpreted"):
        played(lambda view, random: Question(1, 1.0, Card(0, 0)))  # type: ignore[arg-type]  # so it is
    with pytest.raises(InputError, match=r"gave Question\(asker=1, asked=0, card=None\): cannot"):
        played(lambda view, random: Question(1, 0, None))  # type: ignore[arg-type]  # so it is

    def numbered(view: View, random: Random) -> Question:
        asker, asked, card = better_greedy(view, random)
        return Question(OddNumber(asker), asked, card)  # type: ignore[arg-type]  # so it is

    log = played(numbered)
    assert parse_log(log_text(log)) == log
    assert all(type(event.question.asker) is int for event in log.events)


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
