"""Strategies: legality, agreement with their description, and registration by name."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import EntryPoint
from random import Random

import pytest

from quaternity.base.errors import InputError
from quaternity.base.plugins import BrokenPlugin
from quaternity.kwartet.chances import OwnerWeights, estimate_weights, owner_weights
from quaternity.kwartet.hands import NUMBERS_IN_MASK
from quaternity.kwartet.position import Position
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.kwartet.strategies.counting import exact, patient
from quaternity.kwartet.strategies.published import (
    better_greedy,
    greedy,
    mixed,
    own_card_request,
    random_request,
    request,
    silent,
)
from quaternity.table import players
from quaternity.table.games import registration
from quaternity.table.players import check_name, make_player
from solvers.filtering import filter_problem
from tests.kwartet.games import legal_requests, random_game, random_settings
from tests.sizes import thorough
from tests.table.planted import STRATEGIES


def some_positions(seed: int, number: int, max_sets: int = 8) -> list[Position]:
    random = Random(f"strategies/{seed}")
    settings = random_settings(random, range(2, 7), range(2, max_sets))
    steps = [position for position, _ in random_game(settings, random, 60)]
    steps = [position for position in steps if not position.public.is_over]
    return random.sample(steps, min(number, len(steps)))


@pytest.mark.parametrize("seed", range(thorough(20, 60)))
def test_every_strategy_makes_legal_requests(seed: int) -> None:
    for position in some_positions(seed, 4):
        legal = legal_requests(position)
        for name, strategy in STRATEGIES.items():
            question = strategy(position.view(position.public.turn), Random(seed))
            assert question in legal, name


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("random", "59373d981718"),
        ("greedy", "67c70757d5be"),
        ("silent", "631bd6d76c96"),
        ("mixed", "31d001b4cc37"),
        ("better-greedy", "0cadbfa26ef2"),
        ("exact", "78318cabae90"),
        ("patient", "23d93de1db68"),
    ],
)
def test_a_seed_gives_the_same_requests_as_before(name: str, digest: str) -> None:
    """The results of tournaments, including published ones, are identified by their seeds.

    If a strategy is changed on purpose, its results must be measured again.
    """
    asked = [
        str(STRATEGIES[name](position.view(position.public.turn), Random(seed)))
        for seed in range(40)
        for position in some_positions(seed, 4)
        if position.public.settings.players < 5
    ]
    assert sha256(" ".join(asked).encode()).hexdigest()[:12] == digest


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_player_with_only_full_sets_may_ask_for_their_own_card(name: str) -> None:
    settings = KwartetSettings(2, 2, AnnounceTiming.AFTER_OWN_REQUEST, own_card_requests=False)
    position = Position.start(settings, ((15, 0), (0, 15)))
    for seed in range(9):
        assert STRATEGIES[name](position.view(0), Random(seed)) in legal_requests(position)


def test_patient_completes_sets_and_lets_other_sure_cards_wait() -> None:
    settings = KwartetSettings(players=3, sets=3)
    hands = ((0b0111, 0b0001, 0b0000), (0b1000, 0b0110, 0b0001), (0b0000, 0b1000, 0b1110))
    start = Position.start(settings, hands)
    # Player 0 gets 1/1 from player 1 and then fails, so everybody knows the owner of the card.
    position, _ = start.ask(request(0, 1, 1, 1))
    position, _ = position.ask(request(0, 2, 0, 3))
    view = position.view(1)
    assert request(1, 0, 1, 1) == greedy(view, Random(1))
    assert request(1, 0, 1, 1) == exact(view, Random(1))
    assert request(1, 0, 1, 1) != patient(view, Random(1))
    # After the failure player 0 knows that player 1 has 0/3, which completes set 0.
    position, _ = position.ask(request(1, 2, 1, 0))
    position, _ = position.ask(request(2, 0, 1, 2))
    assert request(0, 1, 0, 3) == patient(position.view(0), Random(1))


def test_the_students_strategies_follow_their_description() -> None:
    settings = KwartetSettings(players=3, sets=3)
    hands = ((0b0111, 0b0001, 0b0000), (0b1000, 0b0110, 0b0001), (0b0000, 0b1000, 0b1110))
    start = Position.start(settings, hands)
    position, _ = start.ask(request(0, 2, 0, 3))
    position, _ = position.ask(request(1, 2, 1, 2))
    position, _ = position.ask(request(2, 1, 1, 0))
    view = position.view(0)
    # Player 2 has neither 0/3 nor 1/2, so player 1 has both; set 0 lacks only 0/3.
    assert {silent(view, Random(seed)) for seed in range(50)} == {request(0, 1, 0, 3)}
    assert {greedy(view, Random(seed)) for seed in range(50)} == {request(0, 1, 0, 3)}
    guessed = {better_greedy(view, Random(seed)) for seed in range(50)}
    assert guessed == {request(0, 1, 0, 3), request(0, 1, 1, 2)}
    drawn = {random_request(view, Random(seed)) for seed in range(500)}
    assert drawn == set(legal_requests(position))
    first = start.view(0)
    guesses = {better_greedy(first, Random(seed)) for seed in range(500)}
    assert guesses == {
        question
        for question in legal_requests(start)
        if not first.hand[question.card.set_index] >> question.card.number & 1
    }
    own = sum(
        bool(first.hand[asked.card.set_index] >> asked.card.number & 1)
        for asked in (silent(first, Random(seed)) for seed in range(3000))
    )
    # A third on purpose, and (3/4 + 1/4) / 2 of the random ones.
    assert own / 3000 == pytest.approx(1 / 3 + 2 / 3 / 2, abs=0.04)


def test_mixed_tosses_a_fair_coin_between_greedy_and_silent() -> None:
    settings = KwartetSettings(players=3, sets=3)
    hands = ((0b0111, 0b0001, 0b0000), (0b1000, 0b0110, 0b0001), (0b0000, 0b1000, 0b1110))
    position, _ = Position.start(settings, hands).ask(request(0, 2, 0, 3))
    position, _ = position.ask(request(1, 0, 1, 0))
    position, _ = position.ask(request(1, 2, 2, 0))
    position, _ = position.ask(request(2, 1, 1, 1))
    # Player 2 has located 1/0, but not the rest of that set: silent asks for it only by chance.
    view, located = position.view(2), request(2, 1, 1, 0)
    number = 6000
    shares = [
        sum(strategy(view, Random(seed)) == located for seed in range(number)) / number
        for strategy in (greedy, mixed, silent)
    ]
    assert shares[0] - shares[2] > 0.2
    assert shares[1] == pytest.approx((shares[0] + shares[2]) / 2, abs=0.03)


def test_players_without_cards_are_asked_only_in_compatibility_mode() -> None:
    hands = ((0b0111, 0b0001), (0b1000, 0b1110), (0b0000, 0b0000))
    for announce in AnnounceTiming:
        settings = KwartetSettings(players=3, sets=2, announce=announce)
        view = Position.start(settings, hands).view(0)
        for strategy in (random_request, own_card_request):
            asked = {strategy(view, Random(seed)).asked for seed in range(200)}
            assert asked == ({1} if settings.at_once else {1, 2})
        for strategy in (greedy, better_greedy, exact, patient):
            assert {strategy(view, Random(seed)).asked for seed in range(50)} == {1}


def check_sums(weights: OwnerWeights, hands: tuple[int, ...]) -> None:
    for cards in weights.owned:
        for row in cards:
            assert sum(row) == pytest.approx(weights.total)
    for player, hand in enumerate(hands):
        held = sum(row[player] for cards in weights.owned for row in cards)
        assert held / weights.total == pytest.approx(hand, abs=0.05 * (1 + hand))


@pytest.mark.parametrize("seed", range(thorough(10, 30)))
def test_estimates_add_up_and_respect_certainty(seed: int) -> None:
    for position in some_positions(seed, 2):
        problem = position.view(position.public.turn).problem
        counted, guessed = owner_weights(problem), estimate_weights(filter_problem(problem))
        assert counted.exact or problem.players > 5
        assert not guessed.exact
        check_sums(counted, problem.hands)
        check_sums(guessed, problem.hands)
        differences = []
        for exact_rows, estimated_rows in zip(counted.owned, guessed.owned, strict=True):
            for row, estimate in zip(exact_rows, estimated_rows, strict=True):
                for weight, chance in zip(row, estimate, strict=True):
                    assert (weight == 0) == (chance < 1e-9)
                    differences.append(abs(weight / counted.total - chance))
        assert sum(differences) <= 0.1 * len(differences)


@pytest.mark.parametrize("players", range(2, 9))
def test_chances_are_exact_with_up_to_five_players_or_few_sets(players: int) -> None:
    for sets in (4, 20):
        start = next(random_game(KwartetSettings(players, sets), Random(1)))[0]
        weights = owner_weights(start.view(start.public.turn).problem)
        assert weights.exact == (players <= 5 or sets == 4)


def test_large_games_are_played_by_estimates() -> None:
    settings = KwartetSettings(players=8, sets=20)
    start = next(random_game(settings, Random(3)))[0]
    view = start.view(start.public.turn)
    assert not owner_weights(view.problem).exact
    for strategy in (exact, patient):
        asked = strategy(view, Random(1))
        assert not view.faults(asked)
        assert asked.card.number not in NUMBERS_IN_MASK[view.hand[asked.card.set_index]]


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """Replace the entry points of other distributions by a list, and clear the cached table."""
    points: list[EntryPoint] = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
    players.plugin_players.cache_clear()
    yield points
    players.plugin_players.cache_clear()


def strategy_named(name: str) -> object:
    return make_player(KwartetRules(), name).strategy


def test_another_distribution_adds_a_strategy(entry_points: list[EntryPoint]) -> None:
    place = "quaternity.kwartet.strategies.published:own_card_request"
    entry_points.append(EntryPoint("bluff", place, registration("kwartet").strategy_group))
    assert strategy_named("bluff") is own_card_request
    assert list(players.plugin_players("kwartet").usable) == ["bluff"]
    assert not players.plugin_players("quarto").usable


@pytest.mark.parametrize(
    ("name", "place", "fault"),
    [
        ("lost", "quaternity.no_such_module:it", r"\) cannot be loaded: .*No module named"),
        ("text", "quaternity.table.players:YOU", r"\) is not callable"),
        ("player", "quaternity.kwartet.players:StrategyPlayer", r"\) is a class, but must be a"),
    ],
)
def test_a_broken_registration_does_not_disable_others(
    entry_points: list[EntryPoint], name: str, place: str, fault: str
) -> None:
    entry_points.append(EntryPoint(name, place, registration("kwartet").strategy_group))
    good = "quaternity.kwartet.strategies.published:own_card_request"
    entry_points.append(EntryPoint("bluff", good, registration("kwartet").strategy_group))
    with pytest.warns(BrokenPlugin, match=fault):
        assert list(players.plugin_players("kwartet").usable) == ["bluff"]
    for known in ("exact", "greedy", "bluff"):
        check_name("kwartet", known)
    with pytest.raises(InputError, match=fault):
        check_name("kwartet", name)
    assert strategy_named("exact") is exact


def test_built_in_names_cannot_be_replaced(entry_points: list[EntryPoint]) -> None:
    place = "quaternity.kwartet.strategies.published:greedy"
    entry_points.append(EntryPoint("exact", place, registration("kwartet").strategy_group))
    with pytest.warns(BrokenPlugin, match="is skipped, because its name is already in use"):
        assert not players.plugin_players("kwartet").usable
    assert strategy_named("exact") is exact


def test_bots_and_players_of_each_game_are_registered_in_one_group(
    entry_points: list[EntryPoint],
) -> None:
    place = "quaternity.table.players:RandomPlayer"
    games = ("quaternity", "kwartet", "quarto", "set")
    entry_points += [EntryPoint(f"{game}.mine", place, players.ENTRY_POINTS) for game in games]
    for game in ("quaternity", "quarto", "set"):
        assert list(players.plugin_players(game).usable) == ["mine"]
        assert players.is_foreign(game, "mine")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(
        InputError, match=r"'nobody' is unknown; choose from you, random, .*patient"
    ):
        strategy_named("nobody")
