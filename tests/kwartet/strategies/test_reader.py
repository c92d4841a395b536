"""The reader: its beliefs are probabilities, respect certainty, and follow from the view alone."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from threading import Thread

import pytest

from quaternity.game.cards import Card
from quaternity.game.question import Question
from quaternity.kwartet.chances import owner_weights
from quaternity.kwartet.hands import NUMBERS_IN_MASK, Hand
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.position import Position
from quaternity.kwartet.public import Event
from quaternity.kwartet.rules import KwartetRules
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from quaternity.kwartet.strategies.counting import patient
from quaternity.kwartet.strategies.published import request
from quaternity.kwartet.strategies.reader import beliefs, reader, reading
from quaternity.kwartet.view import NOBODY, View
from quaternity.table.tournament.playing import Tournament, play
from quaternity.table.tournament.scores import make_table
from quaternity.workers.pool import open_executor
from solvers.filtering import filter_problem
from tests.kwartet.games import random_log, random_settings
from tests.limits import limited
from tests.sizes import thorough

Chances = list[list[list[float]]]


@pytest.fixture(autouse=True)
def _clear_caches() -> None:
    """Clear the reader's cache, which other tests may have filled."""
    forget()


def forget() -> None:
    reading.GAME_CACHE.records.clear()


def some_views(seed: int, players: range = range(2, 9), interval: int = 5) -> Iterator[View]:
    """Yield views of one game by the seat to move, with their record."""
    random = Random(f"reader/{seed}")
    cards = thorough(30, 78)  # large sets of many players take seconds
    log = random_log(random_settings(random, players, range(2, 9), cards), random, 40)
    for number in range(random.randrange(interval), len(log.events), interval):
        position = log.positions[number]
        yield position.view(position.public.turn, log.events[:number])


def play_patients(settings: KwartetSettings, seed: int, max_events: int) -> GameLog:
    """Return a log of a game among `patient` players."""
    random = Random(f"patient/{seed}")
    start = KwartetRules(settings).start(random)
    position = start.position
    events: list[Event] = []
    while not position.public.is_over and len(events) < max_events:
        view = position.view(position.public.turn, events)
        position, event = position.ask(patient(view, random))
        events.append(event)
    return GameLog.of(settings, start.dealt, events)


@pytest.mark.parametrize("seed", range(thorough(6, 100)))
def test_beliefs_are_probabilities_that_respect_certainty(seed: int) -> None:
    for view in some_views(seed):
        for seen in (view, View(view.public, NOBODY, (0,) * len(view.hand), view.events)):
            believed, known = beliefs(seen), filter_problem(seen.problem).sets
            for cards, constraint in zip(believed, known, strict=True):
                assert len(cards) == len(constraint.owners)
                for row, owners in zip(cards, constraint.owners, strict=True):
                    assert sum(row) == pytest.approx(1)
                    for player, chance in enumerate(row):
                        assert (chance > 0) == bool(owners >> player & 1)
                        assert (chance == 1) == (owners == 1 << player)
            for player, hand in enumerate(view.public.hands):
                held = sum(row[player] for cards in believed for row in cards)
                assert held == pytest.approx(hand, abs=0.05)


@pytest.mark.parametrize("seed", range(thorough(2, 100)))
def test_its_requests_are_legal_and_follow_from_the_view(seed: int) -> None:
    for view in some_views(seed):
        asked = reader(view, Random(seed))
        assert not view.faults(asked)
        expected = beliefs(view)
        # Reading all requests at once, or in another thread, gives the same.
        forget()
        others: list[object] = [beliefs(view), reader(view, Random(seed))]

        def read_in_thread(view: View = view, others: list[object] = others) -> None:
            others.extend([beliefs(view), reader(view, Random(seed))])

        thread = Thread(target=read_in_thread)
        thread.start()
        thread.join()
        assert others == [expected, asked] * 2


BELIEVED = {
    0: ("5 asks 4 for 2/0; 3 asks 1 for 1/2", [15.53188, 15.34607, 16.71312, 15.958072]),
    1: ("1 asks 2 for 1/5; 1 asks 2 for 3/5", [10.81158, 11.041915, 8.501671, 8.149494]),
    2: ("2 asks 0 for 2/3; 0 asks 3 for 1/2", [7.188915, 6.915007, 3.080356, 2.899209]),
    3: ("2 asks 3 for 0/3; 0 asks 2 for 0/0", [15.663498, 15.139028, 13.220289, 12.750936]),
    4: ("0 asks 1 for 0/0; 0 asks 1 for 0/0", [0.499224, 0.445122, 0.499224, 0.445122]),
    6: ("0 asks 1 for 3/3; 1 asks 0 for 3/3", [13.982303, 14.541309, 15.712878, 14.24892]),
    7: ("2 asks 3 for 1/4; 1 asks 3 for 0/1", [8.953954, 9.094747, 9.35756, 8.637729]),
    8: ("0 asks 1 for 0/3; 0 asks 1 for 2/2", [3.751077, 4.568202, 1.599606, 1.421021]),
    11: ("0 asks 3 for 1/2; 1 asks 3 for 2/2", [5.512255, 5.639296, 2.260203, 2.260203]),
}
"""For each seed, requests at two moments of a game, and sums of a player's and public beliefs."""


@pytest.mark.parametrize("seed", BELIEVED)
def test_a_seed_gives_the_same_beliefs_and_requests_as_before(seed: int) -> None:
    """Results of tournaments are identified by seeds: if this changes, measure them again.

    The beliefs are summarised by weighted sums, for a player and for a bystander.
    """
    random = Random(f"pinned/{seed}")
    settings = random_settings(random, range(2, 7), range(3, 9))
    log = play_patients(settings, seed, random.randrange(8, 30))
    asked, sums = [], []
    for number in (len(log.events) // 2, len(log.events) - 1):
        position = log.positions[number]
        view = position.view(position.public.turn, log.events[:number])
        asked.append(str(reader(view, Random(seed))))
        for seen in (view, View(view.public, NOBODY, (0,) * len(view.hand), view.events)):
            weights, total = Random(seed), 0.0
            for cards in beliefs(seen):
                total += sum(chance * weights.random() for row in cards for chance in row)
            sums.append(total)
    requests, believed = BELIEVED[seed]
    assert "; ".join(asked) == requests
    assert sums == pytest.approx(believed, abs=1e-5)


def test_requests_taken_back_are_forgotten() -> None:
    views = list(some_views(3, range(4, 5), interval=thorough(6, 3)))
    fresh = []
    for view in views:
        forget()
        fresh.append(beliefs(view))
    for view, expected in reversed(list(zip(views, fresh, strict=True))):
        assert beliefs(view) == expected


@pytest.mark.parametrize("seed", range(thorough(12, 60)))
def test_without_requests_its_beliefs_are_exact_chances(seed: int) -> None:
    for view in some_views(seed, range(2, 5)):
        # The same moment without the requests that led to it.
        silent = View(view.public, view.seat, view.hand)
        exact = owner_weights(view.problem)
        for cards, rows in zip(beliefs(silent), exact.owned, strict=True):
            for chances, row in zip(cards, rows, strict=True):
                assert chances == pytest.approx([weight / exact.total for weight in row], abs=1e-9)


@pytest.mark.parametrize("announce", AnnounceTiming)
def test_names_of_sets_and_cards_change_nothing(announce: AnnounceTiming) -> None:
    log = play_patients(KwartetSettings(4, 6, announce), 1, 14)
    random = Random("names")
    sets = random.sample(range(6), 6)
    cards = [random.sample(range(4), 4) for _ in sets]

    def rename(hand: Hand) -> Hand:
        masks = [0] * 6
        for index, held in enumerate(hand):
            masks[sets[index]] = sum(1 << cards[index][number] for number in NUMBERS_IN_MASK[held])
        return tuple(masks)

    position = Position.start(log.settings, tuple(map(rename, log.hands)))
    events = []
    for event in log.events:
        asker, asked, (index, number) = event.question
        card = Card(sets[index], cards[index][number])
        position, event = position.ask(Question(asker, asked, card))
        events.append(event)
    for seat in range(4):
        original = beliefs(log.positions[-1].view(seat, log.events))
        renamed = beliefs(position.view(seat, events))
        for index, rows in enumerate(original):
            for number, row in enumerate(rows):
                assert renamed[sets[index]][cards[index][number]] == pytest.approx(row, abs=1e-6)


@pytest.mark.parametrize("seed", range(thorough(3, 30)))
def test_grouping_equivalent_sets_changes_nothing(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    views = list(some_views(seed, interval=8))
    expected = [beliefs(view) for view in views]
    forget()
    by_kind = reading.SetKinds.of
    monkeypatch.setattr(
        reading.SetKinds, "of", lambda public, known, hand: by_kind(public, -1, hand)
    )
    for view, believed in zip(views, expected, strict=True):
        for cards, others in zip(believed, beliefs(view), strict=True):
            for row, other in zip(cards, others, strict=True):
                assert row == pytest.approx(other, abs=1e-8)


@pytest.mark.parametrize("announce", AnnounceTiming)
def test_its_approximation_for_many_is_close_to_that_for_few(announce: AnnounceTiming) -> None:
    log = play_patients(KwartetSettings(4, 8, announce), 2, thorough(12, 40))
    view = log.positions[-1].view(3, log.events)
    closely = beliefs(view)
    forget()
    with limited("quaternity.kwartet.strategies.reader.coupling", FEW_PLAYERS=0):
        for cards, others in zip(closely, beliefs(view), strict=True):
            for row, other in zip(cards, others, strict=True):
                assert row == pytest.approx(other, abs=0.02)


def test_an_asker_is_believed_to_hold_more_of_that_set_and_less_of_others() -> None:
    settings = KwartetSettings(players=4, sets=8)
    random = Random(5)
    start = KwartetRules(settings).start(random).position
    question = patient(start.view(0), random)
    after, event = start.ask(question)
    assert not event.answer
    view = after.view(3, [event])
    read, counted = beliefs(view), owner_weights(view.problem)
    increase = [
        sum(row[0] for row in read[index])
        - sum(row[0] for row in counted.owned[index]) / counted.total
        for index in range(settings.sets)
    ]
    asked = question.card.set_index
    assert increase[asked] > 0.4
    assert max(value for index, value in enumerate(increase) if index != asked) < 0.1
    assert sum(increase) == pytest.approx(0, abs=0.02)


def test_a_bluff_does_not_convince_a_player_who_knows_better() -> None:
    # Player 1 asks for a card that everybody knows player 1 has.
    settings = KwartetSettings(players=3, sets=3)
    hands = ((0b0111, 0b0001, 0b0000), (0b1000, 0b0110, 0b0001), (0b0000, 0b1000, 0b1110))
    position, events = Position.start(settings, hands), []
    for question in (request(0, 1, 1, 1), request(0, 2, 1, 0), request(1, 2, 1, 2)):
        position, event = position.ask(question)
        events.append(event)
    assert beliefs(position.view(2, events))[1][1] == [1.0, 0.0, 0.0]


def share(players: str, settings: KwartetSettings, games: int, workers: int = 1) -> float:
    tournament = Tournament(KwartetRules(settings), tuple(players.split(",")), seed=8)
    with open_executor(workers) as pool:
        results = list(play(tournament, games, pool))
    table = make_table(results, settings.players, None, tournament.games_a_deal)
    return table.records[0].win_share.mean


def test_it_wins_most_games_against_patients() -> None:
    # Only three of the six orders of seats differ in names and are played.
    games = thorough(36, 1200)
    assert share("reader,patient,patient", KwartetSettings(3, 7), games) > 1 / 3 + 0.1
