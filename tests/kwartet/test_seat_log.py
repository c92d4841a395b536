"""Logs of one seat: reading back, adding requests, and agreement with the possible deals."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from quaternity.base.errors import IllegalMove, InputError
from quaternity.game.question import Answer, Move, Question
from quaternity.kwartet.hands import Hand
from quaternity.kwartet.log import parse_any_log, parse_log
from quaternity.kwartet.log_reader import LogError
from quaternity.kwartet.played import seat_log_of
from quaternity.kwartet.rules import hand_text
from quaternity.kwartet.seat_log import SeatLog
from quaternity.kwartet.settings import AnnounceTiming, KwartetSettings
from tests.kwartet.games import random_log, random_settings
from tests.sizes import thorough

SEEN = """\
kwartet 1
players 3
sets 3
announce at-once
own-card-requests yes
hand 0: 4 cards
hand 1: 0/0 0/1 1/0 2/0
hand 2: 4 cards
"""


@pytest.mark.parametrize("seed", range(thorough(4, 60)))
def test_sets_certainly_put_down_were_put_down(seed: int) -> None:
    """The asker knows all such sets; others know them if no deal fits otherwise."""
    random = Random(f"downs/{seed}")
    certain, short = 0, False
    for announce in AnnounceTiming:
        settings = replace(random_settings(random, range(2, 5), range(2, 5)), announce=announce)
        log = random_log(settings, random, 60)
        short |= settings.max_moves is not None  # possibly no set is ever put down
        for seat in (None, *range(settings.players)):
            own = seat_log_of(log, seat)
            known = SeatLog.start(
                settings, own.sizes, seat, own.hand, own.put_down_at_deal, own.names
            )
            for event in log.events:
                downs = known.sets_put_down_after(event.question, event.answer)
                certain += len(downs)
                assert set(downs) <= set(event.announced)
                if event.question.asker == seat:
                    assert set(downs) == set(event.announced)
                known = known.after(event.question, event.answer, event.announced)
    assert certain or short


def test_a_set_that_a_request_makes_certain_is_put_down() -> None:
    settings = KwartetSettings(
        2, 4, AnnounceTiming.AFTER_OWN_REQUEST, own_card_requests=False, set_size=2, aside=2
    )
    seen_log = SeatLog.start(settings, (3, 3, 2))
    seen_log = seen_log.after(Question.parse("0 asks 1 for 3/1"), Answer.NO, (1,))
    assert seen_log.sets_put_down_after(Question.parse("1 asks 0 for 0/1"), Answer.NO) == (2,)


def test_an_unknown_setting_is_refused_with_the_known_ones() -> None:
    known = "players, sets, .*, announce, own-card-requests and seats, or start"
    with pytest.raises(LogError, match=f"unknown setting 'colour': choose from {known}"):
        parse_any_log("kwartet 1\ncolour red\n")


def test_a_player_who_has_asked_before_puts_down_only_a_set_just_completed() -> None:
    seen_log = SeatLog.start(KwartetSettings(3, 3, AnnounceTiming.AFTER_OWN_REQUEST), (4, 4, 4))
    words = "has already made a request: from then on, a set can be put down only"
    for move, before in (
        ("0 asks 1 for 0/2: yes", False), ("0 asks 2 for 0/2: no", True),
        ("1 asks 2 for 0/3: no", False), ("2 asks 0 for 1/1: no", False),
        ("0 asks 2 for 0/1: no", True),
    ):  # fmt: skip
        question, answer = Move.parse(move).question, Move.parse(move).answer
        with pytest.raises(IllegalMove) as refused:
            seen_log.after(question, answer, (2, 7))  # there is no set 7
        assert any(words in fault for fault in refused.value.faults) == before
        seen_log = seen_log.after(question, answer, ())


@pytest.mark.parametrize(
    ("down", "fault"),
    [
        ((3, 0), r"set 3 is out of range 0\.\.2$"),
        ((-1, 0), r"set -1 is out of range 0\.\.2$"),
        ((0, 4), r"player 4 is out of range 0\.\.3$"),
        ((2, -1), r"player -1 is out of range 0\.\.3$"),
    ],
)
def test_sets_put_down_at_the_deal_must_be_valid(down: tuple[int, int], fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        SeatLog.start(KwartetSettings(4, 3), (3, 3, 3, 3), announced=(down,))


def test_negative_hand_sizes_are_refused() -> None:
    settings = KwartetSettings(3, 3)
    for player in range(3):
        sizes = [7, 7, 7]
        sizes[player] = -2
        with pytest.raises(
            InputError, match=f"hand {player}: the number of cards must be >= 0, not -2"
        ):
            SeatLog.start(settings, sizes)


def test_a_star_marks_exactly_the_full_sets() -> None:
    for hand in product(range(16), repeat=2):
        parts = [part for part in hand_text(hand).split("  ") if part != "no cards"]
        assert len(parts) == sum(held > 0 for held in hand)
        for part, (index, held) in zip(
            parts, [pair for pair in enumerate(hand) if pair[1]], strict=True
        ):
            cards = part.removesuffix("*").split()
            assert cards == [f"{index}/{card}" for card in range(4) if held >> card & 1]
            assert part.endswith("*") == (held == 15)


@pytest.mark.parametrize(
    ("lines", "number", "words"),
    [
        ("1 asks 0 for 0/2: no\n", 9, "it is the turn of player 0, not of player 1"),
        ("0 asks 1 for 0/0: no\n", 9, "player 1 has 0/0"),
        ("0 asks 1 for 0/2: yes\n", 9, "player 1 does not have 0/2"),
        ("0 asks 2 for 0/0: yes\n", 9, "player 1 has 0/0"),
        ("0 asks 2 for 0/2: no\n\n1 asks 0 for 0/2: no\n", 11, "0/2"),
        ("0 asks 1 for 0/0: yes\n0 asks 2 for 2/3: no\n1 asks 0 for 0/0: no\n", 11,
         "player 0 must have 0/0"),
        ("0 asks 2 for 2/3: no\n1 asks 2 for 2/3: yes\n", 10, "player 2 cannot have 2/3"),
        ("0 asks 1 for 0/0: yes\n0 puts down 0\n", 9, "set 0"),
        ("0 puts down 0\n", 9, "player 0 cannot put down set 0: the hand of player 1 shows"),
        ("0 asks 2 for 0/2: no\n0 puts down 1\n", 9,
         "only set 0 can be put down, and only if the answer is yes"),
        ("0 asks 2 for 0/2: yes\n2 puts down 0\n", 10,
         "only player 0, who asked, can put down sets"),
        ("0 asks 2 for 9/2: no\n", 9, "set 9 is out of range 0..2"),
        ("hand 1: 4 cards\n", 9, "hand 1 is given more than once"),
        ("nonsense\n", 9, "expected a request such as '0 asks 1 for 2/3: no', or an announcement"),
    ],
)  # fmt: skip
def test_impossible_lines_are_refused(lines: str, number: int, words: str) -> None:
    with pytest.raises(LogError) as caught:
        parse_any_log(SEEN + lines, "my.log")
    assert caught.value.line == number, str(caught.value)
    assert words in str(caught.value)
    assert str(caught.value).startswith("my.log: line ")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("hand 0: 4 cards\n", "", "the hand of player 0 is missing"),
        ("hand 0: 4 cards", "hand 0: 5 cards", "13 cards in 3 hands: the game has 12 cards"),
        ("hand 0: 4 cards", "hand 0: 1/1 1/2 1/3 2/1", "at most one hand may be shown"),
        ("0/1 1/0", "0/1 0/0", "0/0"),
        ("1/0 2/0", "0/2 0/3", "'1 puts down 0' is missing: the set was dealt in full"),
    ],
)
def test_impossible_deals_are_refused(old: str, new: str, words: str) -> None:
    with pytest.raises(LogError) as caught:
        parse_any_log(SEEN.replace(old, new) + "0 asks 2 for 0/2: no\n")
    assert words in str(caught.value)


def test_hidden_hands_are_refused_if_all_are_needed() -> None:
    with pytest.raises(LogError, match="line 6: hand 0 is hidden: all hands must be visible"):
        parse_log(SEEN)


def test_a_truncated_line_is_left_out_with_its_request() -> None:
    whole = SEEN + "0 asks 2 for 0/2: no\n"
    for cut in ("1 as", "1 asks 0 for 0/3", "1"):
        log = parse_any_log(whole + cut)
        assert log.warnings == ("line 10 is incomplete and was ignored",)
    two = SEEN.replace("hand 1: 0/0 0/1 1/0 2/0", "hand 1: 1/0 1/1 1/2 2/0")
    two += "0 asks 2 for 0/2: no\n1 asks 0 for 1/3: yes\n"
    with pytest.raises(LogError, match="then must put down set 1"):
        parse_any_log(two)
    log = parse_any_log(two + "1 put")
    assert len(log.events) == 1
    assert log.warnings == ("line 11 is incomplete and was ignored",)


def test_requests_out_of_range_are_refused_before_announcements_are_computed() -> None:
    hand: Hand = (0b0111, 0b0001, 0)
    log = SeatLog.start(KwartetSettings(3, 3), (4, 4, 4), 0, hand)
    for asker, asked, index, number in product((0, 9), repeat=4):
        if (asker, asked, index, number) != (0, 0, 0, 0):
            for answer in ("yes", "no"):
                move = Move.parse(f"{asker} asks {asked} for {index}/{number}: {answer}")
                with pytest.raises(
                    IllegalMove, match=r"out of range|does not exist|it is the turn of"
                ):
                    log.sets_put_down_after(*move)


def test_impossible_starts_are_refused() -> None:
    settings = KwartetSettings(2, 2)
    with pytest.raises(InputError, match=r"seat 2 is out of range 0\.\.1$"):
        SeatLog.start(settings, (4, 4), 2, (0b1111, 0))
    later = KwartetSettings(2, 2, AnnounceTiming.AFTER_OWN_REQUEST)
    with pytest.raises(
        InputError, match="sets cannot be put down before the first request in this game"
    ):
        SeatLog.start(later, (4, 4), 0, (0b1111, 0), [(0, 0)])
    with pytest.raises(InputError, match="expected 4 cards, not 3"):
        SeatLog.start(settings, (4, 4), 0, (0b0111, 0))
    with pytest.raises(InputError, match="'1 puts down 1' is given more than once"):
        SeatLog.start(settings, (4, 4), 0, (0b1111, 0), [(0, 0), (1, 1), (1, 1)])
    with pytest.raises(
        InputError, match="set 0 cannot be put down twice, by player 1 and by player 0"
    ):
        SeatLog.start(settings, (4, 4), 0, (0b1111, 0), [(0, 1), (0, 0)])
