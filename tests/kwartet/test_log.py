"""Game logs: they can be read back, and errors name their line."""

from __future__ import annotations

from random import Random

import pytest

from quaternity.base.errors import InputError
from quaternity.kwartet.log import header_text, log_as_seen, log_text, parse_log
from quaternity.kwartet.log_reader import LogError
from quaternity.kwartet.played import GameLog, ends_go
from quaternity.kwartet.settings import AnnounceTiming
from solvers.verdict import deal_faults
from tests.kwartet.games import random_log, random_settings
from tests.sizes import thorough

SHORT = """\
kwartet 1
players 2
sets 2
announce at-once
own-card-requests yes
seats greedy,exact
hand 0: 0/0 0/1 0/2 1/0
hand 1: 0/3 1/1 1/2 1/3
0 asks 1 for 0/3: yes
0 puts down 0
0 asks 1 for 1/0: no
1 asks 0 for 1/0: yes
1 puts down 1
"""


def some_log(seed: int, max_events: int = 10_000) -> GameLog:
    random = Random(f"log/{seed}")
    return random_log(random_settings(random, range(2, 7), range(2, 14)), random, max_events)


def test_the_text_is_as_documented() -> None:
    log = parse_log(SHORT)
    assert log_text(log) == SHORT
    assert log.names == ("greedy", "exact")
    assert log.positions[-1].public.points == (1, 1)
    assert log.go_ends == (2, 3)
    assert log_text(log).startswith(header_text(log.settings, log.hands, log.names))


def test_defaults_comments_blank_lines_and_line_ends_are_read() -> None:
    text = SHORT.replace("announce at-once\n", "\n# nothing\n").replace("seats greedy,exact\n", "")
    text = text.replace("own-card-requests yes\n", "").replace("yes\n", "yes  # luck\n")
    log = parse_log(text.replace("\n", "\r\n").encode("utf-8-sig"))
    assert log.settings.announce is AnnounceTiming.AT_ONCE
    assert log.events == parse_log(SHORT).events


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("kwartet 1", "kwartet 2", 1, "a log must start with 'kwartet 1'"),
        ("players 2", "players 1", 2, "must be a whole number 2..8"),
        ("players 2", "players many", 2, "must be a whole number"),
        ("sets 2", "sets 21", 3, "must be a whole number 2..20"),
        ("sets 2", "colours 2", 3, "unknown setting 'colours'"),
        ("sets 2", "players 2", 3, "more than once"),
        ("at-once", "never", 4, "choose from at-once, after-own-request"),
        ("requests yes", "requests perhaps", 5, "must be yes or no"),
        ("greedy,exact", "greedy", 6, "seats: must name each of the 2 players, not 1"),
        ("hand 0: 0/0", "hand 0: 0/9", 7, "card 0/9 is out of range"),
        ("hand 0: 0/0", "hand 0: 2/0", 7, "card 2/0 is out of range 0/0..1/3"),
        ("hand 0: 0/0", "hand 0: 0/4", 7, "card 0/4 is out of range 0/0..1/3"),
        ("hand 0: 0/0", "hand 0: zero", 7, "expected set/number"),
        ("hand 0: 0/0", "hand 0: 0/1", 7, "card 0/1 is dealt twice: player 0"),
        ("hand 1: 0/3", "hand 1: 0/0", 8, "card 0/0 is dealt twice: player 0"),
        ("hand 1: 0/3", "hand 0: 0/3", 8, "hand 0 is given more than once"),
        ("hand 1: 0/3", "hand 7: 0/3", 8, "player 7 is out of range 0..1"),
        ("hand 1: 0/3", "hand 1:", 9, "only 7 of 8 cards are dealt: 0/3 is missing"),
        ("hand 1: 0/3 1/1 1/2 1/3\n", "", 8, "the hand of player 1 is missing"),
        ("1 for 0/3: yes", "1 for 0/3: no", 9, "player 1 holds 0/3"),
        ("0 asks 1 for 0/3: yes", "1 asks 0 for 1/0: yes", 9, "it is the turn of player 0"),
        ("0 asks 1 for 0/3: yes", "0 asks 0 for 0/3: yes", 9, "cannot ask themselves"),
        ("0 asks 1 for 0/3: yes", "0 asks 5 for 0/3: yes", 9, "player 5 is out of range 0..1"),
        ("0 asks 1 for 0/3: yes", "0 asks 1 for 2/3: yes", 9, "set 2 is out of range 0..1"),
        ("0 asks 1 for 0/3: yes", "0 asks 1 for 0/4: yes", 9, "card 4 of a set is out of range"),
        ("0 asks 1 for 0/3: yes", "0 asked 1", 9, "is not a move"),
        ("0 puts down 0\n", "", 10, "'0 puts down 0' must come before this line"),
        ("0 puts down 0", "0 puts down 1", 10, "expected '0 puts down 0'"),
        ("0 puts down 0", "0 puts down 0\n0 puts down 0", 11, "no set is full"),
        ("0/2 1/0\nhand 1: 0/3 1/1 1/2 1/3\n",
         "0/2 0/3\nhand 1: 1/0 1/1 1/2 1/3\n1 puts down 0\n", 9, "expected '0 puts down 0'"),
        ("1 for 1/0: no", "1 for 1/0: yes", 11, "player 1 does not hold 1/0"),
        ("1 for 1/0: no", "1 for 0/0: no", 11, "set 0 is removed: player 0 put it down"),
        ("1 for 1/0: no", "1 for 1/0: no\nplayers 3", 12, "expected a request such as"),
        ("1 for 1/0: no", "1 for 1/0: no\nhand 0: 1/0", 12,
         "hands must come before the first request"),
        ("1 puts down 1\n", "1 puts down 1\n0 asks 1 for 1/0: no\n", 14, "the game is over"),
    ],
)  # fmt: skip
def test_a_fault_names_its_line_and_the_reason(old: str, new: str, line: int, reason: str) -> None:
    assert old in SHORT
    with pytest.raises(LogError, match=reason) as caught:
        parse_log(SHORT.replace(old, new, 1))
    assert caught.value.line == line


@pytest.mark.parametrize("lines", range(1, 8))
def test_a_log_that_ends_in_its_head_names_the_next_line(lines: int) -> None:
    with pytest.raises(LogError) as caught:
        parse_log("".join(SHORT.splitlines(keepends=True)[:lines]))
    assert caught.value.line == lines + 1


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe\n", b"quaternity 1\n", b"\x00" * 99])
def test_other_data_is_not_a_log(data: bytes) -> None:
    with pytest.raises(LogError, match="line"):
        parse_log(data)


@pytest.mark.parametrize("seed", range(thorough(8, 20)))
def test_the_position_after_some_goes_fits_the_public_knowledge(seed: int) -> None:
    log = some_log(seed)
    assert log.after_goes(0) == log.positions[0]
    turns = 0
    for goes, end in enumerate(log.go_ends, start=1):
        position = log.after_goes(goes)
        assert position == log.positions[end]
        assert not deal_faults(position.public.problem, position.deal.owner)
        stretch = log.events[turns:end]
        assert len({event.question.asker for event in stretch}) == 1
        assert [ends_go(log.events[at], log.states[at + 1]) for at in range(turns, end)] == [
            *[False] * (len(stretch) - 1),
            True,
        ]
        turns = end
    assert turns == len(log.events)
    with pytest.raises(InputError, match="out of range"):
        log.after_goes(len(log.go_ends) + 1)
    with pytest.raises(InputError, match="out of range"):
        log.after_goes(-1)


def test_a_seat_sees_only_its_own_hand_in_the_log() -> None:
    seen = log_as_seen(parse_log(SHORT), 1)
    assert seen == SHORT.replace("hand 0: 0/0 0/1 0/2 1/0", "hand 0: 4 cards")
    with pytest.raises(InputError, match=r"seat 2 is out of range 0\.\.1"):
        log_as_seen(parse_log(SHORT), 2)


def test_a_line_as_long_as_the_file_is_not_repeated_in_full() -> None:
    deal = "kwartet 1\nplayers 2\nsets 2\nhand 0: 0/0 0/1 0/2 1/0\nhand 1: 0/3 1/1 1/2 1/3\n"
    for text in (deal + "0 asks " + "9" * 100_000 + "\n", deal.replace("1/0", "x" * 100_000)):
        with pytest.raises(LogError, match=r"line [46]: .*expected") as caught:
            parse_log(text, "my.log")
        assert len(str(caught.value)) < 600
