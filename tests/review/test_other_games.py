"""Reviews of all games: laws of every game, and results of an engine found by another method."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import pytest

from quaternity.base.deadline import Deadline
from quaternity.base.errors import LimitError
from quaternity.base.sentences import message_data
from quaternity.game.question import Question
from quaternity.kwartet.log import log_text
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.rules import KwartetPosition, KwartetRules
from quaternity.kwartet.settings import KwartetSettings
from quaternity.kwartet.view import View
from quaternity.quarto.rules import QuartoRules
from quaternity.review import Review, review
from quaternity.review.judge import Judge
from quaternity.review.recorded_game import RecordedGame
from quaternity.review.reviewing import LEADS
from quaternity.table.match import Match
from quaternity.ternary.cards import SetCard
from quaternity.ternary.rules import SetRules, SetSettings
from quaternity.ternary.triples import is_triple
from solvers.registry import solve
from tests.limits import limited
from tests.quarto.minimax import Minimax
from tests.review.test_quaternity import without
from tests.sizes import thorough

TABLES: dict[str, tuple[Any, Sequence[str]]] = {
    "kwartet": (KwartetRules(KwartetSettings(3, 4)), ("random", "exact", "random")),
    "kwartet, cards aside": (
        KwartetRules(KwartetSettings(3, 4, set_size=3, aside=2)),
        ("random", "exact", "patient"),
    ),
    "quarto": (QuartoRules(), ("random", "careful")),
    "set": (SetRules(SetSettings(2)), ("slow:40", "quick")),
}
GAMES = [(game, seed) for game in TABLES for seed in range(thorough(1, 8))]


@cache
def match(game: str, seed: int) -> Match[Any, Any, Any]:
    rules, names = TABLES[game]
    played = Match[Any, Any, Any](rules, names, str(seed))
    while played.program_move() is not None:
        pass
    return played


def record(played: Match[Any, Any, Any]) -> str:
    """Return the record of a match, as it would have been written during play."""
    rules, positions = played.rules, played.history.positions()
    moves = zip(positions, played.moves, positions[1:], strict=False)
    lines = [rules.record_start(positions[0], played.names)]
    lines += [rules.record_move(before, *made, after) for before, made, after in moves]
    return "".join(lines)


@cache
@limited("quaternity.review.chances", MAX_SIMULATED_GAMES=16, COMPARED_GAMES=8)
def review_match(game: str, seed: int) -> Review:
    return review(record(match(game, seed)), seconds=600)


@pytest.mark.parametrize(("game", "seed"), GAMES)
def test_chances_add_up_and_end_with_the_winners(game: str, seed: int) -> None:
    played, done = match(game, seed), review_match(game, seed)
    assert done.over
    assert len(done.curve) == len(played.history.positions())
    for point in done.curve:
        assert point.chances is None or sum(point.chances) == pytest.approx(1)
    places = played.rules.places(played.position)
    winners = [place == 1 for place in places]
    assert done.curve[-1].chances == tuple(won / sum(winners) for won in winners)
    assert json.loads(json.dumps(done.document())) == done.document()
    assert [move.text for move in done.moves] == [
        played.rules.write(move) for _, move in played.moves
    ]


@pytest.mark.parametrize(("game", "seed"), GAMES)
@limited("quaternity.review.chances", MAX_SIMULATED_GAMES=4, COMPARED_GAMES=2)
def test_a_seat_sees_a_review_of_its_own_moves_only(game: str, seed: int) -> None:
    done = review(record(match(game, seed)), seat=1, seconds=600)
    assert all(move.worth is None for move in done.moves if move.seat != 1)
    assert all(move.seat == 1 for move in done.mistakes)


@pytest.mark.parametrize("game", TABLES)
def test_a_record_is_reviewed_up_to_its_first_illegal_move(game: str) -> None:
    text = record(match(game, 0))
    lines = text.splitlines(keepends=True)
    done = review("".join([*lines[:-3], "0 does nonsense\n", *lines[-3:]]), seconds=0)
    assert 0 < len(done.moves) < len(match(game, 0).moves)
    assert f"line {len(lines) - 2}" in done.fault
    assert not done.over


def pair(seed: int) -> tuple[int, list[str]]:
    """Return a seat, and logs of two games with different deals that look the same to it."""
    random, settings = Random(seed), KwartetSettings(3, 4, aside=seed % 2 * 2)
    rules = KwartetRules(settings)
    game = Match[Any, Any, Any](rules, ("random", "exact", "random"), str(seed))
    for _ in range(random.randrange(2, 12)):
        game.program_move()
    seat = random.randrange(3)
    if not rules.to_act(game.position):
        return pair(seed + 1000)
    deals: list[KwartetPosition] = [rules.like(game.view(seat), random) for _ in range(20)]
    texts = []
    for drawn in [game.position, *deals]:
        public, hands = drawn.position
        before = [View(public, x, hands[x], drawn.events).at_deal() for x in range(len(hands))]
        if before[0][2]:
            return pair(seed + 1000)
        log = GameLog.of(settings, tuple(hand for _, hand, _ in before), drawn.events)
        assert log.events == drawn.events
        texts.append(log_text(log))
    other = next((text for text in texts if text != texts[0]), None)
    return pair(seed + 1000) if other is None else (seat, [texts[0], other])


@limited("quaternity.review.chances", MAX_SIMULATED_GAMES=16, COMPARED_GAMES=1, CONFIRMING_GAMES=16)
def test_a_final_lead_is_never_lost_and_is_reported_from_its_start() -> None:
    reported = 0
    for seed in range(thorough(1, 20)):
        played = match("set", seed)
        points = [played.rules.points(position) for position in played.history.positions()]
        for moment in review(record(played), seconds=600).moments:
            for line in moment.lines:
                if getattr(line, "kind", None) == LEADS:
                    winner, reported = message_data(line)["who"], reported + 1
                    leads = [x[winner] > x[1 - winner] for x in points]
                    at = len(leads) - leads[::-1].index(False) if False in leads else 0
                    assert f"{points[at][winner]:g}" == message_data(line)["points"]
    assert reported


@pytest.mark.parametrize("seed", range(thorough(2, 30)))
def test_games_that_a_seat_cannot_distinguish_have_the_same_bytes(seed: int) -> None:
    seat, texts = pair(seed)
    with limited("quaternity.review.chances", MAX_SIMULATED_GAMES=16, COMPARED_GAMES=8):
        first, second = (review(text, seat, seconds=600, seed=seed) for text in texts)
    assert json.dumps(first.document()) == json.dumps(second.document())
    assert not first.unfinished
    seen = [RecordedGame(text, seat) for text in texts]
    for index in range(len(seen[0].acting)):
        assert seen[0].view(index, seat) == seen[1].view(index, seat)
        assert seen[0].draw_position(index, Random(seed)) == seen[1].draw_position(
            index, Random(seed)
        )
        for game in seen:
            with pytest.raises(AssertionError):
                game.view(index, (seat + 1) % 3)


@pytest.mark.parametrize("seed", range(thorough(1, 20)))
def test_cards_that_a_kwartet_player_could_know_follow_from_its_views(seed: int) -> None:
    played, done = match("kwartet", seed), review_match("kwartet", seed)
    for move in done.moves:
        for note in move.notes:
            about = message_data(note)
            if "since" in about:
                card, holder = about["card"], about["holder"]
                since = message_data(about["since"]).get("number", 0)
                for at in range(since, move.number):
                    view = played.rules.view(played.history.positions()[at], move.seat)
                    assert not solve(without(view.problem, card, holder), solver="max-flow")
                view = played.rules.view(played.history.positions()[move.number - 1], move.seat)
                assert not played.rules.faults(view, Question(move.seat, holder, card))
                hands = played.history.positions()[move.number - 1].position.hands
                assert hands[holder][card.set_index] >> card.number & 1


@pytest.mark.parametrize("seed", range(thorough(1, 20)))
def test_exact_worth_in_quarto_is_that_of_plain_minimax(seed: int) -> None:
    played, done = match("quarto", seed), review_match("quarto", seed)
    for index, move in enumerate(done.moves):
        before = played.history.positions()[index]
        if move.worth is None or not move.worth.exact or len(before.board.empty) > 5:
            continue
        value, best = Minimax(before.board).solve(before.in_hand)
        assert move.worth.best == (value + 1) / 2
        assert move.mistake == (tuple(played.moves[index][1]) not in best)
        if move.mistake:
            assert tuple(move.worth.by) in best


def is_right_triple(rules: Any, cards: Sequence[int]) -> bool:
    first, second, last = cards
    return is_triple(first, second, last, rules.settings.rule)


@pytest.mark.parametrize("seed", range(thorough(1, 20)))
def test_missed_threes_lay_on_the_table_and_were_triples(seed: int) -> None:
    played, done = match("set", seed), review_match("set", seed)
    for index, move in enumerate(done.moves):
        lay = [message_data(note)["cards"] for note in move.notes if "cards" in message_data(note)]
        before, after = (
            played.history.positions()[index].seen,
            played.history.positions()[index + 1].seen,
        )
        took = len(after.taken[move.seat]) > len(before.taken[move.seat])
        assert bool(lay) == (bool(before.threes) and not took)
        for cards in lay:
            assert set(cards) <= set(before.places)
            assert any(str(SetCard(cards[0])) in note for note in move.notes)
            assert is_right_triple(played.rules, cards)


def test_a_wrong_claim_and_a_wish_for_more_cards_are_noted() -> None:
    rules, random = SetRules(SetSettings(2)), Random(3)
    start = rules.start(random)
    while not start.seen.threes:
        start = rules.start(random)
    wrong = next(move for move in rules.moves(rules.view(start, 0))
                 if move.cards and not is_right_triple(rules, move.cards))  # fmt: skip
    with limited("quaternity.review.chances", MAX_SIMULATED_GAMES=16):
        done = review(f"{rules.record_start(start, ())}0 {wrong}\n0 more\n", seconds=600)
    assert [move.mistake for move in done.moves] == [True, False]
    assert [len(move.notes) for move in done.moves] == [2, 1]


@limited("quaternity.review.chances", MAX_SIMULATED_GAMES=16, COMPARED_GAMES=8)
def test_a_limit_of_counting_leaves_a_chance_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(*_: object) -> float:
        raise LimitError("too much")

    monkeypatch.setattr("quaternity.review.asking.KwartetJudge.chance", too_much)
    done = review(record(match("kwartet", 0)), seconds=600)
    assert {move.chance for move in done.moves} == {None}


def test_a_game_without_a_judge_is_imagined_by_its_players() -> None:
    assert Judge(QuartoRules(), Deadline()).player == "random"
