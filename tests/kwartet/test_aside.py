"""Cards aside: legal requests, the end of a game, and that no player sees them before."""

from __future__ import annotations

from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from quaternity.base.errors import InputError
from quaternity.base.text_format import with_noun
from quaternity.game.cards import Card
from quaternity.kwartet.game import KwartetGame
from quaternity.kwartet.hands import hand_of
from quaternity.kwartet.log import log_text, parse_any_log, parse_log
from quaternity.kwartet.log_reader import LogError
from quaternity.kwartet.played import GameLog
from quaternity.kwartet.position import Position
from quaternity.kwartet.queries import answer_lines, moment, read_formula, truth_at
from quaternity.kwartet.settings import KwartetSettings
from solvers.filtering import filter_problem
from tests.kwartet.games import random_log

TINY = KwartetSettings(2, 2, own_card_requests=False, set_size=3, aside=2, max_moves=4)


def position(settings: KwartetSettings, *hands: str) -> Position:
    """Return a position right after the deal; the last hand is the cards aside."""
    cards = ([Card.parse(word) for word in hand.split()] for hand in hands)
    dealt = (hand_of(hand, settings.sets, settings.set_size) for hand in cards)
    return Position.start(settings, tuple(dealt))


def test_the_pile_cannot_know_anything() -> None:
    start = position(TINY, "0/0 0/1", "1/0 1/1", "0/2 1/2")
    at = moment(GameLog.of(TINY, start.hands, ()), 0)
    for text, truth in (
        ("H2 0/2", True),
        ("some p: Hp 0/2", False),
        ("D{0,1} H2 0/2", True),
        ("E (H0 0/2 | H1 0/2 | H2 0/2)", True),
        ("C (H2 0/2 -> !H0 0/2)", True),
        ("points(2) = 0 & cards(2) = 2", True),
        ("U0(2) >= 2", True),
    ):
        assert truth_at(read_formula(text, at), at).truth is truth, text
    assert str(read_formula("C H2 0/2", at)) == "C{0,1} H2 0/2"
    assert read_formula("E H2 0/2", at) == read_formula("K0 H2 0/2 & K1 H2 0/2", at)
    for text in ("K2 H0 0/0", "D{0,2} H0 0/0", "C{1,2} H0 0/0", "U2(0) > 0", "M2 H0 0/0"):
        with pytest.raises(InputError, match="player 2 cannot know anything"):
            read_formula(text, at)
    with pytest.raises(InputError, match="player 3 does not exist"):
        read_formula("H3 0/0", at)


def test_a_reason_explains_the_number_of_the_pile() -> None:
    """Reasons refer to hands, and "player 2" would otherwise look like a player."""
    for aside in (0, 2):
        log = random_log(KwartetSettings(2, 3, aside=aside), Random(3), 12)
        for formula in ("H0 0/0", "!H0 0/0", "H1 0/0 | H1 0/1"):
            lines = list(answer_lines(formula, moment(log, len(log.events), 0), why=True))
            mentions = [line for line in lines if "player 2" in line or "and 2" in line]
            assert bool(mentions) <= bool(aside)
            explanation = "player 2 stands for the cards set aside"
            assert (explanation in lines) == (bool(aside) and "not know" not in lines[0])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"set_size": 1}, "set_size: 1 is out of range 2..10"),
        ({"set_size": 11}, "set_size: 11 is out of range 2..10"),
        ({"aside": -1}, "aside: -1 is out of range 0..198"),
        ({"sets": 2, "aside": 5}, "at most 4 can be set aside"),
        ({"sets": 2, "set_size": 2, "players": 8}, "players: 8 players cannot share 4 cards"),
        ({"max_moves": 0}, "max_moves: 0 is out of range 1..10000"),
        ({"max_moves": "x"}, "max_moves: 'x' is out of range 1..10000"),
        ({"aside": None}, "aside: None is out of range"),
    ],
)
def test_wrong_settings_are_refused_with_the_range(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        KwartetSettings(**settings)
    assert words in str(caught.value)


def test_only_games_with_cards_aside_have_a_default_limit_of_requests() -> None:
    assert KwartetSettings().max_moves is None
    assert KwartetSettings(aside=4).max_moves == 3 * 52
    assert KwartetSettings(2, 2, aside=4, max_moves=7).max_moves == 7


LOG = """\
kwartet 1
players 2
sets 2
announce at-once
own-card-requests no
set-size 3
aside 2
max-moves 4
hand 0: 0/0 0/1
hand 1: 0/2 1/0
aside: 1/1 1/2
0 asks 1 for 0/2: yes
0 puts down 0
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("set-size 3", "set-size 11", 6, "must be a whole number 2..10"),
        ("aside 2", "aside 7", 8, "at most 4 can be set aside"),
        ("max-moves 4", "max-moves 0", 8, "must be a whole number 1..10000"),
        ("aside: 1/1 1/2\n", "", 11, "the cards aside are missing"),
        ("aside: 1/1", "aside: 0/0", 11, "card 0/0 is dealt twice: player 0 has it"),
        ("hand 1: 0/2 1/0\naside: 1/1 1/2", "aside: 1/1 1/2\nhand 1: 0/2 1/1", 11,
         "card 1/1 is dealt twice: it lies aside"),
        ("aside: 1/1 1/2", "aside: 1/1 1/2\naside: 1/1 1/2", 12, "aside is given more than once"),
        ("hand 0: 0/0 0/1\nhand 1: 0/2 1/0", "hand 0: 2 cards\nhand 1: 2 cards", 12,
         "the cards aside must be hidden too"),
        ("aside 2\n", "", 10, "no cards are set aside in this game"),
        ("0/2 1/0\naside: 1/1 1/2", "0/2\naside: 1/0 1/1 1/2", 11,
         "aside: expected 2 cards, not 3"),
    ],
)  # fmt: skip
def test_errors_in_logs_name_their_line(old: str, new: str, line: int, words: str) -> None:
    assert log_text(parse_log(LOG)) == LOG
    assert old in LOG
    with pytest.raises(LogError) as caught:
        parse_any_log(LOG.replace(old, new, 1))
    assert words in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("settings", [TINY, KwartetSettings(3, 4, aside=1), KwartetSettings(2, 3)])
def test_the_picture_of_every_seat_shows_the_cards_aside(settings: KwartetSettings) -> None:
    game = KwartetGame.start(settings, seed=1)
    pile = f"aside: {with_noun(settings.aside, 'card')}" if settings.aside else ""
    while True:
        for seat in (None, *range(settings.players)):
            view = game.view(seat)
            drawn = " ".join(ElementTree.fromstring(game.svg(seat)).itertext())
            assert pile in drawn
            assert pile in view._repr_html_()
            may_lie_aside = any(
                mask >> settings.players
                for s in filter_problem(view.problem).sets
                for mask in s.owners
            )
            assert ("aside" in drawn.replace(pile, "")) == may_lie_aside
        if game.is_over or len(game.moves) == 4:
            break
        game = game.play(next(iter(game.legal_moves)))
